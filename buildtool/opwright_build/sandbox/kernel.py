"""System calls by name, through libc: for those that Python has no function for."""

from __future__ import annotations

import ctypes
import errno
import os

_NUMBERS = {
    "x86_64": {"capset": 126, "pivot_root": 155, "seccomp": 317, "process_vm_readv": 310},
    "aarch64": {"capset": 91, "pivot_root": 41, "seccomp": 277, "process_vm_readv": 270},
}
# Since 2019 new calls have the same number everywhere.
_COMMON = {
    "close_range": 436,
    "pidfd_getfd": 438,
    "mount_setattr": 442,
    "landlock_create_ruleset": 444,
    "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
}

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def call(name: str, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """The result of a system call. OSError where it fails, and where this machine has none of that name."""
    number = _COMMON.get(name) or _NUMBERS.get(os.uname().machine, {}).get(name)
    if number is None:
        raise OSError(errno.ENOSYS, f"no number is known for {name} on {os.uname().machine}")
    return _checked(name, _libc.syscall(ctypes.c_long(number), *map(_argument, arguments)))


def libc(name: str, *arguments: int | bytes | None) -> int:
    """The result of a function of libc that gives -1 where it fails; OSError then."""
    function = getattr(_libc, name, None)
    if function is None:
        raise OSError(errno.ENOSYS, f"libc has no {name}")
    return _checked(name, function(*map(_argument, arguments)))


def prctl(option: int, value: int) -> None:
    libc("prctl", option, value, 0, 0, 0)


def _argument(value: int | bytes | ctypes.Array[ctypes.c_char] | None) -> object:
    return ctypes.c_long(value) if isinstance(value, int) else value


def _checked(name: str, result: int) -> int:
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result
