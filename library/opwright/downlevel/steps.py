"""What changed when an operator got a new version, as reviewed from the standard's own schemas and texts.

A step leads from a version of an operator to the one before. It is listed here when the older version computes the
same wherever its schema admits a node: types, attributes and inputs were added, wording was changed. What a schema
does not show stands as a rule beside it. A step that is not listed is not taken, so a version that is newer than
this table is left to a function of a library, or refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from onnx import AttributeProto

from opwright.downlevel.form import Form
from opwright.elements import BY_CODE, BY_NAME

OLDEST = 13  # the oldest opset to which steps lead

# Versions (of the default domain) that differ from the one before in what the schemas show, and by RULES.
EXTENDED: Mapping[str, tuple[int, ...]] = {
    "Acos": (22,),
    "Acosh": (22,),
    "Add": (14,),
    "Asin": (22,),
    "Asinh": (22,),
    "Atan": (22,),
    "Atanh": (22,),
    "Attention": (24, 25),
    "AveragePool": (19, 22),
    "BatchNormalization": (14, 15),
    "Bernoulli": (22,),
    "BitShift": (28,),
    "Cast": (19, 21, 23, 24, 25, 28),
    "CastLike": (19, 21, 23, 24, 25),
    "Celu": (28,),
    "Compress": (28,),
    "Constant": (19, 21, 23, 24, 25),
    "ConstantOfShape": (20, 21, 23, 24, 25),
    "Conv": (22,),
    "ConvTranspose": (22,),
    "Cos": (22,),
    "Cosh": (22,),
    "CumSum": (14,),
    "DFT": (20,),
    "DeformConv": (22,),
    "DepthToSpace": (28,),
    "DequantizeLinear": (19, 21, 23, 24, 25, 28),
    "Det": (22,),
    "Div": (14,),
    "Dropout": (22,),
    "Einsum": (28,),
    "Elu": (22,),
    "Equal": (19,),
    "EyeLike": (22,),
    "Flatten": (21, 23, 24, 25),
    "GRU": (14, 22),
    "GlobalAveragePool": (22,),
    "GlobalLpPool": (22,),
    "GlobalMaxPool": (22,),
    "GreaterOrEqual": (16,),
    "GridSample": (20, 22),
    "HardSigmoid": (22,),
    "HardSwish": (22,),
    "Identity": (14, 16, 19, 21, 23, 24, 25),
    "If": (16, 19, 21, 23, 24, 25),
    "InstanceNormalization": (22,),
    "IsInf": (20,),
    "IsNaN": (20,),
    "LSTM": (14, 22),
    "LeakyRelu": (16,),
    "LessOrEqual": (16,),
    "Loop": (16, 19, 21, 23, 24, 25),
    "LpNormalization": (22,),
    "LpPool": (18, 22),
    "MaxPool": (22,),
    "MaxRoiPool": (22,),
    "MaxUnpool": (22,),
    "Mish": (22,),
    "Mod": (28,),
    "Mul": (14,),
    "Multinomial": (22,),
    "NegativeLogLikelihoodLoss": (22,),
    "OneHot": (28,),
    "Optional": (28,),
    "OptionalGetElement": (18, 28),
    "OptionalHasElement": (18, 28),
    "PRelu": (16,),
    "Pad": (18, 19, 21, 23, 24, 25),
    "Pow": (15,),
    "QLinearMatMul": (21,),
    "QuantizeLinear": (19, 21, 23, 24, 25, 28),
    "RNN": (14, 22),
    "RandomNormal": (22,),
    "RandomNormalLike": (22,),
    "RandomUniform": (22,),
    "RandomUniformLike": (22,),
    "Range": (27,),
    "ReduceL1": (18,),
    "ReduceL2": (18,),
    "ReduceLogSum": (18, 28),
    "ReduceLogSumExp": (18, 28),
    "ReduceMax": (18, 20),
    "ReduceMean": (18,),
    "ReduceMin": (18, 20),
    "ReduceProd": (18,),
    "ReduceSumSquare": (18,),
    "Relu": (14,),
    "Reshape": (14, 19, 21, 23, 24, 25),
    "Resize": (18, 19),
    "ReverseSequence": (28,),
    "RoiAlign": (16, 22),
    "Round": (22,),
    "Scan": (16, 19, 21, 23, 24, 25),
    "ScatterElements": (16, 18),
    "ScatterND": (16, 18),
    "Selu": (22,),
    "Shape": (15, 19, 21, 23, 24, 25),
    "Sin": (22,),
    "Sinh": (22,),
    "Size": (19, 21, 23, 24, 25),
    "Softplus": (22,),
    "Softsign": (22,),
    "SpaceToDepth": (28,),
    "Split": (18,),
    "SplitToSequence": (24,),
    "Squeeze": (21, 23, 24, 25),
    "Sub": (14,),
    "Tan": (22,),
    "ThresholdedRelu": (22,),
    "TopK": (24,),
    "Transpose": (21, 23, 24, 25),
    "Unique": (28,),
    "Unsqueeze": (21, 23, 24, 25),
    "Where": (16,),
}

# Versions that mean something else than the one before, and what.
CHANGED: Mapping[tuple[str, int], str] = {
    ("GroupNormalization", 21): "scale and bias belong to channels since version 21, to groups before",
}

EXTENDED_ML: Mapping[str, tuple[int, ...]] = {
    "TreeEnsembleClassifier": (3, 5),
    "TreeEnsembleRegressor": (3, 5),
}

# A rule makes a node fit for the version before, or says what of the newer version it uses.
Rule = Callable[[Form], str]


def _one_of(attribute: str, default: str, allowed: tuple[str, ...]) -> Rule:
    def rule(form: Form) -> str:
        value = form.value(attribute, default)
        return "" if value in allowed else f"its {attribute} is {value}"

    return rule


def _no_ceiling(form: Form) -> str:
    # With ceil_mode, windows that start in the padding behind the input were counted once and are not any more.
    return "" if form.value("ceil_mode", 0) == 0 else "its ceil_mode is set"


def _axes_as_attribute(form: Form) -> str:
    """Reductions: `axes` is an input since 18. No axes mean all of them, unless `noop_with_empty_axes` is set."""
    noop = form.value("noop_with_empty_axes", 0)
    axes: tuple[int, ...] | AttributeProto | None = form.constant(1) if form.has_input(1) else ()
    if axes is None:
        return "its axes are computed, and were an attribute before"
    if noop != 0 and not (isinstance(axes, tuple) and axes):
        return "its noop_with_empty_axes is set"
    form.drop("noop_with_empty_axes")
    form.drop_inputs(1)
    if isinstance(axes, AttributeProto):
        if _may_be_empty(axes, form):
            return "its axes are an attribute of the function that may be empty"
        reference = AttributeProto(name="axes", type=AttributeProto.INTS, ref_attr_name=axes.ref_attr_name)
        form.attributes["axes"] = reference
    elif axes:
        form.set_attribute("axes", axes)
    return ""


def _may_be_empty(reference: AttributeProto, form: Form) -> bool:
    scope = form.visit.scope
    given = scope.attributes.get(reference.ref_attr_name) if scope is not None else None
    return given is None or not given.ints


def _cast_to_plain(form: Form) -> str:
    """`saturate` and `round_mode` are about float8; what they mean there was put otherwise in version 24."""
    target = form.value("to")
    element = BY_CODE.get(target) if isinstance(target, int) else None
    if element is None or element.name.startswith("float8"):
        return "it casts to a type of eight bits" if element is not None else "its `to` is not known"
    form.drop("saturate")
    form.drop("round_mode")
    return ""


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
    if "num_outputs" not in form.attributes:
        return ""
    parts, axis = form.value("num_outputs"), form.value("axis", 0)
    size = form.size(0, axis) if isinstance(axis, int) else None
    if parts != len(form.visit.node.output):
        return "its num_outputs is not the number of its outputs"
    if size is None or not isinstance(parts, int) or size % parts:
        return f"it splits {size or 'an unknown number of'} elements into {parts} parts, which had to be equal before"
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

RULES: Mapping[tuple[str, int], Rule] = {
    ("Attention", 24): _no_mask,
    ("AveragePool", 19): _no_ceiling,
    ("AveragePool", 22): _no_ceiling,
    ("BitShift", 28): _small_shift,
    ("Cast", 19): _cast_to_plain,
    ("Cast", 24): _cast_to_plain,
    ("CastLike", 19): _like_plain,
    ("CastLike", 24): _like_plain,
    ("DFT", 20): _axis_of_batch,
    ("GridSample", 20): _planar_grid,
    ("MaxPool", 22): _no_ceiling,
    ("Mod", 28): _integer_unless_fmod,
    ("Pad", 19): _one_of("mode", "constant", ("constant", "reflect", "edge")),
    ("QuantizeLinear", 19): _saturate_no_float8,
    ("QuantizeLinear", 21): _output_dtype,
    ("Resize", 19): _resize_by_scale,
    ("RoiAlign", 16): _roi_not_shifted,
    ("ScatterElements", 18): _one_of("reduction", "none", ("none", "add", "mul")),
    ("ScatterND", 18): _one_of("reduction", "none", ("none", "add", "mul")),
    ("Split", 18): _even_split,
    **{(name, 18): _axes_as_attribute for name in _REDUCTIONS},
}


def is_reviewed(domain: str, name: str, version: int) -> bool:
    """Whether the version before computes the same wherever its schema and the rule admit a node."""
    if domain == "ai.onnx.ml":
        return version in EXTENDED_ML.get(name, ())
    return domain == "" and version in EXTENDED.get(name, ())
