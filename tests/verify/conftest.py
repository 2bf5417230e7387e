"""A library made by hand, and cases for it: what verification needs, without the compiler and without files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import FunctionProto
from opwright.bundle.format import (
    AttributeEntry,
    BodyEntry,
    Bundle,
    CallEntry,
    DomainEntry,
    FunctionEntry,
    Index,
    InputEntry,
    OutputEntry,
)
from opwright.diagnostics.diagnostic import Place
from opwright.protos.canonical import canonicalise
from opwright_build.spec.model import Tolerance
from opwright_build.verify.case_model import Array, Case, Expected, SuiteJudge, ToleranceJudge

FLOATS = ("float16", "float", "double")
TOLERANCES = {
    "float16": Tolerance(2, 1e-3),
    "bfloat16": Tolerance(2, 1e-2),
    "float": Tolerance(4, 1e-6),
    "double": Tolerance(8, 1e-13),
}


@dataclass
class HandMade:
    """Functions of the domain com.acme. A body is ONNX text with positional names: `(i0) => (o0) { o0 = Relu(i0) }`."""

    functions: list[FunctionEntry] = field(default_factory=list)
    bodies: dict[str, bytes] = field(default_factory=dict)

    def add(
        self,
        name: str,
        *bodies: tuple[str, int, int] | tuple[str, int, int, tuple[tuple[str, str], ...], tuple[str, ...]],
        inputs: Sequence[InputEntry] = (InputEntry("X", "T"),),
        attributes: Sequence[AttributeEntry] = (),
        types: Sequence[str] = FLOATS,
        admits: Sequence[str] | None = None,
    ) -> FunctionEntry:
        """Each body is (text, first opset, last opset), and with variants (..., variant, inputs that it keeps)."""
        entries = []
        for text, first, last, *rest in bodies:
            variant, kept = rest if rest else ((), tuple(item.name for item in inputs))
            digest = self._store(text)
            names = tuple(item.name for item in attributes)
            admitted = (("T", tuple(types if admits is None else admits)),)
            entries.append(BodyEntry(first, last, variant, digest, kept, names, admitted))
        entry = FunctionEntry(
            domain="com.acme",
            name=name,
            since_version=1,
            summary=f"{name}.",
            doc="",
            deprecated=False,
            inputs=tuple(inputs),
            outputs=(OutputEntry("Y", "T"),),
            attributes=tuple(attributes),
            types=(("T", tuple(types)),),
            bodies=tuple(entries),
        )
        self.functions.append(entry)
        return entry

    def call(self, entry: FunctionEntry, callee: CallEntry) -> None:
        """Says that the (one) body of an entry calls another; it does so by the operator `call<digest>`."""
        (body,) = entry.bodies
        self.functions.remove(entry)
        self.functions.append(replace(entry, bodies=(replace(body, calls=(callee,)),)))

    def _store(self, text: str) -> str:
        function: FunctionProto = onnx.parser.parse_function(f'<domain: "x", opset_import: ["": 18]> f {text}')
        function.name = function.domain = ""
        for node in function.node:
            if node.domain == "body1":
                node.op_type = node.op_type.removeprefix("call")
        digest = canonicalise(function, callees={}).digest
        self.bodies[digest] = function.SerializeToString(deterministic=True)
        return digest

    def bundle(self) -> Bundle:
        index = Index(
            library="acme-ops",
            version="1.0.0",
            package="acme_ops",
            summary="",
            license="Apache-2.0",
            opsets=(13, 28),
            onnx=onnx.__version__,
            domains=(DomainEntry("com.acme", 1, "com.acme"),),
            functions=tuple(self.functions),
        )
        return Bundle(index, self.bodies, "")


def make_case(
    entry: FunctionEntry | str,
    inputs: Sequence[Array | None],
    expected: Array | None,
    *,
    name: str = "case",
    type: str = "float",
    attributes: Mapping[str, Any] | None = None,
    exact: Array | None = None,
    judge: SuiteJudge | ToleranceJudge | None = None,
    error: str = "",
) -> Case:
    """A case of one type variable `T`, judged by `TOLERANCES` unless told otherwise."""
    identity = entry if isinstance(entry, str) else entry.identity
    return Case(
        identity=identity,
        name=name,
        bindings={"T": type},
        inputs=tuple(inputs),
        attributes=dict(attributes or {}),
        expected=None if expected is None else (Expected(np.asarray(expected), exact),),
        judge=judge or ToleranceJudge(TOLERANCES),
        place=Place("specs/com.acme/F/vectors.yaml", 3, 5),
        digest=sha256(f"{identity} {name} {type}".encode()).hexdigest(),
        error=error,
    )


@pytest.fixture
def library() -> HandMade:
    return HandMade()


@pytest.fixture(name="make_case")
def make_case_fixture() -> Any:
    return make_case
