"""Which body a call means, as conditions on what the standard's builders can see of it.

The keys of the variants are exact facts, one variant each. Here the variants that share a body become one branch,
whose facts are merged: `T=float16` and `T=bfloat16` become "T is one of both", and an axis that no longer decides is
left out.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from opwright.bundle.format import AttributeEntry, FunctionEntry
from opwright.lang.facts import ABSENT, PRESENT, RANK, declared_values
from opwright.variants import NOT, OTHER, Key

from opwright_build.verify.cases.bindings import type_attribute


class AxisKind(Enum):
    TYPE = "type"
    PRESENCE = "presence"
    RANK = "rank"
    ATTRIBUTE = "attribute"


@dataclass(frozen=True, slots=True)
class Axis:
    """A question that chooses a body.

    `index` is the input that answers it, -1 where an attribute does: `attribute` is then that one. `values` are all
    answers there are, empty where they are open.
    """

    name: str
    kind: AxisKind
    index: int
    attribute: AttributeEntry | None
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Test:
    """The axis has one of the values; `negated`: a value that is none of them."""

    axis: Axis
    values: tuple[str, ...]
    negated: bool = False

    def holds(self, answer: str | None) -> bool:
        """`answer` is None where nothing is known."""
        return answer is not None and (answer in self.values) != self.negated


@dataclass(frozen=True, slots=True)
class Branch:
    """Calls for which every test of one alternative holds get the body at `position` among the variants."""

    alternatives: tuple[tuple[Test, ...], ...]
    position: int


class UnseenError(Exception):
    """A builder of the standard cannot see what decides; the message names it."""


Answer = Callable[[Axis], str | None]


def choose(branches: Sequence[Branch], answer: Answer) -> int | None:
    """The position of the variant that a builder made of these branches takes; None where it builds nothing."""
    for branch in branches:
        if any(all(test.holds(answer(test.axis)) for test in tests) for tests in branch.alternatives):
            return branch.position
    return None


def make_branches(entry: FunctionEntry, keys: Sequence[Key], contents: Sequence[Hashable]) -> tuple[Branch, ...]:
    """One branch for each different body, the most particular first. Raises UnseenError."""
    axes = {name: _axis(entry, name) for name in dict.fromkeys(name for key in keys for name, _ in key)}
    cubes = [_cube(axes, key, keys) for key in keys]
    groups: dict[Hashable, list[int]] = {}
    for position, content in enumerate(contents):
        groups.setdefault(content, []).append(position)
    branches = [Branch(_merged([cubes[item] for item in group]), group[0]) for group in groups.values()]
    return tuple(sorted(branches, key=lambda branch: sum(_is_other(pair) for pair in keys[branch.position])))


# --------------------------------------------------------------------------------------------------- axes


def _axis(entry: FunctionEntry, name: str) -> Axis:
    for index, item in enumerate(entry.inputs):
        if item.variadic and name in (item.name, item.name + RANK):
            raise UnseenError(f"how many tensors {item.name} holds")
        if name == item.name:
            return Axis(name, AxisKind.PRESENCE, index, None, (ABSENT, PRESENT))
        if name == item.name + RANK:
            return Axis(name, AxisKind.RANK, index, None, ())
    for attribute in entry.attributes:
        if attribute.name == name:
            return Axis(name, AxisKind.ATTRIBUTE, -1, attribute, _answers(attribute))
    return _type_axis(entry, name)


def _type_axis(entry: FunctionEntry, name: str) -> Axis:
    admitted = dict(entry.types).get(name, ())
    typed = [index for index, item in enumerate(entry.inputs) if item.type == name]
    required = [index for index in typed if not entry.inputs[index].optional]
    if typed:
        return Axis(name, AxisKind.TYPE, (required or typed)[0], None, admitted)
    bound = type_attribute(entry)
    if bound is None or bound[0] != name:
        raise UnseenError(f"the element type {name}, which neither an input nor an attribute says")
    return Axis(name, AxisKind.TYPE, -1, bound[1], admitted)


def _answers(attribute: AttributeEntry) -> tuple[str, ...]:
    values = declared_values(attribute.choices, attribute.is_bool)
    optional = attribute.default is None and not attribute.required
    if values:
        return (ABSENT, *values) if optional else values
    return (ABSENT, PRESENT) if optional else ()


# -------------------------------------------------------------------------------------------------- cubes

Cube = dict[str, Test]


def _cube(axes: Mapping[str, Axis], key: Key, keys: Sequence[Key]) -> Cube:
    """The facts of one variant. `other` becomes what it means: none of the values that its neighbours have."""
    tests: Cube = {}
    for name, value in key:
        if value == OTHER:
            rest = [pair for pair in key if pair[0] != name]
            named = dict.fromkeys(dict(other)[name] for other in keys if _agrees(dict(other), name, rest))
            tests[name] = Test(axes[name], tuple(item for item in named if item != OTHER), negated=True)
        elif value.startswith(NOT):
            tests[name] = Test(axes[name], tuple(value.removeprefix(NOT).split("|")), negated=True)
        else:
            tests[name] = Test(axes[name], (value,))
    return tests


def _agrees(other: Mapping[str, str], name: str, rest: Iterable[tuple[str, str]]) -> bool:
    return name in other and all(other.get(axis, value) == value for axis, value in rest)


def _is_other(pair: tuple[str, str]) -> bool:
    return pair[1] == OTHER or pair[1].startswith(NOT)


def _merged(cubes: Sequence[Cube]) -> tuple[tuple[Test, ...], ...]:
    """As few alternatives as joining two at a time gives."""
    left = [_reduced(cube) for cube in cubes]
    joined = True
    while joined:
        joined = False
        for first in range(len(left)):
            for second in range(first + 1, len(left)):
                both = _joined(left[first], left[second])
                if both is not None:
                    left[first] = both
                    del left[second]
                    joined = True
                    break
            if joined:
                break
    return tuple(tuple(cube.values()) for cube in left)


def _joined(one: Cube, two: Cube) -> Cube | None:
    """One cube for both, where that is possible: they differ on one axis at most, or one holds the other."""
    if all(two.get(name) == test for name, test in one.items()):
        return one
    if all(one.get(name) == test for name, test in two.items()):
        return two
    if one.keys() != two.keys():
        return None
    differing = [name for name, test in one.items() if two[name] != test]
    if len(differing) != 1:
        return None
    name = differing[0]
    test = _either(one[name], two[name])
    rest = {axis: item for axis, item in one.items() if axis != name}
    return rest if test is None else _reduced({axis: test if axis == name else one[axis] for axis in one})


def _either(one: Test, two: Test) -> Test | None:
    """What holds if one of both does; None where that is everything."""
    if not one.negated and not two.negated:
        return Test(one.axis, tuple(dict.fromkeys((*one.values, *two.values))))
    if one.negated and two.negated:
        ruled_out = tuple(value for value in one.values if value in two.values)
    else:
        no, yes = (one, two) if one.negated else (two, one)
        ruled_out = tuple(value for value in no.values if value not in yes.values)
    return Test(one.axis, ruled_out, negated=True) if ruled_out else None


def _reduced(cube: Cube) -> Cube:
    """Less the axes on which every answer is right."""
    return {
        name: test
        for name, test in cube.items()
        if test.negated or not test.axis.values or not set(test.axis.values) <= set(test.values)
    }
