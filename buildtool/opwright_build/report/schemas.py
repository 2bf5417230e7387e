"""The JSON Schemas of what `--json` prints, one for each command. Keys are only ever added, so others are allowed."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_FLAG: Schema = {"type": "boolean"}
_SHA256: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_BODY: Schema = {"type": "string", "pattern": "^body1:[0-9a-f]{64}$"}
_TEMPLATE: Schema = {"type": "string", "pattern": "^template1:[0-9a-f]{64}$"}
_AGE: Schema = {"type": "number", "minimum": 0}
_CONDITIONS = ["damaged", "incomplete", "foreign", "unreadable"]
_EXIT: Schema = {"enum": [0, 1, 2, 3]}


def output_schemas() -> dict[str, Schema]:
    """The schema of one line of output, by command."""
    return _of_builds() | _of_tests() | _of_releases() | _of_caches() | _of_models() | _of_views()


def _of_builds() -> dict[str, Schema]:
    counts = {"actions": _COUNT, "actions_run": _COUNT, "actions_cached": _COUNT}
    of_one = {"library": _TEXT, "version": _TEXT, "bundle": _SHA256}
    sums = {
        "versions": _COUNT,
        "pairs": _COUNT,
        "opset_bodies": _COUNT,
        "stored_bodies": _COUNT,
        "bytes_saved": _COUNT,
    }
    figures = sums | {"packages": _list_of(_object(**of_one, package=_TEXT, **sums))}
    output = _object(
        path=_TEXT,
        status={"enum": ["written", "unchanged", "removed"]},
        sha256=_or_null(_SHA256),
        size=_or_null(_COUNT),
    )
    planned = {"action": _TEXT, "why": _list_of(_TEXT), "needs": _TEXT}
    fix = {"file": _TEXT, "line": _COUNT, "column": _COUNT, "old": _TEXT, "new": _TEXT, "made": _FLAG}
    return {
        "build": _events(
            "build",
            {"action": _ACTION, "planned": planned, "output": dict(output["properties"]), "timings": _timings()},
            counts | figures | {"outputs": _list_of(output)},
            of_one | {"dry_run": _FLAG, "to_run": _COUNT, "may_run": _COUNT},
        ),
        "lint": _events("lint", {"action": _ACTION, "fix": fix}, counts),
        "stubs": _events("stubs", {"action": _ACTION}, counts),
    }


def _of_tests() -> dict[str, Schema]:
    outcomes = ["pass", "fail", "no-kernel", "unsupported", "unverified", "not-admitted", "lacking"]
    outcome = {
        "function": _TEXT,
        "vector": _TEXT,
        "types": _map_of(_TEXT),
        "opset": _COUNT,
        "body": _or_null(_BODY),
        "runtime": _TEXT,
        "status": {"enum": outcomes},
        "message": _TEXT,
        "gap": _or_null(_TEXT),
    }
    mutant = {
        "function": _TEXT,
        "mutant": _TEXT,
        "fate": {"enum": ["killed", "survived", "stillborn"]},
        "by": _or_null(_TEXT),
    }
    verified = {
        "packages": _list_of(_object(library=_TEXT, version=_TEXT)),
        "versions": _COUNT,
        "pairs": _COUNT,
        "cases": _COUNT,
        "spread": _FLAG,
        "skipped": _COUNT,
        "kept": _COUNT,
        "oracles": _COUNT,
        "sandbox": _or_null(_SANDBOX),
        "workers": _or_null(_SANDBOX),
        "runtimes": _map_of(_map_of(_COUNT)),
        "releases": _map_of(_TEXT),
        "changes": _list_of(
            _object(family=_TEXT, release=_TEXT, against=_TEXT, passing=_COUNT, unused=_COUNT, refused=_COUNT)
        ),
    }
    return {
        "test": _events(
            "test",
            {"action": _ACTION, "outcome": outcome, "mutant": mutant, "timings": _timings()},
            verified,
            {"library": _TEXT, "version": _TEXT},
        ),
        "vectors": _events(
            "vectors",
            {
                "action": _ACTION,
                "vectors": {"function": _TEXT, "cases": _COUNT, "skipped": _COUNT},
                "skipped": {"function": _TEXT, "vector": _TEXT, "reason": _TEXT},
            },
            {"cases": _COUNT, "skipped": _COUNT},
        ),
    }


def _of_releases() -> dict[str, Schema]:
    """Of commands about releases, of this library and of those that it depends on."""
    return {
        "update": _events(
            "update",
            {
                "dependency": {
                    "library": _TEXT,
                    "version": _TEXT,
                    "before": _or_null(_TEXT),
                    "sha256": _SHA256,
                    "source": _TEXT,
                    "status": {"enum": ["added", "changed", "unchanged", "removed"]},
                }
            },
            {"written": _FLAG},
        ),
        "lock": _events(
            "lock", {"action": _ACTION}, {"versions": _COUNT, "differing": _COUNT, "accepted": _list_of(_TEXT)}
        ),
        "diff": _events(
            "diff",
            {"action": _ACTION, "change": {**_CHANGE, "effect": _EFFECT}},
            {"against": _TEXT, "levels": _map_of(_COUNT)},
        ),
        "release": _events(
            "release",
            {"action": _ACTION},
            {
                "version": _TEXT,
                "dry_run": _FLAG,
                "packages": _list_of(_object(library=_TEXT, last=_TEXT, notes=_TEXT)),
            },
        ),
        "search": _events("search", {"function": _FOUND}, {"found": _COUNT}),
        "add": _events("add", {}, {}, {"library": _TEXT, "version": _TEXT, "sha256": _SHA256, "written": _FLAG}),
        "publish": _events(
            "publish",
            {"action": _ACTION, "artefact": {"library": _TEXT, "path": _TEXT, "sha256": _SHA256, "size": _COUNT}},
            {
                "packages": _list_of(
                    _object(library=_TEXT, version=_TEXT, folder=_TEXT, manifest=_or_null(_TEXT)),
                ),
                "verified": _FLAG,
            },
        ),
    }


def _of_caches() -> dict[str, Schema]:
    return {
        "cache": _events(
            "cache",
            {
                "entry": {"path": _TEXT, "size": _COUNT, "condition": {"enum": _CONDITIONS}},
                "removed": {"path": _TEXT, "size": _COUNT},
            },
            {
                "place": _TEXT,
                "kinds": _map_of(_object(files=_COUNT, bytes=_COUNT, youngest=_or_null(_AGE), oldest=_or_null(_AGE))),
                "conditions": _map_of(_COUNT),
                "removed": _object(files=_COUNT, bytes=_COUNT),
            },
        ),
    }


def _of_models() -> dict[str, Schema]:
    return {
        "attach": _events(
            "attach",
            {
                "node": _OF_FUNCTION
                | {
                    "place": _TEXT,
                    "operator": _TEXT,
                    "replaces": _FLAG,
                    "since_version": _COUNT,
                    "why": _list_of(_TEXT),
                },
                "function": _OF_FUNCTION | {"is_new": _FLAG, "hidden_by": _TEXT, "needed_by": _list_of(_TEXT)},
                "conflict": {
                    "model": _TEXT,
                    "code": _TEXT,
                    "text": _TEXT,
                    "sides": _list_of(_object(where=_TEXT, needs=_TEXT)),
                },
                "model": {
                    "model": _TEXT,
                    "output": _or_null(_TEXT),
                    "ir_version": _COUNT,
                    "served": _COUNT,
                    "functions": _COUNT,
                    "inlined": _FLAG,
                },
            },
            {},
        ),
        "upgrade": _events(
            "upgrade",
            {
                "function": {
                    "model": _TEXT,
                    **dict.fromkeys(("identity", "variant", "body", "library", "release"), _TEXT),
                    **dict.fromkeys(("new_variant", "new_body", "new_release", "text"), _TEXT),
                    "change": {"enum": ["same", "equal", "close", "different", "unknown", "refused", "gone"]},
                    "nodes": _list_of(_TEXT),
                    "accepted": _FLAG,
                },
                "model": {"model": _TEXT, "output": _or_null(_TEXT), "nodes": _COUNT},
            },
            {},
        ),
        "polyfill": _events("polyfill", {"node": _POLYFILLED_NODE, "model": _POLYFILLED_MODEL}, {}, _POLYFILLED),
        "convert": _events("convert", {"node": _CONVERTED_NODE, "model": _POLYFILLED_MODEL}, {}, _POLYFILLED),
    }


def _of_views() -> dict[str, Schema]:
    return {
        "doctor": _line("doctor", _LOOKED_AT),
        "ls": _line("ls", _LISTED),
        "opsets": _line("opsets", _OPSET_ROW),
        "show": _line("show", _SHOWN),
    }


def _timings() -> Schema:
    """What `--timings` adds."""
    spent = {"seconds": {"type": "number", "minimum": 0}}
    return {
        "steps": _list_of(_object(step=_TEXT, **spent)),
        "kinds": _list_of(_object(kind=_TEXT, actions=_COUNT, **spent)),
        "slowest": _list_of(_object(action=_TEXT, **spent)),
    }


_CHANGE: Schema = {
    "function": _TEXT,
    "kind": _TEXT,
    "level": {"enum": ["wire", "types", "source", "numeric"]},
    "breaking": _FLAG,
    "what": _TEXT,
    "before": _TEXT,
    "after": _TEXT,
    "text": _TEXT,
}
_EFFECT: Schema = {"enum": ["breaking", "refused", "undecided", "compatible"]}
_FOUND: Schema = {"function": _TEXT, "library": _TEXT, "version": _TEXT, "place": _TEXT}
_IDENTITY: Schema = {"domain": _TEXT, "name": _TEXT, "since_version": {"type": "integer", "minimum": 1}}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": sorted(properties)}


def _list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _map_of(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


_ACTION: Schema = {"action": _TEXT, "kind": _TEXT, "cached": _FLAG, "why": _list_of(_TEXT)}
_SANDBOX: Schema = _object(
    level={"enum": [0, 1, 2]}, mechanisms=_TEXT, declined=_list_of(_object(mechanisms=_TEXT, reason=_TEXT))
)
_OF_FUNCTION: Schema = {
    "model": _TEXT,
    "function": _TEXT,
    "identity": _TEXT,
    "variant": _TEXT,
    "body": _BODY,
    "first_opset": _COUNT,
    "last_opset": _COUNT,
    "library": _TEXT,
    "release": _TEXT,
}
_REWRITTEN_NODE: Schema = {
    "model": _TEXT,
    "place": _TEXT,
    "operator": _TEXT,
    "since_version": _COUNT,
    "function": _TEXT,
}
_POLYFILLED_NODE: Schema = {**_REWRITTEN_NODE, "older_version": _or_null(_COUNT)}
_CONVERTED_NODE: Schema = {**_REWRITTEN_NODE, "became": _TEXT, "version": _or_null(_COUNT)}
_POLYFILLED: Schema = {
    "output": _TEXT,
    "opset": _COUNT,
    "ir_version": _COUNT,
    "served": _COUNT,
    "restamped": _COUNT,
    "functions": _COUNT,
    "inlined": _FLAG,
}
_POLYFILLED_MODEL: Schema = {"model": _TEXT, **_POLYFILLED}
_LOOKED_AT: Schema = {
    "what": _TEXT,
    "state": {"enum": ["good", "note", "missing"]},
    "text": _TEXT,
    "help": _TEXT,
}
_LISTED: Schema = {
    "library": _TEXT,
    **_IDENTITY,
    "summary": _TEXT,
    "deprecated": _FLAG,
    "template": _or_null(_FLAG),
    "tags": _list_of(_TEXT),
    "opsets": _object(first=_COUNT, last=_COUNT),
    "types": _map_of(_list_of(_TEXT)),
    "pairs": _list_of(_TEXT),
}
_OPSET_ROW: Schema = {
    **_IDENTITY,
    "opset": _COUNT,
    "variant": _map_of(_TEXT),
    "body": {"anyOf": [_BODY, _TEMPLATE, {"type": "null"}]},
    "operator": _or_null(_TEXT),
    "reason": _or_null(_TEXT),
    "place": _or_null(_TEXT),
}
_SHAPE: Schema = {"type": "array", "items": {"type": ["integer", "string", "null"]}}
_DEFAULT: Schema = {"type": ["integer", "number", "string", "array", "null"]}
_SHOWN: Schema = {
    "library": _TEXT,
    **_IDENTITY,
    "summary": _TEXT,
    "doc": _TEXT,
    "deprecated": _FLAG,
    "inputs": _list_of(
        _object(
            name=_TEXT,
            type=_TEXT,
            optional=_FLAG,
            variadic=_FLAG,
            rank=_or_null(_COUNT),
            shape=_or_null(_SHAPE),
            doc=_TEXT,
        )
    ),
    "outputs": _list_of(_object(name=_TEXT, type=_TEXT, variadic=_FLAG, shape=_or_null(_SHAPE), doc=_TEXT)),
    "attributes": _list_of(
        _object(
            name=_TEXT,
            type=_TEXT,
            required=_FLAG,
            default=_DEFAULT,
            doc=_TEXT,
            choices=_list_of(_DEFAULT),
            is_bool=_FLAG,
        )
    ),
    "types": _map_of(_list_of(_TEXT)),
    "templates": _list_of(
        _object(first_opset=_COUNT, last_opset=_COUNT, template=_TEMPLATE, axes=_list_of(_TEXT)),
    ),
    "bodies": _list_of(
        _object(
            first_opset=_COUNT,
            last_opset=_COUNT,
            variant=_map_of(_TEXT),
            body=_BODY,
            inputs=_list_of(_TEXT),
            attributes=_list_of(_TEXT),
            admits=_map_of(_list_of(_TEXT)),
            calls=_list_of(_object(domain=_TEXT, name=_TEXT, since_version=_COUNT, variant=_map_of(_TEXT), body=_BODY)),
        )
    ),
}
_PLACE: Schema = _object(file=_TEXT, line=_COUNT, column=_COUNT, end_line=_COUNT, end_column=_COUNT)
_FINDING: Schema = _object(
    code={"type": "string", "pattern": "^OW[0-9]{3}$"},
    severity={"enum": ["error", "warning", "note"]},
    message=_TEXT,
    place=_or_null(_PLACE),
    reason=_TEXT,
    help=_TEXT,
    related=_list_of(_object(place=_PLACE, note=_TEXT)),
    replacement=_or_null(_object(place=_PLACE, old=_TEXT, new=_TEXT)),
)


def _line(command: str, properties: Schema) -> Schema:
    """The schema of a command whose lines are all alike."""
    head = {"schema": {"const": f"opwright.{command}/1"}}
    return {"$schema": DIALECT, "title": f"One line of `opwright {command} --json`", **_object(**head, **properties)}


def _events(command: str, events: dict[str, Schema], summary: Schema, of_one: Schema | None = None) -> Schema:
    """The schema of a command that tells events. A run that failed has a summary without the task's own keys, and that
    of several packages or models is without the keys `of_one`. A dry run has no results."""
    head = {"schema": {"const": f"opwright.{command}/1"}}
    alike = [
        _object(**head, event={"const": name}, **properties)
        for name, properties in {**events, "finding": {"finding": _FINDING}}.items()
    ]
    ended = _object(**head, event={"const": "summary"}, exit=_EXIT, errors=_COUNT, warnings=_COUNT)
    ended["properties"] |= (of_one or {}) | summary | {"seconds": {"type": "number", "minimum": 0}}
    ran = {"properties": {"exit": {"const": 0}}, "not": {"required": ["dry_run"]}}
    good = {"if": ran, "then": {"required": sorted([*summary, "seconds"])}}
    return {
        "$schema": DIALECT,
        "title": f"One line of `opwright {command} --json`",
        "oneOf": [*alike, {**ended, **good}],
    }
