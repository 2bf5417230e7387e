"""What changed when an operator got a new version, as reviewed from the standard's own schemas and texts.

A step leads from one version of an operator to the next, or back. It is listed here when the two compute the same
wherever both schemas admit a node: types, attributes and inputs were added, wording was changed. What a schema does
not show stands as a rule beside it, which may rewrite the node. A step that is not listed is not taken, so a version
that is newer than this table is refused, or left to a function of a library.

`take_step_down` and `take_step_up` take one step of one node; `downlevel` (models) and `lang` (calls that were written
for another opset) bring nodes of their own kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from opwright.elements import BY_CODE, BY_NAME
from opwright.opsets.signatures import Option, Signature

Value = int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...]


class Form(Protocol):
    """A node on its way to another version of its operator."""

    @property
    def inputs(self) -> int:
        """How many inputs are given, absent ones included."""
        ...

    @property
    def outputs(self) -> int: ...

    def element(self, index: int) -> str | None:
        """The element type of an input; None when it is not known, not given, or not a tensor."""

    def rank(self, index: int) -> int | None:
        """The rank of an input, where it is known."""

    def shape(self, index: int) -> tuple[object, ...] | None:
        """The sizes of an input, each an int, a symbol, or None where it is not known; None without a known rank."""

    def has_input(self, index: int) -> bool: ...

    def given(self) -> tuple[str, ...]:
        """The names of the attributes that are given."""
        ...

    def value(self, name: str, default: Value | None = None) -> Value | None:
        """An attribute's value; `default` when it is not given, None when it is not known."""

    def constant(self, index: int) -> tuple[int, ...] | None:
        """The integers that an input always is."""

    def reference(self, index: int) -> str | None:
        """The attribute of the function around, a list of ints that is not empty, that an input always is."""

    def drop(self, name: str) -> None: ...

    def set_attribute(self, name: str, value: Value) -> None: ...

    def set_reference(self, name: str, referred: str) -> None:
        """Has a list of ints be that attribute of the function around."""

    def drop_inputs(self, first: int) -> None:
        """Takes away an input and those behind it, and absent ones at the end with them."""

    def set_integers(self, index: int, values: tuple[int, ...]) -> None:
        """Makes an input of a list of ints."""


OLDEST = 13  # the oldest opset that models are brought to

