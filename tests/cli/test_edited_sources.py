"""After an edit of sources alone only what rests on them is looked at, and all comes out as from a clean build."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path

import pytest
from opwright_build.engine import action as engine_action
from opwright_build.engine import hints
from opwright_build.workflow.built.version_table import VERSION_LINES, VERSION_TABLE

from benchmarks.generated_specs import write_library
from tests.cli.clean_builds import Built, Opwright, built, built_elsewhere
from tests.shares import one_in

FUNCTIONS = 12  # every fourth calls another one
CALLERS = (3, 7, 11)
OWN = "from generated_ops import opset1 as own\n"
TABLE = Path(".opwright", VERSION_TABLE)


@pytest.fixture(params=one_in(2, ["few", "many"]))
def library_size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small library as it is, and treated as one whose reads are many and whose files have been there for long."""
    if request.param == "many":
        monkeypatch.setattr(engine_action, "MANY_READS", 0)
        monkeypatch.setattr(hints, "SETTLED_NS", 0)


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opwright: Opwright) -> Path:
    root = tmp_path / "edited"
    write_library(root, FUNCTIONS, 7)
    monkeypatch.chdir(root)
    assert opwright("build").status == 0
    return root


def source(number: int, file: str = "function.py") -> Path:
    return Path("specs/com.example", f"Made{number:05}", file)


def edit(number: int, pattern: str, text: str, file: str = "function.py") -> None:
    path = source(number, file)
    edited, count = re.subn(pattern, text, path.read_text(), count=1)
    assert count == 1
    path.write_text(edited)


def another_factor(dice: random.Random) -> None:
    edit(dice.randrange(FUNCTIONS), r"    v3 = .*", f"    v3 = op.Mul(v2, {dice.randrange(2, 9)}.5)")


def another_default(dice: random.Random) -> None:
    """Which callers and the stubs are told."""
    edit(dice.randrange(FUNCTIONS), r"alpha: float = [\d.]+", f"alpha: float = {dice.randrange(2, 9)}.25")


def call(number: int, callee: int) -> None:
    edit(number, r"    v4 = .*", f"    v4 = own.Made{callee:05}(v3, x)")
    if OWN not in source(number).read_text():
        edit(number, r"\A", OWN)


def another_callee(dice: random.Random) -> None:
    call(dice.choice(CALLERS), dice.choice((0, 1, 2)))


def with_its_callee(change: Callable[[int, int, random.Random], None]) -> Callable[[random.Random], None]:
    """An edit of a function that calls another one, together with one of what it calls."""

    @wraps(change)
    def edit_both(dice: random.Random) -> None:
        caller = dice.choice(CALLERS)
        found = re.search(r"own\.Made(\d+)", source(caller).read_text())
        callee = dice.choice((0, 1, 2)) if found is None else int(found[1])
        change(caller, callee, dice)
        edit(callee, r"    v3 = .*", f"    v3 = op.Mul(v2, {dice.randrange(2, 9)}.75)")

    return edit_both


@with_its_callee
def a_call_less(caller: int, callee: int, dice: random.Random) -> None:
    edit(caller, r"    v4 = .*", "    v4 = op.Add(v3, x)")


@with_its_callee
def a_call_reversed(caller: int, callee: int, dice: random.Random) -> None:
    edit(caller, r"    v4 = .*", "    v4 = op.Add(v3, x)")
    call(callee, caller)


@with_its_callee
def a_syntax_error(caller: int, callee: int, dice: random.Random) -> None:
    edit(caller, r"    return", "    )\n    return")


@with_its_callee
def a_helper(caller: int, callee: int, dice: random.Random) -> None:
    """Which is new, or gone, or gone where it is still imported."""
    path, used = source(caller, "helper.py"), "from .helper import shifted\n"
    if used not in source(caller).read_text():
        path.write_text("from opwright import opset15 as op\n\n\ndef shifted(x):\n    return op.Add(x, 1.0)\n")
        edit(caller, r"\A", used)
        edit(caller, r"    v1 = .*", "    v1 = shifted(v0)")
        return
    path.unlink()
    if dice.random() < 0.5:
        edit(caller, used, "")
        edit(caller, r"    v1 = .*", "    v1 = op.Neg(v0)")


