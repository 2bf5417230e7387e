"""Valid programs made into programs that are most likely not: each is refused with a diagnostic, or agrees still."""

from __future__ import annotations

import ast
import copy
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from random import Random

from tests.differential.program import Program

_NAMES = ("undefined", "op", "F", "h0", "math", "range", "FLOAT", "x", "n", "K", "P", "None", "True")
_EXPRESSIONS = (
    "None",
    "'text'",
    "2.5",
    "1e400",
    "10 ** 40",
    "-1",
    "1 / 0",
    "1j",
    "b'x'",
    "...",
    "[]",
    "()",
    "{}",
    "{1, 2}",
    "lambda: 1",
    "f'{x}'",
    "(x, 1)",
    "[x]",
    "[1, 'a']",
    "[v for v in (1, 2)]",
    "{v: v for v in (1, 2)}",
    "(v for v in (1, 2))",
    "(w := 1)",
    "x.shape",
    "x.shape[0]",
    "x.rank",
    "x.dtype",
    "x.nothing",
    "x[0]",
    "x[:, 1]",
    "x[...]",
    "x[::-1]",
    "x[1:2, ::2]",
    "x[None]",
    "x[x]",
    "x is None",
    "x is x",
    "x in (1, 2)",
    "len(x)",
    "int(x)",
    "float(x)",
    "bool(x)",
    "min(x, 1)",
    "max(1, 'a')",
    "str(1)",
    "round(1.5)",
    "sum((1, 2))",
    "math.sqrt(-1)",
    "math.nothing",
    "math.sqrt",
    "range(3)",
    "range(x)",
    "op.Nothing(x)",
    "op.Add(x)",
    "op.Add(x, x, x)",
    "op.Relu(x, alpha=1)",
    "op.Relu(X=x)",
    "op.LeakyRelu(x, alpha=x)",
    "op.LeakyRelu(x, alpha='a')",
    "op.Cast(x, to='nothing')",
    "op.Cast(x)",
    "op.TopK(x, [1])",
    "op.If(x)",
    "op.Constant()",
    "op.Constant(value_int=1, value_float=1.0)",
    "op",
    "op.Add",
    "FLOAT",
    "FLOAT(x)",
    "INT64(2.5)",
    "INT32(2 ** 40)",
    "BOOL(2)",
    "h0()",
    "h0(x, x, x, x, x)",
    "h0(nothing=1)",
    "F(x)",
    "print(x)",
    "open('f')",
    "x(1)",
    "x @ 2",
    "x << 1",
    "x ** x",
    "~x",
    "not x",
    "-True",
    "x and x",
    "x < x < x",
    "x if x else x",
    "op.Shape(x)[0]",
    "*x",
    "yield_",
)
_STATEMENTS = (
    "break",
    "continue",
    "return",
    "return None",
    "return x, x, x",
    "return 1",
    "return 'a'",
    "global x",
    "nonlocal x",
    "import os",
    "from os import path",
    "try:\n    x = 1\nfinally:\n    x = 2",
    "with x:\n    pass",
    "class C:\n    pass",
    "def inner():\n    return x",
    "async def inner():\n    pass",
    "raise ValueError",
    "assert x",
    "assert 1 > 2",
    "del x",
    "del undefined",
    "x[0] = 1",
    "x.y = 1",
    "x, y = 1",
    "x, y = 1, 2, 3",
    "x, *y = 1, 2, 3",
    "x += 'a'",
    "x @= 1",
    "x //= 0",
    "yield x",
    "await x",
    "while True:\n    pass",
    "while True:\n    x = x",
    "while x:\n    break",
    "for v in x:\n    pass",
    "for v in range(10 ** 9):\n    pass",
    "for v in range(x):\n    pass",
    "for v, w in ((1, 2), (3, 4)):\n    x = x",
    "for v in (1, 'a', None):\n    pass",
    "for x in range(3):\n    pass",
    "for v in ():\n    pass",
    "match x:\n    case 1:\n        pass",
    "q: FLOAT",
    "q: int = 1.5",
    "lambda: x",
    "print(x)",
    "ys = []\nys.append(x)",
    "x = undefined",
    "if x:\n    q = 1\nx = q",
    "for v in range(n):\n    q = 1\nx = q",
)


