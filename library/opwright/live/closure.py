"""The functions that a model needs beside its graph: each once, callees first, under a name of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from onnx import FunctionProto

from opwright.diagnostics.model import Diagnostic, DiagnosticError, Related
from opwright.functions import LOCAL_DOMAIN, OnnxFunction
from opwright.lang import ir
from opwright.lang.family import Variant
from opwright.lang.source import span_of
from opwright.link.inline import function_id
from opwright.link.naming import FunctionId
from opwright.live.compiled import Compiled, Run
from opwright.live.libraries import LibraryCalls
from opwright.live.proto_calls import ProtoCalls
from opwright.live.proto_functions import ProtoFunction
from opwright.live.protos import emit_variant

VariantKey = tuple[tuple[str, str], ...]
Content = tuple[OnnxFunction, VariantKey]


class Closure:
    """What the graph of a model calls, found while it is emitted. Names belong to one model.

    Two functions of one name in `opwright.local` get names of their own; in any other domain that is refused.
    `places`: what is called has the places of its nodes.
    """

    def __init__(self, run: Run, root: OnnxFunction | None, places: bool = False) -> None:
        self.run = Run(run.opset, keeps=False) if places else run
        self.places = places
        self._owners: dict[tuple[str, str, str], OnnxFunction | str] = {}
        if root is not None:
            self._owners[root.domain, root.name, root.overload] = root
        self._names: dict[OnnxFunction, str] = {}
        self._wanted: dict[Content, None] = {}
        self._found: dict[Content, None] = {}
        self.library = LibraryCalls(run.opset)
        self.existing = ProtoCalls(run.opset, lambda identity, body: self._owners.setdefault(identity, body) == body)

    def identify(self, callee: ir.FunctionReference) -> tuple[str, str, str]:
        """The id under which a called function stands in the model; it is noted as needed."""
        function = callee.origin
        if isinstance(function, ProtoFunction):
            return self.existing.identify(function)
        if not isinstance(function, OnnxFunction):
            return self.library.identify(callee)
        self._found[function, callee.variant] = None
        domain, _, overload = callee.identity
        return domain, self._name(function), overload or function.overload

    def given_names(self) -> dict[FunctionId, str]:
        """The names of functions before those of one name got names of their own, by the ids that they have now."""
        found = {(item.domain, name, item.overload): item.name for item, name in self._names.items()}
        return {**found, **self.existing.given_names()}

    def protos(self) -> list[FunctionProto]:
        """All functions that are called, callees first."""
        done: dict[Content, FunctionProto] = {}
        roots = list(self._found)
        stack: list[tuple[Content, FunctionProto, Iterator[Content]]] = []
        pending: Iterator[Content] = iter(roots)
        while True:
            content = next((item for item in pending if item not in done), None)
            if content is not None:
                proto, called = self._emit(content)
                stack.append((content, proto, pending))
                pending = iter(called)
                continue
            if not stack:
                return [*self.library.protos.values(), *self.existing.protos.values(), *done.values()]
            finished, proto, pending = stack.pop()
            done[finished] = proto

    def _emit(self, content: Content) -> tuple[FunctionProto, Sequence[Content]]:
        """A variant as a proto, and what it calls."""
        function, key = content
        compiled = self.run.compile(function)
        variant = variant_of(compiled, key)
        self._found = {}
        proto = emit_variant(compiled, variant, key, self.identify, self.places)
        proto.name = self._name(function)
        return proto, list(self._found)

    def _name(self, function: OnnxFunction) -> str:
        name = self._names.get(function)
        if name is not None:
            return name
        name, number = function.name, 1
        while (owner := self._owners.setdefault((function.domain, name, function.overload), function)) is not function:
            if function.domain != LOCAL_DOMAIN:
                raise DiagnosticError([self._clash(function, owner)])
            number += 1
            name = f"{function.name}_{number}"
        self._names[function] = name
        return name

    def _clash(self, function: OnnxFunction, other: OnnxFunction | str) -> Diagnostic:
        places = [
            unit.module.source.place(span_of(unit.node))
            for unit in (self.run.unit(item)[0] for item in (function, other) if isinstance(item, OnnxFunction))
        ]
        return Diagnostic(
            "OW355",
            f"two functions are called {function.domain}::{function.name}",
            places[0],
            reason="a model tells functions apart by domain and name",
            help="rename one, or put it in a domain of its own: `@script(Opset(...))`",
            related=(Related(places[1], "the other one"),),
        )


def variant_of(compiled: Compiled, label: VariantKey) -> Variant:
    """The first of the variants that are named by that label."""
    key = next(item.variant for item in compiled.script.variants if item.label == label)
    return next(variant for variant in compiled.family.variants if variant.key == key)


def choose_functions(
    wanted: Collection[OnnxFunction | str] | None, called: Sequence[FunctionProto]
) -> set[FunctionId] | None:
    """The ids of the functions that stay functions; None for all of them. Raises DiagnosticError for one that is not
    called."""
    if wanted is None:
        return None
    kept: set[FunctionId] = set()
    for item in wanted:
        name, domain = (item, None) if isinstance(item, str) else (item.name, item.domain)
        found = {
            function_id(proto) for proto in called if proto.name == name and (domain is None or proto.domain == domain)
        }
        if not found:
            names = ", ".join(f"`{proto.name}`" for proto in called) or "none"
            raise DiagnosticError(
                [
                    Diagnostic(
                        "OW354",
                        f"the model calls no function `{name}`",
                        reason=f"the functions that it calls are: {names}",
                        help="`functions` names those that stay functions of the model",
                    )
                ]
            )
        kept |= found
    return kept
