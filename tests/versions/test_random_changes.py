"""Changes drawn at random by a generator that knows what it did, and the comparison has to find out."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from opwright.bundle.format import AttributeEntry, BodyEntry, FunctionEntry, InputEntry, OutputEntry
from opwright_build.versions.promise import Promise, Promised, by_identity
from opwright_build.versions.promise_changes import compare

ELEMENTS = ("float16", "float", "double", "int32", "int64", "bool")
Truth = tuple[str, bool]  # the level, and whether it breaks what worked


def draw_function(random: random.Random, name: str) -> FunctionEntry:
    types = tuple((f"T{index}", tuple(random.sample(ELEMENTS, random.randint(2, 4)))) for index in range(2))
    variables = [variable for variable, _ in types]
    inputs = [
        InputEntry(f"x{index}", random.choice(variables), optional=index > 1, rank=random.choice((None, 0, 2)))
        for index in range(random.randint(2, 4))
    ]
    outputs = [OutputEntry(f"y{index}", random.choice(variables)) for index in range(random.randint(1, 3))]
    attributes = [
        AttributeEntry(f"a{index}", "INT", False, random.randint(0, 9)) for index in range(random.randint(1, 3))
    ]
    attributes.append(AttributeEntry("mode", "STRING", False, "p", choices=("p", "q", "r")))
    attributes.append(AttributeEntry("axis", "INT", True))
    first, last = random.randint(13, 16), random.randint(20, 24)
    body = BodyEntry(
        first,
        last,
        (),
        f"body1:{random.randbytes(32).hex()}",
        tuple(item.name for item in inputs),
        tuple(item.name for item in attributes),
        types,
    )
    return FunctionEntry(
        "com.acme", name, 1, "", "", False, tuple(inputs), tuple(outputs), tuple(attributes), types, (body,)
    )


def promised(functions: list[FunctionEntry]) -> Promised:
    promises = by_identity(Promise(entry) for entry in functions)
    return Promised("acme", "acme", "1.0.0", {"com.acme": "com.acme"}, {"com.acme": 1}, promises)


# ------------------------------------------------------------------------------------------- the edits


def widened(entry: FunctionEntry, types: tuple[tuple[str, tuple[str, ...]], ...]) -> FunctionEntry:
    return replace(entry, types=types, bodies=tuple(replace(body, admits=types) for body in entry.bodies))


def type_less(draw: random.Random, entry: FunctionEntry) -> tuple[FunctionEntry, Truth | None]:
    used = {item.type for item in (*entry.inputs, *entry.outputs)}
    at = draw.choice([index for index, (name, _) in enumerate(entry.types) if name in used])
    name, admitted = entry.types[at]
    types = (*entry.types[:at], (name, admitted[1:]), *entry.types[at + 1 :])
    return widened(entry, types), ("types", True)


def type_more(draw: random.Random, entry: FunctionEntry) -> tuple[FunctionEntry, Truth | None]:
    used = {item.type for item in (*entry.inputs, *entry.outputs)}
    at = draw.choice([index for index, (name, _) in enumerate(entry.types) if name in used])
    name, admitted = entry.types[at]
    new = next(element for element in ELEMENTS if element not in admitted)
    return widened(entry, (*entry.types[:at], (name, (*admitted, new)), *entry.types[at + 1 :])), ("types", False)


def default(draw: random.Random, entry: FunctionEntry) -> tuple[FunctionEntry, Truth | None]:
    at = draw.randrange(len(entry.attributes) - 2)
    item = entry.attributes[at]
    changed = replace(item, default=(item.default if isinstance(item.default, int) else 0) + 1)
    return replace(entry, attributes=(*entry.attributes[:at], changed, *entry.attributes[at + 1 :])), ("wire", True)


def attribute_gone(draw: random.Random, entry: FunctionEntry) -> tuple[FunctionEntry, Truth | None]:
    at = draw.randrange(len(entry.attributes))
    return replace(entry, attributes=(*entry.attributes[:at], *entry.attributes[at + 1 :])), ("wire", True)


def attribute_more(draw: random.Random, entry: FunctionEntry) -> tuple[FunctionEntry, Truth | None]:
    required = draw.random() < 0.5
    new = AttributeEntry("new", "FLOAT", required, None if required else 0.5)
    return replace(entry, attributes=(*entry.attributes, new)), ("wire", required)


def choice_less(draw: random.Random, entry: FunctionEntry) -> tuple[FunctionEntry, Truth | None]:
    attributes = tuple(
        replace(item, choices=tuple(str(word) for word in item.choices if word != "r")) if item.choices else item
        for item in entry.attributes
    )
    return replace(entry, attributes=attributes), ("types", True)


def input_renamed(draw: random.Random, entry: FunctionEntry) -> tuple[FunctionEntry, Truth | None]:
    at = draw.randrange(len(entry.inputs))
    inputs = (*entry.inputs[:at], replace(entry.inputs[at], name="renamed"), *entry.inputs[at + 1 :])
    names = tuple(item.name for item in inputs)
    return replace(entry, inputs=inputs, bodies=tuple(replace(body, inputs=names) for body in entry.bodies)), (
        "source",
        True,
    )


def inputs_swapped(draw: random.Random, entry: FunctionEntry) -> tuple[FunctionEntry, Truth | None]:
    return replace(entry, inputs=(entry.inputs[1], entry.inputs[0], *entry.inputs[2:])), ("wire", True)


def rank(draw: random.Random, entry: FunctionEntry) -> tuple[FunctionEntry, Truth | None]:
    at = draw.randrange(len(entry.inputs))
    before = entry.inputs[at].rank
    after = draw.choice([item for item in (None, 0, 1, 2) if item != before])
    inputs = (*entry.inputs[:at], replace(entry.inputs[at], rank=after), *entry.inputs[at + 1 :])
    return replace(entry, inputs=inputs), ("types", after is not None)


def opsets(draw: random.Random, entry: FunctionEntry) -> tuple[FunctionEntry, Truth | None]:
    (body,) = entry.bodies
    narrower = draw.random() < 0.5
    changed = (
        replace(body, first_opset=body.first_opset + 1) if narrower else replace(body, last_opset=body.last_opset + 2)
    )
    return replace(entry, bodies=(changed,)), ("wire", narrower)


def output_gone(draw: random.Random, entry: FunctionEntry) -> tuple[FunctionEntry, Truth | None]:
    if len(entry.outputs) == 1:
        return replace(entry, outputs=(*entry.outputs, OutputEntry("more", entry.types[0][0]))), ("source", True)
    return replace(entry, outputs=entry.outputs[:-1]), ("wire", True)


def documented(draw: random.Random, entry: FunctionEntry) -> tuple[FunctionEntry, Truth | None]:
    return replace(entry, deprecated=True), ("source", False)


def nothing(draw: random.Random, entry: FunctionEntry) -> tuple[FunctionEntry, Truth | None]:
    return entry, None


def body(draw: random.Random, entry: FunctionEntry) -> tuple[FunctionEntry, Truth | None]:
    (only,) = entry.bodies
    return replace(entry, bodies=(replace(only, body=f"body1:{draw.randbytes(32).hex()}"),)), ("numeric", False)


Edit = Callable[[random.Random, FunctionEntry], tuple[FunctionEntry, Truth | None]]
EDITS: tuple[Edit, ...] = (
    type_less,
    type_more,
    default,
    attribute_gone,
    attribute_more,
    choice_less,
    input_renamed,
    inputs_swapped,
    rank,
    opsets,
    output_gone,
    documented,
    nothing,
    body,
)


@dataclass(frozen=True)
class Drawn:
    """Two states, and what differs in each function."""

    old: Promised
    new: Promised
    truth: dict[str, Truth | None]


def draw_change(seed: int) -> Drawn:
    draw = random.Random(seed)
    before = [draw_function(draw, f"F{index}") for index in range(6)]
    after, truth = [], {}
    for entry in before:
        changed, known = draw.choice(EDITS)(draw, entry)
        after.append(changed)
        truth[entry.identity] = known
    gone = draw.choice(before)
    if draw.random() < 0.4:
        after = [entry for entry in after if entry.identity != gone.identity]
        truth[gone.identity] = ("wire", True)
    if draw.random() < 0.4:
        new = draw_function(draw, "New")
        after.append(new)
        truth[new.identity] = ("source", False)
    return Drawn(promised(before), promised(after), truth)


@pytest.mark.parametrize("seed", range(10))
def test_what_was_drawn_is_found(seed: int) -> None:
    drawn = draw_change(seed)
    changes = compare(drawn.old, drawn.new)
    for identity, truth in drawn.truth.items():
        found = {(change.level.value, change.breaks) for change in changes if change.identity == identity}
        if truth is None:
            assert found == set(), identity
        else:
            assert truth in found, (identity, found)
            assert any(breaks for _, breaks in found) == truth[1], (identity, found)


def test_each_edit_is_drawn_and_each_is_found_alone() -> None:
    for edit in EDITS:
        for seed in range(20):
            draw = random.Random(f"{edit.__name__} {seed}")
            before = draw_function(draw, "F")
            after, truth = edit(draw, before)
            found = {(change.level.value, change.breaks) for change in compare(promised([before]), promised([after]))}
            assert (truth in found) if truth else found == set(), (edit.__name__, seed, found)


def test_the_way_back_is_a_change_too() -> None:
    for seed in range(30):
        drawn = draw_change(seed)
        there = {change.identity for change in compare(drawn.old, drawn.new)}
        assert there == {change.identity for change in compare(drawn.new, drawn.old)}
