"""What is proposed: a function version, its bodies as the standard would hold them, and the version before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from onnx import FunctionProto, NodeProto, defs
from opwright.bundle.format import BodyEntry, Bundle, FunctionEntry, InputEntry, OutputEntry
from opwright.elements import BY_NAME
from opwright.graphs.ids import function_id
from opwright.graphs.inline import inline_into
from opwright.graphs.walk import all_nodes, subgraphs
from opwright.link.instantiate import instantiate
from opwright.link.naming import bodies_at, version_at
from opwright.link.schema_types import schema_at
from opwright.opsets.domains import normal_domain
from opwright.variants import Key

from opwright_build.propose.homes import Home, home_of
from opwright_build.propose.readable import make_readable
from opwright_build.verify.cases.suite import newest_version


@dataclass(frozen=True, slots=True)
class Variant:
    """One body: the facts that choose it, and the function in the proposed domain, with names that people can read."""

    key: Key
    body: BodyEntry
    function: FunctionProto


@dataclass(frozen=True, slots=True)
class BodySet:
    """The variants from one default opset on, until that of the next set."""

    opset: int
    variants: tuple[Variant, ...]

    @property
    def is_plain(self) -> bool:
        """Whether all calls get the same body."""
        return len({_content(variant.function) for variant in self.variants}) == 1


@dataclass(frozen=True, slots=True)
class Proposal:
    """`sets` are ordered by opset and empty where no function says what the operator is, as for templates.

    `previous` is the version before this one, None for a new operator; `is_newest`: neither the library nor the
    installed onnx has a later one. Of a template (`is_template`) the sets are the instances that its vectors need.
    """

    entry: FunctionEntry
    home: Home
    license: str
    sets: tuple[BodySet, ...]
    previous: FunctionEntry | None
    is_newest: bool
    is_template: bool

    @property
    def first(self) -> BodySet | None:
        return self.sets[0] if self.sets else None

    @property
    def uses_text(self) -> bool:
        """Whether the body can be a text of the schema: one for all calls, of operators of the domain's own version."""
        return self.home.counts_opsets and not self.is_template and all(item.is_plain for item in self.sets)

    @property
    def is_random(self) -> bool:
        variants = [variant for item in self.sets for variant in item.variants]
        return any(
            _is_random(node, variant.function) for variant in variants for node in all_nodes(variant.function.node)
        )


def _is_random(node: NodeProto, function: FunctionProto) -> bool:
    """Whether the operator itself is: of those with graphs the standard says so too, for what the graphs may hold."""
    if any(subgraphs(node)):
        return False
    domain = normal_domain(node.domain)
    version = next((item.version for item in function.opset_import if normal_domain(item.domain) == domain), 1)
    schema: Any = schema_at(node.op_type, domain, version)  # onnx's stubs lack what is asked of it
    return schema is not None and bool(schema.node_determinism is defs.OpSchema.NodeDeterminism.NonDeterministic)


def make_proposal(bundle: Bundle, entry: FunctionEntry) -> Proposal:
    """The proposal of one version of a library."""
    home = home_of(entry.domain)
    versions = [item for item in bundle.index.functions if (item.domain, item.name) == (entry.domain, entry.name)]
    newer = [item.since_version for item in versions if item.since_version > entry.since_version]
    sets: list[BodySet] = []
    for opset in _opsets(entry, home, min(newer, default=None)):
        variants = tuple(
            Variant(body.variant, body, _function(bundle, entry, body, opset, home)) for body in bodies_at(entry, opset)
        )
        made = BodySet(opset, variants)
        if not sets or _texts(sets[-1]) != _texts(made):
            sets.append(made)
    previous = version_at(versions, entry.since_version - 1)
    is_newest = not newer and newest_version(entry.domain, entry.name) <= entry.since_version
    return Proposal(entry, home, bundle.index.license, tuple(sets), previous, is_newest, bool(entry.templates))


def _opsets(entry: FunctionEntry, home: Home, next_version: int | None) -> list[int]:
    """The default opsets from which a set of bodies may hold."""
    firsts = sorted({body.first_opset for body in entry.bodies})
    if not firsts:
        return []
    if not home.counts_opsets:
        return firsts[-1:]  # another domain's version says nothing of the default domain's
    start = max(entry.since_version, firsts[0])
    later = [first for first in firsts if first > start and (next_version is None or first < next_version)]
    return [start, *later] if bodies_at(entry, start) else later


def _function(bundle: Bundle, entry: FunctionEntry, body: BodyEntry, opset: int, home: Home) -> FunctionProto:
    """The body with everything that it calls inlined: the standard has no functions of ours."""
    emitted = next((item.mirror for item in bundle.index.domains if item.name == entry.domain), entry.domain)
    *callees, function = instantiate(bundle.index, bundle.bodies, entry, body, opset=opset, domain=emitted)
    if callees:
        inline_into(function, {function_id(callee): callee for callee in callees}.get)
    function.domain, function.name = home.domain, entry.name
    del function.metadata_props[:]
    versions = {item.domain: item.version for item in function.opset_import}
    used = sorted({normal_domain(node.domain) for node in all_nodes(function.node)} | {""})
    del function.opset_import[:]
    for domain in used:
        function.opset_import.add(domain=domain, version=opset if domain == "" else versions.get(domain, 1))
    return make_readable(function)


def _texts(bodies: BodySet) -> list[tuple[Key, bytes]]:
    """What the set says, its opsets apart: two sets that say the same are one."""
    return [(variant.key, _content(variant.function)) for variant in bodies.variants]


def _content(function: FunctionProto) -> bytes:
    copy = FunctionProto(input=function.input, output=function.output, node=function.node)
    return copy.SerializeToString(deterministic=True)


def values_of(entry: FunctionEntry) -> list[InputEntry | OutputEntry]:
    """The inputs and outputs, in order."""
    return [*entry.inputs, *entry.outputs]


def has_floats(entry: FunctionEntry, declared: str) -> bool:
    """Whether a declaration admits floating-point tensors; one of whatever type does."""
    types = element_types(entry, declared)
    return any(kind not in BY_NAME or BY_NAME[kind].is_float for kind in types)


def element_types(entry: FunctionEntry, declared: str) -> Sequence[str]:
    """The element types that a declaration of an input or output admits."""
    return dict(entry.types).get(declared, (declared,))
