"""YAML and Python changed as what they are: trees of keys, statements and expressions; and as text, token by token."""

from __future__ import annotations

import ast
import copy
import json
import random
from collections.abc import Sequence
from pathlib import PurePosixPath

import yaml

from tests.e2e.test_malformed import PYTHON_TOKENS, YAML_TOKENS, mutate_bytes, mutate_keys, mutate_tokens
from tests.hostile.trees import Tree, changed_json, changed_tree, keys_of

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_BOMBS = (
    "a: &a [x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(8)),
    "a: &a [*a]\n",
    "? " * 3_000 + "x\n",
    "[" * 20_000 + "\n",
    "!!python/object/apply:os.system [echo]\n",
    "<<: [{a: 1}, {a: 2}]\n",
    "a: !!binary ////\n",
    "%YAML 9.9\n---\na: 1\n",
    "a: " + "9" * 30_000 + "\n",
    "a: 1e" + "9" * 5_000 + "\n",
    "a: 2001-99-99\n",
    "\ufeffa: 1\n",
    "a: |\n" + " " * 100_000 + "x\n",
)
_SOURCES = (
    "# coding: rot13\n",
    "# -*- coding: utf-16 -*-\n",
    "from __future__ import braces\n",
    "import os\n",
    "from . import *\n",
    "from ...x import y\n",
    "from .function import Z\n",
    "from .other import f\n",
    "x = " + "-" * 3_000 + "1\n",
    "x = " + "(" * 150 + ")" * 150 + "\n",
    "x = " + "[" * 90 + "]" * 90 + "\n",
    "x = " + "+".join(["1"] * 3_000) + "\n",
    "x = 10 ** 10 ** 10\n",
    "x = 'a' * 10 ** 10\n",
    "x = (0,) * 10 ** 9\n",
    "x = 1 << 10 ** 10\n",
    "x = range(10 ** 12)[10 ** 11]\n",
    "x = f'{x!r:>{10 ** 9}}'\n",
    "def f(): return f()\n",
    "class A: x = A\n",
    "x = y\ny = x\n",
    "type X = int\n",
    "\f\x0c\n",
)
_EXPRESSIONS = tuple(
    ast.parse(text, mode="eval").body
    for text in (
        *(
            "None",
            "0",
            "-1",
            "10 ** 9",
            "2 ** 4000",
            "1e999",
            "'s'",
            "b'x'",
            "...",
            "True",
            "()",
            "[]",
            "{}",
            "x",
            "X",
            "Y",
        ),
        *(
            "x.dtype",
            "x.shape",
            "x.rank",
            "x[0]",
            "x[::-1]",
            "x[..., None]",
            "x[x]",
            "x @ x",
            "x if x else x",
            "not x",
            "x is None",
        ),
        *(
            "op.Relu(x)",
            "op.If(x)",
            "op.Nothing(x)",
            "op.Cast(x, to=99)",
            "op.Loop(1, 2)",
            "op",
            "op.version",
            "f(*x)",
            "f(**x)",
        ),
        *(
            "[y for y in x]",
            "(lambda: x)()",
            "f'{x}'",
            "(y := x)",
            "x < x < x",
            "len(x)",
            "range(10 ** 9)",
            "int(x)",
            "max()",
            "min(x)",
        ),
        *(
            "float('nan')",
            "-0.0",
            "1j",
            "x // 0",
            "1 % 0",
            "1 / 0",
            "0 ** -1",
            "1 << -1",
            "(1, 2)[5]",
            "{1: 2}[3]",
            "'a'.x",
            "x.y.z",
        ),
    )
)
_STATEMENTS = tuple(
    ast.parse(text).body[0]
    for text in (
        *(
            "return",
            "return x",
            "return x, x",
            "pass",
            "del x",
            "assert x",
            "raise x",
            "global x",
            "import os",
            "x = x",
            "x += 1",
        ),
        *(
            "for i in range(10 ** 9):\n  x = x",
            "while x:\n  x = x",
            "while True:\n  pass",
            "if x:\n  y = x",
            "with x:\n  pass",
        ),
        *(
            "try:\n  x\nexcept:\n  y",
            "def g(x):\n  return g(x)",
            "class A:\n  pass",
            "x: int = 1",
            "x, y = x",
            "for i in x:\n  break",
        ),
        *(
            "for i in range(70000):\n  x = op.Relu(x)",
            "x = []\nx.append(x)",
            "match x:\n  case 1: pass",
            "nonlocal x",
            "yield x",
        ),
    )
)


