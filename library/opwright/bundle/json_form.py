"""The index as JSON and back, with nothing but the standard library: library.json, and the members that it names.

Pairs keep their order, so they are lists and not objects. A float that JSON has no number for (`nan`, `inf`) is written
as that word. Keys are only ever added: a reader passes over those that it does not know.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeGuard, TypeVar

from opwright.bundle.format import (
    AttributeEntry,
    BodyEntry,
    CallEntry,
    DependencyEntry,
    DomainEntry,
    FunctionEntry,
    ImplementsEntry,
    Index,
    InputEntry,
    OutputEntry,
    Shape,
    TemplateEntry,
)

Json = Any  # what `json.loads` gives
_T = TypeVar("_T")
_Default = int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...] | None

_INT64 = 1 << 63
_LONGEST_NAME = 500
_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class MalformedError(Exception):
    """JSON that is no index; the text says where and what."""


def canonical_json(value: Json) -> bytes:
    """One text for one value: sorted keys, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii")


def parse_json(data: bytes) -> Json:
    """The value; MalformedError for what is not JSON, has a key twice or is nested too deep."""
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_object, parse_constant=_constant)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise MalformedError(f"it is not JSON: {reason}") from None


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("an object has a key twice")
    return value


def _constant(word: str) -> Json:
    raise ValueError(f"{word} is not a number of JSON")


# ------------------------------------------------------------------------------------------------------- to JSON


_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(field.name for field in fields(kind))
    for kind in (
        Index,
        DependencyEntry,
        DomainEntry,
        FunctionEntry,
        InputEntry,
        OutputEntry,
        AttributeEntry,
        BodyEntry,
        CallEntry,
        TemplateEntry,
        ImplementsEntry,
    )
}
# Keys that came after the first bundles, each with its default; they are written where they say something else.
_LATER: dict[tuple[type, str], Json] = {
    (InputEntry, "shape"): None,
    (OutputEntry, "variadic"): False,
    (OutputEntry, "shape"): None,
    (BodyEntry, "outputs"): (),
    (FunctionEntry, "templates"): (),
    (FunctionEntry, "implements"): None,
    (ImplementsEntry, "forms"): (),
    (ImplementsEntry, "drops"): (),
    (ImplementsEntry, "promotion"): (),
    (ImplementsEntry, "lifts"): False,
    (ImplementsEntry, "sources"): (),
    (ImplementsEntry, "rank_of"): "",
    (Index, "dependencies"): (),
}
_ALWAYS = object()  # equal to no value


def library_to_json(index: Index) -> dict[str, Json]:
    """What library.json says of the library itself: all of the index but the functions and the dependencies."""
    value: dict[str, Json] = _plain(replace(index, functions=(), dependencies=()))
    del value["functions"]
    return value


def dependency_to_json(dependency: DependencyEntry) -> dict[str, Json]:
    """What library.json says of a dependency itself: all of it but the functions."""
    value: dict[str, Json] = _plain(replace(dependency, functions=()))
    del value["functions"]
    return value


def function_to_json(entry: FunctionEntry) -> dict[str, Json]:
    """An entry as a JSON object, without the members that it needs."""
    value: dict[str, Json] = _plain(entry)
    return value


def _plain(value: object) -> Json:
    if isinstance(value, tuple):
        return [item if type(item) is str else _plain(item) for item in value]
    if type(value) is str:
        return value
    names = _FIELDS.get(type(value))
    if names is not None:
        kind = type(value)
        given = ((name, getattr(value, name)) for name in names)
        return {name: _plain(item) for name, item in given if item != _LATER.get((kind, name), _ALWAYS)}
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if value != value else "inf" if value > 0 else "-inf"
    return value


# ----------------------------------------------------------------------------------------------------- from JSON


