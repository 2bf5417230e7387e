"""A library's specs/ folder as plain values: read whole, every mistake reported at its place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from opwright.bundle.function_lookup import split_identity
from opwright.diagnostics.diagnostic import Diagnostic, Place
from opwright.suggest import nearest, sure_name
from opwright.version import VERSION

from opwright_build.spec.boundary import check
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.convert import SpecContext, convert
from opwright_build.spec.domain_file import RELEASED, read_domain, refuse_collisions, refuse_operator
from opwright_build.spec.forms import SpecModel
from opwright_build.spec.library_file import read_library
from opwright_build.spec.library_root import SPECS, find_library
from opwright_build.spec.model import Domain, Library, LoadedLibrary, Package, SpecVersion
from opwright_build.spec.yaml_nodes import MappingNode, rewritten
from opwright_build.spec.yaml_source import MAX_BYTES, read_yaml


def load_library(start: Path, *, opwright_version: str = VERSION, only: Collection[str] | None = None) -> LoadedLibrary:
    """Reads the library around `start`. Specs and domains with mistakes are left out and reported.

    `opwright_version` is what `requires: {opwright: ...}` is held against, this tool's own by default. `only` names
    packages: specs of others are not read, but for those that these depend on.
    Raises DiagnosticError when there is no library, or library.yaml itself is wrong. Runs and imports nothing of it.
    """
    files = LibraryFiles(find_library(start))
    return _load(files, domain_folders(files), opwright_version, only)


def load_functions(root: Path, folders: Mapping[str, Sequence[str]]) -> LoadedLibrary:
    """The library at `root` as far as those functions go: all its domains by name, each with the folders to read.

    Raises as `load_library` does.
    """
    return _load(LibraryFiles(root), folders, VERSION, None)


def load_versions(root: Path, identities: Iterable[str]) -> LoadedLibrary:
    """The library at `root` as far as the functions go that have these versions. Raises as `load_library` does."""
    files = LibraryFiles(root)
    folders: dict[str, list[str]] = {domain: [] for domain in files.folders(SPECS)}
    wanted = {key[:2] for identity in identities if (key := split_identity(identity)) is not None}
    for domain, name in sorted(wanted):
        folders.setdefault(domain, []).append(name)
    return _load(files, folders, VERSION, None)


def _load(
    files: LibraryFiles, folders: Mapping[str, Sequence[str]], opwright_version: str, only: Collection[str] | None
) -> LoadedLibrary:
    library = read_library(files, opwright_version, folders)
    named = [package.name for package in library.packages] if only is None else only
    packages = library.with_siblings(named)
    wanted = {domain for package in packages for domain in package.domains}
    found = _unknown_domains(library, folders)
    domains: list[Domain] = []
    versions: list[SpecVersion] = []
    broken: list[str] = []
    for name, functions in folders.items():
        domain, findings = read_domain(files, name)
        if name not in wanted:
            found.extend(_unclaimed(library, name))
            domains += () if domain is None else (domain,)
            continue
        found.extend(findings)
        if domain is None:
            broken.extend(f"{name}::{function}" for function in functions)
            continue
        domains.append(domain)
        for function in functions:
            read, findings = _read_spec(files, library.package_of(name), domain, function)
            found.extend(findings)
            if findings:
                broken.append(f"{name}::{function}")
            else:
                versions.extend(read)
    found.extend(refuse_collisions(domains))
    return LoadedLibrary(library, packages, tuple(domains), tuple(versions), tuple(found), tuple(broken), files.sources)


def domain_folders(files: LibraryFiles) -> dict[str, list[str]]:
    """The folders of specs/ that are domains, with the folders of their functions."""
    found = {name: _spec_folders(files, f"{SPECS}/{name}") for name in files.folders(SPECS)}
    return {
        name: functions
        for name, functions in found.items()
        if functions or (files.root / SPECS / name / "domain.yaml").exists()
    }


def _unknown_domains(library: Library, folders: Collection[str]) -> list[Diagnostic]:
    """Domains of packages that specs/ does not have."""
    found: list[Diagnostic] = []
    for package in library.packages:
        for position, domain in enumerate(package.domains):
            if domain not in folders:
                message = (
                    f"the package `{package.name}` has the domain `{domain}`, but there is no folder specs/{domain}"
                )
                guess = nearest(domain, folders)
                begin = f"begin it with `opwright new function {domain}/Name`"
                help_ = f"did you mean `{guess}`? Else {begin}." if guess else f"{begin}."
                place = package.places[f"domains.{position}"]
                fix = rewritten(place, domain, sure_name(domain, folders))
                found.append(
                    Diagnostic("OW136", message, place, help=f"{help_[:1].upper()}{help_[1:]}", replacement=fix)
                )
    return found


def _unclaimed(library: Library, domain: str) -> list[Diagnostic]:
    """A domain that no package has."""
    if any(domain in package.domains for package in library.packages):
        return []
    message = f"the domain `{domain}` of specs/ belongs to no package"
    names = " or ".join(f"`{package.name}`" for package in library.packages[:4])
    reason = "what lies in its folder would be part of nothing that is built"
    help_ = f"Write it under `domains:` of a package, such as {names}, or make one for it."
    return [Diagnostic("OW137", message, library.places["packages"], reason=reason, help=help_)]


def check_ceiling(package: Package, newest_opset: int) -> Diagnostic | None:
    """What is wrong when the installed onnx, whose newest default-domain opset is given, does not know the ceiling."""
    if package.opsets.last <= newest_opset:
        return None
    last = package.opsets.last
    message = f"the library's last opset is {last}, but the installed onnx knows opsets to {newest_opset}"
    way_out = "Install a newer onnx, or lower the range in library.yaml."
    return Diagnostic("OW121", message, package.places["opsets"], help=way_out)


def newest_opset() -> int:
    """The newest default-domain opset of the installed onnx. Imports onnx, which costs some 150 ms."""
    from onnx.defs import onnx_opset_version

    return onnx_opset_version()


def _spec_folders(files: LibraryFiles, folder: str) -> list[str]:
    """The folders of functions: those with a spec.yaml, and those that hold files but lack one, or have it deeper."""
    names = [name for name in files.folders(folder) if name != RELEASED]
    return [name for name in names if files.has_files(f"{folder}/{name}") or _lies_deeper(files, f"{folder}/{name}")]


def _lies_deeper(files: LibraryFiles, folder: str) -> bool:
    """Whether a folder inside has a spec.yaml, which nothing would read."""
    return any((files.root / folder / name / "spec.yaml").exists() for name in files.folders(folder))


def _read_spec(
    files: LibraryFiles, package: Package, domain: Domain, name: str
) -> tuple[list[SpecVersion], list[Diagnostic]]:
    context = SpecContext(package, domain, files, f"{SPECS}/{domain.name}/{name}")
    refusal = refuse_operator(name)
    if refusal:
        return [], [Diagnostic("OW112", f"the folder's name is no operator's: {refusal}", Place(context.folder))]
    if files.leaves(context.folder):
        message = f"{context.folder} is a link that leads out of the library"
        return [], [Diagnostic("OW127", message, Place(context.folder))]
    data = files.read(context.folder, "spec.yaml", MAX_BYTES)
    if isinstance(data, Diagnostic):
        return [], [data]
    source = read_yaml(data, context.file)
    found = list(source.diagnostics)
    if source.root is None:
        return [], found
    checked = check(SpecModel, source.root)
    found.extend(checked.diagnostics)
    if checked.value is None or not isinstance(source.root, MappingNode):
        return [], found
    for key, written, wanted in (("domain", checked.value.domain, domain.name), ("name", checked.value.name, name)):
        if written != wanted:
            message = f"the {key} is `{written[:80]}`, but the folder says `{wanted}`"
            found.append(Diagnostic("OW112", message, source.root.entries[key].value.place))
    versions, findings = convert(context, checked.value, source.root)
    return versions, [*found, *findings]
