"""Calls of functions: helpers of a source file are inlined, functions of a library stay calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import cache
from sysconfig import get_path
from typing import TYPE_CHECKING

from opwright.bundle.call_interface import Sizes, inputs_of_call
from opwright.diagnostics.diagnostic import Choice, Diagnostic, Place, Related, Role, Severity
from opwright.lang import ir
from opwright.lang.looked_up import OperatorName
from opwright.lang.lower.calls.call_variants import Given, fit_variant
from opwright.lang.lower.calls.written_calls import Checked, check_arguments, emit_call, refuse_second_version
from opwright.lang.lower.paths.flow import State, returned_values, returns_tuple, state_of
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_static
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.lower.statements.statement_rules import bind_locals, lower_block
from opwright.lang.meaning.objects import MISSING, OperatorObject
from opwright.lang.meaning.operands import Arguments, Environment, Operand, StaticDict, is_run_time_number
from opwright.lang.meaning.resolve import ModuleScope, NotDeclaredError
from opwright.lang.meaning.rounding import to_float32
from opwright.lang.meaning.static import Key
from opwright.lang.text.grammar import name_of
from opwright.lang.text.source import Span
from opwright.opsets.domains import normal_domain
from opwright.opsets.signatures import AttributeSpec, Formal, Option, Signature

if TYPE_CHECKING:
    from opwright.bundle.format import BodyEntry, FunctionEntry

INLINE_DEPTH = 64
_BEYOND_FLOAT32 = 2.0**128


def run_body(
    low: Lowering,
    node: ast.FunctionDef,
    scope: ModuleScope,
    env: Environment,
    caller: Environment,
    span: Span,
    is_elsewhere: bool = True,
) -> Operand:
    """The body of a function that is called at `span`, lowered where the call stands: what it returns.

    `env`: its parameters and the names around it. `caller`: the environment of the code that calls it. `is_elsewhere`:
    it does not stand inside the function that calls it, so that errors in it are told at the call.
    """
    _check_recursion(low, node, scope, env, span)
    if low.call_frame.depth >= INLINE_DEPTH:
        raise low.fatal("OW311", f"more than {INLINE_DEPTH} helpers call each other", span, "inlining has a limit")
    source = low.scope.module.source
    given = low.lists.borrow(env.values())
    found_before = len(low.diagnostics)
    try:
        with low.entered(low.call_frame.called(node, scope, dict(env), caller, is_elsewhere)):
            bind_locals(low, node.body, env)
            with low.copy((source.name, source.first_line, *span)):
                lower_block(low, node.body, env)
    except Poisoned as wrong:
        if wrong.question is None or not is_elsewhere:
            raise
        raise Poisoned(because=replace(wrong.question, span=span)) from None  # the call asks, to readers of its caller
    finally:
        low.lists.give_back(given)
        if is_elsewhere and len(low.diagnostics) > found_before:
            low.replace_findings(found_before, at_call(low, node, scope, span, low.diagnostics[found_before:]))
    match state_of(env):
        case State.LIVE:
            return None
        case State.MAYBE:
            raise low.error(
                "OW306",
                f"`{node.name}` returns nothing on some path",
                span,
                reason=f"it is defined in line {scope.module.source.line(node.lineno)} of {scope.module.source.name}",
                help="return a value on every path",
            )
    values = returned_values(env)
    return values if values is None or returns_tuple(env) else values[0]


def _check_recursion(low: Lowering, node: ast.FunctionDef, scope: ModuleScope, env: Environment, span: Span) -> None:
    """A function may call itself on another static number: what it does then is inlined. Where no argument that is
    known has changed the calls have no end, and where they are many the limits end them. Two functions that one
    definition has made, around other functions, are not the same."""
    active = next((item for item in low.call_frame.chain() if item.function is node and item.scope is scope), None)
    if active is None:
        return
    formal = node.args
    items = (*formal.posonlyargs, *formal.args, *formal.kwonlyargs, formal.vararg, formal.kwarg)
    names = [item.arg for item in items if item is not None]
    if not any(_is_other(active.given.get(name), env.get(name)) for name in names):
        for name in names:
            if is_run_time_number(env.get(name)):
                need_static(low, env.get(name), span)  # copies of a loop's body tell its index
        raise low.fatal(
            "OW323",
            f"`{node.name}` calls itself",
            span,
            reason="ONNX has no recursive functions, and no number that is known when the function is built differs "
            "from call to call",
            help="write a loop, or hand on a static number that leads to an end: `f(x, n - 1)`",
        )
    low.spend(_CALL, span)


_CALL = 20  # a recursive call counts as so many nodes: it takes time where it makes none


def _is_other(before: Operand, now: Operand) -> bool:
    if isinstance(before, tuple) and isinstance(now, tuple):  # a list of operands
        return len(before) != len(now) or any(map(_is_other, before, now))
    if isinstance(before, StaticDict) and isinstance(now, StaticDict):
        return _is_other(tuple(before.entries.values()), tuple(now.entries.values()))
    if not isinstance(before, (bool, int, float, str)) or not isinstance(now, (bool, int, float, str)):
        return False
    return type(before) is not type(now) or before != now


def at_call(
    low: Lowering, node: ast.FunctionDef, scope: ModuleScope, span: Span, found: Sequence[Diagnostic]
) -> list[Diagnostic]:
    """Findings in the body of a function, moved to the call of it; where they stood is a note. Of another package's
    function one is told, since its author alone can change it."""
    place, name = low.place_at(span), node.name
    errors = [item for item in found if item.severity is Severity.ERROR and item.place is not None]
    if errors and is_installed(scope.module.source.name) and not is_installed(place.file):
        first = errors[0]
        note = _moved_from(first.place or place, name)
        return [
            Diagnostic(
                "OW336",
                f"`{name}` of another package is not part of the language",
                place,
                reason=f"its code would become part of the graph, and not all of it can: {first.message}",
                help="compute the value at module level, or make it an input or an attribute",
                related=(note, *first.related),
            )
        ]
    moved = []
    for item in found:
        if item.severity is Severity.ERROR and item.place is not None:
            note = _moved_from(item.place, name)
            item = replace(item, place=place, related=(note, *item.related))
        moved.append(item)
    return moved


def _moved_from(place: Place, name: str) -> Related:
    return Related(place, f"in this call of `{name}`", Role.MOVED_FROM)


@cache
def is_installed(file: str) -> bool:
    """Whether a source file belongs to an installed package, or to Python itself."""
    path = file.replace("\\", "/")
    library = get_path("stdlib").replace("\\", "/")
    return path.startswith(f"{library}/") or not {"site-packages", "dist-packages"}.isdisjoint(path.split("/"))


def bind_parameters(
    low: Lowering,
    node: ast.FunctionDef,
    scope: ModuleScope,
    default: Callable[[ast.expr], Operand],
    arguments: Arguments,
) -> Environment:
    """Parameters to operands, by Python's rules; `default` gives the value of a default."""
    formal, span = node.args, arguments.span
    positional = [argument.arg for argument in (*formal.posonlyargs, *formal.args)]
    by_keyword = {argument.arg for argument in (*formal.args, *formal.kwonlyargs)}
    env: Environment = dict(zip(positional, (operand for operand, _ in arguments.positional), strict=False))
    extra = tuple(operand for operand, _ in arguments.positional[len(positional) :])
    problem, wrong = "", False
    if formal.vararg is not None:
        env[formal.vararg.arg] = extra
    elif extra:
        problem = f"takes {len(positional)} positional arguments, and {len(arguments.positional)} are given"
    others: dict[Key, Operand] = {}
    for keyword, (operand, _) in arguments.keywords.items():
        if keyword not in by_keyword and formal.kwarg is not None:
            others[keyword] = operand
            continue
        if keyword not in by_keyword:
            problem = problem or f"has no parameter `{keyword}`"
        elif keyword in env:
            problem = problem or f"gets `{keyword}` twice"
        env[keyword] = operand
    defaults = dict(zip(reversed(positional), reversed(formal.defaults), strict=False))
    defaults.update(
        {
            argument.arg: expression
            for argument, expression in zip(formal.kwonlyargs, formal.kw_defaults, strict=True)
            if expression
        }
    )
    for name in [*positional, *(argument.arg for argument in formal.kwonlyargs)]:
        if name in env:
            continue
        if name in defaults:
            value = default(defaults[name])
            env[name] = value
            wrong = wrong or value is MISSING
        else:
            problem = problem or f"needs `{name}`"
    defined = Related(scope.module.source.place(_head(node)), f"`{node.name}` is defined here")
    if formal.kwarg is not None:
        env[formal.kwarg.arg] = StaticDict(others)
    if problem:
        raise low.error("OW203", f"`{node.name}` {problem}", span, _names_of(formal), "", (defined,))
    if wrong:
        raise Poisoned
    return env


