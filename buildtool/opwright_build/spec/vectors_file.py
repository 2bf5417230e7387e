"""A file of vector rows (`vectors.yaml`) as plain values. Element types meet values later; nothing here needs numpy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from opwright.diagnostics.diagnostic import Diagnostic, Place, Related

from opwright_build.spec.boundary import check
from opwright_build.spec.literals import MAX_ELEMENTS, Nested, Number, literal
from opwright_build.spec.vectors_model import (
    ChoiceModel,
    IntegersModel,
    NormalModel,
    RowModel,
    SequenceModel,
    TypedModel,
    UniformModel,
    VariadicModel,
    VectorsModel,
    ZeroModel,
)
from opwright_build.spec.yaml_nodes import MappingNode, Node, Scalar, Sequence, key_places, node_at
from opwright_build.spec.yaml_source import MAX_FINDINGS, read_yaml

_SMALLER = "Large vectors belong in generated rows (`distribution`, `shape`, `seed`)."


@dataclass(frozen=True, slots=True)
class LiteralTensor:
    """Values as they are written: a bool, number or text, or nested tuples of one kind of them. `shape` fits them."""

    values: Nested
    shape: tuple[int, ...]
    type: str | None
    place: Place


@dataclass(frozen=True, slots=True)
class ZeroTensor:
    """A tensor of that shape, all zeros (false, empty text)."""

    shape: tuple[int, ...]
    type: str | None
    place: Place


@dataclass(frozen=True, slots=True)
class Normal:
    mean: float
    std: float


@dataclass(frozen=True, slots=True)
class Uniform:
    """Reals in [low, high)."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Integers:
    """Whole numbers, `low` and `high` included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Choice:
    """Each of the values equally often."""

    values: tuple[bool | Number | str, ...]


Distribution = Normal | Uniform | Integers | Choice


@dataclass(frozen=True, slots=True)
class GeneratedTensor:
    distribution: Distribution
    shape: tuple[int, ...]
    seed: int
    type: str | None
    place: Place


TensorSource = LiteralTensor | ZeroTensor | GeneratedTensor


@dataclass(frozen=True, slots=True)
class SequenceSource:
    """A sequence of tensors, which are all of one element type; none of them states its own."""

    items: tuple[TensorSource, ...]
    type: str | None
    place: Place


ValueSource = TensorSource | SequenceSource


@dataclass(frozen=True, slots=True)
class VariadicSource:
    """What a variadic input or output stands for, one after the other."""

    values: tuple[ValueSource, ...]
    place: Place


GivenSource = ValueSource | VariadicSource


@dataclass(frozen=True, slots=True)
class RandomOutput:
    """What is known of a random output: all of its elements are among `values`, where there are any, and their mean is
    within `within` of `mean`."""

    values: tuple[float, ...]
    mean: float | None
    within: float


@dataclass(frozen=True, slots=True)
class VectorRow:
    """One row. `types` and `versions` narrow it (`versions` None: all); an input or attribute that is None is left out
    on purpose.

    `outputs` None: the oracle says what is right; with `random` of the type and shape alone. `error`, where given, is
    what the runtime's error must contain. `reason` says why `scale` is beyond all values. `place` is the row's;
    `places` maps dotted paths below the row (`inputs.X`, `attributes.alpha`) to their keys.
    """

    name: str
    types: Mapping[str, tuple[str, ...]]
    versions: tuple[int, ...] | None
    attributes: Mapping[str, Nested | None]
    inputs: Mapping[str, GivenSource | None]
    outputs: Mapping[str, GivenSource] | None
    scale: float
    reason: str
    random: RandomOutput | None
    error: str
    doc: str
    place: Place
    places: Mapping[str, Place]


@dataclass(frozen=True, slots=True)
class VectorsFile:
    """The rows in the order of the file, those without errors alone; and everything wrong with the others."""

    rows: tuple[VectorRow, ...]
    diagnostics: tuple[Diagnostic, ...]


def read_vectors_file(data: bytes, file: str) -> VectorsFile:
    """Reads the bytes of a vector file; `file` is the name its places carry."""
    source = read_yaml(data, file, smaller=_SMALLER)
    if source.root is None:
        return VectorsFile((), source.diagnostics)
    checked = check(VectorsModel, source.root)
    found = [*source.diagnostics, *checked.diagnostics]
    rows: list[VectorRow] = []
    if checked.value is not None:
        seen: dict[str, Place] = {}
        for position, model in enumerate(checked.value.rows):
            node = node_at(source.root, ("rows", position))
            assert isinstance(node, MappingNode)
            name_place = node.entries["name"].value.place
            if model.name in seen:
                related = Related(seen[model.name], "the first one stands here")
                message = f"the row name `{model.name}` stands twice"
                found.append(Diagnostic("OW130", message, name_place, related=(related,)))
                continue
            seen[model.name] = name_place
            row, problems = _row(model, node)
            found.extend(problems)
            if not problems:
                rows.append(row)
    return VectorsFile(tuple(rows), tuple(found[:MAX_FINDINGS]))


def _row(model: RowModel, node: MappingNode) -> tuple[VectorRow, list[Diagnostic]]:
    problems = _idle_keys(node)
    attributes: dict[str, Nested | None] = {}
    for name, child in _children(node, "attributes"):
        attributes[name] = None if _is_null(child) else literal(child, problems)[0]
    inputs: dict[str, GivenSource | None] = {}
    for name, child in _children(node, "inputs"):
        inputs[name] = None if _is_null(child) else _given(model.inputs[name], child, problems)
    outputs: dict[str, GivenSource] | None = None
    if model.outputs:
        outputs = {name: _given(model.outputs[name], child, problems) for name, child in _children(node, "outputs")}
    row = VectorRow(
        name=model.name,
        types={variable: tuple(names) for variable, names in model.types.items()},
        versions=tuple(model.versions) or None,
        attributes=attributes,
        inputs=inputs,
        outputs=outputs,
        scale=model.scale,
        reason=model.reason,
        random=_random(model, node, problems),
        error=model.error,
        doc=model.doc,
        place=node.entries["name"].value.place,
        places=key_places(node),
    )
    return row, problems


# Where the first of a pair stands, the second decides nothing: an error has no outputs, what is drawn no tolerance.
_IDLE = (("error", "outputs"), ("error", "random"), ("error", "scale"), ("random", "scale"))


def _idle_keys(node: MappingNode) -> list[Diagnostic]:
    """The keys of a row that say what is right, beside one that leaves nothing of it to say."""
    found: dict[str, Diagnostic] = {}
    stated = {name: entry.key for name, entry in node.entries.items() if not _is_null(entry.value)}
    for key, idle in _IDLE:
        if key in stated and idle in stated:
            message = f"`{idle}` decides nothing in a row with `{key}`"
            found.setdefault(idle, Diagnostic("OW109", message, stated[idle], help="Leave out one of the two."))
    if "reason" in stated and "scale" not in stated:
        message = "`reason` says why `scale` is large, and the row has none"
        found["reason"] = Diagnostic("OW109", message, stated["reason"], help="What a row is for stands in `doc`.")
    return list(found.values())


def _random(model: RowModel, node: MappingNode, problems: list[Diagnostic]) -> RandomOutput | None:
    found = model.random
    if found is None:
        return None
    if (found.mean is None) != (found.within == 0.0):
        problems.append(Diagnostic("OW109", "`mean` and `within` stand together, or neither", _key(node, "random")))
    return RandomOutput(tuple(map(float, found.values)), found.mean, found.within)


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None


def _children(node: MappingNode, key: str) -> list[tuple[str, Node]]:
    entry = node.entries.get(key)
    if entry is None or not isinstance(entry.value, MappingNode):
        return []
    return [(name, child.value) for name, child in entry.value.entries.items()]


def _given(model: object, node: Node, problems: list[Diagnostic]) -> GivenSource:
    if isinstance(model, VariadicModel):
        pairs = zip(model.variadic, _items(node, "variadic"), strict=True)
        return VariadicSource(tuple(_value(value, child, problems) for value, child in pairs), node.place)
    return _value(model, node, problems)


def _value(model: object, node: Node, problems: list[Diagnostic]) -> ValueSource:
    if not isinstance(model, SequenceModel):
        return _tensor(model, node, problems)
    pairs = zip(model.sequence, _items(node, "sequence"), strict=True)
    items = tuple(_tensor(item, child, problems) for item, child in pairs)
    for item in items:
        if item.type is not None:
            message = "the tensors of a sequence are of one type, which stands next to `sequence`"
            problems.append(Diagnostic("OW109", message, item.place))
    return SequenceSource(items, model.type or None, node.place)


def _items(node: Node, key: str) -> list[Node]:
    inner = node_at(node, (key,))
    assert isinstance(inner, Sequence)
    return list(inner.items)


def _tensor(model: object, node: Node, problems: list[Diagnostic]) -> TensorSource:
    match model:
        case ZeroModel():
            return ZeroTensor(_shape(model.shape, node, problems), model.type or None, node.place)
        case TypedModel():
            inner = node_at(node, ("value",))
            assert inner is not None
            values, shape = literal(inner, problems)
            return LiteralTensor(values, shape, model.type or None, node.place)
        case NormalModel() | UniformModel() | IntegersModel() | ChoiceModel():
            shape = _shape(model.shape, node, problems)
            distribution = _distribution(model, node, problems)
            return GeneratedTensor(distribution, shape, model.seed, model.type or None, node.place)
        case _:
            values, shape = literal(node, problems)
            return LiteralTensor(values, shape, None, node.place)


def _distribution(
    model: NormalModel | UniformModel | IntegersModel | ChoiceModel, node: Node, problems: list[Diagnostic]
) -> Distribution:
    match model:
        case NormalModel():
            return Normal(float(model.mean), float(model.std))
        case UniformModel() | IntegersModel():
            if model.low > model.high:
                message = f"`low` is {model.low}, above `high`, which is {model.high}"
                problems.append(Diagnostic("OW109", message, _key(node, "low")))
            if isinstance(model, UniformModel):
                return Uniform(float(model.low), float(model.high))
            return Integers(model.low, model.high)
        case ChoiceModel():
            inner = node_at(node, ("values",))
            assert isinstance(inner, Sequence)
            values, _ = literal(inner, problems)
            flat = tuple(item for item in values if not isinstance(item, tuple)) if isinstance(values, tuple) else ()
            if len(flat) != len(model.values):
                problems.append(Diagnostic("OW109", "`values` must be a flat sequence", inner.place))
            return Choice(flat)


def _shape(shape: list[int], node: Node, problems: list[Diagnostic]) -> tuple[int, ...]:
    if math.prod(shape) > MAX_ELEMENTS:
        message = f"the shape has {math.prod(shape):,} elements; at most {MAX_ELEMENTS:,}"
        problems.append(Diagnostic("OW109", message, _key(node, "shape")))
        return (0,)
    return tuple(shape)


def _key(node: Node, name: str) -> Place:
    if isinstance(node, MappingNode) and name in node.entries:
        return node.entries[name].value.place
    return node.place
