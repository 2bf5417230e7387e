"""Small libraries made by hand, so that the linker is tested without the compiler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import onnx
import onnx.parser
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
from opwright.link.instantiate import CALL_DOMAIN
from opwright.link.walk import all_nodes, rename_references, rename_values

FLOATS = ("float16", "float", "double")
Attribute = AttributeEntry


@dataclass
class Body:
    """One body as ONNX text with real names: `(x, alpha) => (y) { ... }`; calls are nodes of the callee's domain."""

    text: str
    opsets: tuple[int, int] = (13, 28)
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
            bodies=tuple(self._body(body, pins or {}) for body in made),
        )
        self.functions.append(entry)
        self.known[entry.domain, name, since_version] = entry
        return entry

    def _body(self, body: Body, pins: dict[str, int]) -> BodyEntry:
        function = onnx.parser.parse_function(f'<domain: "x", opset_import: ["": 18]> f {body.text}')
        calls = []
        for node in all_nodes(function.node):
            if node.domain:
                calls.append(self._call(node, pins))
        inputs, attributes = tuple(function.input), tuple(function.attribute)
        data = _anonymous(function).SerializeToString(deterministic=True)
        digest = f"body1:{sha256(data).hexdigest()}"
        self.bodies[digest] = data
        return BodyEntry(
            body.opsets[0],
            body.opsets[1],
            body.variant,
            digest,
            inputs,
            attributes,
            (("T", body.admits),),
            tuple(dict.fromkeys(calls)),
        )

    def _call(self, node: onnx.NodeProto, pins: dict[str, int]) -> CallEntry:
        """Points a node at the callee's body; the variant is named by the node's overload."""
        versions = [key for key in self.known if key[:2] == (node.domain, node.op_type)]
        since = pins.get(node.op_type, max(key[2] for key in versions))
        entry = self.known[node.domain, node.op_type, since]
        body = next(b for b in entry.bodies if not node.overload or dict(b.variant)["T"] == node.overload)
        for attribute in node.attribute:
            attribute.name = f"a{body.attributes.index(attribute.name)}"
        node.domain, node.op_type, node.overload = CALL_DOMAIN, body.body.removeprefix("body1:"), ""
        return CallEntry(entry.domain, entry.name, entry.since_version, body.variant, body.body)

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


def _anonymous(function: FunctionProto) -> FunctionProto:
    """Positional names; the rest of the canonical form does not matter to the linker."""
    names = {name: f"i{index}" for index, name in enumerate(function.input)}
    names.update({name: f"o{index}" for index, name in enumerate(function.output)})
    rename_values(function.node, lambda name: names.setdefault(name, f"v{len(names)}"))
    rename_references(function.node, {name: f"a{index}" for index, name in enumerate(function.attribute)})
    function.input[:] = [f"i{index}" for index in range(len(function.input))]
    function.output[:] = [f"o{index}" for index in range(len(function.output))]
    function.attribute[:] = [f"a{index}" for index in range(len(function.attribute))]
    function.name = function.domain = ""
    del function.opset_import[:]
    return function
