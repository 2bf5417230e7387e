"""A whole library as one action: load, compile each version, package. What every command starts from."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from opwright.diagnostics.diagnostic import Diagnostic, Place, has_errors
from opwright.diagnostics.ignores import find_ignores, settle_ignores

from opwright_build.engine.action import Action, Done, Failed, Outcome, Unsupported
from opwright_build.engine.content_digest import Json, canonical_json
from opwright_build.engine.dataclass_bytes import encode_value
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.reader import Reader
from opwright_build.engine.run import Engine
from opwright_build.engine.sources import CODE, FILE
from opwright_build.report.tables import counted
from opwright_build.workflow.compiling import IGNORE, LIBRARY, compile_versions, findings_of, has_templates
from opwright_build.workflow.library_instances import make_instances
from opwright_build.workflow.session import MODULE, Session
from opwright_build.workflow.version_parts import TABLE, VERSION, encode_packaged, expand_rows, join_rows

if TYPE_CHECKING:
    from opwright.bundle.format import Bundle

    from opwright_build.dependencies.closures import Closure
    from opwright_build.spec.model import LoadedLibrary, Package
    from opwright_build.versions.numeric import NumericVerdict
    from opwright_build.workflow.made_versions import MadeVersions
    from opwright_build.workflow.selection.chosen import Chosen

SPECS = "list:specs"
RELEASED = "released"  # input of packaging: what was released last
FACTS = "facts.json"  # output: figures, file sizes


@dataclass(frozen=True, slots=True)
class BuiltLibrary:
    """What a library action gave. `files` maps each path to write, relative to the root, to its digest.

    `packages` are the figures of each package that was asked for, in the order of library.yaml. `verdicts` say what the
    bodies compute that are not those released. `chosen` are the identities of the versions that were selected, None
    where all are: then the bundles hold more, what those call.
    """

    result: Result
    diagnostics: tuple[Diagnostic, ...]
    good: bool
    files: Mapping[str, str]
    facts: Mapping[str, Any]
    verdicts: Mapping[str, NumericVerdict] = field(default_factory=dict)
    chosen: frozenset[str] | None = None

    @property
    def packages(self) -> Sequence[Mapping[str, Any]]:
        packages: Sequence[Mapping[str, Any]] = self.facts.get("packages", ())
        return packages

    def is_chosen(self, identity: str) -> bool:
        """Whether the version is one of those that are selected."""
        return self.chosen is None or identity in self.chosen

    @property
    def is_empty(self) -> bool:
        """Whether nothing is selected, as where nothing has changed."""
        return self.good and self.chosen is not None and not self.chosen

    def total(self, figure: str) -> int:
        """The sum of a figure over the packages."""
        return sum(int(package[figure]) for package in self.packages)


def build_library(session: Session, release: str = "", *, locked: bool = True) -> BuiltLibrary:
    """Everything that the packages asked for yield, as far as it is not known already. Writes nothing but the cache.

    `release` is the version that those are to have, where it is not the one in library.yaml. Bodies that are not those
    released are run beside them; without `locked` nothing is compared with what was released, nor where some functions
    are selected. UsageError when the library has no package of a name that is asked for, or no function that is
    selected.
    """
    action, chosen = library_action(session, release, locked)

    def function(reader: Reader, engine: Engine) -> Outcome:
        from opwright_build.workflow.edited_sources import build_edited

        whole = locked and chosen is None
        is_usual = whole and not (release or session.packages or engine.runs_all)
        done = build_edited(session, engine, reader, action) if is_usual else None
        return done or _library_action(reader, engine, session, release, whole, chosen, action if is_usual else None)

    only = None if chosen is None else frozenset(chosen.identities)

    result = session.engine.run_composite(action, function)
    match result.outcome:
        case Done(outputs, diagnostics, _):
            files = {path: digest for path, digest in outputs.items() if path not in (TABLE, FACTS)}
            facts = json.loads(session.engine.fetch(result, FACTS))
            return _compared(session, BuiltLibrary(result, diagnostics, True, files, facts, chosen=only))
        case Failed(diagnostics):
            return BuiltLibrary(result, diagnostics, False, {}, {}, chosen=only)
        case Unsupported(reason):
            raise AssertionError(f"a library is never unsupported: {reason}")


def library_action(session: Session, release: str = "", locked: bool = True) -> tuple[Action, Chosen | None]:
    """The action that makes what is asked for, and the versions that are selected."""
    params: dict[str, Json] = {"packages": list(names_asked_for(session))} if session.packages else {}
    params |= {"release": release} if release else {}
    params |= {} if locked else {"locked": False}
    chosen = _chosen(session) if session.asked else None
    if chosen is not None:
        params |= {"versions": list(chosen.identities), "broken": list(chosen.broken)}
    return Action("library", _label("library", chosen), {}, params, session.environment), chosen


def _compared(session: Session, library: BuiltLibrary) -> BuiltLibrary:
    """With what became of bodies that are not those released."""
    differing = library.facts["differing"]
    if not differing:
        return library
    from opwright_build.spec.load import load_library
    from opwright_build.workflow.released import judge_differing

    only = [package["library"] for package in library.packages]
    loaded = load_library(session.root, only=only)
    judged = judge_differing(session, loaded, read_built(session, library), differing, session.tree.read)
    good = not has_errors(judged.findings)
    return replace(library, diagnostics=(*library.diagnostics, *judged.findings), good=good, verdicts=judged.verdicts)


def names_asked_for(session: Session) -> tuple[str, ...]:
    """The names of the packages that are asked for, in the order of library.yaml."""
    from opwright_build.spec.confine import LibraryFiles
    from opwright_build.spec.library_file import read_library
    from opwright_build.workflow.select_packages import select_packages

    library = read_library(LibraryFiles(session.root))
    return tuple(package.name for package in select_packages(library, session.packages))


def domains_asked_for(session: Session) -> frozenset[str]:
    """The domains of the packages that are asked for."""
    from opwright_build.spec.confine import LibraryFiles
    from opwright_build.spec.library_file import read_library
    from opwright_build.workflow.select_packages import select_packages

    library = read_library(LibraryFiles(session.root))
    return frozenset(domain for package in select_packages(library, session.packages) for domain in package.domains)


def read_packages(session: Session, library: BuiltLibrary) -> list[Bundle]:
    """The bundles of the packages that were asked for, built well."""
    from opwright.bundle.read import read_bundle

    bundles: list[Bundle] = []
    for package in library.packages:
        path = package["path"]
        data = session.publisher.published(path, library.files[path])
        bundles.append(read_bundle(session.engine.fetch(library.result, path) if data is None else data, path))
    return bundles


def read_built(session: Session, library: BuiltLibrary) -> Bundle:
    """The bundles of the packages that were asked for, as one."""
    from opwright.bundle.join import join_bundles

    return join_bundles(read_packages(session, library))


def read_rows(session: Session, library: BuiltLibrary) -> list[dict[str, Any]]:
    """What became of each opset of each version: its bodies by variant, or what prevents them."""
    return expand_rows(session.engine.fetch(library.result, TABLE))


def load(reader: Reader, root: Path, only: Collection[str] | None = None) -> LoadedLibrary:
    """The YAML of the packages of those names, and of those they depend on; what was read is recorded."""
    from opwright_build.spec.load import check_ceiling, load_library, newest_opset
    from opwright_build.spec.package_name import refuse_package

    reader.read(SPECS)
    loaded = load_library(root, only=only)
    for path in sorted(loaded.sources):
        reader.observed(f"file:{path}", loaded.sources[path])
    refusals: list[Diagnostic | None] = []
    for package in loaded.packages:
        refusals.append(check_ceiling(package, newest_opset()))
        if reader.read(f"{MODULE}:{package.package}") is not None:
            why = "which is a module that is installed here and that no build has written"
            refusals.append(refuse_package(package.package, why, package.places["package"]))
    found = dict.fromkeys(refusal for refusal in refusals if refusal is not None)
    return replace(loaded, diagnostics=(*loaded.diagnostics, *found))


def _library_action(
    reader: Reader,
    engine: Engine,
    session: Session,
    release: str,
    locked: bool,
    chosen: Chosen | None,
    usual: Action | None,
) -> Outcome:
    """`usual` is the action where it is that of a whole build: edits begin with what it gave."""
    from opwright_build.workflow.edited_sources import note_versions
    from opwright_build.workflow.libraries_called import libraries_called
    from opwright_build.workflow.made_versions import MadeVersions
    from opwright_build.workflow.placed_rows import rows_now
    from opwright_build.workflow.released import Comparison, compare_with_lock
    from opwright_build.workflow.select_packages import select_packages

    session.reporter.step("reading specs/")
    engine.prepare("library", (reader.read(SPECS) or b"").count(b"/spec.yaml"))
    only = names_asked_for(session) if session.packages else None
    loaded = load(reader, session.root, only)
    asked = [package.name for package in select_packages(loaded.library, session.packages)]
    if release:
        loaded = with_release(loaded, asked, release)
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
    files = (reader.read("list:specs") or b"").decode("utf-8", "surrogateescape").split("\n")
    for package in loaded.packages if locked else ():
        compared[package.name] = compare_with_lock(
            loaded, package, made.entries_of, lambda path: reader.read(f"file:{path}"), files
        )
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
        last = "" if release and package.name in asked else state.last  # what is to be a release comes after none
        released = {"last": last, "library": state.library}
        action = _packaging(made, package, closure, session.environment, released)
        actions.append(action)
        (packaged,) = engine.run([replace(action, label=_label(action.label, chosen))])
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
    outputs |= {FACTS: reader.put(canonical_json(told)), TABLE: reader.put(join_rows(rows))}
    done = Done(outputs, tuple(diagnostics), tuple(unkept))
    heeded = any(find_ignores(path, text) for path, text in texts.items())
    heeded = heeded or len(diagnostics) > of_parts or any(item.code == IGNORE for item in diagnostics)
    is_plain = len(actions) == 1 and rows and not (heeded or instances or others.libraries)
    if usual is not None and is_plain and RELEASED not in actions[0].inputs:
        note_versions(
            session, usual, reader, done, told, actions[0], compiled, rows, [*loaded.diagnostics, *others.diagnostics]
        )
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


def _chosen(session: Session) -> Chosen:
    """The versions that are selected, of the packages that are asked for."""
    from opwright_build.spec.load import load_library
    from opwright_build.workflow.selection.chosen import choose
    from opwright_build.workflow.selection.knowledge import LibraryKnowledge

    loaded = load_library(session.root, only=names_asked_for(session) if session.packages else None)
    return choose(session.asked, loaded, LibraryKnowledge(session, loaded))


def _label(label: str, chosen: Chosen | None) -> str:
    """The label of an action of the whole library, or of a part, which is no news of the whole."""
    return label if chosen is None else f"{label} (selected)"


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


def _packaging(
    made: MadeVersions, package: Package, closure: Closure, environment: str, released: Mapping[str, Json]
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
    for version in loaded.versions:
        if version.domain.name not in package.domains:
            continue
        identity = version.identity
        inputs[f"{VERSION}{identity}"] = engine.put(encode_packaged(partial(made.part, identity)))
    label = "package" if len(loaded.library.packages) == 1 else f"package {package.name}"
    return Action("package", label, inputs, {}, environment)
