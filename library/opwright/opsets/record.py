"""The form of a record: what is known of an operator beyond its schemas, at all of its versions.

A record is data. Inference, checks, rewrites and printers map the members of these enumerations to their rules,
and none names an operator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from opwright.opsets.version_rules import Rule, Step

if TYPE_CHECKING:
    from onnx import NodeProto


class Choice(Enum):
    """An enumeration whose members are looked up often: hashed by identity, not by name."""

    __hash__ = object.__hash__


class Role(Choice):
    """What an operator is to a compiler; PLAIN for those that compute."""

    PLAIN = "plain"
    CONSTANT = "constant"
    IDENTITY = "identity"
    IF = "if"
    LOOP = "loop"
    SCAN = "scan"
    SEQUENCE_MAP = "sequence map"
    FLEX_ATTENTION = "attention with graphs"


# The graphs that one of these is given say whether it is pure, not its schema.
CONTROL_FLOW = frozenset({Role.IF, Role.LOOP, Role.SCAN, Role.SEQUENCE_MAP})


@dataclass(frozen=True, slots=True)
class ByAttribute:
    """The results from `first` on have the element type of which `attribute` is the ONNX code.

    Without the attribute it is `default`, or that of the first input where there is no default. `keeps_shape`: the
    result has the shape of the first input.
    """

    attribute: str
    default: str | None = "float"
    keeps_shape: bool = False
    first: int = 0


@dataclass(frozen=True, slots=True)
class ByPresence:
    """The first result has the type, as ONNX writes it, that `types` has for the first of these attributes that is
    given and not empty; "" is the element type of a tensor there. Without any, `otherwise` decides."""

    types: Mapping[str, str]
    otherwise: str | TypeRule

    def __hash__(self) -> int:
        return hash((*self.types.items(), self.otherwise))


@dataclass(frozen=True, slots=True)
class ByWord:
    """The first result has the type that `types` has for the text of `attribute`, `default` where it is left out."""

    attribute: str
    types: Mapping[str, str]
    default: str

    def __hash__(self) -> int:
        return hash((self.attribute, *self.types.items(), self.default))


class TypeRule(Choice):
    """Other rules for the types of results. Where a record has none, the type constraints of the schema decide."""

    CONSTANT = "that of the attribute that is the value"
    FILLED = "that of the tensor in `value`, else float"
    QUANTIZED = "the zero point's, else `output_dtype`, else uint8"
    DEQUANTIZED = "`output_dtype`, else the scale's"
    ITEM = "an item of the first input, a sequence"
    JOINED_ITEMS = "one tensor of the items of the first input"
    SEQUENCE = "a sequence of tensors like the first input"
    EMPTY_SEQUENCE = "a sequence of tensors of the type in `dtype`"
    OPTIONAL = "an optional of the first input"
    OPTIONAL_ITEM = "what the first input holds, an optional or not"
    EXCHANGED = "int64 for texts, texts for integers"
    MAP_ITEM = "a tensor of any rank of the items of the first input, a map"


Typing = ByAttribute | ByPresence | ByWord | TypeRule


class RankRule(Choice):
    """What the rank of the first result is."""

    UNKNOWN = "not certain"
    ELEMENTWISE = "the shape of the inputs, broadcast; in rank the first input's"
    BROADCAST = "the shape of the inputs, broadcast"
    SAME = "the first input's"
    LIKE_FIRST = "the shape of the first input"
    SAME_FOR_ALL = "the first input's, that of all results"
    SAME_ON_AXIS = "the first input's where an axis is given"
    LIKE_INDICES = "the second input's"
    SCALAR = "0"
    LIST = "1"
    MATRIX = "2"
    ARG_REDUCED = "the first input's, less one without `keepdims`"
    REDUCED = "the first input's, less its axes without `keepdims`"
    EQUATION = "the letters behind the arrow of `equation`"
    FILLED = "the length of the first input"
    EXPANDED = "the first input's or the length of the second"
    RESHAPED = "the length of the second input, or of `shape`"
    SQUEEZED = "the first input's, less the axes"
    UNSQUEEZED = "the first input's and the axes"
    GATHERED = "those of both inputs, less one"
    MULTIPLIED = "that of a product of matrices"
    ONE_MORE = "the first input's and one"
    SHAPE_ATTRIBUTE = "the length of `shape`"


class LengthRule(Choice):
    """How long a first result of rank 1 is."""

    UNKNOWN = "not certain"
    CONCATENATED = "the lengths of all inputs"
    FILLED = "the only element of the first input"
    GATHERED = "that of the second input"
    RESHAPED = "the only element of the shape"
    SHAPE = "the rank of the input, between `start` and `end`"
    SLICED = "what is taken of the first input"
    UNSQUEEZED = "1, of a scalar"


class Operands(Choice):
    """For which operands a sign of Python is the operator."""

    ANY = "of any type"
    BITS = "of bools or integers"
    INTEGERS = "of integers"
    FLOATS = "of floats"
    SHIFTED = "unsigned integers; `direction` says which sign"


@dataclass(frozen=True, slots=True)
class Sign:
    """The sign that Python has for an operator."""

    text: str
    operands: Operands = Operands.ANY
    unary: bool = False


class Subscript(Choice):
    """What an operator takes of its first input, where Python has a subscript for it."""

    SLICES = "slices"
    POSITION = "a position of an axis"
    ITEM = "an item of a sequence"


class Fault(Choice):
    """On what kernels of onnxruntime are wrong, or end the process."""

    WIDE = "integers beyond int32"
    QUOTIENT = "the least integer by -1"
    POWER = "powers of integers beyond the bits of a double"
    SQUARES = "squares of integers beyond the bits of a double"
    BLOCKS = "texts that stand together: the first alone is copied"
    NARROW = "floats to integers of fewer than 8 bits: they are rounded"


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of one operator.

    `lists`: inputs, in any version, that are lists of numbers: tensors of rank 1, though they hold one number alone;
    `takes_one_number`: onnxruntime takes a tensor of rank 0 for them too, and models rely on it. `divides`: integers by
    zero have no value. `choices`: attributes that are one of two numbers. `runtimes_lack`: attributes that onnx's
    reference evaluator or onnxruntime does not take, with the defaults at which they may be left out.
    `permutation`: the attribute that says where each axis goes; `counts`: those that are numbers of dimensions;
    `results`: the one that says how many results there are.

    `reviewed`: versions that compute what the one before does, wherever both schemas and `steps` admit a node;
    `changed`: those that do not, and what is different; `steps`: what schemas do not show of a reviewed version.
    `before`: makes a node of the first version one of another operator, that there was before it. `first_run`: the
    first version that any runtime has.
    """

    name: str
    domain: str = ""
    role: Role = Role.PLAIN
    typing: Typing | None = None
    rank: RankRule = RankRule.UNKNOWN
    length: LengthRule = LengthRule.UNKNOWN
    lists: tuple[str, ...] = ()
    takes_one_number: bool = False
    divides: bool = False
    choices: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    sign: Sign | None = None
    subscript: Subscript | None = None
    fault: Fault | None = None
    permutation: str = ""
    counts: tuple[str, ...] = ()
    results: str = ""
    runtimes_lack: Mapping[str, bytes | int] = field(default_factory=dict)
    reviewed: tuple[int, ...] = ()
    changed: Mapping[int, str] = field(default_factory=dict)
    steps: Mapping[int, Step] = field(default_factory=dict)
    before: Rule | None = None
    first_run: int = 1

    is_elementwise: bool = field(init=False)  # the result has the shape that the inputs broadcast to
    keeps_rank: bool = field(init=False)  # the first result has the first input's rank, whatever the others are
    ranked_by_length: bool = field(init=False)  # an input says by its length, not its rank, which rank the result has
    is_control_flow: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_elementwise", self.rank in _ELEMENTWISE)
        object.__setattr__(self, "keeps_rank", self.rank in _KEEPING)
        object.__setattr__(self, "ranked_by_length", self.rank in _BY_LENGTH)
        object.__setattr__(self, "is_control_flow", self.role in CONTROL_FLOW)

    def describes(self, node: NodeProto) -> bool:
        """Whether the node is one of this operator, at any version."""
        return node.op_type == self.name and ("" if node.domain == "ai.onnx" else node.domain) == self.domain


_ELEMENTWISE = frozenset({RankRule.ELEMENTWISE, RankRule.BROADCAST})
_KEEPING = frozenset(
    {RankRule.ELEMENTWISE, RankRule.LIKE_FIRST, RankRule.SAME, RankRule.SAME_FOR_ALL, RankRule.SAME_ON_AXIS}
)
_BY_LENGTH = frozenset({RankRule.FILLED, RankRule.EXPANDED, RankRule.RESHAPED, RankRule.SQUEEZED, RankRule.UNSQUEEZED})


class ValueForm(NamedTuple):
    """What an attribute of Constant gives: an element type, and rank 0 or 1."""

    element: str
    rank: int


# The attributes of Constant that hold numbers or texts; `value` and `sparse_value` hold tensors.
VALUE_FORMS: Mapping[str, ValueForm] = MappingProxyType(
    {
        "value_int": ValueForm("int64", 0),
        "value_ints": ValueForm("int64", 1),
        "value_float": ValueForm("float", 0),
        "value_floats": ValueForm("float", 1),
        "value_string": ValueForm("string", 0),
        "value_strings": ValueForm("string", 1),
    }
)
