"""The system call filter: what a process may not ask of the kernel, whatever its rights, from now on.

It refuses by list, since what numpy and libc call differs from one release to the next. What is not on the list of any
kernel that we know is answered as by a kernel that lacks it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterator, Mapping, Sequence

from opwright_build.sandbox import kernel
from opwright_build.sandbox.seccomp_table import CLONE3, FIRST_UNKNOWN, JUDGED, REFUSED

_ARCHITECTURES = {"x86_64": (0xC000003E, 1), "aarch64": (0xC00000B7, 2)}  # of audit.h, and the column of the tables
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_SET_MODE_FILTER, _ALL_THREADS = 1, 1
_CLONE_THREAD = 0x10000
# Who is sent signals about a descriptor (F_SETOWN, F_SETSIG, F_SETOWN_EX; FIOSETOWN, SIOCSPGRP), and typing for others
# (TIOCSTI, TIOCLINUX).
_FCNTL = (8, 10, 15)
_IOCTL = (0x8901, 0x8902, 0x5412, 0x541C)

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant


def install() -> None:
    """Puts the filter on this process, with all its threads. It names the process: children would need their own.

    Needs `no_new_privs`. OSError where there is no such filter, or this processor is not known.
    """
    machine = os.uname().machine
    if machine not in _ARCHITECTURES:
        raise OSError(errno.ENOSYS, f"no system calls are known for {machine}")
    load(program(machine, os.getpid()))


def load(filter_program: Sequence[Instruction]) -> None:
    """Puts a program on this process, with all its threads; OSError where there is no such filter."""
    code = b"".join(struct.pack("=HBBI", *item) for item in filter_program)
    instructions = ctypes.create_string_buffer(code, len(code))
    described = struct.pack("@HP", len(code) // 8, ctypes.addressof(instructions))
    kernel.call("seccomp", _SET_MODE_FILTER, _ALL_THREADS, described)


def program(machine: str, process: int) -> list[Instruction]:
    """The filter for a process of this id, as instructions of the kernel's packet filter."""
    architecture, column = _ARCHITECTURES[machine]
    code: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),  # such as calls of 32 bits, whose numbers are others
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, FIRST_UNKNOWN),
        _refusal(errno.ENOSYS),
        (_EQUAL, 0, 1, CLONE3),
        _refusal(errno.ENOSYS),
    ]
    for row in REFUSED:
        if (number := row[column]) is not None:
            assert isinstance(number, int)
            code += [(_EQUAL, 0, 1, number), _refusal(errno.EPERM)]
    numbers: Mapping[str, int] = {row[0]: (row[1], row[2])[column - 1] for row in JUDGED}
    for name, judged in _conditions(process):
        code += [(_EQUAL, 0, len(judged), numbers[name]), *judged]
    return [*code, (_RETURN, 0, 0, _ALLOW)]


def _conditions(process: int) -> Iterator[tuple[str, list[Instruction]]]:
    """Calls with what decides on them; each ends in a return."""
    yield "clone", [_argument(0), (_ANY_BIT, 1, 0, _CLONE_THREAD), _refusal(errno.EPERM), (_RETURN, 0, 0, _ALLOW)]
    yield "kill", _only(0, [process])
    yield "tgkill", _only(0, [process])
    yield "prlimit64", _only(0, [0, process])
    yield "fcntl", _none_of(1, _FCNTL)
    yield "ioctl", _none_of(1, _IOCTL)


def _only(position: int, values: Sequence[int]) -> list[Instruction]:
    ends: list[Instruction] = [_refusal(errno.EPERM), (_RETURN, 0, 0, _ALLOW)]
    return [_argument(position), *((_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)), *ends]


def _none_of(position: int, values: Sequence[int]) -> list[Instruction]:
    ends: list[Instruction] = [(_RETURN, 0, 0, _ALLOW), _refusal(errno.EPERM)]
    return [_argument(position), *((_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)), *ends]


def _argument(position: int) -> Instruction:
    """The lower half of an argument: all that these calls look at."""
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * position)


def _refusal(number: int) -> Instruction:
    return (_RETURN, 0, 0, _ERRNO | number)
