"""How the parts of a cage are put on a process, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

from opwright_build.sandbox import kernel, landlock, privileges, seccomp
from opwright_build.sandbox.levels import Cage


def put_on(cage: Cage, readable: Sequence[str], scratch: str) -> None:
    """Binds this process, which has one thread, to its cage, but for the namespaces, which it was born into.

    Landlock before the filter, which refuses what no process needs that is in its cage; both need that no program can
    give back what is given up. OSError where a part of it cannot be had: the process must not go on then.
    """
    if cage.landlock or cage.system_calls:
        privileges.drop_capabilities()
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if cage.landlock:
        landlock.restrict(readable, [scratch])
    if cage.system_calls:
        seccomp.install()
