"""Building runs nothing of what it builds: watched by an audit hook in every process, and the hook itself is proven."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.environment import link_packages
from tests.own_specs import STANDARD, copy_specs

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BASE = HERE.parent / "diagnostics" / "base_library"
KINDS = {"exec", "import", "compile", "process", "socket", "write"}

SCRIPT = "import sys\n\nfrom opwright_build.cli.entry import main\n\nsys.exit(main())\n"

# Stands for the interpreter in processes that start others: without `site` nothing would load the hook in those.
UNCAGED = """\
from opwright_build.verify.cases import oracle
oracle.CAGES = oracle.CAGES[-1:]
"""
LAUNCHER = """\
#!{python} -ISB
import os
import runpy
import sys

words = sys.argv[1:]
if "-S" not in words:
    os.execv({python!r}, [{python!r}, *words])
sys.argv = words[next(index for index, word in enumerate(words) if not word.startswith("-")) :]
runpy.run_path({hook!r})
runpy.run_path(sys.argv[0], run_name="__main__")
"""

HOSTILE_REFERENCE = """\
import numpy as np

SYSTEM = __import__("sys")


def attempt(action):
    try:
        action()
    except Exception:
        pass


def import_from_specs():
    SYSTEM.path.insert(0, {folder!r})
    __import__("neighbour")


attempt(lambda: exec("x = 1"))
attempt(import_from_specs)
attempt(lambda: compile("1 + 1", "<text>", "eval"))
attempt(lambda: __import__("subprocess").run([SYSTEM.executable, "-c", ""]))
attempt(lambda: __import__("socket").socket())
attempt(lambda: open({outside!r}, "w").close())


def Swish(X, alpha=1.0):
    return X / (1 + np.exp(-alpha * X))
"""


@dataclass(frozen=True)
class Audited:
    """A run: its exit status, what it printed, and what the hook saw, by process."""

    status: int
    output: str
    lines: list[dict[str, Any]]

    @property
    def armed(self) -> set[int]:
        return {line["pid"] for line in self.lines if line["kind"] == "armed"}

    @property
    def violations(self) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["kind"] != "armed"]


Audit = Callable[..., Audited]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The interpreter and the site-packages of an environment that sees our packages and starts with the hook."""
    folder = tmp_path_factory.mktemp("environment")
    venv.EnvBuilder(with_pip=False, symlinks=os.name != "nt").create(folder)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(ask, capture_output=True, text=True, check=True, timeout=60).stdout.strip())
    ours = [entry for entry in sys.path if entry and Path(entry).is_dir() and "python3" not in Path(entry).name]
    packages = [entry for entry in ours if Path(entry).name == "site-packages"]
    ours = [entry for entry in ours if entry not in packages]
    ours += [str(ROOT / "library"), str(ROOT / "buildtool"), str(link_packages(folder / "packages", packages))]
    # Not as `sitecustomize`: a system's own, as Debian's, would come before it.
    (site / "ours.pth").write_text("\n".join([*dict.fromkeys(ours), "import audit_hook"]) + "\n")
    (site / "opwright_script.py").write_text(SCRIPT)
    (site / "uncaged_script.py").write_text(UNCAGED + SCRIPT)
    shutil.copyfile(HERE / "audit_hook.py", site / "audit_hook.py")
    launcher = site / "launcher"
    launcher.write_text(LAUNCHER.format(python=str(python), hook=str(site / "audit_hook.py")))
    launcher.chmod(0o755)
    return python, site


@pytest.fixture
def audit(environment: tuple[Path, Path], tmp_path: Path) -> Audit:
    """Runs one command line of ours on a library, watched."""
    python, site = environment

    def run(
        words: Sequence[str], root: Path, package: str, cwd: Path | None = None, script: str = "opwright_script.py"
    ) -> Audited:
        log = tmp_path / "audit.log"
        log.unlink(missing_ok=True)
        sources = sorted((root / "specs").rglob("*.py"))
        settings = {
            "specs": str((root / "specs").resolve()),
            "writable": [
                str((root / name).resolve()) for name in (".opwright", "dist", f"library/{package}", "library")
            ],
            "sources": [hashlib.sha256(path.read_bytes()).hexdigest() for path in sources],
            "names": sorted({path.name for path in sources}),
            "log": str(log),
            "executable": str(site / "launcher"),
        }
        (site / "audit_settings.json").write_text(json.dumps(settings))
        variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        done = subprocess.run(
            [python, site / script, *words],
            cwd=cwd or root,
            env={**variables, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        return Audited(done.returncode, done.stdout + done.stderr, lines)

    return run


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BASE, tmp_path / "library"))


