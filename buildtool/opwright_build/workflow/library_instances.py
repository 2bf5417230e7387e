"""The instances of a library's templates that its vectors need, made once everything is compiled."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from opwright.bundle.format import Bundle, DomainEntry, FunctionEntry, Index
from opwright.diagnostics.diagnostic import Diagnostic, Place

from opwright_build.dependencies.resolution import Resolved
from opwright_build.engine.dataclass_bytes import decode_value, encode_value
from opwright_build.engine.reader import Reader
from opwright_build.engine.run import Engine, Result
from opwright_build.spec.model import LoadedLibrary, SpecVersion, VectorKind
from opwright_build.workflow.compiling import BODIES, ENTRY, TEMPLATES


def make_instances(
    reader: Reader, engine: Engine, loaded: LoadedLibrary, compiled: Mapping[str, Result], others: Resolved
) -> tuple[dict[tuple[str, str], bytes], list[Diagnostic]]:
    """What replaces the outputs of compiling, by identity and output, for the versions that are templates; and what is
    wrong with their vectors. `others` are the libraries that may be called.

    The vectors' values are looked at, and no Python of a spec is run. Nothing where no version is a template.
    """
    entries = {
        identity: decode_value(FunctionEntry, engine.fetch(result, ENTRY)) for identity, result in compiled.items()
    }
    templates = {identity: entry for identity, entry in entries.items() if entry.templates}
    if not templates:
        return {}, []
    from opwright.link.catalogue import merge_libraries

    from opwright_build.verify.collect import collect_cases
    from opwright_build.verify.vector_instances import with_instances

    root = loaded.library.root
    for version in loaded.versions:
        folder = version.folder.relative_to(root).as_posix()
        for source in version.vectors if version.identity in templates else ():
            if source.kind is VectorKind.ROWS:
                reader.read(f"file:{folder}/{source.path}")
    places = {
        version.identity: _place(reader, version, root) for version in loaded.versions if version.identity in templates
    }
    collected = collect_cases(loaded.versions, templates, root, run_oracle=False, only=set(templates))
    texts = {
        digest: text
        for identity in templates
        for digest, text in decode_value(dict[str, bytes], engine.fetch(compiled[identity], TEMPLATES)).items()
    }
    own = Bundle(_index(loaded, tuple(entries.values())), {}, "", templates=texts)
    catalogue = merge_libraries([own, *(library.bundle for library in others.libraries.values())])
    made: dict[tuple[str, str], bytes] = {}
    found: list[Diagnostic] = []
    for identity, entry in templates.items():
        whole, bodies, findings = with_instances(entry, catalogue, collected.cases, places[identity])
        found += findings
        before = decode_value(dict[str, bytes], engine.fetch(compiled[identity], BODIES))
        made[identity, ENTRY] = encode_value(whole)
        made[identity, BODIES] = encode_value({**before, **bodies})
    return made, found


def _place(reader: Reader, version: SpecVersion, root: Path) -> Place:
    """Where the function is defined."""
    file = f"{version.folder.relative_to(root).as_posix()}/{version.function_file}"
    head = f"def {version.function_name}("
    lines = (reader.read(f"file:{file}") or b"").decode("utf-8", "replace").split("\n")
    number = next((number for number, line in enumerate(lines, 1) if line.startswith(head)), 0)
    return Place(file, number, 1, number, len(head)) if number else Place(file)


def _index(loaded: LoadedLibrary, entries: tuple[FunctionEntry, ...]) -> Index:
    """As much of the index as the linker looks at, of all packages as one."""
    packages = loaded.library.packages
    domains = tuple(DomainEntry(item.name, item.version, item.emitted) for item in loaded.domains)
    opsets = (min(item.opsets.first for item in packages), max(item.opsets.last for item in packages))
    first = packages[0]
    return Index(first.name, first.version, first.package, "", "", opsets, "", domains, entries)
