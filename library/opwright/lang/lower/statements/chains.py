"""Long chains of conditions: `elif` after `elif`, or one guard that leaves the block after the other."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from opwright.lang import ir
from opwright.lang.lower.paths.flow import Branch
from opwright.lang.lower.rules import Rest
from opwright.lang.meaning.operands import Environment
from opwright.lang.text.grammar import leaves
from opwright.lang.value_class import record

NESTED_ARMS = 8  # the `If`s of a chain of more conditions are not nested: parsers of protobuf stop at 32


@record
class Chain:
    """Conditions of which the first that holds decides, what is done where none does, and what follows the chain."""

    links: Sequence[ast.If]
    orelse: Sequence[ast.stmt]
    rest: Rest


def chain_of(statement: ast.If, rest: Rest) -> Chain | None:
    """The long chain that begins with a statement and goes on with guards in `rest`; None for a short one."""
    links, orelse = _links(statement)
    leaving = all(leaves(link.body) for link in links)
    while leaving and not orelse:
        following = rest.first
        if not isinstance(following, ast.If):
            break
        more, orelse = _links(following)
        leaving = all(leaves(link.body) for link in more)
        links += more
        rest = rest.following
    return Chain(links, orelse, rest) if len(links) > NESTED_ARMS else None


def _links(statement: ast.If) -> tuple[list[ast.If], Sequence[ast.stmt]]:
    """The `if` and each `elif`, and the `else`."""
    links = [statement]
    while len(links[-1].orelse) == 1 and isinstance(links[-1].orelse[0], ast.If):
        links.append(links[-1].orelse[0])
    return links, links[-1].orelse


class Arm:
    """A block of the chain: its number, when it is taken, and the environment at its end."""

    __slots__ = ("body", "env", "index", "path")

    fork: Fork | None = None

    def __init__(self, index: int, body: Sequence[ast.stmt], path: str) -> None:
        self.index = index
        self.body = body
        self.path = path
        self.env: Environment = {}


class Fork:
    """An `If` on the number of the arm that is taken: what is below the middle on one side, the others on the other."""

    __slots__ = ("children", "first", "last", "node", "sides")

    path = ""  # of an arm when it is taken

    def __init__(self, node: ir.If, sides: tuple[Branch, Branch], first: int, last: int) -> None:
        self.node = node
        self.sides = sides
        self.first = first
        self.last = last
        self.children: list[Arm | Fork] = []

    @property
    def fork(self) -> Fork:
        return self

    @property
    def regions(self) -> tuple[ir.Region, ir.Region]:
        return self.node.then, self.node.orelse

    def holds(self, arm: Arm) -> bool:
        return self.first <= arm.index <= self.last
