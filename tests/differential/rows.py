"""Which rows of docs/language.md a program has.

Most are seen in the syntax tree. Where the meaning of a piece of syntax depends on types, the interpreter has seen it
run: `covered` holds what it noted.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.differential.program import Program

PAGE = Path(__file__).resolve().parents[2] / "docs" / "language.md"
_ROW = re.compile(r"^\| \[`([a-z_.]+)`\].*?\| ([^|]*?) \|([^|]*)\|$", re.MULTILINE)
_FOUND = _ROW.findall(PAGE.read_text(encoding="utf-8").replace("\\|", " "))

# What is only refused: programs changed to be invalid have these, with one of their codes (see `mutate.py`).
REFUSALS: dict[str, tuple[str, ...]] = {
    row: tuple(re.findall(r"\[(OW\d+)\]", codes)) for row, becomes, codes in _FOUND if becomes == "nothing"
}
# A function inside another that makes it: our programs are functions of a module. `tests/live` has it. Scalars of numpy
# of other types than Python's numbers: `tests/eager/test_numpy_scalars.py` makes them, and compares five ways. What is
# asked of operators and functions as values: `tests/lang/test_functions_as_values.py` compares four.
ELSEWHERE = frozenset({"number.scalar", "scope.closure", "static.identity", "call.keywords", "call.partial"})
ROWS: tuple[str, ...] = tuple(row for row, _, _ in _FOUND if row not in REFUSALS and row not in ELSEWHERE)

_LOOPS = (ast.For, ast.While)


class _Text:
    """A program's syntax tree and what was run of it."""

    def __init__(self, program: Program, covered: frozenset[str]) -> None:
        self.program = program
        self.covered = covered
        self.module = ast.parse(program.text)
        self.nodes = list(ast.walk(self.module))
        self.main = next(item for item in self.module.body if isinstance(item, ast.FunctionDef) and item.name == "F")

    def has(self, kind: type[ast.AST] | tuple[type[ast.AST], ...], test: Callable[[Any], bool] = bool) -> bool:
        return any(isinstance(node, kind) and test(node) for node in self.nodes)

    def ran(self, *starts: str) -> bool:
        return any(item.startswith(starts) for item in self.covered)

    def ran_operator(self, symbol: str, kinds: str = "fib") -> bool:
        return any(f"{kind} tensor {symbol} {beside}" in self.covered for kind in kinds for beside in _BESIDE)


_BESIDE = ("tensor", "number")


def rows_of(program: Program, covered: frozenset[str]) -> set[str]:
    """The ids of the rows that occur in the program; those that hang on types, where they were run."""
    text = _Text(program, covered)
    return {row for row in ROWS if row in DETECTORS and DETECTORS[row](text)}


def _calls(name: str) -> Callable[[_Text], bool]:
    return lambda text: text.has(ast.Call, lambda node: ast.unparse(node.func) == name)


def _subscripts(test: Callable[[ast.expr], bool]) -> Callable[[_Text], bool]:
    """A subscript one of whose items passes."""

    def found(node: ast.AST) -> bool:
        assert isinstance(node, ast.Subscript)
        return any(test(item) for item in (node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]))

    return lambda text: text.has(ast.Subscript, found)


def _runs(*starts: str) -> Callable[[_Text], bool]:
    return lambda text: text.ran(*starts)