class _Place:
    """A value and where it stands, for errors: under a key or at a position of another one."""

    __slots__ = ("around", "step", "value")

    def __init__(self, value: Json, around: _Place | None = None, step: str | int = "") -> None:
        self.value = value
        self.around = around
        self.step = step

    @property
    def path(self) -> str:
        """`functions[3].inputs`."""
        if self.around is None:
            return ""
        before = self.around.path
        if isinstance(self.step, int):
            return f"{before}[{self.step}]"
        return f"{before}.{self.step}" if before else self.step

    def refuse(self, wanted: str) -> MalformedError:
        return MalformedError(f"{self.path or 'the document'} is not {wanted}")

    def get(self, key: str) -> _Place:
        if not isinstance(self.value, dict):
            raise self.refuse("an object")
        if key not in self.value:
            raise MalformedError(f"{_Place(None, self, key).path} is missing")
        return _Place(self.value[key], self, key)

    def maybe(self, key: str) -> _Place | None:
        """The value under a key that may be missing."""
        return self.get(key) if isinstance(self.value, dict) and key in self.value else None

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.refuse("a text")
        if not self.value.isascii() and any("\ud800" <= char <= "\udfff" for char in self.value):
            raise self.refuse("a text that can be encoded")
        return self.value

    def name(self) -> str:
        text = self.text()
        if not text or len(text) > _LONGEST_NAME or not text.isprintable():
            raise self.refuse("a name")
        return text

    def truth(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.refuse("true or false")
        return self.value

    def integer(self, least: int = -_INT64) -> int:
        if not isinstance(self.value, int) or isinstance(self.value, bool) or not least <= self.value < _INT64:
            raise self.refuse("an integer" if least < 0 else f"an integer from {least} on")
        return self.value

    def items(self) -> list[_Place]:
        if not isinstance(self.value, list):
            raise self.refuse("a list")
        return [_Place(item, self, index) for index, item in enumerate(self.value)]

    def map(self, read: Callable[[_Place], _T]) -> tuple[_T, ...]:
        return tuple(read(item) for item in self.items())

    def names(self) -> tuple[str, ...]:
        value = self.value
        if isinstance(value, list) and all(map(_is_name, value)):  # nearly always: no item needs a place of its own
            return tuple(value)
        return self.map(_Place.name)

    def pair(self) -> tuple[_Place, _Place]:
        items = self.items()
        if len(items) != 2:
            raise self.refuse("a pair")
        return items[0], items[1]


def _is_name(value: Json) -> TypeGuard[str]:
    """Whether a place of that value has a `name`."""
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_NAME and value.isprintable()


def _is_text_pair(value: Json) -> bool:
    """Whether a value is a pair of texts, of ASCII alone: others are looked at letter by letter."""
    if not isinstance(value, list) or len(value) != 2:
        return False
    first, second = value
    return isinstance(first, str) and isinstance(second, str) and first.isascii() and second.isascii()


@dataclass(frozen=True, slots=True)
class MemberRef:
    """A member as another one names it."""

    size: int
    sha256: str


FunctionKey = tuple[str, str, int]  # domain, name, since_version


@dataclass(frozen=True, slots=True)
class Layout:
    """What library.json of format 2 says of the bundle.

    `functions` is their number; `members` that of the members which are found by their digests; `tables` are the
    members that list functions, None for one that would list none; `others` are those that the format does not know.
    """

    functions: int
    members: int
    tables: tuple[MemberRef | None, ...]
    others: tuple[tuple[str, MemberRef], ...]


def tables_to_json(functions: int, tables: Sequence[MemberRef | None]) -> dict[str, Json]:
    return {"functions": functions, "tables": [None if ref is None else [ref.size, ref.sha256] for ref in tables]}


def _tables_from_json(place: _Place) -> tuple[int, tuple[MemberRef | None, ...]]:
    tables = place.get("tables").map(lambda item: None if item.value is None else _ref(item.items(), item))
    return place.get("functions").integer(0), tables


def layout_to_json(layout: Layout) -> dict[str, Json]:
    value = tables_to_json(layout.functions, layout.tables) | {"members": layout.members}
    if layout.others:
        value["others"] = refs_to_json(layout.others)
    return value


def layout_from_json(value: Json) -> Layout:
    """MalformedError as below."""
    root = _Place(value)
    others = root.maybe("others")
    functions, tables = _tables_from_json(root)
    return Layout(
        functions,
        root.get("members").integer(0),
        tables,
        () if others is None else others.map(_named_ref),
    )


def table_to_json(rows: Sequence[tuple[FunctionKey, MemberRef]]) -> Json:
    return {"functions": [[*key, ref.size, ref.sha256] for key, ref in rows]}


def table_from_json(value: Json) -> dict[FunctionKey, MemberRef]:
    """The functions that a table lists. MalformedError as below, and where one is there twice."""
    found: dict[FunctionKey, MemberRef] = {}
    for row in _Place(value).get("functions").items():
        domain, name, since, *rest = _at_least(row, 5)
        key = (domain.name(), name.name(), since.integer(1))
        if key in found:
            raise MalformedError(f"{row.path} lists {key[0]}::{key[1]}@{key[2]} again")
        found[key] = _ref(rest, row)
    return found


def refs_to_json(refs: Sequence[tuple[str, MemberRef]]) -> Json:
    return [[path, ref.size, ref.sha256] for path, ref in refs]


def refs_from_json(value: Json, key: str) -> tuple[tuple[str, MemberRef], ...]:
    """The members listed under a key. MalformedError as below."""
    return _Place(value).get(key).map(_named_ref)


def _named_ref(place: _Place) -> tuple[str, MemberRef]:
    path, *rest = _at_least(place, 3)
    return path.name(), _ref(rest, place)


def _ref(items: Sequence[_Place], place: _Place) -> MemberRef:
    if len(items) < 2:
        raise place.refuse("a size and a digest")
    size, digest = items[:2]
    return MemberRef(size.integer(0), _sha256(digest))


def _sha256(place: _Place) -> str:
    text = place.text()
    if len(text) != 64 or text.strip("0123456789abcdef"):
        raise place.refuse("a sha256")
    return text


def _at_least(place: _Place, count: int) -> list[_Place]:
    """The items of a list; later formats may write more of them."""
    items = place.items()
    if len(items) < count:
        raise place.refuse(f"a list of {count}")
    return items


def function_from_json(value: Json) -> FunctionEntry:
    """An entry. MalformedError as below."""
    return _function(_Place(value))


def functions_from_json(value: Json) -> tuple[FunctionEntry, ...]:
    """The entries of an index of format 1. MalformedError as below."""
    return _Place(value).get("functions").map(_function)


def library_from_json(value: Json, functions: Sequence[FunctionEntry]) -> Index:
    """The index. MalformedError where a key is missing or has a value of another kind."""
    root = _Place(value)
    return Index(
        library=root.get("library").name(),
        version=root.get("version").name(),
        package=root.get("package").name(),
        summary=root.get("summary").text(),
        license=root.get("license").text(),
        opsets=_range(root.get("opsets")),
        onnx=root.get("onnx").text(),
        domains=root.get("domains").map(_domain),
        functions=functions,
        requires=root.get("requires").map(_text_pair),
    )


OpenTables = Callable[[int, tuple[MemberRef | None, ...]], Sequence[FunctionEntry]]


def dependencies_from_json(value: Json, open_tables: OpenTables) -> tuple[DependencyEntry, ...]:
    """What library.json carries of other libraries. `open_tables` gives the functions that some tables list, by their
    number and these tables. MalformedError as above."""
    found = _Place(value).maybe("dependencies")
    return () if found is None else found.map(lambda place: _dependency(place, open_tables))


def _dependency(place: _Place, open_tables: OpenTables) -> DependencyEntry:
    return DependencyEntry(
        library=place.get("library").name(),
        version=place.get("version").name(),
        package=place.get("package").name(),
        sha256=_sha256(place.get("sha256")),
        domains=place.get("domains").map(_domain),
        functions=open_tables(*_tables_from_json(place)),
        versions=place.get("versions").map(_named_versions),
        needs=place.get("needs").names(),
    )


def _named_versions(place: _Place) -> tuple[str, tuple[int, ...]]:
    first, second = place.pair()
    return first.name(), second.map(lambda item: item.integer(1))


def _range(place: _Place) -> tuple[int, int]:
    first, last = place.pair()
    return first.integer(1), last.integer(first.integer(1))


def _domain(place: _Place) -> DomainEntry:
    return DomainEntry(place.get("name").name(), place.get("version").integer(1), place.get("mirror").name())


def _function(place: _Place) -> FunctionEntry:
    entry = FunctionEntry(
        domain=place.get("domain").name(),
        name=place.get("name").name(),
        since_version=place.get("since_version").integer(1),
        summary=place.get("summary").text(),
        doc=place.get("doc").text(),
        deprecated=place.get("deprecated").truth(),
        inputs=place.get("inputs").map(_input),
        outputs=place.get("outputs").map(_output),
        attributes=place.get("attributes").map(_attribute),
        types=place.get("types").map(_named_names),
        bodies=place.get("bodies").map(_body),
        templates=() if (found := place.maybe("templates")) is None else found.map(_template),
        implements=None if (operator := place.maybe("implements")) is None else _implements(operator),
    )
    _require_interface(entry)
    return entry


def _implements(place: _Place) -> ImplementsEntry:
    forms, drops, promotion, sources = map(place.maybe, ("forms", "drops", "promotion", "sources"))
    lifts, rank_of = place.maybe("lifts"), place.maybe("rank_of")
    return ImplementsEntry(
        schema=place.get("schema").text(),
        forms=() if forms is None else _text_pairs(forms),
        drops=() if drops is None else drops.map(_named_names),
        promotion=() if promotion is None else _text_pairs(promotion),
        lifts=lifts is not None and lifts.truth(),
        sources=() if sources is None else sources.map(_named_names),
        rank_of="" if rank_of is None else rank_of.name(),
    )


def _require_interface(entry: FunctionEntry) -> None:
    """MalformedError unless every name of a body is one of the interface: all that uses a function relies on that."""
    inputs, attributes = [item.name for item in entry.inputs], [item.name for item in entry.attributes]
    if len({*inputs, *attributes}) != len(inputs) + len(attributes):
        raise MalformedError(f"two parameters of {entry.identity} have one name")
    outputs = [item.name for item in entry.outputs]
    for body in entry.bodies:
        if not _are_of(body.inputs, inputs):
            raise MalformedError(f"a body of {entry.identity} has an input that the function has not")
        if not set(attributes).issuperset(body.attributes):
            raise MalformedError(f"a body of {entry.identity} has an attribute that the function has not")
        if not _are_of(body.outputs, outputs):
            raise MalformedError(f"a body of {entry.identity} has an output that the function has not")
        if len({*body.inputs}) != len(body.inputs) or len({*body.attributes}) != len(body.attributes):
            raise MalformedError(f"a body of {entry.identity} has a parameter twice")


def _are_of(names: Sequence[str], interface: Sequence[str]) -> bool:
    """Whether they are names of the interface, or stand for its last one, if that is variadic: `xs_0`, `xs_1`..."""
    last = interface[-1] if interface else ""
    others = [name for name in names if name not in interface]
    return all(re.fullmatch(rf"{re.escape(last)}_*_[0-9]+", name) for name in others)


def _template(place: _Place) -> TemplateEntry:
    first = place.get("first_opset").integer(1)
    return TemplateEntry(
        first_opset=first,
        last_opset=place.get("last_opset").integer(first),
        template=_digest(place.get("template"), "template"),
        axes=place.get("axes").names(),
    )


def _input(place: _Place) -> InputEntry:
    rank = place.get("rank")
    shape = _shape(place)
    if shape is not None and rank.value != len(shape):
        raise place.refuse("an input whose rank is that of its shape")
    return InputEntry(
        name=place.get("name").name(),
        type=place.get("type").name(),
        optional=place.get("optional").truth(),
        variadic=place.get("variadic").truth(),
        rank=None if rank.value is None else rank.integer(0),
        doc=place.get("doc").text(),
        shape=shape,
    )


def _shape(place: _Place) -> Shape | None:
    found = place.maybe("shape")
    return None if found is None or found.value is None else found.map(_dimension)


def _dimension(place: _Place) -> int | str | None:
    if place.value is None:
        return None
    if isinstance(place.value, str) and not (place.value.isidentifier() and place.value.isascii()):
        raise place.refuse("the name of a size")
    return place.name() if isinstance(place.value, str) else place.integer(0)


def _output(place: _Place) -> OutputEntry:
    variadic = place.maybe("variadic")
    return OutputEntry(
        place.get("name").name(),
        place.get("type").name(),
        place.get("doc").text(),
        variadic is not None and variadic.truth(),
        _shape(place),
    )


def _attribute(place: _Place) -> AttributeEntry:
    kind = place.get("type").name()
    default = place.get("default")
    return AttributeEntry(
        name=place.get("name").name(),
        type=kind,
        required=place.get("required").truth(),
        default=None if default.value is None else _default(default, kind),
        doc=place.get("doc").text(),
        choices=_choices(place.get("choices"), kind),
        is_bool=place.get("is_bool").truth(),
    )


def _choices(place: _Place, kind: str) -> tuple[int, ...] | tuple[str, ...]:
    return place.map(_Place.integer) if kind == "INT" else place.map(_Place.text)


def _default(place: _Place, kind: str) -> _Default:
    match kind:
        case "INT":
            return place.integer()
        case "FLOAT":
            return _float(place)
        case "STRING":
            return place.text()
        case "INTS":
            return place.map(_Place.integer)
        case "FLOATS":
            return place.map(_float)
        case "STRINGS":
            return place.map(_Place.text)
    raise place.refuse(f"a default that an attribute of type {kind} can have")


def _float(place: _Place) -> float:
    if isinstance(place.value, str) and place.value in _WORDS:
        return _WORDS[place.value]
    if isinstance(place.value, bool) or not isinstance(place.value, int | float) or abs(place.value) > 1e300:
        raise place.refuse("a float")
    return float(place.value)


def _body(place: _Place) -> BodyEntry:
    first = place.get("first_opset").integer(1)
    return BodyEntry(
        first_opset=first,
        last_opset=place.get("last_opset").integer(first),
        variant=_text_pairs(place.get("variant")),
        body=_digest(place.get("body")),
        inputs=place.get("inputs").names(),
        attributes=place.get("attributes").names(),
        admits=place.get("admits").map(_named_names),
        calls=place.get("calls").map(_call),
        outputs=() if (outputs := place.maybe("outputs")) is None else outputs.names(),
    )


def _call(place: _Place) -> CallEntry:
    return CallEntry(
        domain=place.get("domain").name(),
        name=place.get("name").name(),
        since_version=place.get("since_version").integer(1),
        variant=_text_pairs(place.get("variant")),
        body=_digest(place.get("body")),
    )


def _digest(place: _Place, kind: str = "body") -> str:
    text = place.text()
    scheme, _, hexadecimal = text.partition(":")
    if not scheme.startswith(kind) or len(hexadecimal) != 64 or hexadecimal.strip("0123456789abcdef"):
        raise place.refuse(f"the digest of a {kind}")
    return text


def _text_pair(place: _Place) -> tuple[str, str]:
    first, second = place.pair()
    return first.text(), second.text()


def _text_pairs(place: _Place) -> tuple[tuple[str, str], ...]:
    value = place.value
    if isinstance(value, list) and all(map(_is_text_pair, value)):  # as `names`
        return tuple(map(tuple, value))
    return place.map(_text_pair)


def _named_names(place: _Place) -> tuple[str, tuple[str, ...]]:
    first, second = place.pair()
    return first.name(), second.names()


def members_from_json(value: Json) -> dict[str, MemberRef]:
    """The members that an index of format 1 lists, by path. MalformedError as above."""
    members: dict[str, MemberRef] = {}
    for place in _Place(value).get("members").items():
        path = place.get("path").name()
        if path in members:
            raise MalformedError(f"{place.path} lists {path} again")
        members[path] = MemberRef(place.get("size").integer(0), place.get("sha256").text())
    return members


def integer_key(value: Json, key: str) -> int:
    """A number of the document's head, such as `reader`. MalformedError where it has none."""
    return _Place(value).get(key).integer(1)
