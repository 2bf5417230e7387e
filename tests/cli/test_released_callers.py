"""Functions that call others, once both are released: a new body of a callee leaves its callers guarded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opwright_build.versions import superseded as superseded_bodies

Opwright = Callable[..., Any]
RELEASED = Path("specs/com.acme/released")
LIBRARY = Path("specs/library.yaml")
SPEC = """schema: 1
domain: {domain}
name: {name}
summary: A function.
since_version: 1
opset: ">=18"
inputs: {{X: T}}
outputs: {{Y: T}}
types: {{T: [float]}}
vectors: [vectors.yaml]
reference: reference.py
"""
ROWS = "schema: 1\nrows:\n  - {name: some, inputs: {X: [1.0, 2.0, 3.0]}}\n"
PACKAGES = (
    'schema: 1\nopsets: ">=18,<=18"\npackages:\n'
    "  - {library: base, version: 1.0.0, package: base, domains: [com.acme]}\n"
    "  - {library: more, version: 1.0.0, package: more, domains: [com.more], dependencies: [base]}\n"
)
INNER = "op.Mul(X, 1.5)"
SAME = "op.Mul(1.5, X)"
NEAR = "op.Mul(op.Mul(X, 1.5), 1.0000002)"  # 2 ulp
MAGNIFIED = "op.Mul(op.Sub({}, op.Mul(X, 1.5)), 1000000.0)"  # what is 2 ulp in Inner is all there is


def write(domain: str, name: str, body: str, result: str) -> None:
    folder = Path("specs", domain, name)
    folder.mkdir(parents=True, exist_ok=True)
    package = "more" if "base" in body else "base"
    calls = f"from {package} import opset1 as own\n" if "own." in body else ""
    calls += "from base import opset1 as base\n" if "base." in body else ""
    (folder / "spec.yaml").write_text(SPEC.format(domain=domain, name=name))
    (folder / "vectors.yaml").write_text(ROWS)
    (folder / "reference.py").write_text(f"def {name}(X):\n    return {result}\n")
    (folder / "function.py").write_text(
        f"from opwright import opset18 as op\n{calls}\n\ndef {name}(X):\n    return {body}\n"
    )


def in_next_version(domain: str, name: str) -> None:
    """Makes a function one of version 2 of its domain: version 1 was released without it."""
    spec = Path("specs", domain, name, "spec.yaml")
    spec.write_text(spec.read_text().replace("since_version: 1", "since_version: 2"))
    Path("specs", domain, "domain.yaml").write_text("schema: 1\nversion: 2\n")


def inner(body: str) -> None:
    write("com.acme", "Inner", body, "1.5 * X")


@pytest.fixture
def chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opwright: Opwright) -> None:
    """A released library: Inner, Outer that calls it, and Outest that calls that."""
    monkeypatch.chdir(tmp_path)
    Path("specs/com.acme").mkdir(parents=True)
    LIBRARY.write_text('schema: 1\nlibrary: base\nversion: 1.0.0\npackage: base\nopsets: ">=18,<=18"\n')
    Path("specs/com.acme/domain.yaml").write_text("schema: 1\nversion: 1\n")
    inner(INNER)
    write("com.acme", "Outer", MAGNIFIED.format("own.Inner(X)"), "0.0 * X")
    write("com.acme", "Outest", "op.Neg(own.Outer(X))", "0.0 * X")
    assert opwright("release", "1.0.0", "--unverified").status == 0


def found(ran: Any) -> list[tuple[str, str]]:
    items = [line["finding"] for line in ran.lines if line["event"] == "finding"]
    return [(item["code"], item["message"].split("::")[1].split("@")[0]) for item in items]


def accepted(opwright: Opwright, names: str) -> Any:
    chosen = [word for name in names.split() for word in ("--accept", name)]
    return opwright("lock", *chosen, "--within", "exact", "--reason", "order", "--json")


def contents() -> dict[Path, bytes]:
    """What all locks of the library are, and the texts beside them."""
    return {path: path.read_bytes() for path in Path("specs").glob("*/released/*")}


def superseded() -> list[str]:
    return sorted(path.stem for path in RELEASED.glob("*.txt") if "\nsuperseded, opset 18-18" in path.read_text())


@pytest.mark.usefixtures("chain")
def test_a_caller_is_compared_after_its_callee_was_accepted(opwright: Opwright) -> None:
    inner(SAME)
    assert found(opwright("build", "--json")) == [("OW613", "Inner"), ("OW613", "Outer"), ("OW613", "Outest")]
    assert opwright("lock", "--accept", "Inner", "--reason", "order").status == 0
    assert superseded() == ["Inner-1"]
    assert found(opwright("build", "--json")) == [("OW613", "Outer"), ("OW613", "Outest")]
    inner(NEAR)
    built = opwright("build", "--json")
    assert built.status == 1
    assert found(built) == [("OW613", "Inner"), ("OW614", "Outer"), ("OW614", "Outest")]


@pytest.mark.usefixtures("chain")
@pytest.mark.parametrize(
    ("refused", "callee", "order"),
    [
        ("", "", ["Inner", "Outer", "Outest"]),
        ("Outer", "Inner", ["Inner", "Outer", "Outest"]),
        ("Outest", "Outer", ["Inner Outer", "Outest"]),
        ("Outer Outest", "Inner", ["Inner", "Outest Outer"]),
        ("Inner Outest", "Outer", ["Outest Inner Outer"]),
    ],
)
def test_a_callee_is_accepted_before_its_callers_or_with_them(
    refused: str, callee: str, order: list[str], opwright: Opwright
) -> None:
    inner(SAME)
    if refused:
        before = contents()
        ran = accepted(opwright, refused)
        items = [line["finding"] for line in ran.lines if line["event"] == "finding"]
        (item,) = [item for item in items if item["code"] == "OW616"]
        assert ran.status == 1
        assert f"calls a body of com.acme::{callee}@1 that is not accepted" in item["message"]
        assert f"`opwright lock --accept com.acme::{callee}@1 " in item["help"]
        assert contents() == before
    for names in order:
        ran = accepted(opwright, names)
        assert ran.status == 0, ran.err
    checked = opwright("lock", "--check", "--json")
    assert (checked.status, found(checked)) == (0, [])
    released = opwright("release", "1.0.1", "--unverified")
    assert released.status == 0, released.err
    assert superseded() == []
    assert opwright("lock", "--check").status == 0


@pytest.mark.usefixtures("chain")
@pytest.mark.parametrize("again", ["op.Add(X, op.Mul(X, 0.5))", INNER])
def test_a_callee_that_is_edited_again_leaves_its_caller_guarded(again: str, opwright: Opwright) -> None:
    inner(SAME)
    assert accepted(opwright, "Outer").status == 1
    assert accepted(opwright, "Inner Outer").status == 0
    inner(again)
    write("com.acme", "Outer", "op.Add(" + MAGNIFIED.format("own.Inner(X)") + ", X)", "X")
    built = opwright("build", "--json")
    assert built.status == 1
    assert ("OW614", "Outer") in found(built)
    assert "OW615" not in dict(found(built))
    assert opwright("lock", "--all", "--reason", "order", "--unjudged").status == 1


@pytest.mark.usefixtures("chain")
def test_a_caller_of_a_new_function_is_accepted_before_that_is_released(opwright: Opwright) -> None:
    """A function without a lock cannot be accepted: it is released along with its caller."""
    write("com.acme", "New", SAME, "1.5 * X")
    in_next_version("com.acme", "New")
    write("com.acme", "Outer", MAGNIFIED.format("own.New(X)"), "0.0 * X")
    function = Path("specs/com.acme/Outer/function.py")
    function.write_text(function.read_text().replace("base import opset1", "base import opset2"))
    assert accepted(opwright, "Outer").status == 0
    assert opwright("release", "1.1.0", "--unverified").status == 1, "Outest calls Outer"
    assert accepted(opwright, "Outest").status == 0
    released = opwright("release", "1.1.0", "--unverified")
    assert released.status == 0, released.err


@pytest.mark.usefixtures("chain")
def test_a_caller_of_a_body_for_another_opset_is_accepted(opwright: Opwright) -> None:
    """What the callee has at an opset that the release did not serve replaces no body: there is none to accept."""
    inner("op.Mul(op.Cast(X, to=1), 1.5)")
    assert accepted(opwright, "Inner Outer Outest").status == 0
    assert opwright("release", "1.0.1", "--unverified").status == 0
    LIBRARY.write_text(LIBRARY.read_text().replace("<=18", "<=19"))
    write("com.acme", "Outer", MAGNIFIED.format("own.Inner(X)").replace("X, 1.5", "1.5, X"), "0.0 * X")
    ran = accepted(opwright, "Inner")
    assert ran.status == 0
    assert [line["accepted"] for line in ran.lines if line["event"] == "summary"] == [[]]
    for name in ("Outer", "Outest"):
        assert accepted(opwright, name).status == 0
    released = opwright("release", "1.1.0", "--unverified")
    assert released.status == 0, released.out
    assert (RELEASED / "Inner-1.txt").read_text().count("\nbody ") == 2


@pytest.mark.usefixtures("chain")
def test_a_superseded_body_that_was_edited_is_found(opwright: Opwright) -> None:
    inner(SAME)
    assert opwright("lock", "--accept", "Inner", "--reason", "order").status == 0
    path = RELEASED / "Inner-1.txt"
    text = path.read_text()
    for changed in (text.replace("superseded, ", ""), text[: text.rindex("\nbody ")]):
        path.write_text(changed)
        assert "error OW610: Inner-1.txt is not as it was written" in opwright("lock", "--check").out


@pytest.mark.usefixtures("chain")
def test_a_caller_whose_callee_was_not_kept_says_so(opwright: Opwright, monkeypatch: pytest.MonkeyPatch) -> None:
    """Earlier locks kept no superseded body."""
    inner(SAME)
    with monkeypatch.context() as patch:
        patch.setattr(superseded_bodies, "with_superseded", lambda now, before, coming: dict(now))
        assert opwright("lock", "--accept", "Inner", "--reason", "order").status == 0
    assert superseded() == []
    for ran in (opwright("build", "--json"), opwright("lock", "--check", "--json")):
        items = [line["finding"] for line in ran.lines if line["event"] == "finding"]
        assert {item["code"] for item in items} <= {"OW615", "OW616"}
        for item in items:
            assert "calls com.acme::Inner@1, which is missing" in item["reason"]
            assert "--unjudged" in item["help"]
            assert "vectors" not in item["help"]


@pytest.mark.usefixtures("chain")
def test_a_body_that_no_lock_keeps_is_not_passed_over(opwright: Opwright, monkeypatch: pytest.MonkeyPatch) -> None:
    inner(SAME)
    before = contents()
    monkeypatch.setattr(superseded_bodies, "unaccepted_callees", lambda *_: [])
    ran = accepted(opwright, "Outer")
    assert ran.status not in (0, 1)
    assert "no lock keeps the body" in ran.out + ran.err
    assert contents() == before


@pytest.mark.usefixtures("chain")
def test_callers_in_another_package_are_compared(opwright: Opwright) -> None:
    LIBRARY.write_text(PACKAGES)
    Path("specs/com.more").mkdir()
    Path("specs/com.more/domain.yaml").write_text("schema: 1\nversion: 1\n")
    write("com.more", "Far", MAGNIFIED.format("base.Inner(X)"), "0.0 * X")
    assert opwright("release", "1.0.0", "-p", "more", "--unverified").status == 0
    inner(SAME)
    told = [line["effect"] for line in opwright("diff", "--format", "json").lines if line["event"] == "change"]
    assert told == ["compatible"] * 4
    assert opwright("lock", "--all", "--reason", "order", "-p", "base").status == 0
    assert superseded() == ["Inner-1"]
    assert opwright("release", "1.0.1", "-p", "base", "--unverified").status == 0
    assert superseded() == ["Inner-1"]
    assert opwright("lock", "--check", "-p", "base").status == 0
    assert found(opwright("build", "--json", "-p", "more")) == [("OW613", "Far")]
    inner(NEAR)
    assert found(opwright("build", "--json", "-p", "more")) == [("OW614", "Far")]


@pytest.mark.usefixtures("chain")
def test_a_package_is_not_released_against_a_body_that_nobody_accepted(opwright: Opwright) -> None:
    LIBRARY.write_text(PACKAGES)
    Path("specs/com.more").mkdir()
    Path("specs/com.more/domain.yaml").write_text("schema: 1\nversion: 1\n")
    far = MAGNIFIED.format("base.Inner(X)")
    write("com.more", "Far", far, "0.0 * X")
    assert opwright("release", "1.0.0", "-p", "more", "--unverified").status == 0
    inner(SAME)
    write("com.more", "Further", far, "0.0 * X")
    in_next_version("com.more", "Further")
    before = contents()
    for command in (
        ("lock", "--accept", "Far", "--reason", "order"),
        ("lock", "--accept", "Far", "--reason", "order", "-p", "more"),
        ("release", "1.1.0", "-p", "more", "--unverified"),
    ):
        ran = opwright(*command, "--json")
        assert (ran.status, contents()) == (1, before)
        messages = [line["finding"]["message"] for line in ran.lines if line["event"] == "finding"]
        assert "com.more::Far@1 calls a body of com.acme::Inner@1 that is not accepted" in messages
    assert "com.more::Further@2 calls a body of com.acme::Inner@1 that is not accepted" in messages
    assert opwright("lock", "--all", "--reason", "order").status == 0
    assert opwright("release", "1.1.0", "-p", "more", "--unverified").status == 0
    inner(INNER)
    write("com.more", "Far", "op.Add(" + far + ", X)", "X")
    assert ("OW614", "Far") in found(opwright("build", "--json"))
