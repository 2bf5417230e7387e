"""The rows of a version with places as its files are now: comments may have moved them since it was compiled."""

from __future__ import annotations

import json
from collections.abc import Mapping

from opwright_build.engine.content_digest import canonical_json
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.run import Engine
from opwright_build.engine.sources import CODE, Sources
from opwright_build.workflow.compiled.same_code import moved_places
from opwright_build.workflow.compiled.version_parts import ROWS


def rows_now(engine: Engine, sources: Sources, result: Result) -> bytes:
    """The rows of a version that was compiled well."""
    rows = engine.fetch(result, ROWS)
    for read in result.reads:
        kind, _, path = read.name.partition(":")
        if kind != CODE or sources.digest(read.name) == read.digest:
            continue
        before, now = engine.fetch(result, read.name), sources.read(read.name)
        assert now is not None, "it was compared"
        rows = _moved(rows, moved_places(path, before, now) or {})
    return rows


def can_be_moved(rows: bytes, path: str, data: bytes) -> bool:
    """Whether all that rows tell of a file are places that `moved_places` knows."""
    places = {place for *_, place in json.loads(rows)[-1]} - {None}
    if not places:
        return True
    told = {place for place in places if place.partition(":")[0] == path}
    known = moved_places(path, data, data)
    return known is not None and told <= known.keys() and b"line " not in rows


def _moved(rows: bytes, moved: Mapping[str, str]) -> bytes:
    *version, items = json.loads(rows)
    return canonical_json([*version, [[*row, moved.get(place, place)] for *row, place in items]])
