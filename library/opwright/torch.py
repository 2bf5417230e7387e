"""Functions behind the operators of PyTorch: `torch.onnx.export(..., custom_translation_table=translations({...}))`,
then `link(program)`.

Imported on request alone: it needs torch, and onnxscript, which torch's exporter needs.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib import import_module
from operator import floordiv
from pathlib import Path
from typing import Any

import torch
from onnxscript import evaluator, ir
from torch.onnx._internal.exporter._registration import ONNXRegistry
from torch.onnx._internal.exporter._tensors import SymbolicTensor

from opwright.aten.forms.spectra import pairs
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Related
from opwright.eager.settings import default_as
from opwright.elements import ElementType
from opwright.foreign.callables import by_name, no_function
from opwright.foreign.exported_outputs import element_of
from opwright.foreign.link import last_line, link
from opwright.foreign.operator_nodes import OperatorNodes, Symbols, with_element_types
from opwright.foreign.operator_registry import LAST, Implementation, Registry, make_registry
from opwright.foreign.recorded_nodes import NodeRecorder
from opwright.functions import OnnxFunction
from opwright.link.library_forms import AnyLibrary
from opwright.packaged import LibraryFunction

__all__ = ["Registry", "link", "missing", "registry", "translation_table", "translations"]

_TORCH = str(Path(str(torch.__file__)).parent)
_HALVES = frozenset((torch.float16, torch.bfloat16))
# What `remove_assertion_nodes` of torch.onnx._internal.exporter._fx_passes drops (torch 2.13); it keeps what they read.
_CHECKS = frozenset(
    (
        torch.ops.aten.sym_constrain_range_for_size.default,
        torch.ops.aten._assert_async.default,
        torch.ops.aten._assert_async.msg,
        torch.ops.aten._assert_scalar.default,
        torch.ops.aten._assert_tensor_metadata.default,
    )
)
_QUANTIZED = "torch.ao.quantization.fx._decomposed"  # its import makes quantized_decomposed known to torch


def translations(table: Mapping[Any, Any]) -> dict[Any, Callable[..., Any]]:
    """The `custom_translation_table` of `torch.onnx.export`: functions by the operators of torch that they stand for.

    A value is a function under `@script`, one of a library, or any Python that takes what the operator takes and calls
    such functions, or operators of opwright, with it. In the program such a call is a node of the function's own
    domain; `link` gives the program the functions. A call that is wrong is a DiagnosticError at the line of the
    module, around which torch puts its own; DiagnosticError (OW683) for a value that cannot be called.
    """
    return {operator: _translation(function) for operator, function in table.items()}


def registry(*libraries: AnyLibrary) -> Registry:
    """The functions of libraries by the operators of PyTorch that they implement, `aten::add.Tensor` and so on.

    A library is given as to `opwright.attach`. The first that is named counts, and `opwright-aten` comes last. Raises
    DiagnosticError (OW510 to OW518, OW685).
    """
    return make_registry(libraries or (LAST,))


def translation_table(registry: Registry) -> dict[Any, Callable[..., Any]]:
    """The `custom_translation_table` of `torch.onnx.export` for what a registry has and this release of torch knows.

    In the program a call is a node of the function's own domain, behind casts that PyTorch's rules of promotion ask
    for; `link(program)` gives it the functions. A call that its function does not serve is a DiagnosticError (OW686)
    at the line of the module. Left to torch are calls whose tensors are complex, and what it takes apart for them.
    TypeError for anything but a registry.
    """
    _check_registry(registry)
    with suppress(ImportError):  # a program may import it later than the table is made
        import_module(_QUANTIZED)
    table: dict[Any, Callable[..., Any]] = {}
    for name, implementation in registry.items():
        operator = _overload(name)
        if operator is not None and not _is_taken_apart(operator, implementation):
            table[operator] = _operator_translation(operator, implementation)
    table[floordiv] = _floor_division
    return table


def _floor_division(first: Any, second: Any) -> Any:
    """Python's `//` of numbers: of integers that may be negative torch's own function truncates the quotient, and of
    floats it does not round it."""
    recorder: Any = evaluator.default()
    opset = recorder.opset
    node = _node_of_module()
    if isinstance(_known_value(node), torch.SymFloat):
        return opset.Floor(opset.Div(first, second))
    if node is not None and all(map(_is_natural, node.args)):
        return opset.Div(first, second)
    return opset.Div(opset.Sub(first, opset.Mod(first, second)), second)


def _is_natural(argument: Any) -> bool:
    """Whether an integer of the program is known not to be negative, as sizes are."""
    known = _known_value(argument)
    if isinstance(known, torch.SymInt):
        return bool(known.node.shape_env.bound_sympy(known.node.expr).lower >= 0)
    return isinstance(argument, int) and argument >= 0


def _is_taken_apart(operator: Any, implementation: Implementation) -> bool:
    """Whether torch's exporter has to take the operator apart, which it does not where a table has it: it gives calls
    with complex tensors to its own functions alone, which know the parts, and its pass of promotions knows no
    operator with several results, of which its rules have std_mean."""
    binding = implementation.binding
    takes_complex = any(argument.form is pairs for argument in binding.arguments)
    has_parts = torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "CompositeImplicitAutograd")
    return (takes_complex and has_parts) or binding.schema.name == "aten::std_mean"


def missing(program: torch.export.ExportedProgram, registry: Registry) -> list[Diagnostic]:
    """A finding (OW684) for each operator of the program that the registry lacks, at the line of the module that calls
    it first, those of branches and loops after the others. An operator that writes to a tensor counts as the one
    without effects that the exporter puts in its place. Operators of Python, as on sizes, are the exporter's own; what
    it drops, checks and results that nothing reads, is not missing. TypeError for anything but an exported program and
    a registry."""
    _check_registry(registry)
    if not isinstance(program, torch.export.ExportedProgram):
        raise TypeError(f"`missing` takes what `torch.export.export` gives, not {type(program).__name__}")
    found: dict[str, Diagnostic] = {}
    graphs = [item.graph for item in program.graph_module.modules() if isinstance(item, torch.fx.GraphModule)]
    for node in (node for graph in graphs for node in _kept(graph)):
        if node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload):
            name = _without_effects(node.target).name()
            if name not in registry and name not in found:
                found[name] = registry.unknown(name, last_line(str(node.meta.get("stack_trace", ""))))
    return list(found.values())


def _kept(graph: torch.fx.Graph) -> list[torch.fx.Node]:
    """The nodes that torch's exporter translates: what only checks is dropped, and what nothing reads."""
    dropped: set[torch.fx.Node] = set()
    for node in reversed(graph.nodes):
        if node.target not in _CHECKS and not node.is_impure() and dropped.issuperset(node.users):
            dropped.add(node)
    return [node for node in graph.nodes if node not in dropped and node.target not in _CHECKS]


