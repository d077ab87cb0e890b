#!/usr/bin/env python3
# parity-fixture.py - numbers of an independent PyTorch version of the six models, for test-parity.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   OMP_NUM_THREADS=1 python3 tests/parity-fixture.py PATH/TO/torch_np.py >tests/parity-fixture.txt
#
# torch_np.py holds classes of its own for the models and shares nothing with this project.  The
# weights are not random but a formula of tensor name and index, which the test repeats: with
# FNV-1a of the name as h, element i is the hash of h + i·0x9e3779b1 as a number u in [-1, 1), times
# 1/sqrt(fan-in); for layer norms 1 + u/10 (weight) and u/10 (bias).  All in double precision, then
# rounded to float32.  Context and targets are formulas too (below).
#
# Lines: model "predict" index mean sigma, model "loss" value, model "gradient" tensor norm; all of
# the base path, in which z is the latent mean; the loss is over the context and the targets.
import importlib.util
import math
import sys

import torch


def mixed(x):
    x &= 0xFFFFFFFF
    x = ((x ^ x >> 16) * 0x85EBCA6B) & 0xFFFFFFFF
    x = ((x ^ x >> 13) * 0xC2B2AE35) & 0xFFFFFFFF
    return (x ^ x >> 16) / 2.0**31 - 1


def fnv(name):
    h = 0x811C9DC5
    for c in name.encode():
        h = ((h ^ c) * 0x01000193) & 0xFFFFFFFF
    return h


def fill(model):
    tensors = dict(model.named_parameters())
    for name, t in tensors.items():
        h = fnv(name)
        u = torch.tensor([mixed(h + i * 0x9E3779B1) for i in range(t.numel())], dtype=torch.float64)
        if ".ln" in name:
            u = u / 10 + (1 if name.endswith("weight") else 0)
        else:
            weight = tensors[name[: -len("bias")] + "weight"] if name.endswith("bias") else t
            u = u / math.sqrt(weight.shape[1])
        t.data = u.reshape(t.shape).float()


def points(n, first):
    x = torch.tensor([2 * mixed(first + i) for i in range(n)], dtype=torch.float64).float()
    return x[None, :, None], torch.sin(3 * x.double()).float()[None, :, None]


def main():
    spec = importlib.util.spec_from_file_location("torch_np", sys.argv[1])
    peer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(peer)
    xc, yc = points(6, 100)
    xt, yt = points(5, 200)
    for kind in ["cnp", "np", "bnp", "canp", "anp", "banp"]:
        model = peer.Model(kind)
        fill(model)
        mu, sigma = model.base(xc, yc, xt)
        for i in range(xt.shape[1]):
            print(f"{kind} predict {i} {mu[0, i, 0].item():.9g} {sigma[0, i, 0].item():.9g}")
        x, y = torch.cat([xc, xt], 1), torch.cat([yc, yt], 1)
        loss = -peer.loglik(y, *model.base(xc, yc, x)).mean()
        loss.backward()
        print(f"{kind} loss {loss.item():.9g}")
        for name, t in model.named_parameters():
            if t.grad is not None:
                print(f"{kind} gradient {name} {t.grad.double().norm().item():.9g}")


main()
