"""Bodies that follow the element types of their inputs, in the place of one for each type.

They are for tools that decide types late: a converter to float16 changes the types of a graph's values and leaves
functions as they are, so that a body which is specialised to float fails. The bodies of a function for several float
types are laid side by side. Where they differ in nothing but the type itself (constants of it, casts to it, calls of
functions that differ so), one body does for all: casts and constants follow an input, and each constant has the widest
type, from which that of each other type comes by a cast. A body that computes in float what it is given in float16 does
for float as well, where the one for float is the same without the casts. So for each type it computes what the body for
that type does, to the bit. Where bodies differ otherwise, there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from opwright.bundle.format import BodyEntry, CallEntry, FunctionEntry
from opwright.elements import BY_CODE, BY_NAME
from opwright.graphs.walk import rename_values
from opwright.link.borrowed import Borrowed
from opwright.link.catalogue import Catalogue
from opwright.link.digests import Record
from opwright.link.instantiate import CALL_DOMAIN, parse_body
from opwright.link.naming import Instance, bodies_at
from opwright.link.propagate import Fact, Propagation, Visit
from opwright.link.value_types import tensor_of
from opwright.opsets.domains import DEFAULT_DOMAIN, normal_domain
from opwright.opsets.records import CAST, CAST_LIKE, CONSTANT, CONSTANT_OF_SHAPE
from opwright.protos.canonical import canonicalise
from opwright.protos.canonical_tensors import RefusedError

FLOATS = ("double", "float", "bfloat16", "float16")  # the widest first
_OLDEST = 15  # the opset that CastLike came with
_COMPUTED = "float"  # in which bodies for narrower types compute

_Key = tuple[tuple[str, str], ...]


class _Different(Exception):
    """Two bodies that are not one; says how they differ."""


@dataclass(slots=True)
class LateTypes:
    """The functions of libraries with such bodies, for one default opset; each is made when it is asked for.

    `made` has the digests of what the bodies of a function were made of, by its identity and theirs; `bodies` their
    bytes, by digest; `reasons` says of functions with bodies for single types why there is no other, by identity.
    """

    catalogue: Catalogue
    opset: int
    made: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    bodies: dict[str, bytes] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    _entries: dict[str, FunctionEntry] = field(default_factory=dict)

    def catalogue_with_them(self) -> Catalogue:
        """The catalogue in which functions have such bodies first. What it is asked for is kept here."""
        given = self.catalogue
        borrowed = given.borrowed
        return replace(
            given,
            functions=_Entries(given.functions, self),
            versions=_Versions(given.versions, self),
            bodies=_Bodies(self.bodies, given.bodies),
            made_of=self.made,
            borrowed=Borrowed(
                _Entries(borrowed.functions, self), borrowed.origins, borrowed.versions, borrowed.domains
            ),
        )

    def entry(self, entry: FunctionEntry) -> FunctionEntry:
        """The function with its late bodies before the others."""
        if entry.identity not in self._entries:
            for item in self._callees_first(entry):
                late = tuple(self._late_bodies(item))
                self._entries[item.identity] = replace(item, bodies=(*late, *item.bodies)) if late else item
        return self._entries[entry.identity]

    def _callees_first(self, root: FunctionEntry) -> Iterator[FunctionEntry]:
        """The function behind those that its bodies call, to any depth; those that are known already are left out."""
        met = {root.identity}
        stack = [(root, iter(self._called(root)))]
        while stack:
            entry, callees = stack[-1]
            callee = next(callees, None)
            if callee is None:
                stack.pop()
                yield entry
            elif callee.identity not in met and callee.identity not in self._entries:
                met.add(callee.identity)
                stack.append((callee, iter(self._called(callee))))

    def _called(self, entry: FunctionEntry) -> list[FunctionEntry]:
        calls = (call for body in bodies_at(entry, self.opset) for call in body.calls)
        names = dict.fromkeys(f"{call.domain}::{call.name}@{call.since_version}" for call in calls)
        return [found for name in names if (found := self.catalogue.called(name)) is not None]

    def _late_bodies(self, entry: FunctionEntry) -> Iterator[BodyEntry]:
        groups: dict[tuple[str, _Key], list[tuple[str, BodyEntry]]] = {}
        for body in bodies_at(entry, self.opset):
            axes = [(axis, value) for axis, value in body.variant if axis in dict(entry.types)]
            if len(axes) == 1 and axes[0][1] in FLOATS:
                rest = tuple(pair for pair in body.variant if pair != axes[0])
                groups.setdefault((axes[0][0], rest), []).append((axes[0][1], body))
            elif axes:
                self.reasons[entry.identity] = "its bodies are for several types at once, or for no floats"
        for (variable, rest), members in groups.items():
            if self.opset < _OLDEST:
                self.reasons[entry.identity] = f"CastLike came with opset {_OLDEST}, and the model's is {self.opset}"
            elif len(members) < 2:
                self.reasons[entry.identity] = f"it has a body for {members[0][0]} alone"
            else:
                members.sort(key=lambda item: FLOATS.index(item[0]))
                late = self._joined(entry, variable, rest, members)
                if late is not None:
                    yield late

    def _joined(
        self, entry: FunctionEntry, variable: str, rest: _Key, members: Sequence[tuple[str, BodyEntry]]
    ) -> BodyEntry | None:
        """One body for as many types as there can be one for, float and float16 before others."""
        found: list[tuple[list[str], list[tuple[str, BodyEntry]]]] = []
        wide = next((member for member in members if member[0] == _COMPUTED), None)
        for at in range(len(members)):
            alike = self._alike(entry, variable, members[at:])
            types = [name for name, _ in alike]
            if wide is not None and at > members.index(wide) and self._computes_in_float(entry, alike[0], wide[1]):
                types.insert(0, _COMPUTED)
            found.append((types, alike))
        types, kept = max(found, key=lambda item: ({"float", "float16"} <= {*item[0]}, len(item[0])))
        if len(types) < 2:
            return None
        function, calls = self._merged(entry, variable, kept)
        canonical = canonicalise(function, callees={})
        body = kept[0][1]
        order = {name: position for position, name in enumerate(function.input)}
        attributes = {name: position for position, name in enumerate(function.attribute)}
        made = replace(
            body,
            first_opset=self.opset,
            last_opset=self.opset,
            variant=rest,
            body=canonical.digest,
            inputs=tuple(body.inputs[order[name]] for name in canonical.inputs),
            attributes=tuple(body.attributes[attributes[name]] for name in canonical.attributes),
            admits=(
                *((name, elements) for name, elements in body.admits if name != variable),
                (variable, tuple(types)),
            ),
            calls=calls,
        )
        self.bodies[canonical.digest] = canonical.proto
        used = (member.body for name, member in members if name in types)
        self.made[entry.identity, canonical.digest] = tuple(used)
        if len(types) == len(members):
            self.reasons.pop(entry.identity, None)
        return made

    def _computes_in_float(self, entry: FunctionEntry, narrow: tuple[str, BodyEntry], wide: BodyEntry) -> bool:
        """Whether a body is that for float, but for casts to float of what it is given and casts back."""
        element, body = narrow
        function = parse_body(self.catalogue, Instance(entry, body))
        kinds = {item.name: item.type for item in entry.inputs}
        names = dict(entry.types)
        types = _types(function, [tensor_of(element) if kinds.get(name) in names else None for name in body.inputs])
        same: dict[str, str] = {}
        kept = []
        for node in function.node:
            to = _cast_to(node)
            source = types.get(node.input[0]) if to is not None else None
            if to is not None and source in (tensor_of(element), tensor_of(_COMPUTED)) and to in (element, _COMPUTED):
                same[node.output[0]] = same.get(node.input[0], node.input[0])
            else:
                kept.append(node)
        del function.node[:]
        function.node.extend(kept)
        rename_values(function.node, lambda name: same.get(name, name))
        function.output[:] = [same.get(name, name) for name in function.output]
        return self._digest(function) == self._digest(parse_body(self.catalogue, Instance(entry, wide)))

    def _digest(self, function: FunctionProto) -> str:
        versions = {normal_domain(item.domain): item.version for item in function.opset_import}
        _import(function, {**versions, DEFAULT_DOMAIN: self.opset})
        try:
            return canonicalise(function, callees={}).digest
        except RefusedError:
            return ""

    def _alike(
        self, entry: FunctionEntry, variable: str, members: Sequence[tuple[str, BodyEntry]]
    ) -> list[tuple[str, BodyEntry]]:
        """The first of the members, and those that differ from it in nothing but the type."""
        kept = [members[0]]
        for other in members[1:]:
            try:
                self._merged(entry, variable, [*kept, other])
            except _Different as error:
                self.reasons[entry.identity] = f"its bodies for {members[0][0]} and {other[0]} differ: {error}"
            else:
                kept.append(other)
        return kept

    def _merged(
        self, entry: FunctionEntry, variable: str, members: Sequence[tuple[str, BodyEntry]]
    ) -> tuple[FunctionProto, tuple[CallEntry, ...]]:
        """The nodes of all members as one function, and what it calls. Raises _Different."""
        bodies = [body for _, body in members]
        shapes = {(body.inputs, body.attributes, body.outputs) for body in bodies}
        if len(shapes) > 1:
            raise _Different("they have other inputs or attributes")
        types = {item.name: item.type for item in entry.inputs}
        like = next((at for at, name in enumerate(bodies[0].inputs) if types.get(name) == variable), None)
        if like is None:
            raise _Different(f"no input is of the type {variable}")
        functions = [parse_body(self.catalogue, Instance(entry, body)) for body in bodies]
        merger = _Merger(self, [name for name, _ in members], bodies, f"i{like}")
        made = FunctionProto()
        made.CopyFrom(functions[0])
        del made.node[:]
        made.node.extend(merger.nodes([function.node for function in functions]))
        versions = {normal_domain(item.domain): item.version for item in functions[0].opset_import}
        _import(made, {**versions, DEFAULT_DOMAIN: self.opset})
        return made, tuple(merger.calls.values())

    def fixed(self, instance: Instance, bound: Mapping[str, str]) -> str:
        """Why a body does not take float16 where a call gives it another float type, or float where it gives float16;
        empty where it does, or takes no float."""
        entry, body = instance.entry, instance.body
        single = [item.name for item in entry.inputs if item.type in FLOATS and item.name in body.inputs]
        if single:
            return f"its input {single[0]} is declared {next(i.type for i in entry.inputs if i.name == single[0])}"
        admits = dict(body.admits)
        for variable, element in bound.items():
            if element not in FLOATS:
                continue
            wanted = _COMPUTED if element == "float16" else "float16"
            if dict(body.variant).get(variable) == element:
                return self.reasons.get(entry.identity, "it is made for the call, of a template")
            if wanted not in admits.get(variable, (wanted,)):
                reason = f"it takes {', '.join(admits[variable])} at opset {self.opset}, not {wanted}"
                return self.reasons.get(entry.identity, reason)
        return ""

    def fixed_before(self, record: Record) -> str:
        """The same of a function that was attached before, for a call of its own float type, or of float."""
        if record.late:
            return ""
        typed = next((value for value in _values(record.variant) if value in FLOATS), "")
        if typed:  # which is told of a library that is not given, too
            return f"it is the one for {typed}"
        entry = self.catalogue.called(record.identity)
        if entry is None:
            return ""
        body = next((item for item in entry.bodies if item.body == record.body), None)
        if body is None:
            return "it is made for the call, of a template"
        admits = dict(body.admits)
        bound = {name: _COMPUTED for name, _ in entry.types if _COMPUTED in admits.get(name, (_COMPUTED,))}
        return self.fixed(Instance(entry, body), bound)

    def late_callee(self, calls: Sequence[CallEntry]) -> CallEntry:
        """One call in the place of those that the bodies for single types make. Raises _Different."""
        first = calls[0]
        identity = f"{first.domain}::{first.name}@{first.since_version}"
        late = self._entries.get(identity)
        if late is None:
            raise _Different(f"{identity} is not at hand")
        wanted = tuple(call.body for call in calls)
        for body in late.bodies:
            made_of = self.made.get((identity, body.body))
            if made_of is not None and set(wanted) <= set(made_of):
                return replace(first, variant=body.variant, body=body.body)
        raise _Different(f"{identity} has other bodies: {self.reasons.get(identity, 'they are not one')}")


def _values(variant: str) -> list[str]:
    """Those that a variant is recorded with: `T=float,scale=absent`."""
    return [pair.partition("=")[2] for pair in variant.split(",")]


def _import(function: FunctionProto, versions: Mapping[str, int]) -> None:
    del function.opset_import[:]
    function.opset_import.extend(helper.make_opsetid(domain, version) for domain, version in sorted(versions.items()))


def _cast_to(node: NodeProto) -> str | None:
    """The element type that a node casts to; None for other nodes."""
    if not CAST.describes(node):
        return None
    code = next((item.i for item in node.attribute if item.name == "to"), 0)
    return BY_CODE[code].name if code in BY_CODE else None


def _types(function: FunctionProto, inputs: Sequence[Fact]) -> dict[str, Fact]:
    """What is known of the types of the values of a body's own nodes."""
    found: dict[str, Fact] = dict(zip(function.input, inputs, strict=True))

    class Nothing:
        def visit(self, visit: Visit) -> None:
            return None

    def note(visit: Visit, outputs: Sequence[Fact]) -> None:
        found.update(zip(visit.node.output, outputs, strict=False))

    model = ModelProto(opset_import=function.opset_import)
    propagation = Propagation(model, Nothing(), note)
    propagation.add_function(("", "body", ""), function)
    propagation.call(("", "body", ""), inputs, {})
    return found