def mutate(program: Program, random: Random) -> Program:
    """One to three changes to the text; what is declared and the inputs stay."""
    text = program.text
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        text = _changed(text, random)
    return replace(program, text=text, meant=False)


def _changed(text: str, random: Random) -> str:
    if random.random() < 0.12:
        return _change_letters(text, random)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return _change_letters(text, random)
    try:
        random.choice(_CHANGES)(tree, random)
        return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    except (AttributeError, IndexError, TypeError, ValueError):  # nothing to change, or a tree that no text has
        return _change_letters(text, random)


def _change_letters(text: str, random: Random) -> str:
    """A character or a line lost, doubled, moved or replaced."""
    at = random.randrange(len(text))
    lines = text.splitlines(keepends=True)
    line = random.randrange(len(lines))
    kind = random.randrange(6)
    if kind == 0:
        return text[:at] + text[at + 1 :]
    if kind == 1:
        return text[:at] + random.choice("()[]:,=.+-*'\"\t\n\\ 0aé\0") + text[at:]
    if kind == 2:
        return "".join(lines[:line] + lines[line + 1 :]) or "\n"
    if kind == 3:
        return "".join([*lines[:line], lines[line], *lines[line:]])
    if kind == 4:
        return "".join([*lines[:line], "    ", *lines[line:]])
    return text[:at] or "\n"


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """What stands in functions: the rest of a program runs when it is read, and a change of it tells nothing of us. Nor
    does one of what is printed, which Python looks at and the compiler does not."""
    functions = (node for node in ast.iter_child_nodes(tree) if isinstance(node, ast.FunctionDef))
    return chain.from_iterable(map(_but_what_is_printed, functions))


