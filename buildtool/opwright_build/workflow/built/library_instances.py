"""The instances of a library's templates that its vectors need, made once everything is compiled."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from opwright.bundle.format import Bundle, DomainEntry, FunctionEntry, Index
from opwright.bundle.function_lookup import Functions, Name
from opwright.diagnostics.diagnostic import Diagnostic, Place

from opwright_build.engine.action import Action, Read
from opwright_build.engine.content_digest import canonical_json, digest_bytes
from opwright_build.engine.dataclass_bytes import decode_value, encode_value
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.reader import Reader
from opwright_build.engine.run import Engine
from opwright_build.spec.model import LoadedLibrary, SpecVersion, VectorKind
from opwright_build.workflow.built.loaded_packages import LoadedPackages
from opwright_build.workflow.compiled.compiling import FAILED, LIBRARY, Questions, has_templates, questions_about
from opwright_build.workflow.compiled.version_parts import BODIES, ENTRY, TEMPLATES, decode_blobs, encode_blobs


def make_instances(
    reader: Reader, engine: Engine, packages: LoadedPackages, compiled: Mapping[str, Result], environment: str
) -> tuple[dict[tuple[str, str], bytes], list[Diagnostic]]:
    """What replaces the outputs of compiling, by identity and output, for the versions that are templates; and what is
    wrong with their vectors, which includes those that cannot be read.

    The vectors' values are looked at, and no Python of a spec is run. Nothing where no version is a template. Each is
    an action of its own, kept where nothing was wrong: it rests on the template, on its vectors, and on those other
    functions that were looked up.
    """
    templates = [version for version in packages.loaded.versions if has_templates(compiled[version.identity])]
    if not templates:
        return {}, []
    making = _Making(reader, engine, packages, compiled, environment)
    made: dict[tuple[str, str], bytes] = {}
    missing: dict[str, Action] = {}
    for version, action in making.actions(templates):
        known = making.known(version, action)
        if known is None:
            missing[version.identity] = action
        else:
            made |= {(version.identity, part): data for part, data in known.items()}
    found: list[Diagnostic] = []
    for identity, parts, findings in making.make(missing):
        made |= {(identity, part): data for part, data in parts.items()}
        found += findings
    return made, found


@dataclass(frozen=True)
class _Making:
    """Where instances are looked up and made."""

    reader: Reader
    engine: Engine
    packages: LoadedPackages
    compiled: Mapping[str, Result]
    environment: str

    @cached_property
    def _questions(self) -> Questions:
        return questions_about(self.engine, self.packages.loaded, self.packages.others)

    @cached_property
    def _over(self) -> Engine:
        """The engine that knows what templates ask of the library."""
        return self.engine.over(LIBRARY, lambda question: self._questions.answer(question, self.compiled))

    @property
    def _called(self) -> list[Bundle]:
        """The libraries of others."""
        return [library.bundle for library in self.packages.others.libraries.values()]

    def actions(self, templates: Iterable[SpecVersion]) -> Iterator[tuple[SpecVersion, Action]]:
        """The action of each of these versions."""
        loaded = self.packages.loaded
        facts = self.engine.put(encode_value(_index(loaded, ())))
        others_now = self.engine.put(canonical_json([bundle.digest for bundle in self._called]))
        for version in templates:
            relative = replace(version, folder=version.folder.relative_to(loaded.library.root), places={})
            inputs = {"version": self.engine.put(encode_value(relative)), "library": facts, "others": others_now}
            for part in (ENTRY, BODIES, TEMPLATES):
                inputs[part] = self.engine.put(self._compiled_part(version.identity, part))
            yield version, Action("instances", f"instances {version.identity}", inputs, {}, self.environment)

    def known(self, version: SpecVersion, action: Action) -> Mapping[str, bytes] | None:
        """The parts of a version with its instances, where they are known; the build rests on its vectors anyway."""
        for name in _vector_files(version, self.packages.loaded.library.root):
            self.reader.read(name)
        data = self._over.look_up(action, WHOLE)
        return None if data is None else decode_blobs(data)

    def make(self, missing: Mapping[str, Action]) -> Iterator[tuple[str, Mapping[str, bytes], Sequence[Diagnostic]]]:
        """The parts of each of these versions with its instances, and what is wrong with its vectors."""
        if not missing:
            return
        from opwright.link.catalogue import merge_libraries

        from opwright_build.verify.cases.collect import collect_cases
        from opwright_build.verify.cases.vector_instances import with_instances
        from opwright_build.workflow.compiled.write_parts import version_parts

        loaded, root = self.packages.loaded, self.packages.loaded.library.root
        interfaces = {
            identity: decode_value(FunctionEntry, self._compiled_part(identity, ENTRY)) for identity in missing
        }
        collected = collect_cases(loaded.versions, interfaces, root, run_oracle=False, only=set(missing))
        unusable = {item.identity: item.unusable for item in collected.versions}
        for version in loaded.versions:
            identity = version.identity
            if identity not in missing:
                continue
            asked = _Asked(self._questions, self.compiled, loaded)
            texts = decode_blobs(self._compiled_part(identity, TEMPLATES))
            catalogue = merge_libraries([Bundle(_index(loaded, asked), {}, "", templates=texts), *self._called])
            place = _place(self.reader, version, root)
            whole, bodies, unmade = with_instances(interfaces[identity], catalogue, collected.cases, place)
            # Without the first ones, a vector that cannot be used would lack its instances in silence.
            findings = [*unusable[identity], *unmade]
            before = decode_blobs(self._compiled_part(identity, BODIES))
            parts = version_parts(whole, {**before, **bodies}, texts)
            if not findings:
                files = {name: self.reader.read(name) for name in _vector_files(version, root)}
                reads = [Read(name, None if data is None else digest_bytes(data)) for name, data in files.items()]
                self._over.keep(missing[identity], WHOLE, encode_blobs(parts), [*reads, *asked.reads()])
            yield identity, parts, findings

    def _compiled_part(self, identity: str, name: str) -> bytes:
        return self.engine.fetch(self.compiled[identity], name)


VECTORS_LOCK = "file:specs/vectors.lock"
WHOLE = "whole"  # output of an action `instances`: the parts of the version with its instances


def _vector_files(version: SpecVersion, root: Path) -> list[str]:
    """The sources that decide which cases a version has, apart from its spec."""
    folder = version.folder.relative_to(root).as_posix()
    found: list[str] = []
    for source in version.vectors:
        path = f"{folder}/{source.path}".rstrip("/")
        if source.kind in (VectorKind.ROWS, VectorKind.ARRAYS):
            found.append(f"file:{path}")
        elif source.kind is VectorKind.BACKEND:
            parts = sorted(part.relative_to(root).as_posix() for part in (root / path).glob("test_data_set_*/*.pb"))
            found += [f"list:{path}", f"file:{path}/model.onnx", *(f"file:{part}" for part in parts)]
    return [*found, VECTORS_LOCK]


class _Asked(Functions):
    """The compiled functions as a template asks for them; each answer is something that its instances rest on."""

    __slots__ = ("_answers", "_compiled", "_loaded", "_questions")

    def __init__(self, questions: Questions, compiled: Mapping[str, Result], loaded: LoadedLibrary) -> None:
        self._questions = questions
        self._compiled = compiled
        self._loaded = loaded
        self._answers: dict[str, bytes | None] = {}

    def names(self) -> list[Name]:
        for domain in self._loaded.domains:
            self._ask(f"names/{domain.name}")
        return list(dict.fromkeys((version.domain.name, version.name) for version in self._loaded.versions))

    def versions(self, domain: str, name: str) -> tuple[int, ...]:
        data = self._ask(f"versions/{domain}/{name}")
        return () if data is None or data == FAILED else tuple(sorted(json.loads(data)))

    def find(self, domain: str, name: str, since_version: int) -> FunctionEntry | None:
        data = self._ask(f"entry/{domain}::{name}@{since_version}")
        return None if data is None or data == FAILED else decode_value(FunctionEntry, data)

    def __len__(self) -> int:
        self.names()
        return len(self._loaded.versions)

    def reads(self) -> list[Read]:
        return [
            Read(f"{LIBRARY}:{question}", None if data is None else digest_bytes(data))
            for question, data in self._answers.items()
        ]

    def _ask(self, question: str) -> bytes | None:
        if question not in self._answers:
            self._answers[question] = self._questions.answer(question, self._compiled)
        return self._answers[question]


def _place(reader: Reader, version: SpecVersion, root: Path) -> Place:
    """Where the function is defined."""
    file = f"{version.folder.relative_to(root).as_posix()}/{version.function_file}"
    head = f"def {version.function_name}("
    lines = (reader.read(f"file:{file}") or b"").decode("utf-8", "replace").split("\n")
    number = next((number for number, line in enumerate(lines, 1) if line.startswith(head)), 0)
    return Place(file, number, 1, number, len(head)) if number else Place(file)


def _index(loaded: LoadedLibrary, entries: Sequence[FunctionEntry]) -> Index:
    """As much of the index as the linker looks at, of all packages as one."""
    packages = loaded.library.packages
    domains = tuple(DomainEntry(item.name, item.version, item.emitted) for item in loaded.domains)
    opsets = (min(item.opsets.first for item in packages), max(item.opsets.last for item in packages))
    first = packages[0]
    return Index(first.name, first.version, first.package, "", "", opsets, "", domains, entries)