def a_comment(dice: random.Random) -> None:
    edit(dice.randrange(FUNCTIONS), r"    return", f"    # {dice.randrange(1000)}\n    return")


def a_finding(dice: random.Random) -> None:
    """An attribute that nothing reads, or is read again."""
    number = dice.randrange(FUNCTIONS)
    if ", unused: int = 1)" in source(number).read_text():
        edit(number, r", unused: int = 1\)", ")")
    else:
        edit(number, r"\):\n", ", unused: int = 1):\n")


def a_mistake(dice: random.Random) -> None:
    edit(dice.randrange(FUNCTIONS), r"    return .*", "    return op.Nothing(x)")


def another_attribute(dice: random.Random) -> None:
    """Which is new, or of another type, or gone; the stubs may import something else for it."""
    number = dice.randrange(FUNCTIONS)
    edit(number, r"(, beta: [^)]*)?\):\n", "):\n")
    edit(number, r"    v8 = (op\.Mul\()?(.*?)(, beta\))?\n", r"    v8 = \2\n")
    kind = dice.choice(("", "float = 1.5", "float = 0.5", "Literal[1, 2] = 1"))
    if kind:
        edit(number, r"\):\n", f", beta: {kind}):\n")
        edit(number, r"    v8 = (.*)", r"    v8 = op.Mul(\1, beta)")
    edit(number, r"(from typing import Literal\n)?from opwright import", "from opwright import")
    if kind.startswith("Literal"):
        edit(number, "from opwright import", "from typing import Literal\nfrom opwright import")


def another_input(dice: random.Random) -> None:
    """Of another name, in the source and in the spec: both are read anew."""
    number = dice.randrange(FUNCTIONS)
    name = dice.choice(("y", "other", "factor"))
    path = source(number)
    before = re.search(r"\(x, (\w+), alpha", path.read_text())
    assert before is not None
    path.write_text(re.sub(rf"\b{before[1]}\b", name, path.read_text()))
    edit(number, rf"\b{before[1]}: T", f"{name}: T", "spec.yaml")


def another_spec(pattern: str, *texts: str) -> Callable[[random.Random], None]:
    """An edit of a spec.yaml: one of these texts where the pattern is found."""

    def edit_spec(dice: random.Random) -> None:
        edit(dice.randrange(FUNCTIONS), pattern, dice.choice(texts), "spec.yaml")

    return edit_spec


def another_row(dice: random.Random) -> None:
    edit(dice.randrange(FUNCTIONS), r"x: \[.*?\]", f"x: [0, {dice.randrange(99)}]", "vectors.yaml")


SPEC_EDITS = (
    another_spec(r"summary: .*", "summary: It is short.", 'summary: "Two words: \\"x\\"."', "summary: _T1 is no type."),
    another_spec(r"alpha: .*", "alpha: A scale.", "alpha: Multiplies what comes out."),
    another_spec(r"schema: 1\n(tags: .*\n)?", "schema: 1\n", "schema: 1\ntags: [a]\n", "schema: 1\ntags: [a, b]\n"),
    another_spec(r"(# .*\n)?schema: 1", "schema: 1", "# A comment.\nschema: 1", "# Another one.\nschema: 1"),
    another_spec(
        r"types: .*", "types: {T: [float, double]}", "types: {T: [float16, float, double]}", "types: {T: [int8]}"
    ),
    another_spec(r'opset: ".*"', 'opset: ">=15"', 'opset: ">=18"', 'opset: ">=15,<=22"', 'opset: ">=99"'),
    another_spec(r"(deprecated: .*\n)?inputs", "inputs", "deprecated: true\ninputs"),
    another_spec(r"(doc: .*\n)?inputs", "inputs", "doc: Longer.\ninputs"),
    another_spec(r"(tolerance: .*\n)?inputs", "inputs", "tolerance: {default: {ulp: 1}}\ninputs"),
    another_spec(r"x: T", "x: T", "x: {type: T, rank: 2}", "x: {type: T, doc: Any.}"),
)
CALLER_EDITS = (a_call_less, a_call_reversed, a_syntax_error, a_helper, a_helper)
EDITS = (
    another_factor,
    another_factor,
    another_default,
    another_callee,
    *CALLER_EDITS,
    a_comment,
    a_finding,
    a_mistake,
    another_attribute,
    another_attribute,
    another_input,
    another_row,
    *SPEC_EDITS,
)


