"""What tests do to sealed files: as the user whose secret it is, or as somebody who does not know it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from opwright_build.engine.action import Record, decode_entry, encode_entry
from opwright_build.engine.seal import Seal
from opwright_build.engine.state_file import StateFile
from opwright_build.engine.user_secret import VARIABLE, user_seal

SECRET = "the secret of the tests, which seals what they build"
SEAL = Seal(SECRET.encode())
_OF_THIS_USER = "OPWRIGHT_TESTS_SECRET_OF_THIS_USER"  # processes that tests start inherit it
OTHERS = Seal(b"the secret of another user, perhaps of one who means harm")


def seal_with_the_secret_of_the_tests() -> None:
    """So that no test reads or makes a secret of the user who runs it, but `as_this_user`."""
    os.environ.setdefault(_OF_THIS_USER, os.environ.get(VARIABLE, ""))
    os.environ[VARIABLE] = SECRET
    os.environ.pop("OPWRIGHT_SHARED_CACHE", None)


@contextmanager
def as_this_user() -> Iterator[None]:
    """For the cache of this repository, which `nox -s build` and `opwright test` have filled. Sessions that are no
    tests run as this user anyway."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, os.environ.get(_OF_THIS_USER, os.environ.get(VARIABLE, "")))
        yield


def kept(path: Path) -> StateFile:
    """A file that is remembered from run to run."""
    return StateFile(path, SEAL)


def record_files(cache: Path) -> list[Path]:
    """The files of a cache's records."""
    return sorted((cache / "records").glob("*/*"))


def read_entry(path: Path) -> tuple[Record, dict[str, bytes]]:
    """What the file of a record holds, whatever its seal: the record, and outputs by digest."""
    found = decode_entry(path.read_bytes().partition(b"\n")[2])
    assert found is not None
    return found


def change_records(
    cache: Path,
    change: Callable[[Record], Record],
    seal: Seal | None = None,
    contents: Mapping[str, bytes] | None = None,
) -> None:
    """Changes every record of a cache and seals it again, by default with this user's secret.

    The files keep their names and agree with themselves; outputs that are among `contents` stand in them.
    """
    for path in record_files(cache):
        record, held = read_entry(path)
        seal = seal or user_seal().seal
        assert seal is not None
        purpose = f"record {path.name.partition('.')[0]}"
        path.write_bytes(seal.close(purpose, encode_entry(change(record), {**held, **(contents or {})})))
