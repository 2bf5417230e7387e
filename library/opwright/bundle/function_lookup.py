"""The functions of a library, looked up by identity. Those of a bundle are read when they are asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from opwright.bundle.format import FunctionEntry

Name = tuple[str, str]  # a domain and a function's name in it


class Functions(Sequence["FunctionEntry"]):
    """A sequence of entries that equals any other sequence of the same ones.

    What is asked of names alone reads no entry.
    """

    __slots__ = ()

    @abstractmethod
    def names(self) -> Sequence[Name]:
        """Every function, in order, each once."""

    @abstractmethod
    def versions(self, domain: str, name: str) -> tuple[int, ...]:
        """The since_versions of one function, least first; empty where there is none."""

    @abstractmethod
    def find(self, domain: str, name: str, since_version: int) -> FunctionEntry | None:
        """One entry; None where there is none."""

    @abstractmethod
    def __len__(self) -> int: ...

    def find_identity(self, identity: str) -> FunctionEntry | None:
        """The entry of `domain::Name@since_version`."""
        key = split_identity(identity)
        return None if key is None else self.find(*key)

    def has_identity(self, identity: str) -> bool:
        key = split_identity(identity)
        return key is not None and key[2] in self.versions(key[0], key[1])

    def versions_of(self, domain: str, name: str) -> tuple[FunctionEntry, ...]:
        """Every version of one function, oldest first."""
        found = (self.find(domain, name, since) for since in self.versions(domain, name))
        return tuple(entry for entry in found if entry is not None)

    def identities(self) -> Iterator[str]:
        """Those of the entries, by name and version."""
        for domain, name in self.names():
            for since in self.versions(domain, name):
                yield f"{domain}::{name}@{since}"

    def __iter__(self) -> Iterator[FunctionEntry]:
        for domain, name in self.names():
            yield from self.versions_of(domain, name)

    @overload
    def __getitem__(self, index: int) -> FunctionEntry: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[FunctionEntry, ...]: ...

    def __getitem__(self, index: int | slice) -> FunctionEntry | tuple[FunctionEntry, ...]:
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        return self is other or (len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True)))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


class HeldFunctions(Functions):
    """Entries that are at hand, in their order."""

    __slots__ = ("_by_name", "_entries")

    def __init__(self, entries: Sequence[FunctionEntry]) -> None:
        self._entries = tuple(entries)
        self._by_name: dict[Name, dict[int, FunctionEntry]] = {}
        for entry in self._entries:
            self._by_name.setdefault((entry.domain, entry.name), {}).setdefault(entry.since_version, entry)

    def names(self) -> Sequence[Name]:
        return tuple(self._by_name)

    def versions(self, domain: str, name: str) -> tuple[int, ...]:
        return tuple(sorted(self._by_name.get((domain, name), ())))

    def find(self, domain: str, name: str, since_version: int) -> FunctionEntry | None:
        return self._by_name.get((domain, name), {}).get(since_version)

    def __iter__(self) -> Iterator[FunctionEntry]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def functions_of(entries: Sequence[FunctionEntry]) -> Functions:
    """The entries, to be looked up."""
    return entries if isinstance(entries, Functions) else HeldFunctions(entries)


def split_identity(identity: str) -> tuple[str, str, int] | None:
    """`domain::Name@since_version` as its parts; None for another text."""
    domain, colons, rest = identity.rpartition("::")
    name, at, version = rest.rpartition("@")
    if not colons or not at or not version.isdecimal() or not version.isascii() or len(version) > 18:
        return None
    return domain, name, int(version)