@pytest.fixture
def from_nothing(
    generated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opwright: Opwright
) -> Callable[[], Built]:
    """What a build of the same specs comes to in a folder without any results."""
    return lambda: built_elsewhere(generated, tmp_path / "clean", monkeypatch, opwright)


ALIKE = """\
from opwright import opset15 as op
from .{home}common import helper


def {name}(x):
    return helper({body})
"""
ALIKE_SPEC = """\
schema: 1
domain: com.example
name: {name}
summary: 'Not a body: "body1:{digest}": 1'
since_version: 1
opset: ">=15"
inputs: {{x: T}}
outputs: {{y: T}}
types: {{T: [float]}}
"""
HELPER = """\
from opwright import opset15 as op


def helper(x):
    return op.{operator}(x)
"""


def test_functions_that_become_alike_share_bodies(opwright: Opwright, from_nothing: Callable[[], Built]) -> None:
    """They read one helper, and what the body of one was may be needed by another."""
    dice, home = random.Random(11), Path("specs/com.example")
    names = [f"Alike{letter}" for letter in "ABCD"]

    def write(name: str) -> None:
        body = dice.choice(("op.Relu(x)", "op.Neg(op.Relu(x))", "op.Exp(x)"))
        text = ALIKE.format(name=name, body=body, home="" if name == names[0] else f".{names[0]}.")
        (home / name / "function.py").write_text(text)

    def help_with(operator: str) -> None:
        (home / names[0] / "common.py").write_text(HELPER.format(operator=operator))

    for name in names:
        (home / name).mkdir()
        (home / name / "spec.yaml").write_text(ALIKE_SPEC.format(name=name, digest="ab" * 32))
        write(name)
    help_with("Abs")
    assert opwright("build").status == 0
    for step in range(6):
        for name in dice.sample(names, dice.choice((1, 1, 2))):
            write(name)
        if dice.random() < 0.4:
            help_with(dice.choice(("Abs", "Neg")))
        made = built(opwright)
        assert made[0] == 0
        assert from_nothing() == made, step


def test_a_caller_that_gets_less_far_than_before_while_its_callee_is_edited(
    opwright: Opwright, from_nothing: Callable[[], Built]
) -> None:
    dice = random.Random(3)
    for each in CALLER_EDITS:
        another_callee(dice)
        assert opwright("build").status == 0
        good = {path: path.read_text() for path in Path("specs").rglob("*.*") if path.is_file()}
        each(dice)
        made = built(opwright)
        assert from_nothing() == made, each
        if made[0]:
            for path, text in good.items():
                path.write_text(text)


@pytest.mark.usefixtures("library_size")
@pytest.mark.parametrize("seed", one_in(2, range(2)))
def test_edits_come_out_as_in_a_clean_build(seed: int, opwright: Opwright, from_nothing: Callable[[], Built]) -> None:
    dice = random.Random(seed)
    for step in range(8):
        good = {path: path.read_text() for path in Path("specs").rglob("*.*") if path.is_file()}
        done = [dice.choice(EDITS) for _ in range(dice.choice((1, 1, 2, 3)))]
        for each in done:
            each(dice)
        made = built(opwright)
        assert from_nothing() == made, (step, done)
        if made[0]:
            for path, text in good.items():
                path.write_text(text)


