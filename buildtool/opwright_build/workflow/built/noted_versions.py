"""What a build of a whole library notes of its versions, so that the build after an edit looks at few of them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from opwright.diagnostics.findings_json import to_json

from opwright_build.engine.action import Action, Done, pack_reads
from opwright_build.engine.content_digest import Json
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.piece_file import PieceFile
from opwright_build.engine.reader import Reader
from opwright_build.workflow.built.packaged_again import shared_bodies
from opwright_build.workflow.built.version_table import (
    VERSION_LINES,
    VERSION_TABLE,
    VersionLine,
    VersionTable,
    encode_declared,
    relations,
)
from opwright_build.workflow.compiled.compiling import LIBRARY, has_templates
from opwright_build.workflow.compiled.version_parts import (
    BODIES,
    ENTRY,
    FIGURES,
    INTERFACE,
    TABLE,
    TEMPLATES,
    VERSION,
    decode_blobs,
)
from opwright_build.workflow.opened.session import WORK, Session

if TYPE_CHECKING:
    from opwright_build.engine.run import Engine
    from opwright_build.workflow.built.made_versions import MadeVersions

_ENTRY = f"{LIBRARY}:entry/"  # what reads of other versions begin with


@dataclass(frozen=True, slots=True)
class WholeBuild:
    """What a build of all versions gave, and what of: its facts as they are `told`; by package the action that made it,
    and its files with their digests; the versions, and the rows of each. `comments` are the YAML files, by path, with
    comments that silence findings; each of those does."""

    outcome: Done
    told: Mapping[str, Json]
    packaging: Mapping[str, Action]
    files: Mapping[str, Mapping[str, str]]
    made: MadeVersions
    rows: Sequence[bytes]
    comments: Mapping[str, str]


def note_versions(session: Session, action: Action, reader: Reader, whole: WholeBuild) -> None:
    """Remembers what the versions of a library were when all of it was made. It depends on no other library."""
    made, loaded = whole.made, whole.made.packages.loaded
    lines: list[VersionLine] = []
    for (identity, result), shown, spec in zip(made.compiled.items(), whole.rows, loaded.versions, strict=True):
        assert spec.identity == identity
        version = session.engine.input(result.action, "version")
        declaration = encode_declared(spec)
        lines.append(line_of(identity, result, version, partial(made.part, identity), shown, declaration))
    callers, readers = relations([(line.identity, line.reads) for line in lines], _ENTRY)
    owners = loaded.library.owners
    owner_of = [owners[spec.domain.name] for spec in loaded.versions]
    positions: dict[str, list[int]] = {name: [] for name in whole.packaging}
    for number, owner in enumerate(owner_of):
        positions[owner].append(number)
    facts = {
        "action": action.key,
        "trace": pack_reads(reader.reads).digest,
        "rows": {name: digest for name, digest in whole.outcome.outputs.items() if name.startswith(TABLE)},
        "callers": callers,
        "readers": readers,
        "told": whole.told,
        "comments": whole.comments,
        "found": {"": list(map(to_json, loaded.diagnostics)), **found_of(enumerate(made.compiled.values()))},
        "owners": owner_of,
        "asked": _asked_by_templates(made),
        "packages": [
            _package_facts(session.engine, whole, name, [lines[number] for number in numbers])
            for name, numbers in positions.items()
        ],
    }
    packaged = [
        whole.packaging[owner].inputs[f"{VERSION}{identity}"]
        for owner, identity in zip(owner_of, made.compiled, strict=True)
    ]
    pieces = PieceFile(session.root / WORK / VERSION_LINES)
    with contextlib.suppress(OSError):
        refs = pieces.write([line.encode() for line in lines])
        VersionTable(facts, list(made.compiled), packaged, refs, pieces).save(session.state(VERSION_TABLE))


def _package_facts(engine: Engine, whole: WholeBuild, name: str, lines: Sequence[VersionLine]) -> dict[str, Any]:
    """What is noted of a package; `lines` are those of its versions."""
    action = whole.packaging[name]
    inputs = [item for item in action.inputs if not item.startswith(VERSION)]
    first = [whole.made.compiled[line.identity].action for line in lines[:1]]
    return {
        "name": name,
        "label": action.label,
        "inputs": {item: engine.input(action, item).decode("ascii") for item in inputs},
        "library": "".join(engine.input(item, "library").decode("ascii") for item in first),
        "outputs": whole.files[name],
        "shared": shared_bodies(line.bodies for line in lines),
    }


def _asked_by_templates(made: MadeVersions) -> list[int]:
    """The positions of the versions that templates may have asked for when instances of them were made: those whose
    names stand in the text of one."""
    from opwright_build.dependencies.closures import texts_of

    texts: set[str] = set()
    for identity, result in made.compiled.items():
        if has_templates(result):
            for template in decode_blobs(made.part(identity, TEMPLATES)).values():
                texts |= texts_of(template)[0]
    names = (identity.rpartition("@")[0].rpartition("::")[2] for identity in made.compiled)
    return [number for number, name in enumerate(names) if name in texts]


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
