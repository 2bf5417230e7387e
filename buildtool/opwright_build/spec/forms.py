"""The forms of library.yaml, domain.yaml and spec.yaml, as pydantic checks them and as editors complete them.

A key that may be left out has a default that its type would refuse or that means nothing, and whether it was written
is asked through `model_fields_set`: so an empty value (`doc:`) is a mistake, never the same as no key.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from opwright.elements import BY_NAME
from pydantic import Discriminator, Field, Tag, WithJsonSchema
from typing_extensions import TypeAliasType

from opwright_build.spec.boundary import Strict, tag
from opwright_build.spec.names import (
    DistributionName,
    DomainName,
    ElementName,
    Identifier,
    License,
    PackageName,
    Release,
    SchemaNumber,
    VersionNumber,
    Words,
)

MAX_NAMES = 256  # inputs, outputs, attributes or type variables of one version
MAX_VERSIONS = 64
MAX_LIST = 64

ElementNames = Annotated[list[ElementName], Field(min_length=1, max_length=MAX_LIST)]
Limit = Annotated[float, Field(ge=0, allow_inf_nan=False)]


def _short_or_long(value: object) -> str:
    return tag("long") if isinstance(value, dict) else tag("short")


class ValueForm(Strict):
    type: Words
    rank: Annotated[int, Field(ge=0, le=64)] = 0
    variadic: bool = False
    doc: str = ""


class AttributeForm(Strict):
    doc: str


class LimitForm(Strict):
    ulp: Limit = 0.0
    abs: Limit = 0.0


ValueModel = TypeAliasType(
    "ValueModel",
    Annotated[
        Annotated[Words, Tag(tag("short"))] | Annotated[ValueForm, Tag(tag("long"))], Discriminator(_short_or_long)
    ],
)
AttributeModel = TypeAliasType(
    "AttributeModel",
    Annotated[
        Annotated[str, Tag(tag("short"))] | Annotated[AttributeForm, Tag(tag("long"))], Discriminator(_short_or_long)
    ],
)
# Under `reason` text, under every other key `exact` or limits: which is which is asked when the spec is converted.
LimitModel = Annotated[
    Annotated[Words, Tag(tag("short"))] | Annotated[LimitForm, Tag(tag("long"))], Discriminator(_short_or_long)
]
_LIMITS = {name: {"type": "number", "minimum": 0} for name in ("ulp", "abs")}
_TOLERANCE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"reason": {"type": "string", "minLength": 1}},
    "propertyNames": {"enum": ["default", "reason", *BY_NAME]},
    "additionalProperties": {
        "anyOf": [{"const": "exact"}, {"type": "object", "properties": _LIMITS, "additionalProperties": False}]
    },
}
ToleranceModel = Annotated[dict[str, LimitModel], WithJsonSchema(_TOLERANCE_SCHEMA)]


class LibraryModel(Strict):
    """specs/library.yaml"""

    schema_: SchemaNumber = Field(alias="schema")
    library: DistributionName
    version: Release
    package: PackageName
    summary: str = ""
    license: License | Literal[""] = ""
    opsets: Words
    requires: dict[Literal["opwright"], Words] = Field(default_factory=dict)
    dependencies: dict[DistributionName, Words] = Field(default_factory=dict)


class DomainModel(Strict):
    """specs/<domain>/domain.yaml"""

    schema_: SchemaNumber = Field(alias="schema")
    version: VersionNumber
    domain: DomainName = ""
    mirror: DomainName = ""
    summary: str = ""


class VersionModel(Strict):
    """What may stand in an entry of `versions:`, or at the top as a default for all of them."""

    since_version: VersionNumber = 0
    summary: Words = ""
    doc: str = ""
    deprecated: bool = False
    opset: Words = ""
    inputs: dict[Identifier, ValueModel] = Field(default_factory=dict, max_length=MAX_NAMES)
    outputs: dict[Identifier, ValueModel] = Field(default_factory=dict, min_length=1, max_length=MAX_NAMES)
    attributes: dict[Identifier, AttributeModel] = Field(default_factory=dict, max_length=MAX_NAMES)
    types: dict[Identifier, ElementNames] = Field(default_factory=dict, max_length=MAX_NAMES)
    function: Words = ""
    reference: Words = ""
    vectors: list[Words] = Field(default_factory=list, max_length=MAX_LIST)
    tolerance: ToleranceModel = Field(default_factory=dict)


class SpecModel(VersionModel):
    """specs/<domain>/<Function>/spec.yaml"""

    schema_: SchemaNumber = Field(alias="schema")
    domain: str
    name: str
    versions: list[VersionModel] = Field(default_factory=list, min_length=1, max_length=MAX_VERSIONS)
