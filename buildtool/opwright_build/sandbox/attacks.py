"""What a cage has to withstand, tried from inside; each attack gives what it got, or nothing.

They are harmless where they succeed: all that they reach for was laid out for them (`Targets`), but for a file and a
folder that are only opened to see whether that is possible. What they do to the targets is judged by those who laid
them out, since an attack need not know that it succeeded.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import resource
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from opwright_build.sandbox import kernel

_PTRACE_SEIZE, _PTRACE_DETACH = 0x4206, 17
_SURVIVAL = 20.0  # seconds that a process lives on which escaped


@dataclass(frozen=True, slots=True)
class Targets:
    """What lies outside of the cage: `victim` is a process of ours, `address` where it holds `secret`."""

    folder: str
    file: str
    home: str
    victim: int
    relatives: tuple[int, ...]
    address: int
    secret: bytes
    port: int
    path: str
    abstract: bytes
    kept: tuple[int, ...]  # descriptors that are open in the cage on purpose


Attack = Callable[[Targets], Iterator[str]]


def attack(targets: Targets) -> dict[str, list[str]]:
    """What each attack got. Whatever is refused, in whatever way, is nothing."""
    return {name: list(_quietly(made, targets)) for name, made in ATTACKS.items()}


def _quietly(made: Attack, targets: Targets) -> Iterator[str]:
    with contextlib.suppress(OSError, ValueError):
        yield from made(targets)


def _read_files(targets: Targets) -> Iterator[str]:
    for path in ("/etc/passwd", targets.file):
        with contextlib.suppress(OSError), open(path, "rb") as stream:
            stream.read(1)
            yield path
    for folder in (targets.home, targets.folder, "/"):
        with contextlib.suppress(OSError):
            os.listdir(folder)
            yield folder


def _write_files(targets: Targets) -> Iterator[str]:
    new = os.path.join(targets.folder, "new")
    acts: list[tuple[str, Callable[[], object]]] = [
        ("append", lambda: os.close(os.open(targets.file, os.O_WRONLY | os.O_APPEND))),
        ("create", lambda: os.close(os.open(new, os.O_WRONLY | os.O_CREAT, 0o600))),
        ("folder", lambda: os.mkdir(f"{new}-folder")),
        ("link", lambda: os.symlink("/", f"{new}-link")),
        ("mode", lambda: os.chmod(targets.file, 0o777)),
        ("times", lambda: os.utime(targets.file, (1, 1))),
        ("truncate", lambda: os.truncate(targets.file, 0)),
        ("rename", lambda: os.rename(targets.file, f"{targets.file}-renamed")),
        ("memory", lambda: os.close(os.open("/dev/shm/opwright-attack", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))),
    ]
    for what, act in acts:
        with contextlib.suppress(OSError):
            act()
            yield what
    with contextlib.suppress(OSError):
        os.unlink("/dev/shm/opwright-attack")


def _reach_network(targets: Targets) -> Iterator[str]:
    addresses: list[tuple[socket.AddressFamily, tuple[str, int] | str | bytes]] = [
        (socket.AF_INET, ("127.0.0.1", targets.port)),
        (socket.AF_UNIX, targets.path),
        (socket.AF_UNIX, targets.abstract),
    ]
    for family, address in addresses:
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_STREAM) as connected:
            connected.settimeout(2.0)
            connected.connect(address)
            yield repr(address)


def _read_processes(targets: Targets) -> Iterator[str]:
    for process in ("self", "thread-self", "1", str(targets.victim), *map(str, targets.relatives)):
        for file in ("environ", "mem", "cmdline"):
            with contextlib.suppress(OSError), open(f"/proc/{process}/{file}", "rb"):
                yield f"/proc/{process}/{file}"
    into = ctypes.create_string_buffer(len(targets.secret))
    local = struct.pack("@PN", ctypes.addressof(into), len(targets.secret))
    remote = struct.pack("@PN", targets.address, len(targets.secret))
    with contextlib.suppress(OSError):
        kernel.call("process_vm_readv", targets.victim, local, 1, remote, 1, 0)
        if into.raw == targets.secret:
            yield "memory"
    with contextlib.suppress(OSError):
        handle = os.pidfd_open(targets.victim)
        yield "handle"
        kernel.call("pidfd_getfd", handle, 0, 0)
        yield "descriptor"
    with contextlib.suppress(OSError):
        kernel.libc("ptrace", _PTRACE_SEIZE, targets.victim, 0, 0)
        yield "trace"
        kernel.libc("ptrace", _PTRACE_DETACH, targets.victim, 0, 0)


def _change_processes(targets: Targets) -> Iterator[str]:
    with contextlib.suppress(OSError):
        resource.prlimit(targets.victim, resource.RLIMIT_CORE, (0, resource.prlimit(targets.victim, 4)[1]))
        yield "limits"
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, targets.victim, 19)
        yield "priority"


def _signal_by_descriptor(targets: Targets) -> Iterator[str]:
    """Not by `kill`: a pipe with an owner tells it by a signal of one's choice that there is something to read."""
    reading, writing = os.pipe()
    try:
        fcntl.fcntl(reading, 10, signal.SIGUSR1)  # F_SETSIG
        fcntl.fcntl(reading, fcntl.F_SETOWN, targets.victim)
        fcntl.fcntl(reading, fcntl.F_SETFL, fcntl.fcntl(reading, fcntl.F_GETFL) | os.O_ASYNC)
        os.write(writing, b"x")
    finally:
        os.close(reading)
        os.close(writing)
    yield from ()


def _signal(targets: Targets) -> Iterator[str]:
    for number in (signal.SIGUSR1, signal.SIGTERM):
        with contextlib.suppress(OSError):
            os.kill(targets.victim, number)
    yield from ()


def _start_programs(targets: Targets) -> Iterator[str]:
    for program in (sys.executable, "/bin/sh", "/bin/true"):
        with contextlib.suppress(OSError):
            os.waitpid(os.posix_spawn(program, [program, "-c", ""], {}), 0)
            yield program


def _find_descriptors(targets: Targets) -> Iterator[str]:
    for descriptor in range(3, 1024):
        if descriptor not in targets.kept:
            with contextlib.suppress(OSError):
                os.fstat(descriptor)
                yield str(descriptor)


def _outlive(targets: Targets) -> Iterator[str]:
    """A grandchild in a session of its own keeps the descriptors open, from which others see that it lives."""
    yield from ()
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    with contextlib.suppress(OSError):
        os.setsid()
    if os.fork() == 0:
        time.sleep(_SURVIVAL)
    os._exit(0)


ATTACKS: Mapping[str, Attack] = {
    "read files": _read_files,
    "write files": _write_files,
    "reach the network": _reach_network,
    "read other processes": _read_processes,
    "change other processes": _change_processes,
    "signal by a descriptor": _signal_by_descriptor,
    "signal": _signal,
    "start programs": _start_programs,
    "find descriptors": _find_descriptors,
    "outlive": _outlive,
}
