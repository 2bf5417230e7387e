"""The forms of library.yaml, domain.yaml and spec.yaml, as pydantic checks them and as editors complete them.

A key that may be left out has a default that its type would refuse or that means nothing, and whether it was written
is asked through `model_fields_set`: so an empty value (`doc:`) is a mistake, never the same as no key.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from opwright.elements import BY_NAME
from pydantic import Discriminator, Field, Tag, create_model

from opwright_build.spec.boundary import Strict, tag
from opwright_build.spec.names import (
    DistributionName,
    DomainName,
    ElementName,
    Identifier,
    PackageName,
    Release,
    SchemaNumber,
    VersionNumber,
    Words,
)

Limit = Annotated[float, Field(ge=0, allow_inf_nan=False)]


def _short_or_long(value: object) -> str:
    return tag("long") if isinstance(value, dict) else tag("short")


class ValueForm(Strict):
    type: Words
    rank: Annotated[int, Field(ge=0, le=64)] | None = None
    doc: str = ""


class AttributeForm(Strict):
    doc: str


class LimitForm(Strict):
    ulp: Limit = 0.0
    abs: Limit = 0.0


ValueModel = Annotated[
    Annotated[Words, Tag(tag("short"))] | Annotated[ValueForm, Tag(tag("long"))], Discriminator(_short_or_long)
]
AttributeModel = Annotated[
    Annotated[str, Tag(tag("short"))] | Annotated[AttributeForm, Tag(tag("long"))], Discriminator(_short_or_long)
]
LimitModel = Annotated[
    Annotated[Literal["exact"], Tag(tag("short"))] | Annotated[LimitForm, Tag(tag("long"))],
    Discriminator(_short_or_long),
]

_limits: dict[str, Any] = dict.fromkeys(("default", *BY_NAME), (LimitModel, "exact"))
ToleranceModel: type[Strict] = create_model("ToleranceModel", __base__=Strict, reason=(Words, ""), **_limits)


class LibraryModel(Strict):
    """specs/library.yaml"""

    schema_: SchemaNumber = Field(alias="schema")
    library: DistributionName
    version: Release
    package: PackageName
    summary: str = ""
    license: str = ""
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
    inputs: dict[Identifier, ValueModel] = Field(default_factory=dict)
    outputs: Annotated[dict[Identifier, ValueModel], Field(min_length=1)] = Field(default_factory=dict)
    attributes: dict[Identifier, AttributeModel] = Field(default_factory=dict)
    types: dict[Identifier, Annotated[list[ElementName], Field(min_length=1)]] = Field(default_factory=dict)
    requires: list[Words] = Field(default_factory=list)
    function: Words = ""
    reference: Words = ""
    vectors: list[Words] = Field(default_factory=list)
    tolerance: ToleranceModel | None = None  # type: ignore[valid-type]


class SpecModel(VersionModel):
    """specs/<domain>/<Function>/spec.yaml"""

    schema_: SchemaNumber = Field(alias="schema")
    domain: str
    name: str
    versions: Annotated[list[VersionModel], Field(min_length=1)] = Field(default_factory=list)
