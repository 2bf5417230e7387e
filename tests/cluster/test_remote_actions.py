"""Actions on a cluster: the same results as in this process, and nothing believed that was not asked for."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from opwright_build.cluster.remote_actions import RemotePool
from opwright_build.cluster.remote_work import ActionBatch, Replies, decode_replies, encode_replies, read_identity
from opwright_build.engine.action import Failed, Outcome, Read, Record, Unsupported, decode_entry, encode_entry
from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.system_errors import InfrastructureError
from opwright_build.sandbox.levels import CAGES, Claim

from tests.cluster.threads import ThreadCluster, own_processes
from tests.engine.test_action_pool import actions, lost, run
from tests.shares import one_in

__all__ = ["actions"]


@pytest.fixture(autouse=True)
def processes(actions: None) -> Iterator[None]:
    with own_processes():
        yield


def on(cluster: ThreadCluster, limit: float = 60.0) -> RemotePool:
    return RemotePool(lambda: cluster, limit)


@pytest.mark.parametrize("width", one_in(2, [2, 1]))
def test_results_are_the_same_on_a_cluster(width: int, tmp_path: Path) -> None:
    drawn = random.Random(width)
    names = [f"n{number}" for number in range(40)]
    sources = {
        name: "\n".join([f"I am {name}", *(f"call {drawn.choice(names[:position])}" for _ in range(position and 2))])
        for position, name in enumerate(names)
    }
    expected: dict[str, Outcome | str] = {}
    for name in names:
        made = [line if line.startswith("I") else f"({expected[line[5:]]})" for line in sources[name].splitlines()]
        expected[name] = " ".join(["hello", *made])
    cluster = ThreadCluster(width)
    assert run(tmp_path / "root", on(cluster), dict(drawn.sample(sorted(sources.items()), len(sources)))) == expected
    assert cluster.most_at_once <= 2 * width
    assert cluster.seen, "the sandbox of an answer is told"
    again = ThreadCluster(width)
    assert run(tmp_path / "root", on(again), sources) == expected
    assert again.submitted == [], "what is known is not sent"


def test_no_path_of_this_machine_is_sent(tmp_path: Path) -> None:
    cluster = ThreadCluster()
    run(tmp_path / "root", on(cluster), {"a": "read b\ncall c", "b": "x", "c": "y"})
    for data in cluster.submitted:
        assert str(tmp_path).encode() not in data
        assert Path.home().as_posix().encode() not in data


def test_circles_refusals_and_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "pipe").symlink_to("/etc/passwd")
    calls = {"a": "call b", "b": "call c", "c": "call b", "self": "call self", "d": "call a"}
    more = {"e": "refuse because", "f": "read pipe", "g": "read nothing"}
    found = run(tmp_path / "root", on(ThreadCluster()), calls | more)
    circle = Unsupported("b c")
    told = {"a": "hello (!)", "b": circle, "c": circle, "self": Unsupported("self"), "d": "hello (hello (!))"}
    assert {name: found[name] for name in told} == told
    refused, linked = found["e"], found["f"]
    assert isinstance(refused, Failed)
    assert isinstance(linked, Failed)
    assert [item.message for item in refused.diagnostics] == ["because"]
    assert [item.code for item in linked.diagnostics] == ["OW127"]
    assert found["g"] == "hello None"


@pytest.mark.parametrize(
    ("act", "how"),
    [
        ("crash", "crashed (signal 6)"),
        ("leave", "ended the process (exit code 3)"),
        ("memory", "ran out of memory"),
        ("hang", "gave no answer within 3 s"),
    ],
)
def test_what_crashes_or_hangs_costs_its_own_action(act: str, how: str, tmp_path: Path) -> None:
    sources = {f"n{number}": f"I am {number}" for number in range(20)}
    found = run(tmp_path / "root", on(ThreadCluster(), 3.0), {**sources, "bad": act, "caller": "call bad"})
    assert lost(found.pop("bad")) == f"act bad: the process that ran it {how}"
    assert found == {**{name: f"hello {text}" for name, text in sources.items()}, "caller": "hello (!)"}


def test_an_action_that_is_lost_with_its_workers_is_a_finding(tmp_path: Path) -> None:
    """Of a batch that was lost each action runs by itself, so that one gets the blame."""
    sources = {f"n{number}": f"I am {number}" for number in range(12)}
    cluster = ThreadCluster(loses=lambda data: b"fatal" in data)
    found = run(tmp_path / "root", on(cluster), {**sources, "bad": "fatal", "caller": "call bad"})
    bad = found.pop("bad")
    assert isinstance(bad, Failed)
    assert [(item.code, item.message) for item in bad.diagnostics] == [
        ("OW966", "act bad was lost with every worker of the cluster that ran it")
    ]
    assert found == {**{name: f"hello {text}" for name, text in sources.items()}, "caller": "hello (!)"}
    assert len(pickle.loads(next(data for data in reversed(cluster.submitted) if b"fatal" in data)).work) == 1


def test_a_bug_of_ours_is_one(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)a worker of the cluster failed.*ZeroDivisionError: a bug of ours"):
        run(tmp_path / "root", on(ThreadCluster()), {"a": "bug", "b": "x"})


# ------------------------------------------------------------------------------------------- what is not believed


def spoilt(change: Callable[[Record, dict[str, bytes]], bytes]) -> Callable[[bytes], object]:
    """Changes what became of each action that is done."""

    def spoil(data: bytes) -> bytes:
        replies = decode_replies(data)
        assert replies is not None
        found = []
        for header, payload in replies.replies:
            entry = decode_entry(payload) if "seconds" in header else None
            found.append((header, payload if entry is None else change(*entry)))
        return encode_replies(replace(replies, replies=found))

    return spoil


def other_bytes(record: Record, contents: dict[str, bytes]) -> bytes:
    return encode_entry(record, {digest: data + b"?" for digest, data in contents.items()})


def missing_bytes(record: Record, contents: dict[str, bytes]) -> bytes:
    return encode_entry(record, {})


def other_read(record: Record, contents: dict[str, bytes]) -> bytes:
    reads = tuple(Read(read.name, digest_bytes(b"another file")) for read in record.reads)
    return encode_entry(replace(record, reads=reads), contents)


def further_read(record: Record, contents: dict[str, bytes]) -> bytes:
    return encode_entry(replace(record, reads=(*record.reads, Read("file:secret", digest_bytes(b"")))), contents)


def no_record(record: Record, contents: dict[str, bytes]) -> bytes:
    return b"?"


@pytest.mark.parametrize("change", one_in(2, [other_bytes, missing_bytes, other_read, further_read, no_record]))
def test_an_answer_to_something_else_is_not_kept(
    change: Callable[[Record, dict[str, bytes]], bytes], tmp_path: Path
) -> None:
    with pytest.raises(InfrastructureError) as caught:
        run(tmp_path / "root", on(ThreadCluster(spoils=spoilt(change))), {"a": "x", "b": "y"})
    assert [item.code for item in caught.value.diagnostics] == ["OW967"]
    assert run(tmp_path / "root", on(ThreadCluster()), {"a": "x", "b": "y"}) == {"a": "hello x", "b": "hello y"}


@pytest.mark.parametrize("answer", [b"", b"{}\n", b"[]\n", "text", b'{"replies": [{"size": -1}]}\n', 3])
def test_an_answer_of_another_form_is_refused(answer: object, tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError) as caught:
        run(tmp_path / "root", on(ThreadCluster(spoils=lambda data: answer)), {"a": "x"})
    assert [item.code for item in caught.value.diagnostics] == ["OW967"]


def test_a_worker_that_differs_does_nothing(tmp_path: Path) -> None:
    def refusal(cluster: ThreadCluster) -> str:
        with pytest.raises(InfrastructureError) as caught:
            run(tmp_path / "root", on(cluster), {"a": "x"})
        (finding,) = caught.value.diagnostics
        assert finding.code == "OW965"
        return finding.message

    cluster = ThreadCluster()
    ours = cluster.terms
    sources = "the build tool's own sources"
    cluster.terms = replace(ours, parts={**ours.parts, "numpy": "0.9", sources: digest_bytes(b"others")})
    told = refusal(cluster)
    assert f"numpy {ours.parts['numpy']}, not 0.9" in told
    assert f"other sources: {sources}" in told
    cluster.terms = replace(ours, machines=frozenset(("another",)))
    assert "another processor" in refusal(cluster)
    cluster.terms = replace(ours, level=2)
    assert "not 2" in refusal(cluster)


def test_replies_and_identities_are_read_as_they_were_written() -> None:
    claim = Claim(CAGES[-1], (("Landlock", "there is none"),))
    replies = Replies(claim, (({"seconds": 1.5}, b"abc"), ({"asks": "file:x"}, b"")), ("numpy 1, not 2",), "broken")
    found = decode_replies(encode_replies(replies))
    assert found is not None
    assert (found.claim, found.unlike, found.broken) == (replies.claim, replies.unlike, replies.broken)
    assert [payload for _, payload in found.replies] == [b"abc", b""]
    text = json.dumps({"parts": {"numpy": "2"}, "machine": "m", "cage": claim.cage.name, "declined": []})
    assert read_identity(text).parts == {"numpy": "2"}
    for bad in ("", "[]", "{}", text.replace("limits", "none"), text.replace("parts", "part")):
        with pytest.raises(ValueError, match=r"identity|Expecting"):
            read_identity(bad)


def test_nobody_waits_for_a_batch_any_more(tmp_path: Path) -> None:
    cluster = ThreadCluster(loses=lambda data: True)
    run(tmp_path / "root", on(cluster), {"a": "hang"})
    batch = pickle.loads(cluster.submitted[0])
    assert isinstance(batch, ActionBatch)
    looks = iter([False, False, False, True])
    (reply,) = batch.perform(lambda: next(looks, True))
    assert reply[0] in ({"lost": "was not wanted any more"}, {"unstarted": "was not wanted any more"})
