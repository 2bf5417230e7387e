"""What all tests share: `--update-golden` rewrites golden files instead of comparing with them."""

import gc
import os
import sys
from collections.abc import Callable, Generator, Iterator
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from opwright.bundle import installed
from opwright.live import libraries
from opwright_build.engine.folder_lock import folder_lock
from opwright_build.verify.cases.oracle import kept_fork_servers
from opwright_build.verify.run.isolation import kept_workers

from tests.mypy_runs import Mypy
from tests.own_specs import build_specs
from tests.sealed import seal_with_the_secret_of_the_tests
from tests.trials import check_trials

gc.disable()  # until all tests are collected, of which nothing is garbage
check_trials()
seal_with_the_secret_of_the_tests()
# A busy machine is no failure.
settings.register_profile("opwright", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("opwright")
# Else it reads all our modules, seven hundred, for numbers and texts to draw: what a seed gives would change with them.
providers._get_local_constants = lambda: providers._local_constants


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """In a new checkout one process of a run collects before the others: to rewrite the assertions of all tests takes
    longer than all the rest of it, and leaves bytecode behind."""
    cache: pytest.Cache | None = getattr(session.config, "cache", None)
    if "PYTEST_XDIST_WORKER" not in os.environ or cache is None or sys.dont_write_bytecode or _has_bytecode():
        return (yield)
    with folder_lock(cache.mkdir("collection") / "lock", lambda: None):
        return (yield)


def _has_bytecode() -> bool:
    """Whether all tests have been collected before: the last of them has been."""
    last = max(Path(__file__).parent.glob("*/test_*.py"))
    return any(Path(cache_from_source(last)).parent.glob(f"{last.stem}.*-pytest-*.pyc"))


def pytest_collection_finish() -> None:
    """Thousands of tests stay until the end: the collector of garbage does not look through them again and again."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, *gc.get_threshold()[1:])


@pytest.fixture(scope="module", autouse=True)
def forget_packages(shared_folder: Path) -> Iterator[None]:
    """What the functions of one file have named of packages in temporary folders is not there for the next file. A
    package that lasts stays known as long as its modules do: functions that name it are not compiled again."""
    yield
    for key, opset in list(libraries._OPSETS.items()):
        module = sys.modules.get(opset.package)
        place = getattr(module, "__file__", None)
        if place is None or Path(place).resolve().is_relative_to(shared_folder.resolve()):
            del libraries._OPSETS[key]
            for name in [name for name in sys.modules if name.partition(".")[0] == opset.package]:
                del sys.modules[name]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compares a text with a golden file, or writes the file when asked to."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        root = request.config.rootpath
        command = f"pytest {request.path.relative_to(root).as_posix()} --update-golden"
        assert path.is_file(), f"{path.relative_to(root)} is missing; write it with `{command}`"
        expected = path.read_text(encoding="utf-8")
        assert text == expected, f"{path.relative_to(root)} is out of date; if the new text is right, run `{command}`"

    return compare


@pytest.fixture(scope="session", autouse=True)
def workers() -> Iterator[None]:
    """The processes of one `opwright test` serve those after it: hundreds of tests run one on a few vectors."""
    with kept_workers(), kept_fork_servers():
        yield


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run of the tests have in common."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def mypy_runs(shared_folder: Path) -> Mypy:
    return Mypy(shared_folder / "mypy")


@pytest.fixture(scope="session")
def standard_file(shared_folder: Path) -> Path:
    """The bundle of this repository's specs, built in a folder of its own by the first process that asks for it."""
    root = shared_folder / "standard"
    with folder_lock(shared_folder / "standard.lock", lambda: None):
        built = sorted((root / "dist").glob("*.onnxlib"))
        return built[0] if built else build_specs(root)


@pytest.fixture
def standard_package(standard_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """opwright_std with its bundle, which a checkout has only after a build."""
    monkeypatch.setattr(installed, "package_bundle", lambda package, name: standard_file)