def _check_registry(given: object) -> None:
    if not isinstance(given, Registry):
        raise TypeError(f"a registry is what `opwright.torch.registry` makes of libraries, not {type(given).__name__}")


@cache
def _without_effects(operator: Any) -> Any:
    """The operator that has the same arguments and writes to none of them, `mul.Tensor` for `mul_.Tensor`; itself where
    there is none. `out` is no argument of it."""
    schema = operator._schema
    if not schema.is_mutable:
        return operator
    namespace, _, name = schema.name.partition("::")
    packet = getattr(getattr(torch.ops, namespace), name.removesuffix("_"), None)
    others = [] if packet is None else [getattr(packet, overload) for overload in packet.overloads()]
    arguments = _arguments(operator)
    return next((item for item in others if not item._schema.is_mutable and _arguments(item) == arguments), operator)


def _arguments(operator: Any) -> list[tuple[str, str]]:
    """The name and the type of each argument but `out`."""
    return [(item.name, str(item.type)) for item in operator._schema.arguments if not item.is_out]


def _overload(name: str) -> Any:
    """torch's own object for `aten::add.Tensor`; None where this release has none."""
    namespace, _, rest = name.partition("::")
    operator, _, overload = rest.partition(".")
    packet = getattr(getattr(torch.ops, namespace), operator, None)
    return getattr(packet, overload or "default", None)


