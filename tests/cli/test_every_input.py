"""Random edits of all that a library rests on: what is built and told equals what a clean checkout builds and tells.

What is compiled and packaged is what a small model of it, which knows nothing of the engine, says has to be.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from opwright_build.workflow.opened import session

from tests.cli.conftest import run_command
from tests.cli.test_dependencies import make_library
from tests.shares import one_in

Opwright = Callable[..., Any]
HEAD = "from opwright import opset18 as op\n"
BASES = ("op.Add(X, X)", "op.Mul(X, op.CastLike(2.0, X))")
LEAVES = ("op.Neg(X)", "op.Sub(op.Sub(X, X), X)", "op.Identity(X)")  # the last one is wrong
CALLERS = ("{0}({0}(X))", "op.Identity({0}(X))")
HELPERS = ("op.Abs(x)", "op.Max(x, op.Neg(x))")
NAMES = ("Alone", "Callee", "Caller", "Outer", "Helped")
ROWS = "schema: 1\nrows:\n  - {{name: one, inputs: {{X: [0.5, {0}]}}{1}}}\n"


@dataclass(frozen=True)
class State:
    """What the inputs say; a number chooses one of some texts."""

    bodies: Mapping[str, int]
    comments: Mapping[str, int]
    rows: Mapping[str, int]
    types: Mapping[str, int]
    summaries: Mapping[str, int]
    helper: int = 0
    helper_comment: int = 0
    base: int = 0  # the body of the dependency's function
    base_version: int = 0  # its bundle, otherwise the same
    tool: int = 0
    onnx: int = 0
    version: int = 0  # of the library
    note: int = 0  # a file that is nothing to anybody
    option: int = 0


PER_FUNCTION = ("bodies", "comments", "rows", "types", "summaries")
ALONE = ("helper", "helper_comment", "base", "base_version", "tool", "onnx", "version", "note", "option")
OPTIONS: tuple[tuple[str, ...], ...] = ((), ("--rehash",), ("-j", "2"))
FIRST = State(*(dict.fromkeys(NAMES, 0) for _ in PER_FUNCTION))


def edited(state: State, dice: random.Random) -> State:
    what = dice.choice([*PER_FUNCTION * 2, *ALONE])
    if what in ALONE:
        return replace(state, **{what: getattr(state, what) + 1})
    name = dice.choice(NAMES)
    known = getattr(state, what)
    return replace(state, **{what: {**known, name: known[name] + 1}})


def body_of(state: State, name: str) -> int:
    return state.bodies[name] % (len(LEAVES) if name == "Alone" else 2)


def types_of(state: State, name: str) -> int:
    return state.types[name] % 2 if name == "Alone" else 0  # types are promised to callers


def source(state: State, name: str) -> str:
    """A function, and what it calls: `Outer` calls `Caller`, that calls `Callee`, and that calls the dependency's."""
    chosen = body_of(state, name)
    match name:
        case "Alone":
            imports, body = "", LEAVES[chosen]
        case "Helped":
            imports, body = "from ..helpers import magnitude\n", f"op.Neg(magnitude({'X' if chosen else 'op.Neg(X)'}))"
        case "Callee":
            imports, body = "from acme_base import opset1 as base\n", CALLERS[chosen].format("base.Double")
        case _:
            called = {"Caller": "Callee", "Outer": "Caller"}[name]
            imports, body = "from acme_nn import opset1 as nn\n", CALLERS[chosen].format(f"nn.{called}")
    comment = f"# {state.comments[name]}\n" if state.comments[name] else ""
    return f"{comment}{HEAD}{imports}\n\ndef {name}(X):\n    return {body}\n"


