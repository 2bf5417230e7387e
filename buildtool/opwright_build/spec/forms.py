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
from opwright_build.spec.key_docs import KEY_DOCS
from opwright_build.spec.names import (
    Author,
    DistributionName,
    DomainName,
    ElementName,
    Identifier,
    Label,
    License,
    Link,
    LinkName,
    OperatorName,
    OperatorSchema,
    PackageName,
    Release,
    SchemaNumber,
    Text,
    TextFile,
    VersionNumber,
    Words,
)
from opwright_build.spec.runtime_names import runtimes_and_families

MAX_NAMES = 256  # inputs, outputs, attributes or type variables of one version
MAX_VERSIONS = 64
MAX_LIST = 64
MAX_PACKAGES = 256

ElementNames = Annotated[list[ElementName], Field(min_length=1, max_length=MAX_LIST)]
Limit = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Plain = bool | int | float | str | list[int] | None  # a value of an argument


def _short_or_long(value: object) -> str:
    return tag("long") if isinstance(value, dict) else tag("short")


def _size_kind(value: object) -> str:
    return tag("any") if value is None else tag("name") if isinstance(value, str) else tag("number")


def _given_or_none(value: object) -> str:
    return tag("none") if value == "" else tag("given")


Size = TypeAliasType(
    "Size",
    Annotated[
        Annotated[int, Field(ge=0, le=(1 << 63) - 1), Tag(tag("number"))]  # as ONNX writes it down
        | Annotated[Identifier, Tag(tag("name"))]
        | Annotated[None, Tag(tag("any"))],
        Discriminator(_size_kind),
    ],
)


class ValueForm(Strict):
    type: Words
    rank: Annotated[int, Field(ge=0, le=64)] = 0
    shape: Annotated[list[Size], Field(max_length=64)] = Field(default_factory=list)
    variadic: bool = False
    doc: Text = ""


class AttributeForm(Strict):
    doc: Text


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
LimitsForm = dict[str, LimitModel]  # by element type, or for a runtime


def _limit_kind(value: object) -> str:
    is_nested = isinstance(value, dict) and any(isinstance(item, dict) for item in value.values())
    return tag("nested") if is_nested else _short_or_long(value)


# Under `runtimes` the same by runtime.
ToleranceEntry = Annotated[
    Annotated[Words, Tag(tag("short"))]
    | Annotated[LimitForm, Tag(tag("long"))]
    | Annotated[dict[str, LimitsForm], Tag(tag("nested"))],
    Discriminator(_limit_kind),
]
_LIMITS = {
    name: {"type": "number", "minimum": 0, "description": meaning} for name, meaning in KEY_DOCS["LimitForm"].items()
}
_LIMIT: dict[str, Any] = {
    "anyOf": [{"const": "exact"}, {"type": "object", "properties": _LIMITS, "additionalProperties": False}]
}


def _limits_schema(**more: Any) -> dict[str, Any]:
    """Limits by element type, and more keys."""
    return {
        "type": "object",
        "properties": {
            "reason": {"type": "string", "minLength": 1, "description": KEY_DOCS["ToleranceModel"]["reason"]},
            "default": {**_LIMIT, "description": KEY_DOCS["ToleranceModel"]["default"]},
            **more,
        },
        "propertyNames": {"enum": ["default", "reason", *more, *BY_NAME]},
        "additionalProperties": _LIMIT,
    }


_RUNTIMES_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": KEY_DOCS["ToleranceModel"]["runtimes"],
    "propertyNames": {"enum": runtimes_and_families()},
    "additionalProperties": _limits_schema(),
}
ToleranceModel = Annotated[dict[str, ToleranceEntry], WithJsonSchema(_limits_schema(runtimes=_RUNTIMES_SCHEMA))]


class DependencyForm(Strict):
    """The long form of a dependency. `bundle` is a file below specs/."""

    version: Words = ""
    bundle: Words = ""


def _list_or_mapping(value: object) -> str:
    return tag("list") if isinstance(value, list) else tag("mapping")


DependencyModel = TypeAliasType(
    "DependencyModel",
    Annotated[
        Annotated[Words, Tag(tag("short"))] | Annotated[DependencyForm, Tag(tag("long"))],
        Discriminator(_short_or_long),
    ],
)
DependenciesModel = TypeAliasType(
    "DependenciesModel",
    Annotated[
        Annotated[list[DistributionName], Field(max_length=MAX_LIST), Tag(tag("list"))]
        | Annotated[dict[DistributionName, DependencyModel], Field(max_length=MAX_LIST), Tag(tag("mapping"))],
        Discriminator(_list_or_mapping),
    ],
)
Requires = dict[Literal["opwright"], Words]


Authors = Annotated[list[Author], Field(max_length=MAX_LIST)]
Urls = Annotated[dict[LinkName, Link], Field(max_length=MAX_LIST)]
LicenseOrNone = Annotated[
    Annotated[License, Tag(tag("given"))] | Annotated[Literal[""], Tag(tag("none"))], Discriminator(_given_or_none)
]
TextFileOrNone = Annotated[
    Annotated[TextFile, Tag(tag("given"))] | Annotated[Literal[""], Tag(tag("none"))], Discriminator(_given_or_none)
]
LicenseFiles = Annotated[list[TextFile], Field(max_length=MAX_LIST)]