# Versions (of the default domain) that differ from the one before in what the schemas show, and by RULES.
EXTENDED: Mapping[str, tuple[int, ...]] = {
    "Abs": (6, 13),
    "Acos": (22,),
    "Acosh": (22,),
    "Add": (6, 7, 13, 14),
    "And": (7,),
    "ArgMax": (11, 12, 13),
    "ArgMin": (11, 12, 13),
    "Asin": (22,),
    "Asinh": (22,),
    "Atan": (22,),
    "Atanh": (22,),
    "Attention": (24, 25),
    "AveragePool": (7, 10, 11, 19, 22),
    "BatchNormalization": (6, 9, 14, 15),
    "Bernoulli": (22,),
    "BitShift": (28,),
    "Cast": (9, 13, 19, 21, 23, 24, 25, 28),
    "CastLike": (19, 21, 23, 24, 25),
    "Ceil": (6, 13),
    "Celu": (28,),
    "Clip": (6, 12, 13),
    "Compress": (11, 28),
    "Concat": (4, 11, 13),
    "Constant": (9, 11, 12, 13, 19, 21, 23, 24, 25),
    "ConstantOfShape": (20, 21, 23, 24, 25),
    "Conv": (11, 22),
    "ConvTranspose": (11, 22),
    "Cos": (22,),
    "Cosh": (22,),
    "CumSum": (14,),
    "DFT": (20,),
    "DeformConv": (22,),
    "DepthToSpace": (11, 13, 28),
    "DequantizeLinear": (13, 19, 21, 23, 24, 25, 28),
    "Det": (22,),
    "Div": (6, 7, 13, 14),
    "Dropout": (6, 10, 13, 22),
    "Einsum": (28,),
    "Elu": (6, 22),
    "Equal": (7, 11, 13, 19),
    "Erf": (13,),
    "Exp": (6, 13),
    "Expand": (13,),
    "EyeLike": (22,),
    "Flatten": (9, 11, 13, 21, 23, 24, 25),
    "Floor": (6, 13),
    "GRU": (14, 22),
    "Gather": (11, 13),
    "GatherElements": (13,),
    "GatherND": (12, 13),
    "Gemm": (6, 7, 9, 11, 13),
    "GlobalAveragePool": (22,),
    "GlobalLpPool": (22,),
    "GlobalMaxPool": (22,),
    "Greater": (7, 9, 13),
    "GreaterOrEqual": (16,),
    "GridSample": (20, 22),
    "HardSigmoid": (6, 22),
    "HardSwish": (22,),
    "Hardmax": (11, 13),
    "Identity": (13, 14, 16, 19, 21, 23, 24, 25),
    "If": (11, 13, 16, 19, 21, 23, 24, 25),
    "InstanceNormalization": (6, 22),
    "IsInf": (20,),
    "IsNaN": (13, 20),
    "LRN": (13,),
    "LSTM": (14, 22),
    "LeakyRelu": (6, 16),
    "Less": (7, 9, 13),
    "LessOrEqual": (16,),
    "Log": (6, 13),
    "LogSoftmax": (11, 13),
    "Loop": (11, 13, 16, 19, 21, 23, 24, 25),
    "LpNormalization": (22,),
    "LpPool": (11, 18, 22),
    "MatMul": (9, 13),
    "Max": (6, 8, 12, 13),
    "MaxPool": (8, 10, 11, 12, 22),
    "MaxRoiPool": (22,),
    "MaxUnpool": (11, 22),
    "Mean": (6, 8, 13),
    "MeanVarianceNormalization": (13,),
    "Min": (6, 8, 12, 13),
    "Mish": (22,),
    "Mod": (13, 28),
    "Mul": (6, 7, 13, 14),
    "Multinomial": (22,),
    "Neg": (6, 13),
    "NegativeLogLikelihoodLoss": (13, 22),
    "NonMaxSuppression": (11,),
    "NonZero": (13,),
    "OneHot": (28,),
    "Optional": (28,),
    "OptionalGetElement": (18, 28),
    "OptionalHasElement": (18, 28),
    "Or": (7,),
    "PRelu": (6, 9, 16),
    "Pad": (13, 18, 19, 21, 23, 24, 25),
    "Pow": (7, 12, 13, 15),
    "QLinearMatMul": (21,),
    "QuantizeLinear": (13, 19, 21, 23, 24, 25, 28),
    "RNN": (14, 22),
    "RandomNormal": (22,),
    "RandomNormalLike": (22,),
    "RandomUniform": (22,),
    "RandomUniformLike": (22,),
    "Range": (27,),
    "Reciprocal": (6, 13),
    "ReduceL1": (11, 13, 18),
    "ReduceL2": (11, 13, 18),
    "ReduceLogSum": (11, 13, 18, 28),
    "ReduceLogSumExp": (11, 13, 18, 28),
    "ReduceMax": (11, 12, 13, 18, 20),
    "ReduceMean": (11, 13, 18),
    "ReduceMin": (11, 12, 13, 18, 20),
    "ReduceProd": (11, 13, 18),
    "ReduceSum": (11, 13),
    "ReduceSumSquare": (11, 13, 18),
    "Relu": (6, 13, 14),
    "Reshape": (13, 14, 19, 21, 23, 24, 25),
    "Resize": (13, 18, 19),
    "ReverseSequence": (28,),
    "RoiAlign": (16, 22),
    "Round": (22,),
    "Scan": (11, 16, 19, 21, 23, 24, 25),
    "ScatterElements": (13, 16, 18),
    "ScatterND": (13, 16, 18),
    "Selu": (6, 22),
    "Shape": (13, 15, 19, 21, 23, 24, 25),
    "Sigmoid": (6, 13),
    "Sign": (13,),
    "Sin": (22,),
    "Sinh": (22,),
    "Size": (13, 19, 21, 23, 24, 25),
    "Slice": (11, 13),
    "Softmax": (11, 13),
    "SoftmaxCrossEntropyLoss": (13,),
    "Softplus": (22,),
    "Softsign": (22,),
    "SpaceToDepth": (13, 28),
    "Split": (11, 13, 18),
    "SplitToSequence": (24,),
    "Sqrt": (6, 13),
    "Squeeze": (11, 13, 21, 23, 24, 25),
    "Sub": (6, 7, 13, 14),
    "Sum": (6, 8, 13),
    "Tan": (22,),
    "Tanh": (6, 13),
    "ThresholdedRelu": (22,),
    "Tile": (13,),
    "TopK": (11, 24),
    "Transpose": (13, 21, 23, 24, 25),
    "Unique": (28,),
    "Unsqueeze": (11, 13, 21, 23, 24, 25),
    "Where": (16,),
    "Xor": (7,),
}