def changed_yaml(text: str, numbers: random.Random, words: Sequence[str]) -> str:
    if numbers.random() < 0.04:
        bomb = numbers.choice(_BOMBS)
        return bomb if numbers.random() < 0.5 else text + bomb
    try:
        tree: Tree = yaml.load(text, _LOADER)
        for _ in range(numbers.choice((1, 1, 1, 2, 3))):
            tree = changed_tree(tree, numbers, words)
        flow = numbers.choice((None, None, None, True, False))
        return str(
            yaml.dump(tree, Dumper=_DUMPER, sort_keys=False, allow_unicode=True, default_flow_style=flow, width=200)
        )
    except (yaml.YAMLError, RecursionError, ValueError):
        return mutate_tokens(text.encode("utf-8", "replace"), numbers, YAML_TOKENS).decode("utf-8", "replace")


def changed_python(text: str, numbers: random.Random) -> str:
    """The source with expressions and statements replaced, doubled, moved or nested."""
    if numbers.random() < 0.1:
        line = numbers.choice(_SOURCES)
        return line + text if numbers.random() < 0.5 else text + line
    try:
        tree = ast.parse(text)
        for _ in range(numbers.choice((1, 1, 2, 3))):
            _change_python(tree, numbers)
        return ast.unparse(ast.fix_missing_locations(tree))
    except (SyntaxError, ValueError, RecursionError, TypeError, AttributeError, MemoryError):
        return mutate_tokens(text.encode("utf-8", "replace"), numbers, PYTHON_TOKENS).decode("utf-8", "replace")


def _change_python(tree: ast.Module, numbers: random.Random) -> None:
    holders = [(node, name, value) for node in ast.walk(tree) for name, value in ast.iter_fields(node)]
    bodies = [value for _, _, value in holders if isinstance(value, list) and value and isinstance(value[0], ast.stmt)]
    places = [(node, name) for node, name, value in holders if isinstance(value, ast.expr)]
    match numbers.randrange(8):
        case 0 | 1 if places:
            node, name = numbers.choice(places)
            setattr(node, name, copy.deepcopy(numbers.choice(_EXPRESSIONS)))
        case 2 if places:  # the expression of another place
            (node, name), (other, there) = numbers.choice(places), numbers.choice(places)
            setattr(node, name, copy.deepcopy(getattr(other, there)))
        case 3 if bodies:
            body = numbers.choice(bodies)
            body.insert(numbers.randrange(len(body) + 1), copy.deepcopy(numbers.choice(_STATEMENTS)))
        case 4 if bodies:
            body = numbers.choice(bodies)
            del body[numbers.randrange(len(body))]
            if not body:
                body.append(ast.Pass())
        case 5 if bodies:  # inside of control flow, some deep
            body = numbers.choice(bodies)
            at = numbers.randrange(len(body))
            for _ in range(numbers.choice((1, 2, 30))):
                test = copy.deepcopy(numbers.choice(_EXPRESSIONS))
                body[at] = ast.If(test=test, body=[body[at]], orelse=[])
        case 6 if places:  # long chains
            node, name = numbers.choice(places)
            value = getattr(node, name)
            for _ in range(numbers.choice((1, 20, 400))):
                value = ast.BinOp(left=value, op=ast.Add(), right=ast.Constant(value=1))
            setattr(node, name, value)
        case _:  # names
            named = [
                item
                for item in ast.walk(tree)
                if isinstance(item, ast.Name | ast.arg | ast.FunctionDef | ast.Attribute)
            ]
            if named:
                item = numbers.choice(named)
                new = numbers.choice(
                    ("x", "X", "op", "self", "None_", "é", "f", "Relu", "If", "__class__", "_", "range")
                )
                setattr(item, {ast.Name: "id", ast.Attribute: "attr", ast.arg: "arg"}.get(type(item), "name"), new)


def changed_file(path: str, data: bytes, numbers: random.Random, words: Sequence[str]) -> bytes:
    """The bytes of a source of a library, changed as its name tells."""
    kind = PurePosixPath(path).suffix
    choice = numbers.random()
    if not data or choice < 0.07:
        return mutate_bytes(data or b"x", numbers)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return mutate_bytes(data, numbers)
    if choice < 0.22:
        return mutate_tokens(data, numbers, PYTHON_TOKENS if kind == ".py" else YAML_TOKENS)
    if choice < 0.3:
        return mutate_keys(data, numbers)
    match kind:
        case ".py":
            return changed_python(text, numbers).encode("utf-8", "surrogatepass")
        case ".json":
            return changed_json(data, numbers, words)
        case ".yaml":
            return changed_yaml(text, numbers, words).encode("utf-8", "surrogatepass")
        case _:
            return mutate_bytes(data, numbers)


def words_of(files: Sequence[bytes]) -> list[str]:
    """The keys of YAML documents."""
    found: dict[str, None] = {}
    for data in files:
        tree = json.loads(json.dumps(yaml.load(data, _LOADER), default=str))
        found.update(dict.fromkeys(keys_of(tree)))
    return list(found)
