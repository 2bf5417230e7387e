"""The ranks of results, where the ranks of inputs, the number of items in a list or an attribute decide them.

Only what is certain stands here; where nothing does, the rank is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from opwright.lang import ir

Attributes = Mapping[str, ir.Attribute]
Inputs = list[ir.Value | None]
RankRule = Callable[[int, Inputs, Attributes], int | None]


def _names(*lines: str) -> frozenset[str]:
    return frozenset(name for line in lines for name in line.split())


# The first result has the rank of the first input, whatever the other inputs are.
SAME_RANK = _names(
    "Abs Acos Acosh Asin Asinh Atan Atanh AveragePool BatchNormalization Bernoulli BitwiseNot Cast CastLike Ceil Celu",
    "Clip Compress Concat Conv ConvInteger ConvTranspose Cos Cosh CumProd CumSum DequantizeLinear Dropout Elu Erf Exp",
    "EyeLike Floor Gelu GlobalAveragePool GlobalLpPool GlobalMaxPool GroupNormalization HardSigmoid HardSwish Hardmax",
    "Identity InstanceNormalization IsInf IsNaN LRN LayerNormalization LeakyRelu Log LogSoftmax LpNormalization LpPool",
    "MaxPool MeanVarianceNormalization Mish Neg Not PRelu Pad QuantizeLinear RMSNormalization RandomNormalLike",
    "RandomUniformLike Reciprocal Relu Resize ReverseSequence Round Scatter ScatterElements ScatterND Selu Shrink",
    "Sigmoid Sign Sin Sinh Slice Softmax Softplus Softsign Split Sqrt Swish Tan Tanh TensorScatter ThresholdedRelu",
    "Tile TopK Transpose Trilu Upsample",
)
_EVERY_RESULT = frozenset(["Split", "TopK"])  # those of which this holds for all results
_ONLY_ONCE_GIVEN = frozenset(["Compress"])  # without its axis the input is flattened

# The result has the rank to which the inputs broadcast.
BROADCAST = _names(
    "Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min",
    "Mod Mul Or Pow Sub Sum Where Xor",
)

# The second input says by its length, not by its rank, which rank the result has.
BY_LENGTH = frozenset({"ConstantOfShape", "Expand", "Reshape", "Squeeze", "Unsqueeze"})


def has_rule(name: str) -> bool:
    """Whether the ranks of the inputs, and what else is known of them, say which rank the result has."""
    return name in _RULES


def infer_rank(name: str, index: int, inputs: Inputs, attributes: Attributes) -> int | None:
    """The rank of a result of an operator of the default domain; None where it is not certain."""
    if name in SAME_RANK:
        same = (index == 0 or name in _EVERY_RESULT) and (name not in _ONLY_ONCE_GIVEN or "axis" in attributes)
        return rank_of(_at(inputs, 0)) if same else None
    if index:
        return None
    if name in BROADCAST:
        return _widest(inputs)
    rule = _RULES.get(name)
    return rule(index, inputs, attributes) if rule is not None else None


def rank_of(value: ir.Value | None) -> int | None:
    """A tensor's rank, as far as it is known; a number is carried with rank 0."""
    if value is None:
        return None
    if isinstance(value.type, ir.NumberType):
        return 0
    return value.type.rank if isinstance(value.type, ir.TensorType) else None


def _at(inputs: Inputs, index: int) -> ir.Value | None:
    return inputs[index] if index < len(inputs) else None


def _widest(inputs: Inputs) -> int | None:
    ranks = [rank_of(value) for value in inputs if value is not None]
    known = [rank for rank in ranks if rank is not None]
    return max(known) if known and len(known) == len(ranks) else None


def count_of(value: ir.Value | None) -> int | None:
    """How many items a list has: the only dimension of a tensor of rank 1."""
    type_ = value.type if value is not None else None
    if not isinstance(type_, ir.TensorType) or type_.shape is None or len(type_.shape) != 1:
        return None
    return type_.shape[0] if isinstance(type_.shape[0], int) else None


def _integer(attributes: Attributes, name: str, default: int) -> int | None:
    """An attribute's value; None where it is one of the function's own."""
    found = attributes.get(name)
    if found is None:
        return default
    return found.value if isinstance(found, ir.AttributeValue) and isinstance(found.value, int) else None


def _listed(attributes: Attributes, name: str) -> int | None:
    """How many items a list attribute has; None where that is not known."""
    found = attributes.get(name)
    return len(found.value) if isinstance(found, ir.AttributeValue) and isinstance(found.value, tuple) else None


