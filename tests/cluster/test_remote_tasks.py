"""Vectors on a cluster: results in their order, and what crashes, hangs or is lost costs the smallest piece."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from opwright_build.cluster import remote_tasks, remote_work
from opwright_build.cluster.remote_tasks import RemoteTasks
from opwright_build.cluster.remote_work import decode_replies, encode_replies
from opwright_build.engine.system_errors import InfrastructureError
from opwright_build.verify.run.isolation import kept_workers, run_tasks

from tests.cluster.threads import ThreadCluster
from tests.shares import one_in
from tests.verify.run.test_isolation import job, nothing_kept

__all__ = ["job", "nothing_kept"]


@pytest.fixture(autouse=True)
def processes(nothing_kept: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """They end with the test."""
    monkeypatch.setattr(remote_work, "workers_kept_for_good", lambda: None)
    with kept_workers():
        yield


def on(cluster: ThreadCluster) -> RemoteTasks:
    return RemoteTasks(lambda: cluster)


@pytest.mark.parametrize("width", one_in(2, [3, 1]))
def test_results_come_in_the_order_of_the_tasks(job: Any, width: int) -> None:
    cluster = ThreadCluster(width)
    seen: dict[int, Any] = {}
    found = run_tasks(
        [job(str(number)) for number in range(100)],
        workers=on(cluster),
        progress=lambda number, result, seconds: seen.update({number: result}),
    )
    assert found == [[f"did {number}"] for number in range(100)]
    assert [seen[number] for number in range(100)] == found
    assert 1 < len(cluster.submitted) < 100
    assert cluster.most_at_once <= 2 * width


def test_nothing_to_do_asks_no_cluster() -> None:
    def connect() -> ThreadCluster:
        raise AssertionError("it was connected")

    assert run_tasks([], workers=RemoteTasks(connect)) == []


def test_large_tasks_go_out_in_more_messages(job: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_tasks, "_MOST_BYTES", 400)
    cluster = ThreadCluster(1)
    tasks = [job(f"{number} {'x' * 150}") for number in range(8)]
    assert run_tasks(tasks, workers=on(cluster)) == run_tasks(tasks, workers=0)
    assert len(cluster.submitted) >= 4


def test_a_crash_and_a_hang_cost_one_piece(job: Any) -> None:
    tasks = [job("before"), job("a", "crash", "b"), job("hang"), job("after")]
    found = run_tasks(tasks, workers=on(ThreadCluster()), timeout=4)
    crash, hang = "lost: crashed (signal 6)", "lost: gave no answer within 4 s"
    assert found == [["did before"], ["did a", crash, "did b"], [hang], ["did after"]]


def test_what_is_lost_with_its_workers_is_cut_in_pieces(job: Any) -> None:
    cluster = ThreadCluster(1, loses=lambda data: b"fatal" in data)
    tasks = [job("a"), job("b", "fatal", "c", "fatal"), job("d"), job("fatal"), job("e")]
    seen: dict[int, Any] = {}
    found = run_tasks(
        tasks, workers=on(cluster), progress=lambda number, result, seconds: seen.update({number: result})
    )
    lost = "lost: was lost with every worker of the cluster that ran it"
    assert found == [["did a"], ["did b", lost, "did c", lost], ["did d"], [lost], ["did e"]]
    assert [seen[number] for number in range(len(tasks))] == found


def test_a_bug_of_ours_is_one(job: Any) -> None:
    with pytest.raises(RuntimeError, match="our own mistake"):
        run_tasks([job("a"), job("raise")], workers=on(ThreadCluster()))


def test_answers_of_another_number_are_refused(job: Any) -> None:
    def fewer(data: bytes) -> object:
        replies = decode_replies(data)
        assert replies is not None
        return encode_replies(type(replies)(replies.claim, replies.replies[1:]))

    with pytest.raises(InfrastructureError) as caught:
        run_tasks([job("a"), job("b"), job("c")], workers=on(ThreadCluster(1, spoils=fewer)))
    assert [item.code for item in caught.value.diagnostics] == ["OW967"]


def test_nobody_waits_any_more(job: Any) -> None:
    cluster = ThreadCluster(1, loses=lambda data: True)
    run_tasks([job("a")], workers=on(cluster))
    batch = pickle.loads(cluster.submitted[0])
    with pytest.raises(RuntimeError, match="nobody waits"):
        batch.perform(lambda: True)
