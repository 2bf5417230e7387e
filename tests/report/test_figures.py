from opwright.bundle.format import BodyEntry, FunctionEntry, Index
from opwright_build.report.figures import Figures, count_figures


def _body(first: int, last: int, digest: str) -> BodyEntry:
    return BodyEntry(first, last, (), digest, ("X",), (), ())


def _function(name: str, types: tuple[tuple[str, tuple[str, ...]], ...], *bodies: BodyEntry) -> FunctionEntry:
    return FunctionEntry("d", name, 1, "", "", False, (), (), (), types, bodies)


def _index(*functions: FunctionEntry) -> Index:
    return Index("l", "1", "p", "", "", (13, 20), "1.23", (), functions)


def test_figures_of_an_empty_library() -> None:
    assert count_figures(_index(), {}) == Figures(0, 0, 0, 0, 0)


def test_a_body_counts_once_for_each_opset_and_function_and_is_stored_once() -> None:
    index = _index(
        _function("A", (("T", ("float", "double")), ("I", ("int64",))), _body(13, 14, "x"), _body(15, 20, "y")),
        _function("B", (("T", ("float",)),), _body(13, 20, "x")),
        _function("C", ()),
    )
    # A uses x twice and y six times, B uses x eight times: 10 * 100 + 6 * 7 bytes against 107.
    assert count_figures(index, {"x": 100, "y": 7}) == Figures(3, 3, 16, 2, 10 * 100 + 6 * 7 - 107)
