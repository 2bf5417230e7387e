"""Modules of torch, exported by both of its exporters, with sizes that are fixed and that are open."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.models.model import Feeds, GivenModel, generator_of


class Residual(nn.Module):
    """As in ResNet."""

    def __init__(self, taken: int, given: int, stride: int) -> None:
        super().__init__()
        self.path = nn.Sequential(
            nn.Conv2d(taken, given, 3, stride, 1, bias=False),
            nn.BatchNorm2d(given),
            nn.ReLU(inplace=True),
            nn.Conv2d(given, given, 3, 1, 1, bias=False),
            nn.BatchNorm2d(given),
        )
        self.short = nn.Sequential(nn.Conv2d(taken, given, 1, stride, bias=False), nn.BatchNorm2d(given))

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.path(x) + self.short(x))


def resnet() -> nn.Module:
    stages = [Residual(8, 16, 2), Residual(16, 16, 1), Residual(16, 32, 2)]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)]
    return nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1), *stages, *head)


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 16, 3, padding=1)])
        self.middle = nn.Conv2d(16, 16, 3, padding=1)
        self.up = nn.ModuleList([nn.ConvTranspose2d(16, 16, 2, 2), nn.Conv2d(32, 8, 3, padding=1)])
        self.head = nn.Conv2d(16, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        first = F.silu(self.down[0](x))
        second = F.silu(self.down[1](F.max_pool2d(first, 2)))
        wide = self.up[0](F.silu(self.middle(F.max_pool2d(second, 2))))
        wide = F.silu(self.up[1](torch.cat([wide, second], 1)))
        wide = F.interpolate(wide, size=first.shape[2:], mode="bilinear", align_corners=False)
        return torch.sigmoid(self.head(torch.cat([wide, first], 1)))


class Inverted(nn.Module):
    """Depthwise convolutions with squeeze and excitation, as in MobileNet."""

    def __init__(self) -> None:
        super().__init__()
        self.widen = nn.Conv2d(8, 32, 1)
        self.depth = nn.Conv2d(32, 32, 3, 1, 1, groups=32)
        self.squeeze = nn.Conv2d(32, 8, 1)
        self.excite = nn.Conv2d(8, 32, 1)
        self.norm = nn.GroupNorm(4, 32)
        self.narrow = nn.Conv2d(32, 8, 1)

    def forward(self, x: Tensor) -> Tensor:
        wide = F.hardswish(self.depth(F.relu6(self.widen(x))))
        scale = F.hardsigmoid(self.excite(F.relu(self.squeeze(wide.mean((2, 3), keepdim=True)))))
        return x + self.narrow(self.norm(wide * scale))


class Shuffle(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rise = nn.Conv2d(4, 16, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        wide = F.pixel_shuffle(F.mish(self.rise(x)), 2)
        return F.pixel_unshuffle(F.instance_norm(wide), 2) + F.pad(x, (1, 1, 0, 0), mode="reflect").mean()


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 16)
        layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, activation="gelu", dropout=0.0)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, 5)

    def forward(self, tokens: Tensor) -> Tensor:
        return F.log_softmax(self.head(self.layers(self.words(tokens))), -1)


class Cached(nn.Module):
    """One step of a decoder: keys and values of the past come in and go out."""

    def __init__(self) -> None:
        super().__init__()
        self.taken = nn.Linear(16, 48)
        self.norm = nn.LayerNorm(16)
        self.given = nn.Linear(16, 16)

    def forward(self, x: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        query, key, value = self.taken(self.norm(x)).chunk(3, -1)
        query, key, value = (t.unflatten(-1, (4, 4)).transpose(1, 2) for t in (query, key, value))
        keys, values = torch.cat([keys, key], 2), torch.cat([values, value], 2)
        out = F.scaled_dot_product_attention(query, keys, values)
        return x + self.given(out.transpose(1, 2).flatten(2)), keys, values


class Rotary(nn.Module):
    """Attention with rotary positions, root mean square norm and a gated unit, as in Llama."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(16)
        self.qkv = nn.Linear(16, 48, bias=False)
        self.gate = nn.Linear(16, 32, bias=False)
        self.up = nn.Linear(16, 32, bias=False)
        self.down = nn.Linear(32, 16, bias=False)
        self.register_buffer("rates", 1 / 100 ** (torch.arange(0, 4, 2) / 4))

    def turn(self, x: Tensor, angle: Tensor) -> Tensor:
        one, two = x.chunk(2, -1)
        return torch.cat([one * angle.cos() - two * angle.sin(), one * angle.sin() + two * angle.cos()], -1)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (t.unflatten(-1, (4, 4)).transpose(1, 2) for t in self.qkv(self.norm(x)).chunk(3, -1))
        angle = torch.arange(x.shape[1])[:, None] * self.rates
        out = F.scaled_dot_product_attention(self.turn(query, angle), self.turn(key, angle), value, is_causal=True)
        x = x + out.transpose(1, 2).flatten(2)
        normed = self.norm(x)
        return x + self.down(F.silu(self.gate(normed)) * self.up(normed))


