"""What a spec's source may refer to, answered from the library folder and from bundles: nothing is imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from opwright.bundle.format import Bundle, FunctionEntry
from opwright.diagnostics.model import Diagnostic, Place
from opwright.lang.source import Source
from opwright.lang.syntax import Module, parse

from opwright_build.spec.model import LoadedLibrary, SpecVersion

Read = Callable[[str], bytes | None]


class SpecFiles:
    """Python files of the library, by paths relative to its root; each is parsed once."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._parsed: dict[str, Module | Diagnostic | None] = {}

    def open(self, path: str) -> Module | Diagnostic | None:
        """The parsed file; the diagnostic that ended it; None when there is no such file."""
        if path not in self._parsed:
            self._parsed[path] = self._parse(path)
        return self._parsed[path]

    def _parse(self, path: str) -> Module | Diagnostic | None:
        data = self._read(path)
        if data is None:
            return None
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            return Diagnostic(
                "OW301",
                "the file is not UTF-8 text",
                Place(path, line, 1, line, 2),
                reason=f"byte {error.start} is 0x{data[error.start]:02x}, which UTF-8 does not have there",
                help="save the file as UTF-8",
            )
        return parse(Source(path, text))

    def module(self, name: str, level: int, origin: str) -> Module | Diagnostic | None:
        """What `from ..name import x` in the file `origin` reaches, inside the library's root only."""
        folder = PurePosixPath(origin).parent
        for _ in range(level - 1):
            if folder == PurePosixPath("."):
                return None
            folder = folder.parent
        path = folder.joinpath(*name.split(".")) if name else folder / "__init__"
        return self.open(f"{path}.py")


class SpecLibraries:
    """The functions of the library that is being built, compiled when they are asked for, and those of bundles."""

    def __init__(
        self,
        loaded: LoadedLibrary,
        dependencies: Mapping[str, Bundle],
        compiled: Callable[[SpecVersion], FunctionEntry | None],
        observe: Callable[[SpecVersion], None],
    ) -> None:
        self._loaded = loaded
        self._dependencies = dependencies
        self._compiled = compiled
        self._observe = observe

    def domain_of(self, package: str) -> str | None:
        head = package.partition(".")[0]
        if head == self._loaded.library.package:
            return self._loaded.domains[0].name if self._loaded.domains else None
        bundle = self._dependencies.get(head)
        return bundle.index.domains[0].name if bundle is not None and bundle.index.domains else None

    def emitted_domain(self, domain: str) -> str | None:
        for own in self._loaded.domains:
            if own.name == domain:
                return own.emitted
        for bundle in self._dependencies.values():
            for entry in bundle.index.domains:
                if entry.name == domain:
                    return entry.mirror
        return None

    def function(self, domain: str, name: str, version: int) -> FunctionEntry | None:
        own = [
            item
            for item in self._loaded.versions
            if item.domain.name == domain and item.name == name and item.since_version <= version
        ]
        if own:
            self._observe(own[-1])
            return self._compiled(own[-1])
        foreign = [
            entry
            for bundle in self._dependencies.values()
            for entry in bundle.index.functions
            if entry.domain == domain and entry.name == name and entry.since_version <= version
        ]
        return max(foreign, key=lambda entry: entry.since_version, default=None)

    def names(self, domain: str) -> tuple[str, ...]:
        own = [item.name for item in self._loaded.versions if item.domain.name == domain]
        foreign = [
            entry.name
            for bundle in self._dependencies.values()
            for entry in bundle.index.functions
            if entry.domain == domain
        ]
        return tuple(dict.fromkeys([*own, *foreign]))
