"""Interfaces and spec versions of the standard's operators, made from their schemas: no compiler, no YAML."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import onnx
import pytest
from onnx import defs, helper
from opwright.bundle.format import AttributeEntry, FunctionEntry, InputEntry, OutputEntry
from opwright.diagnostics.diagnostic import Place
from opwright_build.spec.model import Domain, OpsetRange, SpecVersion, VectorKind, VectorSource
from opwright_build.spec.tolerances import DEFAULT_TOLERANCES

AI_ONNX = Domain("ai.onnx", 28, "opwright.ai.onnx", "", {})


@dataclass
class Making:
    """Interfaces, spec versions and spec folders below a temporary library root."""

    root: Path

    def entry_of(self, name: str, since_version: int) -> FunctionEntry:
        """The interface that the standard's schema declares."""
        schema = defs.get_schema(name, since_version, "")
        optional = defs.OpSchema.FormalParameterOption.Optional
        types = tuple(
            (constraint.type_param_str, tuple(_element(text) for text in constraint.allowed_type_strs))
            for constraint in schema.type_constraints
        )
        return FunctionEntry(
            domain="ai.onnx",
            name=name,
            since_version=since_version,
            summary="",
            doc="",
            deprecated=False,
            inputs=tuple(
                InputEntry(item.name, _type(item.type_str), item.option == optional) for item in schema.inputs
            ),
            outputs=tuple(OutputEntry(item.name, _type(item.type_str)) for item in schema.outputs),
            attributes=tuple(_attribute(item) for _, item in sorted(schema.attributes.items())),
            types=types,
            bodies=(),
        )

    def version_of(self, entry: FunctionEntry, vectors: Sequence[str], *, reference: str | None = None) -> SpecVersion:
        """A spec version with that interface, its types and these sources of vectors, as a spec would write them."""
        return SpecVersion(
            domain=AI_ONNX if entry.domain == "ai.onnx" else Domain(entry.domain, 1, None, "", {}),
            name=entry.name,
            since_version=entry.since_version,
            folder=self.root / "specs" / entry.domain / entry.name,
            opsets=OpsetRange(13, 28),
            summary="",
            doc="",
            deprecated=False,
            function_file="function.py",
            function_name=entry.name,
            inputs=(),
            outputs=(),
            attribute_docs={},
            types=dict(entry.types),
            vectors=tuple(_source(text) for text in vectors),
            tolerances=DEFAULT_TOLERANCES,
            reference_file=reference,
            reference_name=entry.name,
            places={f"types.{name}": Place(_spec_file(entry), 9, 3) for name, _ in entry.types},
        )

    def write(self, entry: FunctionEntry, files: Mapping[str, str]) -> None:
        """Files of the entry's spec folder."""
        folder = self.root / "specs" / entry.domain / entry.name
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text)


@pytest.fixture
def making(tmp_path: Path) -> Making:
    return Making(tmp_path)


@pytest.fixture(scope="session")
def plain_versions() -> list[tuple[str, int]]:
    """(operator, since_version) of the standard's functions that have one body for all contexts."""
    found = []
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "" and schema.has_function and not schema.has_context_dependent_function:
            found.append((schema.name, schema.since_version))
    return sorted(found)


@pytest.fixture(scope="session")
def run_python() -> Callable[..., bytes]:
    """Runs Python text in a process of its own, as importable as this one; what it writes to stdout."""

    def run(script: str, *arguments: str, **environment: str) -> bytes:
        result = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script, *arguments],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path), **environment},
            capture_output=True,
            timeout=120,
        )
        assert result.returncode == 0, result.stderr.decode()
        return result.stdout

    return run


def _source(text: str) -> VectorSource:
    place = Place("specs/ai.onnx/Any/spec.yaml", 5, 11)
    if text.startswith("onnx:"):
        return VectorSource(VectorKind.SUITE_GLOB, place, pattern=text.removeprefix("onnx:"))
    if text.endswith(".yaml"):
        return VectorSource(VectorKind.ROWS, place, path=text)
    return VectorSource(VectorKind(text), place)


def _spec_file(entry: FunctionEntry) -> str:
    return f"specs/{entry.domain}/{entry.name}/spec.yaml"


def _element(text: str) -> str:
    return text.removeprefix("tensor(").removesuffix(")")


def _type(text: str) -> str:
    return _element(text) if text.startswith("tensor(") else text


def _attribute(item: defs.OpSchema.Attribute) -> AttributeEntry:
    default = None
    if item.default_value.type != onnx.AttributeProto.UNDEFINED:
        default = helper.get_attribute_value(item.default_value)
        default = default.decode() if isinstance(default, bytes) else default
        default = tuple(default) if isinstance(default, list) else default
    return AttributeEntry(item.name, item.type.name, item.required, default)
