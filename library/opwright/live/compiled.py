"""Compiling live functions (under @script): callees first, memoised while what they captured is unchanged."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeGuard, TypeVar
from weakref import WeakValueDictionary

from onnx import FunctionProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.elements import BY_CODE
from opwright.functions import OnnxFunction
from opwright.lang import ir
from opwright.lang.facts import RANK, fact_of
from opwright.lang.families.family import Family, Variant, build_family
from opwright.lang.families.script_description import describe_script
from opwright.lang.lower.function import Lowered
from opwright.lang.lower.module_scope import scope_of_text
from opwright.lang.meaning.annotations import TensorAnnotation
from opwright.lang.meaning.function_unit import Unit
from opwright.lang.meaning.interface import Declaration, DeclaredValue, Interface, read_interface
from opwright.lang.meaning.objects import Script, ScriptObject
from opwright.lang.meaning.resolve import NoFiles
from opwright.lang.text.source import span_of
from opwright.lang.text.syntax import Module
from opwright.live.evaluated_annotations import annotation_reader, read_returns
from opwright.live.function_source import OldFiles, recover, shown_name
from opwright.live.libraries import InstalledLibraries
from opwright.live.live_scope import LiveScope
from opwright.live.reads import Reads
from opwright.opsets.opset import Opset
from opwright.opsets.signatures import newest_opset
from opwright.variants import Key

Result = TypeVar("Result")

_ALL_ELEMENTS = tuple(BY_CODE.values())


class Compiled:
    """A function at one opset: its unit, its variants, and what it read and calls. `written`: see `keep_as_proto`."""

    __slots__ = ("_script", "_unit", "callees", "family", "function", "reads", "written")

    def __init__(
        self,
        function: OnnxFunction,
        unit: Unit | None,
        family: Family,
        reads: Reads,
        callees: dict[OnnxFunction, Compiled],
        written: bytes | None = None,
    ) -> None:
        self.function = function
        self.family = family
        self.reads = reads
        self.callees = callees
        self.written = written
        self._unit = unit
        self._script: Script | None = None

    @property
    def unit(self) -> Unit:
        """What was compiled; not to be had of what is `bare`."""
        assert self._unit is not None
        return self._unit

    @property
    def script(self) -> Script:
        """What its callers see of it; not to be had of what is `bare`."""
        if self._script is None:
            function = self.function
            self._script = describe_script(self.unit, self.family, function.domain, function.opset.version, self)
        return self._script

    def keep_as_proto(self, proto: FunctionProto) -> None:
        """Keeps the proto in place of the nodes that it was made of, which are a hundred times as many objects for the
        garbage collector to walk. Only for a function of one variant, of no facts, that calls nothing: its proto is
        always the same, and nothing is matched with its variants.

        Of a function that nothing calls little else is kept. Concurrent readers keep the old Family, or all of it.
        """
        (variant,) = self.family.variants
        assert variant.lowered.function is not None
        written = proto.SerializeToString()
        family, lowered = self.family, variant.lowered
        head = Lowered(variant.lowered.function.head(), lowered.diagnostics, (), lowered.outputs, lowered.returns_tuple)
        left = Family(family.opset, (Variant(variant.key, head),), (), family.looked_up, family.diagnostics)
        if self._script is not None:  # callers know it as this very object
            self.written = written  # first: another thread that meets the family without nodes takes the bytes
            self.family = left
        elif self.function.compiled.get(family.opset) is self:
            self.function.compiled[family.opset] = Compiled(self.function, None, left, self.reads, {}, written)

    @property
    def bare(self) -> bool:
        """Whether all that is left is the proto: a caller needs more, and has it compiled again."""
        return self._unit is None


class _Open:
    """A function whose callees are being compiled; `certain`: it is called, and not only named by its caller."""

    __slots__ = ("certain", "pending")

    def __init__(self, likely: Iterable[OnnxFunction], certain: bool) -> None:
        self.pending = iter(likely)
        self.certain = certain


class _Lowered:
    """A function that is being lowered, and those that it has called so far."""

    __slots__ = ("callees", "function")

    def __init__(self, function: OnnxFunction) -> None:
        self.function = function
        self.callees: dict[OnnxFunction, None] = {}


# So many functions may call each other by ways that their code does not name: each takes a part of Python's stack.
_DYNAMIC_CALLEES = 16


class Run:
    """One compilation of a function and of all that it calls, at one opset.

    Callees are compiled before their callers, by a stack of our own: chains of calls may be long. Those that the code
    names are compiled first, so that a caller is lowered once; where the body calls one that its code does not name,
    the caller is lowered again. What is wrong with a function counts where it is called (`problems_of`), not where it
    is only named; callers are compiled all the same, so that all is found at once. `keeps`: what is compiled is kept
    for the next one, and what has been kept is used. A function that has captured the same as in an `earlier` run is
    what it was there.
    """

    def __init__(
        self, opset: int, keeps: bool = True, earlier: Mapping[OnnxFunction, Sequence[Compiled]] | None = None
    ) -> None:
        self.opset = opset
        self.keeps = keeps
        self.done: dict[OnnxFunction, Compiled] = {}
        self._earlier = earlier or {}
        self._given_up: set[OnnxFunction] = set()  # named somewhere, and what they are wrong in leaves no `Compiled`
        self._sound: set[OnnxFunction] = set()  # nothing is wrong with them, nor with what they call
        self._lowered: list[_Lowered] = []  # what is being lowered: each is called by the one before
        self._open: set[OnnxFunction] = set()  # what is being compiled, callees of it first
        self._files = OldFiles()
        self._without_sizes: dict[tuple[OnnxFunction, Key], tuple[ir.Type, ...] | None] = {}
        # Each is one object, however often it is named; it refers to this run.
        self._scripts: WeakValueDictionary[OnnxFunction, ScriptObject] = WeakValueDictionary()

    def compile(self, function: OnnxFunction, to_call: bool = True) -> Compiled:
        """The function, compiled or as it was kept: `to_call` it, or for its proto alone, which may be all that was
        kept. Raises DiagnosticError where one of them does not compile."""
        if function in self._sound:
            return self.done[function]
        self.prepare(function, to_call)
        problems = self.problems_of([function])
        if problems:
            raise DiagnosticError(problems)
        return self.done[function]

    def unit(self, function: OnnxFunction) -> tuple[Unit, Reads]:
        """A function as the compiler takes it. Raises DiagnosticError for what its `def` line gets wrong."""
        return make_unit(function, self._script, self._files)

    def with_callees(self, function: OnnxFunction, lower: Callable[[], Result]) -> tuple[Result, list[Diagnostic]]:
        """What `lower` makes of the body of a function, and what is wrong with the functions that it calls, which are
        compiled first. Raises DiagnosticError where the source of one cannot be had, or one calls itself."""
        for callee in self._likely_callees(function):
            if callee is not function and callee not in self._given_up:
                self._prepare(callee, True, certain=False)
        made, needed = self._noting_callees(function, lower)
        return made, self.problems_of(needed)

    def _noting_callees(self, function: OnnxFunction, lower: Callable[[], Result]) -> tuple[Result, list[OnnxFunction]]:
        """What `lower` makes of the body of a function, and the functions that it calls."""
        self._lowered.append(_Lowered(function))
        try:
            return lower(), list(self._lowered[-1].callees)
        finally:
            self._lowered.pop()

    def instantiate(self, function: OnnxFunction, facts: Mapping[str, str]) -> tuple[Unit, Family]:
        """A template for given facts, and its unit. Raises DiagnosticError where they leave something open."""
        unit, _ = self.unit(function)
        family, problems = self.with_callees(function, lambda: build_family(unit, self.opset, facts))
        if problems or not family.variants:
            raise DiagnosticError([*problems, *family.diagnostics])
        _show_warnings(function, family)
        return unit, family

    def problems_of(self, functions: Iterable[OnnxFunction]) -> list[Diagnostic]:
        """What is wrong with functions that have been compiled and with those that they call, callees first."""
        problems: list[Diagnostic] = []
        seen: dict[OnnxFunction, None] = {}
        stack = [(function, False) for function in reversed(list(functions))]
        while stack:
            function, finished = stack.pop()
            compiled = self.done.get(function)
            if compiled is None:
                continue
            if finished:
                if not compiled.family.variants and not compiled.family.open_axes:
                    problems.extend(compiled.family.diagnostics)
            elif function not in seen and function not in self._sound:
                seen[function] = None
                stack.append((function, True))
                stack.extend((callee, False) for callee in reversed(compiled.callees))
        if not problems:
            self._sound.update(seen)
        return problems

    def prepare(self, root: OnnxFunction, to_call: bool = True) -> None:
        """Compiles the function and all that it calls. Raises DiagnosticError where the source of one cannot be had, or
        one calls itself."""
        self._prepare(root, to_call, certain=True)

    def _prepare(self, root: OnnxFunction, to_call: bool, certain: bool) -> None:
        stack: dict[OnnxFunction, _Open] = {}
        self._push(stack, root, certain)
        try:
            while stack:
                function = next(reversed(stack))
                if function in self.done:
                    self._pop(stack)
                    continue
                callee = next((item for item in stack[function].pending if self._is_missing(item)), None)
                if callee is not None:
                    self._push(stack, callee, certain=False)
                    continue
                try:
                    self._one(function, to_call or function is not root)
                except DiagnosticError as error:
                    self._give_up(stack, error)
        finally:
            self._open.difference_update(stack)

    def _is_missing(self, function: OnnxFunction) -> bool:
        return function not in self.done and function not in self._open and function not in self._given_up

    def _push(self, stack: dict[OnnxFunction, _Open], function: OnnxFunction, certain: bool) -> None:
        stack[function] = _Open(self._likely_callees(function), certain)
        self._open.add(function)

    def _pop(self, stack: dict[OnnxFunction, _Open]) -> OnnxFunction:
        function, _ = stack.popitem()
        self._open.discard(function)
        return function

    def _give_up(self, stack: dict[OnnxFunction, _Open], error: DiagnosticError) -> None:
        """Leaves the last function that is only named, and what is compiled for it: an error only where it is called.
        Raises the error where all of them are called."""
        named = next((function for function in reversed(stack) if not stack[function].certain), None)
        if named is None:
            raise error
        self._given_up.add(named)
        while self._pop(stack) is not named:
            pass

    def _one(self, function: OnnxFunction, to_call: bool) -> None:
        """Compiles one function whose likely callees are done; those that it calls besides are compiled on the way."""
        for kept in self._kept(function) if self.keeps else ():
            if not (to_call and kept.bare) and self._still_holds(kept):
                self.done[function] = kept
                return
        unit, reads = self.unit(function)
        family, callees = self._noting_callees(function, lambda: build_family(unit, self.opset))
        if not family.open_axes:
            unit = _outline(unit)
        compiled = Compiled(function, unit, family, reads, {callee: self.done[callee] for callee in callees})
        self.done[function] = compiled
        if self.keeps and (family.variants or family.open_axes):
            function.compiled[self.opset] = compiled
            if family.variants:
                _show_warnings(function, family)

    def _still_holds(self, kept: Compiled) -> bool:
        callees = kept.callees.items()
        return kept.reads.still_hold() and all(self.done.get(callee) is compiled for callee, compiled in callees)

    def _kept(self, function: OnnxFunction) -> list[Compiled]:
        """What may serve: what was used last comes first."""
        last = function.compiled.get(self.opset)
        earlier = self._earlier.get(function, ())
        found = [*reversed(earlier)]
        return found if last is None or last in earlier else [*found, last]

    def _likely_callees(self, function: OnnxFunction) -> list[OnnxFunction]:
        kept = self._kept(function)
        if not kept:
            return scripts_named_in(function.__wrapped__)
        return list(dict.fromkeys(callee for compiled in kept for callee in compiled.callees))

    def _script(self, function: OnnxFunction) -> ScriptObject:
        made = self._scripts.get(function)
        if made is None:
            made = self._scripts[function] = ScriptObject(
                function.name, lambda opset: self._called(function), lambda key: self.without_sizes(function, key)
            )
        return made

    def _called(self, function: OnnxFunction) -> Script:
        """A function as its callers see it, called by what is being lowered: it is compiled now where its
        code does not name it. Raises DiagnosticError where it does not compile."""
        caller = self._lowered[-1] if self._lowered else _Lowered(function)
        if function not in self.done:
            if function in self._open:
                found = _recursive(self.unit(caller.function)[0], function)
                raise DiagnosticError([*self.problems_of(caller.callees), found])
            if len(self._lowered) > _DYNAMIC_CALLEES:
                raise DiagnosticError([_too_deep(self.unit(caller.function)[0], function)])
            self.prepare(function)
        caller.callees[function] = None
        return self.done[function].script

    def without_sizes(self, function: OnnxFunction, variant: Key) -> tuple[ir.Type, ...] | None:
        """See `ScriptObject`; the function has been compiled."""
        from opwright.lang.families.promises import without_sizes  # which few functions need

        known = (function, variant)
        if known not in self._without_sizes:
            self._without_sizes[known] = without_sizes(self.unit(function)[0], self.opset, variant)
        return self._without_sizes[known]


def scripts_named_in(function: FunctionType) -> list[OnnxFunction]:
    """The functions under `@script` that a function's code names: directly, as attributes of modules, as items of
    tuples and lists, or in helpers, which are inlined. Those that it names otherwise are not among them."""
    found: dict[OnnxFunction, None] = {}
    seen = {function}
    pending: list[object] = [function]
    while pending:
        value = pending.pop()
        if isinstance(value, OnnxFunction):
            found[value] = None
        elif isinstance(value, FunctionType):
            named = [item for item in named_values(value) if isinstance(item, _MAY_CALL)]
            if not named:
                continue
            modules = [item for item in named if isinstance(item, ModuleType)]
            if modules:
                names = tuple(dict.fromkeys(_names_in(value)))
                named.extend(vars(module)[name] for module in modules for name in names if name in vars(module))
            listed = [item for items in named if isinstance(items, (tuple, list)) for item in items[:_LISTED]]
            for item in reversed((*named, *listed)):
                if isinstance(item, OnnxFunction):
                    pending.append(item)
                elif _is_helper(item, function) and item not in seen:
                    seen.add(item)
                    pending.append(item)
    return list(found)


_MAY_CALL = (OnnxFunction, FunctionType, ModuleType, tuple, list)
_LISTED = 4096  # items of a list of functions: a longer one is of numbers


def _is_helper(value: object, function: FunctionType) -> TypeGuard[FunctionType]:
    """Whether it may be a helper of the function: one of its file, so that other people's programs are not searched."""
    return isinstance(value, FunctionType) and value.__globals__ is function.__globals__


