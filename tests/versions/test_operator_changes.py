"""What changes in the operator of PyTorch that a function implements, and whether exporters notice."""

from __future__ import annotations

import random
from dataclasses import fields, replace

import pytest
from opwright.bundle.format import ImplementsEntry
from opwright_build.versions.change import Level
from opwright_build.versions.operator_changes import operator_changes
from opwright_build.versions.promise import Promise
from opwright_build.versions.promise_changes import compare_versions
from opwright_build.versions.semantic import Step, needed

from tests.versions.test_random_changes import draw_function

SCHEMA = "acme::f(Tensor self, int[] sizes, *, float eps=1.0, Tensor? out=None, str mode='a') -> Tensor"
BASE = ImplementsEntry(
    SCHEMA,
    forms=(("self", "axes"),),
    drops=(("eps", ("1.0", "2.0")),),
    promotion=(("T", "wide"),),
    sources=(("rank", ("self",)),),
)
# (name, what is changed, the kinds of what is told, whether it breaks what worked)
ROWS: list[tuple[str, dict[str, object], list[str], bool]] = [
    ("another operator", {"schema": SCHEMA.replace("::f", "::g"), "lifts": True}, ["operator"], True),
    ("an overload", {"schema": SCHEMA.replace("::f", "::f.x")}, ["operator"], True),
    ("other arguments", {"schema": SCHEMA.replace("eps=1.0", "eps=2.0")}, ["operator-schema"], True),
    ("arguments swapped", {"schema": SCHEMA.replace("Tensor self, int[] sizes", "int[] sizes, Tensor self")},
     ["operator-schema"], True),
    ("an argument gone", {"schema": SCHEMA.replace(", str mode='a'", "")}, ["operator-schema"], True),
    ("an argument required", {"schema": SCHEMA.replace("str mode='a'", "str mode")}, ["operator-schema"], True),
    ("an argument before", {"schema": SCHEMA.replace("int[]", "int n=1, int[]")}, ["operator-schema"], True),
    ("no list", {"schema": SCHEMA.replace("int[]", "int")}, ["operator-schema"], True),
    ("no None", {"schema": SCHEMA.replace("Tensor? out=None", "Tensor out=None")}, ["operator-schema"], True),
    ("another result", {"schema": SCHEMA.replace("-> Tensor", "-> (Tensor, Tensor)")}, ["operator-schema"], True),
    ("an argument with a default", {"schema": SCHEMA.replace(") ->", ", int n=1) ->")}, ["operator-schema-widened"],
     False),
    ("sizes that are computed", {"schema": SCHEMA.replace("int[]", "SymInt[]")}, ["operator-schema-widened"], False),
    ("the text alone", {"schema": SCHEMA.replace("int[] sizes, *", "int[] sizes,  *")}, [], False),
    ("a form", {"forms": (("self", "all_axes"),)}, ["operator-key"], True),
    ("a form gone", {"forms": ()}, ["operator-key"], True),
    ("a form more", {"forms": (("self", "axes"), ("sizes", "axes"))}, ["operator-key"], True),
    ("forms in another order", {"forms": BASE.forms[::-1]}, [], False),
    ("a source", {"sources": (("rank", ("sizes",)),)}, ["operator-key"], True),
    ("a promotion", {"promotion": (("T", "kept"),)}, ["operator-key"], True),
    ("a promotion gone", {"promotion": ()}, ["operator-key"], True),
    ("lifts", {"lifts": True}, ["operator-key"], True),
    ("a rank", {"rank_of": "self"}, ["operator-key"], True),
    ("a value less", {"drops": (("eps", ("1.0",)),)}, ["operator-key"], True),
    ("a value more", {"drops": (("eps", ("1.0", "2.0", "3.0")),)}, ["operator-calls-added"], False),
    ("any value", {"drops": (("eps", ()),)}, ["operator-calls-added"], False),
    ("the same values", {"drops": (("eps", ("2.0", "1")),)}, [], False),
    ("the default alone", {"drops": ()}, ["operator-key"], True),
    ("the default said", {"drops": (*BASE.drops, ("mode", ('"a"',)))}, [], False),
    ("beside the default", {"drops": (*BASE.drops, ("mode", ('"a"', '"b"')))}, ["operator-calls-added"], False),
    ("no default", {"drops": (*BASE.drops, ("mode", ('"b"',)))}, ["operator-key"], True),
    ("one that had to be given", {"drops": (*BASE.drops, ("sizes", ("[1]",)))}, ["operator-calls-added"], False),
]  # fmt: skip


@pytest.mark.parametrize(("name", "edit", "kinds", "breaks"), ROWS, ids=[row[0] for row in ROWS])
def test_what_exporters_notice(name: str, edit: dict[str, object], kinds: list[str], breaks: bool) -> None:
    changed = replace(BASE, **edit)  # type: ignore[arg-type]
    found = list(operator_changes(BASE, changed))
    assert [item.kind.word for item in found] == kinds
    assert any(item.kind.breaks for item in found) == breaks
    assert all(item.kind.promised == item.kind.breaks for item in found)
    assert bool(list(operator_changes(changed, BASE))) == bool(kinds)


def test_each_key_has_its_row() -> None:
    assert {key for _, edit, _, _ in ROWS for key in edit} == {item.name for item in fields(ImplementsEntry)}


def test_an_operator_comes_and_may_not_go() -> None:
    entry = draw_function(random.Random(1), "F")
    without, having = Promise(entry), Promise(replace(entry, implements=BASE))
    (added,), (gone,) = compare_versions(without, having), compare_versions(having, without)
    assert (added.level, added.breaks, added.kind.promised) == (Level.SOURCE, False, False)
    assert (gone.level, gone.breaks, gone.kind.promised) == (Level.SOURCE, True, True)
    assert [needed(change, (1, 0, 0)) for change in (added, gone)] == [Step.MINOR, Step.MAJOR]
    assert (added.explain(), gone.explain()) == ("it implements acme::f", "it no longer implements acme::f")


def test_texts_that_are_none_are_compared_as_texts() -> None:
    """A bundle that is compared may be of another tool, or of rules that are not ours."""
    strange = ImplementsEntry("acme::f(what?", drops=(("eps", ("{",)),))
    assert list(operator_changes(strange, strange)) == []
    assert next(item.kind.word for item in operator_changes(strange, BASE)) == "operator-schema"
    assert list(operator_changes(strange, replace(strange, drops=(("eps", ("{", "}")),))))
