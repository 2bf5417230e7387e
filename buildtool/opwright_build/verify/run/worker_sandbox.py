"""The cage of verification workers: level 1, where the machine has it.

Runtimes load models of strangers there, and are large native programs. A worker puts the cage on before it imports
them, so that their threads are in it as well. Whether it holds is tried once, by a self-test of the very cage: the same
mechanisms, the same paths.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from opwright_build.import_path import clean_path, package_folders
from opwright_build.sandbox.client import NoSandbox, Sandbox
from opwright_build.sandbox.levels import CAGES, Claim, without

WORKER = Path(__file__).with_name("worker.py")
CAGE = next(cage for cage in CAGES if cage.level == 1)
_MOST = 500  # they are told in one argument of a process
# What native libraries read: other libraries, how many processors there are and which, and the system's locales.
_SYSTEM = (
    "/bin",
    "/dev/urandom",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/locale.alias",
    "/etc/os-release",
    "/lib",
    "/lib64",
    "/nix/store",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/vm/overcommit_memory",
    "/sys/devices/system",
    "/usr",
)


def readable() -> tuple[str, ...]:
    """What a worker started now may read."""
    libraries = [os.path.abspath(entry) for entry in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if entry]
    bases = [os.path.join(base, "lib") for base in (sys.base_prefix, sys.prefix)]
    entries = [*clean_path(), *package_folders().values()]
    linked = [target for entry in entries for target in _linked_from(entry)]
    return tuple(dict.fromkeys([*entries, *linked, *bases, *libraries, *_SYSTEM]))


def _linked_from(folder: str) -> list[str]:
    """Where packages lie that are links in this folder: what counts in a cage is where a file is."""
    try:
        with os.scandir(folder) as items:
            return sorted(os.path.realpath(item.path) for item in items if item.is_symlink())
    except OSError:
        return []


def _needed() -> list[str]:
    """Files that a worker must be able to read: what this process has imported from where a worker imports."""
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    folders = tuple(os.path.join(entry, "") for entry in [*clean_path(), *package_folders().values()])
    found = {file for file in files if isinstance(file, str) and file.startswith(folders)}
    return sorted({os.path.dirname(file): file for file in sorted(found)}.values())[:_MOST]  # one of each folder


def claim() -> Claim:
    """The cage of workers that are started now; tried once for the same paths."""
    return _tried(readable(), tuple(package_folders().items()))


@cache
def _tried(paths: Sequence[str], packages: Sequence[tuple[str, str]]) -> Claim:
    if sys.platform != "linux":
        return without([CAGE], f"{sys.platform} has none")
    told = {"readable": paths, "packages": dict(packages), "needed": _needed()}
    try:
        sandbox = Sandbox(str(WORKER), (CAGE, CAGES[-1]), told)
    except (NoSandbox, OSError) as error:
        return without([CAGE], str(error))
    sandbox.close()
    return sandbox.claim