def write(root: Path, state: State, bundles: Mapping[tuple[int, int], Path]) -> None:
    """The library's sources, each file only where it says something else."""
    new = root.with_name("new")
    shutil.rmtree(new, ignore_errors=True)
    needs = "{acme-base: {bundle: vendor/base.onnxlib}}"
    make_library(new, "nn", {name: source(state, name) for name in NAMES}, dependencies=needs)
    (new / "specs" / "vendor").mkdir()
    shutil.copyfile(bundles[state.base % 2, state.base_version % 2], new / "specs" / "vendor" / "base.onnxlib")
    domain = new / "specs" / "com.acme.nn"
    comment = f"# {state.helper_comment}\n" if state.helper_comment else ""
    helper = f"{comment}{HEAD}\n\ndef magnitude(x):\n    return {HELPERS[state.helper % 2]}\n"
    (domain / "helpers.py").write_text(helper)
    (domain / "Alone" / "note.txt").write_text(str(state.note))
    for name in NAMES:
        row = f"{state.rows[name] % 3}.5"
        outputs = f", outputs: {{Y: [-0.5, -{row}]}}" if name == "Alone" else ""
        (domain / name / "vectors.yaml").write_text(ROWS.format(row, outputs))
        spec = (domain / name / "spec.yaml").read_text()
        spec = spec.replace("of X.", ("of X.", "of an X.")[state.summaries[name] % 2])
        spec = spec.replace("[float, double]", ("[float, double]", "[float]")[types_of(state, name)])
        (domain / name / "spec.yaml").write_text(spec)
    library = new / "specs" / "library.yaml"
    library.write_text(library.read_text().replace("1.0.0", f"1.0.{state.version % 2}"))
    for made in sorted(new.rglob("*")):
        target = root / made.relative_to(new)
        if made.is_file() and (not target.exists() or target.read_bytes() != made.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(made.read_bytes())


class Model:
    """What had to be done when, by what it rests on; nothing of it is asked of the engine."""

    def __init__(self) -> None:
        self.done: set[object] = set()

    def body(self, state: State, name: str) -> object:
        """What decides a compiled body."""
        rests = {
            "Alone": types_of(state, name),
            "Helped": state.helper % 2,
            "Callee": state.base % 2,
            "Caller": self.body(state, "Callee") if name == "Caller" else None,
            "Outer": self.body(state, "Caller") if name == "Outer" else None,
        }
        return (name, body_of(state, name), rests[name])

    def answer(self, state: State, name: str) -> object:
        """What a caller is told."""
        return (self.body(state, name), state.summaries[name] % 2)

    def compiles(self, state: State, name: str) -> object:
        """What compiling reads: code, to which comments are nothing, and answers of callees."""
        callee = {"Caller": "Callee", "Outer": "Caller"}.get(name)
        asked = state.base % 2 if name == "Callee" else self.answer(state, callee) if callee else None
        helper = state.helper % 2 if name == "Helped" else None
        code = source(replace(state, comments=dict.fromkeys(NAMES, 0)), name)
        spec = (state.summaries[name] % 2, types_of(state, name))
        return ("compile", name, code, spec, helper, asked, state.tool, state.onnx)

    def packages(self, state: State) -> object:
        texts = tuple(self.answer(state, name) for name in NAMES)
        dependency = (state.base % 2, state.base_version % 2)
        return ("package", texts, dependency, state.version % 2, state.tool, state.onnx)

    def step(self, state: State) -> set[str]:
        """The actions that have to run now."""
        wanted = {f"compile com.acme.nn::{name}@1": self.compiles(state, name) for name in NAMES}
        wanted["package"] = self.packages(state)
        comments = (tuple(state.comments.values()), state.helper_comment)
        wanted["library"] = (*wanted.values(), comments)  # of which all files count
        ran = {action for action, key in wanted.items() if key not in self.done}
        self.done.update(wanted.values())
        return ran


def contents() -> dict[str, bytes]:
    paths = [*Path("dist").rglob("*"), *Path("library").rglob("*")]
    return {path.as_posix(): path.read_bytes() for path in sorted(paths) if path.is_file()}


def told(opwright: Opwright) -> list[dict[str, Any]]:
    """What testing says of each cell, and what it finds; not what it knew before."""
    ran = opwright("test", "--json", "-j", "1")
    assert ran.status in (0, 1), ran.err
    return [line for line in ran.lines if line["event"] in ("outcome", "finding")]


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[int, int], Path]:
    """The dependency with each of its bodies, in two versions."""
    home, found = tmp_path_factory.mktemp("bases"), {}
    for body, text in enumerate(BASES):
        for version in (0, 1):
            text_of = f"{HEAD}\n\ndef Double(X):\n    return {text}\n"
            root = make_library(home / f"{body}{version}", "base", {"Double": text_of}, version=f"1.0.{version}")
            assert run_command("build", str(root)).status == 0
            (found[body, version],) = (root / "dist").glob("*.onnxlib")
    return found


@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_what_is_made_is_right_and_no_more_is_done_than_has_to_be(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    opwright: Opwright,
    bundles: dict[tuple[int, int], Path],
    seed: int,
) -> None:
    dice, state, model = random.Random(seed), FIRST, Model()
    root, clean = tmp_path / "edited", tmp_path / "clean"
    parts = session.environment_parts

    def surroundings(*given: Any) -> dict[str, str]:
        return {**parts(*given), "onnx": f"1.{state.onnx}", "jinja2": f"3.{state.tool}"}

    monkeypatch.setattr(session, "environment_parts", surroundings)
    root.mkdir()
    for step in range(8):
        write(root, state, bundles)
        monkeypatch.chdir(root)
        assert opwright("update", "acme-base").status == 0  # by name: other bytes may have the same version
        built = opwright("build", "--json", *OPTIONS[state.option % len(OPTIONS)])
        assert built.status == 0, (state, built.out)
        done = {line["action"] for line in built.lines if line["event"] == "action" and not line["cached"]}
        assert done == model.step(state), f"step {step}: {state}"
        made, says = contents(), told(opwright) if step % 3 == 2 else None
        shutil.copytree(root / "specs", clean / "specs")
        monkeypatch.chdir(clean)
        assert opwright("build", "-j", "1").status == 0
        assert contents() == made, f"step {step}: {state}"
        assert says is None or told(opwright) == says, f"step {step}: {state}"
        shutil.rmtree(clean)
        for _ in range(dice.choice((1, 1, 2, 4))):
            state = edited(state, dice)
