"""What a build of a whole library notes of its versions, so that the build after an edit looks at few of them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from opwright.diagnostics.findings_json import to_json

from opwright_build.engine.action import Action, Done, pack_reads
from opwright_build.engine.content_digest import Json
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.piece_file import PieceFile
from opwright_build.engine.reader import Reader
from opwright_build.spec.model import LoadedLibrary
from opwright_build.workflow.compiling import LIBRARY
from opwright_build.workflow.packaged_again import shared_bodies
from opwright_build.workflow.session import WORK, Session
from opwright_build.workflow.version_parts import (
    BODIES,
    ENTRY,
    FIGURES,
    INTERFACE,
    TABLE,
    VERSION,
    decode_blobs,
    is_file,
)
from opwright_build.workflow.version_table import (
    VERSION_LINES,
    VERSION_TABLE,
    VersionLine,
    VersionTable,
    encode_declared,
    relations,
)

_ENTRY = f"{LIBRARY}:entry/"  # what reads of other versions begin with


@dataclass(frozen=True, slots=True)
class WholeBuild:
    """What a build of all versions gave, and what of: its facts as they are `told`, the action that made its package,
    the result and the rows of each version, and the library. `comments` are the YAML files, by path, with comments that
    silence findings; each of those does."""

    outcome: Done
    told: Mapping[str, Json]
    packaging: Action
    compiled: Mapping[str, Result]
    rows: Sequence[bytes]
    loaded: LoadedLibrary
    comments: Mapping[str, str]


def note_versions(session: Session, action: Action, reader: Reader, whole: WholeBuild) -> None:
    """Remembers what the versions of a library were when all of it was made. It is one package without dependencies
    and templates, and not what was released: then its version is another one."""
    fetch = session.engine.fetch
    lines: list[VersionLine] = []
    for (identity, result), shown, spec in zip(whole.compiled.items(), whole.rows, whole.loaded.versions, strict=True):
        assert spec.identity == identity
        version = session.engine.input(result.action, "version")
        declaration = encode_declared(spec)
        lines.append(line_of(identity, result, version, partial(fetch, result), shown, declaration))
    callers, readers = relations([(line.identity, line.reads) for line in lines], _ENTRY)
    first = next(iter(whole.compiled.values()))
    facts = {
        "action": action.key,
        "trace": pack_reads(reader.reads).digest,
        "outputs": {path: digest for path, digest in whole.outcome.outputs.items() if is_file(path)},
        "rows": {name: digest for name, digest in whole.outcome.outputs.items() if name.startswith(TABLE)},
        "callers": callers,
        "readers": readers,
        "shared": shared_bodies(line.bodies for line in lines),
        "told": whole.told,
        "comments": whole.comments,
        "found": {"": list(map(to_json, whole.loaded.diagnostics)), **found_of(enumerate(whole.compiled.values()))},
        "library": session.engine.input(first.action, "library").decode("ascii"),
        "inputs": {
            name: session.engine.input(whole.packaging, name).decode("ascii")
            for name in whole.packaging.inputs
            if not name.startswith(VERSION)
        },
    }
    packaged = [whole.packaging.inputs[f"{VERSION}{identity}"] for identity in whole.compiled]
    pieces = PieceFile(session.root / WORK / VERSION_LINES)
    with contextlib.suppress(OSError):
        refs = pieces.write([line.encode() for line in lines])
        VersionTable(facts, list(whole.compiled), packaged, refs, pieces).save(session.state(VERSION_TABLE))


def found_of(results: Iterable[tuple[int, Result]]) -> dict[str, list[dict[str, Any]]]:
    """The findings of those versions that have any, by position."""
    found = {str(number): result.outcome.diagnostics for number, result in results if isinstance(result.outcome, Done)}
    return {number: list(map(to_json, items)) for number, items in found.items() if items}


def line_of(
    identity: str, result: Result, version: bytes, part: partial[bytes], rows: bytes, declaration: bytes
) -> VersionLine:
    """The line of a version that was compiled well. `version` is what that took of its spec, `part` gives outputs."""
    assert isinstance(result.outcome, Done)
    sizes = {digest: len(body) for digest, body in decode_blobs(part(BODIES)).items()}
    outputs = {name: result.outcome.outputs[name] for name in (ENTRY, INTERFACE)}
    return VersionLine(
        identity, result.action.key, result.reads, outputs, version, json.loads(part(FIGURES)), sizes, rows, declaration
    )
