"""The bodies of a bundle as functions, with what tells which of them may share a model or a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from onnx import FunctionProto
from opwright.bundle.format import BodyEntry, Bundle, FunctionEntry
from opwright.graphs.walk import all_nodes
from opwright.link.instantiate import OwnBodies, instantiate
from opwright.opsets.domains import normal_domain

from opwright_build.verify.dtypes import digest

Symbol = tuple[str, str, str]  # domain, name and overload of a function; or a domain, and nothing, where it is imported


@dataclass(frozen=True, slots=True)
class Instantiated:
    """A body and its callees as serialised functions of the domain that the library emits them in, the body last.

    `content` is the same digest for bodies that differ in documentation and metadata alone, `computation` for those
    that the reference evaluator cannot tell apart either. `symbols` are what a model that holds the functions declares:
    two may stand in one model where they agree on them.
    """

    functions: tuple[bytes, ...]
    content: str
    computation: str
    symbols: Mapping[Symbol, bytes | int]


class BodyFunctions:
    """The bodies of a bundle as functions, each made once for an opset.

    Bodies that are `own`, all of them made by the build, are not checked against their digests again; those that a
    bundle carries of other libraries are others' work.
    """

    def __init__(self, bundle: Bundle, *, own: bool = False) -> None:
        self.bundle = bundle
        self._bodies = OwnBodies(bundle.bodies) if own else bundle.bodies
        self._mirrors = {domain.name: domain.mirror for domain in bundle.index.domains}
        self._made: dict[tuple[str, int, int], Instantiated] = {}

    def of(self, entry: FunctionEntry, body: BodyEntry, opset: int) -> Instantiated:
        key = (entry.identity, id(body), opset)
        if key not in self._made:
            index, domain = self.bundle.index, self._mirrors.get(entry.domain, entry.domain)
            functions = instantiate(index, self._bodies, entry, body, opset=opset, domain=domain)
            serialised = tuple(function.SerializeToString() for function in functions)
            symbols = _symbols(functions, serialised)
            content = digest(map(_bare, functions))
            # The functions are not used any more: both calls change them.
            computation = digest(_computation(function, opset) for function in functions)
            self._made[key] = Instantiated(serialised, content, computation, symbols)
        return self._made[key]


def _symbols(functions: Sequence[FunctionProto], serialised: Sequence[bytes]) -> dict[Symbol, bytes | int]:
    found: dict[Symbol, bytes | int] = {}
    for function, data in zip(functions, serialised, strict=True):
        found[function.domain, function.name, function.overload] = data
        for item in function.opset_import:
            if normal_domain(item.domain):  # the default one is imported at the model's own opset
                found[item.domain, "", ""] = item.version
    return found


def _bare(function: FunctionProto) -> bytes:
    """The bytes of a function without what tells no runtime anything."""
    function.ClearField("doc_string")
    function.ClearField("metadata_props")
    return function.SerializeToString()


def _computation(function: FunctionProto, opset: int) -> bytes:
    """The bytes of a bare function with the reference evaluator's implementations in place of operators and opset."""
    function.ClearField("opset_import")
    for node in all_nodes(function.node):
        if not normal_domain(node.domain):
            node.domain = _implementation(node.op_type, opset)
    return function.SerializeToString()


@cache
def _implementation(operator: str, opset: int) -> str:
    """What the reference evaluator runs for an operator of the default domain: one class serves several versions. Where
    it runs no class, each opset is another implementation."""
    from onnx.reference.ops import load_op

    try:
        found: object = load_op("", operator, opset)
    except Exception:  # onnx raises errors of several modules; that it raises here says nothing about a model
        found = None
    return f"{found.__module__}.{found.__qualname__}" if isinstance(found, type) else f"{operator} {opset}"
