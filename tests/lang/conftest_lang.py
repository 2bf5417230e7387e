"""Compiling source text in a test, and running what comes out on the runtimes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper
from onnx.inliner import inline_local_functions
from onnx.reference import ReferenceEvaluator
from opwright.diagnostics.diagnostic import Diagnostic
from opwright.elements import BY_NAME
from opwright.lang import ir
from opwright.lang.emit import emit_function
from opwright.lang.families.family import Family, build_family
from opwright.lang.lower.module_scope import evaluate_static, scope_of_text
from opwright.lang.meaning.function_unit import Unit
from opwright.lang.meaning.interface import Declaration, DeclaredValue, read_interface
from opwright.lang.meaning.resolve import FileScope, NoFiles, NoLibraries
from opwright.lang.text.source import Source
from opwright.lang.text.syntax import Module, parse

HEADER = "from opwright import opset18 as op, FLOAT, DOUBLE, INT64, INT32, BOOL\nimport math\n"


class Compiler:
    """Compiles `def F(...)` in a text. Inputs and outputs map names to types, `types` variables to element types."""

    def unit(
        self,
        text: str,
        inputs: Mapping[str, str],
        outputs: Mapping[str, str],
        types: Mapping[str, Sequence[str]] | None = None,
    ) -> Unit:
        module = parse(Source("f.py", HEADER + text))
        assert isinstance(module, Module), module
        found: list[Diagnostic] = []
        scope = FileScope(module, NoFiles(), NoLibraries(), evaluate_static, found.append)
        node = module.function("F")
        assert node is not None
        interface = read_interface(module.source, node, scope.constant, found.append, scope)
        assert not found, found
        declaration = Declaration(
            "test.domain",
            "F",
            1,
            {name: _declared(type_) for name, type_ in inputs.items()},
            {name: _declared(type_) for name, type_ in outputs.items()},
            {name: tuple(BY_NAME[item] for item in items) for name, items in (types or {}).items()},
        )
        return Unit(module, node, declaration, interface, scope_of_text(module, NoFiles(), NoLibraries()))

    def family(
        self,
        text: str,
        inputs: Mapping[str, str],
        outputs: Mapping[str, str],
        types: Mapping[str, Sequence[str]] | None = None,
        opset: int = 18,
    ) -> Family:
        return build_family(self.unit(text, inputs, outputs, types), opset)

    def function(self, *arguments: Any, **keywords: Any) -> ir.Function:
        """The one variant of a sound function."""
        family = self.family(*arguments, **keywords)
        assert not family.diagnostics, family.diagnostics
        assert len(family.variants) == 1, [variant.key for variant in family.variants]
        function = family.variants[0].lowered.function
        assert function is not None
        return function

    def codes(self, *arguments: Any, **keywords: Any) -> list[str]:
        """The codes of what is wrong."""
        return [item.code for item in self.family(*arguments, **keywords).diagnostics]


def _declared(type_: str) -> DeclaredValue:
    name, _, rank = type_.partition("/")
    return DeclaredValue(name, int(rank) if rank else None)


def model_of(function: ir.Function, arrays: Mapping[str, np.ndarray], attributes: Mapping[str, Any]) -> onnx.ModelProto:
    """A model of one node that calls the function, ranks known and sizes not."""
    proto = emit_function(function, "test.domain")
    given = {parameter.name: parameter.default for parameter in function.attributes}
    given.update(attributes)
    present = [value.name if value.name in arrays else "" for value in function.inputs]
    node = helper.make_node("F", present, function.outputs, domain="test.domain", **given)
    inputs = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), [f"{name}_{axis}" for axis in range(array.ndim)]
        )
        for name, array in arrays.items()
    ]
    outputs = [onnx.ValueInfoProto(name=name) for name in function.outputs]
    graph = helper.make_graph([node], "g", inputs, outputs)
    imports = [helper.make_opsetid("", function.opset), helper.make_opsetid("test.domain", 1)]
    return helper.make_model(graph, functions=[proto], opset_imports=imports, ir_version=10)


def run_everywhere(
    function: ir.Function, arrays: Mapping[str, np.ndarray], attributes: Mapping[str, Any] | None = None
) -> dict[str, list[np.ndarray]]:
    """The outputs on onnxruntime without and with optimisation, and on the reference evaluator, inlined."""
    model = model_of(function, arrays, attributes or {})
    onnx.checker.check_function(model.functions[0], _context(model))
    results = {}
    for level in (ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_ALL):
        options = ort.SessionOptions()
        options.graph_optimization_level = level
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        results[level.name] = session.run(None, dict(arrays))
    results["reference"] = ReferenceEvaluator(inline_local_functions(model)).run(None, dict(arrays))
    return results


def _context(model: onnx.ModelProto) -> Any:
    context = onnx.checker.C.CheckerContext()
    context.ir_version = model.ir_version
    context.opset_imports = {item.domain: item.version for item in model.opset_import}
    return context
