"""A cluster as actions and vectors use it: batches go in, answers come out as they end."""

from __future__ import annotations

from typing import Protocol

from opwright.diagnostics.diagnostic import Diagnostic

from opwright_build.cluster.remote_work import Replies, Terms, decode_replies
from opwright_build.engine.system_errors import InfrastructureError
from opwright_build.sandbox.levels import Claim


class Cluster(Protocol):
    """One user at a time. All methods raise InfrastructureError where the cluster is out of reach."""

    @property
    def terms(self) -> Terms:
        """What its workers have to be like."""
        ...

    @property
    def width(self) -> int:
        """How many batches run at a time."""
        ...

    def submit(self, data: bytes) -> int:
        """Sends a pickled batch; gives its number. Where a worker is lost it runs on another one, a few times."""
        ...

    def answer(self) -> tuple[int, object]:
        """The next answer, with the number of its batch: None where all workers that ran it were lost."""
        ...

    def saw(self, claim: Claim) -> None:
        """Is told what sandbox an answer came out of."""

    def forget(self) -> None:
        """Nothing that was submitted is wanted any more."""


def replies_of(cluster: Cluster, data: object, count: int) -> Replies:
    """The replies to a batch of so many. InfrastructureError (OW965, OW967) where nothing can be done with them."""
    found = decode_replies(data)
    if found is None or (not found.broken and not found.unlike and len(found.replies) != count):
        raise InfrastructureError([wrong_answer("an answer of the cluster is of another form")])
    if found.unlike:
        raise InfrastructureError([unlike_worker("a worker that joined the cluster", found.unlike)])
    if found.broken:
        raise RuntimeError(f"a worker of the cluster failed:\n{found.broken}")
    cluster.saw(found.claim)
    return found


def wrong_answer(message: str) -> Diagnostic:
    return Diagnostic(
        "OW967",
        message,
        reason="what a worker gives is kept as if this machine had made it, so it has to be what it was asked for",
        help="look at the workers of the cluster; without --executor this machine does all itself",
    )


def unlike_worker(which: str, differing: tuple[str, ...]) -> Diagnostic:
    return Diagnostic(
        "OW965",
        f"{which} differs from this machine: {'; '.join(differing)}",
        reason="results have to be the same wherever they are made",
        help="install the same versions of opwright, onnx, onnxruntime, numpy and Python on all of them",
    )


def unreachable(address: str, why: object) -> Diagnostic:
    return Diagnostic(
        "OW964",
        f"the cluster at {address} cannot be used: {one_line(why)}",
        reason="what it had not done yet is not done; what it had done is kept",
        help="start its scheduler and workers, and run the command again; it goes on from there",
    )


def one_line(error: object) -> str:
    """One line of an error, or of what else a cluster told."""
    text = "".join(letter if letter.isprintable() else " " for letter in str(error))
    text = " ".join(text.split())
    return (text if len(text) <= 200 else f"{text[:200]}...") or type(error).__name__


def lost_with_workers() -> str:
    """How something ended, as the end of a sentence about it."""
    return "was lost with every worker of the cluster that ran it"
