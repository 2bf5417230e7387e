"""The members of a bundle of format 2, each read and checked when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256

from opwright.bundle.archive import Archive, Entry
from opwright.bundle.format import MOST_INDEX_BYTES, FunctionEntry
from opwright.bundle.function_lookup import Functions, Name
from opwright.bundle.json_form import (
    FunctionKey,
    Json,
    MalformedError,
    MemberRef,
    function_from_json,
    parse_json,
    refs_from_json,
    table_from_json,
)
from opwright.bundle.member_names import (
    body_member,
    function_member,
    table_count,
    table_member,
    table_of,
    template_member,
)
from opwright.bundle.read_findings import Refusals, too_large


class Members:
    """Reads members: the size is checked before the bytes are read, their digest before they are used."""

    __slots__ = ("_archive", "refusals")

    def __init__(self, archive: Archive, refusals: Refusals) -> None:
        self._archive = archive
        self.refusals = refusals

    def read(self, path: str, ref: MemberRef) -> bytes:
        """The member of that path, which another one names. DiagnosticError (OW512 to OW514)."""
        with self.refusals.reading():
            entry = self._archive.find(path)
        if entry is None:
            raise self.refusals.lacking(path)
        return self.read_entry(entry, ref)

    def read_entry(self, entry: Entry, ref: MemberRef) -> bytes:
        if entry.size != ref.size:
            raise self.refusals.damaged(entry.name, f"it has {entry.size} bytes, not {ref.size}")
        with self.refusals.reading():
            data = self._archive.read(entry)
        if sha256(data).hexdigest() != ref.sha256:
            raise self.refusals.damaged(entry.name, "its bytes do not have the digest in the index")
        return data

    def read_json(self, path: str, ref: MemberRef) -> Json:
        """What a member holds that is JSON. DiagnosticError (OW512 to OW516)."""
        if ref.size > MOST_INDEX_BYTES:
            raise self.refusals.malformed(too_large(ref.size, MOST_INDEX_BYTES), path)
        data = self.read(path, ref)
        try:
            return parse_json(data)
        except MalformedError as error:
            raise self.refusals.malformed(str(error), path) from None


class StoredFunctions(Functions):
    """The functions of a bundle. A table of names is read when one of its functions is looked up, an entry when it is
    asked for; each once."""

    __slots__ = ("_all", "_count", "_entries", "_members", "_refs", "_tables", "_whole", "_written")

    def __init__(
        self, members: Members, count: int, tables: tuple[MemberRef | None, ...], *, whole: bool = True
    ) -> None:
        """`whole`: of every function all bodies and templates are there, as those of the library itself are."""
        if len(tables) != table_count(count):
            raise MalformedError(f"tables has not the length that {count} functions ask for")
        self._members = members
        self._whole = whole
        self._written = tables
        self._count = count
        self._tables: dict[int, dict[Name, dict[int, MemberRef]]] = {}
        self._entries: dict[FunctionKey, FunctionEntry] = {}
        self._refs: dict[str, MemberRef] = {}
        self._all: dict[str, MemberRef] | None = None

    def names(self) -> list[Name]:
        found = [name for position in range(len(self._written)) for name in self._table(position)]
        count = sum(len(since) for table in self._tables.values() for since in table.values())
        if count != self._count:
            raise self._members.refusals.malformed(f"its tables list {count} functions, not {self._count}")
        return sorted(found)

    def versions(self, domain: str, name: str) -> tuple[int, ...]:
        return tuple(sorted(self._of_name(domain, name)))

    def find(self, domain: str, name: str, since_version: int) -> FunctionEntry | None:
        key = (domain, name, since_version)
        found = self._entries.get(key)
        if found is None:
            ref = self._of_name(domain, name).get(since_version)
            if ref is not None:
                found = self._entries[key] = self._read(key, ref)
        return found

    def __len__(self) -> int:
        return self._count

    def refs(self) -> Mapping[str, MemberRef]:
        """The members that functions name, by path: those of the entries that were read so far."""
        return self._refs

    def structure(self) -> dict[str, MemberRef]:
        """Every member that the index names, by path. Reads all of the index."""
        if self._all is None:
            for _ in self:
                pass
            found = {table_member(ref.sha256): ref for ref in self._written if ref is not None}
            rows = (ref for table in self._tables.values() for since in table.values() for ref in since.values())
            self._all = found | {function_member(ref.sha256): ref for ref in rows} | self._refs
        return self._all

    def _of_name(self, domain: str, name: str) -> dict[int, MemberRef]:
        return self._table(table_of(domain, name, len(self._written))).get((domain, name), {})

    def _table(self, position: int) -> dict[Name, dict[int, MemberRef]]:
        found = self._tables.get(position)
        if found is None:
            found = self._tables[position] = self._read_table(position)
        return found

    def _read_table(self, position: int) -> dict[Name, dict[int, MemberRef]]:
        ref = self._written[position]
        if ref is None:
            return {}
        path = table_member(ref.sha256)
        value = self._members.read_json(path, ref)
        found: dict[Name, dict[int, MemberRef]] = {}
        try:
            for (domain, name, since), member in table_from_json(value).items():
                if table_of(domain, name, len(self._written)) != position:
                    raise MalformedError(f"{domain}::{name} does not belong into this table")
                found.setdefault((domain, name), {})[since] = member
        except MalformedError as error:
            raise self._members.refusals.malformed(str(error), path) from None
        return found

    def _read(self, key: FunctionKey, ref: MemberRef) -> FunctionEntry:
        path = function_member(ref.sha256)
        value = self._members.read_json(path, ref)
        try:
            entry = function_from_json(value)
            if (entry.domain, entry.name, entry.since_version) != key:
                raise MalformedError(f"it is {entry.identity}, not {key[0]}::{key[1]}@{key[2]}")
            listed = dict(refs_from_json(value, "members"))
            _check_members(entry, listed, self._whole)
            for member, found in listed.items():
                if self._refs.get(member, found) != found:
                    raise MalformedError(f"it lists {member} with another size or digest than another function does")
        except MalformedError as error:
            raise self._members.refusals.malformed(str(error), path) from None
        self._refs.update(listed)
        return entry


def _check_members(entry: FunctionEntry, listed: Mapping[str, MemberRef], whole: bool) -> None:
    """A function lists the bodies and templates that it names, one that is carried some of them, and nothing else."""
    needed = {body_member(body.body) for body in entry.bodies}
    for item in entry.templates:
        path = template_member(item.template)
        needed.add(path)
        if path in listed and listed[path].sha256 != item.template.partition(":")[2]:
            raise MalformedError(f"{path} does not have the digest that it is named by")
    for path in sorted(needed - set(listed)) if whole else ():
        raise MalformedError(f"{entry.identity} names {path}, which is no member")
    for path in sorted(set(listed) - needed):
        raise MalformedError(f"{entry.identity} lists {path}, which it does not need")


class StoredMembers(Mapping[str, bytes]):
    """The bodies or the templates of a bundle, by digest."""

    __slots__ = ("_functions", "_held", "_members", "_path", "_scheme")

    def __init__(
        self, members: Members, functions: Sequence[StoredFunctions], scheme: str, path: Callable[[str], str]
    ) -> None:
        self._members = members
        self._functions = functions
        self._scheme = scheme
        self._path = path
        self._held: dict[str, bytes] = {}

    def __getitem__(self, digest: str) -> bytes:
        found = self._held.get(digest)
        if found is None:
            ref = self._ref(digest)
            if ref is None:
                raise KeyError(digest)
            found = self._held[digest] = self._members.read(self._path(digest), ref)
        return found

    def __contains__(self, digest: object) -> bool:
        return isinstance(digest, str) and self._ref(digest) is not None

    def __iter__(self) -> Iterator[str]:
        head, tail = self._path(f"{self._scheme}:|").split("|")
        for path in sorted({path for functions in self._functions for path in functions.structure()}):
            if path.startswith(head):
                yield f"{self._scheme}:{path[len(head) : len(path) - len(tail)]}"

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _ref(self, digest: str) -> MemberRef | None:
        """How the functions name it: as a rule one that was read already, for its entry says the digest."""
        if not digest.startswith(f"{self._scheme}:"):
            return None
        path = self._path(digest)
        for functions in self._functions:
            known = functions.refs().get(path)
            if known is not None:
                return known
        found = (functions.structure().get(path) for functions in self._functions)
        return next((ref for ref in found if ref is not None), None)


class OtherMembers(Mapping[str, bytes]):
    """The members that the format does not know, by path."""

    __slots__ = ("_listed", "_members")

    def __init__(self, members: Members, listed: Mapping[str, tuple[Entry, MemberRef]]) -> None:
        self._members = members
        self._listed = listed

    def __getitem__(self, path: str) -> bytes:
        return self._members.read_entry(*self._listed[path])

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)
