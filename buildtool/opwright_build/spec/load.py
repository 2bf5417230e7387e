"""A library's specs/ folder as plain values: found upward, read whole, every mistake reported at its place."""

from __future__ import annotations

import os
from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.version import VERSION

from opwright_build.spec.boundary import check
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.convert import SpecContext, convert
from opwright_build.spec.domain_file import read_domain, refuse_collisions, refuse_operator
from opwright_build.spec.forms import LibraryModel, SpecModel
from opwright_build.spec.model import Domain, Library, LoadedLibrary, SpecVersion
from opwright_build.spec.package_name import refuse_package, why_taken
from opwright_build.spec.ranges import RangeError, admits_release, parse_opsets
from opwright_build.spec.yaml_nodes import MappingNode, key_places
from opwright_build.spec.yaml_source import MAX_BYTES, read_yaml

SPECS = "specs"
LIBRARY_FILE = "specs/library.yaml"


def find_library(start: Path) -> Path:
    """The nearest folder, from `start` upward, that holds specs/library.yaml. DiagnosticError when there is none."""
    absolute = Path(os.path.abspath(start))
    if not absolute.exists():
        raise DiagnosticError([Diagnostic("OW110", f"there is no file or folder {start}")])
    for folder in (absolute, *absolute.parents):
        if (folder / LIBRARY_FILE).is_file():
            return folder
    message = f"no {LIBRARY_FILE} here or in a folder above"
    way_out = "`opwright new function com.acme/Swish` begins a library in the current folder."
    raise DiagnosticError([Diagnostic("OW110", message, help=way_out)])


def load_library(start: Path, *, opwright_version: str = VERSION) -> LoadedLibrary:
    """Reads the library around `start`. Specs and domains with mistakes are left out and reported.

    `opwright_version` is what `requires: {opwright: ...}` is held against, this tool's own by default.
    Raises DiagnosticError when there is no library, or library.yaml itself is wrong. Runs and imports nothing of it.
    """
    files = LibraryFiles(find_library(start))
    library = read_library(files, opwright_version)
    found: list[Diagnostic] = []
    domains: list[Domain] = []
    versions: list[SpecVersion] = []
    broken: list[str] = []
    for name in files.folders(SPECS):
        functions = _spec_folders(files, f"{SPECS}/{name}")
        if not functions and not (files.root / SPECS / name / "domain.yaml").exists():
            continue  # no folder of specs
        domain, findings = read_domain(files, name)
        found.extend(findings)
        if domain is None:
            broken.extend(f"{name}::{function}" for function in functions)
            continue
        domains.append(domain)
        for function in functions:
            read, findings = _read_spec(files, library, domain, function)
            found.extend(findings)
            if findings:
                broken.append(f"{name}::{function}")
            else:
                versions.extend(read)
    found.extend(refuse_collisions(domains))
    return LoadedLibrary(library, tuple(domains), tuple(versions), tuple(found), tuple(broken), files.sources)


def read_library(files: LibraryFiles, opwright_version: str = VERSION) -> Library:
    """specs/library.yaml alone. DiagnosticError when anything is wrong with it."""
    data = files.read(SPECS, "library.yaml", MAX_BYTES)
    if isinstance(data, Diagnostic):
        raise DiagnosticError([data])
    source = read_yaml(data, LIBRARY_FILE)
    found = list(source.diagnostics)
    model: LibraryModel | None = None
    if source.root is not None:
        checked = check(LibraryModel, source.root)
        found.extend(checked.diagnostics)
        model = checked.value
    if model is None or not isinstance(source.root, MappingNode):
        raise DiagnosticError(found)
    root = source.root
    taken = why_taken(model.package)
    if taken is not None:
        found.append(refuse_package(model.package, taken, root.entries["package"].value.place))
    opsets = None
    try:
        opsets = parse_opsets(model.opsets)
    except RangeError as error:
        message = f"the opset range `{model.opsets[:40]}` {error}"
        way_out = "A library has a first and a last opset: `>=13,<=28`."
        found.append(Diagnostic("OW116", message, root.entries["opsets"].value.place, help=way_out))
    if "opwright" in model.requires:
        found.extend(_requirement(model.requires["opwright"], root, opwright_version))
    if model.dependencies:
        message = "this release of opwright does not build against other libraries"
        reason = f"{', '.join(model.dependencies)} would have to be resolved, and calls of its functions linked"
        way_out = "Call functions of your own library, and attach several libraries to a model."
        place = root.entries["dependencies"].key
        found.append(Diagnostic("OW133", message, place, reason=reason, help=way_out))
    if found or opsets is None:
        raise DiagnosticError(found)
    return Library(
        root=files.root,
        name=model.library,
        version=model.version,
        package=model.package,
        summary=model.summary,
        license=model.license,
        opsets=opsets,
        requires={str(name): text for name, text in model.requires.items()},
        dependencies=dict(model.dependencies),
        places=key_places(root),
    )


def check_ceiling(library: Library, newest_opset: int) -> Diagnostic | None:
    """What is wrong when the installed onnx, whose newest default-domain opset is given, does not know the ceiling."""
    if library.opsets.last <= newest_opset:
        return None
    last = library.opsets.last
    message = f"the library's last opset is {last}, but the installed onnx knows opsets to {newest_opset}"
    way_out = "Install a newer onnx, or lower the range in library.yaml."
    return Diagnostic("OW121", message, library.places["opsets"], help=way_out)


def newest_opset() -> int:
    """The newest default-domain opset of the installed onnx. Imports onnx, which costs some 150 ms."""
    from onnx.defs import onnx_opset_version

    return onnx_opset_version()


def _requirement(requirement: str, root: MappingNode, opwright_version: str) -> list[Diagnostic]:
    inner = root.entries["requires"].value
    place = inner.entries["opwright"].value.place if isinstance(inner, MappingNode) else root.place
    try:
        if admits_release(requirement, opwright_version):
            return []
    except RangeError as error:
        return [Diagnostic("OW109", f"the requirement `{requirement[:40]}` {error}", place)]
    message = f"the library requires opwright {requirement}, but this is {opwright_version}"
    return [Diagnostic("OW120", message, place, help=f"Install opwright {requirement}.")]


def _spec_folders(files: LibraryFiles, folder: str) -> list[str]:
    """The folders of functions: those with a spec.yaml, and those that hold files but lack one."""
    names = [name for name in files.folders(folder) if name != "released"]
    return [name for name in names if files.has_files(f"{folder}/{name}")]


def _read_spec(
    files: LibraryFiles, library: Library, domain: Domain, name: str
) -> tuple[list[SpecVersion], list[Diagnostic]]:
    context = SpecContext(library, domain, files, f"{SPECS}/{domain.name}/{name}")
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
