"""What a build gives, and what it says, is the same whichever processes compile."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.generated_specs import write_library

Opwright = Callable[..., Any]
FUNCTIONS = 12
JOBS = ("1", "2", "3")
CALL = """\
from generated_ops import opset1 as own


def {name}(x, y, alpha: float = 1.0):
    return own.{other}(x, y)
"""


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_library(tmp_path, FUNCTIONS, 7)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "specs" / "com.example"


def clean(opwright: Opwright, jobs: str) -> Any:
    for folder in (".opwright", "dist", "library"):
        shutil.rmtree(folder, ignore_errors=True)
    return opwright("build", "-j", jobs, "--json")


def outputs() -> dict[str, bytes]:
    found = (path for name in ("dist", "library") for path in sorted(Path(name).rglob("*")))
    return {path.as_posix(): path.read_bytes() for path in found if path.is_file()}


def records() -> set[str]:
    """The results that are kept, by what they are of and what they rest on."""
    return {path.name for path in Path(".opwright/cache/records").rglob("*") if path.is_file()}


@pytest.mark.long
def test_the_bytes_are_the_same(generated: Path, opwright: Opwright) -> None:
    made: list[tuple[dict[str, bytes], set[str]]] = []
    for jobs in JOBS:
        assert clean(opwright, jobs).status == 0
        made.append((outputs(), records()))
        again = opwright("build", "--json")
        assert (again.status, again.summary["actions_run"]) == (0, 0)
    assert len(made[0][0]) >= 5
    assert all(one == made[0] for one in made)


@pytest.mark.long
def test_what_is_found_is_the_same(generated: Path, opwright: Opwright) -> None:
    """An error, what calls it, a circle, and what calls that."""
    for name, other in (("Made00004", "Made00005"), ("Made00005", "Made00004"), ("Made00006", "Made00005")):
        (generated / name / "function.py").write_text(CALL.format(name=name, other=other))
    (generated / "Made00009" / "function.py").write_text(CALL.format(name="Made00009", other="Made00008"))
    wrong = generated / "Made00008" / "function.py"
    wrong.write_text(wrong.read_text().replace("    return ", "    return nothing + "))
    told: list[list[Any]] = []
    for jobs in JOBS:
        ran = clean(opwright, jobs)
        assert ran.status == 1
        told.append([line["finding"] for line in ran.lines if line["event"] == "finding"])
        assert outputs() == {}
    codes = [finding["code"] for finding in told[0]]
    assert {"OW302", "OW323", "OW908"} <= set(codes)
    assert codes.count("OW323") == 1
    assert all(one == told[0] for one in told)