def _axes(inputs: Inputs, attributes: Attributes) -> int | None:
    """How many axes are given, as an attribute in old versions, else as the second input."""
    if "axes" in attributes:
        return _listed(attributes, "axes")
    return count_of(_at(inputs, 1))


def _plus(rank: int | None, change: int | None) -> int | None:
    return rank + change if rank is not None and change is not None and rank + change >= 0 else None


def _fixed(rank: int) -> RankRule:
    return lambda index, inputs, attributes: rank


def _reduced(index: int, inputs: Inputs, attributes: Attributes) -> int | None:
    rank, keeps = rank_of(_at(inputs, 0)), _integer(attributes, "keepdims", 1)
    if keeps is None:
        return None
    if keeps:
        return rank
    if "axes" not in attributes and _at(inputs, 1) is None:
        keeps_all = _integer(attributes, "noop_with_empty_axes", 0)
        return None if keeps_all is None else rank if keeps_all else 0
    count = _axes(inputs, attributes)
    if count == 0:
        return None  # no axes may mean all of them
    return _plus(rank, None if count is None else -count)


def _arg_reduced(index: int, inputs: Inputs, attributes: Attributes) -> int | None:
    keeps = _integer(attributes, "keepdims", 1)
    return None if keeps is None else _plus(rank_of(_at(inputs, 0)), 0 if keeps else -1)


def _reshaped(index: int, inputs: Inputs, attributes: Attributes) -> int | None:
    return _listed(attributes, "shape") if "shape" in attributes else count_of(_at(inputs, 1))


def _expanded(index: int, inputs: Inputs, attributes: Attributes) -> int | None:
    rank, count = rank_of(_at(inputs, 0)), count_of(_at(inputs, 1))
    return None if rank is None or count is None else max(rank, count)


def _unsqueezed(index: int, inputs: Inputs, attributes: Attributes) -> int | None:
    return _plus(rank_of(_at(inputs, 0)), _axes(inputs, attributes))


def _squeezed(index: int, inputs: Inputs, attributes: Attributes) -> int | None:
    count = _axes(inputs, attributes)
    return _plus(rank_of(_at(inputs, 0)), None if not count else -count)


def _gathered(index: int, inputs: Inputs, attributes: Attributes) -> int | None:
    return _plus(_plus(rank_of(_at(inputs, 0)), rank_of(_at(inputs, 1))), -1)


def _like_indices(index: int, inputs: Inputs, attributes: Attributes) -> int | None:
    return rank_of(_at(inputs, 1))


def _multiplied(index: int, inputs: Inputs, attributes: Attributes) -> int | None:
    left, right = rank_of(_at(inputs, 0)), rank_of(_at(inputs, 1))
    if left is None or right is None or not left or not right:
        return None
    return max(left, right, 2) - (left == 1) - (right == 1)


def _filled(index: int, inputs: Inputs, attributes: Attributes) -> int | None:
    return count_of(_at(inputs, 0))


def _random(index: int, inputs: Inputs, attributes: Attributes) -> int | None:
    return _listed(attributes, "shape")


def _one_hot(index: int, inputs: Inputs, attributes: Attributes) -> int | None:
    return _plus(rank_of(_at(inputs, 0)), 1)


def _einsum(index: int, inputs: Inputs, attributes: Attributes) -> int | None:
    found = attributes.get("equation")
    text = found.value if isinstance(found, ir.AttributeValue) else None
    if not isinstance(text, str) or "->" not in text or "." in text:
        return None
    return len(text.rpartition("->")[2].replace(" ", ""))


_RULES: dict[str, RankRule] = {
    **dict.fromkeys(["ArgMax", "ArgMin"], _arg_reduced),
    "ConstantOfShape": _filled,
    "Einsum": _einsum,
    "Expand": _expanded,
    "Flatten": _fixed(2),
    "Gather": _gathered,
    "GatherElements": _like_indices,
    "Gemm": _fixed(2),
    "MatMul": _multiplied,
    "MatMulInteger": _multiplied,
    "NonZero": _fixed(2),
    "OneHot": _one_hot,
    "RandomNormal": _random,
    "RandomUniform": _random,
    "Range": _fixed(1),
    **dict.fromkeys(
        [
            "ReduceL1",
            "ReduceL2",
            "ReduceLogSum",
            "ReduceLogSumExp",
            "ReduceMax",
            "ReduceMean",
            "ReduceMin",
            "ReduceProd",
            "ReduceSum",
            "ReduceSumSquare",
        ],
        _reduced,
    ),
    "Reshape": _reshaped,
    "Shape": _fixed(1),
    "Size": _fixed(0),
    "Squeeze": _squeezed,
    "Unsqueeze": _unsqueezed,
}