def _names_in(function: FunctionType) -> Iterator[str]:
    """The names of globals and attributes that a function's code names, nested functions included."""
    for code in _codes_of(function):
        yield from code.co_names


def _codes_of(function: FunctionType) -> Iterator[CodeType]:
    pending: list[CodeType] = [function.__code__]
    while pending:
        code = pending.pop()
        yield code
        pending.extend(item for item in code.co_consts if isinstance(item, CodeType))


def named_values(function: FunctionType) -> Iterator[Any]:
    """The values of the globals and cells that a function's code names, nested functions included."""
    for code in _codes_of(function):
        for name in code.co_names:
            if name in function.__globals__:
                yield function.__globals__[name]
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not bound yet
            continue


# ------------------------------------------------------------------------------------------------------- opsets


def target_opset(function: OnnxFunction, asked: Opset | int | None) -> int:
    """The default-domain opset to compile for: the one asked for, else the function's, else the one whose operators
    it or its callees use, else the one that its module imports, else the newest that the installed onnx knows.

    ValueError where that is none that the installed onnx knows.
    """
    found: object = _named_opset(function) if asked is None else asked
    if isinstance(found, Opset) and not found.domain:
        found = found.version
    if isinstance(found, bool) or not isinstance(found, int) or not 1 <= found <= newest_opset():
        raise ValueError(f"the installed onnx knows the opsets 1 to {newest_opset()}, not {found!r}")
    return found