class _Merger:
    """Makes nodes of the nodes of several bodies, which have to be the same but for the type."""

    def __init__(self, late: LateTypes, elements: Sequence[str], bodies: Sequence[BodyEntry], like: str) -> None:
        self.calls: dict[str, CallEntry] = {}
        self._late = late
        self._elements = elements
        self._codes = [BY_NAME[name].code for name in elements]
        self._entries = [{call.body.partition(":")[2]: call for call in body.calls} for body in bodies]
        self._like = like
        self._count = 0

    def nodes(self, bodies: Sequence[Sequence[NodeProto]]) -> list[NodeProto]:
        if len({len(nodes) for nodes in bodies}) > 1:
            raise _Different("one has more nodes")
        return [made for group in zip(*bodies, strict=True) for made in self._node(group)]

    def _node(self, group: Sequence[NodeProto]) -> list[NodeProto]:
        first = group[0]
        node = NodeProto()
        node.CopyFrom(first)
        del node.attribute[:]
        if len({(item.domain, tuple(item.input), tuple(item.output)) for item in group}) > 1:
            raise _Different(f"{first.op_type} has other inputs")
        if first.domain == CALL_DOMAIN:
            node.op_type = self._callee([item.op_type for item in group])
        elif len({item.op_type for item in group}) > 1:
            raise _Different(f"{first.op_type} is {group[1].op_type}")
        if len({tuple(attribute.name for attribute in item.attribute) for item in group}) > 1:
            raise _Different(f"{first.op_type} has other attributes")
        casts = False
        for attributes in zip(*(item.attribute for item in group), strict=True):
            made, cast = self._attribute(node, attributes)
            casts = casts or cast
            if made is not None:
                node.attribute.append(made)
        if not casts:
            return [node]
        if CAST_LIKE.describes(node):
            return [node]
        target = node.output[0]
        self._count += 1
        node.output[0] = f"late{self._count}"
        return [node, helper.make_node(CAST_LIKE.name, [node.output[0], self._like], [target])]

    def _callee(self, digests: Sequence[str]) -> str:
        if len(set(digests)) == 1 and digests[0] in self._entries[0]:
            self.calls[digests[0]] = self._entries[0][digests[0]]
            return digests[0]
        found = [entries.get(digest) for entries, digest in zip(self._entries, digests, strict=True)]
        calls = [call for call in found if call is not None]
        names = {(call.domain, call.name, call.since_version) for call in calls}
        if len(calls) < len(digests) or len(names) > 1:
            raise _Different("they call other functions")
        late = self._late.late_callee(calls)
        name = late.body.partition(":")[2]
        self.calls[name] = late
        return name

    def _attribute(self, node: NodeProto, group: Sequence[AttributeProto]) -> tuple[AttributeProto | None, bool]:
        """The attribute for all types, None where there is none any more; and whether what the node gives is cast."""
        first = group[0]
        if any(True for item in group if item.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS)):
            return self._graph(node, group), False
        plain = normal_domain(node.domain) == DEFAULT_DOMAIN
        if CAST.describes(node) and first.name == "to" and [item.i for item in group] == self._codes:
            node.op_type = CAST_LIKE.name
            node.input.append(self._like)
            return None, True
        if len({item.SerializeToString(deterministic=True) for item in group}) == 1:
            return first, False
        if not plain:
            raise _Different(f"{node.op_type} has other values of {first.name}")
        if (CONSTANT.describes(node) or CONSTANT_OF_SHAPE.describes(node)) and first.name == "value":
            made = AttributeProto()
            made.CopyFrom(first)
            made.t.CopyFrom(self._tensor([item.t for item in group]))
            return made, True
        raise _Different(f"{node.op_type} has other values of {first.name}")

    def _tensor(self, group: Sequence[TensorProto]) -> TensorProto:
        """The tensor of the widest type, from which all others come by a cast; runtimes cast double by way of float."""
        if [item.data_type for item in group] != self._codes:
            raise _Different("a constant has other values")
        arrays = [numpy_helper.to_array(item) for item in group]
        widest = arrays[0]
        for array in arrays[1:]:
            with np.errstate(all="ignore"):
                casts = [widest.astype(array.dtype)]
                if array.dtype.itemsize < np.dtype(np.float32).itemsize:
                    casts.append(widest.astype(np.float32).astype(array.dtype))
            if any(cast.shape != array.shape or cast.tobytes() != array.tobytes() for cast in casts):
                raise _Different("a constant is not one number in all types")
        return group[0]

    def _graph(self, node: NodeProto, group: Sequence[AttributeProto]) -> AttributeProto:
        graphs = [item.g for item in group]
        if any(item.type != AttributeProto.GRAPH for item in group):
            raise _Different(f"{node.op_type} has other graphs")
        bare = set()
        for graph in graphs:
            copy = GraphProto()
            copy.CopyFrom(graph)
            del copy.node[:]
            bare.add(copy.SerializeToString(deterministic=True))
        if len(bare) > 1:
            raise _Different(f"the graphs of {node.op_type} declare other values")
        made = AttributeProto()
        made.CopyFrom(group[0])
        del made.g.node[:]
        made.g.node.extend(self.nodes([graph.node for graph in graphs]))
        return made


