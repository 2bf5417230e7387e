"""Functions run as plain Python on tensors."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from types import AsyncGeneratorType, CoroutineType, FrameType, GeneratorType
from typing import Any

import numpy as np

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.eager import settings
from opwright.eager.described import Described, describe_function
from opwright.eager.eager_lowering import NOWHERE, EagerLowering
from opwright.eager.outcome import capturer_of
from opwright.eager.parameters import Arguments, as_input, bind_by_python, each, handed_by_body, is_array
from opwright.eager.place import caller, is_ours, place_of
from opwright.eager.python_values import operand
from opwright.eager.tensor import Items, Tensor, wrap
from opwright.eager.trace import Trace
from opwright.eager.whole import call_whole
from opwright.elements import BY_NAME, ElementType
from opwright.functions import OnnxFunction
from opwright.graphs.ndarrays import Array
from opwright.lang import ir
from opwright.lang.lower.numbers.number_operands import as_tensor
from opwright.lang.meaning.interface import Arity, DeclaredValue, Input
from opwright.live.compiled import target_opset
from opwright.opsets.opset import NoOperatorError
from opwright.opsets.signatures import is_known_domain, newest_opset


def call_function(function: OnnxFunction, args: Sequence[object], kwargs: Mapping[str, object]) -> Any:
    """The results of the function, run as Python: a tensor or a sequence, or a tuple of them where it returns a tuple.

    Numpy arrays in give numpy arrays out, tensors give tensors, and so does every call inside of another function.
    DiagnosticError at the caller's line for arguments that a compiled call refuses, and where Python's stack ends.
    """
    found = settings.current()
    if found.capturing is not None:
        return found.capturing.call_function(function, args, kwargs)
    try:
        if found.whole and found.trace is None and not found.strict:
            return call_whole(function, found, args, kwargs, call_plainly)
        return call_plainly(function, args, kwargs, None)
    except RecursionError:
        raise _end_of_stack(function) from None


def _end_of_stack(function: OnnxFunction) -> DiagnosticError:
    """Says which function is called by itself; else that calls follow each other too far. Where there is no stack left
    to say it, the next call does that is around."""
    frame, running = caller(), _running()
    place = place_of(frame)
    again = next((item for item in running if running.count(item) > 1), None)
    if again is not None:
        itself = running[running.index(again) + 1] is again
        found = Diagnostic(
            "OW323",
            f"`{again.name}` calls itself" if itself else f"`{again.name}` is called by itself",
            place,
            reason=f"ONNX has no recursive functions, and the stack ends after {running.count(again)} of its calls",
            help="write a loop",
        )
    else:
        found = Diagnostic(
            "OW327",
            f"Python's stack ends in a call of `{function.name}`",
            place,
            reason=f"it has room for {sys.getrecursionlimit():,} frames, of which a function under @script that waits "
            "for another takes seven",
            help="make room, `sys.setrecursionlimit(...)`, or compile the outermost function, which takes none",
        )
    return DiagnosticError([found])


def _running() -> list[OnnxFunction]:
    """The functions under @script whose calls have not ended, the last one first."""
    found = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code is call_function.__code__:
            found.append(frame.f_locals["function"])
        frame = frame.f_back
    return found


def call_plainly(
    function: OnnxFunction, args: Sequence[object], kwargs: Mapping[str, object], trace: Trace | None
) -> Any:
    """The same, by running the body; `trace` is told what it does."""
    capturing = capturer_of((*args, *kwargs.values()))
    if capturing is not None:
        return capturing.call_function(function, args, kwargs)
    own = target_opset(function, None)
    opset = settings.opset_in_force(own)
    low = EagerLowering(opset, caller())
    described = describe_function(function)
    try:
        given = bind_by_python(low, function.name, described.signature, args, kwargs)
        if settings.is_inside_function():
            given = {name: handed_by_body(value) for name, value in given.items()}
        arguments = Arguments(low, function, described).convert(given)
        if settings.is_strict():
            from opwright.eager.compile_first import result_types

            result_types(low, function, described, arguments)
        elif opset != own:
            from opwright.eager.compile_first import check_opset

            check_opset(function, opset)
    except DiagnosticError as found:
        raise found.with_traceback(None) from None  # our own frames would tell the author nothing
    inputs = [item.name for item in described.interface.inputs if item.name in given]
    elements = {
        index: BY_NAME[item.type]
        for index, item in enumerate(described.declaration.returns or ())
        if item is not None and item.type in BY_NAME and not item.wrap
    }
    if trace is not None:
        attributes = (item.name for item in described.interface.attributes)
        trace.attributes = {name: given[name] for name in attributes if name in given}
        arguments = {**arguments, **_traced(trace, arguments, described.interface.inputs)}
    results, is_tuple = _run(low, function.__wrapped__, described.signature, arguments, elements, trace)
    if any(map(_is_open, results)):
        results = _of_known_items(results, low, function, described, arguments)
    declared = described.declaration.returns
    if declared is not None and len(results) != len(declared):
        low.error(
            "OW215",
            f"`{function.name}` returns {len(results)} values, and {len(declared)} are declared",
            NOWHERE,
            reason="the annotation of its result says how many there are",
            help="return one value for each output, in their order",
        )
    for item, result in () if declared is None else zip(declared, results, strict=True):
        if item is not None and isinstance(result, Tensor):
            _check_shape(low, function.name, item, result.type)
    if trace is not None:
        trace.leave(results, is_tuple)
    handed = [item for name in inputs for item in (given[name], *each(given[name]))]
    if not settings.is_inside_function() and not any(isinstance(item, (Tensor, Items)) for item in handed):
        arrays = [item for item in handed if isinstance(item, np.ndarray)]
        results = tuple(_plain(item, arrays) for item in results)
    return results if is_tuple else results[0]


def _of_known_items(
    results: tuple[Any, ...],
    low: EagerLowering,
    function: OnnxFunction,
    described: Described,
    arguments: Mapping[str, Any],
) -> tuple[Any, ...]:
    """The results, with lists without items as the compiled function has them: sequences of a type where it appends to
    them, else, and where it cannot be compiled for such a call, tensors."""
    from opwright.eager.compile_first import result_types

    try:
        types = result_types(low, function, described, arguments, len(results))
    except DiagnosticError:
        types = [ir.UnknownType()] * len(results)
    return tuple(
        Items([], type_.item) if _is_open(item) and isinstance(type_, ir.SequenceType) else _as_tensor(low, item)
        for item, type_ in zip(results, types, strict=True)
    )


def _is_open(result: Any) -> bool:
    """Whether it is a list without items, of which it is not known yet whether it is a sequence."""
    return isinstance(result, Items) and not result and result.item.is_unknown


def _as_tensor(low: EagerLowering, result: Any) -> Any:
    return as_input(low, [], None) if _is_open(result) else result


def run_body(
    function: Callable[..., Any],
    inputs: Mapping[str, Any],
    attributes: Mapping[str, Any],
    opset: int,
    outputs: Sequence[str] = (),
) -> tuple[Any, ...]:
    """The results of a plain function on arguments by name, without checks: tensors, one for each value returned.

    Arrays and numbers among `inputs` become tensors; attributes are handed on as they are. `outputs` names the element
    types of the results: numbers take them, and tensors must have them (OW210).
    """
    low = EagerLowering(opset, caller())
    given = {name: as_input(low, value, None) for name, value in inputs.items()}
    with settings.at_opset(opset):
        elements = {index: BY_NAME[name] for index, name in enumerate(outputs)}
        results, _ = _run(low, function, inspect.signature(function), {**given, **attributes}, elements)
    return tuple(_as_tensor(low, item) for item in results)


def _traced(trace: Trace, arguments: Mapping[str, Any], inputs: Sequence[Input]) -> dict[str, Any]:
    """The inputs that are given, each as a separate array."""
    entered: dict[str, Any] = {}
    for item in inputs:
        value = arguments.get(item.name)
        if item.arity is Arity.VARIADIC:
            entered[item.name] = tuple(
                None if part is None else trace.enter(item.name, index, part) for index, part in enumerate(value or ())
            )
        elif value is not None:
            entered[item.name] = trace.enter(item.name, 0, value)
    return entered


def _run(
    low: EagerLowering,
    function: Callable[..., Any],
    signature: inspect.Signature,
    arguments: Mapping[str, Any],
    elements: Mapping[int, ElementType],
    trace: Trace | None = None,
) -> tuple[tuple[Any, ...], bool]:
    """The results, and whether the function returns them in a tuple. `elements` are the declared types of outputs, by
    their index."""
    ordered = {name: arguments[name] for name in signature.parameters if name in arguments}
    bound = inspect.BoundArguments(signature, ordered)
    bound.apply_defaults()  # an empty `*xs` after an optional input would be bound by name
    with settings.inside_function(low.target.opset, trace):
        try:
            found = function(*bound.args, **bound.kwargs)
        except NoOperatorError as missing:
            _refuse_missing(low, missing)
            raise
        if isinstance(found, (GeneratorType, CoroutineType, AsyncGeneratorType)):
            _refuse_unstarted(low, function.__name__, found)
        is_tuple = isinstance(found, tuple)
        values = found if is_tuple else (found,)
        if not values or any(value is None for value in values):
            low.error(
                "OW306",
                f"`{function.__name__}` returns {'nothing' if found in (None, ()) else 'a None'}",
                NOWHERE,
                reason="a function of ONNX has outputs",
                help="return a value on every path",
            )
    results = tuple(
        _output(low, function.__name__, handed_by_body(value), elements.get(index))
        for index, value in enumerate(values)
    )
    return results, is_tuple


def _refuse_missing(low: EagerLowering, missing: NoOperatorError) -> None:
    """The compiler's diagnostic for an operator that is in no opset, or in a newer one; what an opset has that the
    installed onnx does not know is for the opset itself to say."""
    opset, reached = missing.opset, missing.__traceback__
    if opset.signatures is not None or not is_known_domain(opset.domain) or opset.version > newest_opset(opset.domain):
        return
    frame: FrameType | None = None
    while reached is not None:
        frame = frame if is_ours(reached.tb_frame) else reached.tb_frame
        reached = reached.tb_next
    EagerLowering(low.target.opset, frame).unknown_operator(opset.domain, missing.operator, NOWHERE)


def _refuse_unstarted(low: EagerLowering, name: str, found: Any) -> None:
    """A body with `yield` or `async` has not even begun to run."""
    if isinstance(found, CoroutineType):
        found.close()  # else Python warns that it was never awaited
    kind = type(found).__name__.replace("_", " ")
    low.error(
        "OW304",
        f"`{name}` gives a {kind}, not its results",
        NOWHERE,
        reason="`yield` and `async` are not part of the language: a graph gives all of its results at once",
        help="write a `def` that returns them",
    )


def _output(low: EagerLowering, name: str, value: Any, element: ElementType | None) -> Any:
    if element is None and isinstance(value, list) and not value and not isinstance(value, Items):
        return Items([], ir.UnknownType())  # a sequence or a tensor: the compiled function tells
    if isinstance(value, list) and not isinstance(value, Items) and not all(map(is_array, value)):
        made = as_tensor(low, operand(low, value), element, None)  # a number in it makes it a list of numbers
        return wrap(low.data[made], made.type)
    made = as_input(low, value, element)
    if element is not None and isinstance(made, Tensor) and made.dtype is not element:
        low.error(
            "OW210",
            f"`{name}` is declared to give {element!r}, and gives {made.type!r}",
            NOWHERE,
            reason="a function returns the element type that its interface promises",
            help="cast the result, or change the declared type",
        )
    return made


def _check_shape(low: EagerLowering, name: str, declared: DeclaredValue, found: ir.Type) -> None:
    """The rank of a result is the declared one, and so are the sizes that are declared as numbers."""
    wanted, dims = declared.dimensions, found.shape
    if wanted is None or dims is None or declared.wrap:
        return
    pairs = zip(wanted, dims, strict=False)
    if len(wanted) != len(dims) or any(isinstance(one, int) and one != other for one, other in pairs):
        low.error(
            "OW210",
            f"`{name}` is declared to give the shape {declared.shape_text}, and gives {found!r}",
            NOWHERE,
            reason="a function returns the type that its interface promises",
            help="reshape the result, or change the declared type",
        )


def _plain(value: Any, given: Sequence[Array]) -> Any:
    """The array of a tensor; never one that the caller handed in, since that may change."""
    if isinstance(value, Items):
        return [_plain(item, given) for item in value]
    data = value.data
    if not isinstance(data, np.ndarray):
        return data
    shared = not data.flags.writeable or any(np.may_share_memory(data, array) for array in given)
    return data.copy() if shared else data
