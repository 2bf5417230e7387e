"""Python that lies in a library's folder is never run: by the console script, by `python -m`, or by their workers.

Each test runs the tool from an environment of its own, in a library that is full of modules named like those that the
tool imports, or tries to. A planted module that is run writes its name and the process into a file.
"""

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from pathlib import Path

import jinja2
import numpy
import onnx
import opwright
import opwright_build
import pytest
import yaml
from opwright_build.engine.user_secret import VARIABLE

from tests.cli.conftest import BASE
from tests.environment import link_packages

# Names that packages we need try to import, and do without.
OPTIONAL = ("PIL", "flint", "gmpy", "gmpy2", "sage", "shellingham", "coloredlogs", "sitecustomize", "usercustomize")
INSTALLED = ("numpy", "onnx", "onnxruntime", "opwright", "opwright_build", "pydantic", "yaml")
PLANTED = """\
import os, sys
with open({log!r}, "a") as log:
    log.write(f"{{__name__}} {{os.getpid()}}\\n")
"""
SCRIPT = """\
import sys
from opwright_build.cli.entry import main
if __name__ == "__main__":
    sys.exit(main())
"""


class Attacked:
    """A library in which `folders` hold planted modules, and an environment that has the tool installed."""

    def __init__(self, root: Path, environment: Path) -> None:
        self.root = root
        self.log = root.parent / "run.log"
        self._bin = environment / ("Scripts" if os.name == "nt" else "bin")
        (self._site,) = environment.rglob("site-packages")
        self.pth = self._site / "attacked.pth"

    def plant(self, names: Iterable[str], folders: Iterable[str] = ("", "library", "specs", "specs/com.acme")) -> None:
        text = PLANTED.format(log=str(self.log))
        for folder in folders:
            (self.root / folder).mkdir(parents=True, exist_ok=True)
            for name in names:
                (self.root / folder / f"{name}.py").write_text(text)

    def put_on_path(self, *folders: str) -> None:
        """What an editable install of the library leaves in the environment."""
        self.pth.write_text("".join(f"{self.root / folder}\n" for folder in folders))

    def run(self, *words: str, script: bool = True, **environment: str) -> tuple[int, list[str]]:
        """The process, and what planted modules were run."""
        command = [str(self._bin / "python"), *([str(self._bin / "opwright")] if script else []), *words]
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TMPDIR", VARIABLE) if name in os.environ}
        process = subprocess.Popen(
            command, cwd=self.root, env=kept | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        told, _ = process.communicate(timeout=120)
        assert process.returncode == 0, told
        return process.pid, self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tool installed, not editable, with the packages that it needs."""
    home = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(home, symlinks=os.name != "nt", with_pip=False)
    (site,) = home.rglob("site-packages")
    for package in (opwright, opwright_build):
        (folder,) = package.__path__
        shutil.copytree(folder, site / Path(folder).name)
    needed = {str(Path(module.__file__ or "").parents[1]) for module in (jinja2, numpy, onnx, pytest, yaml)}
    (site / "needed.pth").write_text(f"{link_packages(home / 'needed', sorted(needed))}\n")
    ((home / "Scripts" if os.name == "nt" else home / "bin") / "opwright").write_text(SCRIPT)
    return home


@pytest.fixture
def attacked(environment: Path, tmp_path: Path) -> Iterable[Attacked]:
    made = Attacked(Path(shutil.copytree(BASE, tmp_path / "library")), environment)
    yield made
    made.pth.unlink(missing_ok=True)


@pytest.mark.long
def test_the_console_script_and_its_workers(attacked: Attacked) -> None:
    attacked.plant({*sys.stdlib_module_names, *INSTALLED, *OPTIONAL} - {"__main__"})
    _, ran = attacked.run("test", "--no-oracle")
    assert ran == []


@pytest.mark.long
def test_with_the_folder_on_the_import_path(attacked: Attacked) -> None:
    attacked.plant({*sys.stdlib_module_names, *INSTALLED, *OPTIONAL} - {"__main__"})
    attacked.put_on_path("", "library", "specs")
    pid, ran = attacked.run("test")
    # Python itself runs these two, before a line of ours; only the process that somebody started does.
    assert set(ran) <= {f"sitecustomize {pid}", f"usercustomize {pid}"}


@pytest.mark.long
def test_the_module_that_is_run_by_name(attacked: Attacked) -> None:
    names = {*sys.stdlib_module_names, *INSTALLED, *OPTIONAL} - {"__main__"}
    # `-m` alone looks for these in the current folder before a line of ours is run; `-P` forbids it.
    command = [sys.executable, "-I", "-c", "import runpy, sys; print(*sys.modules)"]
    by_python = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    attacked.plant(names - {name.partition(".")[0] for name in by_python} - {"opwright_build"}, [""])
    _, ran = attacked.run("-m", "opwright_build", "lint", script=False)
    assert ran == []
    attacked.plant(names, [""])
    _, ran = attacked.run("-P", "-m", "opwright_build", "lint", script=False)
    assert ran == []


def test_the_path_that_a_variable_gives(attacked: Attacked) -> None:
    attacked.plant(["json", "typing_extensions", *OPTIONAL[:-2], *set(INSTALLED) - {"opwright_build"}])
    for path in (str(attacked.root / "library"), os.pathsep.join(["", "library"])):
        _, ran = attacked.run("lint", PYTHONPATH=path)
        assert ran == [], path


@pytest.mark.long
def test_a_finder_that_an_install_has_added(attacked: Attacked) -> None:
    attacked.plant(["gmpy2"])
    attacked.pth.with_name("attacked_finder.py").write_text(
        "import sys\n"
        "from importlib.util import spec_from_file_location\n"
        "class Finder:\n"
        "    @staticmethod\n"
        "    def find_spec(name, path=None, target=None):\n"
        f"        file = {str(attacked.root / 'library' / 'gmpy2.py')!r}\n"
        "        return spec_from_file_location(name, file) if name == 'gmpy2' else None\n"
        "sys.meta_path.append(Finder)\n"
    )
    attacked.pth.write_text("import attacked_finder\n")
    _, ran = attacked.run("lint")
    assert ran == []


@pytest.mark.long
def test_an_environment_inside_the_library_is_used(environment: Path, attacked: Attacked) -> None:
    inside = attacked.root / ".venv"
    shutil.copytree(environment, inside, symlinks=True)
    attacked.plant(OPTIONAL[:-2])
    _, ran = Attacked(attacked.root, inside).run("test")
    assert ran == []
