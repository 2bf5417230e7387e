"""Signatures on results that several users and machines share: who may make them, and whose are believed.

CI signs with a private key; people read with the public ones. Both come from the environment or from files in the
user's configuration folder, never from a library's folder: what comes with a checkout cannot say whom to trust.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.regular_file import read_regular

from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.seal import Unsealed
from opwright_build.engine.system_errors import InfrastructureError, reason_of
from opwright_build.engine.user_secret import configuration_folder, shown
from opwright_build.import_path import library_around

SIGNING_KEY = "OPWRIGHT_CACHE_SIGNING_KEY"
TRUSTED_KEYS = "OPWRIGHT_CACHE_TRUSTED_KEYS"
BAD_KEYS = "OW917"
NOT_INSTALLED = "OW920"
_SIGNING_FILE = "cache-signing-key"
_TRUSTED_FILE = "cache-trusted-keys"
_HEX = re.compile(r"[0-9a-f]{64}\Z")
_LINE = re.compile(r"([0-9a-f]{64}) ([0-9a-f]{64}) ([0-9a-f]{128})\Z")
_MOST_BYTES = 1 << 16
_MAKES = "`python -m opwright_build.engine.signing`"
_MADE_FOR = b"opwright shared cache 1\0"


class Signer:
    """Signs with a private key, which stays in this process."""

    __slots__ = ("_seed", "public")

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self.public = _ed25519().public_key(seed).hex()

    def close(self, purpose: str, body: bytes) -> bytes:
        """The body behind a line with its digest, our public key and the signature. Elsewhere it does not open."""
        digest = digest_bytes(body)
        signature = _ed25519().sign(self._seed, _signed(purpose, digest))
        return f"{digest} {self.public} {signature.hex()}\n".encode("ascii") + body

    def __reduce__(self) -> NoReturn:
        raise TypeError("a private key stays in its process")


@dataclass(frozen=True, slots=True)
class Keys:
    """The public keys whose results are believed, as 64 hexadecimal digits, and who signs ours; None where we sign
    none."""

    trusted: frozenset[str]
    signer: Signer | None = None

    def open(self, purpose: str, data: bytes) -> bytes | Unsealed:
        """What was signed for that purpose with a key that is trusted, or why it is not believed."""
        line, _, body = data.partition(b"\n")
        found = _LINE.match(line.decode("ascii", "replace"))
        if found is None or found[1] != digest_bytes(body):
            return Unsealed.DAMAGED
        digest, public, signature = found.groups()
        if public not in self.trusted:
            return Unsealed.FOREIGN
        good = _ed25519().verifies(bytes.fromhex(public), bytes.fromhex(signature), _signed(purpose, digest))
        return body if good else Unsealed.FOREIGN


def make_keys(trusted: Iterable[str], signing: str = "") -> Keys:
    """Keys from their texts, 64 hexadecimal digits each; what one signs oneself is believed. ValueError otherwise."""
    if not all(map(_HEX.match, (*trusted, *((signing,) if signing else ())))):
        raise ValueError("not a key")
    signer = Signer(bytes.fromhex(signing)) if signing else None
    return Keys(frozenset((*trusted, *(() if signer is None else (signer.public,)))), signer)


def keys_of_this_user() -> Keys:
    """The keys in the environment, else in the user's configuration folder.

    DiagnosticError (OW917) where one is none, where others can read the private one or write the list, and where
    there is none at all: then nothing could be believed.
    """
    signing = os.environ.get(SIGNING_KEY, "").strip()
    listed = os.environ.get(TRUSTED_KEYS, "").replace(",", " ").split()
    folder = configuration_folder()
    if folder is not None and library_around(os.path.realpath(folder)) is None:
        if not signing:
            signing = _read(folder / _SIGNING_FILE, private=True).strip()
        if not listed:
            text = _read(folder / _TRUSTED_FILE, private=False)
            listed = [key for line in text.splitlines() for key in line.partition("#")[0].split()]
    try:
        keys = make_keys(listed, signing)
    except ValueError:
        raise refused("a key of the shared cache is no key", "a key is 64 hexadecimal digits, of Ed25519") from None
    if not keys.trusted:
        raise refused("no key is trusted, so that no result of the shared cache could be used", "")
    return keys


def _ed25519() -> ModuleType:
    """The module that signs. DiagnosticError (OW920) without the package that it needs, which is an extra."""
    try:
        from opwright_build.engine import ed25519
    except ImportError as error:
        message = "the shared cache needs a package that is not installed"
        help_ = "pip install 'opwright[shared-cache]'"
        raise InfrastructureError([Diagnostic(NOT_INSTALLED, message, reason=str(error), help=help_)]) from error
    return ed25519


def _signed(purpose: str, digest: str) -> bytes:
    return _MADE_FOR + purpose.encode("utf-8", "surrogatepass") + b"\0" + digest.encode("ascii")


def _read(path: Path, private: bool) -> str:
    """A file with keys; empty where there is none."""
    try:
        status = os.stat(path)
        if sys.platform != "win32":  # there, access lists of the folder keep it private
            if status.st_uid not in (os.geteuid(), 0):
                raise refused(f"{shown(path)} is not used", "it belongs to another user")
            if stat.S_IMODE(status.st_mode) & (0o077 if private else 0o022):
                what = "read" if private else "write"
                raise refused(f"{shown(path)} is not used", f"other users of this machine could {what} it")
        return read_regular(path, _MOST_BYTES).decode("ascii", "replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise refused(f"{shown(path)} is not used", reason_of(error)) from None


def refused(message: str, reason: str) -> DiagnosticError:
    """What is said of settings that make no sense."""
    help_ = f"readers set {TRUSTED_KEYS} to the public keys, CI sets {SIGNING_KEY}; {_MAKES} makes a pair"
    return DiagnosticError([Diagnostic(BAD_KEYS, message, reason=reason, help=help_)])


def print_pair() -> None:
    """Prints a new pair of keys, as the environment takes them."""
    seed = secrets.token_bytes(32)
    print(f"{SIGNING_KEY}={seed.hex()}\n{TRUSTED_KEYS}={Signer(seed).public}")


if __name__ == "__main__":
    print_pair()
