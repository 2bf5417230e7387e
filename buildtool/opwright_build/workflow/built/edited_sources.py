"""The library action where nothing but Python files and specs of some versions has changed since the last build.

What it gives is what the whole library gives: the versions that read those files are made anew, and so are those that
call them, as far as their answers change; the others are not looked at. Where anything else has changed, or something
comes out that the last build had not (errors, other versions, other calls), nothing is given: then the whole library is
looked through.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from opwright.bundle.format import FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic
from opwright.diagnostics.findings_json import from_json
from opwright.diagnostics.ignores import settle_ignores

from opwright_build.engine.action import Action, Done, Outcome, PackedReads, Read, Unsupported
from opwright_build.engine.content_digest import canonical_json, digest_bytes
from opwright_build.engine.dataclass_bytes import decode_value
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.reader import Reader
from opwright_build.engine.run import Engine
from opwright_build.engine.sources import FILE, REFUSED, NotYetError, as_file
from opwright_build.report.tables import counted
from opwright_build.spec.model import Library
from opwright_build.workflow.built.noted_packages import EditedVersion, NotedPackage, PackageNow
from opwright_build.workflow.built.noted_versions import found_of, line_of
from opwright_build.workflow.built.packaged_again import (
    PackagedBefore,
    package_edited,
    shared_now,
)
from opwright_build.workflow.built.version_table import (
    VERSION_TABLE,
    VersionLine,
    VersionTable,
    encode_declared,
    load_version_table,
    rows_of,
)
from opwright_build.workflow.compiled.compiling import IGNORE, LIBRARY, Questions, has_templates, version_input
from opwright_build.workflow.compiled.placed_rows import rows_now
from opwright_build.workflow.compiled.version_parts import (
    ENTRY,
    FACTS,
    INTERFACE,
    PACKAGED,
    PART,
    RELEASED,
    VERSION,
    encode_packaged,
    join_rows,
    table_part,
)
from opwright_build.workflow.opened.session import WORK, Session, folder_seal

_MOST = 100  # versions to make anew: with more, looking at all of them is no detour
_SPEC = re.compile(rf"{FILE}:specs/[^/]+/[^/]+/spec\.yaml")
_STUBS = "library/"


class _AnythingElseError(Exception):
    """The whole library is to be looked through."""


def build_edited(session: Session, engine: Engine, reader: Reader, action: Action) -> Done | None:
    """The outcome of the library action, where this way leads to it. `reader` is told what it rests on."""
    table = load_version_table(session.root / WORK, folder_seal(session.user))
    if table is None or table.facts["action"] != action.key:
        return None
    try:
        edit = _Edit(session, engine, table, action)
        touched = edit.touched()
        return edit.outcome(reader, edit.results(touched))
    except _AnythingElseError:
        return None


@dataclass(frozen=True)
class _Edit:
    """The way from the table of the last build to what is now."""

    session: Session
    engine: Engine
    table: VersionTable
    action: Action

    def touched(self) -> list[int]:
        """The versions that read a file which has changed, or declare something else now."""
        changed = self._changed
        if not changed:  # what is asked for is lost
            raise _AnythingElseError
        found: dict[int, None] = {}
        specs: list[str] = []
        for name in changed:
            if name.endswith(".py"):
                maybe = self.table.may_read(name.removeprefix(f"{FILE}:"))
                readers = [number for number in maybe if name in _names(self._line(number).reads)]
                if not readers:
                    raise _AnythingElseError
                found.update(dict.fromkeys(readers))
            else:
                specs.append(name)
        if specs:
            found.update(dict.fromkeys(self._declare_anew(specs)))
        return list(found)

    @cached_property
    def _before(self) -> tuple[PackedReads, Mapping[str, str | None]]:
        """What the last build read, and what of it is something else now."""
        found = self.engine.changed(self.action, self.table.facts["trace"])
        if found is None:
            raise _AnythingElseError
        return found

    @cached_property
    def _changed(self) -> dict[str, str]:
        """The files that are not as they were, with their digests."""
        found: dict[str, str] = {}
        reads, changed = self._before
        for name, now in changed.items():
            is_file = name.startswith(f"{FILE}:") and (name.endswith(".py") or _SPEC.fullmatch(name))
            if name.removeprefix(f"{FILE}:") in self.table.facts["comments"]:
                raise _AnythingElseError
            if now is None or now == REFUSED or not is_file or reads.may_have(Read(name, None)):
                raise _AnythingElseError
            found[name] = now
        return found

    def _declare_anew(self, specs: Collection[str]) -> list[int]:
        """Takes over what these files declare; gives the versions to which that is something else."""
        if self.table.facts["found"][""]:
            raise _AnythingElseError
        from opwright_build.workflow.built.edited_specs import versions_now

        root = self.session.root
        domains = sorted(domain for package in self._packages.values() for domain in package.declared.domains)
        folders: dict[str, list[str]] = {domain: [] for domain in domains}
        for name in specs:
            _, domain, function, _ = name.split("/")
            folders.setdefault(domain, []).append(function)
        functions = {f"{domain}::{function}" for domain, names in folders.items() for function in names}
        before = {identity for identity in self.table.identities if identity.rpartition("@")[0] in functions}
        versions = versions_now(root, folders, self.session.sources)
        if versions is None or before != {version.identity for version in versions}:
            raise _AnythingElseError
        found: list[int] = []
        for version in versions:
            number = self._numbers[version.identity]
            line = self._line(number)
            given = version_input(version, root)
            if given != line.version:
                found.append(number)
            self._lines[number] = replace(line, version=given, declaration=encode_declared(version))
            self._declared.append(number)
        return found

    def results(self, touched: Collection[int]) -> dict[int, Result]:
        """What compiling gives for the versions that are touched, and for those that rest on them: of these none is
        looked at where a single version is touched and its callers are told what they were told before."""
        alone = len(touched) == 1
        results = self._compile(touched if alone else self._closure(touched), {})
        if alone and any(
            self._outputs(number, item)[ENTRY] != self._line(number).outputs[ENTRY] for number, item in results.items()
        ):
            callers = self._closure(touched) - results.keys()
            results |= self._compile(callers, results) if callers else {}
        for number, result in results.items():
            self._outputs(number, result)
        return results

    def _closure(self, numbers: Collection[int]) -> set[int]:
        """The versions, and all that call them."""
        found, pending = set(numbers), list(numbers)
        while pending:
            callers = set(self.table.callers(pending.pop())) - found
            found |= callers
            pending += callers
            if len(found) > _MOST:
                raise _AnythingElseError
        return found

    def _outputs(self, number: int, result: Result) -> Mapping[str, str]:
        """The outputs of a version that has come out well, and that asks what it asked before."""
        before, outcome = self._line(number), result.outcome
        if (
            not isinstance(outcome, Done)
            or has_templates(result)
            or any(item.code == IGNORE for item in outcome.diagnostics)
        ):
            raise _AnythingElseError
        if _names(result.reads) != _names(before.reads):
            raise _AnythingElseError  # another question may close a circle of calls
        return outcome.outputs

    def _compile(self, numbers: Collection[int], known: Mapping[int, Result]) -> dict[int, Result]:
        """The results of these versions; `known` are those of others that are touched."""
        order = sorted(numbers)
        self.session.count.expected = len(order) + len(known) + len(self._packages) + 1
        self.session.reporter.step(f"compiling {counted(len(order), 'version')}")
        told = {self.table.identities[number]: result for number, result in known.items()}
        actions: dict[str, Action] = {}
        files: dict[str, list[str]] = {}
        for number in order:
            line = self._line(number)
            library = self._owner(number).facts["library"].encode("ascii")
            inputs = {"version": self.engine.put(line.version), "library": self.engine.put(library)}
            actions[line.identity] = Action("compile", f"compile {line.identity}", inputs, {}, self.session.environment)
            files[line.identity] = [name for name in _names(line.reads) if name.startswith(f"{FILE}:")]

        def lookup(question: str, results: Mapping[str, Result]) -> bytes | None:
            asked, _, identity = question.partition("/")
            if asked != "entry" or identity in results:
                return self._questions.answer(question, results)
            if identity in told:
                return self._questions.answer(question, told)
            if identity in actions:
                raise NotYetError(identity)
            return self._entry(identity)

        results = self.engine.run_mutual(actions, LIBRARY, lookup, _circle, None, files.__getitem__)
        return {number: results[self.table.identities[number]] for number in order}

    @cached_property
    def _questions(self) -> Questions:
        packages = self._packages.values()
        domains = [domain for package in packages for domain in package.domains]
        library = Library(self.session.root, tuple(package.declared for package in packages), {})
        return Questions(self.engine, library, domains, self.table.identities)

    @cached_property
    def _packages(self) -> dict[str, NotedPackage]:
        """The packages, by name, those that one depends on first."""
        return {facts["name"]: NotedPackage(facts) for facts in self.table.facts["packages"]}

    def _owner(self, number: int) -> NotedPackage:
        """The package that has the version at a position."""
        return self._packages[self.table.facts["owners"][number]]

    @cached_property
    def _lines(self) -> dict[int, VersionLine]:
        return {}

    @cached_property
    def _declared(self) -> list[int]:
        """The versions whose files declare something else now, in whatever regard."""
        return []

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {identity: number for number, identity in enumerate(self.table.identities)}

    def _line(self, number: int) -> VersionLine:
        """A version as it was compiled before, and as it is declared now."""
        if number not in self._lines:
            self._lines[number] = VersionLine.decode(self._text(number))
        return self._lines[number]

    def _text(self, number: int) -> bytes:
        line = self.table.line(number)
        if line is None:
            raise _AnythingElseError
        return line

    def _interface(self, line: VersionLine) -> bytes:
        """What a version declared before it was edited."""
        data = self.session.store.get_output(line.key, line.outputs[INTERFACE])
        if data is None:
            raise _AnythingElseError
        return data

    def _entry(self, identity: str) -> bytes | None:
        """What a version that is not touched tells those that call it."""
        if identity not in self._numbers:
            return None
        line = self._line(self._numbers[identity])
        data = self.session.store.get_output(line.key, line.outputs[ENTRY])
        if data is None:
            raise _AnythingElseError
        return data

    def outcome(self, reader: Reader, results: Mapping[int, Result]) -> Done:
        """What the library gives with these results."""
        facts, packaged = self.table.facts, list(self.table.packaged)
        lines = {number: self._line(number).encode() for number in self._declared}
        digests: dict[str, str | None] = dict(self._changed)
        edited: dict[str, list[EditedVersion]] = {name: [] for name in self._packages}
        for number, result in results.items():
            before, part = self._line(number), partial(self.engine.fetch, result)
            rows = rows_now(self.engine, self.session.sources, result)
            line = line_of(before.identity, result, before.version, part, rows, before.declaration)
            lines[number] = line.encode()
            packaged[number] = self.engine.put(encode_packaged(part))
            if packaged[number] != self.table.packaged[number]:
                self._expect_alone(number, line, part)
                parts = {name: part(name) for name in PACKAGED}
                interface = self._interface(before) if line.outputs[INTERFACE] != before.outputs[INTERFACE] else None
                edited[facts["owners"][number]].append(
                    EditedVersion(line.identity, before.figures, before.bodies, interface, parts)
                )
            files = [name for name in _names(result.reads) if name.startswith(f"{FILE}:")]
            digests |= {name: self.session.sources.digest(name) for name in files}
        differing = self._differing(results)
        found = {
            number: items for number, items in facts["found"].items() if number == "" or int(number) not in results
        }
        found |= found_of(results.items())
        diagnostics = self._settled(found)
        self.session.reporter.step("packaging")
        made: dict[str, PackageNow] = {}
        bundles: dict[str, str] = {}  # of those that are others now
        for name, items in edited.items():
            made[name] = self._package(name, packaged, items, bundles)
            if made[name].told["bundle"] != self._told_before(name)["bundle"]:
                bundles[name] = made[name].told["bundle"]
        told = {**facts["told"], "differing": differing}
        told["packages"] = [made[item["library"]].told for item in facts["told"]["packages"]]
        table_rows = self._parts(reader, lines)
        reads = self._before[0].with_digests(digests)
        now = {**facts, "trace": reads.digest, "told": told, "found": found, "rows": table_rows}
        now["packages"] = [{**item, **made[item["name"]].noted()} for item in facts["packages"]]
        reader.depends(reads)
        outputs = {path: digest for item in made.values() for path, digest in item.outputs.items()}
        outputs |= {FACTS: reader.put(canonical_json(told)), **table_rows}
        with contextlib.suppress(OSError):
            table = self.table.with_lines(now, packaged, lines)
            table.save(self.session.state(VERSION_TABLE))
        return Done(outputs, diagnostics, tuple(path for item in made.values() for path in item.unkept))

    def _expect_alone(self, number: int, line: VersionLine, part: partial[bytes]) -> None:
        """That a version, of which something else is packaged now, is in no other package, and that its own package
        carries what it carried."""
        package, before = self._owner(number), self._line(number)
        if package.is_released(self.table.facts["told"]["differing"]):
            raise _AnythingElseError
        if any(other.carries(before.identity) for other in self._packages.values() if other is not package):
            raise _AnythingElseError
        if number in self.table.facts["asked"] and line.outputs[ENTRY] != before.outputs[ENTRY]:
            raise _AnythingElseError  # instances of templates may be others
        if not package.carried:
            return
        told = self._entry(before.identity)
        if told is None or package.calls_of(told) != package.calls_of(part(ENTRY)):
            raise _AnythingElseError
        if not package.carried.isdisjoint({*before.bodies, *line.bodies}):
            raise _AnythingElseError

    def _settled(self, found: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
        """The findings of all versions, less those that comments silence."""
        order = sorted(found, key=lambda number: int(number or -1))
        settled = settle_ignores(
            [from_json(item) for number in order for item in found[number]], self.table.facts["comments"]
        )
        if any(item.code == IGNORE for item in settled):
            raise _AnythingElseError
        return tuple(settled)

    def _differing(self, results: Mapping[int, Result]) -> list[str]:
        """The versions whose bodies are not those released, where their packages were released."""
        told = self.table.facts["told"]
        found: list[str] = []
        for package in (self._packages[item["library"]] for item in told["packages"]):
            own = package.of_own(told["differing"])
            entries = [
                decode_value(FunctionEntry, self.engine.fetch(result, ENTRY))
                for number, result in results.items()
                if self._owner(number) is package
                and self._outputs(number, result)[ENTRY] != self._line(number).outputs[ENTRY]
            ]
            if entries and RELEASED in package.facts["inputs"]:
                from opwright_build.workflow.built.lock_comparison import differing_now

                now = differing_now(own, entries, self._as_read, package.declared.domains)
                if now is None:
                    raise _AnythingElseError
                own = now
            found += own
        return found

    def _as_read(self, path: str) -> bytes | None:
        """A file of the library, which is what the last build read of it."""
        data = self.session.tree.read(path)
        if self.session.sources.digest(f"{FILE}:{path}") != (None if data is None else digest_bytes(data)):
            raise _AnythingElseError
        return data

    def _parts(self, reader: Reader, lines: Mapping[int, bytes]) -> dict[str, str]:
        """The parts of the table of all versions, of which these have other lines than before."""
        found: dict[str, str] = dict(self.table.facts["rows"])
        touched = {table_part(number) for number in lines}
        for start in range(0, len(self.table.identities), PART):
            name = table_part(start)
            if name in touched or not self.session.store.has(found[name]):
                numbers = range(start, min(start + PART, len(self.table.identities)))
                of_part = [lines[number] if number in lines else self._text(number) for number in numbers]
                found[name] = reader.put(join_rows([rows_of(line) for line in of_part]))
        return found

    def _package(
        self, name: str, packaged: Sequence[str], edited: Sequence[EditedVersion], bundles: Mapping[str, str]
    ) -> PackageNow:
        """What packaging gives, made of what lies in dist/. `packaged` are the digests of what it takes of versions,
        `bundles` those of the packages that are others now."""
        package = self._packages[name]
        texts = package.inputs_now(bundles)
        is_moved = texts != package.facts["inputs"]
        if is_moved and package.is_released(self.table.facts["told"]["differing"]):
            raise _AnythingElseError  # it gets another version
        inputs = {item: self.engine.put(text.encode("ascii")) for item, text in texts.items()}
        for identity, digest, owner in zip(self.table.identities, packaged, self.table.facts["owners"], strict=True):
            if owner == name:
                inputs[f"{VERSION}{identity}"] = digest
        action = Action("package", package.facts["label"], inputs, {}, self.session.environment)
        if edited or is_moved:
            before = self._packaged_before(name)
            result = self.engine.run_given(action, lambda reader, engine: package_edited(reader, before, edited))
            return PackageNow(self.engine, result, texts, shared_now(before, edited))
        if self.engine.known(action) is not None:
            (result,) = self.engine.run([action])
            if isinstance(result.outcome, Done):
                archives = {path: result.outcome.outputs[path] for path in result.outcome.unkept}
                if not self.session.publisher.differing(archives):
                    return PackageNow(self.engine, result, texts, package.facts["shared"])
        raise _AnythingElseError  # archives are to be joined of parts that are not at hand here

    def _told_before(self, name: str) -> Mapping[str, Any]:
        """The figures of a package as the last build made it."""
        found: Sequence[Mapping[str, Any]] = self.table.facts["told"]["packages"]
        return next(item for item in found if item["library"] == name)

    def _packaged_before(self, name: str) -> PackagedBefore:
        """The package as the last build wrote it."""
        facts = self._packages[name].facts
        told = self._told_before(name)
        files: dict[str, bytes] = {}
        for path, digest in facts["outputs"].items():
            if path == told["path"] or path.startswith(_STUBS):
                data = self.session.publisher.published(path, digest)
                if data is None:
                    raise _AnythingElseError
                files[path] = data
        bundle = files.pop(told["path"])
        stubs = {path.removeprefix(_STUBS): data for path, data in files.items()}
        return PackagedBefore(bundle, stubs, told, facts["shared"])


def _names(reads: Iterable[Read]) -> set[str]:
    """What was read, whatever counted of it."""
    return {as_file(read.name) for read in reads}


def _circle(circle: Sequence[str]) -> Outcome:
    return Unsupported(f"{circle[0]} calls itself")