def _named_opset(function: OnnxFunction) -> int:
    seen: dict[OnnxFunction, None] = {function: None}
    pending = [function]
    while pending:
        current = pending.pop(0)
        if current.default_opset is not None:
            return _default_version(current)
        versions = [
            value.named for value in named_values(current.__wrapped__) if isinstance(value, Opset) and not value.domain
        ]
        if versions:
            return max(versions)
        for callee in scripts_named_in(current.__wrapped__):
            if callee not in seen:
                seen[callee] = None
                pending.append(callee)
    return _imported_opset(function.__wrapped__) or newest_opset()


def _imported_opset(function: FunctionType) -> int | None:
    """The only opset of ai.onnx among the names of the function's module as they are now."""
    values = [*function.__globals__.values()]  # at once: other threads may add some
    versions = {value.named for value in values if isinstance(value, Opset) and not value.domain}
    return versions.pop() if len(versions) == 1 else None


def _default_version(function: OnnxFunction) -> int:
    """Raises DiagnosticError for a `default_opset` that is none of ai.onnx."""
    opset: object = function.default_opset
    if isinstance(opset, Opset) and not opset.domain:
        return opset.named
    code = function.__wrapped__.__code__
    line = code.co_firstlineno
    raise DiagnosticError(
        [
            Diagnostic(
                "OW223",
                f"the default opset of `{function.name}` is no opset of ai.onnx",
                Place(shown_name(code.co_filename), line, 1, line, 1),
                f"`default_opset` says for which version of the standard's operators it is compiled, not {opset!r}",
                "write `@script(default_opset=opset18)`, and give its own domain first: "
                '`@script(Opset("com.acme", 1), default_opset=opset18)`',
            )
        ]
    )


