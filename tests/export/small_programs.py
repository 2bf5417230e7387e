"""Programs of an operator or two through torch's exporter with opwright-aten, beside torch: `nox -s export-torch`.

What is returned has the element types that torch gives it; complex tensors are left to torch's own functions.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch
from opwright.torch import Registry, link, missing, registry, translation_table
from torch import fft, nn

from tests.export.exporting import export, exported, optimised_nodes

ROOT = Path(__file__).resolve().parents[2]
X = torch.linspace(-1, 2, 12).reshape(3, 4)
Program = Callable[..., Any]

HALVES: dict[str, Program] = {
    "deviation": lambda x: (x.std(), x.std(0), torch.cat([x.std(0, keepdim=True), x])),
    "variance": lambda x: (x.var(), x.var(0)),
    "mean and deviation": lambda x: torch.std_mean(x, 0),
    "sums": lambda x: (x.sum(), x.sum(0), x.sum((0, 1))),
    "products": lambda x: (x.prod(), x.cumsum(0)),
    "numbers of the tensor": lambda x: (x * x[0, 1].item(), x - 2.0 * x[0, 0].item(), x.clamp(max=x[1, 0].item())),
}
NUMBERS: dict[str, Program] = {
    "beyond the type": lambda x: ((1 - x) * -1e9, x * 1e5, x / 1e5, x / -1e-8, x * 65520.0, x * 100000),
    "between its values": lambda x: (x * 0.1, x / 0.3, x.lerp(x.flip(0), 0.1), torch.addcmul(x, x, x, value=0.1)),
    "quotients that are rounded": lambda x: tuple(torch.div(x, 0.1, rounding_mode=mode) for mode in ("floor", "trunc")),
    "whole quotients": lambda x: (x // 0.1, 1e5 // x, x // 3),
    "rounded to the type": lambda x: (x + 0.1, 7e4 - x, x % 0.3, x.clamp(0.1, 0.7), torch.where(x > 0, x, 1e5)),
    "activations": lambda x: (nn.functional.celu(x, 0.1), nn.functional.elu(x, 1e5), nn.functional.softplus(x, 1e5)),
    "thresholds": lambda x: tuple(nn.functional.threshold(x, least, 20.1) for least in (0.1, -0.3, 0.7, 1e9, -1e9)),
    "compared": lambda x: (x == 0.1, x != 0.1, x > 0.1, x >= 0.1, x < 0.1, x <= 0.1, x < 2049, x.float() == 0.1),
    "tensors": lambda x: (x * torch.tensor(1e5, dtype=x.dtype), x / torch.scalar_tensor(1e5, dtype=x.dtype)),
}
TRANSFORMS: dict[str, Program] = {
    "there and back": lambda x: fft.ifft(fft.fft(x)).real,
    "of a real signal and back": lambda x: fft.irfft(fft.rfft(x), n=4),
    "times a number": lambda x: torch.view_as_real(fft.rfft(x) * 2),
    "divided": lambda x: torch.view_as_real(-fft.rfft(x) / (fft.rfft(x) + 3)),
    "of all dimensions": lambda x: fft.fftn(x).abs(),
    "of two dimensions": lambda x: torch.view_as_real(fft.fft2(x)),
    "of two dimensions of real numbers": lambda x: torch.view_as_real(fft.rfft2(x)),
    "cropped": lambda x: torch.view_as_real(fft.fft(x, n=3, norm="ortho")),
    "frames": lambda x: torch.view_as_real(torch.stft(x, 4, return_complex=True)),
}
OTHERS: dict[str, Program] = {
    "trace": lambda x: x.trace(),
    "sums of truth values": lambda x: ((x > 0).sum(), (x > 0).sum(0, keepdim=True), (x > 0).long().sum(1)),
    "sums of narrow integers": lambda x: tuple(
        found
        for kind in (torch.int8, torch.uint8, torch.int16)
        for narrow in [(x * 60).to(torch.int16).to(kind)]
        for found in (narrow.sum(), narrow.sum(-1), narrow.sum(0, dtype=torch.int64), narrow.long().nansum(0))
    ),
    "a sum that wraps around": lambda x: (x > 0).sum(dtype=torch.int32) + (x.long() + 2**62).sum(),
    "mean and deviation": lambda x: torch.std_mean(x, 0),
    "bags that end early": lambda x: nn.functional.embedding_bag(
        torch.tensor([0, 2, 1, 1, 0]), x, torch.tensor([0, 2, 4]), mode="sum", include_last_offset=True
    ),
    "numbers of the tensor": lambda x: (x * x[0, 1].item(), x[0, 0].item() // 0.3 + x, x.int() + x.int()[2, 3].item()),
    # torch learns of the operator after the table was made, from a module that the table's makers need not import.
    "few levels": lambda x: torch.ops.quantized_decomposed.quantize_per_tensor(x, 0.01, 0, -7, 7, torch.int8),
}

# Of square matrices, and of images; sizes are known, or some are not.
SYSTEMS: dict[str, Program] = {
    "inverse": lambda x: (torch.inverse(x), torch.linalg.inv(x)),
    "determinant": lambda x: (torch.det(x), *torch.linalg.slogdet(x)),
    "solved for vectors": lambda x: torch.linalg.solve(x, x.sum(-1)),
    "solved for matrices": lambda x: torch.linalg.solve(x, x[..., :2]),
    "triangles": lambda x: torch.linalg.solve_triangular(x.triu(), x, upper=True),
    "Cholesky": lambda x: torch.linalg.cholesky(x @ x.mT + torch.eye(3)),
}
IMAGES: dict[str, Program] = {
    "smaller": lambda x: nn.functional.interpolate(x, size=(4, 5), mode="bicubic", antialias=True),
    "half": lambda x: nn.functional.interpolate(x, scale_factor=0.5, mode="bilinear", antialias=True),
    "wider": lambda x: nn.functional.interpolate(x, scale_factor=(0.7, 1.3), mode="bicubic", antialias=True),
    "nearest": lambda x: nn.functional.interpolate(x, scale_factor=1.7, mode="nearest-exact"),
}

# Of rows of which only the run tells how many there are; those of `NONE` also where there are none.
PARTS: dict[str, Program] = {
    "halves": lambda x: tuple(part + 1 for part in torch.cat((x, 2 * x)).chunk(2)),
    "parts of a size": lambda x: tuple(part + 1 for part in torch.cat((x, x, x)).split(x.shape[0])),
    "parts of sizes": lambda x: tuple(part + 1 for part in x.split([x.shape[0] - 2, 2])),
    "parts between positions": lambda x: tuple(part + 1 for part in x.tensor_split([1, -2])),
    "rolled": lambda x: (x.roll(x.shape[0] // 2, 0), x.roll((1, 2 - x.shape[0]), (1, 0)), x.roll(x.shape[0] + 1)),
    "by numbers below zero": lambda x: (x.roll(-x.shape[0] // 2, 0), x + -x.shape[0] % 3, x + x.shape[0] // -2),
    "shifted": lambda x: (fft.fftshift(x), fft.ifftshift(x, 0), fft.fftshift(x, 1)),
}
REDUCED: dict[str, Program] = {
    "place of the greatest": lambda x: x.argmax(-1),
    "greatest": lambda x: tuple(x.max(-1)),
    "kept": lambda x: tuple(x.min(-1, keepdim=True)),
    "limits": lambda x: tuple(torch.aminmax(x, dim=-1)),
    "product": lambda x: x.prod(-1),
    "truth": lambda x: ((x > 0).any(-1), (x > 0).all(-1)),
    "integral": lambda x: torch.trapezoid(x),
    "sorted": lambda x: torch.searchsorted(torch.arange(5.0), x),
    "distances": lambda x: (torch.cdist(x, X[:3]), nn.functional.pairwise_distance(x, X[0])),
    "cosine": lambda x: torch.cosine_similarity(x, X[0], dim=-1),
    "windows": lambda x: nn.functional.adaptive_max_pool1d(x[:, None].double(), 2),
    "means": lambda x: nn.functional.adaptive_avg_pool1d(x[:, None].double(), 2),
    "mask": lambda x: nn.functional.scaled_dot_product_attention(
        *[x[:, None, :, None]] * 3, attn_mask=(x > 0)[:, None, None]
    ),
}
POOLS: dict[str, Program] = {
    "apart": lambda x: nn.functional.max_pool2d(x, 1, 2, ceil_mode=True),
    "apart and padded": lambda x: nn.functional.max_pool2d(x, 2, 3, 1, ceil_mode=True),
    "means": lambda x: nn.functional.avg_pool2d(x, 2, 3, 1, ceil_mode=True, divisor_override=3),
}
INTEGERS: dict[str, Program] = {
    "sum": lambda x: (x.sum(), x.sum(0), x.sum(-1, keepdim=True), x.to(torch.int32).sum(dtype=torch.int32)),
    "product": lambda x: (x.prod(), x.prod(0), x.prod(-1, keepdim=True), x[:0].prod(0)),
    "trace": lambda x: x.trace(),
    "equations": lambda x: (torch.einsum("ij->", x), torch.einsum("ij->i", x.int()), torch.einsum("ij->ji", x)),
}
# Of images of which the batch alone is known at run time only: how many nodes are left, and the program.
BATCHES: dict[str, tuple[int, Program]] = {
    "antialiased": (8, lambda x: nn.functional.interpolate(x, (3, 17), mode="bilinear", antialias=True)),
    "nearest": (2, lambda x: nn.functional.interpolate(x, (3, 17), mode="nearest-exact")),
    "nearest by index": (2, lambda x: nn.functional.interpolate(x, (3, 17))),
    "windows": (2, lambda x: x.unfold(2, 3, 2)),
    "variance": (4, lambda x: x.var((2, 3))),
    "deviation and mean": (6, lambda x: torch.std_mean(x, 1)),
    "layers": (1, lambda x: nn.functional.layer_norm(x, x.shape[2:])),
    "instances": (1, lambda x: nn.functional.instance_norm(x)),
    "groups": (4, lambda x: nn.functional.group_norm(x, 3)),
}
# Of rows and columns of which only the run tells how many there are.
SCATTERED: dict[str, tuple[int, Program]] = {
    "own elements": (7, lambda x: x.scatter_add(1, (x * 9).long().abs() % x.shape[1], x)),
    "greatest": (5, lambda x: torch.zeros_like(x).scatter(1, *reversed(x.topk(2, -1)))),
    "part of the elements": (8, lambda x: x.scatter_add(0, torch.zeros_like(x[1:, 1:], dtype=torch.long), x)),
    "rows": (6, lambda x: x.index_put((torch.arange(x.shape[0]),), x * 2)),
    "rows and columns": (16, lambda x: x.index_put((x[:, :1].long() * 0, torch.arange(x.shape[1])), x * 2)),
    "until a size": (3, lambda x: x.mT[..., : x.shape[0]]),
    "truth": (4, lambda x: torch.ones(x.shape[0], x.shape[0], dtype=torch.bool)),
    "zeros": (2, lambda x: torch.zeros_like(x, dtype=torch.long)),
}


class Module(nn.Module):
    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program

    def forward(self, x: torch.Tensor) -> Any:
        return self.program(x)


@pytest.fixture(scope="session")
def table() -> Any:
    (library,) = (ROOT / "dist").glob("opwright-aten-*.onnxlib")
    return translation_table(registry(str(library)))


def linked(program: Program, shown: torch.Tensor, table: Any, dynamic: tuple[int, ...] = ()) -> Any:
    shapes = (dict.fromkeys(dynamic, torch.export.Dim.DYNAMIC),) if dynamic else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's own
        made = torch.onnx.export(
            Module(program).eval(),
            (shown,),
            dynamo=True,
            dynamic_shapes=shapes,
            custom_translation_table=table,
            verbose=False,
        )
    return link(made).model_proto


def results(
    program: Program, x: torch.Tensor, table: Any, dynamic: tuple[int, ...] = (), shown: torch.Tensor | None = None
) -> Iterator[tuple[Any, Any]]:
    """What onnxruntime gives, and what torch does. With `dynamic` dimensions the program is exported from another
    tensor, which has other sizes there: `shown`, else a part of the tensor."""
    for axis in dynamic if shown is None else ():
        shown = (x if shown is None else shown).narrow(axis, 0, x.shape[axis] - 2)
    model = linked(program, x if shown is None else shown, table, dynamic)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    wanted = program(x)
    found = session.run(None, {session.get_inputs()[0].name: x.numpy()})
    yield from zip(found, wanted if isinstance(wanted, tuple) else (wanted,), strict=True)


@pytest.mark.parametrize("name", HALVES)
def test_results_of_float16_are_float16(name: str, table: Any) -> None:
    for found, wanted in results(HALVES[name], X.half(), table):
        assert found.dtype == np.float16
        np.testing.assert_allclose(found, wanted.numpy(), rtol=2e-3, atol=1e-3)


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_beside_float16_count_as_they_do_to_torch(name: str, table: Any) -> None:
    x = torch.tensor([0.1, -0.3, 0.7, 1.0, 2.5, -10.0, 2048.0, 6e-5]).half()
    for found, wanted in results(NUMBERS[name], x, table):
        np.testing.assert_array_equal(found, wanted.numpy())


def test_numbers_of_a_tensor_of_doubles_are_refused(table: Any) -> None:
    with pytest.raises(Exception, match="OW686: aten::_local_scalar_dense"):
        next(results(lambda x: x * x[0, 0].item(), X.double(), table))


def test_operators_of_branches_and_loops_are_missing_too() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        y = torch.cond(x.sum() > 0, torch.special.i0e, torch.special.i1e, (x,))
        (y,) = torch.while_loop(lambda z: z.sum() > 0, lambda z: (torch.gcd(z.int(), z.int()) - 1.0,), (y,))
        return y

    (library,) = (ROOT / "dist").glob("opwright-aten-*.onnxlib")
    found = missing(torch.export.export(Module(program), (X,)), registry(str(library)))
    names = ("special_i0e", "special_i1e", "gcd")
    assert {item.message for item in found} == {f"no function implements aten::{name}" for name in names}
    assert {item.place.file for item in found if item.place is not None} == {__file__}


def test_operators_that_write_count_as_those_that_the_exporter_puts_in_their_place() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        y.add_(1).mul_(y).pow_(y).relu_().transpose_(0, 1)
        y.fill_(2.0).detach_()
        y[0] = torch.exp(y[0], out=y[1])
        return y.xlogy_(y)

    (library,) = (ROOT / "dist").glob("opwright-aten-*.onnxlib")
    exported = torch.export.export(Module(program), (X,))
    known = registry(str(library))
    assert missing(exported, known) == []
    others = Registry({name: item for name, item in known.items() if name != "aten::pow.Tensor_Tensor"})
    (found,) = missing(exported, others)
    assert found.message == "no function implements aten::pow.Tensor_Tensor"
    assert found.place is not None and found.place.file == __file__


def test_what_the_exporter_drops_is_not_missing() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        torch.special.i1e(torch.special.i0e(x)).sum()
        torch.ops.aten._assert_async.msg(x.sum() < 99, "too large")
        return x[x > 0].long().to(torch.float32)

    (library,) = (ROOT / "dist").glob("opwright-aten-*.onnxlib")
    exported = torch.export.export(Module(program), (X,))
    called = {str(node.target) for node in exported.graph.nodes}
    dropped = ("special_i1e.default", "_assert_async.msg", "_assert_scalar.default", "_assert_tensor_metadata.default")
    assert called >= {f"aten.{name}" for name in dropped}
    assert missing(exported, registry(str(library))) == []


def test_what_only_a_check_reads_is_missing() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        torch.ops.aten._assert_async.msg(torch.special.i0e(x).sum() > 0, "too small")
        return x * 2

    (library,) = (ROOT / "dist").glob("opwright-aten-*.onnxlib")
    (found,) = missing(torch.export.export(Module(program), (X,)), registry(str(library)))
    assert found.message == "no function implements aten::special_i0e"


@pytest.mark.parametrize(
    ("program", "x"),
    [(lambda x: (x.sum(), None), X.half()), (lambda x: (None, torch.any(x, 0)), X.to(torch.uint8))],
)
def test_results_beside_none_have_their_types(program: Any, x: torch.Tensor, table: Any) -> None:
    exported = torch.onnx.export(Module(program), (x,), dynamo=True, custom_translation_table=table, verbose=False)
    (output,) = link(exported).model_proto.graph.output
    assert output.type.tensor_type.elem_type == {torch.float16: 10, torch.uint8: 2}[x.dtype]


def test_attention_of_opset_25_loads(table: Any) -> None:
    program = Module(lambda x: torch.nn.functional.scaled_dot_product_attention(x, x, x))
    x = X.reshape(1, 1, *X.shape)
    exported = torch.onnx.export(
        program, (x,), dynamo=True, custom_translation_table=table, verbose=False, opset_version=25
    )
    (found,) = link(exported)(x)
    np.testing.assert_allclose(found.numpy(), program(x).numpy(), rtol=1e-5)


@pytest.mark.parametrize("given", [None, {}, "opwright-aten", 5])
def test_what_is_no_registry_or_program(given: Any) -> None:
    exported = torch.export.export(Module(torch.relu), (X,))
    with pytest.raises(TypeError, match=f"a registry is what .* not {type(given).__name__}"):
        missing(exported, given)
    with pytest.raises(TypeError, match=f"a registry is what .* not {type(given).__name__}"):
        translation_table(given)
    for program in (given, Module(torch.relu), exported.graph_module):
        with pytest.raises(TypeError, match=f"takes what .* gives, not {type(program).__name__}"):
            missing(program, Registry({}))


@pytest.mark.parametrize("name", [*TRANSFORMS, *OTHERS])
def test_values_are_those_of_torch(name: str, table: Any) -> None:
    for found, wanted in results((TRANSFORMS | OTHERS)[name], X, table):
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-5, atol=1e-5)


MATRICES = torch.linspace(-1, 2, 45).reshape(5, 3, 3).sin() + 3 * torch.eye(3)
IMAGE = torch.linspace(-9, 9, 2 * 3 * 12 * 14).reshape(2, 3, 12, 14).sin()


@pytest.mark.parametrize("is_dynamic", [False, True])
@pytest.mark.parametrize("name", [*SYSTEMS, *IMAGES])
def test_sizes_may_be_known_at_run_time_alone(name: str, is_dynamic: bool, table: Any) -> None:
    x, axes = (MATRICES, (0,)) if name in SYSTEMS else (IMAGE, (2, 3))
    for found, wanted in results((SYSTEMS | IMAGES)[name], x, table, axes if is_dynamic else ()):
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-5, atol=1e-5)


ROWS = torch.linspace(-1, 2, 20).reshape(5, 4).sin()


@pytest.mark.parametrize("name", PARTS)
def test_sizes_of_parts_may_be_known_at_run_time_alone(name: str, table: Any) -> None:
    for found, wanted in results(PARTS[name], ROWS, table, (0,)):
        np.testing.assert_array_equal(found, wanted.numpy())


@pytest.mark.parametrize("name", REDUCED)
def test_of_no_rows_there_are_no_results(name: str, table: Any) -> None:
    for found, wanted in results(REDUCED[name], ROWS[:0], table, (0,), ROWS):
        assert found.shape == wanted.shape


@pytest.mark.parametrize("name", POOLS)
def test_pools_of_windows_that_never_end_beyond_an_image(name: str, table: Any) -> None:
    for size in (6, 7, 8):
        x = IMAGE[:, :, :size, : size + 2]
        for found, wanted in results(POOLS[name], x, table, (2, 3)):
            assert found.shape == wanted.shape
            np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-6)


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_are_exact_and_wrap_around(name: str, table: Any) -> None:
    x = torch.tensor([[3, 2**54 + 1, 7], [2**62, -(2**62) - 5, 2**31], [2**63 - 1, 2**62 + 1, -1]])
    for found, wanted in results(INTEGERS[name], x, table):
        np.testing.assert_array_equal(found, wanted.numpy())


@pytest.mark.parametrize("name", SCATTERED)
def test_sizes_with_equal_expressions_are_equal(name: str, table: Any) -> None:
    """Beside the values, for sizes other than those shown and for sizes that happen to be equal: how many nodes there
    are."""
    most, program = SCATTERED[name]
    shown = IMAGE[0, 0, :6, :8]
    for x in (ROWS, MATRICES[0], ROWS.mT):
        for found, wanted in results(program, x, table, (0, 1), shown):
            np.testing.assert_array_equal(found, wanted.numpy())
    assert optimised_nodes(linked(program, shown, table, (0, 1))) <= most


@pytest.mark.parametrize("name", BATCHES)
def test_sizes_beside_a_batch_of_any_size_are_numbers(name: str, table: Any) -> None:
    most, program = BATCHES[name]
    for x in (IMAGE[:1], IMAGE.repeat(2, 1, 1, 1) * 2):
        for found, wanted in results(program, x, table, (0,), IMAGE):
            np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-5, atol=1e-5)
    assert optimised_nodes(linked(program, IMAGE, table, (0,))) <= most


@pytest.mark.parametrize("opset", [18, 19])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_images_at_places_before_opset_20(mode: str, opset: int, table: Any) -> None:
    program = Module(lambda x: nn.functional.grid_sample(x, x[:, :2].movedim(1, 3), mode=mode, align_corners=False))
    made = torch.onnx.export(
        program, (IMAGE,), dynamo=True, custom_translation_table=table, verbose=False, opset_version=opset
    )
    (found,) = link(made)(IMAGE)
    np.testing.assert_allclose(found.numpy(), program(IMAGE).numpy(), rtol=1e-4, atol=1e-4)


def test_volumes_at_places_are_refused_before_opset_20(table: Any) -> None:
    program = Module(lambda x: nn.functional.grid_sample(x, x.movedim(1, 4), align_corners=False))
    made = torch.onnx.export(
        program,
        (IMAGE.reshape(2, 3, 12, 7, 2),),
        dynamo=True,
        custom_translation_table=table,
        verbose=False,
        opset_version=18,
    )
    with pytest.raises(Exception, match=r"OW557: .* has no variant for T=float, input\.rank=5"):
        link(made)


def test_sizes_with_different_expressions_may_differ(table: Any) -> None:
    """They are equal in what is shown, and where the program runs the index has fewer rows than the source."""

    class Scattered(nn.Module):
        def forward(self, x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
            return x.scatter_add(1, index, x)

    shapes = ({0: torch.export.Dim.DYNAMIC}, {0: torch.export.Dim.DYNAMIC})
    index = torch.arange(20).reshape(5, 4) % 4
    made = link(export(exported(Scattered(), (ROWS, index), shapes), table))
    for rows in (2, 5):
        (found,) = made(ROWS, index[:rows])
        np.testing.assert_array_equal(found.numpy(), Scattered()(ROWS, index[:rows]).numpy())


def test_padding_of_zeros_becomes_that_of_the_convolution(table: Any) -> None:
    filters = IMAGE[:, :, :2, :2]
    model = linked(lambda x: nn.functional.conv2d(nn.functional.pad(x, (1, 0, 0, 1)), filters), IMAGE, table)
    assert optimised_nodes(model) == 1


def test_equations_of_ellipses_of_different_ranks(table: Any) -> None:
    for equation in ("...ij,...k->...ijk", "bc...i,ij", "...ij,jk->", "...i,...j->ij"):
        for found, wanted in results(lambda x, e=equation: torch.einsum(e, x, X[:, :3].T), IMAGE[:, :, :3, :3], table):
            np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-5, atol=1e-5)
    with pytest.raises(Exception, match=r"OW686: aten::einsum(.|\n)*one has size 1 in one tensor"):
        next(results(lambda x: torch.einsum("...i,...j->...ij", x[:, :1], X), MATRICES, table))
