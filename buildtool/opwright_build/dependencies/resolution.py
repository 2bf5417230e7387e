"""The libraries that packages depend on: found, opened, and held against what is asked for and what is locked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from opwright.bundle.format import Bundle, DependencyEntry, DomainEntry
from opwright.bundle.normal_name import normal_name
from opwright.bundle.read import read_bundle
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity

from opwright_build.dependencies.dependencies_lock import INSTALLED, LOCK_FILE, LockedLibrary
from opwright_build.spec.model import Dependency, Library, Package
from opwright_build.spec.ranges import admits_release

Fetch = Callable[[str, Dependency], bytes | None]  # the bytes of a library's bundle; None where there is none
_UPDATE = "`opwright update`"


@dataclass(frozen=True, slots=True)
class FoundLibrary:
    """A library that is depended on, opened; `place` is where it is named."""

    name: str
    bundle: Bundle
    locked: LockedLibrary
    place: Place


@dataclass(frozen=True, slots=True)
class Resolved:
    """The libraries by their names as package indexes compare them, and what is wrong with the others."""

    libraries: Mapping[str, FoundLibrary]
    diagnostics: tuple[Diagnostic, ...] = ()

    def of_package(self, package: Package) -> list[FoundLibrary]:
        """Those that a package names, in its order."""
        found = (self.libraries.get(normal_name(name)) for name in package.dependencies)
        return [library for library in found if library is not None]


def wanted_libraries(packages: Iterable[Package]) -> dict[str, list[tuple[Package, str, Dependency]]]:
    """What the packages name, by the library's name as package indexes compare it, sorted."""
    found: dict[str, list[tuple[Package, str, Dependency]]] = {}
    for package in packages:
        for name, dependency in package.dependencies.items():
            found.setdefault(normal_name(name), []).append((package, name, dependency))
    return dict(sorted(found.items()))


def find_libraries(packages: Sequence[Package], fetch: Fetch) -> Resolved:
    """Opens what the packages depend on, whatever is locked."""
    libraries: dict[str, FoundLibrary] = {}
    found: list[Diagnostic] = []
    for name, wishes in wanted_libraries(packages).items():
        problems = _two_sources(wishes)
        library = None if problems else _open(*wishes[0][1:], fetch, problems)
        if library is not None:
            problems += _refused_releases(library, wishes)
        if library is not None and not problems:
            libraries[name] = library
        found += problems
    return Resolved(libraries, tuple(found))


def hold_against_lock(resolved: Resolved, locked: Mapping[str, LockedLibrary]) -> Resolved:
    """Those whose files are the locked ones, and a finding for each other."""
    libraries: dict[str, FoundLibrary] = {}
    found = list(resolved.diagnostics)
    for name, library in resolved.libraries.items():
        line = locked.get(name)
        if line is None:
            found.append(_not_locked(library))
        elif (line.sha256, line.source) != (library.locked.sha256, library.locked.source):
            found.append(_other_than_locked(library, line))
        else:
            libraries[name] = library
    return Resolved(libraries, tuple(found))


def replaced_releases(resolved: Resolved, locked: Mapping[str, LockedLibrary]) -> list[Diagnostic]:
    """A finding for each library that is of the locked release by its version, and not by its bytes."""
    return [
        _other_than_locked(library, line)
        for name, library in resolved.libraries.items()
        if (line := locked.get(name)) is not None
        and line.version == library.locked.version
        and line.sha256 != library.locked.sha256
    ]


def unused_lines(locked: Mapping[str, LockedLibrary], packages: Iterable[Package]) -> list[Diagnostic]:
    """Lines of libraries that no package names."""
    wanted = wanted_libraries(packages)
    return [
        Diagnostic(
            "OW636",
            f"no package depends on {line.library}",
            line.place,
            reason="a line that nothing needs hides which libraries are built against",
            help=f"run {_UPDATE}",
            severity=Severity.WARNING,
        )
        for name, line in locked.items()
        if name not in wanted
    ]


# ----------------------------------------------------------------------------------------------- one library


