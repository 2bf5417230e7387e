"""Seals: how what this user's tools have written is told from what came with a folder, or from another user.

Any writer can make a file agree with itself. So a file of ours begins with a line of two digests: that of what
follows, which shows damage, and one that only the holder of a secret can compute.
"""

from __future__ import annotations

from enum import Enum
from hashlib import blake2b
from secrets import compare_digest
from typing import NoReturn

from opwright_build.engine.content_digest import digest_bytes

LEAST_SECRET = 32  # bytes


class Unsealed(Enum):
    """Why bytes are not believed: they are not those that were written, or they were written without our secret."""

    DAMAGED = "damaged"
    FOREIGN = "foreign"


class Seal:
    """Closes and opens bytes with a secret. `purpose` says what the bytes are for: elsewhere they do not open."""

    __slots__ = ("_key",)

    def __init__(self, secret: bytes) -> None:
        if len(secret) < LEAST_SECRET:
            raise ValueError(f"a secret has at least {LEAST_SECRET} bytes")
        self._key = blake2b(secret, digest_size=32).digest()

    def bound_to(self, place: str) -> Seal:
        """A seal that opens only what was closed with this secret for the same place."""
        return Seal(blake2b(place.encode("utf-8", "surrogatepass"), key=self._key, person=b"place").digest())

    def name(self, text: str) -> str:
        """A digest of the text that others cannot compute, so that no file of theirs has the name of one of ours."""
        return self._keyed("name", text)

    def close(self, purpose: str, body: bytes) -> bytes:
        digest = digest_bytes(body)
        return f"{digest} {self._keyed(purpose, digest)}\n".encode("ascii") + body

    def open(self, purpose: str, data: bytes) -> bytes | Unsealed:
        """What was closed for that purpose, or why it is not believed."""
        line, _, body = data.partition(b"\n")
        digest = digest_bytes(body)
        if line[:64] != digest.encode("ascii"):
            return Unsealed.DAMAGED
        expected = f"{digest} {self._keyed(purpose, digest)}".encode("ascii")
        return body if compare_digest(line, expected) else Unsealed.FOREIGN

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret stays in its process")

    def _keyed(self, purpose: str, text: str) -> str:
        return blake2b(f"{purpose}\0{text}".encode(), key=self._key, digest_size=32).hexdigest()