def _head(node: ast.FunctionDef) -> Span:
    """`def name`."""
    return (node.lineno, node.col_offset, node.lineno, node.col_offset + len(f"def {node.name}"))


def _names_of(formal: ast.arguments) -> str:
    names = [item.arg for item in (*formal.posonlyargs, *formal.args, *formal.kwonlyargs)]
    return f"its parameters are {', '.join(f'`{name}`' for name in names)}" if names else "it has no parameters"


def round_attributes(formal: ast.arguments, env: Environment) -> None:
    """A `float` attribute of a function under `@script` holds what float32 does, inlined or not."""
    for argument in (*formal.posonlyargs, *formal.args, *formal.kwonlyargs):
        value = env.get(argument.arg)
        is_float = name_of(argument.annotation) == "float"
        if is_float and isinstance(value, (int, float)) and abs(value) < _BEYOND_FLOAT32:
            env[argument.arg] = to_float32(float(value))


# ------------------------------------------------------------------------------------------ library functions


def call_library_function(low: Lowering, callee: OperatorObject, arguments: Arguments, emitted: str) -> Operand:
    """A call of a function of this or another library; it stays a call of the variant that fits."""
    domain, version = callee.opset.domain, callee.opset.version
    span = arguments.callee_span
    try:
        entry = low.scope.libraries.function(domain, callee.name, version)
    except NotDeclaredError as error:
        refused = error.diagnostic
        raise low.error(refused.code, refused.message, span, reason=refused.reason, help=refused.help) from None
    if entry is None:
        known = ", ".join(f"`{name}`" for name in low.scope.libraries.names(domain)) or "none"
        raise low.error(
            "OW201",
            f"{domain} has no function {callee.name} at version {version}",
            span,
            reason=f"its functions are: {known}",
            help="",
        )
    _agree_on_version(low, callee, entry, emitted, span)
    bodies, is_template = low.target.bodies_of(entry)
    low.target.looked_up[OperatorName(domain, callee.name)] = entry.since_version if bodies else None
    if is_template:
        raise low.error(
            "OW361",
            f"{entry.identity} is a template, which the body of a function cannot call",
            span,
            reason="its body is made for each node of a model, when the library is attached to the model",
            help="call the operators and functions that its body uses",
            subject=entry.name,
        )
    if not bodies:
        raise low.error(
            "OW202",
            f"{entry.identity} has no body for opset {low.target.bare_opset}",
            span,
            reason="its operators are not all available at that opset",
            help="use an opset that it has a body for (a spec narrows `opset:`), or write another form",
            subject=entry.name,
            depends_on=Choice.OPSET | Choice.INFERRED_TYPE,
        )
    signature = entry_signature(entry)
    checked = check_arguments(low, signature, arguments)
    sizes = check_shapes(low, entry, checked)

    def choose(inputs: list[ir.Value | None], bindings: dict[str, ir.Type]) -> ir.FunctionReference:
        body = fit_variant(low, signature, bodies, Given(inputs, bindings, checked[1]), _content, span)
        reference = ir.FunctionReference(
            entry.domain,
            emitted,
            version,
            entry.name,
            entry.since_version,
            body.variant,
            body.body,
            body.attributes,
            body.inputs,
            pure=False,
        )
        low.trail.append(low.calls, reference)
        return reference

    return emit_call(low, signature, arguments, checked, choose, _promised_by(entry, sizes))