def _two_sources(wishes: Sequence[tuple[Package, str, Dependency]]) -> list[Diagnostic]:
    first, name, dependency = wishes[0]
    return [
        Diagnostic(
            "OW632",
            f"`{first.name}` and `{other.name}` take {name} from two places",
            wish.place,
            reason=f"one from {dependency.bundle or 'what is installed'}, the other from {wish.bundle or 'there'}",
            help="name the same source in both",
        )
        for other, _, wish in wishes[1:]
        if wish.bundle != dependency.bundle
    ]


def _open(name: str, dependency: Dependency, fetch: Fetch, problems: list[Diagnostic]) -> FoundLibrary | None:
    """The library; None, reported, when there is none or its file is no bundle of that library."""
    place = dependency.place
    file = f"specs/{dependency.bundle}" if dependency.bundle else name
    try:
        data = fetch(name, dependency)
        if data is None:
            problems.append(_not_found(name, dependency))
            return None
        bundle = read_bundle(data, file)
    except DiagnosticError as error:
        problems += error.diagnostics
        return None
    index = bundle.index
    if normal_name(index.library) != normal_name(name):
        message = f"the bundle that {name} names is of {index.library}"
        help_ = f"write {index.library} as the dependency, or name the bundle of {name}"
        problems.append(Diagnostic("OW632", message, place, help=help_))
        return None
    line = LockedLibrary(index.library, index.version, sha256(data).hexdigest(), dependency.bundle or INSTALLED)
    return FoundLibrary(name, bundle, line, place)


def _not_found(name: str, dependency: Dependency) -> Diagnostic:
    if dependency.bundle:
        message, help_ = f"there is no bundle specs/{dependency.bundle}", "check the path, which is relative to specs/"
    else:
        message = f"no library {name} is installed"
        help_ = (
            f"install a package of {name} that `opwright build` wrote, or put its bundle below specs/ and write "
            f"`{name}: {{bundle: PATH}}`; of other packages nothing can be called, so leave them out"
        )
    return Diagnostic(
        "OW133", message, dependency.place, reason="calls of its functions could not be built", help=help_
    )


def _refused_releases(library: FoundLibrary, wishes: Iterable[tuple[Package, str, Dependency]]) -> list[Diagnostic]:
    version = library.bundle.index.version
    return [
        Diagnostic(
            "OW633",
            f"`{package.name}` needs {name} {dependency.releases}, but {version} is there",
            dependency.place,
            reason=f"the bundle is {library.locked.source}",
            help=f"install or name a release that fits, or write a range that {version} is in",
        )
        for package, name, dependency in wishes
        if dependency.releases and not admits_release(dependency.releases, version)
    ]


def _not_locked(library: FoundLibrary) -> Diagnostic:
    return Diagnostic(
        "OW631",
        f"{library.name} is not locked",
        library.place,
        reason=f"{LOCK_FILE} says which release is built against, so that it cannot change unseen",
        help=f"run {_UPDATE}, and commit {LOCK_FILE}",
    )


def _other_than_locked(library: FoundLibrary, line: LockedLibrary) -> Diagnostic:
    found = library.locked
    if line.source != found.source:
        message = f"{library.name} is locked as {line.source}, and taken as {found.source}"
    elif line.version != found.version:
        message = f"{library.name} is locked at {line.version}, but {found.version} is there"
    else:
        message = f"{library.name} {line.version} has other bytes than the locked ones"
    reason = f"{line.place} says sha256 {line.sha256}, and its bundle has {found.sha256}"
    help_ = f"run `opwright update {library.name}` to build against it, or get the locked one again"
    return Diagnostic("OW631", message, library.place, reason=reason, help=help_)


# --------------------------------------------------------------------------------------------- all of them


@dataclass(frozen=True, slots=True)
class _Carried:
    """A release of a library, and the path by which a package comes to it. `sha256` is empty for what is built here."""

    version: str
    sha256: str
    path: tuple[str, ...]
    place: Place | None


def closure_findings(library: Library, package: Package, resolved: Resolved) -> list[Diagnostic]:
    """What is wrong with all that a package comes to depend on: two releases of one library, domains of two."""
    return [
        *_two_releases(library, package, resolved),
        *_shared_domains(library, package, resolved),
        *_shared_imports(library, package, resolved),
    ]


