"""The library action over a whole library: load, compile each version, package."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from opwright.diagnostics.diagnostic import Diagnostic, Place, has_errors
from opwright.diagnostics.ignores import find_ignores, settle_ignores

from opwright_build.dependencies.closures import Closure
from opwright_build.engine.action import Action, Done, Failed, Outcome
from opwright_build.engine.content_digest import Json, canonical_json
from opwright_build.engine.dataclass_bytes import encode_value
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.reader import Reader
from opwright_build.engine.run import Engine
from opwright_build.engine.sources import CODE, FILE
from opwright_build.package.wheel_texts import read_texts
from opwright_build.propose.homes import home_of
from opwright_build.report.tables import counted
from opwright_build.spec.load import check_ceiling, load_library, newest_opset
from opwright_build.spec.model import LoadedLibrary, OpsetRange, Package, SpecVersion
from opwright_build.spec.package_name import refuse_package
from opwright_build.spec.portable_names import check_names
from opwright_build.workflow.compiling import IGNORE, LIBRARY, compile_versions, findings_of, has_templates
from opwright_build.workflow.edited_sources import note_versions
from opwright_build.workflow.libraries_called import libraries_called
from opwright_build.workflow.library import names_asked_for, part_label
from opwright_build.workflow.library_instances import make_instances
from opwright_build.workflow.made_versions import MadeVersions
from opwright_build.workflow.placed_rows import rows_now
from opwright_build.workflow.released import Comparison, compare_with_lock, domains_with_locks, ownerless_locks
from opwright_build.workflow.select_packages import select_packages
from opwright_build.workflow.selection.chosen import Chosen
from opwright_build.workflow.session import MODULE, Session
from opwright_build.workflow.version_parts import FACTS, RELEASED, TEXTS, VERSION, encode_packaged, table_parts

SPECS = "list:specs"


def load(reader: Reader, root: Path, only: Collection[str] | None = None) -> LoadedLibrary:
    """The YAML of the packages of those names, and of those they depend on; what was read is recorded."""
    loaded = load_library(root, only=only)
    for path in sorted(loaded.sources):
        reader.observed(f"file:{path}", loaded.sources[path])
    refusals: list[Diagnostic | None] = [*check_names("specs", _names_below_specs(reader))]
    for package in loaded.packages:
        refusals.append(check_ceiling(package, newest_opset()))
        if reader.read(f"{MODULE}:{package.package}") is not None:
            why = "which is a module that is installed here and that no build has written"
            refusals.append(refuse_package(package.package, why, package.places["package"]))
    found = dict.fromkeys(refusal for refusal in refusals if refusal is not None)
    return replace(loaded, diagnostics=(*loaded.diagnostics, *found))


def _names_below_specs(reader: Reader) -> list[str]:
    """The files below specs/, by their paths there."""
    listing = (reader.read(SPECS) or b"").decode("utf-8", "surrogateescape")
    return [line.partition("\t")[0] for line in listing.split("\n") if line]


def _read_file(reader: Reader, path: str) -> bytes | None:
    return reader.read(f"{FILE}:{path}")


def build_whole(
    reader: Reader,
    engine: Engine,
    session: Session,
    release: str,
    locked: bool,
    chosen: Chosen | None,
    usual: Action | None,
    proposed: str = "",
) -> Outcome:
    """The outcome of the library action, all versions looked at. `usual` is the action where it is that of a whole
    build: edits begin with what it gave. The version of the identity `proposed` gets the body that its spec proposes.
    """
    session.reporter.step("reading specs/")
    engine.prepare("library", (reader.read(SPECS) or b"").count(b"/spec.yaml"))
    only = names_asked_for(session) if session.packages else None
    loaded = load(reader, session.root, only)
    asked = [package.name for package in select_packages(loaded.library, session.packages)]
    if release:
        loaded = with_release(loaded, asked, release)
    if proposed:
        versions = (as_proposed(item) if item.identity == proposed else item for item in loaded.versions)
        loaded = replace(loaded, versions=tuple(versions))
    others = libraries_called(reader, loaded)
    if has_errors(others.diagnostics):
        return Failed((*loaded.diagnostics, *others.diagnostics))
    session.count.expected = len(loaded.versions) + len(loaded.packages) + 1
    count = len(loaded.versions) if chosen is None else len(chosen.identities)
    session.reporter.step(f"compiling {counted(count, 'version')}")
    only = None if chosen is None else chosen.identities
    compiled = compile_versions(engine, loaded, session.environment, others, only)
    if chosen is not None:
        loaded = _part(loaded, compiled, chosen.broken)
        kept = {version.domain.name for version in loaded.versions}
        asked = [name for name in asked if kept.intersection(loaded.library.package(name).domains)]
    for result in compiled.values():
        _depend(reader, result)
    texts = {path: data.decode("utf-8", "replace") for path, data in loaded.sources.items() if b"opwright:" in data}
    diagnostics = settle_ignores([*loaded.diagnostics, *others.diagnostics, *findings_of(compiled.values())], texts)
    if has_errors(diagnostics):
        return Failed(tuple(diagnostics))
    of_parts = len(diagnostics)
    session.reporter.step("packaging")
    instances, found = make_instances(reader, engine, loaded, compiled, session.environment, others)
    diagnostics += found
    if has_errors(found):
        return Failed(tuple(diagnostics))
    made = MadeVersions(engine, loaded, compiled, instances)
    compared: dict[str, Comparison] = {}
    names = _names_below_specs(reader)
    read = partial(_read_file, reader)
    if locked:
        diagnostics += ownerless_locks(loaded, read, domains_with_locks(names))
    for package in loaded.packages if locked else ():
        compared[package.name] = compare_with_lock(loaded, package, made.entries_of, read, names)
        diagnostics += compared[package.name].findings
    if has_errors(diagnostics):
        return Failed(tuple(diagnostics))
    outputs: dict[str, str] = {}
    unkept: list[str] = []
    actions: list[Action] = []
    facts: dict[str, Any] = {}
    for package in loaded.packages:
        closure = made.closure_of(package, facts, others)
        state = compared.get(package.name, Comparison((), ()))
        brought, wrong = read_texts(package, read)
        if wrong:
            return Failed((*diagnostics, *wrong))
        last = "" if release and package.name in asked else state.last  # what is to be a release comes after none
        released = {"last": last, "library": state.library}
        action = _packaging(made, package, closure, session.environment, released, brought)
        actions.append(action)
        (packaged,) = engine.run([replace(action, label=part_label(action.label, chosen))])
        if isinstance(packaged.outcome, Done | Failed):
            diagnostics += packaged.outcome.diagnostics
        if not isinstance(packaged.outcome, Done):
            return Failed(tuple(diagnostics))
        facts[package.name] = json.loads(engine.fetch(packaged, FACTS))
        if package.name in asked:
            outputs |= {path: digest for path, digest in packaged.outcome.outputs.items() if path != FACTS}
            unkept += packaged.outcome.unkept
    told: dict[str, Any] = {
        "several": len(loaded.library.packages) > 1,
        "packages": [facts[name] for name in asked],
        "differing": [identity for name in asked if locked for identity in compared[name].differing],
        "templates": [identity for identity, result in compiled.items() if has_templates(result)],
        "actions": len(compiled) + len(loaded.packages) + 1,
    }
    domains = {domain for name in asked for domain in loaded.library.package(name).domains}
    owned = [version.identity for version in loaded.versions if version.domain.name in domains]
    rows = [rows_now(engine, session.sources, compiled[identity]) for identity in owned]
    outputs |= {FACTS: reader.put(canonical_json(told))}
    outputs |= {name: reader.put(data) for name, data in table_parts(rows).items()}
    done = Done(outputs, tuple(diagnostics), tuple(unkept))
    said = len(diagnostics) > of_parts or any(item.code == IGNORE for item in diagnostics)
    is_plain = len(actions) == 1 and rows and not (said or instances or others.libraries or others.diagnostics)
    is_plain = is_plain and (RELEASED not in actions[0].inputs or bool(told["differing"]))
    if usual is not None and is_plain:
        comments = {path: text for path, text in texts.items() if find_ignores(path, text)}
        note_versions(session, usual, reader, done, told, actions[0], compiled, rows, loaded, comments)
    return done


def _depend(reader: Reader, result: Result) -> None:
    """Takes over what compiling a version read. Of a file that is read for its code alone all of it counts here: the
    parts of a library are looked up one by one when one of their files has changed."""
    for read in result.reads:
        kind, _, name = read.name.partition(":")
        if kind == CODE:
            reader.depend_on(f"{FILE}:{name}")
        elif kind != LIBRARY:
            reader.depends([read])


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


def with_release(loaded: LoadedLibrary, names: Collection[str], release: str) -> LoadedLibrary:
    """The library with another version of the packages of those names."""

    packages = {
        package.name: replace(package, version=release) if package.name in names else package
        for package in loaded.library.packages
    }
    library = replace(loaded.library, packages=tuple(packages.values()))
    return replace(loaded, library=library, packages=tuple(packages[package.name] for package in loaded.packages))


def as_proposed(version: SpecVersion) -> SpecVersion:
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


def _packaging(
    made: MadeVersions,
    package: Package,
    closure: Closure,
    environment: str,
    released: Mapping[str, Json],
    texts: Mapping[str, bytes],
) -> Action:
    """The action that makes a package's files. Places do not reach it: moving a line changes no file."""
    engine, loaded = made.engine, made.loaded
    domains = tuple(replace(domain, places={}) for domain in loaded.domains if domain.name in package.domains)
    inputs = {
        "package": engine.put(encode_value(replace(package, places={}, dependencies={}))),
        "domains": engine.put(encode_value(domains)),
        "dependencies": engine.put(encode_value(closure.dependencies)),
        "closure": engine.put(encode_value(closure.bodies)),
    }
    if released["last"]:
        inputs[RELEASED] = engine.put(canonical_json(dict(released)))
    if texts:
        inputs[TEXTS] = engine.put(encode_value(texts))
    for version in loaded.versions:
        if version.domain.name not in package.domains:
            continue
        identity = version.identity
        inputs[f"{VERSION}{identity}"] = engine.put(encode_packaged(partial(made.part, identity)))
    label = "package" if len(loaded.library.packages) == 1 else f"package {package.name}"
    return Action("package", label, inputs, {}, environment)
