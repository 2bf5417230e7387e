"""Stubs of which some functions are rendered anew are those of a package that is rendered whole."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from opwright.bundle.format import AttributeEntry, DomainEntry, FunctionEntry, Index, InputEntry, OutputEntry
from opwright_build.package.typed_package import EditedInterface, edit_stubs, render_stubs

NAMES = ("Alpha", "Beta", "Gamma", "Delta")
TYPES = (("float16", "float", "double"), ("float", "double"), ("float",))
DOCS = ("One.", 'Of "quotes".', "class _F_Beta(_LibraryFunction):", "_T1 and _T2, and _Literal.", "_Final[_F_Beta]")
ATTRIBUTES = (
    AttributeEntry("alpha", "FLOAT", False, 0.5),
    AttributeEntry("axes", "INTS", False),
    AttributeEntry("mode", "STRING", False, "a", choices=("a", "b")),
)


def drawn(name: str, since: int, dice: random.Random) -> FunctionEntry:
    return FunctionEntry(
        "com.acme",
        name,
        since,
        summary=dice.choice(DOCS),
        doc=dice.choice(("", *DOCS)),
        deprecated=dice.random() < 0.2,
        inputs=tuple(InputEntry(each, dice.choice("TTS")) for each in "xyz"[: dice.choice((1, 2, 3))]),
        outputs=(OutputEntry("out", dice.choice("TS")),),
        attributes=tuple(dice.sample(ATTRIBUTES, dice.choice((0, 1, 2)))),
        types=(("T", dice.choice(TYPES)), ("S", dice.choice(TYPES))),
        bodies=(),
    )


def index_of(functions: dict[tuple[str, int], FunctionEntry]) -> Index:
    return Index(
        "acme-ops", "1.0.0", "acme_ops", "", "", (13, 28), "1.23", (DomainEntry("com.acme", 2, "com.acme"),),
        tuple(functions[key] for key in sorted(functions)),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_they_are_those_of_the_whole_package(seed: int) -> None:
    dice = random.Random(seed)
    functions = {(name, since): drawn(name, since, dice) for name in NAMES for since in (1, 2)[: dice.choice((1, 2))]}
    stubs, found = render_stubs(index_of(functions)), 0
    for _ in range(60):
        keys = dice.sample(sorted(functions), dice.choice((1, 1, 2)))
        edits: list[EditedInterface] = []
        for name, since in keys:
            before = functions[name, since]
            now = drawn(name, since, random.Random(f"{seed} {name}") if dice.random() < 0.2 else dice)
            functions[name, since] = now
            edits.append(EditedInterface(before, now, sorted(other for each, other in functions if each == name)))
        now_whole = render_stubs(index_of(functions))
        edited = edit_stubs(index_of({}), stubs, edits)
        if edited is not None:
            found += 1
            assert edited == now_whole
        stubs = now_whole
    assert found


def test_texts_and_defaults_are_told_from_the_function_alone() -> None:
    dice = random.Random(1)
    functions = {(name, 1): drawn(name, 1, dice) for name in NAMES}
    before = functions["Beta", 1]
    for field, value in (("summary", "Other."), ("doc", ""), ("doc", "Longer.\n\nMuch."), ("outputs", before.outputs)):
        now = replace(before, **{field: value})
        stubs = render_stubs(index_of(functions))
        functions["Beta", 1] = now
        assert edit_stubs(index_of({}), stubs, [EditedInterface(before, now, [1])]) == render_stubs(index_of(functions))
        before = now


def test_stubs_that_are_not_those_of_before_are_not_edited() -> None:
    dice = random.Random(2)
    functions = {(name, 1): drawn(name, 1, dice) for name in NAMES}
    other = drawn("Beta", 1, dice)
    stubs = render_stubs(index_of(functions))
    assert edit_stubs(index_of({}), stubs, [EditedInterface(other, functions["Beta", 1], [1])]) is None
    assert edit_stubs(index_of({}), {}, [EditedInterface(functions["Beta", 1], other, [1])]) is None
