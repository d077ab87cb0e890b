# nptorch.py - the six neural processes in PyTorch, written the way the paper's authors write them.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every layer for every sample and every point, samples as a batch dimension.  Reads weight files of
# bo, of one dimension.  Needs Debian's python3-torch.
import json
import math
import struct

import torch
import torch.nn.functional as F


def log_normal(y, mean, sd):
    return (-0.5 * ((y - mean) / sd) ** 2 - sd.log() - 0.5 * math.log(2 * math.pi)).sum(-1)


def log_mean_exp(t):
    return t.logsumexp(0) - math.log(t.shape[0])


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

    def latent_of(self, x, y):
        mean, raw = self.pooling(self.names[1], x, y).chunk(2, -1)
        return mean, 0.1 + 0.9 * torch.sigmoid(raw)

    def latent(self, x, y, at, k):
        mean, sd = self.latent_of(x, y)
        z = mean + sd * torch.randn(k, mean.shape[-1])
        at = at.expand(k, -1, -1)
        first = self.first(x, y, at[:1]).expand(k, -1, -1)
        return self.decode(torch.cat((first, self.spread(z, at)), -1), at)

    # The x of k copies of a context, and y of its residual bootstrap.
    def resampled(self, xs, ys):
        pick = lambda t, index: torch.gather(t, -2, index.expand(t.shape))
        rows = lambda: torch.randint(xs.shape[-2], xs.shape[:-1]).unsqueeze(-1)
        index = rows()
        mean, sd = self.decode(self.encode(pick(xs, index), pick(ys, index), xs), xs)
        residual = pick((ys - mean) / sd, rows())
        return xs, mean + sd * (residual - residual.mean(-2, keepdim=True))

    def bootstrap(self, x, y, at, k):
        at = at.expand(k, -1, -1)
        xs, again = self.resampled(x.expand(k, -1, -1), y.expand(k, -1, -1))
        encoded = self.encode(x, y, at[:1]).expand(k, -1, -1)
        return self.decode(encoded, at, self.encode(xs, again, at))

    def predict(self, x, y, at, k):
        if self.kind in ("cnp", "canp"):
            return self.base(x, y, at)
        return (self.latent if self.kind in ("np", "anp") else self.bootstrap)(x, y, at, k)

    # What training makes small: of the context x, y and all points at, to, with k samples.
    def loss(self, x, y, at, to, k):
        if self.kind in ("cnp", "canp"):
            return -log_normal(to, *self.base(x, y, at)).mean()
        many = at.expand(k, *at.shape)
        if self.kind in ("np", "anp"):
            prior, posterior = self.latent_of(x, y), self.latent_of(at, to)
            z = posterior[0] + posterior[1] * torch.randn(k, *posterior[0].shape)
            first = self.first(x, y, at)
            answer = self.decode(torch.cat((first.expand(k, *first.shape), self.spread(z, many)), -1), many)
            weight = log_normal(to, *answer).sum(-1) + log_normal(z, *prior) - log_normal(z, *posterior)
            return -log_mean_exp(weight).mean() / at.shape[-2]
        with torch.no_grad():
            xs, again = self.resampled(x.expand(k, *x.shape), y.expand(k, *y.shape))
        encoded = self.encode(x, y, at)
        all_ = self.decode(encoded.expand(k, *encoded.shape), many, self.encode(xs, again, many))
        return (-log_normal(to, *self.decode(encoded, at)).mean()
                - log_mean_exp(log_normal(to, *all_)).mean())