def _two_releases(library: Library, package: Package, resolved: Resolved) -> Iterator[Diagnostic]:
    first: dict[str, _Carried] = {}
    for name, carried in _carried(library, package, resolved):
        known = first.setdefault(normal_name(name), carried)
        if (known.version, known.sha256) == (carried.version, carried.sha256):
            continue
        paths = " and ".join(f"{' -> '.join(item.path)} ({item.version})" for item in (known, carried))
        same = known.version == carried.version
        what = f"two builds of {name} {known.version}" if same else f"{name} {known.version} and {carried.version}"
        yield Diagnostic(
            "OW635",
            f"`{package.name}` comes to depend on {what}",
            carried.place or known.place,
            reason=f"through {paths}; a model holds one definition of a function",
            help="use releases that were built against the same one",
        )


def _carried(library: Library, package: Package, resolved: Resolved) -> Iterator[tuple[str, _Carried]]:
    """Every library that a package comes to depend on, by every path; itself first."""
    for sibling in reversed(library.with_siblings([package.name])):
        path = (package.name,) if sibling is package else (package.name, sibling.name)
        yield sibling.name, _Carried(sibling.version, "", path, None)
        for found in resolved.of_package(sibling):
            index = found.bundle.index
            direct = (*path, index.library)
            yield index.library, _Carried(index.version, found.locked.sha256, direct, found.place)
            for item in index.dependencies:
                inner = (*direct, *dependency_path(index.dependencies, item.library))
                yield item.library, _Carried(item.version, item.sha256, inner, found.place)


def dependency_path(dependencies: Sequence[DependencyEntry], wanted: str) -> list[str]:
    """How a library comes to need another one that it carries: the names from its own dependency on."""
    needs = {dependency.library: dependency.needs for dependency in dependencies}
    inner = {name for names in needs.values() for name in names}
    paths = [[name] for name in needs if name not in inner]
    seen: set[str] = set()
    for path in paths:  # grows
        if path[-1] == wanted:
            return path
        if path[-1] not in seen:
            seen.add(path[-1])
            paths += [[*path, name] for name in needs.get(path[-1], ())]
    return [wanted]


def _shared_domains(library: Library, package: Package, resolved: Resolved) -> Iterator[Diagnostic]:
    """Domains that a library which is depended on has, and another one, or this one, as well."""
    owners = {domain: item.name for item in library.packages for domain in item.domains}
    for sibling in library.with_siblings([package.name]):
        for found in resolved.of_package(sibling):
            for name, domains in _domains_of(found.bundle):
                for text in dict.fromkeys(text for domain in domains for text in (domain.name, domain.mirror)):
                    owner = owners.setdefault(text, name)
                    if normal_name(owner) != normal_name(name):
                        yield Diagnostic(
                            "OW634",
                            f"the domain `{text}` is that of `{owner}` and of {name}",
                            found.place,
                            reason="a call names a domain, and it would be a matter of chance whose function it means",
                            help="depend on one of the two, or give your functions a domain of their own",
                        )


def _shared_imports(library: Library, package: Package, resolved: Resolved) -> Iterator[Diagnostic]:
    """Import packages that a library which is depended on has, and another one, or this one, as well."""
    owners = {item.package: item.name for item in library.packages}
    for sibling in library.with_siblings([package.name]):
        for found in resolved.of_package(sibling):
            index = found.bundle.index
            owner = owners.setdefault(index.package, index.library)
            if normal_name(owner) != normal_name(index.library):
                yield Diagnostic(
                    "OW634",
                    f"the import package `{index.package}` is that of `{owner}` and of {index.library}",
                    found.place,
                    reason="an import names a package, and it would be a matter of chance whose functions it means",
                    help="depend on one of the two, or give your package a name of its own",
                )


def _domains_of(bundle: Bundle) -> Iterator[tuple[str, tuple[DomainEntry, ...]]]:
    yield bundle.index.library, bundle.index.domains
    for item in bundle.index.dependencies:
        yield item.library, item.domains
