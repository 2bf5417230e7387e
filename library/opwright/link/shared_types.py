"""Types that values have because others have them: where an operator takes and gives several of one type variable.

Nothing is known of what an operator gives that no schema describes. What reads it often says: `Add` takes two values of
one type, of which the other is an initializer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from onnx import NodeProto

from opwright.link.schema_types import formals, schema_at
from opwright.opsets.domains import normal_domain


def shared_types(
    nodes: Iterable[NodeProto], imports: Mapping[str, int], known: Callable[[str], str | None]
) -> dict[str, str]:
    """The types of values of one graph, as texts, as far as they follow so; `known` are those of its inputs,
    initializers and declared values. Of nodes that no schema describes nothing follows."""
    groups = _Groups()
    for node in nodes:
        domain = normal_domain(node.domain)
        schema = schema_at(node.op_type, domain, imports.get(domain, 0))
        if schema is None:
            continue
        admitted = {item.type_param_str: item.allowed_type_strs for item in schema.type_constraints}
        first: dict[str, str] = {}  # value by type variable
        for names, declared in ((node.input, schema.inputs), (node.output, schema.outputs)):
            for name, formal in zip(names, islice(formals(declared), len(names)), strict=False):
                if not name or not formal.is_homogeneous:
                    continue
                types: Sequence[str] = admitted.get(formal.type_str, (formal.type_str,))
                if len(types) == 1:
                    groups.note(name, types[0])
                else:
                    groups.join(first.setdefault(formal.type_str, name), name)
    for name in [*groups.parents]:
        fact = known(name)
        if fact:
            groups.note(name, fact)
    return {name: fact for name in groups.parents if (fact := groups.types.get(groups.find(name)))}


class _Groups:
    """Values of one type each: `parents` lead to the value that stands for its group, of which `types` has the type."""

    def __init__(self) -> None:
        self.parents: dict[str, str] = {}
        self.types: dict[str, str] = {}

    def find(self, name: str) -> str:
        parents = self.parents
        parents.setdefault(name, name)
        while parents[name] != name:
            parents[name] = name = parents[parents[name]]
        return name

    def join(self, one: str, other: str) -> None:
        left, right = self.find(one), self.find(other)
        if left != right:
            self.parents[right] = left
            fact = self.types.pop(right, None)
            if fact is not None:
                self.types.setdefault(left, fact)

    def note(self, name: str, fact: str) -> None:
        self.types.setdefault(self.find(name), fact)
