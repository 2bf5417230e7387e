"""A cluster of dask: the only module that imports `distributed`, an extra.

Batches are tasks of dask's scheduler, which runs them on another worker where one is lost (`allowed-failures` of its
configuration: three more times). The connection goes to the scheduler alone. When it ends, with this process or before,
the scheduler drops what was submitted.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import secrets
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, Protocol, TypeVar

from opwright_build.cluster.cluster import one_line, unlike_worker, unreachable
from opwright_build.cluster.executor_address import ExecutorAddress, require_loopback
from opwright_build.cluster.likeness import differences, parts_here
from opwright_build.cluster.remote_work import Identity, Terms, identify, read_identity, serve
from opwright_build.cluster.tls_files import require_tls_file
from opwright_build.engine.system_errors import InfrastructureError
from opwright_build.sandbox.levels import Claim

PATIENCE = 60.0  # seconds that a cluster may have no workers, or not answer
_LOOK = 1.0  # seconds until Ctrl-C is seen where waiting cannot be interrupted
_CHECK = 5.0  # seconds without an answer, after which it is asked whether the cluster is still there
_QUIET = {"distributed.admin.large-graph-warning-threshold": "1GB"}
T = TypeVar("T")

# By name, since type checkers run where the extra is not installed.
dask = import_module("dask")
distributed = import_module("distributed")
_worker = import_module("distributed.worker")


class _Future(Protocol):
    def result(self, timeout: float) -> object: ...

    def add_done_callback(self, function: Callable[[_Future], None]) -> None: ...


class _Client(Protocol):
    """What is used of dask's client. Its methods raise whatever dask, tornado and the system raise."""

    @property
    def status(self) -> str: ...

    def submit(self, function: Callable[[bytes], bytes], data: bytes, *, key: str, pure: bool) -> _Future: ...

    def cancel(self, futures: list[_Future]) -> object: ...

    def nthreads(self) -> Mapping[str, int]: ...

    def run(self, function: Callable[..., object], /, *given: object, on_error: str) -> Mapping[str, object]: ...

    def close(self, timeout: float) -> object: ...


