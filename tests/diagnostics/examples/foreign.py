"""OW680 to OW683: functions behind the nodes of models that other packages make."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_FORM = """\
from onnx import parser
from opwright import Opset, script
from opwright import opset18 as op
from opwright.ir import link


@script(Opset("com.acme", 1), default_opset=op)
def Swish(x, alpha: float = 1.0):
    return x * op.Sigmoid(alpha * x)

OTHER
model = parser.parse_model('''
    <ir_version: 10, opset_import: ["": 18, "com.acme": 1]>
    g (float[N] x) => (float[N] y) { y = NODE }
''')
print(link(model, [FUNCTIONS]))
"""
_OTHER = """
@script(Opset("com.acme", 1), default_opset=op, name="NAME")
def Gate(x):
    return op.Sigmoid(x)

"""


def _form(node: str, functions: str, other: str = "") -> Example:
    text = _FORM.replace("OTHER\n", other)
    return Example("python a.py", {"a.py": text.replace("NODE", node).replace("FUNCTIONS", functions)})


_GOOD = _form("com.acme.Swish<alpha = 2.0>(x)", "Swish")

PAIRS: tuple[Pair, ...] = (
    Pair("OW680", bad=_form("com.acme.Swihs(x)", "Swish"), good=_GOOD),
    Pair("OW681", bad=_form("com.acme.Swish<alpha = [1.0, 2.0]>(x)", "Swish"), good=_GOOD),
    Pair(
        "OW682",
        bad=_form("com.acme.Swish(x)", "Swish, Gate", _OTHER.replace("NAME", "Swish")),
        good=_form("com.acme.Swish(x)", "Swish, Gate", _OTHER.replace("NAME", "Gate")),
    ),
    Pair("OW683", bad=_form("com.acme.Swish(x)", "abs"), good=_GOOD),
)
