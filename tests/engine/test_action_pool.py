"""Actions in worker processes that are real: they ask, wait for one another, crash, hang and end with the pool."""

from __future__ import annotations

import os
import random
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from opwright_build.engine.action import Action, Done, Failed, Outcome, Unsupported
from opwright_build.engine.action_pool import ActionPool, Deliver, Pool, Worker
from opwright_build.engine.hints import FileHints
from opwright_build.engine.log import ActionLog
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.run import Engine
from opwright_build.engine.sources import FolderSources, NotYetError
from opwright_build.engine.store import LocalStore
from opwright_build.engine.system_errors import InfrastructureError
from opwright_build.verify.run.worker_process import Surroundings, WorkerProcess

from tests.sealed import SEAL, kept

ACTIONS = """
    import os, time
    from opwright.diagnostics import Diagnostic, DiagnosticError
    from opwright_build.engine.action import Done, Failed

    def act(reader):
        lines = reader.read(f"file:{reader.param('name')}").decode().splitlines()
        made = [reader.input("greeting").decode()]
        for line in lines:
            word, _, rest = line.partition(" ")
            if word == "call":
                made.append(f"({reader.read('result:' + rest).decode()})")
            elif word == "read":
                made.append(str(reader.read(f"file:{rest}")))
            elif word == "crash":
                os.abort()
            elif word == "leave":
                os._exit(3)
            elif word == "hang":
                time.sleep(600)
            elif word == "memory":
                raise MemoryError
            elif word == "bug":
                raise ZeroDivisionError("a bug of ours")
            elif word == "refuse":
                raise DiagnosticError([Diagnostic("OW301", rest)])
            elif word == "pid":
                made.append(str(os.getpid()))
            else:
                made.append(line)
        return Done({"text": reader.put(" ".join(made).encode()), "large": reader.put(os.fsencode(rest) * 100_000)})
"""


@pytest.fixture(autouse=True)
def actions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that only sys.path leads to."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "pooled_actions.py").write_text(textwrap.dedent(ACTIONS))
    monkeypatch.syspath_prepend(tmp_path / "modules")
    monkeypatch.delitem(sys.modules, "pooled_actions", raising=False)


@pytest.fixture
def pool() -> Iterator[Callable[..., ActionPool]]:
    """Makes pools, and ends them."""
    made: list[ActionPool] = []
    surroundings = Surroundings.here()

    def start(deliver: Deliver) -> Worker:
        return WorkerProcess(surroundings, deliver, "opwright_build.engine.action_server:serve_actions")

    def make(jobs: int, limit: float = 60.0) -> ActionPool:
        made.append(ActionPool(start, jobs, limit=limit, wanted=True))
        return made[-1]

    yield make
    for item in made:
        item.close()


def run(root: Path, pool: Pool, sources: Mapping[str, str]) -> dict[str, Outcome | str]:
    """What comes of actions with these sources, in a folder and a cache of their own."""
    root.mkdir(exist_ok=True)
    for name, text in sources.items():
        (root / name).write_text(text)
    store = LocalStore(root / ".opwright" / "cache", SEAL)
    hints = FileHints(kept(root / ".opwright" / "hints.json"))
    log = ActionLog(kept(root / ".opwright" / "actions.json"), {})
    engine = Engine({"act": "pooled_actions:act"}, store, FolderSources(root, hints), log, pool=pool)
    greeting = engine.put(b"hello")
    todo = {name: Action("act", f"act {name}", {"greeting": greeting}, {"name": name}, "e1") for name in sources}

    def lookup(question: str, results: Mapping[str, Result]) -> bytes | None:
        if question not in results:
            raise NotYetError(question)
        result = results[question]
        return engine.fetch(result, "text") if isinstance(result.outcome, Done) else b"!"

    expected = {name: [f"file:{name}"] for name in sources}
    results = engine.run_mutual(
        todo, "result", lookup, lambda names: Unsupported(" ".join(names)), expected=expected.__getitem__
    )
    assert list(results) == list(sources)
    return {
        name: engine.fetch(result, "text").decode() if isinstance(result.outcome, Done) else result.outcome
        for name, result in results.items()
    }


def lost(outcome: Outcome | str) -> str:
    """How the process ended that ran an action."""
    assert isinstance(outcome, Failed)
    (finding,) = outcome.diagnostics
    assert finding.code == "OW930"
    return finding.message


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_results_are_the_same_wherever_they_are_made(
    jobs: int, tmp_path: Path, pool: Callable[..., ActionPool]
) -> None:
    drawn = random.Random(jobs)
    names = [f"n{number}" for number in range(40)]
    sources = {
        name: "\n".join([f"I am {name}", *(f"call {drawn.choice(names[:position])}" for _ in range(position and 2))])
        for position, name in enumerate(names)
    }
    shuffled = dict(drawn.sample(sorted(sources.items()), len(sources)))
    expected: dict[str, str] = {}
    for name in names:
        made = [line if line.startswith("I") else f"({expected[line[5:]]})" for line in sources[name].splitlines()]
        expected[name] = " ".join(["hello", *made])
    assert run(tmp_path / "root", pool(jobs), shuffled) == expected


