"""`docs/tools.md`: what tools make of a model that holds functions. `nox -s tools` writes it (`python -m
tests.foreign.tool_table`), and fails where it was another one.

Each step is tried on a model whose nodes call scripts: with attributes, with a callee, with variants by an optional
input and by a text, beside a `MatMul` with weights. What comes out is run and compared.
"""

from __future__ import annotations

import importlib.metadata
import logging
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir
import onnxruntime
from onnx import ModelProto, checker, compose, inliner, parser, printer, version_converter
from onnx.reference import ReferenceEvaluator
from onnx_ir.passes import common
from opwright import attach, convert
from opwright.ir import link

from tests.foreign.netron_page import netron_shows
from tests.foreign.scripts import Bounded, Gelu, Projected, Swish, Swished

PAGE = Path(__file__).parents[2] / "docs" / "tools.md"
FUNCTIONS = [Swished, Swish, Bounded, Gelu, Projected]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(4, 8)).astype(np.float32)
CLOSE, NEAR = 1e-5, 0.1  # relative to the greatest result


def model_with_functions() -> ModelProto:
    model = parser.parse_model(
        '<ir_version: 10, opset_import: ["": 18, "com.acme": 1]> g (float[N, 8] x) => (float[N, 8] y) {'
        " a = MatMul(x, w) b = com.acme.Swished(a) c, most = com.acme.Bounded<factor = 2.0>(b)"
        ' d = com.acme.Gelu<approximate = "tanh">(c) e, least = com.acme.Bounded<factor = 0.5>(d, most)'
        " f = com.acme.Projected(e, v) y = com.acme.Swish<alpha = 2.0>(f) }"
    )
    for name in ("w", "v"):
        weights = RNG.normal(scale=0.3, size=(8, 8)).astype(np.float32)
        model.graph.initializer.append(onnx.numpy_helper.from_array(weights, name))
    for index, node in enumerate(model.graph.node):
        node.name = f"n{index}"
    return link(model, FUNCTIONS)


Step = Callable[[ModelProto, Path], "ModelProto | bytes | str"]


@dataclass(frozen=True)
class Row:
    """A step of a tool: the model that it makes, or a text that says what it shows. `note` says what to do."""

    tool: str
    does: str
    step: Step
    note: str = ""
    element: type = np.float32


# ------------------------------------------------------------------------------------------------- onnxruntime


def load(model: ModelProto, folder: Path) -> ModelProto:
    onnxruntime.InferenceSession(model.SerializeToString())
    return model


def optimise_and_save(model: ModelProto, folder: Path) -> ModelProto:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(folder / "optimised.onnx")
    options.log_severity_level = 4
    onnxruntime.InferenceSession(model.SerializeToString(), options)
    return onnx.load(folder / "optimised.onnx")


def quantise_dynamic(model: ModelProto, folder: Path) -> ModelProto:
    from onnxruntime.quantization import quantize_dynamic

    quantize_dynamic(model, folder / "dynamic.onnx")
    return quantised_outside_of_functions(onnx.load(folder / "dynamic.onnx"))


def quantised_outside_of_functions(model: ModelProto) -> ModelProto:
    """What the notes of the table say."""
    quantised = {"MatMulInteger", "DequantizeLinear"}
    inner = {node.op_type for function in model.functions for node in function.node}
    assert quantised & {node.op_type for node in model.graph.node}
    assert not quantised & inner
    return model