# Versions that mean something else than the one before, and what.
CHANGED: Mapping[tuple[str, int], str] = {
    ("BatchNormalization", 7): "it trained unless `is_test` was set before version 7",
    ("Cast", 6): "`to` was the name of a type before version 6",
    ("Clip", 11): "its limits are inputs since version 11, and were attributes before",
    ("Dropout", 7): "it trained unless `is_test` was set before version 7",
    ("Dropout", 12): "`ratio` is an input since version 12, and an input says whether it trains",
    ("GRU", 3): "`direction` had no valid default before version 3, and Y_h could not be left out",
    ("GRU", 7): "`output_sequence` said whether there is a Y before version 7",
    ("GlobalLpPool", 2): "`p` was a float before version 2",
    ("GroupNormalization", 21): "scale and bias belong to channels since version 21, to groups before",
    ("LSTM", 7): "`output_sequence` said whether there is a Y before version 7",
    ("LpPool", 2): "`p` was a float before version 2, and `kernel_shape` might be left out",
    ("OneHot", 11): "negative indices count from the end since version 11, and picked nothing before",
    ("PRelu", 7): "the slope is broadcast since version 7, and belonged to channels before",
    ("Pad", 2): "`pads` was called `paddings` before version 2",
    ("Pad", 11): "pads and value are inputs since version 11, and were attributes before",
    ("RNN", 7): "`output_sequence` said whether there is a Y before version 7",
    ("Reshape", 5): "the shape is an input since version 5, and was an attribute before",
    ("Resize", 11): "version 10 takes scales alone, and places pixels in another way",
    ("Scan", 9): "the first axis was one of batches before version 9",
    ("Scatter", 11): "it is deprecated since version 11: ScatterElements computes the same",
    ("Slice", 10): "starts, ends and axes are inputs since version 10, and were attributes before",
    ("Split", 2): "`split` might be an input, and `axis` had no default before version 2",
    ("Tile", 6): "it repeated along one axis before version 6",
    ("TopK", 10): "`k` is an input since version 10, and was an attribute before",
    ("Upsample", 7): "it had a scale for height and for width before version 7",
    ("Upsample", 9): "scales are an input since version 9, and were an attribute before",
    ("Upsample", 10): "it is deprecated since version 10: Resize takes its place",
}

EXTENDED_ML: Mapping[str, tuple[int, ...]] = {
    "TreeEnsembleClassifier": (3, 5),
    "TreeEnsembleRegressor": (3, 5),
}

# A rule makes a node fit for the version on the other side, or says why it cannot.
Rule = Callable[[Form], str]


@dataclass(frozen=True, slots=True)
class Step:
    """What the schemas do not show of a step: rules for the way down and the way up, None where nothing is against it.

    `up_since`: nodes written for an older version than that never use what the rule for the way up is about.
    """

    down: Rule | None = None
    up: Rule | None = None
    up_since: int = 0


