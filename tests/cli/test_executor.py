"""`--executor`: builds and tests on a cluster come to what local ones come to."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opwright_build.workflow.opened.session_cluster import SessionCluster

from tests.claimed import claim_a_sandbox
from tests.cli.conftest import Ran
from tests.cluster.threads import ThreadCluster, own_processes

ADDRESS = ("--executor", "dask:tcp://127.0.0.1:8786")
Opwright = Callable[..., Ran]


@pytest.fixture
def clusters(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[ThreadCluster]]:
    """Those that were connected to."""
    claim_a_sandbox(monkeypatch)
    made: list[ThreadCluster] = []

    def connected(session: SessionCluster) -> ThreadCluster:
        if session._cluster is None:
            made.append(ThreadCluster())
            monkeypatch.setattr(session, "_cluster", made[-1])
        return made[-1]

    monkeypatch.setattr(SessionCluster, "connected", connected)
    with own_processes():
        yield made


def written(root: Path) -> dict[str, bytes]:
    found = [path for name in ("dist", "library") for path in sorted((root / name).rglob("*")) if path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def outcomes(ran: Ran) -> list[dict[str, Any]]:
    return [line for line in ran.lines if line["event"] in ("outcome", "finding")]


def test_a_build(library: Path, opwright: Opwright, clusters: list[ThreadCluster]) -> None:
    assert opwright("build").status == 0
    local = written(library)
    for name in (".opwright", "dist", "library"):
        shutil.rmtree(library / name)
    assert opwright("build", "--json", *ADDRESS).summary["actions_run"] > 0
    assert written(library) == local
    assert len(clusters) == 1
    assert opwright("build", "--json", *ADDRESS).summary["actions_run"] == 0
    assert len(clusters) == 1, "a build that finds everything asks no cluster"


def test_a_test(library: Path, opwright: Opwright, clusters: list[ThreadCluster]) -> None:
    local = opwright("test", "--json")
    shutil.rmtree(library / ".opwright")
    remote = opwright("test", "--json", *ADDRESS)
    assert outcomes(remote) == outcomes(local)
    assert [line["event"] for line in remote.lines].count("outcome") > 10
    assert clusters[0].submitted
    assert remote.summary["workers"]["level"] == 1
    again = opwright("test", "--json")
    assert again.summary["kept"] == len([line for line in again.lines if line["event"] == "outcome"])


def test_verdicts_are_those_of_the_machine_that_made_them(
    library: Path, opwright: Opwright, clusters: list[ThreadCluster], monkeypatch: pytest.MonkeyPatch
) -> None:
    opwright("test", "--json", *ADDRESS)
    monkeypatch.setattr(SessionCluster, "machine", "another one")
    assert opwright("test", "--json", *ADDRESS).summary["kept"] == 0
    assert opwright("test", "--json").summary["kept"] > 0


def test_findings_are_told_as_ever(library: Path, opwright: Opwright, clusters: list[ThreadCluster]) -> None:
    source = library / "specs" / "com.acme" / "Swish" / "function.py"
    source.write_text(source.read_text().replace("Sigmoid", "Sigmod"))
    local, remote = opwright("build", "--json"), opwright("build", "--json", "--rerun", *ADDRESS)
    assert remote.status == local.status == 1
    assert json.dumps(outcomes(remote)) == json.dumps(outcomes(local))


def test_a_sandbox_is_required_of_workers(library: Path, opwright: Opwright, clusters: list[ThreadCluster]) -> None:
    assert opwright("test", "--json", "--require-sandbox=1", *ADDRESS).status == 0
    assert clusters[0].terms.level == 1


def test_an_address_that_is_none_ends_the_command_before_it_does_anything(library: Path, opwright: Opwright) -> None:
    ran = opwright("build", "--executor", "dask:tcp://192.0.2.7:8786")
    assert ran.status == 2
    assert "OW961" in ran.out + ran.err
    assert not (library / "dist").exists()
