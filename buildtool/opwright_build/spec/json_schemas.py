"""JSON Schemas of the YAML files, for editors: written to docs/schemas/ and checked there to be up to date.

`python -m opwright_build.spec.json_schemas FOLDER` writes them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from opwright_build.spec.boundary import Strict
from opwright_build.spec.forms import DomainModel, LibraryModel, PackagesModel, SpecModel, VersionModel
from opwright_build.spec.key_docs import KEY_DOCS
from opwright_build.spec.vectors_model import VectorsModel
from opwright_build.spec.verification_model import GapsModel, NumericsModel, SurvivorsModel

_FILES: tuple[tuple[str, type[Strict], str], ...] = (
    ("library", LibraryModel, "The root of a library: specs/library.yaml"),
    ("domain", DomainModel, "A domain of functions: specs/<domain>/domain.yaml"),
    ("spec", SpecModel, "A function and its versions: specs/<domain>/<Function>/spec.yaml"),
    ("vectors", VectorsModel, "Rows of test vectors: specs/<domain>/<Function>/vectors.yaml"),
    ("runtime-gaps", GapsModel, "What runtimes refuse to load: specs/runtime-gaps.yaml"),
    ("mutants-survivors", SurvivorsModel, "Mutants that no vector can notice: specs/mutants-survivors.yaml"),
    ("numerics", NumericsModel, "How exact bodies are, compared with the standard's own: specs/numerics.yaml"),
)


def json_schemas() -> dict[str, bytes]:
    """File name -> JSON Schema (draft 2020-12), the same bytes on every run."""
    rendered: dict[str, bytes] = {}
    for name, model, title in _FILES:
        tidied = _schema_of(model)
        if model is LibraryModel:
            tidied = _one_or_several(tidied, _schema_of(PackagesModel))
        schema: dict[str, Any] = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            **tidied,
            "title": title,
        }
        text = json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=True)
        rendered[f"{name}.schema.json"] = f"{text}\n".encode("ascii")
    return rendered


def _schema_of(model: type[Strict]) -> dict[str, Any]:
    """The schema of a form, each key with what it means."""
    schema = model.model_json_schema(by_alias=True)
    for name, definition in [*schema.get("$defs", {}).items(), (model.__name__, schema)]:
        for key, form in definition.get("properties", {}).items():
            form["description"] = _meaning(name, key)
    tidied: dict[str, Any] = _tidy(schema)
    return tidied


def _meaning(model: str, key: str) -> str:
    """What the key of a form means; a version's keys may stand at the top of a spec, too."""
    own = KEY_DOCS.get(model, {})
    return own[key] if key in own or model != SpecModel.__name__ else KEY_DOCS[VersionModel.__name__][key]


def _one_or_several(one: dict[str, Any], several: dict[str, Any]) -> dict[str, Any]:
    """What holds for a file of one package, and for one that has `packages:`."""
    definitions = {**one.pop("$defs", {}), **several.pop("$defs", {})}
    return {"$defs": definitions, "if": {"required": ["packages"]}, "then": several, "else": one}


def write_json_schemas(folder: Path) -> list[Path]:
    """Writes every schema into the folder and returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, data in json_schemas().items():
        path = folder / name
        path.write_bytes(data)
        paths.append(path)
    return paths


def _tidy(node: Any) -> Any:
    """Without the titles, and the defaults that stand for "not written"; keys of no pattern are refused, as by us."""
    if isinstance(node, dict):
        tidied = {
            key: _tidy(value)
            for key, value in node.items()
            if not (key in ("title", "default") and not isinstance(value, dict))
        }
        return {**tidied, "additionalProperties": False} if "patternProperties" in tidied else tidied
    if isinstance(node, list):
        return [_tidy(item) for item in node]
    return node


if __name__ == "__main__":
    for written in write_json_schemas(Path(sys.argv[1])):
        print(written.as_posix())