def _but_what_is_printed(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for inner in ast.iter_child_nodes(node):
        if not (isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "print"):
            yield from _but_what_is_printed(inner)


def _expressions(tree: ast.AST) -> list[tuple[ast.AST, str, int | None]]:
    """Where each expression that is read stands: owner, field, and index in a list of them."""
    found: list[tuple[ast.AST, str, int | None]] = []
    for node in _nodes(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and not isinstance(getattr(value, "ctx", None), (ast.Store, ast.Del)):
                found.append((node, field, None))
            elif isinstance(value, list):
                found += [
                    (node, field, index)
                    for index, item in enumerate(value)
                    if isinstance(item, ast.expr) and not isinstance(getattr(item, "ctx", None), (ast.Store, ast.Del))
                ]
    return found


def _get(place: tuple[ast.AST, str, int | None]) -> ast.expr:
    owner, field, index = place
    value = getattr(owner, field)
    found = value if index is None else value[index]
    assert isinstance(found, ast.expr)
    return found


def _put(place: tuple[ast.AST, str, int | None], node: ast.expr) -> None:
    owner, field, index = place
    if index is None:
        setattr(owner, field, node)
    else:
        getattr(owner, field)[index] = node


def _blocks(tree: ast.AST) -> list[list[ast.stmt]]:
    blocks = [
        getattr(node, field)
        for node in _nodes(tree)
        if not isinstance(node, ast.ClassDef)
        for field in ("body", "orelse")
        if isinstance(getattr(node, field, None), list)
    ]
    return [block for block in blocks if block]


def _foreign(random: Random) -> ast.expr:
    """What stands as the argument of a call, so that it may be starred."""
    found = ast.parse(f"f({random.choice(_EXPRESSIONS)})", mode="eval").body
    assert isinstance(found, ast.Call)
    return found.args[0]


def _foreign_expression(tree: ast.Module, random: Random) -> None:
    _put(random.choice(_expressions(tree)), _foreign(random))


def _another_expression(tree: ast.Module, random: Random) -> None:
    """An expression where another stood."""
    places = _expressions(tree)
    _put(random.choice(places), copy.deepcopy(_get(random.choice(places))))


def _another_name(tree: ast.Module, random: Random) -> None:
    names = [node for node in _nodes(tree) if isinstance(node, ast.Name)]
    if names:
        random.choice(names).id = random.choice((*_NAMES, *(node.id for node in names)))


def _lost_statement(tree: ast.Module, random: Random) -> None:
    block = random.choice(_blocks(tree))
    del block[random.randrange(len(block))]
    if not block:
        block.append(ast.Pass())


def _moved_statement(tree: ast.Module, random: Random) -> None:
    blocks = _blocks(tree)
    statement = copy.deepcopy(random.choice(random.choice(blocks)))
    block = random.choice(blocks)
    block.insert(random.randrange(len(block) + 1), statement)


def _foreign_statement(tree: ast.Module, random: Random) -> None:
    block = random.choice(_blocks(tree))
    block[(at := random.randrange(len(block) + 1)) : at] = ast.parse(random.choice(_STATEMENTS)).body


def _another_operator(tree: ast.Module, random: Random) -> None:
    nodes = [node for node in _nodes(tree) if isinstance(node, (ast.BinOp, ast.AugAssign))]
    if nodes:
        random.choice(nodes).op = random.choice(
            (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult, ast.LShift, ast.BitAnd)
        )()


def _another_constant(tree: ast.Module, random: Random) -> None:
    nodes = [node for node in _nodes(tree) if isinstance(node, ast.Constant)]
    if nodes:
        random.choice(nodes).value = random.choice((0, 1, -1, 2**31, 2**63, 10**30, 0.5, 1e308, True, None, "a"))


def _another_call(tree: ast.Module, random: Random) -> None:
    """An argument lost, doubled, named or given another name; another operator."""
    calls = [node for node in _nodes(tree) if isinstance(node, ast.Call)]
    if not calls:
        return
    call = random.choice(calls)
    kind = random.randrange(5)
    if kind == 0 and call.args:
        del call.args[random.randrange(len(call.args))]
    elif kind == 1 and call.args:
        call.args.append(copy.deepcopy(random.choice(call.args)))
    elif kind == 2 and call.args:
        call.keywords.append(ast.keyword(random.choice(("axis", "x", "X", "to", "nothing")), call.args.pop()))
    elif kind == 3 and call.keywords:
        random.choice(call.keywords).arg = random.choice(("axis", "to", "nothing", None))
    elif isinstance(call.func, ast.Attribute):
        call.func.attr = random.choice(("Relu", "Add", "Concat", "Loop", "Cast", "Nothing", "Split", "Clip", "relu"))


def _another_interface(tree: ast.Module, random: Random) -> None:
    """Parameters and defaults of some function, and decorators."""
    functions = [node for node in _nodes(tree) if isinstance(node, ast.FunctionDef)]
    if not functions:
        return
    node = random.choice(functions)
    kind = random.randrange(5)
    if kind == 0 and node.args.defaults:
        node.args.defaults[-1] = _foreign(random)
    elif kind == 1 and node.args.args:
        random.choice(node.args.args).annotation = _foreign(random)
    elif kind == 2:
        node.returns = _foreign(random)
    elif kind == 3:
        node.args.vararg = ast.arg("xs")
    else:
        node.name = random.choice(("F", "h0", "x", "op"))


_CHANGES: tuple[Callable[[ast.Module, Random], None], ...] = (
    _foreign_expression,
    _foreign_expression,
    _foreign_expression,
    _another_expression,
    _another_expression,
    _another_name,
    _another_name,
    _lost_statement,
    _moved_statement,
    _foreign_statement,
    _foreign_statement,
    _another_operator,
    _another_constant,
    _another_call,
    _another_call,
    _another_interface,
)