class DaskCluster:
    """A connection to a scheduler. `jobs` is the most batches at a time, None for one a thread of its workers;
    `patience` is in seconds."""

    def __init__(
        self,
        address: ExecutorAddress,
        distributions: tuple[str, ...],
        *,
        jobs: int | None = None,
        patience: float | None = None,
    ) -> None:
        self._address = address
        self._patience = PATIENCE if patience is None else patience
        self._answers: queue.SimpleQueue[tuple[int, object]] = queue.SimpleQueue()
        self._futures: dict[int, _Future] = {}
        self._submitted = 0
        self._token = secrets.token_hex(8)
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is a finding
        dask.config.set(_QUIET)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other versions: what matters is compared
            self._client: _Client = self._ask(self._connected)
        try:
            threads = self._wait_for_workers()
            if not address.is_encrypted:
                require_loopback(threads)
            found = self._identities(distributions)
        except BaseException:
            self.close()
            raise
        self.width = min(sum(threads.values()), jobs or sum(threads.values()))
        self.claim = min((item.claim for item in found.values()), key=lambda claim: claim.cage.level)
        machines = frozenset(item.machine for item in found.values())
        self.terms = Terms(parts_here(distributions), distributions, machines)

    @property
    def machine(self) -> str:
        """The machine that results are of: where workers are of several kinds, it is any of these."""
        return " ".join(sorted(self.terms.machines))

    def require(self, level: int) -> None:
        """From now on work is for workers with a sandbox of this level."""
        self.terms = replace(self.terms, level=level)

    def submit(self, data: bytes) -> int:
        number = self._submitted
        self._submitted += 1
        key = f"opwright-{self._token}-{number}"
        future = self._ask(lambda: self._client.submit(perform_here, data, key=key, pure=False))
        self._futures[number] = future
        future.add_done_callback(lambda done: self._deliver(number, done))
        return number

    def answer(self) -> tuple[int, object]:
        checked = time.monotonic()
        while True:
            try:
                number, found = self._answers.get(timeout=_LOOK)
            except queue.Empty:
                if time.monotonic() - checked >= _CHECK:
                    self._wait_for_workers()
                    checked = time.monotonic()
                continue
            if self._futures.pop(number, None) is None:  # it was forgotten
                continue
            if isinstance(found, distributed.KilledWorker):
                return number, None
            if isinstance(found, BaseException):
                raise self._gone(found) from found
            return number, found

    def saw(self, claim: Claim) -> None:
        if claim.cage.level < self.claim.cage.level:
            self.claim = claim

    def forget(self) -> None:
        futures = list(self._futures.values())
        self._futures.clear()
        if futures and self._client.status == "running":
            self._client.cancel(futures)

    def close(self) -> None:
        """Ends the connection, and with it all that was submitted."""
        self._futures.clear()
        self._client.close(timeout=2)

    def _deliver(self, number: int, future: _Future) -> None:
        """Called in a thread of dask's when a batch has ended."""
        try:
            self._answers.put((number, future.result(timeout=self._patience)))
        except BaseException as error:  # handed to the thread that waits
            self._answers.put((number, error))

    def _connected(self) -> _Client:
        security = None
        if self._address.is_encrypted:
            named = distributed.Security(require_encryption=True)
            security = distributed.Security(
                require_encryption=True,
                tls_ca_file=require_tls_file("ca-file", named.tls_ca_file),
                tls_client_cert=require_tls_file("cert", named.tls_client_cert),
                tls_client_key=require_tls_file("key", named.tls_client_key),
            )
        client: _Client = distributed.Client(
            self._address.url,
            security=security,
            timeout=min(self._patience, 10.0),
            set_as_default=False,
            direct_to_workers=False,
            name="opwright",
        )
        return client

    def _wait_for_workers(self) -> dict[str, int]:
        """The threads of each worker. InfrastructureError (OW964) where there is none for too long."""
        until = time.monotonic() + self._patience
        while True:
            threads = dict(self._ask(lambda: self._client.nthreads()))
            if threads:
                return threads
            if time.monotonic() >= until:
                raise self._gone("it has no workers")
            time.sleep(min(_LOOK, self._patience))

    def _identities(self, distributions: tuple[str, ...]) -> dict[str, Identity]:
        """Who the workers are. InfrastructureError (OW965) where one differs from this machine."""

        told = self._ask(lambda: self._client.run(identify_here, distributions, on_error="return"))
        found: dict[str, Identity] = {}
        expected = parts_here(distributions)
        for name, text in sorted(told.items()):
            try:
                found[name] = read_identity(str(text))
            except ValueError:
                unlike = (f"opwright cannot be asked there ({one_line(text)})",)
                raise InfrastructureError([unlike_worker(f"the worker {name}", unlike)]) from None
            differing = tuple(differences(expected, found[name].parts))
            if differing:
                raise InfrastructureError([unlike_worker(f"the worker {name}", differing)])
        if not found:
            raise self._gone("it has no workers")
        return found

    def _ask(self, request: Callable[[], T]) -> T:
        try:
            return request()
        except InfrastructureError:
            raise
        except Exception as error:  # dask's, tornado's, the system's
            raise self._gone(error) from error

    def _gone(self, why: object) -> InfrastructureError:
        return InfrastructureError([unreachable(self._address.text, why)])


async def identify_here(distributions: tuple[str, ...]) -> str:
    """What is asked of each worker. It takes seconds, in which the worker goes on to answer."""
    return await asyncio.to_thread(identify, distributions)


def perform_here(data: bytes) -> bytes:
    """The task that dask runs on a worker."""
    return serve(data, _unwanted_here())


def _unwanted_here() -> Callable[[], bool]:
    """Whether the task of this thread was cancelled, which dask does not tell it."""
    tasks: Mapping[str, Any] = _worker.get_worker().state.tasks
    key: str = _worker.thread_state.key

    def unwanted() -> bool:
        task = tasks.get(key)
        return task is None or task.state == "cancelled"

    return unwanted
