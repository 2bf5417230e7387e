"""Sixty prepared changes of a library, each with what the comparison has to say of it; twenty are compatible."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.versions.states import LIBRARY, State, changes_between, edited, spec, state

BASE = {
    **LIBRARY,
    **spec(
        "Scale",
        "def Scale(X, alpha: float = 2.0, beta: float = 0.5):\n    return X * alpha + beta\n",
        types="{T: [float, double, float16]}",
    ),
    **spec(
        "Limit",
        "def Limit(X, low=None, high=None):\n    if low is not None:\n        X = op.Max(X, low)\n"
        "    if high is not None:\n        X = op.Min(X, high)\n    return X\n",
        inputs="{X: T, low: {type: T, rank: 0}, high: T}",
        rows="  - {name: both, inputs: {X: [0.5, -1.25, 3.0], low: 0.0, high: 2.0}}\n"
        "  - {name: low, inputs: {X: [0.5, -1.25, 3.0], low: 0.0}}\n"
        "  - {name: high, inputs: {X: [0.5, -1.25, 3.0], high: 2.0}}\n"
        "  - {name: neither, inputs: {X: [0.5, -1.25, 3.0]}}\n",
    ),
    **spec(
        "Round",
        'def Round(X, how: Literal["up", "down"] = "up", times: int = 1, flag: bool = False):\n'
        '    if how == "up":\n        return op.Ceil(X) * times\n    return op.Floor(X) * times\n',
        rows="  - {name: up, inputs: {X: [0.5, -1.25]}}\n"
        "  - {name: down, inputs: {X: [0.5, -1.25]}, attributes: {how: down}}\n",
    ),
    **spec(
        "Both",
        "def Both(X, Y):\n    return X + Y, X - Y\n",
        inputs="{X: T, Y: T}",
        outputs="{A: T, B: T}",
        rows="  - {name: some, inputs: {X: [0.5, 2.0], Y: [1.5, 4.0]}}\n",
    ),
    **spec(
        "Power",
        "def Power(X, N, axis: int):\n    return op.Pow(X, N) + op.CastLike(op.Shape(X)[axis], X)\n",
        inputs="{X: T, N: N}",
        types="{T: [float, double], N: [int32, int64]}",
        rows="  - {name: some, inputs: {X: [0.5, 2.0], N: [2, 3]}, attributes: {axis: 0}}\n",
    ),
    **spec(
        "Soft",
        "def Soft(X):\n    return op.Log(1.0 + op.Exp(X))\n",
        rows="  - {name: some, inputs: {X: [0.1, 0.3, 0.7, -1.3, 3.0, 5.1, -2.9]}}\n",
    ),
}
SCALE, LIMIT, ROUND, BOTH, POWER, SOFT = (
    f"com.acme::{name}@1" for name in ("Scale", "Limit", "Round", "Both", "Power", "Soft")
)

# (name, edits, what is expected: (identity, kind))
Row = tuple[str, list[tuple[str, str, str]], list[tuple[str, str]]]
COMPATIBLE: list[Row] = [
    ("documentation", [("Scale/spec", "A function.", "Scales.")], []),
    ("a comment", [("Scale/function", "    return", "    # a comment\n    return")], []),
    ("a local", [("Soft/function", "return op.Log(1.0 + op.Exp(X))", "e = op.Exp(X)\n    return op.Log(1.0 + e)")], []),
    ("vectors", [("Soft/vectors", "3.0", "4.0")], []),
    ("a tolerance", [("Soft/spec", "vectors:", "tolerance: {default: {ulp: 1}}\nvectors:")], []),
    ("the release", [("library.yaml", "1.0.0", "1.1.0")], []),
    ("deprecated", [("Soft/spec", "vectors:", "deprecated: true\nvectors:")], [(SOFT, "deprecated")]),
    ("an opset more", [("Soft/spec", ">=18", ">=17")], [(SOFT, "opsets-widened")]),
    ("all opsets", [("Scale/spec", ">=18", ">=13")], [(SCALE, "opsets-widened")]),
    ("types more", [("Soft/spec", "[float, double]", "[float, double, float16]")], [(SOFT, "types-widened")]),
    (
        "an optional input behind",
        [
            ("Scale/spec", "{X: T}", "{X: T, bias: T}"),
            ("Scale/function", "X, alpha", "X, bias=None, alpha"),
            ("Scale/function", "    return", "    if bias is not None:\n        X = X + bias\n    return"),
        ],
        [(SCALE, "optional-input-added")],
    ),
    (
        "an attribute with a default",
        [
            ("Soft/function", "(X)", "(X, sharp: float = 1.0)"),
            ("Soft/function", "op.Log", "sharp * op.Log"),
            ("Soft/function", "op.Exp(X, sharp: float = 1.0)", "op.Exp(X)"),
        ],
        [(SOFT, "optional-attribute-added"), (SOFT, "values-equal")],
    ),
    (
        "an attribute optional",
        [("Power/function", "axis: int", "axis: int = 0")],
        [(POWER, "attribute-optional")],
    ),
    ("a rank free", [("Limit/spec", "{type: T, rank: 0}", "T")], [(LIMIT, "rank-free")]),
    ("a choice more", [("Round/function", '"up", "down"]', '"up", "down", "zero"]')], [(ROUND, "choice-added")]),
    (
        "an input optional",
        [
            ("Both/function", "(X, Y)", "(X, Y=None)"),
            ("Both/function", "    return", "    if Y is None:\n        return X, X\n    return"),
        ],
        [(BOTH, "input-optional")],
    ),
    ("a type variable renamed", [("Soft/spec", "T", "Q")], [(SOFT, "type-variable-renamed")]),
    ("an output renamed", [("Soft/spec", "{Y: T}", "{Z: T}")], [(SOFT, "output-renamed")]),
    (
        "the same values another way",
        [("Limit/function", "op.Min(X, high)", "op.Where(X < high, X, high)")],
        [(LIMIT, "values-equal")],
    ),
    (
        "values within the tolerance",
        [("Soft/function", "op.Log(1.0 + op.Exp(X))", "op.Relu(X) + op.Log(1.0 + op.Exp(-op.Abs(X)))")],
        [(SOFT, "values-close")],
    ),
]
NO_HIGH = [
    ("Limit/spec", ", high: T}", "}"),
    ("Limit/function", ", high=None", ""),
    ("Limit/function", "    if high is not None:\n        X = op.Min(X, high)\n", ""),
    ("Limit/vectors", ", high: 2.0", ""),
]
BREAKING: dict[str, list[Row]] = {
    "wire": [
        ("a function gone", [("Soft/", "", "")], [(SOFT, "function-gone")]),
        ("an input gone", NO_HIGH, [(LIMIT, "input-gone")]),
        (
            "inputs in another order",
            [("Both/function", "(X, Y)", "(Y, X)")],
            [(BOTH, "input-moved"), (BOTH, "input-moved"), (BOTH, "values-equal")],
        ),
        (
            "a required input",
            [
                ("Soft/spec", "{X: T}", "{X: T, Z: T}"),
                ("Soft/function", "Soft(X)", "Soft(X, Z)"),
                ("Soft/function", "return op.Log(", "return Z * op.Log("),
            ],
            [(SOFT, "input-added"), (SOFT, "values-unknown")],
        ),
        (
            "an optional input in between",
            [
                ("Power/spec", "{X: T, N: N}", "{X: T, bias: T, N: N}"),
                ("Power/function", "X, N, axis", "X, bias, N, axis"),
                ("Power/function", "return op.Pow", "return bias + op.Pow"),
            ],
            [(POWER, "input-moved"), (POWER, "input-added"), (POWER, "values-unknown")],
        ),
        (
            "an input required",
            [
                ("Limit/function", "low=None, high=None", "low, high=None"),
                ("Limit/function", "    if low is not None:\n        X = op.Max(X, low)\n", "    X = op.Max(X, low)\n"),
                ("Limit/vectors", "  - {name: high, inputs: {X: [0.5, -1.25, 3.0], high: 2.0}}\n", ""),
                ("Limit/vectors", "  - {name: neither, inputs: {X: [0.5, -1.25, 3.0]}}\n", ""),
            ],
            [(LIMIT, "input-required")],
        ),
        (
            "an output gone",
            [("Both/spec", "{A: T, B: T}", "{A: T}"), ("Both/function", "X + Y, X - Y", "X + Y")],
            [(BOTH, "output-gone"), (BOTH, "values-differ")],
        ),
        (
            "outputs in another order",
            [("Both/spec", "{A: T, B: T}", "{B: T, A: T}"), ("Both/function", "X + Y, X - Y", "X - Y, X + Y")],
            [(BOTH, "output-moved"), (BOTH, "output-moved"), (BOTH, "values-differ")],
        ),
        (
            "an attribute gone",
            [("Scale/function", ", beta: float = 0.5", ""), ("Scale/function", " + beta", "")],
            [(SCALE, "attribute-gone"), (SCALE, "values-differ")],
        ),
        (
            "an attribute renamed",
            [("Scale/function", "beta", "offset")],
            [(SCALE, "attribute-gone"), (SCALE, "optional-attribute-added"), (SCALE, "values-equal")],
        ),
        (
            "a required attribute",
            [("Soft/function", "Soft(X)", "Soft(X, k: float)"), ("Soft/function", "return ", "return k * ")],
            [(SOFT, "attribute-added"), (SOFT, "values-unknown")],
        ),
        (
            "an attribute required",
            [
                ("Round/function", "times: int = 1, flag", "times: int, flag"),
                ("Round/function", '= "up", times', '= "up", *, times'),
            ],
            [(ROUND, "attribute-required")],
        ),
        (
            "an attribute of another type",
            [("Round/function", "times: int = 1", "times: float = 1.0")],
            [(ROUND, "attribute-type"), (ROUND, "values-equal")],
        ),
        ("another default", [("Scale/function", "alpha: float = 2.0", "alpha: float = 2.5")], [(SCALE, "default")]),
        (
            "another default of a choice",
            [("Round/function", '"down"] = "up"', '"down"] = "down"')],
            [(ROUND, "default")],
        ),
        ("a default of zero", [("Scale/function", "beta: float = 0.5", "beta: float = 0.0")], [(SCALE, "default")]),
        ("no first opset", [("Scale/spec", ">=18", ">=19")], [(SCALE, "opsets-narrowed")]),
        ("no last opset", [("Soft/spec", ">=18", ">=18,<=21")], [(SOFT, "opsets-narrowed")]),
        (
            "the library's range",
            [("library.yaml", "<=22", "<=21")],
            [(name, "opsets-narrowed") for name in (BOTH, LIMIT, POWER, ROUND, SCALE, SOFT)],
        ),
        ("one opset alone", [("Soft/spec", ">=18", "==18")], [(SOFT, "opsets-narrowed")]),
        (
            "a newer operator",
            [("Soft/function", "op.Log(1.0 + op.Exp(X))", "op.Gelu(X)"), ("Soft/spec", ">=18", ">=20")],
            [(SOFT, "opsets-narrowed"), (SOFT, "values-differ")],
        ),
    ],
    "types": [
        ("a type less", [("Scale/spec", ", float16]", "]")], [(SCALE, "types-narrowed")]),
        (
            "other types",
            [("Soft/spec", "[float, double]", "[float, float16]")],
            [(SOFT, "types-narrowed"), (SOFT, "types-widened")],
        ),
        ("one type of two variables", [("Power/spec", "[int32, int64]", "[int64]")], [(POWER, "types-narrowed")]),
        (
            "a single type",
            [
                ("Soft/spec", "{X: T}", "{X: float}"),
                ("Soft/spec", "{Y: T}", "{Y: float}"),
                ("Soft/spec", "types: {T: [float, double]}\n", ""),
            ],
            [(SOFT, "types-narrowed"), (SOFT, "output-type"), (SOFT, "values-equal")],
        ),
        (
            "a rank",
            [("Both/spec", "{X: T, Y: T}", "{X: {type: T, rank: 1}, Y: T}")],
            [(BOTH, "rank")],
        ),
        (
            "another rank",
            [("Limit/spec", "rank: 0", "rank: 1"), ("Limit/vectors", "low: 0.0", "low: [0.0]")],
            [(LIMIT, "rank")],
        ),
        (
            "a choice less",
            [
                ("Round/function", '"up", "down"]', '"up"]'),
                ("Round/vectors", "  - {name: down, inputs: {X: [0.5, -1.25]}, attributes: {how: down}}\n", ""),
            ],
            [(ROUND, "choice-gone"), (ROUND, "variant-gone")],
        ),
        (
            "two types that are one",
            [
                ("Power/spec", "N: [int32, int64]", "N: [float, double]"),
                ("Power/spec", "N: N", "N: T"),
                ("Power/spec", ", N: [float, double]", ""),
            ],
            [(POWER, "types-narrowed"), (POWER, "types-widened"), (POWER, "types-tied")],
        ),
        (
            "an output of another type",
            [
                ("Soft/spec", "{Y: T}", "{Y: float}"),
                ("Soft/function", "op.Log(1.0 + op.Exp(X))", "op.Cast(op.Log(1.0 + op.Exp(X)), to=FLOAT)"),
                ("Soft/function", "import opset18 as op", "import FLOAT, opset18 as op"),
            ],
            [(SOFT, "output-type"), (SOFT, "values-differ")],
        ),
    ],
    "source": [
        (
            "an input renamed",
            [("Soft/spec", "{X: T}", "{Z: T}"), ("Soft/function", "X", "Z"), ("Soft/vectors", "X", "Z")],
            [(SOFT, "input-renamed")],
        ),
        (
            "an output more",
            [
                ("Soft/spec", "{Y: T}", "{Y: T, E: T}"),
                ("Soft/function", "return op.Log(1.0 + op.Exp(X))", "return op.Log(1.0 + op.Exp(X)), op.Exp(X)"),
            ],
            [(SOFT, "output-added"), (SOFT, "values-differ")],
        ),
        (
            "a number that was a truth value",
            [("Round/function", "flag: bool = False", "flag: int = 0")],
            [(ROUND, "attribute-bool")],
        ),
        ("another package", [("library.yaml", "package: acme", "package: acme2")], [("", "package-renamed")]),
        ("another distribution", [("library.yaml", "acme-ops", "acme-functions")], [("", "library-renamed")]),
    ],
    "numeric": [
        ("another constant", [("Soft/function", "1.0 +", "1.01 +")], [(SOFT, "values-differ")]),
        ("another operator", [("Round/function", "op.Ceil(X)", "op.Round(X)")], [(ROUND, "values-differ")]),
        ("another sign", [("Both/function", "X - Y", "Y - X")], [(BOTH, "values-differ")]),
        ("another axis", [("Power/function", "op.Shape(X)[axis]", "op.Shape(X)[0] * 2")], [(POWER, "values-differ")]),
        (
            "an edge case",
            [("Limit/function", "op.Min(X, high)", "op.Where(X < high, X, high + 1.0)")],
            [(LIMIT, "values-differ")],
        ),
    ],
}
ROWS = [("", *row) for row in COMPATIBLE] + [(level, *row) for level, rows in BREAKING.items() for row in rows]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> State:
    return state(tmp_path_factory.mktemp("base"), BASE)


@pytest.mark.parametrize(
    ("level", "name", "edits", "expected"), ROWS, ids=[f"{row[0] or 'compatible'}: {row[1]}" for row in ROWS]
)
def test_a_change_is_what_it_is(
    level: str,
    name: str,
    edits: list[tuple[str, str, str]],
    expected: list[tuple[str, str]],
    base: State,
    tmp_path: Path,
) -> None:
    files = {path: text for path, text in BASE.items() if edits[0][1:] != ("", "") or edits[0][0] not in path}
    new = state(tmp_path, files if files != BASE else edited(BASE, edits))
    changes = changes_between(base, new)
    assert [(change.identity, change.kind.word) for change in changes] == expected
    breaking = [change.level.value for change in changes if change.breaks]
    assert breaking == [] if not level else level in breaking
    for change in changes:
        assert change.explain()
        assert "{" not in change.explain()


def test_there_are_sixty_and_twenty_of_them_are_compatible() -> None:
    assert len(COMPATIBLE) == 20
    assert len(ROWS) == 60
    assert len({row[1] for row in ROWS}) == 60
