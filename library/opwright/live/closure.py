"""The functions that a model needs in addition to its graph: each once, callees first, under a unique name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from onnx import FunctionProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Related, Severity
from opwright.functions import LOCAL_DOMAIN, OnnxFunction
from opwright.graphs.ids import FunctionId, function_id
from opwright.lang import ir
from opwright.lang.families.family import Variant, labels_of
from opwright.lang.text.source import span_of
from opwright.live.compiled import Compiled, Run
from opwright.live.libraries import LibraryCalls, newest_imports
from opwright.live.overloads import overload_id
from opwright.live.proto_calls import ProtoCalls
from opwright.live.proto_functions import ProtoFunction
from opwright.live.protos import emit_variant, not_one
from opwright.live.show_warnings import show_warnings
from opwright.model_options import NamedFunction
from opwright.variants import Key, overload_of, portable_name

Content = tuple[Compiled, Key]  # a function and what its variant is named by
# Whose a name is: a model's own function, one that it calls, a variant; of what exists as a proto, the body's digest.
Owner = OnnxFunction | Compiled | Content | str


class Closure:
    """What the graph of a model calls, found while it is emitted. Names belong to one model.

    A variant's name is its function's with the variant's key; a function of one body at this opset has its own. Two
    functions of one name in `opwright.local`, or one that was compiled anew between two calls, get names of their own;
    in any other domain that is refused (OW355, see `refuse_changes`), as is a variant that would have the name of
    another function (OW366).
    `places`: what is called has the places of its nodes.
    """

    def __init__(self, run: Run, root: OnnxFunction | None, places: bool = False) -> None:
        self.run = Run(run.opset, keeps=False) if places else run
        self.places = places
        self._owners: dict[FunctionId, Owner] = {}
        if root is not None:
            self._owners[root.domain, root.name, root.overload] = root
        self._names: dict[Compiled, str] = {}
        self._ids: dict[Content, FunctionId] = {}
        self._found: dict[Content, None] = {}
        self.library = LibraryCalls(run.opset)
        self.existing = ProtoCalls(run.opset, lambda identity, body: self._owners.setdefault(identity, body) == body)

    def identify(self, callee: ir.FunctionReference) -> FunctionId:
        """The id under which a called function stands in the model; it is noted as needed."""
        function = callee.origin
        if isinstance(function, ProtoFunction):
            return self.existing.identify(function)
        if not isinstance(function, Compiled):
            return self.library.identify(callee)
        content = (self.run.compile(function.function) if self.places else function), callee.variant
        self._found[content] = None
        return self._id(content)

    def keep(self, function: NamedFunction) -> list[FunctionId]:
        """The ids of all variants of a live function; they are noted as needed, called or not. Raises DiagnosticError
        where the function does not compile, or is a template, whose variants are those of its calls; TypeError for what
        is none."""
        if not isinstance(function, OnnxFunction):
            raise TypeError(f"`kept_functions` are functions under `@script`, not {function!r}")
        compiled = self.run.compile(function)
        if compiled.family.open_axes:
            raise DiagnosticError([not_one(compiled.unit, compiled.family, [])])
        contents = [(compiled, label) for label in dict.fromkeys(labels_of(compiled.family).values())]
        self._found.update(dict.fromkeys(contents))
        return [self._id(content) for content in contents]

    def given_names(self) -> dict[FunctionId, str]:
        """The names of functions before those of one name got names of their own, by the ids that they have now."""
        found = {made: portable_name(item.function.name, label) for (item, label), made in self._ids.items()}
        return {**found, **self.existing.given_names()}

    def family_names(self) -> dict[FunctionId, str]:
        """The names without the variants, as callers know the functions."""
        found = {made: item.function.name for (item, _), made in self._ids.items()}
        return {**found, **self.existing.family_names(), **self.library.family_names}

    def overload_ids(self) -> dict[FunctionId, FunctionId]:
        """The ids that variants have where they are told apart by overloads, by those that they have here."""
        found = {
            made: overload_id(item.function, self._names[item], label) for (item, label), made in self._ids.items()
        }
        return {**found, **self.existing.overload_ids(), **self.library.overload_ids()}

    def protos(self, imports: Mapping[str, int]) -> list[FunctionProto]:
        """All functions that are called, callees first. `imports` are those of the graph that calls them."""
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
                others = [*self.existing.protos.values(), *done.values()]
                self.library.import_at(newest_imports(imports, [*self.library.protos.values(), *others]))
                return [*self.library.protos.values(), *others]
            finished, proto, pending = stack.pop()
            done[finished] = proto

    def _emit(self, content: Content) -> tuple[FunctionProto, Sequence[Content]]:
        """A variant as a proto, and what it calls."""
        compiled, key = content
        variant = variant_of(compiled, key)
        self._found = {}
        proto = emit_variant(compiled, variant, key, self.identify, self.places)
        _, proto.name, _ = self._id(content)
        for callee in dict.fromkeys(callee.function for callee, _ in self._found if callee.function.overload):
            show_warnings(compiled.function, [_ignored_overload(compiled, callee)])
        return proto, list(self._found)

    def _id(self, content: Content) -> FunctionId:
        found = self._ids.get(content)
        if found is None:
            compiled, label = content
            function, name = compiled.function, self._name(compiled)
            if label:
                name = self._free_name(function, portable_name(name, label), content)
            found = self._ids[content] = (function.domain, name, function.overload)
        return found

    def _name(self, compiled: Compiled) -> str:
        """The function's name without its variant."""
        name = self._names.get(compiled)
        if name is None:
            function = compiled.function
            name = self._names[compiled] = self._free_name(function, function.name, compiled)
        return name

    def _free_name(self, function: OnnxFunction, wanted: str, owner: Owner) -> str:
        """The name, or the first of `<name>_2`... that nothing else has; it is the owner's then."""
        name, number = wanted, 1
        while (other := self._owners.setdefault((function.domain, name, function.overload), owner)) != owner:
            if function.domain != LOCAL_DOMAIN and not _are_one_function(owner, other):
                raise DiagnosticError([self._clash(function, name, owner, other)])
            number += 1
            name = f"{wanted}_{number}"
        return name

    def refuse_changes(self, left: Collection[FunctionId]) -> None:
        """Refuses a function of a domain of its own that was compiled anew between two calls, where both bodies are
        `left` of the model: equal ones have been merged. DiagnosticError (OW355)."""
        for (compiled, _), made in self._ids.items():
            function = compiled.function
            if made in left and function.domain != LOCAL_DOMAIN and self._names[compiled] != function.name:
                raise DiagnosticError([self._change(function)])

    def _change(self, function: OnnxFunction) -> Diagnostic:
        unit, _ = self.run.unit(function)
        return Diagnostic(
            "OW355",
            f"what {function.domain}::{function.name} has captured changes between two calls in one model",
            unit.module.source.place(span_of(unit.node)),
            reason="a model tells functions apart by domain and name, and these have different bodies",
            help="give what changes as an argument, or leave the function in `opwright.local`: `@script()`",
        )

    def _clash(self, function: OnnxFunction, name: str, owner: Owner, other: Owner) -> Diagnostic:
        variants = [item for item in (owner, other) if isinstance(item, tuple)]
        second = other[0] if isinstance(other, tuple) else other
        second = second.function if isinstance(second, Compiled) else second
        places = [
            unit.module.source.place(span_of(unit.node))
            for unit in (self.run.unit(item)[0] for item in (function, second) if isinstance(item, OnnxFunction))
        ]
        related = tuple(Related(place, "the other one") for place in places[1:])
        if variants:
            family, label = variants[0][0].function, variants[0][1]
            return Diagnostic(
                "OW366",
                f"a variant of `{family.name}` and another function are both called {function.domain}::{name}",
                places[0],
                reason=f"variants are told apart by their names, and this is `{family.name}` for {overload_of(label)}",
                help="rename one, or put it in a domain of its own: `@script(Opset(...))`",
                related=related,
            )
        return Diagnostic(
            "OW355",
            f"two functions are called {function.domain}::{function.name}",
            places[0],
            reason="a model tells functions apart by domain and name",
            help="rename one, or put it in a domain of its own: `@script(Opset(...))`",
            related=related,
        )