def _operator_translation(operator: Any, implementation: Implementation) -> Callable[..., Any]:
    binding = implementation.binding
    variadic = bool(binding.function.outputs) and binding.function.outputs[-1].variadic
    returned = len(binding.schema.returns)

    def translate(*given: Any, **named: Any) -> Any:
        # torch runs this within its own evaluator of onnxscript, which has the nodes of the operator.
        recorder: Any = evaluator.default()
        args, kwargs = with_element_types(binding, _with_numbers(given), named)
        expected = _types_of_results()
        if not variadic:  # torch may know of fewer: those that are used
            expected = (expected + [None] * returned)[:returned]
        symbols = _symbols(given, named)
        nodes = OperatorNodes(recorder.nodes.append, lambda: SymbolicTensor(recorder.opset), symbols)
        try:
            if _is_float_number():
                return nodes.float_number(implementation, args, kwargs)
            results = nodes.call(implementation, args, kwargs, expected)
        except DiagnosticError as error:
            own = _own_function(operator, recorder.opset.version) if _has_complex_results() else None
            if own is not None:
                return own(*given, **named)
            raise DiagnosticError(_at_module(error.diagnostics)) from None
        return results if variadic or returned > 1 else results[0]

    translate.__name__ = binding.function.name
    return translate


def _with_numbers(given: Sequence[Any]) -> Sequence[Any]:
    """The operands of the node that torch is translating, with the numbers for which its pass of promotions has put
    tensors of float16 or bfloat16: PyTorch computes products with the numbers themselves. What compares is given
    tensors in float by that pass, so numbers are rounded to the type that these had, as PyTorch rounds them."""
    node = _node_of_module()
    if node is None or len(node.args) != len(given):
        return given
    compared = _compared_type(node)
    return [_number_or(value, argument, compared) for argument, value in zip(node.args, given, strict=True)]


def _number_or(value: Any, argument: Any, compared: torch.dtype | None) -> Any:
    """The number of an operand, rounded to the type in which PyTorch compares if there is one; else the value."""
    number = argument
    if _is_of_promotion(argument, torch.ops.aten.scalar_tensor.default):
        if compared is None and argument.kwargs["dtype"] not in _HALVES:
            return value
        number = argument.args[0]
    if isinstance(number, bool) or not isinstance(number, int | float):
        return value
    return number if compared is None else torch.tensor(number, dtype=torch.float64).to(compared).item()


def _compared_type(node: torch.fx.Node) -> torch.dtype | None:
    """float16 or bfloat16, where the node compares tensors of that type alone, which torch's pass of promotions casts
    to float."""
    result = node.meta.get("val")
    if not isinstance(result, torch.Tensor) or result.dtype is not torch.bool:
        return None
    nodes = [item for item in node.args if isinstance(item, torch.fx.Node)]
    casts = [item for item in nodes if _is_of_promotion(item, torch.ops.prims.convert_element_type.default)]
    found = {item.args[0].meta["val"].dtype for item in casts if item.kwargs["dtype"] is torch.float32}
    return found.pop() if len(found) == 1 and found <= _HALVES else None


def _is_of_promotion(argument: Any, operator: Any) -> bool:
    """Whether an operand is a node of that operator which torch's pass of promotions has made."""
    if not isinstance(argument, torch.fx.Node) or argument.target is not operator:
        return False
    sources = argument.meta.get("from_node") or ()
    return any(item.pass_name.endswith("TypePromotionInterpreter") for item in sources[-1:])


@cache
def _own_registry(opset: int) -> ONNXRegistry:
    """What torch's exporter has of its own."""
    return ONNXRegistry.from_torchlib(opset)


def _own_function(operator: Any, opset: int) -> Callable[..., Any] | None:
    """torch's own translation of an operator that is given no complex tensors."""
    found = [item.onnx_function for item in _own_registry(opset).get_decomps(operator) if not item.is_complex]
    return found[0] if found else None


def _has_complex_results() -> bool:
    """Whether the node that torch is translating gives complex tensors, as `zeros(dtype=complex64)` does."""
    node = _node_of_module()
    value: Any = None if node is None else node.meta.get("val")
    return isinstance(value, torch.Tensor) and value.is_complex()