def _make_hostile(root: Path) -> Path:
    """Writes a reference that tries everything; gives the file that it tries to write."""
    folder, outside = root / "specs" / "com.acme" / "Swish", root.parent / "outside"
    (folder / "neighbour.py").write_text("X = 1\n")
    (folder / "reference.py").write_text(HOSTILE_REFERENCE.format(folder=str(folder), outside=str(outside)))
    return outside


def test_a_build_of_a_hostile_library_does_nothing_but_build(audit: Audit, library: Path) -> None:
    outside = _make_hostile(library)
    for words in (["build"], ["build"], ["lint"], ["ls"], ["opsets"], ["show", "Swish"], ["stubs", "--check"]):
        ran = audit(words, library, "base")
        assert ran.status == 0, ran.output
        assert len(ran.armed) == 1, "the hook was not there, or there was a second process"
        assert ran.violations == []
    assert not outside.exists()


@pytest.mark.long
def test_code_at_the_top_of_a_function_file_is_read_and_not_run(audit: Audit, library: Path) -> None:
    outside = library.parent / "outside"
    function = library / "specs" / "com.acme" / "Swish" / "function.py"
    function.write_text(f"import os\n\nopen({str(outside)!r}, 'w')\nos.system('true')\n{function.read_text()}")
    ran = audit(["build"], library, "base")
    assert ran.status in (0, 1), ran.output
    assert ran.violations == []
    assert not outside.exists()


def test_modules_that_lie_in_the_current_folder_are_not_imported(audit: Audit, library: Path) -> None:
    folder = library / "specs" / "com.acme" / "Swish"
    for name in ("json", "yaml", "onnx", "pydantic", "jinja2", "typing_extensions", "opwright_std", "base"):
        (folder / f"{name}.py").write_text("raise SystemExit('run')\n")
    ran = audit(["build"], library, "base", cwd=folder)
    assert (ran.status, ran.violations) == (0, []), ran.output


@pytest.mark.long
def test_a_build_of_our_own_specs_does_nothing_but_build(audit: Audit, tmp_path: Path) -> None:
    root = tmp_path / "own"
    copy_specs(root, large=False)
    ran = audit(["build", "-p", STANDARD, "-j", "1"], root, "opwright_std")
    assert ran.status == 0, ran.output
    assert len(ran.armed) == 1
    assert ran.violations == []


@pytest.mark.long
def test_the_hook_sees_each_thing_when_a_reference_does_it(audit: Audit, library: Path) -> None:
    outside = _make_hostile(library)
    ran = audit(["test"], library, "base", script="uncaged_script.py")  # where it is in a cage, it cannot tell
    by_spec = [line for line in ran.violations if line["by_spec"]]
    assert {line["kind"] for line in by_spec} == KINDS, ran.output
    assert any(line["detail"].endswith("neighbour.py") for line in by_spec if line["kind"] == "exec")
    assert any(line["detail"] == str(outside) for line in by_spec if line["kind"] == "write")
    assert len({line["pid"] for line in by_spec}) == 1, "it ran in more than one process"
    runner = {line["pid"] for line in ran.lines[:1]}
    assert runner.isdisjoint(line["pid"] for line in by_spec), "it ran in our own process"


@pytest.mark.long
def test_without_the_oracle_a_test_runs_no_python_of_a_spec(audit: Audit, library: Path) -> None:
    outside = _make_hostile(library)
    ran = audit(["test", "--no-oracle"], library, "base")
    assert [line for line in ran.violations if line["by_spec"]] == []
    assert [line for line in ran.violations if line["kind"] in ("exec", "import", "compile")] == []
    assert not outside.exists()