def _is_int(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_unknown_slice(node: ast.expr) -> bool:
    parts = [node.lower, node.upper, node.step] if isinstance(node, ast.Slice) else []
    return any(part is not None and not _is_int(part) for part in parts)


def _after_its_loop(text: _Text) -> bool:
    """Whether the variable of a loop is read behind it."""
    for node in text.nodes:
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            name, end = node.target.id, node.end_lineno or 0
            if text.has(
                ast.Name,
                lambda item, name=name, end=end: item.id == name and _reads(item) and item.lineno > end,
            ):
                return True
    return False


def _reads(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Load)


def _annotations(text: _Text) -> list[str]:
    arguments = [*text.main.args.args, *text.main.args.kwonlyargs]
    return [ast.unparse(item.annotation) for item in arguments if item.annotation is not None]


def _is_static_test(node: ast.AST) -> bool:
    """A condition of constants alone."""
    assert isinstance(node, (ast.If, ast.IfExp))
    return all(not isinstance(item, ast.Name) or item.id == "math" for item in ast.walk(node.test))


def _is_weak(text: _Text) -> bool:
    """A number by name that meets a tensor in a loop: `s = s + x` after `s = 0`."""
    numbers = {
        node.targets[0].id
        for node in text.nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    changed = {
        item.id
        for node in text.nodes
        if isinstance(node, _LOOPS)
        for inner in ast.walk(node)
        for item in ast.walk(inner)
        if isinstance(item, ast.Name) and not _reads(item)
    }
    return bool(numbers & changed)


def _shadows(text: _Text) -> bool:
    """A nested function that binds a name which the function around it binds too."""
    outer = {item.id for item in ast.walk(text.main) if isinstance(item, ast.Name) and not _reads(item)}
    outer |= {item.arg for item in text.main.args.args}
    return any(
        isinstance(node, ast.FunctionDef) and any(item.arg in outer for item in node.args.args)
        for node in ast.walk(text.main)
        if node is not text.main
    )


def _needs_index(text: _Text) -> bool:
    """A loop over a range that builds axes, attributes or items of static lists with its index."""
    for node in text.nodes:
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and "range" in ast.unparse(node.iter):
            body = "\n".join(ast.unparse(item) for item in node.body)
            if re.search(rf"axis={node.target.id}|\[{node.target.id}\]", body):
                return True
    return False


def _entry_of_shape(text: _Text) -> bool:
    return text.has(
        ast.Subscript,
        lambda node: isinstance(node.value, ast.Attribute) and node.value.attr == "shape",
    )


def _of_run_time_numbers(text: _Text) -> bool:
    """Python's arithmetic by name, of what is not written as a number."""
    names = ("divmod", "pow", "round", "math.floor", "math.ceil", "math.trunc", "math.sqrt", "math.fabs", "math.fmod")
    return text.has(
        ast.Call,
        lambda node: (
            ast.unparse(node.func) in names
            and any(
                isinstance(item, (ast.Name, ast.Attribute, ast.Subscript))
                for argument in node.args[:1]
                for item in ast.walk(argument)
            )
        ),
    )


DETECTORS: dict[str, Callable[[_Text], bool]] = {
    "stmt.assign": _runs("assignment"),
    "stmt.assign.tuple": _runs("unpacking"),
    "stmt.assign.chained": _runs("chained assignment"),
    "stmt.assign.expression": _runs("walrus"),
    "stmt.assign.augmented": _runs("augmented"),
    "stmt.assign.annotated": _runs("annotated assignment"),
    "stmt.docstring": lambda text: ast.get_docstring(text.main) is not None,
    "stmt.expression": lambda text: text.has(ast.Expr, lambda node: not isinstance(node.value, ast.Constant)),
    "stmt.pass": lambda text: text.has(ast.Pass),
    "stmt.print": lambda text: text.has(ast.Call, lambda node: ast.unparse(node.func) == "print"),
    "stmt.del": _runs("del"),
    "stmt.assert": _runs("assert"),
    "stmt.def": _runs("nested def"),
    "stmt.if": _runs("if of f tensor", "if of i tensor", "if of b tensor"),
    "stmt.if.elif": lambda text: text.has(
        ast.If,
        lambda node: len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If),
    ),
    "stmt.if.static": lambda text: text.has((ast.If, ast.IfExp), _is_static_test),
    "stmt.match": _runs("match"),
    "stmt.for.range": _runs("for over range"),
    "stmt.for.step": lambda text: text.has(
        ast.For,
        lambda node: isinstance(node.iter, ast.Call) and len(node.iter.args) == 3,
    ),
    "stmt.for.variable": _after_its_loop,
    "stmt.while.true": lambda text: text.has(
        ast.While, lambda node: isinstance(node.test, ast.Constant) and node.test.value is True
    ),
    "stmt.for.items": _runs("for over a list"),
    "stmt.for.rows": _runs("for over rows"),
    "stmt.for.enumerate": _runs("enumerate of a"),
    "stmt.loop.nested": lambda text: any(
        inner is not node and isinstance(inner, _LOOPS)
        for node in text.nodes
        if isinstance(node, _LOOPS)
        for inner in ast.walk(node)
    ),
    "stmt.while": _runs("while, trips", "while of"),
    "stmt.break": _runs("break"),
    "stmt.continue": _runs("continue"),
    "stmt.loop.else": _runs("else of a"),
    "stmt.return": _runs("return"),
    "stmt.return.early": lambda text: any(
        isinstance(inner, ast.Return)
        for node in text.nodes
        if isinstance(node, (ast.If, *_LOOPS))
        for inner in ast.walk(node)
    ),
    "stmt.return.several": lambda text: text.has(ast.Return, lambda node: isinstance(node.value, ast.Tuple)),
    "op.add": lambda text: text.ran_operator("+", "fi"),
    "op.sub": lambda text: text.ran_operator("-", "fi"),
    "op.mul": lambda text: text.ran_operator("*", "fi"),
    "op.div": lambda text: text.ran_operator("/", "fi"),
    "op.floordiv": lambda text: text.ran_operator("//", "fi"),
    "op.mod": lambda text: text.ran_operator("%", "fi"),
    "op.pow": lambda text: text.ran_operator("**", "fi"),
    "op.matmul": lambda text: text.ran_operator("@", "fi"),
    "op.transpose": _runs(".T"),
    "op.shift": _runs("u tensor <<", "u tensor >>"),
    "op.bitwise": lambda text: any(text.ran_operator(symbol, "iu") for symbol in "&|^"),
    "op.logical": lambda text: any(text.ran_operator(symbol, "b") for symbol in "&|^"),
    "op.neg": _runs("unary -", "unary +"),
    "op.abs": _calls("abs"),
    "op.not": _runs("not of f tensor", "not of i tensor", "not of b tensor"),
    "op.compare": lambda text: any(text.ran_operator(symbol) for symbol in ("<", "<=", ">", ">=", "==", "!=")),
    "op.compare.chain": _runs("chained comparison"),
    "op.and": _runs("and that"),
    "op.or": _runs("or that"),
    "op.ifexp": _runs("conditional expression of"),
    "number.literal": lambda text: any(
        f"{kind} tensor {symbol} number" in text.covered for kind in "fi" for symbol in ("+", "-", "*", "/", "<", ">")
    ),
    "number.folded": _runs("int +", "int -", "int *", "float +", "float -", "float *", "int //", "int %"),
    "number.module": lambda text: any(isinstance(item, ast.Assign) for item in text.module.body),
    "number.builtin": lambda text: (
        any(_calls(name)(text) for name in ("int", "float", "min", "max", "round", "bool")) or text.ran("math.")
    ),
    "number.math": _of_run_time_numbers,
    "number.size": _runs(".size"),
    "number.array": lambda text: any(ast.unparse(item).startswith(("TA = np", "TB = np")) for item in text.module.body),
    "number.numpy": _runs("np."),
    "number.tensor": _runs("make_tensor", "from_array"),
    "number.unknown": _runs("int /", "int //", "int %", "float /", "float //", "float %"),
    "number.shape": _entry_of_shape,
    "number.len": _calls("len"),
    "number.index": _runs("for over range"),
    "number.weak": _is_weak,
    "number.typed": _runs("typed scalar"),
    "number.list": lambda text: text.has(
        ast.Call,
        lambda node: ast.unparse(node.func).startswith("op.") and any(isinstance(item, ast.List) for item in node.args),
    ),
    "number.polymorphic": lambda text: bool(text.program.types) and text.ran("f tensor", "i tensor"),
    "number.compare": _runs(*(f"{kind} {symbol}" for kind in ("int", "float") for symbol in ("<", ">", "==", "!="))),
    "number.bool": _runs("bool ", "if of bool", "not of bool", "int of a bool"),
    "number.abs": _runs("abs of a number"),
    "sub.int": _runs("subscript int"),
    "sub.several": lambda text: text.has(
        ast.Subscript,
        lambda node: isinstance(node.slice, ast.Tuple) and len(node.slice.elts) > 1,
    ),
    "sub.slice": _runs("subscript slice"),
    "sub.slice.step": _runs("subscript slice with step"),
    "sub.slice.unknown": _subscripts(_is_unknown_slice),
    "sub.ellipsis": _runs("subscript ..."),
    "sub.none": _runs("subscript None"),
    "sub.tensor": _runs("subscript tensor"),
    "sub.tensor.several": _runs("subscripts together"),
    "sub.mask": _runs("subscript mask"),
    "sub.list": _runs("subscript list"),
    "sub.slice.object": _runs("slice()"),
    "sub.shape": _entry_of_shape,
    "seq.list": lambda text: text.has((ast.List, ast.Tuple), _reads),
    "seq.append": _runs("append", "extend"),
    "seq.index": _runs("item of a list"),
    "seq.item": _runs("item assigned", "augmented item"),
    "seq.ranks": _runs("op.ConcatFromSequence"),
    "seq.unpack": lambda text: text.has(ast.Starred, lambda node: not _reads(node)),
    "seq.builtins": lambda text: any(_calls(name)(text) for name in ("reversed", "list", "tuple")),
    "seq.extend": _runs("extend", "list +", "list *"),
    "seq.generator": lambda text: text.has(ast.GeneratorExp),
    "seq.len": _runs("len of a list"),
    "call.operator": _runs("op."),
    "call.attribute": lambda text: text.has(
        ast.Call,
        lambda node: ast.unparse(node.func).startswith("op.") and bool(node.keywords),
    ),
    "call.dtype": _runs("op.Cast"),
    "call.outputs": _runs("op.TopK", "op.Split"),
    "call.absent": lambda text: text.has(
        ast.Call,
        lambda node: (
            "Clip" in ast.unparse(node.func)
            and (any(item.arg == "max" for item in node.keywords) or ", None" in ast.unparse(node))
        ),
    ),
    "call.variadic": _runs("op.Max", "op.Min", "op.Sum", "op.Concat"),
    "call.helper": _runs("call of a helper"),
    "call.lambda": _runs("lambda"),
    "call.script": _runs("call of a script"),
    "call.graph": _runs("op.Scan", "op.Loop", "op.If", "op.SequenceMap"),
    "param.tensor": lambda text: bool(text.program.inputs),
    "param.attribute": lambda text: bool(text.program.attributes),
    "param.default": lambda text: any(item is not None for item in text.main.args.kw_defaults),
    "param.sequence": lambda text: any("Sequence" in item for item in _annotations(text)),
    "param.optional": lambda text: bool(text.main.args.defaults),
    "param.literal": lambda text: any("Literal" in item for item in _annotations(text)),
    "param.keyword_only": lambda text: bool(text.main.args.kwonlyargs),
    "param.variadic": lambda text: text.has(ast.FunctionDef, lambda node: node.args.vararg is not None),
    "param.union": lambda text: any(" | " in item for item in _annotations(text)),
    "scope.local": lambda text: text.has(
        ast.Name,
        lambda node: not _reads(node) and node.id in {item.arg for item in text.main.args.args},
    ),
    "scope.module": lambda text: any(isinstance(item, ast.Assign) for item in text.module.body),
    "scope.shadow": _shadows,
    "static.presence": _runs("is None"),
    "static.dtype": _runs("dtype compared"),
    "static.rank": _runs(".rank"),
    "static.version": _runs("op.version"),
    "static.range": _needs_index,
    "static.items": _runs("for over a list"),
    "static.comprehension": _runs("comprehension"),
    "static.in": lambda text: "in" in text.covered,
    "static.choice": lambda text: text.has(
        ast.keyword,
        lambda node: isinstance(node.value, ast.IfExp),
    ),
    "static.dict": _runs("dict"),
    "static.namedtuple": _runs("namedtuple"),
    "static.text": _runs("f-string"),
}
