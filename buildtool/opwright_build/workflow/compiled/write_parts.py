"""The parts of a version, written when it has been compiled, or when its instances have been made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from opwright.bundle.format import BodyEntry, FunctionEntry, TemplateEntry
from opwright.bundle.write import ref_of, write_function

from opwright_build.compile.compiled_version import Unreachable
from opwright_build.engine.content_digest import Json, canonical_json
from opwright_build.engine.dataclass_bytes import encode_value
from opwright_build.workflow.compiled.version_parts import (
    BODIES,
    ENTRY,
    FIGURES,
    INTERFACE,
    MEMBER,
    TEMPLATES,
    encode_blobs,
)


def version_parts(
    entry: FunctionEntry, bodies: Mapping[str, bytes], templates: Mapping[str, bytes]
) -> dict[str, bytes]:
    """The parts that say what a version is, by name."""
    stored = {digest: ref_of(data) for digest, data in (*bodies.items(), *templates.items())}
    spans = [(body.last_opset - body.first_opset + 1, len(bodies[body.body])) for body in entry.bodies]
    figures: dict[str, Json] = {
        "opset_bodies": sum(opsets for opsets, _ in spans),
        "spread": sum(opsets * size for opsets, size in spans),
    }
    return {
        ENTRY: encode_value(entry),
        BODIES: encode_blobs(bodies),
        TEMPLATES: encode_blobs(templates),
        INTERFACE: encode_value(replace(entry, bodies=())),
        MEMBER: write_function(entry, stored).data,
        FIGURES: canonical_json(figures),
    }


def encode_rows(entry: FunctionEntry, unreachable: Sequence[Unreachable]) -> bytes:
    """What became of the opsets of a version: its bodies by variant, or what prevents them, for ranges of opsets; see
    `expand_rows`."""
    rows: list[list[Json]] = [
        [body.first_opset, body.last_opset, dict(body.variant), body.body, None, None, None]
        for body in (*entry.bodies, *(_as_body(item) for item in entry.templates))
    ]
    rows += [
        [gap.first, gap.last, dict(gap.variant), None, gap.operator, gap.reason, str(gap.place)] for gap in unreachable
    ]
    return canonical_json([entry.domain, entry.name, entry.since_version, rows])


def _as_body(template: TemplateEntry) -> BodyEntry:
    """A template in the place of the bodies that it gives."""
    return BodyEntry(template.first_opset, template.last_opset, (), template.template, (), (), ())
