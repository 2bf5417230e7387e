"""The library action over a whole library, a stage after the other: load, compile each version, compare, package."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, has_errors
from opwright.diagnostics.ignores import find_ignores, settle_ignores

from opwright_build.dependencies.closures import Closure
from opwright_build.engine.action import Action, Done, Failed
from opwright_build.engine.content_digest import Json, canonical_json
from opwright_build.engine.dataclass_bytes import encode_value
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.reader import Reader
from opwright_build.engine.run import Engine
from opwright_build.engine.sources import CODE, FILE
from opwright_build.package.wheel_texts import read_texts
from opwright_build.report.tables import counted
from opwright_build.spec.model import Package
from opwright_build.workflow.built.library_instances import make_instances
from opwright_build.workflow.built.loaded_packages import SPECS, LoadedPackages, load_packages, names_below_specs
from opwright_build.workflow.built.lock_comparison import (
    Comparison,
    compare_with_lock,
    domains_with_locks,
    ownerless_locks,
)
from opwright_build.workflow.built.made_versions import MadeVersions
from opwright_build.workflow.built.noted_versions import WholeBuild, note_versions
from opwright_build.workflow.built.wanted import Wanted, package_label, part_label
from opwright_build.workflow.compiled.compiling import IGNORE, LIBRARY, compile_versions, findings_of, has_templates
from opwright_build.workflow.compiled.placed_rows import rows_now
from opwright_build.workflow.compiled.version_parts import FACTS, RELEASED, TEXTS, VERSION, encode_packaged, table_parts
from opwright_build.workflow.opened.session import Session


@dataclass(frozen=True, slots=True)
class _Compiled:
    """The versions, each compiled without an error. `texts` are those YAML files, by path, that may have comments which
    silence findings."""

    packages: LoadedPackages
    results: Mapping[str, Result]
    texts: Mapping[str, str]


@dataclass(slots=True)
class _Packaged:
    """What packaging has given so far, by package: its action, its `facts`, and the files, each with its digest, of one
    that is asked for; `unkept` are the paths of those that no store has."""

    actions: dict[str, Action] = field(default_factory=dict)
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, dict[str, str]] = field(default_factory=dict)
    unkept: list[str] = field(default_factory=list)

    @property
    def outputs(self) -> dict[str, str]:
        """All files."""
        return {path: digest for files in self.files.values() for path, digest in files.items()}


def build_whole(reader: Reader, engine: Engine, session: Session, wanted: Wanted, usual: Action | None) -> Done:
    """The outcome of the library action, all versions looked at; DiagnosticError where something is wrong. `usual` is
    the action where it is that of a whole build: edits begin with what it gave."""
    build = _Build(reader, engine, session, wanted)
    compiled = build.compile(build.load())
    of_versions = len(build.findings)
    session.reporter.step("packaging")
    made = build.make(compiled)
    compared = build.compare(made)
    packaged = build.package(made, compared)
    told = _told(compiled, compared, packaged)
    rows = build.rows(compiled)
    outputs = packaged.outputs | {FACTS: reader.put(canonical_json(told))}
    outputs |= {name: reader.put(data) for name, data in table_parts(rows).items()}
    done = Done(outputs, tuple(build.findings), tuple(packaged.unkept))
    says_more = len(build.findings) > of_versions or any(item.code == IGNORE for item in build.findings)
    others = compiled.packages.others
    if usual is not None and rows and not (says_more or others.libraries or others.diagnostics):
        comments = {path: text for path, text in compiled.texts.items() if find_ignores(path, text)}
        whole = WholeBuild(done, told, packaged.actions, packaged.files, made, rows, comments)
        note_versions(session, usual, reader, whole)
    return done


@dataclass(frozen=True, slots=True)
class _Build:
    """The stages of a build, each on what those before it gave. `findings` are all so far: where one of a stage's own
    is an error, it ends with a DiagnosticError that carries them."""

    reader: Reader
    engine: Engine
    session: Session
    wanted: Wanted
    findings: list[Diagnostic] = field(default_factory=list)

    def load(self) -> LoadedPackages:
        """What is wrong with specs is told with what is wrong with their code."""
        self.session.reporter.step("reading specs/")
        self.engine.prepare("library", (self.reader.read(SPECS) or b"").count(b"/spec.yaml"))
        packages = load_packages(self.reader, self.session, self.wanted)
        if has_errors(packages.others.diagnostics):
            raise DiagnosticError(packages.diagnostics)
        return packages

    def compile(self, packages: LoadedPackages) -> _Compiled:
        """All versions, or those that are chosen, with what they call."""
        loaded, chosen, count = packages.loaded, self.wanted.chosen, self.session.count
        count.expected = len(loaded.versions) + len(loaded.packages) + 1
        number = len(loaded.versions) if chosen is None else len(chosen.identities)
        self.session.reporter.step(f"compiling {counted(number, 'version')}")
        only = None if chosen is None else chosen.identities
        results = compile_versions(self.engine, loaded, self.session.environment, packages.others, only)
        if chosen is not None:
            packages = packages.part(results, chosen)
        for result in results.values():
            self._depend(result)
        sources = packages.loaded.sources
        texts = {path: data.decode("utf-8", "replace") for path, data in sources.items() if b"opwright:" in data}
        self._tell(settle_ignores([*packages.diagnostics, *findings_of(results.values())], texts))
        return _Compiled(packages, results, texts)

    def make(self, compiled: _Compiled) -> MadeVersions:
        """The versions with those instances that vectors need of templates."""
        packages, results = compiled.packages, compiled.results
        instances, found = make_instances(self.reader, self.engine, packages, results, self.session.environment)
        self._tell(found)
        return MadeVersions(self.engine, packages, results, instances)

    def compare(self, made: MadeVersions) -> Mapping[str, Comparison]:
        """Each package beside its lock, by name; nothing where the library is not held against what was released."""
        if not self.wanted.is_compared:
            return {}
        loaded, names = made.packages.loaded, names_below_specs(self.reader)
        found = ownerless_locks(loaded, self._read, domains_with_locks(names))
        compared: dict[str, Comparison] = {}
        for package in loaded.packages:
            compared[package.name] = compare_with_lock(loaded, package, made.entries_of, self._read, names)
            found += compared[package.name].findings
        self._tell(found)
        return compared

    def package(self, made: MadeVersions, compared: Mapping[str, Comparison]) -> _Packaged:
        """The files of each package, after those of the packages that it depends on."""
        packaged = _Packaged()
        for package in made.packages.loaded.packages:
            closure = made.closure_of(package, packaged.facts)
            texts, wrong = read_texts(package, self._read)
            self._tell(wrong)
            is_asked = package.name in made.packages.asked
            state = compared.get(package.name, Comparison((), ()))
            if self.wanted.release and is_asked:  # what is to be a release comes after none
                state = replace(state, last="")
            action = _packaging(made, package, closure, self.session.environment, state, texts)
            packaged.actions[package.name] = action
            (result,) = self.engine.run([replace(action, label=part_label(action.label, self.wanted.chosen))])
            if isinstance(result.outcome, Done | Failed):
                self.findings.extend(result.outcome.diagnostics)
            if not isinstance(result.outcome, Done):
                raise DiagnosticError(self.findings)
            packaged.facts[package.name] = json.loads(self.engine.fetch(result, FACTS))
            if is_asked:
                outputs = result.outcome.outputs
                packaged.files[package.name] = {path: digest for path, digest in outputs.items() if path != FACTS}
                packaged.unkept += result.outcome.unkept
        return packaged

    def rows(self, compiled: _Compiled) -> list[bytes]:
        """What became of the opsets of each version of the packages that are asked for."""
        loaded, asked = compiled.packages.loaded, compiled.packages.asked
        domains = {domain for name in asked for domain in loaded.library.package(name).domains}
        owned = [version.identity for version in loaded.versions if version.domain.name in domains]
        return [rows_now(self.engine, self.session.sources, compiled.results[identity]) for identity in owned]

    def _tell(self, found: Iterable[Diagnostic]) -> None:
        self.findings.extend(found)
        if has_errors(self.findings):
            raise DiagnosticError(self.findings)

    def _read(self, path: str) -> bytes | None:
        return self.reader.read(f"{FILE}:{path}")

    def _depend(self, result: Result) -> None:
        """Takes over what compiling a version read. Of a file that is read for its code alone all of it counts here:
        the parts of a library are looked up one by one when one of their files has changed."""
        for read in result.reads:
            kind, _, name = read.name.partition(":")
            if kind == CODE:
                self.reader.depend_on(f"{FILE}:{name}")
            elif kind != LIBRARY:
                self.reader.depends([read])


def _told(compiled: _Compiled, compared: Mapping[str, Comparison], packaged: _Packaged) -> dict[str, Any]:
    """What commands say of the library."""
    packages = compiled.packages
    return {
        "several": len(packages.loaded.library.packages) > 1,
        "packages": [packaged.facts[name] for name in packages.asked],
        "differing": [identity for name in packages.asked if compared for identity in compared[name].differing],
        "templates": [identity for identity, result in compiled.results.items() if has_templates(result)],
        "actions": len(compiled.results) + len(packages.loaded.packages) + 1,
    }


def _packaging(
    made: MadeVersions,
    package: Package,
    closure: Closure,
    environment: str,
    state: Comparison,
    texts: Mapping[str, bytes],
) -> Action:
    """The action that makes a package's files. Places do not reach it: moving a line changes no file."""
    engine, loaded = made.engine, made.packages.loaded
    domains = tuple(replace(domain, places={}) for domain in loaded.domains if domain.name in package.domains)
    inputs = {
        "package": engine.put(encode_value(replace(package, places={}, dependencies={}))),
        "domains": engine.put(encode_value(domains)),
        "dependencies": engine.put(encode_value(closure.dependencies)),
        "closure": engine.put(encode_value(closure.bodies)),
    }
    if state.last:
        released: dict[str, Json] = {"last": state.last, "library": state.library}
        inputs[RELEASED] = engine.put(canonical_json(released))
    if texts:
        inputs[TEXTS] = engine.put(encode_value(texts))
    for version in loaded.versions:
        if version.domain.name not in package.domains:
            continue
        identity = version.identity
        inputs[f"{VERSION}{identity}"] = engine.put(encode_packaged(partial(made.part, identity)))
    return Action("package", package_label(loaded.library, package), inputs, {}, environment)
