"""Tasks that crash, hang, raise and print, in real child processes."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opwright_build.sandbox.levels import without
from opwright_build.verify.run import isolation, worker_sandbox
from opwright_build.verify.run.isolation import CHUNK, kept_workers, run_tasks

from tests.shares import one_in

TASKS = """
    import os, sys, time
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Job:
        parts: tuple[str, ...]

        def run(self):
            return [self.one(part) for part in self.parts]

        def one(self, part):
            if part == "crash":
                os.abort()
            if part == "leave":
                os._exit(3)
            if part == "hang":
                time.sleep(60)
            if part == "raise":
                raise LookupError("our own mistake")
            if part == "print":
                os.write(1, b"noise on standard output\\n")
                print("more noise", flush=True)
            if part == "pid":
                return str(os.getpid())
            if part == "surroundings":
                environment, isolated = dict(os.environ), bool(sys.flags.isolated and sys.flags.no_site)
                return {"path": sys.path, "environment": environment, "isolated": isolated, "folder": os.getcwd()}
            if part == "attacks":
                return self.attacks()
            if part == "memory":
                bytearray(16 << 30)
            return f"did {part}"

        def attacks(self):
            import socket, tempfile, threading, numpy
            acts = {
                "read": lambda: open("/etc/passwd").close(),
                "environment": lambda: open(f"/proc/{os.getppid()}/environ").close(),
                "write": lambda: open(os.path.join(sys.path[0], "written"), "w").close(),
                "mode": lambda: os.chmod(sys.path[0], 0o777),
                "socket": lambda: socket.socket(),
                "signal": lambda: os.kill(os.getppid(), 0),
                "fork": lambda: os.fork() or os._exit(0),
                "program": lambda: os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {}),
                "scratch": lambda: tempfile.TemporaryFile().close(),
                "thread": lambda: threading.Thread(target=int).start(),
                "numpy": lambda: numpy.linalg.svd(numpy.eye(300)),
            }
            refused = []
            for name, act in acts.items():
                try:
                    act()
                except OSError:
                    refused.append(name)
            return refused

        def pieces(self):
            return [Job((part,)) for part in self.parts]

        def join(self, results):
            return [answer for result in results for answer in result]

        def lost(self, how):
            return [f"lost: {how}"]
"""


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no test before had left processes to be used again."""
    monkeypatch.setattr(isolation, "_shelf", None)


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Makes tasks of a module that only sys.path leads to, as the tests of a library of one's own would."""
    (tmp_path / "isolated_jobs.py").write_text(textwrap.dedent(TASKS))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "isolated_jobs", raising=False)
    module = __import__("isolated_jobs")
    return lambda *parts: module.Job(parts)


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_results_come_in_the_order_of_the_tasks(job: Any, workers: int) -> None:
    tasks = [job(str(index)) for index in range(3 * CHUNK + 1)]
    seen: dict[int, object] = {}
    times: list[float] = []

    def tell(number: int, result: object, seconds: float) -> None:
        seen[number] = result
        times.append(seconds)

    results = run_tasks(tasks, workers=workers, progress=tell)
    assert results == [[f"did {index}"] for index in range(len(tasks))]
    assert [seen[number] for number in range(len(tasks))] == results
    assert len(times) == len(tasks)
    assert min(times) >= 0


def test_nothing_to_do_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", None)
    assert run_tasks([], workers=2) == []


@pytest.mark.parametrize(
    ("what", "how"), [("crash", "crashed (signal 6)"), ("leave", "ended the process (exit code 3)")]
)
@pytest.mark.parametrize("at", one_in(3, [2, 0, 4]))
def test_a_crash_costs_one_piece(job: Any, what: str, how: str, at: int) -> None:
    parts = ["a", "b", "c", "d"]
    parts.insert(at, what)
    results = run_tasks([job("before"), job(*parts), job("after")], workers=1)
    expected = [f"did {part}" if part != what else f"lost: {how}" for part in parts]
    assert results == [["did before"], expected, ["did after"]]


@pytest.mark.long
def test_several_crashes_cost_as_many_pieces(job: Any) -> None:
    results = run_tasks([job("crash"), job("crash", "a", "crash"), job("b")], workers=2)
    lost = "lost: crashed (signal 6)"
    assert results == [[lost], [lost, "did a", lost], ["did b"]]


def test_a_hang_is_ended_after_the_time_limit(job: Any) -> None:
    results = run_tasks([job("a", "hang", "b"), job("c")], workers=1, timeout=2)
    assert results == [["did a", "lost: gave no answer within 2 s", "did b"], ["did c"]], "it was not waited for"


def test_memory_is_bounded(job: Any) -> None:
    with pytest.raises(RuntimeError, match="MemoryError"):
        run_tasks([job("memory")], workers=1)