class Lstm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(40, 8)
        self.layers = nn.LSTM(8, 12, 2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(24, 3)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        out, (hidden, _) = self.layers(self.words(tokens))
        return self.head(out[:, -1]), hidden


class Gru(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.GRU(6, 10, batch_first=True)
        self.plain = nn.RNN(10, 4, batch_first=True)

    def forward(self, x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        out, state = self.layer(x, state)
        return self.plain(out)[0], state


class Detector(nn.Module):
    """Boxes, their best scores, and what stands there."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Conv2d(3, 16, 3, 2, 1)
        self.boxes = nn.Conv2d(16, 4, 1)
        self.scores = nn.Conv2d(16, 5, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        wide = F.leaky_relu(self.body(x), 0.1)
        boxes = self.boxes(wide).flatten(2).transpose(1, 2)
        scores = self.scores(wide).flatten(2).transpose(1, 2).softmax(-1)
        best, labels = scores.max(-1)
        top, places = best.topk(6, -1)
        taken = boxes.gather(1, places.unsqueeze(-1).expand(-1, -1, 4))
        return taken.clamp(-1, 1), torch.where(top > 0.2, top, torch.zeros_like(top)), labels.gather(1, places)


class Scatter(nn.Module):
    """Indices of all kinds."""

    def forward(self, x: Tensor, places: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        rows = x[places]
        sums = torch.zeros_like(x).index_add(0, places, rows)
        mask = (x > 0).long().cumsum(0)
        spread = x.clone().scatter_(0, places.unsqueeze(-1).expand(-1, x.shape[1]), 1.5)
        return sums, mask, spread.roll(1, 0).flip(1), torch.einsum("ij,kj->ik", rows, x).tril()


class Spectrum(nn.Module):
    """What stands before a network that hears: frames, a Fourier transform, a logarithm of bands."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(32))
        self.register_buffer("bands", torch.rand(8, 17))
        self.conv = nn.Conv1d(8, 6, 3, padding=1)

    def forward(self, sound: Tensor) -> Tensor:
        found = torch.stft(sound, 32, 16, window=self.window, return_complex=True)
        power = found.real**2 + found.imag**2
        return F.gelu(self.conv((self.bands @ power).clamp(min=1e-6).log()), approximate="tanh")


class Numbers(nn.Module):
    """Arithmetic of integers and floats, comparisons and reductions."""

    def forward(self, x: Tensor, n: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        whole = (n // 3) * 2 + n % 4 - (n - 5) ** 2
        wide = x.std(-1) + x.var(0).sum() + x.norm(dim=-1) + torch.logsumexp(x, -1)
        parts = torch.stack([x.amin(-1), x.amax(-1), x.prod(-1)], -1)
        return whole, wide, parts.nan_to_num(), ((n.float() + 1.5).log1p() + torch.erf(n / 7)).round()


class Piecewise(nn.Module):
    """Activations, a dozen of them."""

    def __init__(self) -> None:
        super().__init__()
        self.prelu = nn.PReLU(3)

    def forward(self, x: Tensor) -> Tensor:
        for do in (F.elu, F.celu, F.selu, F.softplus, F.softsign, F.hardtanh, F.tanhshrink, F.logsigmoid, F.gelu):
            x = do(x) + 0.25 * x
        x = self.prelu(x)
        return (
            F.softmax(F.glu(torch.cat([x, x.sin()], 1), 1), 1)
            + F.hardshrink(x)
            + F.softshrink(x)
            + F.threshold(x, 0, 0)
        )


class Volume(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv3d(2, 4, 3, padding=1)
        self.norm = nn.BatchNorm3d(4)

    def forward(self, x: Tensor) -> Tensor:
        wide = F.avg_pool3d(self.norm(self.conv(x)), 2)
        return F.interpolate(wide, scale_factor=2, mode="nearest").mean((2, 3, 4))


class Grid(nn.Module):
    def forward(self, x: Tensor, shift: Tensor) -> Tensor:
        where = F.affine_grid(shift, x.shape, align_corners=False)
        return F.grid_sample(x, where, mode="bilinear", padding_mode="zeros", align_corners=False)


class Branch(nn.Module):
    """An `if` on what is computed."""

    def forward(self, x: Tensor) -> Tensor:
        def more(y: Tensor) -> Tensor:
            return y.tanh() * 2

        def less(y: Tensor) -> Tensor:
            return y.exp() - 1

        return torch.cond(x.sum() > 0, more, less, (x,))


class ScriptedLoop(nn.Module):
    """Control flow as TorchScript says it: becomes `Loop` and `If`."""

    def forward(self, x: Tensor, count: Tensor) -> Tensor:
        out = x
        for index in range(int(count)):
            if bool(out.sum() > 4.0):  # noqa: SIM108
                out = out * 0.5
            else:
                out = out + float(index)
        return out


class ScriptedList(nn.Module):
    """A list that grows in a loop: becomes a sequence."""

    def forward(self, x: Tensor) -> Tensor:
        parts: list[Tensor] = []
        for index in range(x.size(0)):
            parts.append(x[index].cumsum(0))
        return torch.stack(parts)


class Ctc(nn.Module):
    """As networks that read text: convolutions, a recurrent layer, probabilities of letters."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.rnn = nn.LSTM(32, 8, bidirectional=True)
        self.head = nn.Linear(16, 12)

    def forward(self, x: Tensor) -> Tensor:
        wide = F.max_pool2d(F.relu(self.conv(x)), 2)
        line = wide.flatten(1, 2).permute(2, 0, 1)
        return self.head(self.rnn(line)[0]).log_softmax(-1)


@dataclass(frozen=True, slots=True)
class Case:
    """`inputs`: by name, dtype and sizes; `other`: those of a second draw, where sizes are open; `below`: integers."""

    family: str
    name: str
    make: Callable[[], nn.Module]
    inputs: dict[str, tuple[Any, list[int]]]
    other: dict[str, list[int]]
    below: int = 10
    opset: int = 20
    without: str = ""  # what torch itself cannot export
    scripted: bool = False


f32, i64 = torch.float32, torch.int64
CASES = (
    Case("vision", "resnet", resnet, {"x": (f32, [2, 3, 32, 32])}, {"x": [3, 3, 40, 32]}, opset=18),
    Case("vision", "unet", UNet, {"x": (f32, [1, 3, 16, 16])}, {"x": [2, 3, 24, 32]}, opset=19),
    Case("vision", "inverted", Inverted, {"x": (f32, [2, 8, 9, 9])}, {"x": [1, 8, 12, 7]}, opset=22),
    Case("vision", "shuffle", Shuffle, {"x": (f32, [2, 4, 6, 6])}, {"x": [3, 4, 8, 10]}, opset=22),
    Case("vision", "volume", Volume, {"x": (f32, [1, 2, 4, 6, 6])}, {"x": [2, 2, 6, 8, 4]}, opset=18),
    Case(
        "vision",
        "grid",
        Grid,
        {"x": (f32, [2, 3, 5, 6]), "shift": (f32, [2, 2, 3])},
        {"x": [4, 3, 5, 6], "shift": [4, 2, 3]},
    ),
    Case("vision", "reader", Ctc, {"x": (f32, [2, 1, 8, 20])}, {"x": [3, 1, 8, 36]}, opset=18),
    Case("text", "encoder", Encoder, {"tokens": (i64, [2, 7])}, {"tokens": [3, 11]}, 50, without="script_open"),
    Case(
        "text",
        "cached",
        Cached,
        {"x": (f32, [2, 1, 16]), "keys": (f32, [2, 4, 5, 4]), "values": (f32, [2, 4, 5, 4])},
        {"x": [3, 1, 16], "keys": [3, 4, 9, 4], "values": [3, 4, 9, 4]},
        opset=18,
    ),
    Case(
        "text",
        "rotary",
        Rotary,
        {"x": (f32, [2, 6, 16])},
        {"x": [1, 9, 16]},
        opset=23,
        without="script_fixed script_open",
    ),
    Case("recurrent", "lstm", Lstm, {"tokens": (i64, [2, 6])}, {"tokens": [4, 9]}, 40, opset=18, without="dynamo_open"),
    Case(
        "recurrent",
        "gru",
        Gru,
        {"x": (f32, [2, 5, 6]), "state": (f32, [1, 2, 10])},
        {"x": [3, 8, 6], "state": [1, 3, 10]},
        opset=22,
        without="dynamo_open",
    ),
    Case("detection", "detector", Detector, {"x": (f32, [2, 3, 16, 16])}, {"x": [1, 3, 20, 12]}, opset=18),
    Case(
        "detection",
        "scatter",
        Scatter,
        {"x": (f32, [9, 4]), "places": (i64, [5])},
        {"x": [11, 4], "places": [7]},
        9,
        opset=18,
    ),
    Case(
        "audio",
        "spectrum",
        Spectrum,
        {"sound": (f32, [2, 160])},
        {"sound": [3, 256]},
        opset=20,
        without="script_fixed script_open",
    ),
    Case(
        "arithmetic", "numbers", Numbers, {"x": (f32, [4, 7]), "n": (i64, [6])}, {"x": [3, 9], "n": [8]}, 12, opset=18
    ),
    Case("arithmetic", "piecewise", Piecewise, {"x": (f32, [2, 3, 4])}, {"x": [3, 3, 6]}, opset=22),
    Case("control flow", "branch", Branch, {"x": (f32, [3, 4])}, {"x": [2, 4]}, without="script_fixed script_open"),
    Case(
        "control flow",
        "loop",
        ScriptedLoop,
        {"x": (f32, [3, 4]), "count": (i64, [])},
        {"x": [5, 4], "count": []},
        6,
        without="dynamo_fixed dynamo_open",
        scripted=True,
    ),
    Case(
        "sequences",
        "list",
        ScriptedList,
        {"x": (f32, [3, 4])},
        {"x": [5, 4]},
        without="dynamo_fixed dynamo_open",
        scripted=True,
    ),
)


def models(seed: int) -> Iterator[GivenModel]:
    for case in CASES:
        for exporter in ("dynamo", "script"):
            for is_open in (False, True):
                kind = "open" if is_open else "fixed"
                if f"{exporter}_{kind}" in case.without.split():
                    continue
                name = f"torch_{case.name}_{exporter}_{kind}"
                random = generator_of(seed, name)
                sizes = [{key: item[1] for key, item in case.inputs.items()}]
                sizes += [case.other] if is_open else []
                feeds = [draw(case, random, size) for size in sizes]
                yield GivenModel(case.family, name, export(case, exporter, is_open, feeds[0]), tuple(feeds))


def draw(case: Case, random: np.random.Generator, sizes: dict[str, list[int]]) -> Feeds:
    found: Feeds = {}
    for name, (dtype, _) in case.inputs.items():
        if dtype.is_floating_point:
            found[name] = random.standard_normal(sizes[name]).astype(np.float32)
        else:
            found[name] = np.asarray(random.integers(0, case.below, sizes[name]), np.int64)
    return found


def export(case: Case, exporter: str, is_open: bool, feeds: Feeds) -> onnx.ModelProto:
    torch.manual_seed(0)
    torch.backends.mha.set_fastpath_enabled(False)  # which the older exporter does not know
    module: Any = case.make().eval()
    args = tuple(torch.from_numpy(value) for value in feeds.values())
    # Axes whose sizes the second draw changes; equal changes share a name.
    axes = {
        name: {axis: f"d{a}_{b}" for axis, (a, b) in enumerate(zip(item[1], case.other[name], strict=True)) if a != b}
        for name, item in case.inputs.items()
    }
    if exporter == "dynamo":
        shapes = None
        if is_open:
            shapes = tuple(dict.fromkeys(item, torch.export.Dim.DYNAMIC) for item in axes.values())
        return exported(
            module, args, dynamo=True, dynamic_shapes=shapes, opset_version=case.opset, input_names=list(feeds)
        )
    if case.scripted:
        module = torch.jit.script(module)
    old = {"dynamic_axes": axes} if is_open else {}
    return exported(module, args, dynamo=False, opset_version=min(case.opset, 20), input_names=list(feeds), **old)


def exported(module: Any, args: tuple[Any, ...], **options: Any) -> onnx.ModelProto:
    """The model without what the exporters print."""
    logging.disable(logging.WARNING)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), torch.no_grad():
        warnings.simplefilter("ignore")
        if options["dynamo"]:
            return torch.onnx.export(module, args, verbose=False, **options).model_proto
        target = io.BytesIO()
        torch.onnx.export(module, args, target, **options)
    return onnx.load_from_string(target.getvalue())