@pytest.mark.parametrize("jobs", [1, 3])
def test_circles_are_told_the_same_whoever_finds_them(
    jobs: int, tmp_path: Path, pool: Callable[..., ActionPool]
) -> None:
    calls = {"a": "b", "b": "c", "c": "b", "self": "self", "d": "a", "e": "f", "f": "g", "g": "e"}
    found = run(tmp_path / "root", pool(jobs), {name: f"call {called}" for name, called in calls.items()})
    circle, three = Unsupported("b c"), Unsupported("e f g")
    told = {"a": "hello (!)", "b": circle, "c": circle, "self": Unsupported("self"), "d": "hello (hello (!))"}
    assert found == {**told, "e": three, "f": three, "g": three}


def test_a_circle_that_is_no_more_is_not_told(tmp_path: Path, pool: Callable[..., ActionPool]) -> None:
    run(tmp_path / "root", pool(2), {"a": "read x\ncall b", "b": "good", "x": "one"})
    found = run(tmp_path / "root", pool(2), {"a": "read x\ncall b", "b": "call a", "x": "one"})
    assert found["a"] == found["b"] == Unsupported("a b")
    found = run(tmp_path / "root", pool(2), {"a": "read x", "b": "call a", "x": "two"})
    assert found == {"a": "hello b'two'", "b": "hello (hello b'two')", "x": "hello two"}


def test_findings_and_refused_sources_come_back(tmp_path: Path, pool: Callable[..., ActionPool]) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "pipe").symlink_to("/etc/passwd")
    found = run(tmp_path / "root", pool(2), {"a": "refuse because", "b": "read pipe", "c": "read nothing"})
    assert isinstance(found["a"], Failed)
    assert [item.message for item in found["a"].diagnostics] == ["because"]
    assert isinstance(found["b"], Failed)
    assert [item.code for item in found["b"].diagnostics] == ["OW127"]
    assert found["c"] == "hello None"


@pytest.mark.parametrize(
    ("act", "how"),
    [
        ("crash", "crashed (signal 6)"),
        ("leave", "ended the process (exit code 3)"),
        ("memory", "ran out of memory"),
        ("hang", "gave no answer within 3 s"),
    ],
)
def test_a_worker_that_is_lost_costs_its_own_action(
    act: str, how: str, tmp_path: Path, pool: Callable[..., ActionPool]
) -> None:
    sources = {f"n{number}": f"I am {number}" for number in range(30)}
    found = run(tmp_path / "root", pool(2, limit=3.0), {**sources, "bad": act, "caller": "call bad", "n30": "last"})
    assert lost(found.pop("bad")) == f"act bad: the process that ran it {how}"
    assert found == {
        **{name: f"hello {text}" for name, text in sources.items()},
        "caller": "hello (!)",
        "n30": "hello last",
    }
    found = run(tmp_path / "root", pool(2), {"bad": "good again", "caller": "call bad"})
    assert found == {"bad": "hello good again", "caller": "hello (hello good again)"}, "nothing was kept of it"


def test_a_bug_of_ours_is_one(tmp_path: Path, pool: Callable[..., ActionPool]) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)failed in a worker.*ZeroDivisionError: a bug of ours"):
        run(tmp_path / "root", pool(2), {"a": "bug", "b": "x"})


def test_workers_are_other_processes_and_end_with_the_pool(tmp_path: Path, pool: Callable[..., ActionPool]) -> None:
    workers = pool(2)
    found = run(tmp_path / "root", workers, {f"n{number}": "pid" for number in range(30)})
    processes = {int(str(text).removeprefix("hello ")) for text in found.values()}
    assert os.getpid() not in processes
    assert 1 <= len(processes) <= 2
    workers.close()
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_workers_that_do_not_start_are_told(tmp_path: Path) -> None:
    class Stillborn:
        def send(self, message: bytes) -> None:
            raise BrokenPipeError

        def stop(self) -> str:
            return "crashed (signal 4)"

    def start(deliver: Deliver) -> Worker:
        deliver(None)
        return Stillborn()

    with pytest.raises(InfrastructureError) as caught:
        run(tmp_path / "root", ActionPool(start, 2, wanted=True), {"a": "x", "b": "x"})
    (finding,) = caught.value.diagnostics
    assert (finding.code, finding.message) == ("OW931", "a worker process crashed (signal 4) before it did anything")