@pytest.mark.long
def test_edits_of_what_was_released_come_out_as_in_a_clean_build(
    looked_through: list[Path], opwright: Opwright, from_nothing: Callable[[], Built]
) -> None:
    """Bodies that differ from those released, promises that are broken, and back again; a clean build has the lock."""
    assert opwright("release", "1.0.0", "--unverified").status == 0
    Path("dist/generated-ops-1.0.0.md").unlink()  # notes, which no build writes
    released = [source(number).read_text() for number in range(FUNCTIONS)]

    def back(*numbers: int) -> None:
        for number in numbers:
            source(number).write_text(released[number])

    result, edits = r"    return (.*)", []  # each with its exit status, and whether the whole library is looked at
    edits.append((partial(edit, 4, result, r"    return op.Mul(\1, 1.0)"), 0, True))  # which is no release any more
    edits.append((partial(edit, 5, result, r"    return op.Mul(\1, 1.0)"), 0, False))
    edits.append((partial(edit, 5, r", 1.0\)\n", ", 1.0)  # again\n"), 0, False))
    edits.append((partial(edit, 2, r"summary: .*", "summary: It is short.", "spec.yaml"), 0, False))
    edits.append((partial(edit, 4, r"    v3 = .*", "    v3 = op.Mul(v2, 4.5)"), 1, False))  # which is something else
    edits.append((partial(edit, 3, r"alpha: float = [\d.]+", "alpha: float = 7.25"), 1, True))  # nor was that promised
    edits.append((partial(back, 3), 1, True))  # dist/ has not what it was
    edits.append((partial(back, 4), 0, True))
    edits.append((partial(edit, 7, result, r"    return op.Mul(\1, 1.0)"), 0, False))
    edits.append((partial(back, 5), 0, False))
    edits.append((partial(back, 7), 0, True))
    for step, (change, status, looks_at_all) in enumerate(edits):
        change()
        del looked_through[:]
        made = built(opwright)
        assert (made[0], bool(looked_through)) == (status, looks_at_all), step
        assert from_nothing() == made, step


@pytest.mark.usefixtures("library_size")
def test_heads_and_lines_of_other_builds_do_no_harm(opwright: Opwright, from_nothing: Callable[[], Built]) -> None:
    """As a build leaves them that is killed between the two, or as an older backup has them."""
    dice = random.Random(5)
    files = (TABLE, TABLE.with_name(VERSION_LINES))
    saved: list[tuple[bytes, ...]] = []
    for step in range(6):
        saved.append(tuple(file.read_bytes() for file in files))
        for each in dice.sample((another_factor, another_default, a_comment, SPEC_EDITS[0]), 2):
            each(dice)
        for position, file in enumerate(files):
            if dice.random() < 0.6:
                file.write_bytes(dice.choice(saved)[position])
        made = built(opwright)
        assert from_nothing() == made, step


def test_other_functions_are_not_looked_at(
    generated: Path, looked_through: list[Path], tmp_path: Path, opwright: Opwright
) -> None:
    edit(3, r"own\.Made\d+", "own.Made00002")
    assert opwright("build").status == 0
    assert looked_through, "who calls another function may close a circle"
    del looked_through[:]
    callers = [number for number in (7, 11) if "own.Made00003(" in source(number).read_text()]
    for number, expected in ((5, [5]), (2, [2, 3, *callers])):
        edit(number, r"    v3 = .*", "    v3 = op.Mul(v2, 7.5)")
        ran = opwright("build", "--json")
        actions = [line["action"] for line in ran.lines if line["event"] == "action"]
        versions = [f"compile com.example::Made{each:05}@1" for each in expected]
        assert [action for action in actions if "com.example" in action] == versions
        assert actions[-2:] == ["package", "library"]
        assert ran.summary["actions"] == FUNCTIONS + 2
    assert looked_through == []


