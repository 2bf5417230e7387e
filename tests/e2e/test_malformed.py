"""Malformed libraries: every real spec with bytes, keys and tokens of its files changed.

Each gives success or located diagnostics, never an exception. The gate tries sixty of the three hundred that
`nox -s long` tries, drawn from the sources of what reads them, so that each change of those tries others and a revision
always the same ones; `nox -s malformed` tries five thousand from a seed that is drawn anew.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from opwright.bundle.format import FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, has_errors
from opwright_build.compile import CompiledVersion, SpecFiles, compile_version
from opwright_build.spec.load import load_library
from opwright_build.verify.cases.collect import collect_cases

from tests.own_specs import LARGE
from tests.shares import one_in
from tests.work import ends

ROOT = Path(__file__).parents[2]
SPECS = ROOT / "specs"
DOMAIN = "ai.onnx"
CHUNKS, PER_CHUNK = 10, int(os.environ.get("OPWRIGHT_MALFORMED", "300")) // 10
NAMES = ("spec.yaml", "function.py", "vectors.yaml", "spec.yaml", "function.py", "../domain.yaml", "../../library.yaml")
YAML_TOKENS = (
    "[",
    "]",
    "{",
    "}",
    ": ",
    ",",
    "- ",
    "#",
    "'",
    '"',
    "|",
    "&a ",
    "*a",
    "!!str ",
    "? ",
    "\n  ",
    "---\n",
    "<<: ",
    "null",
    ".nan",
    "99999999999999999999",
    "../x",
    "é",
    "\t",
    "\x00",
    "\u2028",
    "T",
    "float",
)
PYTHON_TOKENS = (
    "(",
    ")",
    "[",
    "]",
    "x",
    "X",
    "op.Relu",
    "op.Add",
    "None",
    "1e999",
    "0",
    "**",
    "//",
    "%",
    "=",
    "==",
    "if True:",
    "return",
    "lambda: 0",
    "yield",
    "*",
    "@",
    ".dtype",
    "'s'",
    "10**9**9",
    "while X:",
    "import os",
    "global X",
    "é",
    "\x00",
    "\t",
    "{",
    "...",
    "for i in range(X):",
    "not",
    "is None",
    "opset99",
    "del X",
    "axes=",
)


class NoCalls:
    """The specs call no functions of other libraries."""

    def domain_of(self, package: str, prefix: str = "") -> str | None:
        return None

    def other_versions(self, package: str, prefix: str, version: int) -> tuple[int, ...] | None:
        return None

    def function(self, domain: str, name: str, version: int) -> FunctionEntry | None:
        return None

    def emitted_domain(self, domain: str) -> str | None:
        return None

    def names(self, domain: str) -> tuple[str, ...]:
        return ()


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    match rng.randrange(4):
        case 0:
            return data[:at] + bytes([rng.randrange(256)]) + data[at:]
        case 1:
            return data[:at] + data[at + rng.randint(1, 8) :]
        case 2:
            return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    return data[:at]


def mutate_tokens(data: bytes, rng: random.Random, tokens: tuple[str, ...]) -> bytes:
    text = data.decode("utf-8")
    at = rng.randrange(len(text) + 1)
    token = rng.choice(tokens)
    cut = rng.choice((0, 0, 1, len(token)))
    return (text[:at] + token + text[at + cut :]).encode("utf-8")


def mutate_keys(data: bytes, rng: random.Random) -> bytes:
    """A line doubled, dropped, moved, or with its key or value taken from another line."""
    lines = data.decode("utf-8").split("\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(5):
        case 0:
            lines.insert(at, lines[other])
        case 1:
            del lines[at]
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            lines[at] = lines[other].partition(":")[0] + ":" + lines[at].partition(":")[2]
        case 4:
            lines[at] = " " * rng.randint(0, 6) + lines[at].lstrip()
    return "\n".join(lines).encode("utf-8")


def mutate(name: str, data: bytes, rng: random.Random) -> bytes:
    match rng.randrange(3):
        case 0:
            return mutate_bytes(data, rng)
        case 1:
            return mutate_tokens(data, rng, PYTHON_TOKENS if name.endswith(".py") else YAML_TOKENS)
    return mutate_keys(data, rng)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def judge(root: Path, memory: dict[tuple[str, bytes | None], CompiledVersion]) -> list[Diagnostic]:
    """All that a build and the collection of vectors find.

    Most changes are made in files that the compiler does not read; `memory` holds what it made of the others.
    """
    try:
        loaded = load_library(root)
    except DiagnosticError as error:
        return list(error.diagnostics)
    found = list(loaded.diagnostics)
    files = SpecFiles(lambda path: _content(root / path))
    interfaces: dict[str, FunctionEntry] = {}
    for version in loaded.versions:
        relative = replace(version, folder=version.folder.relative_to(loaded.library.root))
        key = (repr(relative), _content(version.folder / version.function_file))
        if key not in memory:
            memory[key] = compile_version(relative, files, NoCalls())
        compiled = memory[key]
        found.extend(compiled.diagnostics)
        if not has_errors(compiled.diagnostics):
            interfaces[version.identity] = compiled.entry
    collected = collect_cases(loaded.versions, interfaces, root, False, load_suite=lambda operators: ())
    return [*found, *collected.diagnostics]


def seed() -> str:
    """What the environment says, else the digest of the sources of the compiler and of the build tool."""
    named = os.environ.get("OPWRIGHT_SEED")
    if named is not None:
        return named
    digest = hashlib.sha256()
    for folder in ("library/opwright", "buildtool/opwright_build"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@pytest.fixture(scope="module")
def drawn() -> str:
    return seed()


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("malformed")
    yield root
    shutil.rmtree(root)


@pytest.fixture(scope="module")
def memory() -> dict[tuple[str, bytes | None], CompiledVersion]:
    return {}


@pytest.mark.parametrize("chunk", one_in(5, range(CHUNKS)))
def test_mutations(work: Path, memory: dict[tuple[str, bytes | None], CompiledVersion], drawn: str, chunk: int) -> None:
    # Hundreds of bodies take longer to compile than what is bounded here, and as long as all the others.
    folders = (folder for folder in (SPECS / DOMAIN).iterdir() if folder.name not in LARGE)
    functions = sorted(folder.name for folder in folders if (folder / "spec.yaml").is_file())
    rng = random.Random(f"{drawn}:{chunk}")
    root = work / str(chunk)
    specs = root / "specs" / DOMAIN
    for step in range(PER_CHUNK):
        function = functions[(chunk * PER_CHUNK + step) % len(functions)]
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(SPECS / DOMAIN / function, specs / function)
        shutil.copy(SPECS / DOMAIN / "domain.yaml", specs)
        shutil.copy(SPECS / "library.yaml", root / "specs")
        name = rng.choice(NAMES)
        path = specs / function / name
        before = path.read_bytes()
        after = mutate(name, before, rng)
        path.write_bytes(after)
        told = (f"OPWRIGHT_SEED={drawn}", function, name, after)
        with ends(told):
            found = judge(root, memory)
        for diagnostic in found:
            assert diagnostic.code.startswith("OW") and diagnostic.message, told
            assert diagnostic.place is not None, (diagnostic, *told)
            assert not Path(diagnostic.place.file).is_absolute(), diagnostic
