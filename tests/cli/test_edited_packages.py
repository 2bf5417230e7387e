"""Edits in a library of several packages, which call one another, and of a template come out as in a clean build."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.clean_builds import Built, Opwright, built, built_elsewhere
from tests.shares import one_in

LIBRARY = """\
schema: 1
version: 1.0.0
license: Apache-2.0
opsets: ">=15,<=28"
packages:
  - {library: acme-tail, package: acme_tail, summary: Stands alone., domains: [com.tail]}
  - {library: acme-front, package: acme_front, summary: Calls., domains: [com.front], dependencies: [acme-under]}
  - {library: acme-top, package: acme_top, summary: Calls callers., domains: [com.top], dependencies: [acme-front]}
  - {library: acme-under, package: acme_under, summary: Is called., domains: [com.base]}
"""
DOMAIN = "schema: 1\ndomain: {domain}\nversion: 1\nsummary: Some functions.\n"
SPEC = """\
schema: 1
domain: {domain}
name: {name}
summary: It has no doc.
since_version: 1
opset: ">=15"
inputs: {{{inputs}: T}}
outputs: {{y: T}}
types: {{T: [float, double]}}
"""
OPSET = "from opwright import opset15 as op\n"
BASE = "from acme_under import opset1 as base\n"
SOURCES = {
    "com.base/First": OPSET + "\n\ndef First(x):\n    return op.Mul(x, 1.5)\n",
    "com.base/Second": OPSET + "\n\ndef Second(x):\n    return op.Mul(op.Neg(x), 2.5)\n",
    "com.base/Third": OPSET + "\n\ndef Third(x):\n    return op.Mul(op.Neg(x), 8.5)\n",
    "com.top/Top": "from acme_front import opset1 as front\n" + OPSET + "\n\ndef Top(x):\n"
    "    return op.Mul(front.Caller(x), 9.5)\n",
    "com.front/Plain": OPSET + "\n\ndef Plain(x):\n    return op.Mul(x, 3.5)\n",
    "com.front/Asked": OPSET + "\n\ndef Asked(x):\n    return op.Mul(op.Abs(x), 4.5)\n",
    "com.front/Caller": BASE + OPSET + "\n\ndef Caller(x):\n    return op.Mul(base.First(x), 5.5)\n",
    "com.front/Stack": "from acme_front import opset1 as front\n" + BASE + OPSET + "\n\ndef Stack(*xs):\n"
    "    total = op.Mul(base.Second(xs[0]), 6.5)\n"
    "    for x in xs[1:]:\n        total = front.Asked(total) + x\n    return total\n",
    "com.tail/Tail": OPSET + "\n\ndef Tail(x, alpha: float = 1.25):\n    return op.Mul(op.Exp(x), alpha) * 7.5\n",
    # The body of another package's function, to the last byte.
    "com.front/Alike": OPSET + "\n\ndef Alike(x):\n    return op.Mul(x, 1.5)\n",
}
# A build asks what a call is like, and not whether its outputs are right.
ROWS = "schema: 1\nrows:\n  - {name: two, types: {T: [float]}, inputs: {xs: [[1, 2], [3, 4]]}, outputs: {y: [5, 6]}}\n"


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opwright: Opwright) -> Path:
    root = tmp_path / "packages"
    for place, source in SOURCES.items():
        domain, name = place.split("/")
        folder = root / "specs" / place
        folder.mkdir(parents=True)
        (folder / "function.py").write_text(source)
        spec = SPEC.format(domain=domain, name=name, inputs="xs" if name == "Stack" else "x")
        if name == "Tail":
            spec += "attributes: {alpha: A factor.}\n"
        if name == "Stack":
            spec += "vectors: [vectors.yaml]\n"
            (folder / "vectors.yaml").write_text(ROWS)
        (folder / "spec.yaml").write_text(spec)
        (folder.parent / "domain.yaml").write_text(DOMAIN.format(domain=domain))
    (root / "specs/library.yaml").write_text(LIBRARY)
    monkeypatch.chdir(root)
    assert opwright("build").status == 0
    return root


@pytest.fixture
def from_nothing(
    packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opwright: Opwright
) -> Callable[[], Built]:
    """What a build of the same specs comes to in a folder without any results."""
    return lambda: built_elsewhere(packages, tmp_path / "clean", monkeypatch, opwright)


def edit(place: str, pattern: str, text: str, file: str = "function.py") -> None:
    path = Path("specs", place, file)
    edited, count = re.subn(pattern, text, path.read_text(), count=1)
    assert count == 1, (place, pattern)
    path.write_text(edited)


def factor(place: str, dice: random.Random) -> None:
    """Another one than it is."""
    found = re.search(r"(\d)\.5", Path("specs", place, "function.py").read_text())
    assert found is not None
    edit(place, r"\d\.5", f"{(int(found[1]) + dice.randrange(1, 9)) % 10}.5")


def comment(place: str, dice: random.Random) -> None:
    edit(place, r"    return", f"    # {dice.randrange(1000)}\n    return")


def summary(place: str, dice: random.Random) -> None:
    edit(place, r"summary: .*", f"summary: It is number {dice.randrange(1000)}.", "spec.yaml")


def types(place: str, dice: random.Random) -> None:
    edit(place, r"types: .*", f"types: {{T: {dice.choice(('[float]', '[float, double]'))}}}", "spec.yaml")


def tag(place: str, dice: random.Random) -> None:
    edit(place, r"(tags: .*\n)?inputs", f"tags: [a{dice.randrange(9)}]\ninputs", "spec.yaml")


def callee(place: str, dice: random.Random) -> None:
    """The other one."""
    is_first = "base.First(" in Path("specs", place, "function.py").read_text()
    edit(place, r"base\.\w+\(", f"base.{'Second' if is_first else 'First'}(")


def row(place: str, dice: random.Random) -> None:
    edit(place, r"\[3, \d+\]", f"[3, {dice.randrange(9)}]", "vectors.yaml")


ANYWHERE = [(change, place) for change in (factor, comment, summary, types, tag) for place in SOURCES]
EDITS = [*ANYWHERE, *((callee, place) for place in ("com.front/Caller", "com.front/Stack")), (row, "com.front/Stack")]


@pytest.mark.parametrize("seed", one_in(3, range(6)))
def test_edits_come_out_as_in_a_clean_build(seed: int, opwright: Opwright, from_nothing: Callable[[], Built]) -> None:
    dice = random.Random(seed)
    for step in range(7):
        good = {path: path.read_text() for path in Path("specs").rglob("*.*") if path.is_file()}
        done = [dice.choice(EDITS) for _ in range(dice.choice((1, 1, 2)))]
        for change, place in done:
            change(place, dice)
        made = built(opwright)
        assert from_nothing() == made, (step, done)
        if made[0]:
            for path, text in good.items():
                path.write_text(text)


@pytest.mark.parametrize(
    ("change", "place", "looks_at_all"),
    [
        (factor, "com.tail/Tail", False),
        (factor, "com.front/Plain", False),
        (factor, "com.base/Third", False),  # in packages that others depend on
        (factor, "com.top/Top", False),
        (comment, "com.base/First", False),
        (comment, "com.front/Asked", False),
        (summary, "com.tail/Tail", False),
        (tag, "com.base/First", False),
        (factor, "com.base/First", True),  # another package carries it
        (factor, "com.front/Caller", True),
        (factor, "com.front/Asked", True),  # an instance of a template calls it
        (factor, "com.front/Stack", True),  # a template
        (factor, "com.front/Alike", True),  # a body that its package carries, too
        (callee, "com.front/Caller", True),  # its package carries something else
        (row, "com.front/Stack", True),  # another instance may be asked for
    ],
)
def test_what_an_edit_looks_at(
    change: Callable[[str, random.Random], None],
    place: str,
    looks_at_all: bool,
    looked_through: list[Path],
    packages: Path,
    opwright: Opwright,
    from_nothing: Callable[[], Built],
) -> None:
    for seed in (4, 5) if place != "com.front/Alike" else (4,):  # after which it is not alike any more
        assert opwright("build").status == 0
        del looked_through[:]
        change(place, random.Random(seed))
        made = built(opwright)
        assert (made[0], bool(looked_through)) == (0, looks_at_all)
        assert from_nothing() == made


def test_comments_in_what_was_released_look_at_their_function_alone(
    looked_through: list[Path], packages: Path, opwright: Opwright, from_nothing: Callable[[], Built]
) -> None:
    """All packages are what was released, then one is not, and then it is again."""
    assert opwright("release", "1.0.0", "--unverified").status == 0
    for notes in Path("dist").glob("*.md"):  # which no build writes
        notes.unlink()
    assert opwright("build").status == 0
    for change, place, looks_at_all in (
        (comment, "com.tail/Tail", False),
        (comment, "com.base/First", False),
        (factor, "com.tail/Tail", True),
        (factor, "com.tail/Tail", False),
        (comment, "com.front/Plain", False),
    ):
        del looked_through[:]
        change(place, random.Random(7))
        made = built(opwright)
        assert (made[0], bool(looked_through)) == (0, looks_at_all), (change, place)
        assert from_nothing() == made


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_versions_are_listed_without_reading_them(
    options: tuple[str, ...], looked_through: list[Path], packages: Path, opwright: Opwright
) -> None:
    del looked_through[:]
    known = opwright("ls", *options).out
    assert looked_through == [] and "acme-front" in known
    Path(".opwright/versions.table").unlink()
    assert opwright("ls", *options).out == known and looked_through
