"""The console script itself: what it imports, and what becomes of errors."""

import errno
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from onnx import helper
from opwright.commands import command_parsers
from opwright.version import VERSION
from opwright_build.cli import command_runner, entry
from opwright_build.cli.command_summaries import ON_LIBRARIES, ON_MODELS
from opwright_build.cli.command_table import described_commands
from opwright_build.cli.entry import main
from opwright_build.workflow import listing

Opwright = Callable[..., Any]

COMMANDS = Path(command_runner.__file__).parent / "command_modules"
GOLDEN = Path(__file__).parent / "commands"
HEAVY = ("jinja2", "mpmath", "numpy", "onnx", "onnxruntime", "pydantic", "yaml")
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


@pytest.mark.parametrize("command", ON_MODELS)
def test_work_on_models_does_not_import_the_build_tool(command: str, tmp_path: Path) -> None:
    modules = _modules_after(command, "--help", cwd=tmp_path)
    assert "opwright.commands" in modules
    assert modules & {"pydantic", "yaml", "opwright_build.cli.command_runner", "opwright_build.workflow"} == set()
    others = {f"opwright.commands.{name}_command" for name in ON_MODELS if name != command}
    assert modules & others == set()


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    modules = _modules_after("--help", cwd=tmp_path)
    assert modules & {*HEAVY, "argparse", "opwright_build.workflow", "opwright_build.engine"} == set()


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


def test_a_package_that_a_build_needs_may_be_missing(library: Path) -> None:
    hide = "import sys; sys.modules['pydantic'] = None"
    script = f"{hide}\nfrom opwright_build.cli.entry import main\nsys.exit(main(['ls']))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=library,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "opwright: `opwright ls` needs pydantic, which is not installed",
        "  help: pip install 'opwright[build]'; attach, inspect, upgrade, detach, polyfill, convert, decompile work "
        "without",
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


