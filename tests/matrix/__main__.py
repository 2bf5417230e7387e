"""`python -m tests.matrix`: tests of what depends on releases, with the lowest and newest of them, on each Python.

uv makes an environment for each cell and resolves the lowest or the newest releases that pyproject.toml admits, and the
tests of TESTS run in it. The page is written anew; a cell that fails fails the run, and stands there as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.matrix.page import PAGE, Cell, page

ROOT = Path(__file__).parents[2]
FIRST_MINOR, LAST_MINOR = 11, 20  # of Python 3, looked for
LIMIT_SECONDS = 3600
MOVING = ("onnx", "onnxruntime", "numpy")
# The lowest releases of these are the lowest ones that are built for the Python: nothing is compiled here.
BUILT = ("ml-dtypes", "numpy", "onnx", "onnxruntime", "protobuf", "pydantic-core", "pyyaml")
BESIDE = ("pytest", "pytest-xdist", "jsonschema", "onnx-ir", "cryptography", "hypothesis", "fsspec")
# What schemas, protos, runtimes and numpy decide, but for what is on record of one release of a runtime: a library is
# compiled, packed, read and called. And what Python decides: its trees, its classes, and what modules load in a cage.
TESTS = (
    *("tests/bundle", "tests/cli/test_build.py", "tests/test_types.py", "tests/test_elements.py"),
    *("tests/lang/test_grammar.py", "tests/compile/test_templates.py", "tests/functions/test_static_data.py"),
    *("tests/functions/test_carried_parts.py", "tests/verify/cases/test_oracle.py"),
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A cell to run: a Python, where it is, and whether the lowest releases are meant."""

    python: str
    program: str
    lowest: bool

    @property
    def name(self) -> str:
        return f"{self.python}-{'lowest' if self.lowest else 'newest'}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where environments are made")
    parser.add_argument("--tests", nargs="*", default=TESTS)
    options = parser.parse_args()
    cells = [run(wanted, options.folder, options.tests) for wanted in wanted_cells()]
    for cell in cells:
        print(json.dumps({"python": cell.python, "bounds": cell.bounds, **dict(cell.releases), "result": cell.result}))
    if tuple(options.tests) == TESTS:
        PAGE.write_text(page(cells), encoding="utf-8")
    return 0 if all(cell.good for cell in cells) else 1


def wanted_cells() -> Iterator[Wanted]:
    for minor in range(FIRST_MINOR, LAST_MINOR + 1):
        program = program_of(f"3.{minor}")
        if program is not None:
            yield from (Wanted(f"3.{minor}", program, lowest) for lowest in (True, False))


def program_of(python: str) -> str | None:
    """Where that Python is, one that pyenv holds and no command leads to included; None where it is not."""
    found = shutil.which(f"python{python}")
    if found is not None and subprocess.run([found, "-c", ""], stderr=subprocess.DEVNULL).returncode == 0:
        return found  # no shim of one that is not installed
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    held = {path.parts[-3]: path for path in versions.glob(f"{python}.*/bin/python{python}") if path.is_file()}
    return str(held[max(held, key=lambda name: [int(number) for number in re.findall(r"\d+", name)])]) if held else None


def run(wanted: Wanted, folder: Path, tests: list[str]) -> Cell:
    """Makes the environment of a cell, and runs the tests in it."""
    place = folder / wanted.name
    python = place / "bin" / "python"
    resolution = "lowest-direct" if wanted.lowest else "highest"
    uv("venv", "--quiet", "--clear", "--python", wanted.program, str(place))
    built = [word for name in BUILT for word in ("--only-binary", name)]
    install = ("pip", "install", "--quiet", "--python", str(python), *built)
    uv(*install, "--resolution", resolution, "--editable", f"{ROOT}[build,run]")
    releases = releases_in(python)
    pinned = [f"{name}=={release}" for name, release in releases.items()]
    uv(*install, *BESIDE, *pinned)
    print(f"{wanted.name}: {', '.join(pinned)}", flush=True)
    command = [str(python), "-m", "pytest", "--quiet", "--numprocesses=2", "--dist=loadfile", *tests]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=LIMIT_SECONDS)
    last = done.stdout.strip().splitlines()[-1]
    counts = re.findall(r"\d+ (?:passed|failed|errors?)", last)
    print(done.stdout if done.returncode else last, flush=True)
    bounds = "lowest" if wanted.lowest else "newest"
    return Cell(wanted.python, bounds, tuple(releases.items()), ", ".join(counts) or last, done.returncode == 0)


def releases_in(python: Path) -> dict[str, str]:
    code = f"from importlib.metadata import version; print(*map(version, {MOVING!r}))"
    told = subprocess.run([str(python), "-c", code], check=True, stdout=subprocess.PIPE, text=True).stdout
    return dict(zip(MOVING, told.split(), strict=True))


def uv(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "uv", *words], check=True, timeout=LIMIT_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