def _is_float_number() -> bool:
    """Whether the node that torch is translating gives a number, as `x.item()` does of floats."""
    node = _node_of_module()
    return node is not None and isinstance(node.meta.get("val"), torch.SymFloat)


def _types_of_results() -> list[ElementType | None]:
    """The element type of each tensor that the node gives which torch is translating, as its metadata say."""
    node = _node_of_module()
    value: Any = None if node is None else node.meta.get("val")
    values = value if isinstance(value, tuple | list) else [value]
    return [element_of(item.dtype) if isinstance(item, torch.Tensor) else None for item in values]


def _symbols(given: Sequence[Any], named: Mapping[str, Any]) -> dict[int, Symbols]:
    """By the `id` of each value among the arguments what torch knows of sizes: of a tensor the expressions of its own,
    of a number its expression."""
    node = _node_of_module()
    if node is None or len(node.args) != len(given):
        return {}
    found: dict[int, Symbols] = {}
    pairs = [*zip(node.args, given, strict=True), *((node.kwargs.get(name), named[name]) for name in named)]
    while pairs:
        argument, value = pairs.pop()
        if isinstance(argument, list | tuple) and isinstance(value, list | tuple) and len(argument) == len(value):
            pairs += zip(argument, value, strict=True)
        elif isinstance(value, ir.Value):
            known = _known_value(argument)
            if isinstance(known, torch.SymInt):
                found[id(value)] = _symbol(known)
            elif isinstance(known, torch.Tensor):
                found[id(value)] = tuple(map(_symbol, known.shape))
    return found


def _known_value(argument: Any) -> Any:
    """What torch knows of a value of the program; None of anything else."""
    return argument.meta.get("val") if isinstance(argument, torch.fx.Node) else None


def _symbol(size: int | torch.SymInt) -> str:
    return str(size) if isinstance(size, int) else str(size.node.expr)


def _translation(function: Any) -> Callable[..., Any]:
    if not callable(function):
        raise DiagnosticError([no_function(function)])

    def translate(*given: Any, **named: Any) -> Any:
        args: Sequence[Any] = given
        kwargs: Mapping[str, Any] = named
        # torch runs this within its own evaluator of onnxscript, which has the nodes of the operator.
        recorder: Any = evaluator.default()
        values = [value for value in args if isinstance(value, ir.Value)]
        tensor: Any = type(values[0]) if values else ir.Value
        new = tensor if tensor is ir.Value else lambda: tensor(recorder.opset)
        capturing = NodeRecorder(recorder.nodes.append, new, recorder.opset.version)
        try:
            with default_as(capturing):
                if isinstance(function, OnnxFunction):  # torch gives by position what ONNX has as attributes
                    args, kwargs = by_name(function, args, kwargs)
                if isinstance(function, OnnxFunction | LibraryFunction):
                    return capturing.call_function(function, args, kwargs)
                return function(*args, **kwargs)
        except DiagnosticError as error:
            raise DiagnosticError(_at_module(error.diagnostics)) from None

    translate.__name__ = str(getattr(function, "__name__", None) or getattr(function, "name", "translate"))
    return translate


def _at_module(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Findings at the line of the module; those in Python of the user's stay there, and name that line too."""
    line = _line_of_module()
    if line is None:
        return list(found)
    return [
        replace(item, place=line)
        if item.place is None or item.place.file.startswith(_TORCH)
        else replace(item, related=(*item.related, Related(line, "the module calls it here")))
        for item in found
    ]


def _line_of_module() -> Place | None:
    """The line whose operator is being translated."""
    node = _node_of_module()
    return None if node is None else last_line(str(node.meta.get("stack_trace", "")))


def _node_of_module() -> Any:
    """The node whose operator is being translated, which torch keeps in the frame that is at it."""
    frame = sys._getframe(1).f_back
    while frame is not None:
        node = frame.f_locals.get("node")
        if node is not None and isinstance(node, torch.fx.Node):
            return node
        frame = frame.f_back
    return None
