"""The one zip layout: what other tools read of it, and what is refused."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
from pathlib import Path

import pytest
from opwright.bundle import archive
from opwright.bundle.archive import (
    Archive,
    DamagedMemberError,
    DuplicateMemberError,
    NotAnArchiveError,
    RefusedArchiveError,
    is_member_name,
    pack,
    unpack,
)
from opwright.bundle.byte_source import HeldBytes

MEMBERS = [("mimetype", b"application/x"), ("a.json", b"{}"), ("bodies/1.pb", b"\0\1\2"), ("empty", b"")]
YEAR_1980 = (1980, 1, 1, 0, 0, 0)


def foreign(name: str = "a", **changes: object) -> bytes:
    """An archive of one member by Python's own writer, with one thing different."""
    info = zipfile.ZipInfo(name, YEAR_1980)
    info.create_system = 3
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    for key, value in changes.items():
        setattr(info, key, value)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr(info, b"" if name.endswith("/") else b"data")
    return buffer.getvalue()


def test_it_comes_back() -> None:
    assert list(unpack(pack(MEMBERS)).items()) == MEMBERS
    assert unpack(pack([])) == {}


def test_pythons_zipfile_reads_it() -> None:
    with zipfile.ZipFile(io.BytesIO(pack(MEMBERS))) as file:
        assert file.testzip() is None
        assert [(info.filename, file.read(info)) for info in file.infolist()] == MEMBERS
        for info in file.infolist():
            assert info.compress_type == zipfile.ZIP_STORED
            assert info.date_time == YEAR_1980
            assert info.external_attr >> 16 == stat.S_IFREG | 0o644
            assert not info.extra
            assert not info.comment


def test_pythons_zipfile_writes_the_same() -> None:
    assert foreign() == pack([("a", b"data")])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (foreign(compress_type=zipfile.ZIP_DEFLATED), "'a' is compressed"),
        (foreign(external_attr=(stat.S_IFLNK | 0o777) << 16), "'a' is a link"),
        (foreign("d/", external_attr=(stat.S_IFDIR | 0o755) << 16), "'d/' is a folder"),
        (foreign("d/"), "'d/' is a folder"),
        (foreign(comment=b"hello"), "'a' has extra fields or a comment"),
        (foreign(extra=b"\x99\x99\x01\x00x"), "'a' has extra fields or a comment"),
        (foreign(date_time=(1990, 1, 1, 0, 0, 0)), "not as bundles are written"),
        (foreign(external_attr=(stat.S_IFREG | 0o755) << 16), "not as bundles are written"),
        (foreign(create_system=0), "not as bundles are written"),
        (foreign("../a"), "'../a' is not a name"),
        (foreign("/etc/passwd"), "is not a name"),
        (foreign("a//b"), "is not a name"),
        (foreign("a\\b"), "is not a name"),
        (foreign("grün"), "is not a name"),
        (foreign("c:x"), "is not a name"),
        (foreign() + b"x", "before or behind the archive"),
        (b"x" + foreign(), "before or behind the archive"),
    ],
)
def test_what_other_archives_have_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(RefusedArchiveError, match=words.replace("(", r"\(")):
        unpack(data)


def test_names() -> None:
    assert is_member_name("bodies/0a.pb")
    assert not is_member_name("bodies/.pb")
    assert not is_member_name("a" * 256)
    assert not is_member_name("a\n")


def test_encryption_and_trailing_sizes_are_named() -> None:
    data = bytearray(foreign())
    place = data.index(b"PK\x01\x02")
    for flag, words in ((1, "encrypted"), (8, "states its size behind its data")):
        changed = bytearray(data)
        changed[place + 8] = changed[6] = flag
        with pytest.raises(RefusedArchiveError, match=words):
            unpack(bytes(changed))


def test_a_gap_between_members_is_refused() -> None:
    good = pack(MEMBERS[:1])
    directory = good.index(b"PK\x01\x02")
    end = bytearray(good[directory:])
    start = len(end) - 22 + 16
    end[start : start + 4] = struct.pack("<I", directory + 3)
    with pytest.raises(RefusedArchiveError, match="belong to no member"):
        unpack(good[:directory] + b"gap" + bytes(end))


def test_one_name_twice_is_refused() -> None:
    with pytest.raises(DuplicateMemberError, match="a"):
        unpack(pack([("a", b"data"), ("a", b"other")]))


def test_two_members_at_one_place_are_refused() -> None:
    good = pack([("a", b"data")])
    directory = good.index(b"PK\x01\x02")
    entry = good[directory:-22]
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 2, 2, 2 * len(entry), directory, 0)
    with pytest.raises(RefusedArchiveError, match="not as bundles are written"):
        unpack(good[:directory] + entry + entry[:-1] + b"b" + end)


def test_a_changed_byte_is_noticed() -> None:
    data = bytearray(pack(MEMBERS))
    data[data.index(b"application/x")] ^= 1
    with pytest.raises(DamagedMemberError, match="mimetype"):
        unpack(bytes(data))


@pytest.mark.parametrize("data", [b"", b"PK", b"not a zip", b"\0" * 1000, pack(MEMBERS)[:-1], pack(MEMBERS)[:50]])
def test_what_is_no_archive(data: bytes) -> None:
    with pytest.raises((NotAnArchiveError, RefusedArchiveError)):
        unpack(data)


@pytest.mark.parametrize("name", ["../x", "/x", "", "grün", "x/", "."])
def test_only_plain_names_are_written(name: str) -> None:
    with pytest.raises(ValueError, match="cannot name a member"):
        pack([(name, b"")])


def test_the_number_of_members_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_MEMBERS", 2)
    with pytest.raises(ValueError, match="at most 2 members"):
        pack(MEMBERS)
    monkeypatch.undo()
    data = pack(MEMBERS)
    monkeypatch.setattr(archive, "MOST_MEMBERS", 2)
    with pytest.raises(RefusedArchiveError, match="more than 2"):
        unpack(data)


@pytest.mark.long
def test_more_members_than_16_bits_can_count(tmp_path: Path) -> None:
    """ZIP64's record of their number, in the one form that it may have."""
    for count in (65_534, 65_535, 65_600):
        names = [f"{number:06}" for number in range(count)]
        data = pack((name, b"") for name in names)
        assert (b"PK\x06\x06" in data) == (count >= 65_535)
        assert list(unpack(data)) == names
        path = tmp_path / "large.zip"
        path.write_bytes(data)
        with zipfile.ZipFile(path) as file:
            assert len(file.namelist()) == count
    record = data.index(b"PK\x06\x06")
    for place in range(record, len(data)):
        changed = bytearray(data)
        changed[place] ^= 1
        with pytest.raises((RefusedArchiveError, NotAnArchiveError)):
            Archive(HeldBytes(bytes(changed)))
