"""The one zip layout that a bundle may have: members stored one behind the other, every header field fixed.

Python's `zipfile` reads much more than that, and what two readers may understand differently is a way to smuggle. So
both directions are written out here; what `pack` does not write, `unpack` refuses.
"""

from __future__ import annotations

import re
import stat
import struct
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

from opwright.bundle.byte_source import HeldBytes, Source
from opwright.bundle.format import MOST_MEMBERS

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END = struct.Struct("<4sHHHHIIH")
_OFFSET = struct.Struct("<I")  # of a member, the last field of its entry in the directory
_OFFSET_PLACE = _CENTRAL.size - _OFFSET.size
_LARGE_END = struct.Struct("<4sQHHIIQQQQ")  # ZIP64: numbers of members that 16 bits cannot tell
_LARGE_PLACE = struct.Struct("<4sIQI")
_LOCAL_MARK, _CENTRAL_MARK, _END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_LARGE_END_MARK, _LARGE_PLACE_MARK = b"PK\x06\x06", b"PK\x06\x07"
_MANY = 0xFFFF  # as a number of members: the true one stands in the record of ZIP64
_LARGE_VERSION = 45

_VERSION = 20
_MADE_BY = 3 << 8 | _VERSION  # Unix: the upper half of the attributes is a file mode
_DATE = 1 << 5 | 1  # 1980-01-01, 00:00
_ATTRIBUTES = (stat.S_IFREG | 0o644) << 16
_ENCRYPTED, _DESCRIPTOR = 1, 8  # flags
_LONGEST_COMMENT = 0xFFFF

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.+-]*)*\Z")
_LONGEST_NAME = 255


class NotAnArchiveError(Exception):
    """The bytes are no zip archive."""


class RefusedArchiveError(Exception):
    """A zip archive, but not of the one layout; the text says what is wrong."""


class DuplicateMemberError(Exception):
    """Two members of one name, which is the argument."""


class DamagedMemberError(Exception):
    """A member's bytes do not fit its checksum; the argument is its name."""


def is_member_name(name: str) -> bool:
    """Whether a member may be named so: a relative path of plain ASCII words."""
    return len(name) <= _LONGEST_NAME and _NAME.match(name) is not None


def pack(members: Iterable[tuple[str, bytes]]) -> bytes:
    """An archive of the members, in the order given. ValueError for names, numbers or sizes that it cannot hold."""
    writer = _Writer()
    for name, data in members:
        writer.add(name, data)
    return writer.finish()


def repack(
    data: bytes, head: Sequence[tuple[str, bytes]], removed: Collection[str], added: Mapping[str, bytes]
) -> bytes:
    """An archive with other members: `head` in place of as many first ones; of those behind them, which are sorted and
    whose names have one length, less `removed`, and `added` between them. What stays is copied in long pieces.

    ValueError for a name that is not there, or is there already, and as `pack` raises it.
    """
    count, start, end = _find_directory(HeldBytes(data))
    place, offset = start, 0
    for _ in head:
        entry, place = _read_entry(data, place, offset)
        offset = entry.end
    behind = count - len(head)
    width = (end - place) // behind if behind > 0 else 0
    if width <= _CENTRAL.size or width * behind != end - place:
        raise ValueError("the names of its members have not one length")
    members = _Members(data, place, width, behind, start)
    writer = _Writer()
    for name, content in head:
        writer.add(name, content)
    done = 0
    for position, is_removal, name in sorted(
        [(members.position(name, True), True, name) for name in removed]
        + [(members.position(name, False), False, name) for name in added]
    ):
        writer.copy(members, done, position)
        done = position + is_removal
        if not is_removal:
            writer.add(name, added[name])
    writer.copy(members, done, behind)
    return writer.finish()


