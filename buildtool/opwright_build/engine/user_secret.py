"""This user's secret, with which results are sealed: from the environment, else a file that is made on first use.

The file lies in the user's configuration folder and is for its owner alone. What lies in a library's folder is no
secret: it may have come with the checkout.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity

from opwright_build.engine.folder_lock import folder_lock
from opwright_build.engine.seal import LEAST_SECRET, Seal
from opwright_build.engine.tree import NotRegularError, write_whole
from opwright_build.import_path import library_around

VARIABLE = "OPWRIGHT_CACHE_SECRET"
BAD_VARIABLE = "OW916"
_FILE = "secret"
_FORM = re.compile(rb"[0-9a-f]{64}\n?\Z")
_MOST_BYTES = 4096
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class UserSeal:
    """The seal of this user, None when no secret can be had; and what the user is to know of that."""

    seal: Seal | None
    warnings: tuple[Diagnostic, ...] = ()


class _NoSecretError(Exception):
    """A file that is no secret (any more): it is replaced. The text is a clause about the file."""


def user_seal() -> UserSeal:
    """The seal with this user's secret. DiagnosticError (OW916) when the environment holds one that can be guessed."""
    given = os.environ.get(VARIABLE, "")
    if given:  # CI gives an empty text where a secret is not for this run
        if len(given.encode("utf-8", "surrogateescape")) < LEAST_SECRET:
            raise DiagnosticError([_too_short()])
        return UserSeal(Seal(given.encode("utf-8", "surrogateescape")))
    folder = configuration_folder()
    if folder is None:
        return UserSeal(None, (_none("this user has no configuration folder"),))
    path = folder / _FILE
    if library_around(os.path.realpath(folder)) is not None:
        return UserSeal(None, (_none(f"{shown(folder)} lies in a library's folder and may have come with it"),))
    try:
        return _from_file(path)
    except (OSError, _NoSecretError) as error:
        why = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        return UserSeal(None, (_none(f"{shown(path)}: {why}"),))


def _from_file(path: Path) -> UserSeal:
    try:
        return UserSeal(Seal(_read(path)))
    except (FileNotFoundError, _NoSecretError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with folder_lock(path.with_name(f"{_FILE}.lock"), lambda: None):
        warnings: tuple[Diagnostic, ...] = ()
        try:
            return UserSeal(Seal(_read(path)))  # another process was faster
        except FileNotFoundError:
            pass
        except _NoSecretError as error:
            warnings = (_replaced(path, str(error)),)
        write_whole(path, secrets.token_hex(32).encode("ascii") + b"\n", mode=0o600)
        return UserSeal(Seal(_read(path)), warnings)  # read again: not every filesystem keeps a file private


def _read(path: Path) -> bytes:
    """The secret in a file. _NoSecretError when others can know it, OSError when it cannot be read or is not ours."""
    if path.is_symlink():
        raise NotRegularError("it is a link")
    descriptor = os.open(path, _FLAGS)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegularError("it is no regular file")
        if sys.platform != "win32":  # there, access lists of the folder keep it private
            if status.st_uid != os.geteuid():
                raise PermissionError("it belongs to another user")
            if stat.S_IMODE(status.st_mode) & 0o077:
                raise _NoSecretError("other users of this machine could read it")
        data = os.read(descriptor, _MOST_BYTES)
    finally:
        os.close(descriptor)
    if _FORM.match(data) is None:
        raise _NoSecretError("it held no secret of this tool")
    return data.strip()


def configuration_folder() -> Path | None:
    """Where this tool's files of this user lie; None where that cannot be told."""
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        base = os.environ.get("APPDATA", "")
    else:
        below = ("Library", "Application Support") if sys.platform == "darwin" else (".config",)
        base = os.environ.get("XDG_CONFIG_HOME", "")
        if not os.path.isabs(base):  # as its specification has it
            base = os.path.join(home, *below)
    return Path(base, "opwright") if os.path.isabs(base) else None


def shown(path: Path) -> str:
    """A path for messages, which name no user."""
    home = os.path.expanduser("~")
    text = os.fspath(path)
    return f"~{text[len(home) :]}" if os.path.isabs(home) and text.startswith(os.path.join(home, "")) else text


def _none(reason: str) -> Diagnostic:
    return Diagnostic(
        code="OW913",
        message="results are kept for this run alone: there is no secret to seal them with",
        reason=reason,
        help=f"let the file and its folder be this user's own, or set {VARIABLE} to {LEAST_SECRET} characters or more",
        severity=Severity.WARNING,
    )


def _replaced(path: Path, why: str) -> Diagnostic:
    return Diagnostic(
        code="OW915",
        message=f"{shown(path)} was replaced by a new secret",
        reason=why,
        help="nothing to do: what the old secret has sealed is built again",
        severity=Severity.WARNING,
    )


def _too_short() -> Diagnostic:
    return Diagnostic(
        code=BAD_VARIABLE,
        message=f"{VARIABLE} is shorter than {LEAST_SECRET} characters",
        reason="a secret that can be guessed seals nothing",
        help="make one with `openssl rand -hex 32`, or unset the variable",
    )
