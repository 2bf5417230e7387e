"""Models that other packages make, each of which computes Mish(Swish(x, alpha=2)), written to a folder.

`bare/NAME.onnx` has nodes of com.acme and no functions; `linked/NAME.onnx` is what opwright's `link` for the package
makes of it. Run with the Python that has all these packages.
"""

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxscript
import spox
import torch
from acme_ops import opset1 as acme
from onnx import TensorProto, helper
from opwright import onnxscript as with_onnxscript
from opwright import sklearn as with_sklearn
from opwright import spox as with_spox
from opwright import torch as with_torch
from opwright.ir import link
from skl2onnx import to_onnx
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

FUNCTIONS = [acme.Swish, acme.Mish]
X = np.linspace(-3, 3, 12, dtype=np.float32).reshape(4, 3)


def of_helper() -> tuple[Any, Any]:
    """By hand."""
    nodes = [
        helper.make_node("Swish", ["x"], ["s"], domain="com.acme", alpha=2.0),
        helper.make_node("Mish", ["s"], ["y"], domain="com.acme"),
    ]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 3]) for name in ("x", "y")]
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.acme", 1)]
    graph = helper.make_graph(nodes, "by_hand", values[:1], values[1:])
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    return model, link(model, FUNCTIONS)


def of_onnxscript() -> tuple[Any, Any]:
    model = scripted.to_model_proto(opset_version=18)  # its own nodes are of no opset
    return model, with_onnxscript.link(model, FUNCTIONS)


swish, mish = with_onnxscript.operator(acme.Swish), with_onnxscript.operator(acme.Mish)


@onnxscript.script(default_opset=onnxscript.opset18)
def scripted(x: onnxscript.FLOAT["N", 3]) -> onnxscript.FLOAT["N", 3]:
    return mish(swish(x, alpha=2.0))


class Swisher(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = alpha

    def fit(self, X: Any, y: Any = None) -> Any:
        return self

    def transform(self, X: Any) -> Any:
        return acme.Swish(X, alpha=self.alpha)


class Misher(Swisher):
    def transform(self, X: Any) -> Any:
        return acme.Mish(X)


def of_sklearn() -> tuple[Any, Any]:
    with_sklearn.register(Swisher, acme.Swish)
    with_sklearn.register(Misher, acme.Mish)
    pipeline = make_pipeline(FunctionTransformer(), Swisher(alpha=2.0), Misher()).fit(X)
    model = to_onnx(pipeline, X[:1], target_opset=18)
    return model, with_sklearn.link(model, FUNCTIONS)


class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.mish(swished(x, 2.0))


@torch.library.custom_op("acme::swish", mutates_args=())
def swished(x: torch.Tensor, alpha: float) -> torch.Tensor:
    return x * torch.sigmoid(alpha * x)


@swished.register_fake
def _(x: torch.Tensor, alpha: float) -> torch.Tensor:
    return torch.empty_like(x)


def of_torch() -> tuple[Any, Any]:
    def translate_swish(x: Any, alpha: float) -> Any:
        return acme.Swish(x, alpha=alpha)

    table = {torch.ops.acme.swish.default: translate_swish, torch.ops.aten.mish.default: acme.Mish}
    program = torch.onnx.export(
        Net().eval(),
        (torch.from_numpy(X),),
        dynamo=True,
        dynamic_shapes=({0: "batch"},),
        custom_translation_table=with_torch.translations(table),
        verbose=False,
    )
    return program.model_proto, with_torch.link(program).model_proto


def of_spox() -> tuple[Any, Any]:
    x = spox.argument(spox.Tensor(np.float32, ("N", 3)))
    y = with_spox.call(acme.Mish, with_spox.call(acme.Swish, x, alpha=2.0))
    model = spox.build({"x": x}, {"y": y})
    return model, with_spox.link(model, FUNCTIONS)


def main() -> None:
    folder = Path(sys.argv[1])
    for part in ("bare", "linked"):
        (folder / part).mkdir(parents=True)
    np.save(folder / "x.npy", X)
    for make in (of_helper, of_onnxscript, of_sklearn, of_torch, of_spox):
        name = make.__name__.removeprefix("of_")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # torch's own
            bare, linked = make()
        assert not bare.functions
        onnx.save(bare, folder / "bare" / f"{name}.onnx")
        onnx.save(linked, folder / "linked" / f"{name}.onnx")
        print(name)


if __name__ == "__main__":
    main()