# -------------------------------------------------------------------------------------------------------- units


def make_unit(
    function: OnnxFunction, script_of: Callable[[OnnxFunction], ScriptObject], files: OldFiles | None = None
) -> tuple[Unit, Reads]:
    """A live function as a compilation unit, and the record of what it captures.

    Raises DiagnosticError where its source cannot be had, or its `def` line is wrong.
    """
    wrapped = function.__wrapped__
    if function.default_opset is not None:
        _default_version(function)
    found = recover(wrapped, files)
    if isinstance(found, Diagnostic):
        raise DiagnosticError([found])
    module, node = found
    reads = Reads()
    problems: list[Diagnostic] = []
    sink: list[Any] = [problems.append]
    scope = LiveScope(wrapped, module, node, lambda diagnostic: sink[0](diagnostic), script_of, reads)
    interface = read_interface(module.source, node, scope.constant, problems.append, scope, annotation_reader(wrapped))
    if problems:
        raise DiagnosticError(problems)

    def open_scope(report: Any) -> LiveScope:
        sink[0] = report
        return scope

    declaration = declare(function, interface, read_returns(wrapped))
    return Unit(module, node, declaration, interface, open_scope, shares_scope=True), reads


def _show_warnings(function: OnnxFunction, family: Family) -> None:
    if family.diagnostics:
        from opwright.live.show_warnings import show_warnings  # few functions are warned of

        show_warnings(function, family.diagnostics)