class LibraryModel(Strict):
    """specs/library.yaml of a library that is one package"""

    schema_: SchemaNumber = Field(alias="schema")
    library: DistributionName
    version: Release
    package: PackageName
    summary: Text = ""
    license: LicenseOrNone = ""
    authors: Authors = Field(default_factory=list)
    urls: Urls = Field(default_factory=dict)
    readme: TextFileOrNone = ""
    license_files: LicenseFiles = Field(default_factory=list)
    opsets: Words
    requires: Requires = Field(default_factory=dict)
    dependencies: DependenciesModel = Field(default_factory=dict)


class PackageModel(Strict):
    """An entry of `packages:`; what it leaves out and may stand above all of them is taken from there."""

    library: DistributionName
    package: PackageName
    domains: Annotated[list[DomainName], Field(min_length=1, max_length=MAX_NAMES)]
    version: Release = ""
    summary: Text = ""
    license: LicenseOrNone = ""
    authors: Authors = Field(default_factory=list)
    urls: Urls = Field(default_factory=dict)
    readme: TextFileOrNone = ""
    license_files: LicenseFiles = Field(default_factory=list)
    opsets: Words = ""
    requires: Requires = Field(default_factory=dict)
    dependencies: DependenciesModel = Field(default_factory=dict)


class PackagesModel(Strict):
    """specs/library.yaml of a library of several packages; the other keys at the top hold for each of them"""

    schema_: SchemaNumber = Field(alias="schema")
    version: Release = ""
    license: LicenseOrNone = ""
    authors: Authors = Field(default_factory=list)
    urls: Urls = Field(default_factory=dict)
    readme: TextFileOrNone = ""
    license_files: LicenseFiles = Field(default_factory=list)
    opsets: Words = ""
    requires: Requires = Field(default_factory=dict)
    packages: Annotated[list[PackageModel], Field(min_length=1, max_length=MAX_PACKAGES)]


class DomainModel(Strict):
    """specs/<domain>/domain.yaml"""

    schema_: SchemaNumber = Field(alias="schema")
    version: VersionNumber
    domain: DomainName = ""
    mirror: DomainName = ""
    summary: Text = ""


class ArgumentForm(Strict):
    """What the schema of an operator does not say of an argument: its form, or the values at which it is left out.

    With `of` it is about a parameter that is made of the arguments of these names.
    """

    form: Identifier = ""
    of: Annotated[list[Identifier], Field(max_length=MAX_LIST)] = Field(default_factory=list)
    drop: Annotated[list[Plain], Field(max_length=MAX_LIST)] = Field(default_factory=list)


class ImplementsForm(Strict):
    """An operator of PyTorch that the function stands for."""

    operator: OperatorName
    schema_: OperatorSchema = Field(alias="schema", default="")
    arguments: dict[Identifier, ArgumentForm] = Field(default_factory=dict, max_length=MAX_NAMES)
    promotion: dict[Identifier, Identifier] = Field(default_factory=dict, max_length=MAX_NAMES)
    lifts: bool = False
    rank_of: Identifier = ""


ImplementsModel = TypeAliasType(
    "ImplementsModel",
    Annotated[
        Annotated[OperatorName, Tag(tag("short"))] | Annotated[ImplementsForm, Tag(tag("long"))],
        Discriminator(_short_or_long),
    ],
)


class ProposalForm(Strict):
    """The body of a proposal, which need not be as exact as the function's own."""

    function: Words
    inexact: dict[Words, Words] = Field(default_factory=dict, max_length=MAX_NAMES)


ProposalModel = TypeAliasType(
    "ProposalModel",
    Annotated[
        Annotated[Words, Tag(tag("short"))] | Annotated[ProposalForm, Tag(tag("long"))], Discriminator(_short_or_long)
    ],
)


class VersionModel(Strict):
    """What may stand in an entry of `versions:`, or at the top as a default for all of them."""

    since_version: VersionNumber = 0
    summary: Words = ""
    doc: Text = ""
    deprecated: bool = False
    tags: list[Label] = Field(default_factory=list, max_length=MAX_NAMES)
    opset: Words = ""
    inputs: dict[Identifier, ValueModel] = Field(default_factory=dict, max_length=MAX_NAMES)
    outputs: dict[Identifier, ValueModel] = Field(default_factory=dict, min_length=1, max_length=MAX_NAMES)
    attributes: dict[Identifier, AttributeModel] = Field(default_factory=dict, max_length=MAX_NAMES)
    types: dict[Identifier, ElementNames] = Field(default_factory=dict, max_length=MAX_NAMES)
    function: Words = ""
    reference: Words = ""
    vectors: list[Words] = Field(default_factory=list, max_length=MAX_LIST)
    tolerance: ToleranceModel = Field(default_factory=dict)
    implements: ImplementsModel = ""
    proposal: ProposalModel = ""


class SpecModel(VersionModel):
    """specs/<domain>/<Function>/spec.yaml"""

    schema_: SchemaNumber = Field(alias="schema")
    domain: str
    name: str
    versions: list[VersionModel] = Field(default_factory=list, min_length=1, max_length=MAX_VERSIONS)