@pytest.mark.parametrize(
    ("pattern", "text", "compiled"),
    [
        (r"summary: .*", "summary: Short.", [2, 3, 7, 11]),
        (r"x: T", "x: {type: T, doc: Any.}", [2, 3, 7, 11]),
        (r"types: .*", "types: {T: [double]}", [5]),
        (r"schema: 1", "# A comment.\nschema: 1", [2]),
        (r"(vectors: .*)", r"\1\ntags: [new]", []),
        (r"inputs", "tolerance: {default: {ulp: 1}}\ninputs", [2]),
    ],
)
def test_of_specs_those_that_are_edited_are_read(
    pattern: str, text: str, compiled: list[int], generated: Path, looked_through: list[Path], opwright: Opwright
) -> None:
    callers = [number for number in (3, 7, 11) if "own.Made00002(" in source(number).read_text()]
    compiled = [number for number in compiled if number not in (3, 7, 11) or number in callers]
    number = compiled[0] if compiled else 2
    edit(number, pattern, text, "spec.yaml")
    ran = opwright("build", "--json")
    actions = [line["action"] for line in ran.lines if line["event"] == "action" and not line["cached"]]
    versions = [f"compile com.example::Made{each:05}@1" for each in compiled]
    assert sorted(action for action in actions if "com.example" in action) == versions
    assert actions[-1] == "library" and looked_through == []
    assert ran.summary["actions"] == FUNCTIONS + 2


def test_what_else_specs_say_looks_at_the_whole_library(
    generated: Path, looked_through: list[Path], opwright: Opwright
) -> None:
    """Another version, a finding, or a comment that may be heeded."""
    edit(5, r"since_version: 1\n", "", "spec.yaml")
    with source(5, "spec.yaml").open("a") as file:
        file.write("versions: [{since_version: 1}]\n# opwright: ignore[OW330]\n")
    assert opwright("build").status == 0
    assert looked_through
    del looked_through[:]
    edit(5, r"# opwright.*\n", "", "spec.yaml")
    edit(5, r"summary: .*", "sumary: X", "spec.yaml")
    assert opwright("build").status == 1
    assert looked_through


def test_where_a_spec_silences_findings_others_are_edited_like_any(
    generated: Path, looked_through: list[Path], opwright: Opwright
) -> None:
    """The comment silences what verification finds. The file that has it looks at the whole library."""
    edit(5, r"inputs", "# opwright: ignore[OW455] because\ninputs", "spec.yaml")
    for number, pattern, text, file, looks_at_all in (
        (4, r"    v3 = .*", "    v3 = op.Mul(v2, 4.5)", "function.py", True),
        (6, r"    v3 = .*", "    v3 = op.Mul(v2, 6.5)", "function.py", False),
        (5, r"    v3 = .*", "    v3 = op.Mul(v2, 5.5)", "function.py", False),
        (6, r"summary: .*", "summary: It is short.", "spec.yaml", False),
        (5, r"summary: .*", "summary: It is short.", "spec.yaml", True),
        (5, r"# opwright.*\n", "# nothing\n", "spec.yaml", True),
        (6, r"summary: .*", "summary: It is shorter.", "spec.yaml", False),
    ):
        del looked_through[:]
        edit(number, pattern, text, file)
        ran = opwright("build", "--json")
        assert ran.status == 0 and not [line for line in ran.lines if line["event"] == "finding"]
        assert bool(looked_through) is looks_at_all, (number, text)


