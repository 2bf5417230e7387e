"""Namespaces: a process that sees no other processes, no network, and of the file system what it is given."""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Iterable

from opwright_build.sandbox import kernel

_NEWNS, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = 0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_MNT_DETACH = 2
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_READ_ONLY = 1 | 2 | 4  # no set-user-ID programs and no devices either
SCRATCH = "/scratch"  # where the scratch folder lies in the new root


def enter() -> None:
    """Moves this process, which has one thread, into namespaces of its own; its children are the first in that of pids.

    OSError where this is refused. A process that is not dumpable may not write its map of users.
    """
    user, group = os.geteuid(), os.getegid()
    kernel.libc("unshare", _NEWUSER | _NEWNS | _NEWPID | _NEWNET | _NEWIPC | _NEWUTS)
    with contextlib.suppress(FileNotFoundError):
        _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def confine(readable: Iterable[str], empty: str, scratch_bytes: int) -> None:
    """A new root: these paths, read-only, where they lie now, and `/scratch`, a file system in memory of that size.

    `empty` is a folder to put it together at; nothing is written there. There is no /proc, no /dev and no /tmp.
    Afterwards the current folder is the root.
    """
    kernel.libc("mount", b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)
    _mount_memory(empty, "mode=755,size=1m")
    os.mkdir(f"{empty}{SCRATCH}")
    # Shorter paths first: what lies below another one comes with it.
    for path in sorted({os.path.abspath(path) for path in readable}):
        _bind(path, f"{empty}{path}")
    attributes = struct.pack("<QQQQ", _READ_ONLY, 0, 0, 0)
    kernel.call("mount_setattr", _AT_FDCWD, os.fsencode(empty), _AT_RECURSIVE, attributes, len(attributes))
    _mount_memory(f"{empty}{SCRATCH}", f"mode=700,size={scratch_bytes}")
    os.chdir(empty)
    kernel.call("pivot_root", b".", b".")
    kernel.libc("umount2", b".", _MNT_DETACH)
    os.chdir("/")


def _bind(path: str, target: str) -> None:
    if os.path.lexists(target):
        return
    if os.path.isdir(path):
        os.makedirs(target)
    elif os.path.isfile(path):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o600))
    else:
        return
    kernel.libc("mount", os.fsencode(path), os.fsencode(target), None, _MS_BIND | _MS_REC, None)


def _mount_memory(path: str, options: str) -> None:
    kernel.libc("mount", b"none", os.fsencode(path), b"tmpfs", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, options.encode())


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)