class _Entries(Mapping[str, FunctionEntry]):
    def __init__(self, given: Mapping[str, FunctionEntry], late: LateTypes) -> None:
        self._given = given
        self._late = late

    def __getitem__(self, key: str) -> FunctionEntry:
        return self._late.entry(self._given[key])

    def __contains__(self, key: object) -> bool:
        return key in self._given

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


class _Versions(Mapping[tuple[str, str], tuple[FunctionEntry, ...]]):
    def __init__(self, given: Mapping[tuple[str, str], tuple[FunctionEntry, ...]], late: LateTypes) -> None:
        self._given = given
        self._late = late

    def __getitem__(self, key: tuple[str, str]) -> tuple[FunctionEntry, ...]:
        return tuple(map(self._late.entry, self._given[key]))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


class _Bodies(Mapping[str, bytes]):
    """Those that were made, which grow, before those of the libraries."""

    def __init__(self, made: Mapping[str, bytes], given: Mapping[str, bytes]) -> None:
        self._made = made
        self._given = given

    def __getitem__(self, key: str) -> bytes:
        return self._made[key] if key in self._made else self._given[key]

    def __contains__(self, key: object) -> bool:
        return key in self._made or key in self._given

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._made, *self._given)))

    def __len__(self) -> int:
        return sum(1 for _ in self)
