"""A whole library as one action: load, compile each version, package. What every command starts from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opwright.diagnostics.diagnostic import Diagnostic, has_errors
from opwright.diagnostics.ignores import settle_ignores

from opwright_build.engine.action import Action, Done, Failed, Outcome, Unsupported
from opwright_build.engine.content_digest import canonical_json
from opwright_build.engine.dataclass_bytes import encode_value
from opwright_build.engine.reader import Reader
from opwright_build.engine.run import Engine, Result
from opwright_build.report.tables import counted
from opwright_build.workflow.compiling import (
    BODIES,
    ENTRY,
    LIBRARY,
    TEMPLATES,
    compile_versions,
    findings_of,
    opset_rows,
)
from opwright_build.workflow.library_instances import make_instances
from opwright_build.workflow.session import MODULE, Session

if TYPE_CHECKING:
    from opwright.bundle.format import Bundle

    from opwright_build.spec.model import LoadedLibrary

SPECS = "list:specs"
TABLE = "table.json"  # output: what `opsets` shows
FACTS = "facts.json"  # output: figures, file sizes


@dataclass(frozen=True, slots=True)
class BuiltLibrary:
    """What a library action gave. `files` maps each path to write, relative to the root, to its digest."""

    result: Result
    diagnostics: tuple[Diagnostic, ...]
    good: bool
    files: Mapping[str, str]
    facts: Mapping[str, Any]


def build_library(session: Session) -> BuiltLibrary:
    """Everything the library yields, as far as it is not known already. Writes nothing but the cache."""
    action = Action("library", "library", {}, {}, session.environment)

    def function(reader: Reader, engine: Engine) -> Outcome:
        return _library_action(reader, engine, session)

    result = session.engine.run_composite(action, function)
    match result.outcome:
        case Done(outputs, diagnostics):
            files = {path: digest for path, digest in outputs.items() if path not in (TABLE, FACTS)}
            facts = json.loads(session.engine.fetch(result, FACTS))
            return BuiltLibrary(result, diagnostics, True, files, facts)
        case Failed(diagnostics):
            return BuiltLibrary(result, diagnostics, False, {}, {})
        case Unsupported(reason):
            raise AssertionError(f"a library is never unsupported: {reason}")


def read_built(session: Session, library: BuiltLibrary) -> Bundle:
    """The bundle of a library that was built well."""
    from opwright.bundle.read import read_bundle

    path = next(path for path in library.files if path.endswith(".onnxlib"))
    return read_bundle(session.engine.fetch(library.result, path), path)


def load(reader: Reader, root: Path) -> LoadedLibrary:
    """The library's YAML, loaded; what was read is recorded."""
    from opwright_build.spec.load import check_ceiling, load_library, newest_opset
    from opwright_build.spec.package_name import refuse_package

    reader.read(SPECS)
    loaded = load_library(root)
    for path in sorted(loaded.sources):
        reader.observed(f"file:{path}", loaded.sources[path])
    package = loaded.library.package
    refusals = [check_ceiling(loaded.library, newest_opset())]
    if reader.read(f"{MODULE}:{package}") is not None:
        why = "which is a module that is installed here and that no build has written"
        refusals.append(refuse_package(package, why, loaded.library.places["package"]))
    found = [refusal for refusal in refusals if refusal is not None]
    return replace(loaded, diagnostics=(*loaded.diagnostics, *found))


def _library_action(reader: Reader, engine: Engine, session: Session) -> Outcome:
    session.reporter.step("reading specs/")
    loaded = load(reader, session.root)
    session.count.expected = len(loaded.versions) + 2
    session.reporter.step(f"compiling {counted(len(loaded.versions), 'version')}")
    compiled = compile_versions(engine, loaded, session.environment)
    for result in compiled.values():
        reader.depends(read for read in result.reads if not read.name.startswith(f"{LIBRARY}:"))
    texts = {path: data.decode("utf-8", "replace") for path, data in loaded.sources.items() if b"opwright:" in data}
    diagnostics = settle_ignores([*loaded.diagnostics, *findings_of(compiled.values())], texts)
    if has_errors(diagnostics):
        return Failed(tuple(diagnostics))
    session.reporter.step("packaging")
    instances, found = make_instances(reader, engine, loaded, compiled)
    diagnostics += found
    if has_errors(found):
        return Failed(tuple(diagnostics))
    (packaged,) = engine.run([_packaging(engine, loaded, compiled, instances, session.environment)])
    if isinstance(packaged.outcome, Done | Failed):
        diagnostics += packaged.outcome.diagnostics
    if not isinstance(packaged.outcome, Done):
        return Failed(tuple(diagnostics))
    facts = json.loads(engine.fetch(packaged, FACTS))
    facts["actions"] = len(compiled) + 2
    table = canonical_json([row for result in compiled.values() for row in opset_rows(engine, result)])
    outputs = {**packaged.outcome.outputs, FACTS: reader.put(canonical_json(facts)), TABLE: reader.put(table)}
    return Done(outputs, tuple(diagnostics))


def _packaging(
    engine: Engine,
    loaded: LoadedLibrary,
    compiled: Mapping[str, Result],
    instances: Mapping[tuple[str, str], bytes],
    environment: str,
) -> Action:
    """The action that makes the files. Places do not reach it: moving a line changes no file."""
    library = replace(loaded.library, root=Path(), places={})
    domains = tuple(replace(domain, places={}) for domain in loaded.domains)
    inputs = {"library": engine.put(encode_value(library)), "domains": engine.put(encode_value(domains))}
    for identity, result in compiled.items():
        for part in (ENTRY, BODIES, TEMPLATES):
            made = instances.get((identity, part))
            # `fetch` makes anew what the store has lost.
            inputs[f"{part}:{identity}"] = engine.put(engine.fetch(result, part) if made is None else made)
    return Action("package", "package", inputs, {}, environment)
