"""The cluster that a session works on, where `--executor` names one: connected when something is to run there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError

from opwright_build.engine.system_errors import InfrastructureError
from opwright_build.workflow.opened.status import UsageError

if TYPE_CHECKING:
    from opwright_build.cluster.dask_cluster import DaskCluster
    from opwright_build.cluster.remote_actions import RemotePool
    from opwright_build.cluster.remote_tasks import RemoteTasks
    from opwright_build.sandbox.levels import Claim


class SessionCluster:
    """UsageError (OW960, OW961) where `text` is no address that may be used. `step` tells the user what is waited
    for; `limit` is in seconds, for one action."""

    def __init__(
        self, text: str, distributions: tuple[str, ...], jobs: int | None, limit: float, step: Callable[[str], None]
    ) -> None:
        from opwright_build.cluster.executor_address import parse_executor
        from opwright_build.cluster.remote_actions import RemotePool
        from opwright_build.cluster.remote_tasks import RemoteTasks

        try:
            self._address = parse_executor(text)
        except DiagnosticError as error:
            raise UsageError(error.diagnostics) from None
        self._distributions = distributions
        self._jobs = jobs
        self._step = step
        self._cluster: DaskCluster | None = None
        self.pool: RemotePool = RemotePool(self.connected, limit)
        self.tasks: RemoteTasks = RemoteTasks(self.connected)

    def connected(self) -> DaskCluster:
        """InfrastructureError where it is out of reach (OW964), differs from this machine (OW965), or where what is
        needed to ask it is not here (OW962, OW963)."""
        if self._cluster is None:
            try:
                from opwright_build.cluster.dask_cluster import DaskCluster
            except ImportError as error:
                raise InfrastructureError([_not_installed(error)]) from error
            self._step(f"connecting to {self._address.text}")
            self._cluster = DaskCluster(self._address, self._distributions, jobs=self._jobs)
        return self._cluster

    @property
    def machine(self) -> str:
        """The digest of the machines that results are of."""
        return self.connected().machine

    @property
    def claim(self) -> Claim:
        """The lowest sandbox of its workers, as far as they are known."""
        return self.connected().claim

    def require(self, level: int) -> None:
        """Workers below that level of sandbox do nothing, those that come later among them."""
        self.connected().require(level)

    def close(self) -> None:
        if self._cluster is not None:
            self._cluster.close()


def _not_installed(error: ImportError) -> Diagnostic:
    help_ = "pip install 'opwright[dask]' here, and on the scheduler and the workers"
    return Diagnostic("OW963", "--executor needs a package that is not installed", reason=str(error), help=help_)