def _agree_on_version(
    low: Lowering, callee: OperatorObject, entry: FunctionEntry, emitted: str, span: Span | None
) -> None:
    """Of the versions that calls name of a library's domain a model imports the newest. Refuses a call where a function
    is another one there."""
    domain, asked = normal_domain(callee.opset.domain), callee.opset.version
    known = low.target.versions.get(domain)
    if known is not None and known != asked:
        before = [item for item in low.calls if item.emitted_domain == emitted] if known < asked else []
        called = [(item.name, item.since_version) for item in before]
        for name, since_version in (*called, (entry.name, entry.since_version)):
            there = low.scope.libraries.function(callee.opset.domain, name, max(known, asked))
            if there is None or there.since_version != since_version:
                raise refuse_second_version(low, callee, domain, span)
    if known is None or known < asked:
        low.trail.put(low.target.versions, domain, asked)


def check_shapes(low: Lowering, entry: FunctionEntry, checked: Checked) -> Sizes:
    """The sizes that the inputs tell, or a finding at the first that contradicts what the function declares."""
    inputs, _, spans = checked
    formals = inputs_of_call(entry, len(inputs))
    sizes = Sizes()
    for formal, value, span in zip(formals, inputs, spans, strict=False):
        declared = formal.declared_shape
        if value is None or declared is None:
            continue
        item = value.type.sequence_item
        shape = (item or value.type).carried_shape
        known = None if shape is None else [ir.size_of(size) for size in shape]
        check = sizes.contradiction if item is None else sizes.item_contradiction
        wrong = check(formal.name, declared, known)
        if wrong:
            raise low.error(
                "OW143",
                f"`{formal.name}` of {entry.identity} {wrong}",
                span,
                reason="a body is compiled for the shapes that its function declares",
                help="give it a tensor of that shape",
                subject=entry.name,
            )
    return sizes