@dataclass(frozen=True, slots=True)
class _Members:
    """The last `count` members of an archive, which are sorted, and whose entries in its directory, from `place` on,
    have one `width`. The directory begins at `start`."""

    data: bytes
    place: int
    width: int
    count: int
    start: int

    def name(self, number: int) -> bytes:
        at = self.place + number * self.width
        return self.data[at + _CENTRAL.size : at + self.width]

    def begin(self, number: int) -> int:
        """Where a member begins, or the directory behind the last one."""
        if number == self.count:
            return self.start
        begin: int = _OFFSET.unpack_from(self.data, self.place + number * self.width + _OFFSET_PLACE)[0]
        return begin

    def position(self, name: str, is_there: bool) -> int:
        """Where a name is among those that are sorted, or belongs."""
        raw = name.encode("ascii")
        position = bisect_left(range(self.count), raw, key=self.name)
        if (position < self.count and self.name(position) == raw) != is_there or len(raw) != len(self.name(0)):
            raise ValueError(
                f"{name} is {'not there' if is_there else 'there already, or its name has another length'}"
            )
        return position

    def entries(self, first: int, last: int, moved: int) -> bytes:
        """Those of members `first` to before `last` that are moved so far."""
        entries = bytearray(self.data[self.place + first * self.width : self.place + last * self.width])
        if moved:
            # (Column by column: an entry at a time takes ten times as long.)
            columns = [slice(_OFFSET_PLACE + byte, None, self.width) for byte in range(_OFFSET.size)]
            offsets = bytearray(_OFFSET.size * (last - first))
            for byte, column in enumerate(columns):
                offsets[byte :: _OFFSET.size] = entries[column]
            layout = f"<{last - first}I"
            offsets[:] = struct.pack(layout, *[offset + moved for offset in struct.unpack(layout, offsets)])
            for byte, column in enumerate(columns):
                entries[column] = offsets[byte :: _OFFSET.size]
        return bytes(entries)


class _Writer:
    """An archive as it grows."""

    def __init__(self) -> None:
        self._parts: list[bytes | memoryview] = []
        self._central: list[bytes] = []
        self._offset = 0
        self._count = 0

    def add(self, name: str, data: bytes) -> None:
        """ValueError for a name that cannot be one."""
        if not is_member_name(name):
            raise ValueError(f"{name!r} cannot name a member of a bundle")
        checksum, raw = crc32(data), name.encode("ascii")
        header = _local_header(raw, checksum, len(data))
        self._parts += (header, data)
        self._central.append(_central_header(raw, checksum, len(data), self._offset))
        self._offset += len(header) + len(data)
        self._count += 1

    def copy(self, members: _Members, first: int, last: int) -> None:
        """Members `first` to before `last` of another archive."""
        if first >= last:
            return
        begin, end = members.begin(first), members.begin(last)
        self._parts.append(memoryview(members.data)[begin:end])
        self._central.append(members.entries(first, last, self._offset - begin))
        self._offset += end - begin
        self._count += last - first

    def finish(self) -> bytes:
        """ValueError for more than an archive holds."""
        if self._count > MOST_MEMBERS:
            raise ValueError(f"a bundle holds at most {MOST_MEMBERS} members, not {self._count}")
        directory = b"".join(self._central)
        if self._offset + len(directory) > 0xFFFFFFFF:
            raise ValueError("a bundle ends at 4 GiB")
        return b"".join((*self._parts, directory, _ending(self._count, len(directory), self._offset)))


def _ending(count: int, size: int, start: int) -> bytes:
    """What is behind a directory of that many members and that size, which begins at `start`."""
    few = min(count, _MANY)
    end = _END.pack(_END_MARK, 0, 0, few, few, size, start, 0)
    if count < _MANY:
        return end
    versions = (_MADE_BY & 0xFF00 | _LARGE_VERSION, _LARGE_VERSION)
    fields = (_LARGE_END.size - 12, *versions, 0, 0, count, count, size, start)
    return _LARGE_END.pack(_LARGE_END_MARK, *fields) + _LARGE_PLACE.pack(_LARGE_PLACE_MARK, 0, start + size, 1) + end


