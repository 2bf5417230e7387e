"""Templates as a build makes them: resolved, canonical, read back as the same function whatever the bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from opwright.bundle.format import Bundle, DomainEntry, FunctionEntry, Index
from opwright.lang.families.template import MalformedTemplateError, digest_of
from opwright.link import template_bodies
from opwright.link.catalogue import Catalogue, merge_libraries
from opwright.link.template_bodies import CallFacts, Instances, NotMadeError, read_unit
from opwright_build.compile import CompiledVersion

from tests.compile.test_versions import Tree, spec

_POWER = '''\
import math
from opwright import FLOAT, opset18 as op
from .lists import LIMITS, doubled

HALF = math.sqrt(0.25)


def Power(X, times: int = 2):
    """Says nothing to a compiler."""
    # Nor does this.
    factors = [LIMITS[0] * HALF for _ in range(times)]
    if X.dtype == FLOAT:
        X = doubled(X)
    return op.Transpose(X, perm=[times - 2, 3 - times]) * len(factors)
'''
_LISTS = """\
from opwright import opset18 as other

LIMITS = (4, 1.5)


def doubled(x, by=2):
    return other.Mul(x, by)
"""


def compiled(root: Path, source: str = _POWER, name: str = "Power") -> CompiledVersion:
    tree = Tree(
        root,
        {
            f"specs/com.acme/{name}/spec.yaml": spec(name, inputs="{X: {type: T, rank: 2}}"),
            f"specs/com.acme/{name}/function.py": source,
            f"specs/com.acme/{name}/lists.py": _LISTS,
        },
    )
    return tree.compile(name)


def catalogue(entry: FunctionEntry, templates: dict[str, bytes]) -> Catalogue:
    index = Index("a", "1", "a", "", "", (13, 28), "", (DomainEntry("com.acme", 2, "com.acme"),), (entry,))
    return merge_libraries([Bundle(index, {}, "", templates=templates)])


def instance(found: CompiledVersion, opset: int, times: int, element: str = "float") -> Any:
    known = catalogue(found.entry, dict(found.templates))
    unit = read_unit(known, found.entry, found.entry.templates[0])
    return Instances(unit, found.entry).make(opset, CallFacts((f"tensor({element})",), (2,), {"times": times}))


def test_an_open_family_is_a_template(tmp_path: Path) -> None:
    found = compiled(tmp_path)
    assert not found.diagnostics
    assert found.entry.bodies == ()
    (template,) = found.entry.templates
    assert (template.first_opset, template.last_opset, template.axes) == (13, 28, ("times",))
    assert template.template == digest_of(found.templates[template.template])


def test_what_it_reads_stands_in_it(tmp_path: Path) -> None:
    (data,) = compiled(tmp_path).templates.values()
    value = json.loads(data)
    assert value["template"] == 1
    power, doubled = value["functions"]
    assert power["names"] == {
        "FLOAT": ["type", "float", False],
        "HALF": ["value", {"float": "0x1.0000000000000p-1"}],
        "LIMITS": ["tuple", [["value", 4], ["value", {"float": "0x1.8000000000000p+0"}]]],
        "doubled": ["function", 1],
        "len": ["builtin", "", "len"],
        "op": ["opset", "", 18],
        "range": ["builtin", "", "range"],
    }
    assert doubled["names"] == {"other": ["opset", "", 18]}


def test_opsets_that_are_open_stay_so(tmp_path: Path) -> None:
    source = _POWER.replace("HALF =", 'ms = Opset("far", 1, open={"Pool": {"axes": "INTS"}})\nPool = ms.Other\nHALF =')
    source = source.replace("opset18 as op", "Opset, opset18 as op").replace(
        "op.Transpose(X, perm=", "ms.Pool(Pool(X), axes=[], perm="
    )
    found = compiled(tmp_path, source.replace(" * len(factors)", ""))
    assert not found.diagnostics
    (data,) = found.templates.values()
    names = json.loads(data)["functions"][0]["names"]
    kinds = {"Pool": {"axes": "INTS"}}
    assert (names["ms"], names["Pool"]) == (["opset", "far", 1, kinds], ["operator", "far", 1, kinds, "Other"])
    assert instance(found, 18, 2).body.body != instance(found, 18, 3).body.body


def test_comments_and_places_do_not_count(tmp_path: Path) -> None:
    plain = _POWER.replace('    """Says nothing to a compiler."""\n    # Nor does this.\n', "").replace("\n\n\n", "\n")
    assert compiled(tmp_path / "a").templates == compiled(tmp_path / "b", plain).templates


def test_it_is_made_from_its_text_alone(tmp_path: Path) -> None:
    found = compiled(tmp_path)
    two, three = instance(found, 18, 2), instance(found, 18, 3)
    assert two.body.variant == (("T", "float"), ("times", "2"))
    assert two.body.body != three.body.body
    assert two.body.body == instance(found, 18, 2).body.body
    assert instance(found, 18, 2, "double").body.variant == (("T", "double"), ("times", "2"))


def test_what_the_operators_refuse_is_told(tmp_path: Path) -> None:
    wrong = _POWER.replace("op.Transpose(X, perm=[times - 2, 3 - times])", "op.Gelu(X)")
    found = compiled(tmp_path, wrong)
    with pytest.raises(NotMadeError, match=r"`Gelu` is not in opset 18"):
        instance(found, 18, 2)
    assert instance(found, 20, 2).body.body


def test_a_name_without_a_meaning_is_told_when_it_is_built(tmp_path: Path) -> None:
    found = compiled(tmp_path, _POWER.replace("LIMITS[0]", "LIMIT[0]"))
    assert [item.code for item in found.diagnostics] == ["OW302"]


def test_syntax_that_the_language_lacks_is_told_when_it_is_built(tmp_path: Path) -> None:
    found = compiled(tmp_path, _POWER.replace("X = doubled(X)", "X = {X}"))
    assert [item.code for item in found.diagnostics] == ["OW303"]


def _changed(data: bytes, change: Any) -> bytes:
    value = json.loads(data)
    change(value)
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(template=2),
        lambda value: value.update(functions=[]),
        lambda value: value["functions"][0].pop("names"),
        lambda value: value["functions"][0]["names"].update(op=["function", 7]),
        lambda value: value["functions"][0]["names"].update(op=["module", "os"]),
        lambda value: value["functions"][0]["names"].update(op=["opset", "far", 1, {"Pool": {"axes": "THINGS"}}]),
        lambda value: value["functions"][0]["names"].update(op=["opset", "far", 1, {"Pool": {"axes": ["INTS"]}}]),
        lambda value: value["functions"][0]["names"].update(op=["operator", "far", 1, {"Pool": 1}, "Pool"]),
        lambda value: value["functions"][0].update(node=["Import", "os"]),
        lambda value: value["functions"][0]["node"].__setitem__(1, "not a name"),
        lambda value: value["functions"][0]["node"].__setitem__(3, [["Break"]]),
        lambda value: value["functions"][0]["node"][2].__setitem__(2, []),
        lambda value: value["functions"][0]["node"].append(1),
    ],
)
def test_bytes_that_are_no_template(tmp_path: Path, change: Any) -> None:
    found = compiled(tmp_path)
    (template,) = found.entry.templates
    damaged = _changed(found.templates[template.template], change)
    with pytest.raises(MalformedTemplateError):
        read_unit(catalogue(found.entry, {template.template: damaged}), found.entry, template)


@pytest.mark.parametrize("data", [b"", b"[", b"\xff", b"[" * 100_000, b"{}", b"null"])
def test_bytes_that_are_nothing(tmp_path: Path, data: bytes) -> None:
    found = compiled(tmp_path)
    (template,) = found.entry.templates
    with pytest.raises(MalformedTemplateError):
        read_unit(catalogue(found.entry, {template.template: data}), found.entry, template)


def test_calls_that_say_the_same_to_all_that_is_asked_share_a_body(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specialised: list[int] = []
    specialise = template_bodies.specialise

    def counted(unit: Any, opset: int, *rest: Any) -> Any:
        specialised.append(opset)
        return specialise(unit, opset, *rest)

    monkeypatch.setattr(template_bodies, "specialise", counted)
    found = compiled(tmp_path)
    known = catalogue(found.entry, dict(found.templates))
    instances = Instances(read_unit(known, found.entry, found.entry.templates[0]), found.entry)

    def made(opset: int, times: int, element: str = "float", rank: int | None = 2) -> Any:
        return instances.make(opset, CallFacts((f"tensor({element})",), (rank,), {"times": times, "other": rank}))

    first = made(18, 2)
    assert made(18, 2, rank=None) is first, "of ranks nothing is asked"
    assert made(18, 3).body != first.body and made(18, 2, "double").body != first.body
    assert made(21, 2).body != first.body
    assert specialised == [18, 18, 18, 21]
    later = instances.make(19, CallFacts(("tensor(float)",), (2,), {"times": 2}), first)
    assert instances.make(19, CallFacts(("tensor(float)",), (None,), {"times": 2}), first) is later
    for times in (2, 3):
        again = Instances(read_unit(known, found.entry, found.entry.templates[0]), found.entry)
        assert again.make(18, CallFacts(("tensor(float)",), (2,), {"times": times})).body == made(18, times).body


def test_a_call_that_cannot_be_made_tells_the_statement(tmp_path: Path) -> None:
    """A template keeps no lines."""
    source = (
        "from opwright import opset18 as op\n\n\n"
        "def Power(X, times: int = 2):\n    Y = op.Concat(*[X for _ in range(times)], axis=0)\n"
        "    if times > 2:\n        Y = Y * None\n    return Y\n"
    )
    found = compiled(tmp_path, source)
    assert instance(found, 18, 2)
    with pytest.raises(NotMadeError, match=r"`\*` is not defined for None.*\(in `Y = Y \* None`\)"):
        instance(found, 18, 3)
