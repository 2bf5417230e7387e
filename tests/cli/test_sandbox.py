"""The level of the sandbox, told and required, in `opwright test` and `opwright propose`."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from opwright_build.propose import expansions
from opwright_build.sandbox.levels import CAGES, Cage, without
from opwright_build.verify.cases import oracle
from opwright_build.verify.cases.oracle import Limits, Oracle
from opwright_build.verify.run import isolation, worker_sandbox

from tests.claimed import claim_one_for_workers

Opwright = Callable[..., Any]
REFERENCE = Path("specs/com.acme/Swish/reference.py")


def findings(ran: Any) -> list[str]:
    return [line["finding"]["code"] for line in ran.lines if line["event"] == "finding"]


@pytest.fixture
def trace(library: Path, tmp_path: Path) -> Path:
    """A file that the reference makes where it can, whatever becomes of it then."""
    path = tmp_path / "trace"
    text = f"try:\n    open({str(path)!r}, 'w').close()\nexcept OSError:\n    pass\n"
    REFERENCE.write_text(text + REFERENCE.read_text())
    return path


def claimed(cage: Cage) -> int:
    """The level that this machine gives where this cage is allowed."""
    with Oracle(Limits(), (cage, CAGES[-1])) as asked:
        return asked.claim.cage.level


@pytest.mark.parametrize("cage", CAGES, ids=lambda cage: cage.name)
def test_the_last_line_and_the_record_name_the_level(
    cage: Cage, trace: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oracle, "CAGES", (cage, CAGES[-1]))
    level = claimed(cage)
    ran = opwright("test", "--json")
    assert ran.status == 0
    assert ran.summary["sandbox"]["level"] == level
    assert [item["mechanisms"] for item in ran.summary["sandbox"]["declined"]] == [cage.name] * (level < cage.level)
    assert findings(ran) == ([] if level else ["OW910"])
    assert trace.exists() == (level == 0)
    assert f"; sandbox level {level}; " in opwright("test", "--rerun").out.splitlines()[-1]


@pytest.mark.parametrize("words", [["test"], ["propose", "Swish", "-o", "proposal"]])
def test_the_record_of_the_run_names_the_levels(
    words: list[str], library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = without([worker_sandbox.CAGE], "it was taken away")
    for claim in (worker_sandbox.claim(), none):
        monkeypatch.setattr(worker_sandbox, "claim", lambda claim=claim: claim)
        assert opwright(*words, *(["--rerun"] if words == ["test"] else [])).status == 0
        told = json.loads((library / ".opwright" / "run.json").read_bytes())
        assert told["schema"] == "opwright.run/1"
        assert told["sandbox"]["level"] == max(claimed(cage) for cage in CAGES)
        assert told["workers"]["level"] == claim.cage.level


def test_node_tests_of_a_proposal_run_in_workers(
    library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ran: list[int] = []

    def counted(tasks: Sequence[isolation.Task], *, workers: int) -> list[Any]:
        ran.append(len(tasks))
        assert workers > 0
        return isolation.run_tasks(tasks, workers=workers)

    monkeypatch.setattr(expansions, "run_tasks", counted)
    proposed = opwright("propose", "Swish", "-o", str(tmp_path / "proposal"))
    assert proposed.status == 0, proposed.out
    assert ran[0] > 3 and "onnx.checker" in proposed.out and " pass" in proposed.out
    monkeypatch.setattr(worker_sandbox, "claim", lambda: without([worker_sandbox.CAGE], "it was taken away"))
    refused = opwright("propose", "Swish", "-o", str(tmp_path / "proposal"), "--require-sandbox=1")
    assert refused.status == 3
    assert "OW911: a sandbox of level 1 is required for verification workers" in refused.out
    assert len(ran) == 1


@pytest.mark.parametrize("command", ["test", "propose"])
def test_a_level_that_is_required_and_missing_is_refused_before_anything_runs(
    command: str, trace: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(oracle, "CAGES", CAGES[-1:])
    claim_one_for_workers(monkeypatch)
    words = ["test"] if command == "test" else ["propose", "Swish", "-o", str(tmp_path / "proposal")]
    for level in (1, 2):
        ran = opwright(*words, f"--require-sandbox={level}")
        assert ran.status == 3
        assert f"error OW911: a sandbox of level {level} is required; this machine gives level 0" in ran.out
    assert not trace.exists()
    ran = opwright(*words)
    assert "OW910" in ran.out
    assert "sandbox level 0; " in ran.out
    assert trace.exists()


def test_workers_are_in_a_cage_where_there_is_one(
    trace: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = opwright("test", "--json")
    assert ran.summary["workers"]["level"] == worker_sandbox.claim().cage.level
    none = without([worker_sandbox.CAGE], "it was taken away")
    monkeypatch.setattr(worker_sandbox, "claim", lambda: none)
    ran = opwright("test", "--json", "--no-oracle")
    assert ran.summary["workers"] == {
        "level": 0,
        "mechanisms": "limits",
        "declined": [{"mechanisms": worker_sandbox.CAGE.name, "reason": "it was taken away"}],
    }
    trace.unlink(missing_ok=True)
    for words in (["--require-sandbox=2", "--no-oracle"], ["--require-sandbox=1"]):
        ran = opwright("test", *words)
        assert ran.status == 3
        assert "OW911: a sandbox of level 1 is required for verification workers; this machine gives" in ran.out
    assert not trace.exists()


def test_a_level_that_is_required_and_there(trace: Path, opwright: Opwright) -> None:
    level = max(claimed(cage) for cage in CAGES)
    level = 0 if worker_sandbox.claim().cage.level == 0 else level
    assert opwright("test", f"--require-sandbox={level}").status == 0


def test_there_are_three_levels(library: Path, opwright: Opwright) -> None:
    assert opwright("test", "--require-sandbox=3").status == 2