def test_a_current_folder_that_was_removed_is_told(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    program = "import os, sys; os.rmdir(os.getcwd()); from opwright_build.cli.entry import main; sys.exit(main())"
    for words, status in (("build", 3), ("new library x", 3), ("help build", 0)):
        gone.mkdir(exist_ok=True)
        found = subprocess.run(
            [sys.executable, "-P", "-c", program, *words.split()], cwd=gone, capture_output=True, text=True
        )
        assert found.returncode == status, found.stderr
        assert found.stderr.startswith("opwright: the current folder has been removed\n") == bool(status)
        assert "Traceback" not in found.stderr


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

    if where == "task":
        monkeypatch.setattr(listing, "list_versions", interrupted)
    else:
        monkeypatch.setattr(command_runner, "run_command", interrupted)
    ran = opwright("ls")
    assert ran.status == 130
    assert ran.err == "interrupted\n"


def _in_shell(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """`opwright` in a command is the console script."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    function = f'opwright() {{ "{sys.executable}" -m opwright_build "$@"; }}; '
    return subprocess.run(
        ["bash", "-c", function + command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


OF_EACH_KIND = ["explain OW201", "help", "build -h", "ls --json", "build", "attach -h"]
in_posix_shells = pytest.mark.skipif(sys.platform == "win32", reason="what a POSIX shell makes of streams")


@in_posix_shells
@pytest.mark.parametrize("words", OF_EACH_KIND)
def test_a_reader_that_goes_away_is_141_and_the_work_is_done(words: str, library: Path) -> None:
    done = _in_shell(f"(sleep 0.1; opwright {words}; echo $? >&2) | true", library)
    assert done.stderr.splitlines()[-1] == "141"
    assert "bug" not in done.stderr
    assert any(library.glob("dist/*.onnxlib")) is (words == "build")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize("words", OF_EACH_KIND)
def test_an_output_without_room_is_3_and_the_work_is_done(words: str, library: Path) -> None:
    done = _in_shell(f"opwright {words} >/dev/full", library)
    assert done.returncode == 3
    told = f"opwright: standard output cannot be written: {os.strerror(errno.ENOSPC)}"
    assert done.stderr.splitlines()[-1] == told
    assert any(library.glob("dist/*.onnxlib")) is (words == "build")


@in_posix_shells
@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("ls", 3),
        ("help", 3),
        ("test --json", 3),
        ("decompile m.onnx", 3),
        ("build", 0),
        ("decompile m.onnx -o m.py", 0),
    ],
)
def test_without_an_output_only_results_are_missed(words: str, status: int, library: Path) -> None:
    values = [helper.make_tensor_value_info(name, 1, []) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", values[:1], values[1:])
    Path("m.onnx").write_bytes(helper.make_model(graph).SerializeToString())
    done = _in_shell(f"opwright {words} >&-", library)
    assert done.returncode == status, done.stderr
    assert ("standard output cannot be written: it is closed" in done.stderr) is (status == 3)
    assert "bug" not in done.stderr
    assert (library / "m.py").exists() is words.endswith("m.py")


@in_posix_shells
@pytest.mark.parametrize("to", ["2>&-", "2>/dev/full"])
def test_nobody_needs_the_progress(to: str, library: Path) -> None:
    if to == "2>/dev/full" and not Path("/dev/full").exists():
        pytest.skip("the system has no device that is always full")
    done = _in_shell(f"opwright build {to}", library)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 version" in done.stdout or "versions" in done.stdout


@pytest.mark.parametrize(
    "words", [["nonsense"], ["build", "--nonsense"], ["show"], ["export"], ["export", "--opset", "x"], ["attach"]]
)
def test_a_wrong_command_line_is_2(words: list[str], library: Path, opwright: Opwright) -> None:
    assert opwright(*words).status == 2


def test_help_and_version_are_0(opwright: Opwright) -> None:
    assert opwright("--help").status == 0
    assert opwright("build", "--help").status == 0
    ran = opwright("--version")
    assert ran.status == 0
    assert ran.out.startswith("opwright ")


def test_every_command_is_listed_with_a_line(opwright: Opwright) -> None:
    modules = {path.stem.removesuffix("_command") for path in COMMANDS.glob("*_command.py")}
    assert set(ON_LIBRARIES) == modules
    assert set(ON_MODELS) == set(command_parsers())
    listed = opwright("--help").out
    for name, summary in {**ON_LIBRARIES, **ON_MODELS}.items():
        assert re.search(rf"^  {name} +{re.escape(summary)}$", listed, re.MULTILINE)
    assert opwright("help").out == listed == opwright("-h").out
    assert (opwright().status, opwright().err) == (2, listed)


def test_the_release_is_told(opwright: Opwright) -> None:
    assert opwright("--version").out == f"opwright {VERSION}\n"


@pytest.mark.parametrize("name", sorted({**ON_LIBRARIES, **ON_MODELS}))
def test_each_command_shows_its_options(name: str, opwright: Opwright, golden: Callable[[Path, str], None]) -> None:
    """What an option is called, and what it takes, is a promise to scripts."""
    command = described_commands()[name]
    lines = [command.summary, *command.words]
    for option in sorted(command.options, key=lambda item: item.spellings):
        value = f" {'|'.join(option.choices) or 'VALUE'}" if option.takes_value else ""
        lines.append(f"  {', '.join(option.spellings)}{value}")
    golden(GOLDEN / f"{name}.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("name", ["build", "ls", "cache", "decompile"])
def test_a_command_is_helped_in_three_ways(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    def helped(*words: str) -> tuple[int, str]:
        return main(words), capsys.readouterr().out

    shown = [helped(*words) for words in ((name, "-h"), (name, "--help"), ("help", name))]
    assert shown[0][0] == 0
    assert shown[0][1].startswith(f"usage: opwright {name} ")
    assert shown[0] == shown[1] == shown[2]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("buidl", "opwright: there is no command 'buidl'\n  help: did you mean `opwright build`? "),
        ("--nonsense", "opwright: there is no option '--nonsense'\n"),
        ("help nonsense", "opwright: there is no command 'nonsense'\n"),
        ("build --nope", "opwright build: unrecognized arguments: --nope\n  help: `opwright help build` "),
        ("build --jso", "opwright build: unrecognized arguments: --jso\n"),
        ("build a b", "opwright build: unrecognized arguments: b\n"),
        ("build --cache", "opwright build: argument --cache: expected one argument\n"),
        ("export", "opwright export: the following arguments are required: --opset\n"),
        ("show", "opwright show: the following arguments are required: X\n"),
        ("build --dryrun", "opwright build: unrecognized arguments: --dryrun\n  help: did you mean `--dry-run`? "),
        (
            "attach --libary x m",
            "opwright attach: unrecognized arguments: --libary\n  help: did you mean `--library`? ",
        ),
        ("attach", "opwright attach: the following arguments are required: --library\n  help: `opwright help attach` "),
        ("inspect --require x m", "opwright inspect: --require: 'x' is none of "),
        ("test --jobs 0", "opwright test: argument -j/--jobs: 0 is below 1\n"),
        ("test --vector-limit nan", "opwright test: argument --vector-limit: nan is below 0.1\n"),
        ("test --action-limit soon", "opwright test: argument --action-limit: 'soon' is not a number\n"),
        ("test --require-sandbox 3", "opwright test: argument --require-sandbox: invalid choice: 3 "),
        ("lock --within about", "opwright lock: argument --within: invalid choice: 'about' "),
        ("vectors a b", "opwright vectors: one folder, or `show` or `export` and names\n"),
        ("cache gc --max-age soon", "opwright cache: "),
    ],
)
def test_words_that_make_no_sense_are_told_in_a_line(words: str, told: str, opwright: Opwright) -> None:
    ran = opwright(*words.split())
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(told)
    assert len(ran.err.splitlines()) <= 2


@pytest.mark.parametrize(
    "words", ["show --json Swish .", "show Swish --json .", "show Swish . --json", "show --json -- Swish ."]
)
def test_options_and_words_stand_in_any_order(words: str, library: Path, opwright: Opwright) -> None:
    ran = opwright(*words.split())
    assert (ran.status, ran.lines[0]["name"]) == (0, "Swish")
