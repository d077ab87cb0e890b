#!/usr/bin/python3
# train-torch.py - milliseconds of a training step in PyTorch: 100 RBF tasks, 4 samples, Adam.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   train-torch.py FILE [STEPS [THREADS]]
#
# The model is that of the weight file.  Tasks have the paper's sizes, drawn anew for each step.
# Needs Debian's python3-torch.
import sys
import time

import torch

from nptorch import Net

TASKS, MOST, SAMPLES, WARM = 100, 50, 4, 3


def draw():
    context = int(torch.randint(3, MOST - 3, ()))
    points = context + int(torch.randint(3, MOST - context, ()))
    x = 4 * torch.rand(TASKS, points, 1) - 2
    length, scale = 0.1 + 0.5 * torch.rand(TASKS, 1, 1), 0.1 + 0.9 * torch.rand(TASKS, 1, 1)
    gap = (x - x.transpose(-1, -2)) / length
    covariance = scale**2 * torch.exp(-0.5 * gap**2) + 0.02**2 * torch.eye(points)
    y = torch.linalg.cholesky(covariance) @ torch.randn(TASKS, points, 1)
    return x[:, :context], y[:, :context], x, y


def main():
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    torch.set_num_threads(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    torch.manual_seed(1)
    net = Net(sys.argv[1])
    net.w = {name: t.clone().requires_grad_() for name, t in net.w.items()}
    adam = torch.optim.Adam(net.w.values(), lr=5e-4)
    for step in range(WARM + steps):
        if step == WARM:
            begin = time.perf_counter()
        adam.zero_grad()
        net.loss(*draw(), SAMPLES).backward()
        adam.step()
    print(f"{1e3 * (time.perf_counter() - begin) / steps:.2f}")


main()
