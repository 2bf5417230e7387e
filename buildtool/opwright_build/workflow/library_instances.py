"""The instances of a library's templates that its vectors need, made once everything is compiled."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from opwright.bundle.format import Bundle, DomainEntry, FunctionEntry, Index
from opwright.bundle.function_lookup import Functions, Name
from opwright.diagnostics.diagnostic import Diagnostic, Place

from opwright_build.dependencies.resolution import Resolved
from opwright_build.engine.action import Action, Read
from opwright_build.engine.content_digest import canonical_json, digest_bytes
from opwright_build.engine.dataclass_bytes import decode_value, encode_value
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.reader import Reader
from opwright_build.engine.run import Engine
from opwright_build.spec.model import LoadedLibrary, SpecVersion, VectorKind
from opwright_build.workflow.compiling import FAILED, LIBRARY, Questions, has_templates, questions_about
from opwright_build.workflow.version_parts import BODIES, ENTRY, TEMPLATES, decode_blobs, encode_blobs


def make_instances(
    reader: Reader,
    engine: Engine,
    loaded: LoadedLibrary,
    compiled: Mapping[str, Result],
    environment: str,
    others: Resolved,
) -> tuple[dict[tuple[str, str], bytes], list[Diagnostic]]:
    """What replaces the outputs of compiling, by identity and output, for the versions that are templates; and what is
    wrong with their vectors. `others` are the libraries that may be called.

    The vectors' values are looked at, and no Python of a spec is run. Nothing where no version is a template. Each is
    an action of its own, kept where nothing was wrong: it rests on the template, on its vectors, and on those other
    functions that were looked up.
    """
    templates = [version for version in loaded.versions if has_templates(compiled[version.identity])]
    if not templates:
        return {}, []
    questions = questions_about(engine, loaded, others)
    over = engine.over(LIBRARY, lambda question: questions.answer(question, compiled))
    facts = engine.put(encode_value(_index(loaded, ())))
    called = [library.bundle for library in others.libraries.values()]
    others_now = engine.put(canonical_json([bundle.digest for bundle in called]))
    made: dict[tuple[str, str], bytes] = {}
    found: list[Diagnostic] = []
    missing: dict[str, Action] = {}
    for version in templates:
        identity = version.identity
        relative = replace(version, folder=version.folder.relative_to(loaded.library.root), places={})
        inputs = {"version": engine.put(encode_value(relative)), "library": facts, "others": others_now}
        for part in (ENTRY, BODIES, TEMPLATES):
            inputs[part] = engine.put(engine.fetch(compiled[identity], part))
        action = Action("instances", f"instances {identity}", inputs, {}, environment)
        for name in _vector_files(version, loaded.library.root):
            reader.read(name)
        known = over.look_up(action, WHOLE)
        if known is None:
            missing[identity] = action
        else:
            made |= {(identity, part): data for part, data in decode_blobs(known).items()}
    if missing:
        from opwright.link.catalogue import merge_libraries

        from opwright_build.verify.cases.collect import collect_cases
        from opwright_build.verify.cases.vector_instances import with_instances
        from opwright_build.workflow.write_parts import version_parts

        root = loaded.library.root
        interfaces = {identity: _entry(engine, compiled[identity]) for identity in missing}
        collected = collect_cases(loaded.versions, interfaces, root, run_oracle=False, only=set(missing))
        for version in templates:
            identity = version.identity
            if identity not in missing:
                continue
            asked = _Asked(questions, compiled, loaded)
            texts = decode_blobs(engine.fetch(compiled[identity], TEMPLATES))
            catalogue = merge_libraries([Bundle(_index(loaded, asked), {}, "", templates=texts), *called])
            place = _place(reader, version, root)
            whole, made_bodies, findings = with_instances(interfaces[identity], catalogue, collected.cases, place)
            found += findings
            before = decode_blobs(engine.fetch(compiled[identity], BODIES))
            parts = version_parts(whole, {**before, **made_bodies}, texts)
            if not findings:
                files = {name: reader.read(name) for name in _vector_files(version, root)}
                reads = [Read(name, None if data is None else digest_bytes(data)) for name, data in files.items()]
                over.keep(missing[identity], WHOLE, encode_blobs(parts), [*reads, *asked.reads()])
            made |= {(identity, part): data for part, data in parts.items()}
    return made, found


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


def _entry(engine: Engine, result: Result) -> FunctionEntry:
    return decode_value(FunctionEntry, engine.fetch(result, ENTRY))


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
