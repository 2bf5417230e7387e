"""What tests do to sealed files: as the user whose secret it is, or as somebody who does not know it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from opwright_build.engine.action import Record, decode_record, encode_record
from opwright_build.engine.seal import Seal
from opwright_build.engine.state_file import StateFile
from opwright_build.engine.user_secret import user_seal

SECRET = "the secret of the tests, which seals what they build"
SEAL = Seal(SECRET.encode())
OTHERS = Seal(b"the secret of another user, perhaps of one who means harm")


def kept(path: Path) -> StateFile:
    """A file that is remembered from run to run."""
    return StateFile(path, SEAL)


def change_records(cache: Path, change: Callable[[Record], Record], seal: Seal | None = None) -> None:
    """Changes every record of a cache and seals it again, by default with this user's secret.

    The files keep their names and agree with themselves.
    """
    for path in (cache / "records").glob("*/*/*"):
        _, _, body = path.read_bytes().partition(b"\n")
        record = decode_record(body)
        assert record is not None
        seal = seal or user_seal().seal
        assert seal is not None
        path.write_bytes(seal.close(f"record {path.parent.name}", encode_record(change(record))))