def _both(rule: Rule) -> Step:
    return Step(rule, rule)


def _refused(reason: str) -> Rule:
    return lambda form: reason


def _one_of(attribute: str, default: str, allowed: tuple[str, ...]) -> Rule:
    def rule(form: Form) -> str:
        value = form.value(attribute, default)
        return "" if value in allowed else f"its {attribute} is {value}"

    return rule


def _no_ceiling(form: Form) -> str:
    # With ceil_mode, windows that start in the padding behind the input were counted once and are not any more.
    return "" if form.value("ceil_mode", 0) == 0 else "its ceil_mode is set"


def _axes_as_attribute(form: Form) -> str:
    """`axes` is an input of the newer version. For reductions no axes mean all of them, unless `noop_with_empty_axes`
    is set."""
    noop = form.value("noop_with_empty_axes", 0)
    axes, referred = (form.constant(1), form.reference(1)) if form.has_input(1) else ((), None)
    if axes is None and referred is None:
        return "its axes are computed, or may be empty, and were an attribute before"
    if noop != 0 and not axes:
        return "its noop_with_empty_axes is set"
    form.drop("noop_with_empty_axes")
    form.drop_inputs(1)
    if referred is not None:
        form.set_reference("axes", referred)
    elif axes:
        form.set_attribute("axes", axes)
    return ""


def _axes_as_input(form: Form) -> str:
    return _as_input(form, "axes")


def _as_input(form: Form, name: str) -> str:
    """A list of ints that is the second input of the newer version."""
    if name not in form.given():
        return ""
    values = form.value(name)
    if not isinstance(values, tuple):
        return f"its {name} are an attribute that is not known, and an input since"
    whole = tuple(item for item in values if isinstance(item, int))
    form.drop(name)
    form.set_integers(1, whole)
    return ""


def _parts_as_attribute(form: Form) -> str:
    """Split: the sizes of the parts are an input since 13."""
    if not form.has_input(1):
        return ""
    sizes, referred = form.constant(1), form.reference(1)
    if sizes is None and referred is None:
        return "the sizes of its parts are computed, and were an attribute before"
    form.drop_inputs(1)
    if referred is not None:
        form.set_reference("split", referred)
    elif sizes is not None:
        form.set_attribute("split", sizes)
    return ""


def _parts_as_input(form: Form) -> str:
    return _as_input(form, "split")


def _parts_counted(form: Form) -> str:
    """Split: without sizes the parts were as many as the outputs before 18, which must be said since."""
    if not form.has_input(1):
        form.set_attribute("num_outputs", form.outputs)
    return ""


def _axis_forwards(form: Form, default: int | None = None) -> str:
    """Axes may be counted from the end since 11."""
    axis = form.value("axis", default)
    if not isinstance(axis, int):
        return "its axis is not known, and might not be counted from the end before" if axis is None else ""
    if axis >= 0:
        return ""
    rank = form.rank(0)
    if rank is None:
        return "its axis is counted from the end, which it could not be before, and the rank is not known"
    form.set_attribute("axis", axis + rank)
    return ""


def _axes_forwards(form: Form) -> str:
    axes, rank = form.value("axes", ()), form.rank(0)
    if not isinstance(axes, tuple):
        return "its axes are not known, and might not be counted from the end before"
    whole = [item for item in axes if isinstance(item, int)]
    if all(item >= 0 for item in whole):
        return ""
    if rank is None:
        return "its axes are counted from the end, which they could not be before, and the rank is not known"
    form.set_attribute("axes", tuple(item % rank for item in whole))
    return ""


def _unsqueezed_forwards(form: Form) -> str:
    axes, rank = form.value("axes", ()), form.rank(0)
    if not isinstance(axes, tuple):
        return "its axes are not known, and might not be counted from the end before"
    whole = [item for item in axes if isinstance(item, int)]
    if all(item >= 0 for item in whole):
        return ""
    if rank is None:
        return "its axes are counted from the end, which they could not be before, and the rank is not known"
    form.set_attribute("axes", tuple(item % (rank + len(whole)) for item in whole))
    return ""


