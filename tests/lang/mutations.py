"""Programs of the language's page, changed at random: tokens dropped, doubled, exchanged, renamed, put in."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Callable
from random import Random

from tests.docs.pages import DOCS, read_rows

NAMES = ("x", "y", "n", "op", "F", "math", "np", "FLOAT", "INT64", "range", "nothing", "None", "True", "len", "script")
PIECES = (
    "1",
    "-1",
    "0.5",
    "1e999",
    "'a'",
    "b'a'",
    "...",
    "1j",
    "10**30",
    "()",
    "[]",
    "{}",
    "{1}",
    "{1: 2}",
    "(x,)",
    "[x, x]",
    "[1, 'a']",
    "[[1], [2, 3]]",
    "*x",
    "**x",
    "x.shape",
    "x.shape[0]",
    "x.shape[1:]",
    "x.rank",
    "x.dtype",
    "x.nothing",
    "x[0]",
    "x[None]",
    "x[...]",
    "x[::2]",
    "x[x]",
    "x[1, 2, 3, 4]",
    "lambda: x",
    "(z := x)",
    "f'{x}'",
    "[i for i in range(3)]",
    "[i for i in x]",
    "(i for i in x)",
    "{i: i for i in (1, 2)}",
    "x if x else x",
    "x is None",
    "x == None",
    "x in x",
    "not x",
    "~x",
    "x < x < x",
    "x and x",
    "await x",
    "yield x",
    "op",
    "op.Add",
    "op.Nothing(x)",
    "op.Add(x)",
    "op.Add(x, x, x)",
    "op.Add(x, y=x)",
    "op.Concat(x, axis=x)",
    "op.Split(x)",
    "op.If(x)",
    "op.Loop(1, None, body=x)",
    "op.Scan(x, body=F)",
    "FLOAT",
    "FLOAT(x)",
    "FLOAT(1)",
    "FLOAT['N']",
    "INT64",
    "math",
    "math.pi",
    "math.sqrt(-1)",
    "math.nothing",
    "np.array([1, 2])",
    "np.zeros(3)",
    "abs('a')",
    "len(1)",
    "int('a')",
    "max()",
    "round(x)",
    "print(x)",
    "F(x)",
    "self",
)
STATEMENTS = (
    "pass",
    "break",
    "continue",
    "return",
    "return None",
    "return x, x",
    "return ()",
    "return *x,",
    "yield x",
    "await x",
    "raise x",
    "assert x",
    "assert False",
    "del x",
    "del x[0]",
    "global x",
    "nonlocal x",
    "import os",
    "from os import *",
    "from math import pi",
    "x = 1",
    "x = None",
    "x = x,",
    "x, *y = x",
    "x, y = x",
    "(x, (y, z)) = (x, (x, x))",
    "x[0] = 1",
    "x.y = 1",
    "x += 'a'",
    "x: int = 1",
    "x: FLOAT",
    "x @= x",
    "x.append(x)",
    "x = []",
    "x = x.shape",
    "x = {}",
    "x = lambda: x",
    "x = op.Loop",
    "@op\ndef g(): pass",
    "def g(y): return y",
    "def g(): nonlocal x; x = 1",
    "def F(): return F()",
    "async def g(): pass",
    "class A: pass",
    "with x: pass",
    "with x as y: pass",
    "try: x\nexcept: pass",
    "try: x\nfinally: x",
    "while x: pass",
    "while True: pass",
    "while 1: x = x + 1",
    "for x in x: pass",
    "for x in range(x): pass",
    "for i in range(3): x = x + i",
    "for i, j in ((1, 2), (3, 4)): x = x * i",
    "for i in (): return x",
    "async for i in x: pass",
    "if x: x = 1",
    "if None: x",
    "if x.shape[0] > 1: x = x[0]",
    "match x:\n    case 1: pass",
    "match x:\n    case [a, b]: return a",
    "type A = int",
    "'text'",
    "1",
    "print(x)",
)

Mutation = Callable[[str, Random], str]


def valid_programs() -> list[str]:
    """The accepted examples of docs/language.md, without the import lines that they share."""
    return [example.text for row in read_rows(DOCS / "language.md") for example in row.accepted]


def mutate(text: str, random: Random) -> str:
    """The program after one to three changes."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        text = random.choice(MUTATIONS)(text, random)
    return text


def _tokens(text: str) -> list[tuple[int, int, str]]:
    """The visible tokens as (start, end, text), starts and ends as positions in the text; none where it is broken."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: list[tuple[int, int, str]] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.string.strip():
                start = starts[token.start[0] - 1] + token.start[1]
                found.append((start, starts[token.end[0] - 1] + token.end[1], token.string))
    except (tokenize.TokenError, SyntaxError):
        return []
    return found


def _replace(text: str, random: Random, choose: Callable[[str], str | None]) -> str:
    tokens = _tokens(text)
    random.shuffle(tokens)
    for start, end, old in tokens:
        new = choose(old)
        if new is not None:
            return text[:start] + new + text[end:]
    return text


def drop_token(text: str, random: Random) -> str:
    return _replace(text, random, lambda old: "")


def double_token(text: str, random: Random) -> str:
    return _replace(text, random, lambda old: f"{old} {old}")


def exchange_tokens(text: str, random: Random) -> str:
    tokens = _tokens(text)
    if len(tokens) < 2:
        return text
    (start, end, one), (other_start, other_end, other) = sorted(random.sample(tokens, 2))
    return text[:start] + other + text[end:other_start] + one + text[other_end:]


def rename(text: str, random: Random) -> str:
    return _replace(text, random, lambda old: random.choice(NAMES) if old.isidentifier() else None)


def replace_operator(text: str, random: Random) -> str:
    signs = (
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "@",
        "**",
        "<<",
        ">>",
        "&",
        "|",
        "^",
        "<",
        "==",
        "and",
        "or",
        "is",
        "in",
        ",",
    )
    return _replace(text, random, lambda old: random.choice(signs) if old in signs else None)


def put_in(text: str, random: Random) -> str:
    piece = random.choice(PIECES)
    return _replace(text, random, lambda old: piece if old.isidentifier() or old[0].isdigit() else None)


def add_statement(text: str, random: Random) -> str:
    """A statement before one of the lines, at that line's indent."""
    lines = text.splitlines()
    if not lines:
        return text
    place = random.randrange(len(lines))
    indent = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
    lines[place:place] = [indent + line for line in random.choice(STATEMENTS).splitlines()]
    return "\n".join(lines) + "\n"


def drop_line(text: str, random: Random) -> str:
    lines = text.splitlines()
    if lines:
        del lines[random.randrange(len(lines))]
    return "\n".join(lines) + "\n"


def change_indent(text: str, random: Random) -> str:
    lines = text.splitlines()
    if lines:
        place = random.randrange(len(lines))
        lines[place] = random.choice(("    " + lines[place], lines[place][4:], "\t" + lines[place]))
    return "\n".join(lines) + "\n"


MUTATIONS: tuple[Mutation, ...] = (
    drop_token,
    double_token,
    exchange_tokens,
    rename,
    rename,
    replace_operator,
    put_in,
    put_in,
    put_in,
    add_statement,
    add_statement,
    drop_line,
    change_indent,
)