@pytest.mark.parametrize("file", [VERSION_TABLE, VERSION_LINES])
@pytest.mark.parametrize("how", ["cut", "gone", "altered", "link"])
def test_without_the_table_the_whole_library_is_looked_through(
    how: str, file: str, generated: Path, looked_through: list[Path], opwright: Opwright
) -> None:
    path = TABLE.with_name(file)
    data = path.read_bytes()
    path.unlink()
    match how:
        case "cut":
            path.write_bytes(data[: len(data) // 3])
        case "altered":
            path.write_bytes(data.replace(b"com.example::Made00005@1", b"com.example::Made00002@1"))
        case "link":
            path.symlink_to("/dev/null")
    edit(5, r"    v3 = .*", "    v3 = op.Mul(v2, 7.5)")
    ran = opwright("build", "--json")
    if how == "link":
        assert (ran.status, [line["finding"]["code"] for line in ran.lines if line["event"] == "finding"]) == (
            1,
            ["OW521"],
        )
        return
    assert ran.status == 0 and looked_through


@pytest.mark.long
def test_lines_that_nothing_needs_any_more_go(generated: Path, looked_through: list[Path], opwright: Opwright) -> None:
    """And what a build that was killed has left behind the lines is none."""
    lines = TABLE.with_name(VERSION_LINES)
    first = lines.stat().st_size
    for factor in range(40):
        edit(factor % 3, r"    v3 = .*", f"    v3 = op.Mul(v2, {factor}.5)")
        with lines.open("ab") as file:
            file.write(b"half a line" * (factor % 2))
        assert opwright("build").status == 0
        assert lines.stat().st_size < first * 1.4
    assert looked_through == []
    assert opwright("ls", "--json").status == 0


def test_what_is_written_is_made_anew_where_it_was_altered(
    generated: Path, looked_through: list[Path], opwright: Opwright
) -> None:
    bundle = next(Path("dist").glob("*.onnxlib"))
    bundle.write_bytes(bundle.read_bytes() + b"x")
    edit(5, r"    v3 = .*", "    v3 = op.Mul(v2, 7.5)")
    assert opwright("build").status == 0
    assert looked_through
    data = bundle.read_bytes()
    shutil.rmtree(".opwright")
    shutil.rmtree("dist")
    assert opwright("build").status == 0
    assert bundle.read_bytes() == data


def test_a_circle_of_calls_is_found(generated: Path, opwright: Opwright) -> None:
    edit(3, r"own\.Made\d+", "own.Made00002")
    assert opwright("build").status == 0
    head = "from generated_ops import opset1 as own\n"
    source(2).write_text(head + source(2).read_text())
    edit(2, r"    v3 = .*", "    v3 = own.Made00003(v2, v1)")
    ran = opwright("build", "--json")
    assert ran.status == 1
    codes = [line["finding"]["code"] for line in ran.lines if line["event"] == "finding"]
    assert "OW323" in codes and set(codes) <= {"OW323", "OW908"}


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_versions_are_listed_as_they_are_declared_now(
    options: tuple[str, ...], generated: Path, looked_through: list[Path], opwright: Opwright
) -> None:
    def listed() -> str:
        ran = opwright("ls", *options)
        assert ran.status == 0
        return str(ran.out)

    del looked_through[:]
    known = listed()
    assert looked_through == []
    table = TABLE.read_bytes()
    TABLE.unlink()
    assert listed() == known and looked_through, "read anew they are told alike"
    TABLE.write_bytes(table)
    edit(5, r"    v3 = .*", "    v3 = op.Mul(v2, 7.5)")
    del looked_through[:]
    assert listed() == known and looked_through == []
    spec = source(5).with_name("spec.yaml")
    spec.write_text(spec.read_text().replace("schema: 1\n", "schema: 1\ntags: [new]\n").replace("5.\n", "five.\n"))
    assert "five." in listed() and looked_through
    assert opwright("build").status == 0
    del looked_through[:]
    told = listed()
    assert "five." in told and looked_through == []
    if options:
        assert [json.loads(line)["tags"] for line in told.splitlines()] == [
            ["new"] if n == 5 else [] for n in range(12)
        ]