def _inputs_forwards(form: Form, *indices: int) -> str:
    """Inputs that are counted from the end where they are negative, since 11."""
    for index in indices:
        if form.has_input(index):
            found = form.constant(index)
            if found is None or any(item < 0 for item in found):
                return "what it picks may be counted from the end, which it could not be before"
    return ""


def _picked_forwards(form: Form) -> str:
    return _inputs_forwards(form, 1) or _axis_forwards(form, 0)


def _slice_forwards(form: Form) -> str:
    return _inputs_forwards(form, 3)


def _last_axis_down(form: Form) -> str:
    """Softmax and its like: over one axis since 13, over all from that one on before. The last axis is the same."""
    return _last_axis(form, -1, "it is taken over one axis, and was over all from that one on before")


def _last_axis_up(form: Form) -> str:
    return _last_axis(form, 1, "it is taken over all axes from one on, and over that one alone since")


def _last_axis(form: Form, default: int, reason: str) -> str:
    axis, rank = form.value("axis", default), form.rank(0)
    if not isinstance(axis, int) or (axis != -1 and (rank is None or axis % max(rank, 1) != rank - 1)):
        return f"{reason}; that is the same for the last axis only"
    form.set_attribute("axis", axis)
    return ""


def _one_shape(form: Form) -> str:
    """Operands are broadcast by numpy's rules since 7 (Sum and its like: 8)."""
    shapes = [form.shape(index) for index in range(form.inputs)]
    first = shapes[0]
    if first is None or None in first or any(shape != first for shape in shapes):
        return "its operands are not known to have one shape, and were not broadcast before"
    return ""


def _not_broadcast(form: Form) -> str:
    if form.value("broadcast", 0) != 0:
        return "its broadcast is set, and lays one operand over other axes than numpy does"
    form.drop("broadcast")
    form.drop("axis")
    return ""


def _drops(name: str) -> Rule:
    """An attribute that says nothing any more."""

    def rule(form: Form) -> str:
        form.drop(name)
        return ""

    return rule


def _spatial(form: Form) -> str:
    if form.value("spatial", 1) != 1:
        return "its spatial is not set, and always is since"
    form.drop("spatial")
    return ""


def _one_output(form: Form) -> str:
    return "" if form.outputs == 1 else "it has several outputs, which are other ones there"


def _limits_given(form: Form) -> str:
    """Clip: a limit that was left out is the greatest float since 6, so that infinities are clipped."""
    return "" if {"min", "max"} <= set(form.given()) else "one of its limits is left out"


def _axis_one(form: Form) -> str:
    """Concat: the axis must be given since 4."""
    if "axis" not in form.given():
        form.set_attribute("axis", 1)
    return ""


def _one_scale(form: Form) -> str:
    """DequantizeLinear and QuantizeLinear: one scale for all elements before 13."""
    if form.rank(1) != 0:
        return "it is not known to have one scale, which has to be of rank 0 before"
    form.drop("axis")
    return ""


def _cast_to_plain(form: Form) -> str:
    """`saturate` and `round_mode` are about float8; what they mean there was put otherwise in version 24."""
    target = form.value("to")
    element = BY_CODE.get(target) if isinstance(target, int) else None
    if element is None or element.name.startswith("float8"):
        return "it casts to a type of eight bits" if element is not None else "its `to` is not known"
    form.drop("saturate")
    form.drop("round_mode")
    return ""


def _cast_no_float8(form: Form) -> str:
    target = form.value("to")
    element = BY_CODE.get(target) if isinstance(target, int) else None
    if element is None or element.name.startswith("float8"):
        return "it casts to a type of eight bits" if element is not None else "its `to` is not known"
    return ""


def _like_no_float8(form: Form) -> str:
    element = form.element(1)
    unfit = element is None or element.startswith("float8")
    return f"the type that it casts to is {element or 'not known'}" if unfit else ""