def _local_header(name: bytes, checksum: int, size: int) -> bytes:
    return _LOCAL.pack(_LOCAL_MARK, _VERSION, 0, 0, 0, _DATE, checksum, size, size, len(name), 0) + name


def _central_header(name: bytes, checksum: int, size: int, offset: int) -> bytes:
    fields = (_MADE_BY, _VERSION, 0, 0, 0, _DATE, checksum, size, size, len(name), 0, 0, 0, 0, _ATTRIBUTES, offset)
    return _CENTRAL.pack(_CENTRAL_MARK, *fields) + name


@dataclass(frozen=True, slots=True)
class Entry:
    """What the directory says of a member; `offset` is where its header begins."""

    name: str
    checksum: int
    size: int
    offset: int

    @property
    def end(self) -> int:
        """Where the next member begins."""
        return self.offset + _LOCAL.size + len(self.name) + self.size


class Archive:
    """An archive that is read member by member. What is not asked for is not looked at."""

    __slots__ = ("_end", "_place", "_source", "_start", "_tail_names", "count")

    def __init__(self, source: Source) -> None:
        """Looks at the end of the bytes alone. NotAnArchiveError, RefusedArchiveError."""
        self._source = source
        self.count, self._start, self._end = _find_directory(source)
        self._place = self._start  # the directory behind its first entries
        self._tail_names = (0, 0)

    def first_entries(self, count: int) -> list[Entry]:
        """The first members, at most that many, each where the one before it ends. RefusedArchiveError."""
        count = min(count, self.count)
        longest = count * (_CENTRAL.size + _LONGEST_NAME)
        data = self._source.read(self._start, min(self._end - self._start, longest))
        found: list[Entry] = []
        place, offset = 0, 0
        for _ in range(count):
            entry, place = _read_entry(data, place, offset)
            found.append(entry)
            offset = entry.end
        self._place = self._start + place
        return found

    def expect_names(self, count: int, length: int) -> None:
        """What is behind the entries that `first_entries` read last: that many, sorted, with names of that length."""
        if self._end - self._place != count * (_CENTRAL.size + length):
            raise RefusedArchiveError("its directory has not the size that its members ask for")
        self._tail_names = (count, length)

    def find(self, name: str) -> Entry | None:
        """A member among those that `expect_names` is about. DuplicateMemberError, RefusedArchiveError."""
        count, length = self._tail_names
        wanted = name.encode("ascii")
        low, high = 0, count
        while low < high:
            middle = (low + high) // 2
            if self._name_at(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        if low == count or self._name_at(low) != wanted:
            return None
        if low + 1 < count and self._name_at(low + 1) == wanted:
            raise DuplicateMemberError(name)
        data = self._source.read(self._place_of(low), _CENTRAL.size + length)
        offset: int = _CENTRAL.unpack_from(data, 0)[-1]
        return _read_entry(data, 0, offset)[0]

    def read(self, entry: Entry) -> bytes:
        """A member's bytes. RefusedArchiveError, DamagedMemberError."""
        header = _local_header(entry.name.encode("ascii"), entry.checksum, entry.size)
        if entry.end > self._start:
            raise RefusedArchiveError(f"{entry.name} reaches into the directory")
        data = self._source.read(entry.offset, len(header) + entry.size)
        if not data.startswith(header):
            raise RefusedArchiveError(f"the header before {entry.name} is not the one that the directory describes")
        content = data[len(header) :]
        if len(content) != entry.size or crc32(content) != entry.checksum:
            raise DamagedMemberError(entry.name)
        return content

    def _place_of(self, position: int) -> int:
        return self._place + position * (_CENTRAL.size + self._tail_names[1])

    def _name_at(self, position: int) -> bytes:
        return self._source.read(self._place_of(position) + _CENTRAL.size, self._tail_names[1])


def unpack(data: bytes) -> dict[str, bytes]:
    """All members in their order. Linear in `data`; copies nothing before its place and size have been checked."""
    archive = Archive(HeldBytes(data))
    members: dict[str, bytes] = {}
    _, start, end = _find_directory(HeldBytes(data))
    place, offset = start, 0
    for _ in range(archive.count):
        entry, place = _read_entry(data, place, offset)
        if entry.name in members:
            raise DuplicateMemberError(entry.name)
        members[entry.name] = archive.read(entry)
        offset = entry.end
    if offset != start or place != end:
        raise RefusedArchiveError("there are bytes that belong to no member")
    return members


def _find_directory(source: Source) -> tuple[int, int, int]:
    """The number of members, where their directory starts, and where it ends."""
    end = source.size - _END.size
    last = source.read(end, _END.size) if end >= 0 else b""
    if not source.read(0, 4).startswith((_LOCAL_MARK, _END_MARK)) or last[:4] != _END_MARK or len(last) != _END.size:
        raise _without_end(source)
    _, disk, first_disk, here, count, size, start, comment = _END.unpack(last)
    if disk or first_disk or here != count:
        raise RefusedArchiveError("it is one part of several")
    if count == _MANY:
        record = source.read(start + size, _LARGE_END.size)
        if len(record) < _LARGE_END.size or record[:4] != _LARGE_END_MARK:
            raise RefusedArchiveError("its number of members is missing")
        count = _LARGE_END.unpack(record)[7]
        if count < _MANY:
            raise RefusedArchiveError("its number of members is not written as bundles write it")
    if count > MOST_MEMBERS:
        raise RefusedArchiveError(f"it has more than {MOST_MEMBERS} members")
    ending = _ending(count, size, start)
    if comment or start + size + len(ending) != source.size:
        raise RefusedArchiveError("there are bytes that belong to no member")
    if source.read(start + size, len(ending)) != ending:
        raise RefusedArchiveError("its end is not as bundles are written")
    return count, start, start + size


def _without_end(source: Source) -> Exception:
    """The error for bytes that do not begin and end as an archive does."""
    longest = _END.size + _LONGEST_COMMENT
    if source.read(max(0, source.size - longest), longest).rfind(_END_MARK) < 0:
        return NotAnArchiveError()
    return RefusedArchiveError("there are bytes before or behind the archive")


def _read_entry(data: bytes, place: int, offset: int) -> tuple[Entry, int]:
    """The member that the directory has at `place`, which must begin at `offset`, and the place behind its entry."""
    if place + _CENTRAL.size > len(data) or data[place : place + 4] != _CENTRAL_MARK:
        raise RefusedArchiveError("its directory is cut off")
    fields = _CENTRAL.unpack_from(data, place)
    flags, method = fields[3], fields[4]
    checksum, size, name_length = fields[7], fields[9], fields[10]
    place += _CENTRAL.size
    raw = data[place : place + name_length]
    shown = ascii(raw.decode("latin-1"))
    _check_features(shown, flags, method, fields)
    name = raw.decode("ascii", "replace")
    if not is_member_name(name):
        raise RefusedArchiveError(f"{shown} is not a name that a member may have")
    expected = _central_header(raw, checksum, size, offset)
    if data[place - _CENTRAL.size : place + name_length] != expected:
        raise RefusedArchiveError(f"the entry of {name} is not as bundles are written")
    return Entry(name, checksum, size, offset), place + name_length


def _check_features(shown: str, flags: int, method: int, fields: tuple[int, ...]) -> None:
    """What other archives may have, by name, so that the refusal says it."""
    mode = fields[15] >> 16
    if flags & _ENCRYPTED:
        raise RefusedArchiveError(f"{shown} is encrypted")
    if flags & _DESCRIPTOR:
        raise RefusedArchiveError(f"{shown} states its size behind its data")
    if method:
        raise RefusedArchiveError(f"{shown} is compressed")
    if fields[11] or fields[12]:
        raise RefusedArchiveError(f"{shown} has extra fields or a comment")
    if stat.S_ISLNK(mode):
        raise RefusedArchiveError(f"{shown} is a link")
    if stat.S_ISDIR(mode) or shown.endswith("/'"):
        raise RefusedArchiveError(f"{shown} is a folder")
