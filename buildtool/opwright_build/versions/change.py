"""A change between two states of a library: one small record, whatever it is about."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Level(Enum):
    """What a change reaches: models that hold the node, the types of their tensors, people's sources, values."""

    WIRE = "wire"
    TYPES = "types"
    SOURCE = "source"
    NUMERIC = "numeric"


class Kind(Enum):
    """(word, level, whether it breaks what worked, whether a released since_version may not do it, text).

    `{what}` is what changed, `{before}` and `{after}` how.
    """

    FUNCTION_GONE = "function-gone", Level.WIRE, True, True, "it is gone"
    VERSION_GONE = (
        "version-gone-above",
        Level.WIRE,
        True,
        True,
        "it is gone, and models that name it would get {after} in its place",
    )
    EMITTED = "emitted-domain", Level.WIRE, True, True, "it is emitted in {after}, and was in {before}"
    INPUT_GONE = "input-gone", Level.WIRE, True, True, "the input {what} is gone"
    INPUT_MOVED = "input-moved", Level.WIRE, True, True, "the input {what} is {after}, and was {before}"
    INPUT_ADDED = "input-added", Level.WIRE, True, True, "the required input {what} is new"
    INPUT_ADDED_OPTIONAL = "optional-input-added", Level.WIRE, False, True, "the optional input {what} is new"
    INPUT_REQUIRED = "input-required", Level.WIRE, True, True, "the input {what} is required, and was optional"
    INPUT_OPTIONAL = "input-optional", Level.WIRE, False, True, "the input {what} is optional, and was required"
    INPUT_SINGLE = "input-single", Level.WIRE, True, True, "the input {what} is a single one, and was variadic"
    INPUT_VARIADIC = "input-variadic", Level.WIRE, False, True, "the input {what} is variadic, and was a single one"
    OUTPUT_GONE = "output-gone", Level.WIRE, True, True, "the output {what} is gone"
    OUTPUT_MOVED = "output-moved", Level.WIRE, True, True, "the output {what} is {after}, and was {before}"
    OUTPUT_COUNT = "output-count", Level.WIRE, True, True, "the output {what} is {after}, and was {before}"
    ATTRIBUTE_GONE = "attribute-gone", Level.WIRE, True, True, "the attribute {what} is gone"
    ATTRIBUTE_ADDED = "attribute-added", Level.WIRE, True, True, "the required attribute {what} is new"
    ATTRIBUTE_ADDED_OPTIONAL = (
        "optional-attribute-added",
        Level.WIRE,
        False,
        True,
        "the attribute {what} is new, {after}",
    )
    ATTRIBUTE_TYPE = "attribute-type", Level.WIRE, True, True, "the attribute {what} is {after}, and was {before}"
    ATTRIBUTE_REQUIRED = (
        "attribute-required",
        Level.WIRE,
        True,
        True,
        "the attribute {what} is required, and was {before}",
    )
    ATTRIBUTE_OPTIONAL = (
        "attribute-optional",
        Level.WIRE,
        False,
        True,
        "the attribute {what} is {after}, and was required",
    )
    DEFAULT = "default", Level.WIRE, True, True, "the default of {what} is {after}, and was {before}"
    OPSETS_NARROWED = "opsets-narrowed", Level.WIRE, True, True, "it has no body at opset {what}"
    VARIANT_GONE = "variant-gone", Level.WIRE, True, True, "at opset {before}, it has no body for {what}"
    OPSETS_WIDENED = "opsets-widened", Level.WIRE, False, False, "it serves opset {what} as well"

    TYPES_NARROWED = "types-narrowed", Level.TYPES, True, True, "{what} no longer takes {after}"
    TYPES_WIDENED = "types-widened", Level.TYPES, False, True, "{what} takes {after} as well"
    OPSET_TYPES = (
        "types-narrowed-at-opset",
        Level.TYPES,
        True,
        True,
        "at opset {before}, {what} no longer takes {after}",
    )
    OPSET_TYPES_WIDENED = (
        "types-widened-at-opset",
        Level.TYPES,
        False,
        False,
        "at opset {before}, {what} takes {after} as well",
    )
    TYPES_TIED = "types-tied", Level.TYPES, True, True, "{what} must have the type of {after}"
    TYPES_UNTIED = "types-untied", Level.TYPES, False, True, "{what} need not have the type of {before}"
    INPUT_TYPE = "input-type", Level.TYPES, True, True, "the input {what} has type {after}, and had {before}"
    OUTPUT_TYPE = "output-type", Level.TYPES, True, True, "the output {what} has type {after}, and had {before}"
    RANK = "rank", Level.TYPES, True, True, "the input {what} has {after}, and had {before}"
    RANK_FREE = "rank-free", Level.TYPES, False, True, "the input {what} has any rank, and had {before}"
    SHAPE = "shape", Level.TYPES, True, True, "the input {what} has {after}, and had {before}"
    SHAPE_FREE = "shape-free", Level.TYPES, False, True, "the input {what} may have {after}, and had {before}"
    OUTPUT_SHAPE = "output-shape", Level.TYPES, True, True, "the output {what} has {after}, and had {before}"
    OUTPUT_SHAPE_SAID = (
        "output-shape-said",
        Level.TYPES,
        False,
        True,
        "the output {what} has {after}, and was promised {before}",
    )
    CHOICE_GONE = "choice-gone", Level.TYPES, True, True, "the attribute {what} no longer takes {after}"
    CHOICE_ADDED = "choice-added", Level.TYPES, False, True, "the attribute {what} takes {after} as well"

    INPUT_NAME = "input-renamed", Level.SOURCE, True, True, "the input {after} was called {before}"
    OUTPUT_NAME = "output-renamed", Level.SOURCE, False, True, "the output {after} was called {before}"
    OUTPUT_ADDED = "output-added", Level.SOURCE, True, True, "the output {what} is new, and calls return one more value"
    ATTRIBUTE_MOVED = "attribute-moved", Level.SOURCE, False, True, "the attributes are {after}, and were {before}"
    ATTRIBUTE_BOOL = "attribute-bool", Level.SOURCE, True, True, "the attribute {what} is {after}, and was {before}"
    VARIABLE_NAME = "type-variable-renamed", Level.SOURCE, False, True, "the type variable {after} was called {before}"
    LIBRARY = "library-renamed", Level.SOURCE, True, False, "the distribution is {after}, and was {before}"
    PACKAGE = "package-renamed", Level.SOURCE, True, False, "the package is {after}, and was {before}"
    LICENSE = "license", Level.SOURCE, False, False, "its license is {after}, and was {before}"
    REQUIRES = "requires", Level.SOURCE, False, False, "it needs {after}, and needed {before}"
    FIRST_DOMAIN = (
        "first-domain",
        Level.SOURCE,
        True,
        False,
        "names such as `opset1` are of the domain {what}, and were of {before}",
    )
    DOMAIN_MOVED = (
        "domain-moved",
        Level.WIRE,
        True,
        False,
        "the domain {what} is of the package {after}, no longer of {before}",
    )
    DOMAIN_TAKEN = (
        "domain-taken",
        Level.SOURCE,
        False,
        False,
        "the domain {what} is of this package, and was of {before}",
    )
    OPERATOR_GONE = "operator-gone", Level.SOURCE, True, True, "it no longer implements {before}"
    OPERATOR_ADDED = "operator-added", Level.SOURCE, False, False, "it implements {after}"
    OPERATOR = "operator", Level.SOURCE, True, True, "it implements {after}, and implemented {before}"
    OPERATOR_SCHEMA = "operator-schema", Level.SOURCE, True, True, "its operator is {after}, and was {before}"
    OPERATOR_SCHEMA_WIDENED = (
        "operator-schema-widened",
        Level.SOURCE,
        False,
        False,
        "its operator is {after}, which takes all that {before} does",
    )
    OPERATOR_KEY = "operator-key", Level.SOURCE, True, True, "`implements: {what}` is {after}, and was {before}"
    OPERATOR_CALLS_ADDED = (
        "operator-calls-added",
        Level.SOURCE,
        False,
        False,
        "`implements: {what}` is {after}, and was {before}",
    )
    DEPRECATED = "deprecated", Level.SOURCE, False, False, "it is deprecated"
    NOT_DEPRECATED = "no-longer-deprecated", Level.SOURCE, False, False, "it is no longer deprecated"
    FUNCTION_ADDED = "function-added", Level.SOURCE, False, False, "it is new"
    VERSION_ADDED = "version-added", Level.SOURCE, False, False, "it is new, beside {before}"
    VERSION_BELOW = (
        "version-added-below",
        Level.WIRE,
        True,
        True,
        "it is new, and models of version {after} of its domain would get it in the place of {before}",
    )
    DOMAIN_LOWERED = (
        "domain-version-lowered",
        Level.WIRE,
        True,
        True,
        "the domain {what} has version {after}, and had {before}",
    )

    BODY = "body", Level.NUMERIC, False, False, "its body differs; what it computes was not compared"
    VALUES_EQUAL = "values-equal", Level.NUMERIC, False, False, "its body differs; {after}"
    VALUES_CLOSE = "values-close", Level.NUMERIC, False, False, "its body differs; {after}"
    VALUES_DIFFER = "values-differ", Level.NUMERIC, True, True, "it computes something else: {after}"
    VALUES_UNKNOWN = "values-unknown", Level.NUMERIC, False, False, "its body differs, and {after}"

    def __init__(self, word: str, level: Level, breaks: bool, promised: bool, text: str) -> None:
        self.word = word
        self.level = level
        self.breaks = breaks
        self.promised = promised
        self.text = text


@dataclass(frozen=True, slots=True)
class Change:
    """`identity` is the version that changed, empty for the library; `what` names the part of it."""

    identity: str
    kind: Kind
    what: str = ""
    before: str = ""
    after: str = ""

    def explain(self) -> str:
        """What happened, as the end of a sentence about the version."""
        return self.kind.text.format(what=self.what, before=self.before, after=self.after)

    @property
    def level(self) -> Level:
        return self.kind.level

    @property
    def breaks(self) -> bool:
        return self.kind.breaks

    @property
    def undecided(self) -> bool:
        """Whether it may break what worked, as nothing tells what it computes."""
        return self.kind in (Kind.BODY, Kind.VALUES_UNKNOWN)

    @property
    def adds(self) -> bool:
        """Whether there is something that was not there before: more than a patch may bring."""
        return not self.breaks and self.level is not Level.NUMERIC