def _like_plain(form: Form) -> str:
    element = form.element(1)
    if element is None or element.startswith("float8"):
        return f"the type that it casts to is {element or 'not known'}"
    form.drop("saturate")
    form.drop("round_mode")
    return ""


def _output_dtype(form: Form) -> str:
    """QuantizeLinear: the output has the type of the zero point, uint8 without one; `output_dtype` may repeat that."""
    given = form.value("output_dtype", 0)
    element = form.element(2) if form.has_input(2) else "uint8"
    if given == 0 or (element is not None and given == BY_NAME[element].code):
        form.drop("output_dtype")
        return ""
    return "its output_dtype differs from the type of its zero point"


def _saturate_no_float8(form: Form) -> str:
    element = form.element(2) if form.has_input(2) else "uint8"
    if element is not None and not element.startswith("float8"):
        form.drop("saturate")
    return ""


def _planar_grid(form: Form) -> str:
    """GridSample: only images before 20, and the modes had other names."""
    if form.rank(0) != 4:
        return f"its input is not known to have rank 4 ({form.rank(0) or 'unknown'})"
    older = {"linear": "bilinear", "nearest": "nearest", "cubic": "bicubic"}
    mode = form.value("mode", "linear")
    if mode not in older:
        return f"its mode is {mode}"
    form.set_attribute("mode", older[str(mode)])
    return ""


