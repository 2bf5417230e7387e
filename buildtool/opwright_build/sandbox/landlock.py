"""Landlock: files and ports that a process may reach, as an allow-list that it can never widen again."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from opwright_build.sandbox import kernel

_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_READ = _READ_FILE | _READ_DIR
_WRITE = _READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _REFER | _TRUNCATE
_OF_FILES = _READ_FILE | _WRITE_FILE | _TRUNCATE  # what a rule for something that is no folder may name
# All that a version knows of, so that all that no rule allows is refused: running programs among it, in any folder.
_RIGHTS_BY_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
_NEWEST = max(_RIGHTS_BY_ABI)
_PORTS = 0b11  # bind and connect, from version 4 on
_SCOPES = 0b11  # abstract sockets and signals stay inside, from version 6 on
_VERSION = 1


def version() -> int:
    """The version of Landlock's interface here. OSError where there is none, or where it is switched off."""
    return kernel.call("landlock_create_ruleset", None, 0, _VERSION)


def restrict(readable: Iterable[str], writable: Iterable[str]) -> None:
    """From now on the calling thread, and what it starts, opens only what lies at or below these paths.

    What does not exist is left out; so is what cannot be opened now. Needs `no_new_privs`. Other threads that run
    already are not bound. OSError where Landlock is not to be had.
    """
    abi = version()
    handled = _RIGHTS_BY_ABI[min(abi, _NEWEST)]
    attributes = struct.pack("<QQQ", handled, _PORTS if abi >= 4 else 0, _SCOPES if abi >= 6 else 0)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = kernel.call("landlock_create_ruleset", attributes[:size], size, 0)
    try:
        for path in readable:
            _allow(ruleset, path, _READ & handled)
        for path in writable:
            _allow(ruleset, path, _WRITE & handled)
        kernel.call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= _OF_FILES
        rule = ctypes.create_string_buffer(struct.pack("<Qi", rights, opened))
        kernel.call("landlock_add_rule", ruleset, 1, rule, 0)
    finally:
        os.close(opened)
