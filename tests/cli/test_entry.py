"""The console script itself: what it imports, and what becomes of errors."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opwright_build.cli import app, entry
from opwright_build.workflow import listing

Opwright = Callable[..., Any]

# pydantic is not among them: recent releases of typer convert arguments with it.
HEAVY = ("jinja2", "mpmath", "numpy", "onnx", "onnxruntime", "rich", "yaml")
SCRIPT = """
import sys
from opwright_build.cli.entry import main
try:
    main(sys.argv[1:])
finally:
    print(*sorted({name.partition(".")[0] for name in sys.modules} | set(sys.modules)), file=sys.stderr)
"""


def _modules_after(*words: str, cwd: Path) -> set[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", SCRIPT, *words]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=60, check=False)
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("command", entry.LINK_COMMANDS)
def test_work_on_models_does_not_import_the_build_tool(command: str, tmp_path: Path) -> None:
    modules = _modules_after(command, "--help", cwd=tmp_path)
    assert "opwright.commands" in modules
    assert modules & {"typer", "pydantic", "yaml", "opwright_build.cli.app", "opwright_build.workflow"} == set()


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    assert _modules_after("--help", cwd=tmp_path) & set(HEAVY) == set()


def test_a_null_build_imports_nothing_heavy(library: Path, opwright: Opwright) -> None:
    assert opwright("build").status == 0
    assert _modules_after("build", cwd=library) & set(HEAVY) == set()


@pytest.mark.parametrize(("module", "extra"), [("pydantic", "build"), ("yaml", "build"), ("onnxruntime", "run")])
def test_a_missing_extra_is_named(
    module: str, extra: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(words: list[str], left_out: list[str]) -> int:
        raise ModuleNotFoundError(f"No module named {module!r}", name=f"{module}.sub")

    monkeypatch.setattr(entry, "_dispatch", missing)
    assert entry.main(["build", "--json"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert f"pip install 'opwright[{extra}]'" in printed.err
    assert "Traceback" not in printed.err


def test_typer_itself_may_be_missing(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['typer'] = None\nfrom opwright_build.cli.entry import main\nsys.exit(main(['build']))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "opwright: `opwright build` needs typer, which is not installed",
        "  help: pip install 'opwright[build]'; attach, inspect, detach, polyfill, decompile work without",
    ]


def _explode(*arguments: object, **keywords: object) -> int:
    raise ZeroDivisionError("inner secret")


def test_a_bug_of_ours_is_reported_as_one(library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "list_versions", _explode)
    ran = opwright("ls")
    assert ran.status == 4
    assert ran.out == ""
    assert "a bug of ours, not a mistake of yours: ZeroDivisionError: inner secret" in ran.err
    assert "Traceback" not in ran.err
    (report,) = (library / ".opwright").glob("crash-*.txt")
    assert f".opwright/{report.name}" in ran.err
    text = report.read_text()
    assert "Traceback" in text
    assert "opwright ls" in text


def test_without_a_library_the_report_lies_in_the_temporary_folder(
    tmp_path: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    (tmp_path / "empty").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.chdir(tmp_path / "empty")
    monkeypatch.setattr(listing, "list_versions", _explode)
    assert opwright("ls").status == 4
    assert len(list((tmp_path / "temporary").glob("crash-*.txt"))) == 1
    assert list((tmp_path / "empty").iterdir()) == []


def test_the_traceback_is_shown_when_it_can_be_written_nowhere(
    tmp_path: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file" / "below"))
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(listing, "list_versions", _explode)
    ran = opwright("ls")
    assert ran.status == 4
    assert "ZeroDivisionError" in ran.err
    assert "Traceback" in ran.err


@pytest.mark.parametrize("where", ["task", "import"])
def test_an_interrupt_is_130(where: str, library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(*((listing, "list_versions", interrupted) if where == "task" else (app, "run", interrupted)))
    ran = opwright("ls")
    assert ran.status == 130
    assert ran.err == "interrupted\n"


def test_a_reader_that_goes_away_is_no_bug(library: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = f"{sys.executable} -m opwright_build ls --json; echo $? >&2"
    done = subprocess.run(
        ["bash", "-c", f"({command}) | true"],
        cwd=library,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr.splitlines()[-1] in ("0", "1")
    assert "bug" not in done.stderr


@pytest.mark.parametrize(
    "words", [["nonsense"], ["build", "--nonsense"], ["show"], ["export"], ["export", "--opset", "x"], ["attach"]]
)
def test_a_wrong_command_line_is_2(words: list[str], library: Path, opwright: Opwright) -> None:
    try:
        status = opwright(*words).status
    except SystemExit as stop:  # argparse
        status = stop.code
    assert status == 2


def test_help_and_version_are_0(opwright: Opwright) -> None:
    assert opwright("--help").status == 0
    assert opwright("build", "--help").status == 0
    ran = opwright("--version")
    assert ran.status == 0
    assert ran.out.startswith("opwright ")