_MODES = {"bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}


def _modes_renamed(form: Form) -> str:
    mode = form.value("mode", "bilinear")
    if not isinstance(mode, str) or mode not in _MODES:
        return f"its mode is {mode}"
    form.set_attribute("mode", _MODES[mode])
    return ""


def _roi_shifted(form: Form) -> str:
    form.set_attribute("coordinate_transformation_mode", "output_half_pixel")
    return ""


def _roi_not_shifted(form: Form) -> str:
    """RoiAlign: what was the only way before 16 is a mode now, and not the default one."""
    if form.value("coordinate_transformation_mode", "half_pixel") != "output_half_pixel":
        return "its coordinate_transformation_mode is not output_half_pixel, the only one before"
    form.drop("coordinate_transformation_mode")
    return ""


def _resize_by_scale(form: Form) -> str:
    mode = form.value("coordinate_transformation_mode", "half_pixel")
    if mode in ("half_pixel", "asymmetric"):
        return ""
    # The others ask for the length of the output, which from scales may be a fraction since 19.
    sized = mode in ("pytorch_half_pixel", "align_corners") and form.has_input(3)
    return "" if sized else f"its coordinate_transformation_mode is {mode}"


def _integer_unless_fmod(form: Form) -> str:
    element = form.element(0)
    floating = element is None or "int" not in element
    return "it is the flooring remainder of floats" if floating and form.value("fmod", 0) == 0 else ""


def _small_shift(form: Form) -> str:
    """BitShift: shifts by the width of the type and more are defined since 28."""
    element, shift = form.element(0), form.constant(1)
    if element is None or not isinstance(shift, tuple):
        return "its shift is not known to be smaller than the width of its type"
    return "" if all(0 <= item < BY_NAME[element].bits for item in shift) else "it shifts by the width of its type"


def _no_mask(form: Form) -> str:
    # A mask may be shorter than the keys since 24.
    return "it has a mask, which may be shorter than the keys" if form.has_input(3) else ""


def _even_split(form: Form) -> str:
    """Split: before 18 the parts were as many as the outputs, and equal."""
    if "num_outputs" not in form.given():
        return ""
    parts, axis = form.value("num_outputs"), form.value("axis", 0)
    shape = form.shape(0)
    fits = shape is not None and isinstance(axis, int) and -len(shape) <= axis < len(shape)
    size = shape[axis] if shape is not None and isinstance(axis, int) and fits else None
    if parts != form.outputs:
        return "its num_outputs is not the number of its outputs"
    if not isinstance(size, int) or not isinstance(parts, int) or size % parts:
        counted = size if isinstance(size, int) else "an unknown number of"
        return f"it splits {counted} elements into {parts} parts, which had to be equal before"
    form.drop("num_outputs")
    return ""


def _axis_of_batch(form: Form) -> str:
    """DFT: `axis` was an attribute counted with a batch dimension in front."""
    rank, axis = form.rank(0), form.constant(2) if form.has_input(2) else (-2,)
    if rank is None or rank < 3:
        return "its input is not known to have a batch dimension"
    if not isinstance(axis, tuple) or len(axis) != 1:
        return "its axis is computed, and was an attribute before"
    form.drop_inputs(2)
    form.set_attribute("axis", axis[0] % rank)
    return ""


_REDUCTIONS = (
    "ReduceL1",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSumSquare",
)

_AXIS_FORWARDS = ("Concat", "Flatten", "Hardmax", "LogSoftmax", "Softmax")  # whose default axis is not negative
_ARITHMETIC = ("Add", "And", "Div", "Equal", "Greater", "Less", "Mul", "Or", "Pow", "Sub", "Xor")

RULES: Mapping[tuple[str, int], Step] = {
    ("Attention", 24): Step(down=_no_mask),
    ("AveragePool", 19): _both(_no_ceiling),
    ("AveragePool", 22): _both(_no_ceiling),
    ("BatchNormalization", 9): Step(up=_spatial),
    ("BatchNormalization", 14): Step(up=_one_output),
    ("BitShift", 28): Step(down=_small_shift),
    ("Cast", 19): Step(down=_cast_to_plain),
    ("Cast", 24): Step(down=_cast_to_plain, up=_cast_no_float8, up_since=19),
    ("CastLike", 19): Step(down=_like_plain),
    ("CastLike", 24): Step(down=_like_plain, up=_like_no_float8, up_since=19),
    ("Clip", 6): _both(_limits_given),
    ("Compress", 11): Step(down=partial(_axis_forwards, default=0)),
    ("Concat", 4): Step(up=_axis_one),
    ("ConvTranspose", 11): _both(_one_of("auto_pad", "NOTSET", ("NOTSET",))),
    ("DFT", 20): Step(down=_axis_of_batch, up=_refused("its axis is an input since, counted in another way")),
    ("DequantizeLinear", 13): Step(down=_one_scale),
    ("Dropout", 10): _both(_one_output),
    ("Gather", 11): Step(down=_picked_forwards),
    ("Gemm", 7): Step(down=_refused("C is broadcast by numpy's rules since version 7"), up=_drops("broadcast")),
    ("GridSample", 20): Step(down=_planar_grid, up=_modes_renamed),
    ("MaxPool", 22): _both(_no_ceiling),
    ("Mod", 28): Step(down=_integer_unless_fmod),
    ("Pad", 19): Step(down=_one_of("mode", "constant", ("constant", "reflect", "edge"))),
    ("QuantizeLinear", 13): Step(down=_one_scale),
    ("QuantizeLinear", 19): Step(down=_saturate_no_float8),
    ("QuantizeLinear", 21): Step(down=_output_dtype),
    ("ReduceSum", 13): Step(_axes_as_attribute, _axes_as_input),
    ("Resize", 19): _both(_resize_by_scale),
    ("RoiAlign", 16): Step(_roi_not_shifted, _roi_shifted),
    ("ScatterElements", 18): Step(down=_one_of("reduction", "none", ("none", "add", "mul"))),
    ("ScatterND", 18): Step(down=_one_of("reduction", "none", ("none", "add", "mul"))),
    ("Slice", 11): Step(down=_slice_forwards),
    ("Split", 11): Step(down=partial(_axis_forwards, default=0)),
    ("Split", 13): Step(_parts_as_attribute, _parts_as_input),
    ("Split", 18): Step(_even_split, _parts_counted),
    ("Squeeze", 11): Step(down=_axes_forwards),
    ("Squeeze", 13): Step(_axes_as_attribute, _axes_as_input),
    ("Unsqueeze", 11): Step(down=_unsqueezed_forwards),
    ("Unsqueeze", 13): Step(_axes_as_attribute, _axes_as_input),
    **{(name, 7): Step(_one_shape, _not_broadcast) for name in _ARITHMETIC},
    **{(name, 8): Step(down=_one_shape) for name in ("Max", "Mean", "Min", "Sum")},
    **{(name, 11): Step(down=partial(_axis_forwards, default=0)) for name in (*_AXIS_FORWARDS, "ArgMax", "ArgMin")},
    **{(name, 11): Step(down=_axes_forwards) for name in (*_REDUCTIONS, "ReduceSum")},
    **{(name, 13): Step(_last_axis_down, _last_axis_up) for name in ("Hardmax", "LogSoftmax", "Softmax")},
    **{(name, 18): Step(_axes_as_attribute, _axes_as_input) for name in _REDUCTIONS},
}


def is_reviewed(domain: str, name: str, version: int) -> bool:
    """Whether the version before computes the same wherever its schema and the rule admit a node."""
    if domain == "ai.onnx.ml":
        return version in EXTENDED_ML.get(name, ())
    return domain == "" and version in EXTENDED.get(name, ())


def take_step_down(form: Form, newer: Signature, older: Signature) -> str:
    """Makes the form one of the version before; what it uses of the newer version where it cannot."""
    reason = _ruled(form, newer, down=True)
    return reason or _arity(form, older, "before") or _attributes(form, newer, older, "before")


def take_step_up(form: Form, older: Signature, newer: Signature, written: int) -> str:
    """Makes the form one of the version after; why it cannot be. `written`: the version that the node was made for."""
    form.drop("consumed_inputs")  # what version 1 of many operators allowed to be overwritten
    reason = _ruled(form, newer, down=False, written=written)
    return reason or _arity(form, newer, "since") or _attributes(form, older, newer, "since")


def _ruled(form: Form, newer: Signature, down: bool, written: int = 0) -> str:
    key = newer.name, newer.since_version
    if not is_reviewed(newer.domain, *key):
        return CHANGED.get(key, _UNKNOWN) if not newer.domain else _UNKNOWN
    step = RULES.get(key) if not newer.domain else None
    if step is None:
        return ""
    rule = step.down if down else step.up if written >= step.up_since else None
    return "" if rule is None else rule(form)


_UNKNOWN = "what that version changed is not known to Opwright"


def _arity(form: Form, there: Signature, when: str) -> str:
    if not there.variadic:
        surplus = [index for index in range(len(there.inputs), form.inputs) if form.has_input(index)]
        if surplus:
            return f"it has {surplus[-1] + 1} inputs, of at most {len(there.inputs)} {when}"
        if form.inputs > len(there.inputs):
            form.drop_inputs(len(there.inputs))
    for index, formal in enumerate(there.inputs):
        if formal.option is Option.REQUIRED and not form.has_input(index):
            return f"the input {formal.name} is left out, and is required {when}"
    if form.outputs > there.max_outputs:
        return f"it has {form.outputs} outputs, of at most {there.max_outputs} {when}"
    return ""


def _attributes(form: Form, here: Signature, there: Signature, when: str) -> str:
    """Leaves out what says nothing there, and writes out defaults that are others there."""
    for name in form.given():
        mine, declared = here.attributes.get(name), there.attributes.get(name)
        if declared is not None:
            if mine is not None and mine.kind != declared.kind:
                return f"its attribute {name} is of another type {when}"
            continue
        if mine is None or mine.default is None or form.value(name) != mine.default:
            return f"its attribute {name} is set"
        form.drop(name)
    for name, declared in there.attributes.items():
        mine = here.attributes.get(name)
        if name in form.given():
            continue
        if declared.required:
            return f"its attribute {name} is not given, and is required {when}"
        if mine is not None and mine.default != declared.default:
            if mine.default is None:
                return f"its attribute {name} is left out, and has a default {when}"
            form.set_attribute(name, mine.default)
    return ""