def _outline(unit: Unit) -> Unit:
    """The unit without its syntax tree, of which only a template needs more again: trees are most of what a function
    occupies, and the garbage collector walks all that is kept."""
    module, node = unit.module, unit.node
    if module.shared:
        head = ast.FunctionDef(node.name, node.args, [], [], None, None)
        module, node = Module(module.source, ast.Module([], [])), ast.copy_location(head, node)
    else:
        node.body, node.decorator_list, node.returns = [], [], None
        node.args.defaults, node.args.kw_defaults = [], []
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            argument.annotation = None
    return Unit(module, node, unit.declaration, unit.interface, scope_of_text(module, NoFiles(), InstalledLibraries()))


def declare(
    function: OnnxFunction, interface: Interface, returns: tuple[TensorAnnotation | None, ...] | None
) -> Declaration:
    """What the annotations declare: a type variable for each input of more than one element type."""
    types: dict[str, tuple[Any, ...]] = {}
    inputs = {
        item.name: declared_value(item.annotation, item.annotation.variable or f"T_{item.name}", types)
        for item in interface.inputs
    }
    declared = None
    if returns is not None:
        declared = tuple(
            None if annotation is None else declared_value(annotation, annotation.variable or f"T_out{index}", types)
            for index, annotation in enumerate(returns)
        )
    return Declaration(
        function.domain, function.name, function.opset.version, inputs, None, types, declared, inferred=True
    )


def declared_value(annotation: TensorAnnotation, variable: str, types: dict[str, tuple[Any, ...]]) -> DeclaredValue:
    """One value's declaration; its type variable is added to `types`."""
    if len(annotation.elements) == 1 and not annotation.variable:
        return DeclaredValue(annotation.elements[0].name, None, annotation.shape, annotation.wrap)
    types.setdefault(variable, annotation.elements or _ALL_ELEMENTS)
    return DeclaredValue(variable, None, annotation.shape, annotation.wrap)


def _too_deep(unit: Unit, callee: OnnxFunction) -> Diagnostic:
    return Diagnostic(
        "OW311",
        f"more than {_DYNAMIC_CALLEES} functions call each other by ways that are found only when they are compiled",
        unit.module.source.place(span_of(unit.node)),
        reason=f"the code of `{unit.node.name}` calls `{callee.name}` and does not name it",
        help="call it by its name, or from a list or tuple of functions",
    )


def _recursive(unit: Unit, callee: OnnxFunction) -> Diagnostic:
    return Diagnostic(
        "OW323",
        f"`{callee.name}` calls itself" if unit.node.name == callee.name else f"`{callee.name}` is called by itself",
        unit.module.source.place(span_of(unit.node)) if unit.module.source.lines else Place(unit.module.source.name),
        reason="ONNX has no recursive functions",
        help="write a loop",
    )


def chosen_facts(unit: Unit, variant: Mapping[str, object]) -> dict[str, str]:
    """The answers that a caller gives to static questions, by axis: a type for an input is that of its variable."""
    facts: dict[str, str] = {}
    for name, value in variant.items():
        dtype = getattr(value, "dtype", None)
        declared = unit.declaration.inputs.get(name)
        if dtype is not None and declared is not None:
            facts[declared.type] = dtype.name
        elif dtype is not None:
            facts[name] = dtype.name
        else:
            is_input = name in unit.declaration.inputs or name.endswith(RANK) or name in unit.declaration.types
            facts[name] = value if is_input and isinstance(value, str) else fact_of(value)
    return facts
