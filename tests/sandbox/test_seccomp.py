"""The filter as the kernel would run it, on a machine of each kind."""

from __future__ import annotations

import errno

import pytest
from opwright_build.sandbox.seccomp import program
from opwright_build.sandbox.seccomp_table import JUDGED, REFUSED

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
PROCESS = 4321
ALLOWED = "allowed"
KILLED = "killed"
READ = {"x86_64": 0, "aarch64": 63}
# Of the kernel's own tables, written down once more.
REFUSED_NUMBERS = {
    "x86_64": {41, 42, 53, 57, 58, 59, 62, 90, 101, 155, 165, 272, 308, 310, 321, 425, 438},
    "aarch64": {198, 203, 199, 221, 129, 53, 117, 41, 40, 97, 268, 270, 280, 425, 438},
}


def run(machine: str, number: int, *arguments: int, architecture: int | None = None) -> str:
    """What the filter says of a call: a machine with one register, as the kernel's."""
    data = {0: number, 4: ARCHITECTURES[machine] if architecture is None else architecture}
    data |= {16 + 8 * at: value & 0xFFFFFFFF for at, value in enumerate(arguments)}
    code = program(machine, PROCESS)
    at = register = 0
    while True:
        operation, if_true, if_false, constant = code[at]
        at += 1
        match operation:
            case 0x20:
                register = data.get(constant, 0)
            case 0x15:
                at += if_true if register == constant else if_false
            case 0x35:
                at += if_true if register >= constant else if_false
            case 0x45:
                at += if_true if register & constant else if_false
            case 0x06:
                if constant == 0x7FFF0000:
                    return ALLOWED
                return KILLED if constant == 0x80000000 else errno.errorcode[constant & 0xFFFF]
            case other:
                pytest.fail(f"no such operation: {other:#x}")


@pytest.mark.parametrize("machine", list(ARCHITECTURES))
def test_calls_of_another_architecture_end_the_process(machine: str) -> None:
    assert run(machine, READ[machine], architecture=0x40000003) == KILLED


@pytest.mark.parametrize("machine", list(ARCHITECTURES))
def test_calls_by_number(machine: str) -> None:
    column = list(ARCHITECTURES).index(machine)
    for name, *numbers in REFUSED:
        if (number := numbers[column]) is not None:
            assert run(machine, number) == "EPERM", name
    for number in REFUSED_NUMBERS[machine]:
        assert run(machine, number) == "EPERM", number
    for number in (452, 500, 1 << 30, (1 << 30) + 1, 435):
        assert run(machine, number) == "ENOSYS", number
    assert run(machine, READ[machine]) == ALLOWED


@pytest.mark.parametrize("machine", list(ARCHITECTURES))
def test_calls_by_their_arguments(machine: str) -> None:
    column = list(ARCHITECTURES).index(machine)
    numbers = {name: (x86, arm)[column] for name, x86, arm in JUDGED}
    thread, process = 0x3D0F00, 0x01200011
    allowed: dict[str, list[tuple[int, ...]]] = {
        "clone": [(thread,)],
        "kill": [(PROCESS, 9)],
        "tgkill": [(PROCESS, 1, 9)],
        "prlimit64": [(0, 7), (PROCESS, 7)],
        "fcntl": [(3, 1), (3, 4), (3, 9), (3, 16)],
        "ioctl": [(3, 0x5401)],
    }
    refused: dict[str, list[tuple[int, ...]]] = {
        "clone": [(process,), (17,), (0x7E020000,)],
        "kill": [(1, 0), (0, 9), (-1, 9), (-PROCESS, 9), (PROCESS + 1, 9)],
        "tgkill": [(1, 1, 9)],
        "prlimit64": [(1, 7), (-1, 7)],
        "fcntl": [(3, 8), (3, 10), (3, 15)],
        "ioctl": [(3, 0x8901), (3, 0x8902), (3, 0x5412), (3, 0x541C)],
    }
    assert set(numbers) == set(allowed) == set(refused)
    for name, number in numbers.items():
        assert {run(machine, number, *arguments) for arguments in allowed[name]} == {ALLOWED}, name
        assert {run(machine, number, *arguments) for arguments in refused[name]} == {"EPERM"}, name
