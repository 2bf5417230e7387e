"""The form of a vector file, as pydantic checks it and as editors complete it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, WithJsonSchema
from typing_extensions import TypeAliasType

from opwright_build.spec.boundary import Strict, tag
from opwright_build.spec.literals import MAX_ELEMENTS
from opwright_build.spec.names import ElementName, Identifier, SchemaNumber, VersionNumber, Words

Dimension = Annotated[int, Field(ge=0, le=MAX_ELEMENTS)]
Shape = TypeAliasType("Shape", Annotated[list[Dimension], Field(max_length=16)])
Seed = Annotated[int, Field(ge=0, lt=1 << 64)]
Finite = Annotated[float, Field(allow_inf_nan=False)]

_LITERAL_SCHEMA: dict[str, Any] = {"type": ["number", "boolean", "string", "array", "null"]}

# Checked node by node in `literals`, where the place of each element is at hand.
LiteralValue = Annotated[Any, WithJsonSchema(_LITERAL_SCHEMA)]


class ZeroModel(Strict):
    shape: Shape
    type: ElementName = ""


class TypedModel(Strict):
    value: LiteralValue
    type: ElementName = ""


class _Generated(Strict):
    shape: Shape
    seed: Seed
    type: ElementName = ""


class NormalModel(_Generated):
    distribution: Literal["normal"]
    mean: Finite = 0.0
    std: Annotated[Finite, Field(ge=0)] = 1.0


class UniformModel(_Generated):
    distribution: Literal["uniform"]
    low: Finite = 0.0
    high: Finite = 1.0


class IntegersModel(_Generated):
    distribution: Literal["integers"]
    low: int
    high: int


class ChoiceModel(_Generated):
    distribution: Literal["choice"]
    values: Annotated[list[LiteralValue], Field(min_length=1)]


_DISTRIBUTIONS = ("normal", "uniform", "integers", "choice")


def _form(value: object) -> str | None:
    if not isinstance(value, dict):
        return tag("literal")
    if "distribution" in value:
        name = value["distribution"]
        return tag(name) if name in _DISTRIBUTIONS else None
    return tag("zeros") if "shape" in value and "value" not in value else tag("typed")


TensorModel = TypeAliasType(
    "TensorModel",
    Annotated[
        Annotated[LiteralValue, Tag(tag("literal"))]
        | Annotated[TypedModel, Tag(tag("typed"))]
        | Annotated[ZeroModel, Tag(tag("zeros"))]
        | Annotated[NormalModel, Tag(tag("normal"))]
        | Annotated[UniformModel, Tag(tag("uniform"))]
        | Annotated[IntegersModel, Tag(tag("integers"))]
        | Annotated[ChoiceModel, Tag(tag("choice"))],
        Discriminator(
            _form,
            custom_error_type="OW109",
            custom_error_message=f"`distribution` must be one of {', '.join(_DISTRIBUTIONS)}",
            custom_error_context={"key": "distribution"},
        ),
    ],
)


class SequenceModel(Strict):
    sequence: list[TensorModel]
    type: ElementName = ""


def _value_form(value: object) -> str:
    return tag("sequence") if isinstance(value, dict) and "sequence" in value else tag("tensor")


ValueModel = TypeAliasType(
    "ValueModel",
    Annotated[
        Annotated[TensorModel, Tag(tag("tensor"))] | Annotated[SequenceModel, Tag(tag("sequence"))],
        Discriminator(_value_form),
    ],
)


class VariadicModel(Strict):
    variadic: list[ValueModel]


def _given_form(value: object) -> str:
    return tag("variadic") if isinstance(value, dict) and "variadic" in value else tag("value")


GivenModel = TypeAliasType(
    "GivenModel",
    Annotated[
        Annotated[ValueModel, Tag(tag("value"))] | Annotated[VariadicModel, Tag(tag("variadic"))],
        Discriminator(_given_form),
    ],
)


class RandomModel(Strict):
    values: list[Finite] = Field(default_factory=list)
    mean: Finite | None = None
    within: Annotated[Finite, Field(gt=0)] = 0.0


class RowModel(Strict):
    name: Words
    types: dict[Identifier, Annotated[list[ElementName], Field(min_length=1)]] = Field(default_factory=dict)
    versions: list[VersionNumber] = Field(default_factory=list, min_length=1)
    attributes: dict[Identifier, LiteralValue] = Field(default_factory=dict)
    inputs: dict[Identifier, GivenModel] = Field(default_factory=dict)
    outputs: dict[Identifier, GivenModel] = Field(default_factory=dict, min_length=1)
    scale: Annotated[Finite, Field(gt=0)] = 1.0
    reason: str = ""
    random: RandomModel | None = None
    error: Annotated[str, Field(min_length=1)] = ""
    doc: str = ""


class VectorsModel(Strict):
    schema_: SchemaNumber = Field(alias="schema")
    rows: list[RowModel]
