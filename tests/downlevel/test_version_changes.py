"""Every version of every operator since opset 7, down and up: the same, by a rule or refused, and no two of them.

`version_changes.txt` lists them all. What is the same needs nothing but types, attributes and inputs that both versions
have. A rule rewrites nodes, or says which of them stay; each has examples here, which are taken over the version and
run before and after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import defs, shape_inference
from opwright.diagnostics import Diagnostic, DiagnosticError
from opwright.opsets.records import record_of
from opwright.opsets.signatures import history
from opwright.opsets.steps import OLDEST_ALONE

from tests.downlevel.conversions import OPSETS, Judgement, Outcome, converted, judged
from tests.shares import one_in

GOLDEN = Path(__file__).with_name("version_changes.txt")
NEWEST = OPSETS[-1]
SAME = (Outcome.SAME_ON_ORT, Outcome.ROUNDED, Outcome.SAME_ON_REFERENCE)
IMAGE = "float[2,3,4,4] x"
PAIR = "float[2,3] x, float[2,3] w"
# RoiAlign 10 and 16 are not on the reference evaluator, and onnxruntime runs no opset from 27 on.
NOT_RUN = {("RoiAlign", "output_half_pixel")}


@dataclass(frozen=True, slots=True)
class Example:
    """Nodes that give y, of the opsets `first` to `last`."""

    nodes: str
    first: int = OLDEST_ALONE
    last: int = NEWEST
    inputs: str = IMAGE
    constants: str = ""

    def model(self, opset: int) -> onnx.ModelProto:
        head = f'<ir_version: 8, opset_import: ["": {opset}]> g ({self.inputs}) => (float[Any] y)'
        constants = f"<{self.constants}>" if self.constants else ""
        model = onnx.parser.parse_model(f"{head} {constants} {{ {self.nodes} }}")
        model.graph.output[0].ClearField("type")
        return shape_inference.infer_shapes(model, strict_mode=True)

    def values(self) -> list[Any]:
        random = np.random.default_rng(7)
        found = []
        for info in self.model(self.first).graph.input:
            kind = info.type.tensor_type
            dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
            shape = [size.dim_value for size in kind.shape.dim]
            whole = random.integers(0, 9, shape) if dtype.kind in "iu" else random.standard_normal(shape)
            found.append(whole.astype(dtype))
        return found


def _reduction(name: str) -> list[Example]:
    moved = 13 if name == "ReduceSum" else 18
    return [
        Example(f"y = {name}<axes = [1], keepdims = 0>(x)", last=moved - 1),
        Example(f"y = {name}(x)"),
        Example(f"y = {name}<axes = [0, -1]>(x)", 11, moved - 1),
        Example(f"y = {name}(x, a)", moved, constants="int64[2] a = {2, 1}"),
        Example(f"y = {name}<noop_with_empty_axes = 1>(x, a)", moved, constants="int64[2] a = {-2, 1}"),
    ]


def _over_axes(name: str) -> list[Example]:
    return [
        Example(f"y = {name}<axis = 3>(x)"),
        Example(f"y = {name}<axis = -1>(x)", 11),
        Example(f"y = {name}(x)", last=12),
        Example(f"y = {name}<axis = 2>(x)", last=12),
    ]


_RESIZED = "float[0] r = {}, float[4] s = {1.0, 1.0, 2.0, 1.5}, int64[4] z = {2, 3, 7, 5}"
_ROIS = "float[1,4] r = {0.0, 0.0, 3.0, 3.0}, int64[1] b = {1}"
EXAMPLES: dict[str, list[Example]] = {
    **{name: _reduction(name) for name in ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax",
                                          "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare")},
    **{name: _over_axes(name) for name in ("Hardmax", "LogSoftmax", "Softmax")},
    **{name: [Example(f"y = {name}<axis = 1>(x)"), Example(f"y = {name}<axis = -1>(x)", 11)]
       for name in ("ArgMax", "ArgMin")},
    **{name: [Example(f"y = {name}(x, w)", inputs=PAIR)] for name in ("Max", "Mean", "Min", "Sum")},
    **{name: [Example(f"y = {name}<reduction = \"add\">(x, {i}, {u})", 16, constants=f"{t}")]
       for name, i, u, t in (
           ("ScatterElements", "i", "u", "int64[1,1,1,2] i = {1, 0}, float[1,1,1,2] u = {7.0, 8.0}"),
           ("ScatterND", "i", "u", "int64[2,4] i = {0,0,0,0,1,1,1,1}, float[2] u = {7.0, 8.0}"))},
    "Attention": [Example("y = Attention(q, k, v)", 23,
                          inputs="float[1,2,3,4] q, float[1,2,5,4] k, float[1,2,5,4] v")],
    "AveragePool": [Example("y = AveragePool<kernel_shape = [2, 2], pads = [0, 1, 1, 0]>(x)")],
    "BatchNormalization": [Example("y = BatchNormalization(x, o, o, o, o)", constants="float[3] o = {1.0, 2.0, 3.0}"),
                           Example("y = BatchNormalization<spatial = 1>(x, o, o, o, o)", last=8,
                                   constants="float[3] o = {1.0, 2.0, 3.0}")],
    "BitShift": [Example('y = BitShift<direction = "LEFT">(b, s)', 11, inputs="uint8[4] b", constants="uint8 s = {7}")],
    "Cast": [Example("y = Cast<to = 11>(x)"), Example("y = Cast<to = 6, saturate = 1>(x)", 19)],
    "CastLike": [Example("y = CastLike(x, t)", 15, constants="double t = {0.0}")],
    "Clip": [Example("y = Clip<min = -0.5, max = 0.25>(x)", last=10), Example("y = Clip<max = 0.25>(x)", last=10),
             Example("y = Clip(x, a, b)", 11, constants="float a = {-0.5}, float b = {0.25}")],
    "Compress": [Example("y = Compress<axis = -3>(x, c)", 11, constants="bool[3] c = {1, 0, 1}")],
    "Concat": [Example("y = Concat<axis = -2>(x, x)", 11)],
    "Constant": [Example("c = Constant<value_floats = [1.0, 2.0, 3.0, 4.0]>() y = Add(x, c)", 12),
                 Example("c = Constant<value_ints = [0, -1]>() y = Reshape(x, c)", 12),
                 Example("c = Constant<value_float = 0.1>() y = Mul(x, c)", 12),
                 Example('y = Constant<value_string = "é">()', 12), Example("y = Constant<value_int = 7>()", 12)],
    "ConvTranspose": [Example("y = ConvTranspose<strides = [2, 2]>(x, w)", inputs=f"{IMAGE}, float[3,2,2,2] w")],
    "DFT": [Example("y = DFT(s)", 17, 19, inputs="float[2,5,4,1] s"),
            Example("y = DFT<axis = -2, onesided = 1>(s, n)", 17, 19, "float[2,5,4,1] s", "int64 n = {6}"),
            Example("y = DFT(s, , a)", 20, inputs="float[2,5,4,1] s", constants="int64 a = {-3}")],
    "DequantizeLinear": [Example("y = DequantizeLinear(q, s, z)", 10, inputs="uint8[9] q",
                                 constants="float s = {0.3}, uint8 z = {3}")],
    "Dropout": [Example("y = Dropout<ratio = 0.3>(x)", last=11), Example("y = Dropout(x)"),
                Example("y = Dropout(x, r, t)", 12, constants="float r = {0.3}, bool t = {0}")],
    "Flatten": [Example("y = Flatten<axis = -1>(x)", 11)],
    "Gather": [Example("y = Gather<axis = -1>(x, i)", 11, constants="int64[2] i = {3, 0}")],
    "GridSample": [Example('y = GridSample<mode = "bicubic">(x, g)', 16, 19, f"{IMAGE}, float[2,2,3,2] g"),
                   Example("y = GridSample(x, g)", 16, 19, f"{IMAGE}, float[2,2,3,2] g"),
                   Example('y = GridSample<mode = "cubic">(x, g)', 20, inputs=f"{IMAGE}, float[2,2,3,2] g")],
    "Identity": [Example("s = SequenceConstruct(x, x) t = Identity(s) y = SequenceAt(t, k)", 14,
                         constants="int64 k = {1}")],
    "If": [Example("t = ReduceMax<keepdims = 0>(x) c = Cast<to = 9>(t) "
                   "y = If (c) <then_branch = p () => (float[2,3,4,4] r) { r = Relu(x) }, "
                   "else_branch = q () => (float[2,3,4,4] s) { s = Neg(x) }>")],
    "MaxPool": [Example("y = MaxPool<kernel_shape = [2, 2]>(x)")],
    "Mod": [Example("y = Mod<fmod = 1>(x, w)", 10, inputs=PAIR)],
    "OneHot": [Example("y = OneHot(i, d, v)", 9, inputs="float[2] v",
                       constants="int64[3] i = {0, 9, 2}, int64 d = {4}")],
    "Pad": [Example("y = Pad<pads = [0, 0, 1, -1, 0, 0, 2, 1], value = 1.5>(x)", last=10),
            Example('y = Pad<pads = [0, 0, 1, 1, 0, 0, 2, 1], mode = "reflect">(x)', last=10),
            Example("y = Pad(x, p, v)", 11, constants="int64[8] p = {0, 1, 0, 0, 0, 0, 2, -1}, float v = {0.1}"),
            Example('y = Pad<mode = "edge">(x, p)', 11, constants="int64[8] p = {0, 1, 0, 0, 0, 0, 2, 1}")],
    "QuantizeLinear": [Example("y = QuantizeLinear(x, s, z)", 10, constants="float s = {0.3}, int8 z = {3}"),
                       Example("y = QuantizeLinear<output_dtype = 3>(x, s, z)", 21,
                               constants="float s = {0.3}, int8 z = {3}")],
    "Reshape": [Example("y = Reshape<allowzero = 1>(x, s)", 14, constants="int64[2] s = {4, 24}"),
                Example("y = Reshape<allowzero = 1>(x, s)", 14, constants="int64[2] s = {-1, 24}")],
    "Resize": [Example('y = Resize<mode = "linear">(x, s)', 10, 10, constants=_RESIZED),
               Example("y = Resize(x, s)", 10, 10, constants=_RESIZED),
               Example('y = Resize<mode = "linear">(x, r, s)', 11, constants=_RESIZED),
               Example('y = Resize<mode = "cubic">(x, , , z)', 13, constants=_RESIZED),
               Example('y = Resize<coordinate_transformation_mode = "asymmetric">(x, , s)', 13, constants=_RESIZED)],
    "RoiAlign": [Example("y = RoiAlign(x, r, b)", 10, 15, constants=_ROIS),
                 Example('y = RoiAlign<coordinate_transformation_mode = "output_half_pixel">(x, r, b)', 16,
                         constants=_ROIS)],
    "Scatter": [Example("y = Scatter<axis = 3>(x, i, u)", 9, 10,
                        constants="int64[1,1,1,2] i = {3, 1}, float[1,1,1,2] u = {7.0, 8.0}")],
    "Shape": [Example("y = Shape<start = 1>(x)", 15), Example("y = Shape<start = -2, end = 9>(x)", 15)],
    "Slice": [Example("y = Slice<starts = [1, -9], ends = [9, -1], axes = [1, 3]>(x)", last=9),
              Example("y = Slice<starts = [1], ends = [9]>(x)", last=9),
              Example("y = Slice(x, s, e)", 10, constants="int64[2] s = {1, -3}, int64[2] e = {9, -1}"),
              Example("y = Slice(x, s, e, a)", 11,
                      constants="int64[2] s = {1, -3}, int64[2] e = {9, -1}, int64[2] a = {1, -1}")],
    "Split": [Example("a, y = Split<axis = -1>(x)", 11, 17),
              Example("a, y = Split<axis = 1, split = [1, 2]>(x)", last=12),
              Example("a, y = Split<axis = 1>(x, p)", 13, constants="int64[2] p = {1, 2}"),
              Example("a, y = Split<axis = 3, num_outputs = 2>(x)", 18)],
    "Squeeze": [Example("y = Squeeze<axes = [2]>(x)", last=12, inputs="float[2,3,1] x"),
                Example("y = Squeeze<axes = [-1]>(x)", 11, 12, inputs="float[2,3,1] x"),
                Example("y = Squeeze(x, a)", 13, inputs="float[2,3,1] x", constants="int64[1] a = {-1}"),
                Example("y = Squeeze(x)", inputs="float[2,3,1] x")],
    "TopK": [Example("y, i = TopK<k = 2>(x)", last=9),
             Example("y, i = TopK<axis = 1>(x, k)", 10, constants="int64[1] k = {2}")],
    "Unsqueeze": [Example("y = Unsqueeze<axes = [2, 0]>(x)", last=12), Example("y = Unsqueeze<axes = [-1]>(x)", 11, 12),
                  Example("y = Unsqueeze(x, a)", 13, constants="int64[2] a = {-1, 0}")],
    "Upsample": [Example('y = Upsample<scales = [1.0, 1.0, 2.0, 1.5], mode = "linear">(x)', last=8),
                 Example("y = Upsample<scales = [1.0, 1.0, 2.0, 1.5]>(x)", last=8),
                 Example("y = Upsample(x, s)", 9, 9, constants=_RESIZED)],
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """A version of an operator, taken from the one before or back to it."""

    operator: str
    version: int
    down: bool

    @property
    def opsets(self) -> tuple[int, int]:
        return (self.version, self.version - 1) if self.down else (self.version - 1, self.version)


def changes() -> Iterator[Change]:
    """Every one that onnx knows, from its own list of schemas."""
    found = {(schema.name, schema.since_version) for schema in defs.get_all_schemas_with_history() if not schema.domain}
    for name, version in sorted(found):
        if version > OLDEST_ALONE and version > history("", name)[0]:
            yield Change(name, version, True)
            yield Change(name, version, False)


def rule_of(change: Change) -> object:
    step = record_of("", change.operator).steps.get(change.version)
    return None if step is None else step.down if change.down else step.up


@cache
def taken(change: Change) -> tuple[tuple[str, Judgement | str], ...]:
    """What became of each example, with its nodes: a judgement, or the reason for which it was refused."""
    before, after = change.opsets
    found: list[tuple[str, Judgement | str]] = []
    for example in EXAMPLES.get(change.operator, ()):
        if example.first <= before <= example.last:
            model = example.model(before)
            try:
                done = converted(model, after)
            except DiagnosticError as error:
                found.append((example.nodes, error.diagnostics[0].reason))
            else:
                found.append((example.nodes, judged(model, done, [example.values()])))
    return tuple(found)


def class_of(change: Change) -> str:
    record = record_of("", change.operator)
    assert (change.version in record.reviewed) != (change.version in record.changed), change
    if change.version in record.changed:
        return "refused"
    if rule_of(change) is None:
        return "same"
    return "by rule" if any(isinstance(item, Judgement) for _, item in taken(change)) else "refused"


def test_each_version_of_each_operator_is_of_one_class(golden: Callable[[Path, str], None]) -> None:
    every = list(changes())
    assert len(every) > 700
    width = max(len(change.operator) for change in every)
    lines = [
        f"{down.operator.ljust(width)} {down.version:3}  down {class_of(down).ljust(7)}  up {class_of(up)}"
        for down, up in zip(every[::2], every[1::2], strict=True)
    ]
    golden(GOLDEN, "\n".join(lines) + "\n")


@pytest.mark.parametrize("operator", one_in(5, sorted(EXAMPLES)))
def test_what_rules_take_computes_the_same(operator: str) -> None:
    """Over each version that has a rule, and from each opset of an example to all others."""
    ruled = [change for change in changes() if change.operator == operator and rule_of(change) is not None]
    assert ruled
    for change in ruled:
        for nodes, item in taken(change):
            if isinstance(item, Judgement):
                assert item.outcome in SAME or any(part in nodes for _, part in NOT_RUN), (change, nodes, item)


@pytest.mark.parametrize("operator", one_in(3, sorted(EXAMPLES)))
def test_far_conversions(operator: str) -> None:
    runs, refused = 0, list[Diagnostic]()
    for example in EXAMPLES[operator]:
        for before in {example.first, min(example.last, 24)}:
            model = example.model(before)
            for after in (7, 9, 10, 12, 13, 17, 18, 21, 24, 28):
                if after == before:
                    continue
                try:
                    done = converted(model, after)
                except DiagnosticError as error:
                    refused.extend(error.diagnostics)
                    continue
                judgement = judged(model, done, [example.values()])
                assert judgement.outcome is not Outcome.DIFFERS, (example.nodes, before, after, judgement)
                runs += judgement.outcome in SAME
    assert runs
    assert all(item.code in ("OW581", "OW582") and item.reason for item in refused)


def test_each_rule_has_an_example_and_each_refusal_a_reason() -> None:
    for change in changes():
        record = record_of("", change.operator)
        if change.version in record.changed:
            assert len(record.changed[change.version]) > 20
        elif rule_of(change) is not None and not _is_deprecated(change):
            assert taken(change), f"no example of {change}"


def _is_deprecated(change: Change) -> bool:
    """Whether no model has nodes of the version that a step begins with."""
    return bool(defs.get_schema(change.operator, change.opsets[0]).deprecated)
