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
import json
import os
import struct
import sys
import time

import torch
import torch.nn.functional as F

POINTS, SAMPLES, OBSERVED, SECONDS = 1000, 200, 25, 2.0


def read(path):
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = bytearray(file.read())
    meta = header.pop("__metadata__", {})
    weights = {}
    for name, about in header.items():
        first, end = about["data_offsets"]
        weights[name] = torch.frombuffer(data[first:end], dtype=torch.float32).reshape(about["shape"])
    return weights, meta


class Net:
    def __init__(self, path):
        self.w, meta = read(path)
        self.floor = float(meta.get("sigma_floor", 0.1))
        self.kind = meta["kind"]
        self.attends = self.kind in ("canp", "anp", "banp")
        self.names = ("denc", "lenc") if self.kind in ("np", "anp") else ("enc1", "enc2")

    def dense(self, name, x):
        return F.linear(x, self.w[name + ".weight"], self.w.get(name + ".bias"))

    def mlp(self, names, x):
        for name in names[:-1]:
            x = F.relu(self.dense(name, x))
        return self.dense(names[-1], x)

    def norm(self, name, x):
        return F.layer_norm(x, x.shape[-1:], self.w[name + ".weight"], self.w[name + ".bias"])

    def mha(self, name, q, k, v):
        q, k, v = (self.dense(f"{name}.fc_{part}", t) for part, t in zip("qkv", (q, k, v)))
        split = lambda t: torch.cat(t.chunk(8, -1), 0)
        weights = torch.softmax(split(q) @ split(k).transpose(-1, -2) / q.shape[-1] ** 0.5, -1)
        heads = torch.cat((weights @ split(v)).chunk(8, 0), -1)
        h = self.norm(name + ".ln1", q + heads)
        return self.norm(name + ".ln2", h + F.relu(self.dense(name + ".fc_out", h)))

    def pooling(self, e, x, y):
        pairs = torch.cat((x, y), -1)
        if self.attends:
            h = F.relu(self.mlp([f"{e}.net_pre.0.{i}" for i in (0, 2)], pairs))
            h = self.mha(e + ".net_pre.2", h, h, h)
        else:
            h = self.mlp([f"{e}.net_pre.{i}" for i in (0, 2, 4, 6)], pairs)
        return self.mlp([e + ".net_post.0", e + ".net_post.2"], h.mean(-2))

    def cross(self, e, x, y, at):
        qk = [f"{e}.net_qk.{i}" for i in (0, 2)]
        v = self.mlp([f"{e}.net_v.{i}" for i in (0, 2)], torch.cat((x, y), -1))
        v = self.mha(e + ".self_attn", v, v, v)
        return self.mha(e + ".attn", self.mlp(qk, at), self.mlp(qk, x), v)

    # The first encoding at the points; the second one, the same for all of them.
    def first(self, x, y, at):
        if self.attends:
            return self.cross(self.names[0], x, y, at)
        return self.spread(self.pooling(self.names[0], x, y), at)

    def spread(self, encoding, at):
        return encoding.unsqueeze(-2).expand(*encoding.shape[:-1], at.shape[-2], -1)

    def encode(self, x, y, at):
        return torch.cat((self.first(x, y, at), self.spread(self.pooling(self.names[1], x, y), at)), -1)

    def decode(self, encoded, at, boot=None):
        h = self.dense("dec.fc", torch.cat((encoded, at), -1))
        if boot is not None:
            h = h + self.dense("dec.fc_ctx", boot)
        out = self.mlp(["dec.mlp.1", "dec.mlp.3"], F.relu(h))
        mean, raw = out.chunk(2, -1)
        return mean, self.floor + (1 - self.floor) * F.softplus(raw)

    def base(self, x, y, at):
        if self.kind not in ("np", "anp"):
            return self.decode(self.encode(x, y, at), at)
        z = self.pooling(self.names[1], x, y).chunk(2, -1)[0]
        return self.decode(torch.cat((self.first(x, y, at), self.spread(z, at)), -1), at)

    def latent(self, x, y, at, k):
        mean, raw = self.pooling(self.names[1], x, y).chunk(2, -1)
        z = mean + (0.1 + 0.9 * torch.sigmoid(raw)) * torch.randn(k, mean.shape[-1])
        at = at.expand(k, -1, -1)
        first = self.first(x, y, at[:1]).expand(k, -1, -1)
        return self.decode(torch.cat((first, self.spread(z, at)), -1), at)

    def bootstrap(self, x, y, at, k):
        n = x.shape[-2]
        pick = lambda t: torch.gather(t, -2, torch.randint(n, (k, n, 1)))
        xs, ys, at = x.expand(k, -1, -1), y.expand(k, -1, -1), at.expand(k, -1, -1)
        index = torch.randint(n, (k, n, 1))
        mean, sd = self.decode(self.encode(torch.gather(xs, -2, index), torch.gather(ys, -2, index), xs), xs)
        residual = pick((ys - mean) / sd)
        again = mean + sd * (residual - residual.mean(-2, keepdim=True))
        encoded = self.encode(x, y, at[:1]).expand(k, -1, -1)
        return self.decode(encoded, at, self.encode(xs, again, at))

    def predict(self, x, y, at, k):
        if self.kind in ("cnp", "canp"):
            return self.base(x, y, at)
        return (self.latent if self.kind in ("np", "anp") else self.bootstrap)(x, y, at, k)


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
