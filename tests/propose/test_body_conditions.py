"""A builder's branches choose what the linker chooses, for every call there is."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import pytest
from opwright.bundle.format import AttributeEntry, FunctionEntry, InputEntry, OutputEntry
from opwright.variants import Key, match_variants, one_of
from opwright_build.propose.body_conditions import Axis, UnseenError, choose, make_branches

TYPES = ("float16", "float", "double", "bfloat16")
ENTRY = FunctionEntry(
    "ai.onnx",
    "F",
    1,
    "",
    "",
    False,
    (InputEntry("X", "T"), InputEntry("B", "T", optional=True), InputEntry("xs", "T", variadic=True)),
    (OutputEntry("Y", "U"),),
    (
        AttributeEntry("mode", "STRING", False, "a", choices=("a", "b", "c")),
        AttributeEntry("axis", "INT", False),
        AttributeEntry("flag", "INT", False, 0, is_bool=True),
        AttributeEntry("dtype", "INT", False, 1),
    ),
    (("T", TYPES), ("U", ("float", "double"))),
    (),
)
# The answers that a call can give on each axis.
ANSWERS = {
    "T": TYPES,
    "X.rank": ("0", "1", "2", "3", "4"),
    "B": ("absent", "present"),
    "mode": ("a", "b", "c"),
    "axis": ("absent", "present"),
    "flag": ("0", "1"),
}


@dataclass(frozen=True)
class Variant:
    variant: Key
    content: str


def family(*rows: tuple[str, str]) -> list[Variant]:
    """`T=float,B=absent` as a key, and what its body holds."""
    return [
        Variant(tuple((axis, value) for axis, _, value in (pair.partition("=") for pair in key.split(","))), content)
        for key, content in rows
    ]


FAMILIES = {
    "presence": family(("B=absent", "without"), ("B=present", "with")),
    "types": family(("T=float16", "cast"), ("T=bfloat16", "cast"), ("T=float", "plain"), ("T=double", "plain")),
    "one type": family(("T=float", "plain")),
    "types and presence": family(
        *((f"T={kind},B={given}", f"{kind == 'float'}{given}") for kind in TYPES for given in ("absent", "present"))
    ),
    "presence decides for one type alone": family(
        *((f"T={kind},B=absent", "none") for kind in TYPES),
        *((f"T={kind},B=present", "half" if "16" in kind else "none") for kind in TYPES),
    ),
    "ranks": family(("X.rank=2", "matrix"), ("X.rank=3", "cube"), ("X.rank=other", "rest")),
    "ranks of which one has no variant": family(("X.rank=3", "cube"), ("X.rank=not:2|3", "rest")),
    "ranks that share": family(("X.rank=2", "small"), ("X.rank=3", "rest"), ("X.rank=other", "rest")),
    "ranks asked of one presence": family(
        ("X.rank=2,B=absent", "matrix"), ("X.rank=other,B=absent", "rest"), ("B=present", "given")
    ),
    "ranks and types": family(
        ("T=float,X.rank=2", "a"),
        ("T=float,X.rank=other", "b"),
        ("T=double,X.rank=1", "c"),
        ("T=double,X.rank=other", "b"),
    ),
    "values": family(("mode=a", "one"), ("mode=b", "two"), ("mode=c", "one")),
    "presence of an attribute": family(("axis=absent", "all"), ("axis=present", "one")),
    "flags": family(("flag=0", "no"), ("flag=1", "yes")),
    "everything": family(
        *(
            (f"T={kind},B={given},mode={mode}", f"{kind}" if mode == "a" else given)
            for kind in TYPES
            for given in ("absent", "present")
            for mode in ("a", "b", "c")
        )
    ),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_the_branches_choose_what_the_linker_chooses(name: str) -> None:
    variants = FAMILIES[name]
    contents = [item.content for item in variants]
    branches = make_branches(ENTRY, [item.variant for item in variants], contents)
    assert len(branches) == len(set(contents))
    axes = list(dict.fromkeys(axis for item in variants for axis, _ in item.variant))
    for values in product(*(ANSWERS[axis] for axis in axes)):
        facts = dict(zip(axes, values, strict=True))
        wanted = one_of(match_variants(variants, lambda axis, facts=facts: (facts[axis],)), lambda item: item.content)
        position = choose(branches, lambda axis, facts=facts: facts[axis.name])
        assert (None if position is None else contents[position]) == (wanted and wanted.content), facts


def test_facts_that_decide_nothing_are_not_asked() -> None:
    variants = FAMILIES["presence decides for one type alone"]
    branches = make_branches(ENTRY, [item.variant for item in variants], [item.content for item in variants])
    half = next(branch for branch in branches if variants[branch.position].content == "half")
    (tests,) = half.alternatives
    assert [(test.axis.name, test.values) for test in tests] == [("T", ("float16", "bfloat16")), ("B", ("present",))]


def test_a_body_for_all_calls_has_no_condition() -> None:
    variants = family(*((f"T={kind}", "same") for kind in TYPES))
    (branch,) = make_branches(ENTRY, [item.variant for item in variants], ["same"] * len(variants))
    assert branch.alternatives == ((),)


def test_nothing_known_chooses_nothing() -> None:
    variants = FAMILIES["ranks"]
    branches = make_branches(ENTRY, [item.variant for item in variants], [item.content for item in variants])
    assert choose(branches, lambda axis: None) is None


def test_a_type_that_an_attribute_says_is_asked_of_that() -> None:
    variants = family(("U=float", "a"), ("U=double", "b"))
    branches = make_branches(ENTRY, [item.variant for item in variants], ["a", "b"])
    asked: list[Axis] = [test.axis for branch in branches for tests in branch.alternatives for test in tests]
    assert {(axis.index, axis.attribute and axis.attribute.name) for axis in asked} == {(-1, "dtype")}


@pytest.mark.parametrize("key", ["xs=2", "V=float"])
def test_what_a_builder_cannot_see_is_said(key: str) -> None:
    variants = family((key, "a"))
    with pytest.raises(UnseenError):
        make_branches(ENTRY, [variants[0].variant], ["a"])
