"""The bodies of a bundle as functions, with what tells which of them may share a model or a result."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from onnx import FunctionProto, defs
from opwright.bundle.format import BodyEntry, Bundle, FunctionEntry
from opwright.graphs.walk import all_nodes
from opwright.link.instantiate import OwnBodies, instantiate
from opwright.opsets.domains import normal_domain

from opwright_build.verify.dtypes import digest

Symbol = tuple[str, str, str]  # domain, name and overload of a function; or a domain, and nothing, where it is imported


@dataclass(frozen=True, slots=True)
class Instantiated:
    """A body and its callees as serialised functions of the domain that the library emits them in, the body last; they
    have no documentation.

    `text` is the same digest for bodies that differ in metadata and the opset alone; `operators` for
    those of them whose operators are of the same versions too, which onnxruntime runs alike; `computation` for those
    whose operators the reference evaluator runs alike. `symbols` are what a model that holds the functions declares:
    two may stand in one model where they agree on them.
    """

    functions: tuple[bytes, ...]
    text: str
    operators: str
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
        self._newest: dict[tuple[str, int], _Newest] = {}
        self._made: dict[tuple[str, int, int], Instantiated] = {}

    def of(self, entry: FunctionEntry, body: BodyEntry, opset: int) -> Instantiated:
        key = (entry.identity, id(body), opset)
        if key not in self._made:
            newest = self._newest_of(entry, body)
            functions = newest.functions if opset == body.last_opset else _imported_at(newest.functions, opset)
            operators = [newest.text.encode(), *(_version(name, opset).encode() for name in newest.operators)]
            computation = [newest.text.encode(), *(_implementation(name, opset).encode() for name in newest.operators)]
            symbols: dict[Symbol, bytes | int] = {**newest.imports, **dict(zip(newest.names, functions, strict=True))}
            self._made[key] = Instantiated(functions, newest.text, digest(operators), digest(computation), symbols)
        return self._made[key]

    def _newest_of(self, entry: FunctionEntry, body: BodyEntry) -> _Newest:
        """The body at the last of its opsets; at its others it is the same but for the version that it imports."""
        key = (entry.identity, id(body))
        if key not in self._newest:
            index, domain = self.bundle.index, self._mirrors.get(entry.domain, entry.domain)
            functions = instantiate(index, self._bodies, entry, body, opset=body.last_opset, domain=domain)
            for function in functions:
                function.ClearField("doc_string")
            serialised = tuple(function.SerializeToString() for function in functions)
            names = tuple((function.domain, function.name, function.overload) for function in functions)
            imports: dict[Symbol, int] = {
                (item.domain, "", ""): item.version
                for function in functions
                for item in function.opset_import
                if normal_domain(item.domain)  # the default one is imported at the model's own opset
            }
            used = tuple(_default_operators(functions))
            # The functions are not used any more: this changes them.
            own = {function.domain for function in functions}
            text = digest(_bare(function, own) for function in functions)
            self._newest[key] = _Newest(serialised, text, used, names, imports)
        return self._newest[key]


@dataclass(frozen=True, slots=True)
class _Newest:
    """A body with its callees at the last of its opsets, as of `Instantiated`; the operators of the default domain that
    they use; their names; and the other domains that they import."""

    functions: tuple[bytes, ...]
    text: str
    operators: tuple[str, ...]
    names: tuple[Symbol, ...]
    imports: Mapping[Symbol, int]


def _imported_at(functions: Iterable[bytes], opset: int) -> tuple[bytes, ...]:
    """The functions as they import another version of the default domain."""
    return tuple(_importing(FunctionProto.FromString(data), opset) for data in functions)


def _importing(function: FunctionProto, opset: int) -> bytes:
    for item in function.opset_import:
        if not normal_domain(item.domain):
            item.version = opset
    return function.SerializeToString()


def _default_operators(functions: Iterable[FunctionProto]) -> list[str]:
    """The operators of the default domain that the functions use, sorted."""
    nodes = (node for function in functions for node in all_nodes(function.node))
    return sorted({node.op_type for node in nodes if not normal_domain(node.domain)})


def _bare(function: FunctionProto, own: Collection[str]) -> bytes:
    """The bytes of a function without what tells no runtime anything, and without the versions at which it imports the
    default domain and those of the functions themselves."""
    function.ClearField("metadata_props")
    for item in function.opset_import:
        if not normal_domain(item.domain) or item.domain in own:
            item.version = 0
    return function.SerializeToString()


@cache
def _version(operator: str, opset: int) -> str:
    """An operator of the default domain at an opset: by its version, or where onnx knows none by the opset."""
    try:
        return f"{operator} since {defs.get_schema(operator, opset, '').since_version}"
    except defs.SchemaError:
        return f"{operator} {opset}"


@cache
def _implementation(operator: str, opset: int) -> str:
    """What the reference evaluator runs for an operator of the default domain: one class serves several versions. Where
    it runs no class, each opset is another implementation."""
    from onnx.reference.ops import load_op

    try:
        found: object = load_op("", operator, opset)
    except Exception:  # onnx raises errors of several modules; that it raises here says nothing about a model
        found = None
    where = f"{found.__module__}.{found.__qualname__}" if isinstance(found, type) else opset
    return f"{operator} {where}"