def test_what_native_code_prints_is_not_an_answer(job: Any, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_tasks([job("print"), job("a")], workers=1) == [["did print"], ["did a"]]
    assert capfd.readouterr() == ("", "")


def test_our_own_errors_are_raised_here(job: Any) -> None:
    with pytest.raises(RuntimeError, match="our own mistake"):
        run_tasks([job("a"), job("raise")], workers=1)


def test_a_process_serves_many_tasks_and_is_gone_afterwards(job: Any) -> None:
    results = run_tasks([job("pid") for _ in range(CHUNK)], workers=1)
    (pid,) = {int(pid) for (pid,) in results}
    assert pid != os.getpid()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_worker_is_in_a_cage(job: Any, tmp_path: Path) -> None:
    if worker_sandbox.claim().cage.level == 0:
        assert [name for name, reason in worker_sandbox.claim().declined if reason] == [worker_sandbox.CAGE.name]
        return
    [[refused]] = run_tasks([job("attacks")], workers=1)
    assert refused == ["read", "environment", "write", "mode", "socket", "signal", "fork", "program"]


@pytest.mark.skipif(sys.platform != "linux", reason="there are no cages on other systems")
def test_a_path_that_would_open_the_home_folder_gives_workers_no_cage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    before = worker_sandbox.claim().cage.level
    monkeypatch.syspath_prepend(tmp_path)
    claim = worker_sandbox.claim()
    assert claim.cage.level == 0
    assert not before or f"read files: {tmp_path}" in dict(claim.declined)[worker_sandbox.CAGE.name]


@pytest.mark.parametrize("linked", ["isolated_jobs.py", "nested"])
def test_packages_that_are_links_are_found(
    job: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, linked: str
) -> None:
    """Where the file itself is a link, it is allowed; where it lies behind one further down, there is no cage."""
    entry, elsewhere = tmp_path / "entry", tmp_path / "elsewhere"
    entry.mkdir()
    elsewhere.mkdir()
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != str(tmp_path)])
    (elsewhere / "code.py").write_text((tmp_path / "isolated_jobs.py").read_text())
    if linked == "nested":
        (entry / "isolated_jobs").mkdir()
        (entry / "isolated_jobs" / "__init__.py").symlink_to(elsewhere / "code.py")
    else:
        (entry / linked).symlink_to(elsewhere / "code.py")
    monkeypatch.syspath_prepend(entry)
    monkeypatch.delitem(sys.modules, "isolated_jobs")
    module = __import__("isolated_jobs")
    assert run_tasks([module.Job(("a",))], workers=1) == [["did a"]]
    claim = worker_sandbox.claim()
    if linked == "nested":
        assert claim.cage.level == 0


def test_without_a_cage_workers_serve_all_the_same(job: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_sandbox, "claim", lambda: without([worker_sandbox.CAGE], "it was taken away"))
    [[refused], answer] = run_tasks([job("attacks"), job("a")], workers=1)
    assert "read" not in refused and answer == ["did a"]


def test_a_worker_starts_isolated(job: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "library"
    (library / "specs").mkdir(parents=True)
    (library / "specs" / "library.yaml").write_text("schema: 1\n")
    monkeypatch.chdir(library)
    monkeypatch.syspath_prepend(library / "library")
    monkeypatch.syspath_prepend("")
    monkeypatch.setenv("SECRET", "1")
    monkeypatch.setenv("PYTHONPATH", str(library))
    [[told]] = run_tasks([job("surroundings")], workers=1)
    assert str(tmp_path) in told["path"]
    assert [entry for entry in told["path"] if not os.path.isabs(entry) or entry.startswith(str(library))] == []
    assert set(told["environment"]) & {"SECRET", "PYTHONPATH", "HOME"} == set()
    assert told["isolated"]
    assert not Path(told["folder"]).is_relative_to(library)
    assert not os.path.exists(told["folder"])


def test_a_worker_that_cannot_import_a_task_says_so(job: Any, tmp_path: Path) -> None:
    task = job("a")
    (tmp_path / "isolated_jobs.py").unlink()
    with pytest.raises(RuntimeError, match="No module named 'isolated_jobs'"):
        run_tasks([task], workers=1)


def test_processes_serve_the_next_tasks_as_long_as_they_are_kept(job: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def served(*parts: str, **options: Any) -> str:
        return str(run_tasks([job(*parts, "pid")], workers=1, **options)[0][-1])

    with kept_workers():
        first = served()
        assert served() == first
        with pytest.raises(RuntimeError, match="our own mistake"):
            served("raise")
        second = served()
        assert second != first, "it had not answered all"
        died = run_tasks([job("crash")], workers=1)
        assert died == [["lost: crashed (signal 6)"]]
        third = served()
        monkeypatch.setenv("OMP_NUM_THREADS", "3")
        assert served() != third, "it was started with another environment"
        monkeypatch.delenv("OMP_NUM_THREADS")
        assert served() == third
        assert run_tasks([job("hang")], workers=1, timeout=1) == [["lost: gave no answer within 1 s"]]
        with kept_workers():
            fourth = served()
        assert served() == fourth
    for pid in (first, second, third, fourth):
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)
