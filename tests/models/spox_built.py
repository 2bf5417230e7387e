"""Models built with spox."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import spox.opset.ai.onnx.ml.v3 as ml
import spox.opset.ai.onnx.v17 as op17
import spox.opset.ai.onnx.v18 as op18
import spox.opset.ai.onnx.v19 as op19
import spox.opset.ai.onnx.v21 as op21
from onnx import ModelProto
from spox import Tensor, Var, argument, build, inline

from tests.models.model import Feeds, GivenModel, drawn, generator_of

f32, i64 = np.float32, np.int64


def newton() -> ModelProto:
    """The square root of each element by a loop that stops when it is near enough."""
    x = argument(Tensor(f32, ("N",)))

    def step(_: Var, __: Var, guess: Var) -> list[Var]:
        better = op17.mul(op17.add(guess, op17.div(x, guess)), op17.const(0.5, f32))
        far = op17.reduce_max(op17.abs(op17.sub(better, guess)), keepdims=True)
        return [op17.greater(far, op17.const(1e-4, f32)), better]

    (root,) = op17.loop(
        op17.const(np.array([40])),
        op17.const(np.array([True])),
        [op17.add(op17.abs(x), op17.const(1.0, f32))],
        body=step,
    )
    return build({"x": x}, {"root": root})


def running() -> ModelProto:
    """An exponential average by `Loop`, with two states, and what it collects."""
    x = argument(Tensor(f32, ("T", 3)))
    start = argument(Tensor(f32, (3,)))

    def step(index: Var, __: Var, mean: Var, count: Var) -> list[Var]:
        row = op18.gather(x, op18.reshape(index, op18.const(np.array([], i64))))
        new = op18.add(op18.mul(mean, op18.const(0.9, f32)), op18.mul(row, op18.const(0.1, f32)))
        return [op18.const(np.array([True])), new, op18.add(count, op18.const(1.0, f32)), op18.sub(row, new)]

    trips = op18.shape(x, start=0, end=1)
    mean, count, rest = op18.loop(trips, op18.const(np.array([True])), [start, op18.const(0.0, f32)], body=step)
    return build({"x": x, "start": start}, {"mean": mean, "count": count, "rest": rest})


def nested() -> ModelProto:
    """Branches in branches that read outer values."""
    x = argument(Tensor(f32, ("N", 4)))
    deep = argument(Tensor(np.bool_, ()))
    total = op19.reduce_sum(x, keepdims=False)

    def inner() -> list[Var]:
        return op19.if_(
            op19.greater(total, op19.const(0.0, f32)),
            then_branch=lambda: [op19.add(x, total)],
            else_branch=lambda: [op19.relu(op19.sub(x, total))],
        )

    (y,) = op19.if_(deep, then_branch=inner, else_branch=lambda: [op19.identity(x)])
    return build({"x": x, "deep": deep}, {"y": y})


def sequence() -> ModelProto:
    """Parts of a tensor in a sequence, changed by `SequenceMap` and put together."""
    x = argument(Tensor(f32, ("N", 2)))
    parts = op17.split_to_sequence(x, op17.const(2), axis=0)
    (done,) = op17.sequence_map(parts, [], body=lambda part: [op17.softmax(part, axis=1)])
    longer = op17.sequence_insert(done, op17.neg(x))
    return build({"x": x}, {"y": op17.concat_from_sequence(longer, axis=0), "count": op17.sequence_length(longer)})


def optional() -> ModelProto:
    x = argument(Tensor(f32, ("N",)))
    box = op18.optional(x)
    (y,) = op18.if_(
        op18.optional_has_element(box),
        then_branch=lambda: [op18.mul(op18.optional_get_element(box), op18.const(2.0, f32))],
        else_branch=lambda: [x],
    )
    return build({"x": x}, {"y": op18.reshape(y, op18.const(np.array([-1])))})


def words() -> ModelProto:
    """Strings: normalised, encoded, looked up."""
    text = argument(Tensor(np.str_, ("N",)))
    plain = op18.string_normalizer(text, case_change_action="LOWER", locale="C")
    code = ml.label_encoder(plain, keys_strings=["red", "blue"], values_int64s=[7, 8], default_int64=-1)
    return build({"text": text}, {"code": code, "known": op18.greater(code, op18.const(0))})


def boxes() -> ModelProto:
    """What stands behind a detector: the best of overlapping boxes, gathered."""
    box = argument(Tensor(f32, (1, "B", 4)))
    score = argument(Tensor(f32, (1, 2, "B")))
    sized = op18.abs(box)
    kept = op18.non_max_suppression(sized, score, op18.const(np.array([3])), op18.const(np.array([0.5], f32)))
    place = op18.cast(op18.concat([op18.gather(kept, op18.const(np.array([0, 2])), axis=1)], axis=1), to=i64)
    return build({"box": box, "score": score}, {"kept": kept, "boxes": op18.gather_nd(sized, place)})


def sound() -> ModelProto:
    """Frames under a window, their Fourier transforms, and bands of mel."""
    signal = argument(Tensor(f32, (1, "T", 1)))
    window = op17.hann_window(op17.const(32))
    found = op17.stft(signal, op17.const(16), window=window, frame_length=op17.const(32))
    power = op17.reduce_sum(op17.mul(found, found), op17.const(np.array([3])), keepdims=False)
    bands = op17.mel_weight_matrix(
        op17.const(6), op17.const(32), op17.const(8000), op17.const(0.0, f32), op17.const(4000.0, f32)
    )
    mel = op17.log(op17.add(op17.matmul(power, bands), op17.const(1e-3, f32)))
    return build({"signal": signal}, {"mel": op17.reshape(mel, op17.const(np.array([-1, 6])))})


def newer() -> ModelProto:
    """Operators that came late: group normalisation, quantised blocks, types of four bits aside."""
    x = argument(Tensor(f32, ("N", 4, "W")))
    scale, bias = op21.const(np.arange(1, 5, dtype=f32)), op21.const(np.zeros(4, f32))
    y = op21.group_normalization(x, scale, bias, num_groups=2)
    low = op21.quantize_linear(y, op21.const(0.05, f32), op21.const(0, np.int8))
    back = op21.dequantize_linear(low, op21.const(0.05, f32), op21.const(0, np.int8))
    flat = op21.const(np.array([-1]))
    given = {"y": op21.reshape(op21.gelu(back), flat), "low": op21.reshape(low, flat), "shape": op21.shape(x, start=1)}
    return build({"x": x}, given)


def within() -> ModelProto:
    """A model that holds another one, inlined twice."""
    x = argument(Tensor(f32, ("N",)))
    (first,) = inline(newton())(x).values()
    (second,) = inline(newton())(first).values()
    return build({"x": x}, {"y": op17.sub(second, first)})


SIZES: dict[str, tuple[dict[str, int], ...]] = {
    "newton": ({"N": 5}, {"N": 1}),
    "running": ({"T": 6}, {"T": 1}),
    "nested": ({"N": 3}, {"N": 2}),
    "sequence": ({"N": 6}, {"N": 3}),
    "optional": ({"N": 4},),
    "boxes": ({"B": 12}, {"B": 3}),
    "sound": ({"T": 160}, {"T": 96}),
    "newer": ({"N": 2, "W": 6}, {"N": 3, "W": 2}),
    "within": ({"N": 5},),
}
BUILDERS: tuple[Any, ...] = (newton, running, nested, sequence, optional, boxes, sound, newer, within)


def models(seed: int) -> Iterator[GivenModel]:
    for make in BUILDERS:
        name = f"spox_{make.__name__}"
        model, random = make(), generator_of(seed, name)
        yield GivenModel("spox", name, model, tuple(drawn(model, random, sizes) for sizes in SIZES[make.__name__]))
    given: Feeds = {"text": np.array(["red", "the", "blue", "green"], object)}
    yield GivenModel("spox", "spox_words", words(), (given,))
