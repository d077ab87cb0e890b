#!/usr/bin/python3
# suggest-torch.py - the predictions behind a suggestion, made the way the paper's authors do it.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Reads weight files of bo (any of the six kinds, one dimension) and predicts on 1,000 points of
# [-2, 2] from n observations with k samples, in PyTorch on one thread: every layer on every sample
# and every point, samples as a batch dimension.  Needs Debian's python3-torch.
#
#   suggest-torch.py time FILE…          prints "name,milliseconds", the median CPU time
#   suggest-torch.py base FILE CONTEXT   prints mean,sd of the base path at the 1,000 points
import os
import sys
import time

import torch

from nptorch import Net

POINTS, SAMPLES, OBSERVED, SECONDS = 1000, 200, 25, 2.0


def grid():
    return torch.linspace(-2, 2, POINTS).reshape(1, -1, 1)


def milliseconds(net):
    torch.manual_seed(1)
    x = 4 * torch.rand(1, OBSERVED, 1) - 2
    y, at, times = torch.sin(5 * x), grid(), []
    while len(times) < 3 or (sum(times) < SECONDS and len(times) < 100):
        begin = time.process_time()
        mean, sd = net.predict(x, y, at, SAMPLES)
        (sd.square().mean(0) + mean.var(0, unbiased=False)).sqrt()  # the mixture, collapsed
        times.append(time.process_time() - begin)
    return 1e3 * sorted(times)[len(times) // 2]


def main():
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    if sys.argv[1] == "time":
        for path in sys.argv[2:]:
            print(f"{os.path.basename(path)},{milliseconds(Net(path)):.4g}", flush=True)
        return
    rows = [list(map(float, line.split(","))) for line in open(sys.argv[3]) if line[0] not in "x\n"]
    context = torch.tensor(rows).unsqueeze(0)
    mean, sd = Net(sys.argv[2]).base(context[..., :1], context[..., 1:], grid())
    for m, s in zip(mean.flatten().tolist(), sd.flatten().tolist()):
        print(f"{m:.9g},{s:.9g}")


main()
