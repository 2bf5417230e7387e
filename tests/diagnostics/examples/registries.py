"""OW684 to OW687: functions that implement operators of PyTorch, calls of these, and results of programs."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_SPEC = """\
schema: 1
domain: com.acme
name: Swish
summary: x * sigmoid(alpha * x).
since_version: 1
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
attributes: {alpha: Factor within the sigmoid.}
types: {T: [float, double]}
vectors: [vectors.yaml]
"""
_IMPLEMENTS = """\
implements:
  operator: acme::swish
  schema: "acme::swish(Tensor X, float alpha=1.0) -> Tensor"
"""
_CODE = """\
import onnx_ir as ir
from opwright import DiagnosticError
from opwright.foreign.operator_nodes import OperatorNodes
from opwright.foreign.operator_registry import make_registry

known = make_registry(["dist/base-1.0.0.onnxlib"])
if "OPERATOR" not in known:
    raise DiagnosticError([known.unknown("OPERATOR", None)])
nodes = []
x = ir.Value(name="x", type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape([2]))
made = OperatorNodes(nodes.append, ir.Value).call(known["OPERATOR"], [x, ALPHA], {}, [None])
print(len(made), len(nodes))
"""


def _call(operator: str = "acme::swish", alpha: str = "2.0", implements: str = _IMPLEMENTS) -> Example:
    code = _CODE.replace("OPERATOR", operator).replace("ALPHA", alpha)
    return Example("build && python a.py", {"a.py": code, "specs/com.acme/Swish/spec.yaml": _SPEC + implements})


_RESULTS = """\
from types import SimpleNamespace as Some

from onnx import parser
from opwright.foreign.exported_outputs import cast_outputs

model = parser.parse_model('<ir_version: 10, opset_import: ["": 18]> g (float[2] x) => (float[2] y, float[2] z) '
                           "{ y = Neg(x) z = Abs(x) }")
half = type("dtype", (), {"is_complex": False, "__str__": lambda self: "torch.float16"})()
result = Some(name="NAME", meta={"val": Some(dtype=half)})
signature = Some(output_specs=[Some(kind=Some(name="USER_OUTPUT"))])
cast_outputs(model, Some(graph=Some(nodes=[Some(args=[[result]])]), graph_signature=signature))
print(model.graph.node[-1].op_type)
"""


def _result(name: str) -> Example:
    return Example("python a.py", {"a.py": _RESULTS.replace("NAME", name)})


PAIRS: tuple[Pair, ...] = (
    Pair("OW684", bad=_call("acme::swich"), good=_call()),
    Pair("OW685", bad=_call(implements=""), good=_call()),
    Pair("OW686", bad=_call(alpha="x"), good=_call()),
    Pair("OW687", bad=_result("sum_1"), good=_result("y")),
)
