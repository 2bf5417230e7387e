"""Neither images nor texts: recurrent networks, graphs, points, tables, sequences of decisions, signals."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.export.zoo import Inputs, Model, generator


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(6, 8, 2, batch_first=True, bidirectional=True)
        self.last = nn.Linear(16, 3)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        y, (hidden, _) = self.lstm(x)
        return self.last(y[:, -1]), hidden


class Gated(nn.Module):
    """A gated recurrent network with attention over its own past."""

    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(6, 8, batch_first=True)
        self.score = nn.Bilinear(8, 8, 1)

    def forward(self, x: Tensor) -> Tensor:
        y, last = self.gru(x)
        query = last[0][:, None].expand_as(y).contiguous()
        weights = self.score(y.contiguous(), query).squeeze(-1).softmax(1)
        return torch.einsum("bt,bth->bh", weights, y)


class Cells(nn.Module):
    """A recurrent cell written out, step by step."""

    def __init__(self) -> None:
        super().__init__()
        self.into, self.within = nn.Linear(6, 8), nn.Linear(8, 8, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        state = x.new_zeros(x.shape[0], 8)
        seen = []
        for part in self.into(x).split(1, 1):
            state = torch.tanh(part.squeeze(1) + self.within(state))
            seen.append(state)
        return torch.stack(seen, 1).flip([1]).cumsum(1)


class Graph(nn.Module):
    """Messages along the edges of a graph, normalised by degrees."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(5, 8), nn.Linear(8, 4)

    def forward(self, x: Tensor, edges: Tensor) -> tuple[Tensor, Tensor]:
        source, target = edges[0], edges[1]
        ones = torch.ones_like(source, dtype=x.dtype)
        degree = torch.zeros(x.shape[0], dtype=x.dtype).scatter_add(0, target, ones)
        scale = degree.clamp(min=1).pow(-0.5)
        y = self.first(x)
        messages = y.index_select(0, source) * (scale[source] * scale[target]).unsqueeze(-1)
        y = torch.zeros_like(y).index_add(0, target, messages)
        y = self.second(F.selu(y))
        where = target.unsqueeze(-1).expand(-1, 4)
        most = torch.zeros_like(y).scatter_reduce(0, where, y[source], "amax", include_self=False)
        return y, most