def quantise_static(model: ModelProto, folder: Path) -> ModelProto:
    from onnxruntime.quantization import CalibrationDataReader, quantize_static

    class Reader(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self.left = [{"x": X}]

        def get_next(self) -> Any:
            return self.left.pop() if self.left else None

    quantize_static(model, folder / "static.onnx", Reader())
    return quantised_outside_of_functions(onnx.load(folder / "static.onnx"))


def to_float16(model: ModelProto, folder: Path) -> ModelProto:
    from onnxruntime.transformers.float16 import convert_float_to_float16

    made: ModelProto = convert_float_to_float16(model)
    return made


# -------------------------------------------------------------------------------------------------------- onnx


def check(model: ModelProto, folder: Path) -> ModelProto:
    checker.check_model(model, full_check=True)
    return model


def infer(model: ModelProto, folder: Path) -> ModelProto:
    return onnx.shape_inference.infer_shapes(model, strict_mode=True)


def reference(model: ModelProto, folder: Path) -> ModelProto:
    expected = run(model, np.float32)
    np.testing.assert_allclose(ReferenceEvaluator(model).run(None, {"x": X})[0], expected, rtol=1e-4, atol=1e-5)
    return model


def inline(model: ModelProto, folder: Path) -> ModelProto:
    return inliner.inline_local_functions(model)


def merge(model: ModelProto, folder: Path, prefix: str = "") -> ModelProto:
    """One model behind the other, of which the results are those of the first: the second calls `Swish` twice over."""
    text = (
        '<ir_version: 10, opset_import: ["": 18, "com.acme": 1]> h (float[N, 8] v) => (float[N, 8] z) {'
        " s = com.acme.Swish<alpha = 2.0>(v) t = com.acme.Swish<alpha = 2.0>(v) u = Sub(s, t) z = Add(v, u) }"
    )
    second = compose.add_prefix(link(parser.parse_model(text), FUNCTIONS), prefix)
    return compose.merge_models(model, second, io_map=[("y", f"{prefix}v")])


def merge_prefixed(model: ModelProto, folder: Path) -> ModelProto:
    return merge(model, folder, "second_")


def parse_again(model: ModelProto, folder: Path) -> ModelProto:
    return parser.parse_model(printer.to_text(model))


def newer(model: ModelProto, folder: Path) -> ModelProto:
    return version_converter.convert_version(model, 21)


def ours_newer(model: ModelProto, folder: Path) -> ModelProto:
    return convert(model, opset=21)


# ------------------------------------------------------------------------------------------------------ others


def through_onnx_ir(model: ModelProto, folder: Path) -> ModelProto:
    made = onnx_ir.from_proto(model)
    return onnx_ir.to_proto(made)


def ir_inline(model: ModelProto, folder: Path) -> ModelProto:
    made = onnx_ir.from_proto(model)
    common.InlinePass()(made)
    return onnx_ir.to_proto(made)


def optimise_onnxscript(model: ModelProto, folder: Path) -> ModelProto:
    import onnxscript.optimizer

    made: ModelProto = onnxscript.optimizer.optimize(model)
    return made


def convert_onnxscript(model: ModelProto, folder: Path) -> ModelProto:
    import onnxscript.version_converter

    made = onnx_ir.from_proto(model)
    onnxscript.version_converter.convert_version(made, 21)
    return onnx_ir.to_proto(made)


def simplify(model: ModelProto, folder: Path) -> ModelProto:
    import onnxsim

    made, valid = onnxsim.simplify(model)
    assert valid, "its own check fails"
    assert isinstance(made, ModelProto)
    return made


def slim(model: ModelProto, folder: Path) -> ModelProto:
    import onnxslim

    made = onnxslim.slim(model)
    assert isinstance(made, ModelProto)
    return made


def optimizer(model: ModelProto, folder: Path) -> ModelProto:
    import onnxoptimizer

    made: ModelProto = onnxoptimizer.optimize(model)
    return made


INLINE = "`attach(model, [], inline=True)` first"
ROWS = [
    Row("onnxruntime", "load and run", load),
    Row("onnxruntime", "optimise, save", optimise_and_save, "the file holds what is left of the bodies"),
    Row("onnxruntime", "quantise, dynamic", quantise_dynamic, f"products in functions stay as they are: {INLINE}"),
    Row("onnxruntime", "quantise, static", quantise_static, f"products in functions stay as they are: {INLINE}"),
    Row("onnxruntime", "convert to float16", to_float16, "", np.float16),
    Row("onnx", "checker, full check", check),
    Row("onnx", "shape inference, strict", infer),
    Row("onnx", "reference evaluator", reference),
    Row("onnx", "inliner", inline),
    Row("onnx", "compose: two models that share a function", merge, "merge first, link or attach then"),
    Row("onnx", "compose: the same, with a prefix for the second", merge_prefixed),
    Row("onnx", "printer, then parser", parse_again, "the text has no place for defaults of functions' attributes"),
    Row("onnx", "version converter", newer, "use `opwright.convert`"),
    Row("opwright", "convert", ours_newer),
    Row("onnx-ir", "from and to a ModelProto", through_onnx_ir),
    Row("onnx-ir", "inline pass", ir_inline),
    Row("onnxscript", "optimise", optimise_onnxscript),
    Row("onnxscript", "version converter", convert_onnxscript),
    Row("onnxsim", "simplify", simplify),
    Row("onnxslim", "slim", slim),
    Row("onnxoptimizer", "optimise", optimizer),
    Row("netron", "show", netron_shows),
]


# ------------------------------------------------------------------------------------------------------ judging


def run(model: ModelProto, element: type) -> Any:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    (name,) = (item.name for item in session.get_inputs())
    return session.run(None, {name: X.astype(element)})[0]


def outcome(row: Row, model: ModelProto, folder: Path) -> tuple[str, str]:
    """What became of the functions, and of the results."""
    given = ModelProto()
    given.CopyFrom(model)
    folder.mkdir()
    try:
        made = row.step(given, folder)
    except Exception as error:  # whatever the tool raises
        return "", f"refused: {first_words(error)}"
    if isinstance(made, str):
        return "", made
    functions = fate(model, made)
    try:
        found = run(made, row.element).astype(np.float32)
    except Exception as error:  # whatever onnxruntime raises
        return functions, f"does not load: {first_words(error)}"
    expected = run(model, np.float32)
    if found.shape != expected.shape:
        return functions, "another shape"
    difference = np.abs(found - expected).max() / np.abs(expected).max()
    return functions, "the same" if difference < CLOSE else "near" if difference < NEAR else "**wrong**"


def fate(before: ModelProto, after: ModelProto) -> str:
    """What became of the functions that the graph calls."""
    wanted = {node.op_type for node in before.graph.node if node.domain == "com.acme"}
    called = {node.op_type for node in after.graph.node if node.domain == "com.acme"}
    defined = {item.name for item in after.functions}
    if not wanted or not called:
        return "inlined" if wanted else ""
    if wanted <= called <= defined:
        return "kept"
    return "lost" if not called <= defined else "renamed"


def first_words(error: Exception) -> str:
    text = " ".join(str(error).split()).rpartition("FAIL : ")[2]
    for end in (". ", ": /", "\n"):
        text = text.partition(end)[0]
    return f"`{text[:90].replace('|', '/').replace('`', '')}`" if text else type(error).__name__


def table() -> str:
    logging.disable(logging.CRITICAL)
    model = model_with_functions()
    flat = attach(model, [], inline=True)
    lines = ["| tool | step | functions | results | inlined first | |", "|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        for index, row in enumerate(ROWS):
            functions, results = outcome(row, model, Path(folder) / f"{index}")
            _, plain = outcome(row, flat, Path(folder) / f"{index}-inlined")
            version = importlib.metadata.version(row.tool) if row.tool != "opwright" else ""
            tool = f"{row.tool} {version}".strip()
            lines.append(f"| {tool} | {row.does} | {functions} | {results} | {plain} | {row.note} |")
            print(lines[-1], flush=True)
    return "\n".join(lines)


HEAD = """\
<!-- Written by `nox -s tools`; edit tests/foreign/tool_table.py instead. -->
# Tools

What tools make of a model that holds functions, and of the same model with the functions' nodes in place of their calls. Each row is tried: the model that comes out is run on onnxruntime and compared with the one that went in. "The same" is to 1e-5 of the greatest result, "near" to a tenth, as quantised weights and half the bits are.

"""
TAIL = """

Where a row does not say "the same", `attach(model, [], inline=True)`, or `opwright attach --inline` on the [command line](command-line.md), gives a model without functions, which every tool knows how to read. Attach or link last: what `detach` takes off before a tool, `attach` puts back behind it.

The functions of the model stand in `tests/foreign/scripts.py`: with attributes and their defaults, with one that calls another, and with variants by an optional input and by a text.
"""


def main() -> int:
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    text = f"{HEAD}{table()}{TAIL}"
    PAGE.write_text(text, encoding="utf-8")
    if text != before:
        print(f"{PAGE.name} was another one, and has been written", file=sys.stderr)
    return int(text != before)


if __name__ == "__main__":
    sys.exit(main())
