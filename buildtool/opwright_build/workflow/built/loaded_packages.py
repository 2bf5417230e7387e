"""The packages that a build is asked for, loaded from their specs with all that they depend on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from opwright.diagnostics.diagnostic import Diagnostic, Place

from opwright_build.dependencies.resolution import Resolved
from opwright_build.engine.reader import Reader
from opwright_build.propose.homes import home_of
from opwright_build.spec.load import check_ceiling, load_library, newest_opset
from opwright_build.spec.model import LoadedLibrary, OpsetRange, SpecVersion
from opwright_build.spec.package_name import refuse_package
from opwright_build.spec.portable_names import check_names
from opwright_build.workflow.built.select_packages import names_asked_for, select_packages
from opwright_build.workflow.built.wanted import Wanted
from opwright_build.workflow.compiled.libraries_called import libraries_called
from opwright_build.workflow.opened.session import MODULE, Session
from opwright_build.workflow.selection.chosen import Chosen

SPECS = "list:specs"


@dataclass(frozen=True, slots=True)
class LoadedPackages:
    """The packages of the names `asked`, and those that they depend on; `others` are the libraries that these call."""

    loaded: LoadedLibrary
    others: Resolved
    asked: tuple[str, ...]

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with specs, and with the libraries that are called."""
        return (*self.loaded.diagnostics, *self.others.diagnostics)

    def part(self, compiled: Collection[str], chosen: Chosen) -> LoadedPackages:
        """The same with the versions alone that were compiled for those chosen, and no findings about the functions of
        others."""
        loaded = _part(self.loaded, compiled, chosen.broken)
        kept = {version.domain.name for version in loaded.versions}
        asked = tuple(name for name in self.asked if kept.intersection(loaded.library.package(name).domains))
        return replace(self, loaded=loaded, asked=asked)


def load_packages(reader: Reader, session: Session, wanted: Wanted) -> LoadedPackages:
    """What a build of the session's packages starts from; what was read is recorded."""
    loaded = _load(reader, session.root, names_asked_for(session) if session.packages else None)
    asked = tuple(package.name for package in select_packages(loaded.library, session.packages))
    if wanted.release:
        loaded = _with_release(loaded, asked, wanted.release)
    if wanted.proposed:
        versions = (_as_proposed(item) if item.identity == wanted.proposed else item for item in loaded.versions)
        loaded = replace(loaded, versions=tuple(versions))
    return LoadedPackages(loaded, libraries_called(reader, loaded), asked)


def names_below_specs(reader: Reader) -> list[str]:
    """The files below specs/, by their paths there."""
    listing = (reader.read(SPECS) or b"").decode("utf-8", "surrogateescape")
    return [line.partition("\t")[0] for line in listing.split("\n") if line]


def _load(reader: Reader, root: Path, only: Collection[str] | None) -> LoadedLibrary:
    """The YAML of the packages of those names, and of those they depend on."""
    loaded = load_library(root, only=only)
    for path in sorted(loaded.sources):
        reader.observed(f"file:{path}", loaded.sources[path])
    refusals: list[Diagnostic | None] = [*check_names("specs", names_below_specs(reader))]
    for package in loaded.packages:
        refusals.append(check_ceiling(package, newest_opset()))
        if reader.read(f"{MODULE}:{package.package}") is not None:
            why = "which is a module that is installed here and that no build has written"
            refusals.append(refuse_package(package.package, why, package.places["package"]))
    found = dict.fromkeys(refusal for refusal in refusals if refusal is not None)
    return replace(loaded, diagnostics=(*loaded.diagnostics, *found))


def _with_release(loaded: LoadedLibrary, names: Collection[str], release: str) -> LoadedLibrary:
    """The library with another version of the packages of those names."""
    packages = {
        package.name: replace(package, version=release) if package.name in names else package
        for package in loaded.library.packages
    }
    library = replace(loaded.library, packages=tuple(packages.values()))
    return replace(loaded, library=library, packages=tuple(packages[package.name] for package in loaded.packages))


def _as_proposed(version: SpecVersion) -> SpecVersion:
    """The version with the body that its spec proposes. Where versions are opsets, such a body is needed from the
    version's own on, and may use what is there."""
    assert version.proposal is not None
    places = {**version.places, "function": version.places.get("proposal.function", version.places["proposal"])}
    opsets = version.opsets
    if home_of(version.domain.name).counts_opsets:
        opsets = OpsetRange(max(opsets.first, min(version.since_version, opsets.last)), opsets.last)
    return replace(
        version,
        function_file=version.proposal.file,
        function_name=version.proposal.function,
        opsets=opsets,
        places=places,
    )


def _part(loaded: LoadedLibrary, compiled: Collection[str], broken: Collection[str]) -> LoadedLibrary:
    """The library with the versions that were compiled alone, and no findings about the functions of others."""
    versions = tuple(version for version in loaded.versions if version.identity in compiled)
    kept = {f"{version.domain.name}/{version.name}" for version in versions}
    kept |= {identity.replace("::", "/") for identity in broken}
    functions = {f"{version.domain.name}/{version.name}" for version in loaded.versions}
    left_out = (functions | {identity.replace("::", "/") for identity in loaded.broken}) - kept
    diagnostics = tuple(item for item in loaded.diagnostics if _function_of(item.place) not in left_out)
    return replace(loaded, versions=versions, diagnostics=diagnostics)


def _function_of(place: Place | None) -> str:
    """`domain/Name` of the spec folder that holds the place."""
    parts = () if place is None else PurePosixPath(place.file).parts
    return "/".join(parts[1:3])