class Points(nn.Module):
    """Neighbours of points by their distances, and the greatest feature among them."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(6, 8)

    def forward(self, points: Tensor) -> tuple[Tensor, Tensor]:
        apart = torch.cdist(points, points)
        near, index = apart.topk(4, -1, largest=False)
        b = torch.arange(points.shape[0]).view(-1, 1, 1)
        neighbours = points[b, index]
        both = torch.cat([neighbours - points.unsqueeze(2), points.unsqueeze(2).expand_as(neighbours)], -1)
        return self.layer(both).relu().max(2).values, near.std(-1)


class Tables(nn.Module):
    """Bags of categories beside numbers, and how they interact."""

    def __init__(self) -> None:
        super().__init__()
        self.bags = nn.EmbeddingBag(50, 8, mode="mean")
        self.single = nn.Embedding(20, 8, padding_idx=0)
        self.dense, self.top = nn.Linear(4, 8), nn.Linear(11, 1)
        rows, columns = torch.tril_indices(3, 3, -1)
        self.register_buffer("pairs", rows * 3 + columns)

    def forward(self, bags: Tensor, single: Tensor, numbers: Tensor) -> Tensor:
        x = self.dense(torch.log1p(numbers.abs()))
        all_ = torch.stack([x, self.bags(bags), self.single(single)], 1)
        mixed = torch.bmm(all_, all_.transpose(1, 2)).flatten(1)[:, self.pairs]
        return self.top(torch.cat([x, mixed], 1)).sigmoid()


class Decoding(nn.Module):
    """The likeliest sequence of labels, and how likely all are: written out over the steps."""

    def __init__(self) -> None:
        super().__init__()
        self.moves = nn.Parameter(torch.randn(5, 5, generator=generator(5)))

    def forward(self, scores: Tensor) -> tuple[Tensor, Tensor]:
        best = total = scores[:, 0]
        back = []
        for step in range(1, scores.shape[1]):
            grown = best.unsqueeze(2) + self.moves
            best, from_ = grown.max(1)
            best = best + scores[:, step]
            total = torch.logsumexp(total.unsqueeze(2) + self.moves, 1) + scores[:, step]
            back.append(from_)
        label = best.argmax(1)
        labels = [label]
        for from_ in reversed(back):
            label = from_.gather(1, label.unsqueeze(1)).squeeze(1)
            labels.append(label)
        return torch.stack(labels[::-1], 1), total.logsumexp(1)


class Selective(nn.Module):
    """A state space whose steps depend on what is read, scanned by cumulative sums."""

    def __init__(self) -> None:
        super().__init__()
        self.project, self.step = nn.Linear(6, 12), nn.Linear(6, 6)
        self.decay = nn.Parameter(torch.linspace(0.1, 1.0, 6).log())
        self.mix = nn.Conv1d(6, 6, 4, padding=3, groups=6)
        self.norm = nn.RMSNorm(6)

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        value, gate = self.project(self.norm(x)).chunk(2, -1)
        value = F.silu(self.mix(value.transpose(1, 2))[..., :length].transpose(1, 2))
        step = F.softplus(self.step(value))
        decayed = torch.cumsum(-step * self.decay.exp(), 1)
        state = (value * step * torch.exp(-decayed)).cumsum(1) * decayed.exp()
        return state * F.logsigmoid(gate).expm1().neg()


class Separation(nn.Module):
    """Sound to frames, gates on them, and frames to sound again by adding what overlaps."""

    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Conv1d(1, 8, 8, 4)
        self.gate = nn.Conv1d(8, 16, 3, padding=1, padding_mode="circular")
        self.decode = nn.Linear(8, 8)

    def forward(self, sound: Tensor) -> tuple[Tensor, Tensor]:
        frames = self.encode(F.pad(sound.unsqueeze(1), (4, 4), mode="reflect"))
        mean = frames.mean((1, 2), keepdim=True)
        spread = frames.var((1, 2), keepdim=True, unbiased=False)
        y = F.glu(self.gate((frames - mean) / (spread + 1e-5).sqrt()), 1)
        parts = self.decode(y.transpose(1, 2)).transpose(1, 2)
        length = (parts.shape[2] - 1) * 4 + 8
        back = F.fold(parts, (1, length), (1, 8), stride=(1, 4))
        return back[:, 0, 0, 4:-4], parts.unfold(2, 3, 1).amin(-1)


class Statistics(nn.Module):
    """Numbers of a series as a preprocessor takes them: order, spread, angles, remainders."""

    def forward(self, x: Tensor, days: Tensor) -> tuple[Tensor, ...]:
        ordered, index = torch.sort(x, 1, descending=True)
        middle = ordered[:, x.shape[1] // 2]
        centred = x - middle.unsqueeze(1)
        spread, mean = torch.var_mean(centred, 1, correction=1)
        angle = torch.atan2(centred.sin(), centred.cos() + 2)
        week = torch.remainder(days, 7)
        month = torch.div(days, 30, rounding_mode="floor")
        part = torch.fmod(centred, 0.5) + torch.frac(x) + torch.trunc(x) * 0.25
        work = torch.logical_not((week >= 5) | (days % 11 == 0)) & (days != 4)
        kept = torch.where(work.unsqueeze(0).unsqueeze(-1), part, torch.round(x) * 0.5)
        powers = (kept.abs() + 0.1).log2() + (kept.abs() + 1).log10() + torch.pow(2.0, kept)
        bits = (days.bitwise_and(3) + days.bitwise_or(8) - days.bitwise_xor(5)).to(x.dtype)
        return spread, mean, angle.asinh(), powers, bits, index[:, 0], F.one_hot(month, 4).sum(0)


class Curved(nn.Module):
    """Hyperbolic and circular functions, as networks on spheres and in curved spaces use them."""

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        small = x.tanh() * 0.9
        distance = torch.acosh(1 + small.square().sum(-1)) + small.prod(-1).abs().reciprocal().clamp(max=3.0)
        map_ = small.atanh() + small.asin() - small.acos() * 0.5 + small.tan()
        wave = torch.cosh(small) - torch.sinh(small) + torch.erf(x) + x.atan() + x.floor() - x.ceil()
        sign = torch.sign(x) * (x.isnan() | x.isinf()).logical_not()
        return (
            distance,
            map_,
            wave,
            sign,
            torch.nan_to_num(x / (x - x.roll(1, 1))),
            (x.exp2() + x.expm1()) * small.neg(),
        )


class Masked(nn.Module):
    """Sequences of different lengths in one batch: masks, choice of elements, and what is written at places."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True, activation="gelu")

    def forward(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, ...]:
        steps = torch.arange(x.shape[1])
        padded = steps.unsqueeze(0) >= lengths.unsqueeze(1)
        later = torch.full((x.shape[1], x.shape[1]), -math.inf, dtype=x.dtype).triu(1)
        y = self.layer(x, later)
        y = y.masked_fill(padded.unsqueeze(-1), 0.0)
        last = y[torch.arange(x.shape[0]), lengths - 1]
        marked = y.index_put((torch.arange(x.shape[0]), lengths - 1), torch.zeros_like(last))
        first = y.select_scatter(last, 1, 0).slice_scatter(last.unsqueeze(1), 1, 1, 2)
        fell = torch.any(y < -1, -1) | torch.all(y > 1, -1)
        chosen = y.argmin(1)
        return (
            last,
            marked,
            first.diagonal(0, 1, 2),
            fell,
            chosen,
            y.repeat(1, 2, 1).scatter(1, chosen.unsqueeze(1), 1.5),
        )