def _promised_by(entry: FunctionEntry, sizes: Sizes) -> list[ir.Shape]:
    """The shapes of the results, as far as the function promises them and the call tells their sizes."""
    return [None if (shape := item.declared_shape) is None else sizes.numbers(shape) for item in entry.outputs]


def _content(body: BodyEntry) -> Hashable:
    return (body.body, body.inputs, body.attributes)


def entry_signature(entry: FunctionEntry) -> Signature:
    """A function's interface in the form that calls are checked against."""
    found = Signature.__new__(Signature)
    types = dict(entry.types)
    found.domain, found.name, found.since_version = entry.domain, entry.name, entry.since_version
    found.deprecated, found.deterministic = entry.deprecated, False
    found.admitted = {name: tuple(f"tensor({item})" for item in admitted) for name, admitted in types.items()}
    found.inputs = tuple(
        Formal(
            item.name,
            item.type if item.type in types else f"tensor({item.type})",
            Option.VARIADIC if item.variadic else Option.OPTIONAL if item.optional else Option.REQUIRED,
            True,
            0,
        )
        for item in entry.inputs
    )
    found.outputs = tuple(
        Formal(item.name, item.type if item.type in types else f"tensor({item.type})", Option.REQUIRED, True, 1)
        for item in entry.outputs
    )
    found.attributes = {
        item.name: AttributeSpec(item.name, item.type, item.required, item.default) for item in entry.attributes
    }
    found.min_inputs = sum(item.option is Option.REQUIRED for item in found.inputs)
    found.max_inputs = len(found.inputs)
    found.min_outputs = found.max_outputs = len(found.outputs)
    found.derive()
    return found