def _are_one_function(owner: Owner, other: Owner) -> bool:
    """Whether both are compilations of one function, between which what it captured has changed."""
    return isinstance(owner, Compiled) and isinstance(other, Compiled) and owner.function is other.function


def _ignored_overload(caller: Compiled, callee: OnnxFunction) -> Diagnostic:
    return Diagnostic(
        "OW367",
        f"`{caller.function.name}` calls the overload `{callee.overload}` of {callee.domain}::{callee.name}",
        caller.unit.module.source.place(span_of(caller.unit.node)),
        reason="onnxruntime resolves overloads in the graph of a model alone: in a function it runs another body",
        help='say it in the name: `@script(name="...")` without `overload`',
        severity=Severity.WARNING,
    )


def variant_of(compiled: Compiled, label: Key) -> Variant:
    """The first of the variants that are named by that label."""
    key = next(item.variant for item in compiled.script.variants if item.label == label)
    return next(variant for variant in compiled.family.variants if variant.key == key)


def choose_functions(
    wanted: Collection[NamedFunction | str], called: Sequence[FunctionProto], names: Mapping[FunctionId, str]
) -> set[FunctionId]:
    """The ids of the functions that stay functions. `names` are those without variants: to name a function is to name
    all its variants. Raises DiagnosticError for one that is not called."""
    kept: set[FunctionId] = set()
    for item in wanted:
        name, domain = (item, None) if isinstance(item, str) else (item.name, item.domain)
        found = {
            identity
            for identity in map(function_id, called)
            if name in (identity[1], names.get(identity)) and domain in (None, identity[0])
        }
        if not found:
            known = ", ".join(dict.fromkeys(f"`{names.get(item, item[1])}`" for item in map(function_id, called)))
            raise DiagnosticError(
                [
                    Diagnostic(
                        "OW354",
                        f"the model calls no function `{name}`",
                        reason=f"the functions that it calls are: {known or 'none'}",
                        help="`functions` names those that stay functions of the model",
                    )
                ]
            )
        kept |= found
    return kept