class Signal(nn.Module):
    """A spectrum by products with sines, in decibels, pooled, with slow changes taken out."""

    def __init__(self) -> None:
        super().__init__()
        angles = torch.outer(torch.arange(9.0), torch.arange(16.0)) * (2 * math.pi / 16)
        self.register_buffer("real", angles.cos())
        self.register_buffer("imaginary", -angles.sin())
        self.register_buffer("window", torch.hann_window(16))

    def forward(self, sound: Tensor) -> tuple[Tensor, Tensor]:
        frames = sound.unfold(1, 16, 8) * self.window
        power = F.linear(frames, self.real) ** 2 + F.linear(frames, self.imaginary) ** 2
        level = 10 * torch.log10(power.clamp(min=1e-6))
        level = torch.maximum(level, level.amax((1, 2), keepdim=True) - 80)
        slow = F.avg_pool1d(level.transpose(1, 2), 3, 1, 1, count_include_pad=False).transpose(1, 2)
        pooled = F.max_pool1d(level.transpose(1, 2), 2, ceil_mode=True)
        return (level - slow) / (level.std() + 1e-5), pooled.min(-1).values


def _graph(n: int) -> Inputs:
    return torch.randn(n + 4, 5, generator=generator(n)), torch.randint(0, n + 4, (2, 9), generator=generator(n))


def _table(n: int) -> Inputs:
    made = generator(n)
    bags, single = torch.randint(0, 50, (n, 4), generator=made), torch.randint(0, 20, (n,), generator=made)
    return bags, single, torch.randn(n, 4, generator=made)


def _lengths(n: int) -> Inputs:
    return torch.randn(n, 6, 8, generator=generator(n)), torch.arange(n) % 5 + 2


def _batch(*shape: int) -> Callable[[int], Inputs]:
    return lambda n: (torch.randn(n, *shape, generator=generator(n)),)


_BATCH = ({0: "batch"},)
MODELS = (
    Model("recurrent", Recurrent, _batch(7, 6), _BATCH, more=1, why="a state that nobody reads"),
    Model("gated", Gated, _batch(7, 6), _BATCH),
    Model("cells", Cells, _batch(5, 6), _BATCH),
    Model("graph", Graph, _graph, ({0: "nodes"}, {}), more=1, why="places of sizes that are computed"),
    Model("points", Points, _batch(9, 3), _BATCH),
    Model("tables", Tables, _table, ({0: "batch"}, {0: "batch"}, {0: "batch"})),
    Model("decoding", Decoding, _batch(4, 5), _BATCH, more=1, why="sizes that are computed"),
    Model("selective", Selective, _batch(7, 6), _BATCH, more=7, why="logarithms of sigmoids that stay finite"),
    Model("separation", Separation, _batch(40), _BATCH, more=3, why="windows of a size that is computed"),
    Model(
        "statistics",
        Statistics,
        lambda n: (torch.randn(n, 8, 3, generator=generator(n)) * 2, torch.arange(8) * 13),
        ({0: "batch"}, {}),
        more=26,
        why="atan2 of zeros and infinities; as many elements as a correction takes; a sum of integers that is exact",
    ),
    Model("curved", Curved, _batch(6), _BATCH),
    Model("masked", Masked, _lengths, ({0: "batch"}, {0: "batch"})),
    Model(
        "signal", Signal, _batch(80), _BATCH, more=7, why="windows of a size that is computed, places that nobody reads"
    ),
)
