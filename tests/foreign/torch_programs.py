"""`opwright.torch` with torch itself: `nox -s torch`.

An operator registered with torch.library and five built-in ones, exported static and dynamic, saved, and run by
onnxruntime beside torch.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from opwright import DiagnosticError, DiagnosticWarning, attach, detach, opset18, opset20, script
from opwright.torch import link, translations
from torch import nn

from tests.foreign.page_blocks import check_page
from tests.foreign.scripts import Bounded, Gelu, Joined, Swish, acme
from tests.link.conftest import make_acme

aten = torch.ops.aten
op = opset18


@torch.library.custom_op("acme::bounded", mutates_args=())
def bounded(x: torch.Tensor, low: torch.Tensor | None, factor: float) -> tuple[torch.Tensor, torch.Tensor]:
    found = (x if low is None else torch.maximum(x, low)) * factor
    return found, found.max()


@bounded.register_fake
def _(x: torch.Tensor, low: torch.Tensor | None, factor: float) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.empty_like(x), x.new_empty(())


@script(acme, default_opset=op)
def LeakyRelu(x: Any, slope: float = 0.01) -> Any:
    return op.Where(x < 0, x * slope, x)


@script(acme, default_opset=op)
def LayerNorm(x: Any, scale: Any = None, bias: Any = None, *, epsilon: float = 1e-5) -> Any:
    mean = op.ReduceMean(x, [-1])
    spread = x - mean
    y = spread / op.Sqrt(op.ReduceMean(spread * spread, [-1]) + epsilon)
    if scale is not None:
        y = y * scale
    if bias is not None:
        y = y + bias
    return y


@script(acme, default_opset=op)
def Softplus(x: Any, beta: float = 1.0) -> Any:
    return op.Log(1.0 + op.Exp(x * beta)) / beta


def translate_bounded(x: Any, low: Any, factor: float) -> Any:
    return Bounded(x, low, factor=factor)


def translate_layer_norm(x: Any, sizes: Any, scale: Any = None, bias: Any = None, eps: float = 1e-5, *_: Any) -> Any:
    return LayerNorm(x, scale, bias, epsilon=eps)


def translate_softplus(x: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    return op.Where(op.Greater(x, threshold), x, Softplus(x, beta=beta))


TABLE = {
    torch.ops.acme.bounded.default: translate_bounded,
    aten.silu.default: Swish,
    aten.gelu.default: Gelu,
    aten.leaky_relu.default: LeakyRelu,
    aten.layer_norm.default: translate_layer_norm,
    aten.native_layer_norm.default: translate_layer_norm,
    aten.softplus.default: translate_softplus,
}


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(3)
        self.linear = nn.Linear(3, 3)
        with torch.no_grad():
            self.norm.weight.mul_(1.5)
            self.norm.bias.add_(0.25)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = nn.functional.silu(self.norm(self.linear(x)))
        x, most = torch.ops.acme.bounded(x, None, 2.0)
        x = nn.functional.gelu(x, approximate="tanh") + nn.functional.gelu(x)
        x, most = torch.ops.acme.bounded(x, most * -0.1, 0.5)
        return nn.functional.softplus(nn.functional.leaky_relu(x, 0.2)) * most


def exported(module: nn.Module, table: Any, *, dynamic: bool = True, **options: Any) -> Any:
    shapes = ({0: "batch"},) if dynamic else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # torch's own
        return torch.onnx.export(
            module.eval(),
            (torch.randn(2, 3),),
            dynamo=True,
            custom_translation_table=translations(table),
            dynamic_shapes=shapes,
            verbose=False,
            **options,
        )


def results(path: Path, x: torch.Tensor) -> Any:
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: x.numpy()})[0]


# ------------------------------------------------------------------------------------------------- what is made


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("opset", [18, 20, 23])
def test_the_saved_model_holds_the_functions_and_says_what_torch_says(
    tmp_path: Path, opset: int, dynamic: bool
) -> None:
    torch.manual_seed(0)
    module = Net()
    program = exported(module, TABLE, dynamic=dynamic, opset_version=opset)
    linked = link(program)
    assert type(linked) is type(program)
    linked.save(tmp_path / "net.onnx")
    saved = onnx.load(tmp_path / "net.onnx")
    onnx.checker.check_model(saved, full_check=True)
    assert {item.version for item in saved.opset_import if not item.domain} == {opset}
    names = {item.name.partition("__")[0] for item in saved.functions}
    assert names == {"Bounded", "Gelu", "LayerNorm", "LeakyRelu", "Softplus", "Swish"}
    called = [node.op_type for node in saved.graph.node if node.domain == "com.acme"]
    assert len(called) == 8
    for rows in (2, 5) if dynamic else (2,):
        x = torch.randn(rows, 3)
        expected = module(x).detach().numpy()
        np.testing.assert_allclose(results(tmp_path / "net.onnx", x), expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(linked(x)[0].detach().numpy(), expected, rtol=1e-4, atol=1e-5)
    assert not program.model.functions  # the argument stays


def test_a_branch_and_a_list_of_tensors(tmp_path: Path) -> None:
    class Branches(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.cond(
                x.sum() > 0, lambda v: torch.cat([nn.functional.silu(v), v], 1), lambda v: torch.cat([v, -v], 1), (x,)
            )

    def cat(tensors: Any, dim: int = 0) -> Any:
        return Joined(*tensors, axis=dim)

    program = link(exported(Branches(), {aten.silu.default: Swish, aten.cat.default: cat}))
    assert [name for _, name, _ in program.model.functions] == ["Swish"]
    for sign in (1, -1):
        x = torch.ones(4, 3) * sign
        np.testing.assert_allclose(program(x)[0].numpy(), Branches()(x).numpy(), rtol=1e-6)


def test_numbers_where_the_function_has_inputs() -> None:
    @script(acme, default_opset=op)
    def Plus(x: Any, y: Any, alpha: float = 1.0) -> Any:
        return x + y * alpha

    class Sums(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.add(torch.add(x, 2), x, alpha=0.5)

    program = link(exported(Sums(), {aten.add.Tensor: Plus}))
    x = torch.randn(3, 3)
    np.testing.assert_allclose(program(x)[0].numpy(), Sums()(x).numpy(), rtol=1e-6)
    assert [node.op_type for node in program.model.graph if node.domain == "com.acme"] == ["Plus", "Plus"]


def test_a_library_is_attached_after_symbolic_operators() -> None:
    class Symbolic(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = torch.onnx.ops.symbolic("com.acme::Swish", (x,), {"alpha": 2.0}, dtype=x.dtype, shape=x.shape)
            low, high = torch.onnx.ops.symbolic_multi_out(
                "com.acme::Bounded", (y, None), {"factor": 2}, dtypes=(x.dtype, x.dtype), shapes=(x.shape, ())
            )
            return low + high

    program = link(exported(Symbolic(), {}), [Swish, Bounded])
    x = torch.randn(5, 3)
    y, most = Bounded(Swish(x.numpy(), alpha=2.0), factor=2.0)
    np.testing.assert_allclose(program(x)[0].numpy(), y + most, rtol=1e-5)

    class OfLibrary(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.onnx.ops.symbolic("com.acme::Twice", (x,), dtype=x.dtype, shape=x.shape, version=1)

    bare = exported(OfLibrary(), {})
    attached = attach(bare, make_acme())
    assert [name for _, name, _ in attached.model.functions] == ["Swish", "Twice"]
    assert not detach(attached).model.functions
    np.testing.assert_allclose(link(bare, [make_acme()])(x)[0].numpy(), attached(x)[0].numpy())


def test_a_function_of_a_newer_opset_than_torch_translates_for() -> None:
    @script(acme, default_opset=opset20)
    def NewGelu(x: Any, approximate: str = "none") -> Any:
        return opset20.Gelu(x, approximate=approximate)

    class Gated(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return nn.functional.gelu(x, approximate="tanh")

    program = exported(Gated(), {aten.gelu.default: NewGelu}, opset_version=20)
    x = torch.randn(2, 3)
    np.testing.assert_allclose(link(program)(x)[0].numpy(), Gated()(x).numpy(), rtol=1e-5, atol=1e-6)
    with pytest.raises(DiagnosticError, match="Gelu"):
        link(exported(Gated(), {aten.gelu.default: NewGelu}, opset_version=18))


def test_a_function_of_an_installed_library_stands_in_the_table(standard_file: Path) -> None:
    from opwright_std import opset18 as std

    class Hard(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return nn.functional.hardswish(x)

    program = exported(Hard(), {aten.hardswish.default: std.HardSwish})
    (node,) = program.model.graph
    assert (node.domain, node.op_type) == ("opwright.ai.onnx", "HardSwish")
    x = torch.randn(4, 3)
    np.testing.assert_allclose(link(program)(x)[0].numpy(), Hard()(x).numpy(), rtol=1e-5, atol=1e-6)


# ---------------------------------------------------------------------------------------------- what is refused


class Silu(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.silu(x)  # the line


LINE = next(
    index for index, text in enumerate(Path(__file__).read_text().splitlines(), 1) if text.endswith("# the line")
)


@pytest.mark.parametrize(
    ("translation", "says"),
    [
        (Bounded, "OW206: Bounded needs its attribute `factor`"),
        (lambda x: Swish(x, alpha="one"), "OW20"),
        (lambda x: Swish(x, x, x), "OW203: Swish takes 1 inputs, and 3 are given"),
    ],
)
def test_a_wrong_call_is_told_at_the_line_of_the_module(translation: Any, says: str) -> None:
    with pytest.raises(torch.onnx.errors.OnnxExporterError) as caught:
        exported(Silu(), {aten.silu.default: translation})
    text = str(caught.value)
    assert says in text
    assert re.search(rf"torch_programs\.py:{LINE}\b", text)


def test_findings_of_link_are_at_the_line_of_the_module() -> None:
    class Misspelt(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.onnx.ops.symbolic("com.acme::Swihs", (x,), dtype=x.dtype, shape=x.shape)

    program = exported(Misspelt(), {})
    with pytest.raises(DiagnosticError) as caught:
        link(program, [Swish])
    (found,) = caught.value.diagnostics
    assert (found.code, found.help) == ("OW680", "did you mean Swish?")
    assert found.place is not None
    assert "Swihs" in Path(found.place.file).read_text().splitlines()[found.place.line - 1]
    with pytest.warns(DiagnosticWarning, match="no function com.acme::Swihs is known"):
        link(program)


def test_what_cannot_be_called_is_no_translation() -> None:
    with pytest.raises(DiagnosticError, match="OW683"):
        translations({aten.silu.default: "Swish"})


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_page("torch.md")
