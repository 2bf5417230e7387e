"""Small libraries made by hand, so that the linker is tested without the compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import onnx
import onnx.parser
import onnxruntime as ort
import pytest
from onnx.reference import ReferenceEvaluator
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
from opwright.diagnostics import Diagnostic, DiagnosticError
from opwright.graphs.inline import inline_model
from opwright.graphs.walk import all_nodes
from opwright.link.instantiate import write_defaults
from opwright.link.naming import Instance, bodies_at
from opwright.protos.canonical import Callee, canonicalise

FLOATS = ("float16", "float", "double")
Array = np.ndarray[Any, np.dtype[Any]]


@dataclass
class Body:
    """One body as ONNX text with real names: `(x, alpha) => (y) { ... }`; calls are nodes of the callee's domain."""

    text: str
    opsets: tuple[int, int] = (13, 24)
    variant: tuple[tuple[str, str], ...] = ()
    admits: tuple[str, ...] = FLOATS


@dataclass
class LibraryBuilder:
    """Makes a bundle; functions are added callees first."""

    name: str = "acme-ops"
    version: str = "1.0.0"
    domain: str = "com.acme"
    domain_version: int = 1
    mirror: str = ""
    functions: list[FunctionEntry] = field(default_factory=list)
    bodies: dict[str, bytes] = field(default_factory=dict)
    known: dict[tuple[str, str, int], FunctionEntry] = field(default_factory=dict)

    def add(
        self,
        name: str,
        bodies: Sequence[Body] | str,
        *,
        inputs: Sequence[InputEntry | str] = ("x",),
        outputs: Sequence[OutputEntry | str] = ("y",),
        attributes: Sequence[AttributeEntry] = (),
        since_version: int = 1,
        types: Sequence[str] = FLOATS,
        pins: dict[str, int] | None = None,
    ) -> FunctionEntry:
        """`pins` says which version of a callee is meant, the newest by default."""
        self.domain_version = max(self.domain_version, since_version)
        made = [Body(bodies)] if isinstance(bodies, str) else list(bodies)
        entry = FunctionEntry(
            domain=self.domain,
            name=name,
            since_version=since_version,
            summary=f"{name} of {self.domain}.",
            doc="",
            deprecated=False,
            inputs=tuple(InputEntry(item, "T") if isinstance(item, str) else item for item in inputs),
            outputs=tuple(OutputEntry(item, "T") if isinstance(item, str) else item for item in outputs),
            attributes=tuple(attributes),
            types=(("T", tuple(types)),),
            bodies=tuple(entry for body in made for entry in self._bodies(body, pins or {})),
        )
        self.functions.append(entry)
        self.known[entry.domain, name, since_version] = entry
        return entry

    def _bodies(self, body: Body, pins: dict[str, int]) -> list[BodyEntry]:
        """One entry for each run of opsets at which the operators are the same, as the compiler makes them."""
        entries: list[BodyEntry] = []
        for opset in range(body.opsets[0], body.opsets[1] + 1):
            made = self._body(body, opset, pins)
            if entries and entries[-1].body == made.body:
                made = replace(made, first_opset=entries.pop().first_opset)
            entries.append(made)
        return entries

    def _body(self, body: Body, opset: int, pins: dict[str, int]) -> BodyEntry:
        function = onnx.parser.parse_function(f'<domain: "x", opset_import: ["": {opset}]> f {body.text}')
        calls: dict[CallEntry, None] = {}
        callees: dict[tuple[str, str, str], Callee] = {}
        for node in all_nodes(function.node):
            if node.domain:
                call, callee = self._call(node, opset, pins)
                calls[call] = None
                callees[node.domain, node.op_type, node.overload] = Callee(callee.body, callee.attributes)
        canonical = canonicalise(function, callees=callees)
        self.bodies[canonical.digest] = canonical.proto
        admits = (("T", body.admits),)
        return BodyEntry(
            opset, opset, body.variant, canonical.digest, canonical.inputs, canonical.attributes, admits, tuple(calls)
        )

    def _call(self, node: onnx.NodeProto, opset: int, pins: dict[str, int]) -> tuple[CallEntry, BodyEntry]:
        """What a node calls, defaults written; the variant of T is named by the node's overload."""
        versions = [key for key in self.known if key[:2] == (node.domain, node.op_type)]
        since = pins.get(node.op_type, max(key[2] for key in versions))
        entry = self.known[node.domain, node.op_type, since]
        body = next(b for b in bodies_at(entry, opset) if not node.overload or dict(b.variant)["T"] == node.overload)
        write_defaults(node, Instance(entry, body))
        return CallEntry(entry.domain, entry.name, entry.since_version, body.variant, body.body), body

    def bundle(self) -> Bundle:
        index = Index(
            library=self.name,
            version=self.version,
            package=self.name.replace("-", "_"),
            summary="",
            license="Apache-2.0",
            opsets=(13, 28),
            onnx=onnx.__version__,
            domains=(DomainEntry(self.domain, self.domain_version, self.mirror or self.domain),),
            functions=tuple(sorted(self.functions, key=lambda e: (e.domain, e.name, e.since_version))),
        )
        return Bundle(index, dict(self.bodies), f"{self.name} {self.version}")


