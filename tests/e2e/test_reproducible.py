"""Same input, same bytes: whatever the hash seed, folder, umask, time zone, locale, age and order of files, Python."""

from __future__ import annotations

import ast
import json
import os
import random
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from opwright.lang.families.template import PREFIX
from opwright_build.engine.user_secret import VARIABLE

from tests.own_specs import ROOT, STANDARD, spec_files

NEEDED = "import jinja2, mpmath, numpy, onnx, pydantic, yaml"
VERSIONS = "from importlib.metadata import version; print(version('onnx'), version('protobuf'), version('jinja2'))"


@dataclass(frozen=True)
class Surroundings:
    """Everything that must not matter."""

    seed: str
    folder: str
    below: str  # where in the library the command is run
    umask: int
    zone: str
    locale: str
    order: int  # seed of the order in which the files are made
    age: int  # seconds since the epoch
    processes: str = "1"  # that compile


PLACES = [
    Surroundings("0", "a", ".", 0o022, "UTC", "C.UTF-8", 0, 10**9),
    Surroundings("1", "another/folder of a longer name", "specs", 0o077, "Asia/Kathmandu", "tr_TR.UTF-8", 1, 0, "2"),
    Surroundings("4294967295", "d-é", "specs/ai.onnx", 0o002, "", "", 2, 2_000_000_000),
]


def _make(root: Path, order: int, age: int) -> None:
    """A copy of our own specs whose files are made in an order of its own."""
    files = list(spec_files(large=False))
    random.Random(order).shuffle(files)
    for path in files:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / path).read_bytes())
        os.utime(target, (age, age))


def _build(root: Path, where: Surroundings, python: str = sys.executable) -> dict[str, Any]:
    """Builds there; gives all outputs as bytes, and what the build told, times aside."""
    ours = [str(ROOT / "library"), str(ROOT / "buildtool")]
    theirs = sys.path if python == sys.executable else []
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join([*ours, *theirs]),
        "PYTHONHASHSEED": where.seed,
        "TZ": where.zone,
        "LANG": where.locale,
        "LC_ALL": where.locale,
    }
    done = subprocess.run(
        [python, "-m", "opwright_build", "build", "-p", STANDARD, "--json", "-j", where.processes],
        cwd=root / where.below,
        env={**environment, **{name: os.environ[name] for name in ("SYSTEMROOT", VARIABLE) if name in os.environ}},
        umask=where.umask,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    told[-1].pop("seconds")
    told[:-1] = sorted(told[:-1], key=json.dumps)  # actions are told as their processes end
    outputs = [path for name in ("dist", "library") for path in sorted((root / name).rglob("*")) if path.is_file()]
    return {"told": told, **{path.relative_to(root).as_posix(): path.read_bytes() for path in outputs}}


def _other_pythons() -> list[str]:
    """Other interpreters at hand that have the packages of this one, in the same versions."""
    named = os.environ.get("OPWRIGHT_OTHER_PYTHONS", "").split(os.pathsep)
    found = [path for path in named if path]
    found += [path for minor in range(14, 10, -1) if (path := shutil.which(f"python3.{minor}"))]
    ours = subprocess.run(
        [sys.executable, "-c", VERSIONS], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    fitting: list[str] = []
    for path in dict.fromkeys(found):
        asked = subprocess.run(
            [path, "-c", f"{NEEDED}; {VERSIONS}"], capture_output=True, text=True, check=False, timeout=60
        )
        if asked.returncode == 0 and asked.stdout == ours and not os.path.samefile(path, sys.executable):
            fitting.append(path)
    return fitting


@pytest.fixture(scope="module")
def first_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("first") / PLACES[0].folder
    _make(root, PLACES[0].order, PLACES[0].age)
    return root


@pytest.fixture(scope="module")
def first(first_root: Path) -> dict[str, Any]:
    """The build that all others are compared with."""
    built = _build(first_root, PLACES[0])
    assert {Path(name).suffix for name in built} >= {".onnxlib", ".whl", ".py", ".pyi"}
    return built


def _assert_same(built: dict[str, Any], first: dict[str, Any]) -> None:
    assert list(built) == list(first)
    assert [name for name in first if built[name] != first[name]] == []


@pytest.mark.parametrize("where", PLACES[1:], ids=lambda where: f"seed {where.seed}")
@pytest.mark.long
def test_the_surroundings_do_not_matter(where: Surroundings, first: dict[str, Any], tmp_path: Path) -> None:
    root = tmp_path / where.folder
    _make(root, where.order, where.age)
    _assert_same(_build(root, where), first)


@pytest.mark.long
def test_the_version_of_python_does_not_matter(first: dict[str, Any], tmp_path: Path) -> None:
    for number, python in enumerate(_other_pythons()):  # each place above is one of this Python
        root = tmp_path / str(number)
        _make(root, number, 10**9)
        _assert_same(_build(root, PLACES[0], python), first)


@pytest.mark.long
def test_no_absolute_path_reaches_an_output(first: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    roots = [str(ROOT).encode(), str(tmp_path_factory.getbasetemp()).encode()]
    for name, data in first.items():
        data = json.dumps(data).encode() if name == "told" else data
        assert not any(root in data for root in roots), name


class _Locals(ast.NodeVisitor):
    """The places of all names that a function binds and that are no parameters, of it or of a function inside."""

    def __init__(self, tree: ast.Module) -> None:
        self.places: list[tuple[int, int, str]] = []
        for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
            parameters = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
            names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
            bound = {node.id for node in names if isinstance(node.ctx, ast.Store)} - parameters
            self.places += [(node.lineno, node.col_offset, node.id) for node in names if node.id in bound]


def _edited(text: str) -> str:
    """The same function: other local names, another docstring, a comment at the end of each line, blank lines."""
    lines = text.splitlines()
    for line, column, name in sorted(_Locals(ast.parse(text)).places, reverse=True):
        before = lines[line - 1].encode()
        lines[line - 1] = (before[:column] + f"edited_{name}".encode() + before[column + len(name.encode()) :]).decode()
    text = "\n".join(lines)
    documented = [
        node.body[0]
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None
    ]
    for statement in reversed(documented):
        lines = text.splitlines()
        lines[statement.lineno - 1 : statement.end_lineno] = ['    """Another docstring."""', "    # a comment", ""]
        text = "\n".join(lines)
    return "# A comment.\n\n\n" + text + "\n\n# The end.\n"


def _bodies(root: Path) -> dict[tuple[Any, ...], str | None]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "library"), str(ROOT / "buildtool"), *sys.path]),
    }
    done = subprocess.run(
        [sys.executable, "-m", "opwright_build", "opsets", "-p", STANDARD, "--json"],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    keys = ("domain", "name", "since_version", "opset")
    return {
        (*(row[key] for key in keys), tuple(row["variant"].items())): row["body"]
        for row in rows
        if not (row["body"] or "").startswith(PREFIX)  # templates are statements, with the names that stand in them
    }


@pytest.mark.long
def test_comments_docstrings_and_local_names_change_no_body(
    first: dict[str, Any], first_root: Path, tmp_path: Path
) -> None:
    before = _bodies(first_root)
    root = tmp_path / "library"
    _make(root, 0, 10**9)
    changed = 0
    for path in sorted(root.glob("specs/*/*/*.py")):
        if path.name != "reference.py":
            text = path.read_text()
            path.write_text(_edited(text))
            changed += "edited_" in path.read_text()
    assert changed > 0
    assert _bodies(root) == before
    assert sum(body is not None for body in before.values()) > 500