def parse(text: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(text)


def run_everywhere(model: onnx.ModelProto, **feeds: object) -> list[Array]:
    """The outputs on onnxruntime without and with optimisation, and on the reference evaluator; they must agree."""
    onnx.checker.check_model(model, full_check=True)
    arrays = {name: np.asarray(value) for name, value in feeds.items()}
    inlined = onnx.ModelProto()
    inlined.CopyFrom(model)
    inline_model(inlined)
    results = [ReferenceEvaluator(inlined).run(None, arrays)]
    levels = ort.GraphOptimizationLevel
    runs = ((model, levels.ORT_DISABLE_ALL), (model, levels.ORT_ENABLE_ALL), (inlined, levels.ORT_DISABLE_ALL))
    for judged, level in runs:
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.graph_optimization_level = level
        options.log_severity_level = 4
        session = ort.InferenceSession(judged.SerializeToString(), options, providers=["CPUExecutionProvider"])
        results.append(session.run(None, arrays))
    for other in results[1:]:
        for expected, found in zip(results[0], other, strict=True):
            assert expected.dtype == found.dtype
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    return list(results[0])


def refused(call: Callable[[], object]) -> list[Diagnostic]:
    with pytest.raises(DiagnosticError) as caught:
        call()
    for item in caught.value.diagnostics:
        assert item.reason or item.help, item
    return list(caught.value.diagnostics)


SWISH = "<alpha>(x) => (y) { a = Constant<value_float: float = @alpha>() b = CastLike(a, x) t = Mul(b, x) \
s = Sigmoid(t) y = Mul(x, s) }"


def make_acme(version: str = "1.0.0", swish: str = SWISH) -> Bundle:
    """com.acme 2: Swish (a default), Twice (calls Swish), Floor (presence), Kind (element type), Pair (two outputs)."""
    library = LibraryBuilder(version=version)
    library.add("Swish", [Body(swish, (15, 22))], attributes=[AttributeEntry("alpha", "FLOAT", False, 1.5)])
    library.add("Twice", [Body("(x) => (y) { t = com.acme.Swish(x) y = Add(t, t) }", (15, 22))])
    absent, present = (("low", "absent"),), (("low", "present"),)
    floor = [
        Body("(x) => (y) { y = Identity(x) }", variant=absent),
        Body("(x, low) => (y) { y = Max(x, low) }", variant=present),
    ]
    library.add("Floor", floor, inputs=["x", InputEntry("low", "T", optional=True)])
    kind = "(x) => (y) {{ c = Constant<value_float: float = {}.0>() d = Cast<to={}>(c) y = Add(x, d) }}"
    kinds = [
        Body(kind.format(number, code), variant=(("T", name),), admits=(name,))
        for name, code, number in (("float", 1, 1), ("double", 11, 2))
    ]
    library.add("Kind", kinds, types=("float", "double"))
    library.add("Pair", "(x) => (y, z) { y = Neg(x) z = Abs(x) }", outputs=["y", "z"])
    library.add("Swish", [Body("(x) => (y) { y = Neg(x) }")], since_version=2)
    library.add("Late", "(x) => (y) { y = Exp(x) }", since_version=2)
    return library.bundle()


def make_standard() -> Bundle:
    """Operators of the standard under a mirror: Softplus 1 and 22, HardSwish 14 for float alone."""
    library = LibraryBuilder(name="std", domain="ai.onnx", mirror="opwright.ai.onnx", domain_version=28)
    softplus = """(X) => (Y) {
        r = Relu(X) a = Abs(X) n = Neg(a) e = Exp(n) o = Constant<value_float: float = 1.0>() c = CastLike(o, X)
        s = Add(e, c) l = Log(s) Y = Add(r, l)
    }"""
    for since in (1, 22):
        library.add("Softplus", [Body(softplus, (15, 24))], inputs=["X"], outputs=["Y"], since_version=since)
    hard = "(X) => (Y) { h = HardSigmoid<alpha: float = 0.16666667, beta: float = 0.5>(X) Y = Mul(X, h) }"
    library.add("HardSwish", hard, inputs=["X"], outputs=["Y"], since_version=14, types=["float"])
    return library.bundle()


@pytest.fixture
def acme() -> Bundle:
    return make_acme()


@pytest.fixture
def standard() -> Bundle:
    return make_standard()
