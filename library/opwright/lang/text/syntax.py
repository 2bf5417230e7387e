"""Source text to syntax tree: Python's own `ast`, with Python's own limits and errors turned into diagnostics."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from typing import TypeVar

from opwright.diagnostics.diagnostic import Diagnostic, Place
from opwright.lang.text.grammar import (
    assigned_names,
    blocks_of,
    names_bound_by,
    names_from_elsewhere,
    names_in_expressions,
)
from opwright.lang.text.source import Source

Made = TypeVar("Made", ast.expr, ast.stmt, ast.FunctionDef)

SIZE_LIMIT = 16 << 20  # bytes; the scripts of 100,000 nodes have five million


class Binding:
    """One place where a module-level name is bound. `conditional`: under `if`, `for`, `try`, `with` or `while`."""

    __slots__ = ("conditional", "node")

    def __init__(self, node: ast.stmt | ast.alias, conditional: bool) -> None:
        self.node = node
        self.conditional = conditional


class Module:
    """A parsed file: its tree, its functions by name, and where each module-level name is bound."""

    def __init__(self, source: Source, tree: ast.Module) -> None:
        self.source = source
        self.tree = tree
        self.binds_in_expressions = ":=" in source.text or not source.text  # it may: with a `:=`
        self.shared = True  # by all functions of the file; else it holds one alone
        self.bound_in: dict[tuple[ast.AST, ...], tuple[str, ...]] = {}  # what `bound_names` has found
        self.mentioned_in: dict[ast.arguments, tuple[str, ...]] = {}  # what `mentioned_names` has found
        self.names_in: dict[ast.stmt | ast.expr, frozenset[str]] = {}  # what `names_of` has found
        self.appending: dict[ast.ListComp, ast.FunctionDef] = {}  # what `appending_of` has made
        self._found: tuple[dict[str, list[Binding]], dict[int, ast.stmt]] | None = None

    @property
    def bindings(self) -> dict[str, list[Binding]]:
        """Where each module-level name is bound."""
        return self._bound[0]

    @property
    def owners(self) -> dict[int, ast.stmt]:
        """The statement that a binding's node belongs to, by the node's `id`."""
        return self._bound[1]

    @property
    def _bound(self) -> tuple[dict[str, list[Binding]], dict[int, ast.stmt]]:
        if self._found is not None:
            return self._found
        bindings, owners = _bind_block(self.tree.body)
        for statement in self.tree.body if self.binds_in_expressions else ():
            for name in names_in_expressions([statement]):
                bindings.setdefault(name, []).append(Binding(statement, True))
                owners[id(statement)] = statement
        self._found = bindings, owners
        return self._found

    def function(self, name: str) -> ast.FunctionDef | None:
        """The one function of that name bound at top level, or None."""
        bindings = self.bindings.get(name, [])
        if len(bindings) == 1 and not bindings[0].conditional and isinstance(bindings[0].node, ast.FunctionDef):
            return bindings[0].node
        return None

    def functions(self) -> list[ast.FunctionDef]:
        return [node for node in self.tree.body if isinstance(node, ast.FunctionDef)]


def bound_names(module: Module, nodes: Sequence[ast.AST]) -> tuple[str, ...]:
    """The names that a block (or targets) may bind, by statements and then by `:=`. A function is lowered many times,
    and its expressions are looked through once."""
    key = tuple(nodes)
    names = module.bound_in.get(key)
    if names is None:
        in_expressions = names_in_expressions(nodes) if module.binds_in_expressions else ()
        names = tuple(dict.fromkeys((*assigned_names(nodes), *in_expressions)))
        if names:  # a lambda becomes another function each time, and binds none
            module.bound_in[key] = names
    return names


def mentioned_names(module: Module, function: ast.FunctionDef) -> tuple[str, ...]:
    """All names that stand in the body of a function, and in those inside it: what it reads of the names around it is
    among them."""
    names = module.mentioned_in.get(function.args)
    if names is None:
        parts = (node for statement in function.body for node in ast.walk(statement))
        names = tuple(dict.fromkeys(node.id for node in parts if isinstance(node, ast.Name)))
        module.mentioned_in[function.args] = names
    return names


def names_of(module: Module, node: ast.stmt | ast.expr) -> frozenset[str]:
    """All names that stand in a statement or an expression. A function is lowered for many calls, and each time it is
    asked where it mentions something."""
    names = module.names_in.get(node)
    if names is None:
        names = frozenset([part.id for part in ast.walk(node) if isinstance(part, ast.Name)])
        if names:  # a mark among the statements becomes another one each time, and has none
            module.names_in[node] = names
    return names


def function_of(node: ast.Lambda) -> ast.FunctionDef:
    """The `def` that a lambda is short for."""
    body = ast.copy_location(ast.Return(node.body), node.body)
    made = ast.FunctionDef("<lambda>", node.args, [body], [], None, None)
    return ast.copy_location(made, node)


def appending_of(module: Module, node: ast.ListComp) -> ast.FunctionDef:
    """The function that a comprehension is short for, as in Python: a loop over the parameter `.0`, which is what the
    first `for` runs over, appends to a list, which is returned. It is made once, since loops are known by their
    nodes."""
    if node not in module.appending:
        module.appending[node] = _appending(node)
    return module.appending[node]


def _appending(node: ast.ListComp) -> ast.FunctionDef:
    mentioned = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    listed = "listed"
    while listed in mentioned:
        listed += "_"
    append = ast.Attribute(ast.Name(listed, ast.Load()), "append", ast.Load())
    body: ast.stmt = _at(node.elt, ast.Expr(ast.Call(append, [node.elt], [])))
    for generator in reversed(node.generators):
        for condition in reversed(generator.ifs):
            body = _at(condition, ast.If(condition, [body], []))
        is_first = generator is node.generators[0]
        over = _at(generator.iter, ast.Name(".0", ast.Load())) if is_first else generator.iter
        place = node if is_first else generator.target  # what a loop reads stands behind where the outermost begins
        body = _at(place, ast.For(generator.target, over, [body], []))
    begin = ast.Assign([ast.Name(listed, ast.Store())], ast.List([], ast.Load()))
    arguments = ast.arguments([], [ast.arg(".0")], None, [], [], None, [])
    statements = [_at(node, begin), body, _at(node, ast.Return(ast.Name(listed, ast.Load())))]
    return _at(node, ast.FunctionDef("<comprehension>", arguments, statements, [], None, None))


def _at(place: ast.expr, made: Made) -> Made:
    """A node that is made, and what was made for it, at the place of another."""
    pending: list[ast.AST] = [made]
    while pending:
        inner = pending.pop()
        if not hasattr(inner, "lineno"):
            if "lineno" in inner._attributes:
                ast.copy_location(inner, place)
            pending.extend(ast.iter_child_nodes(inner))
    return made


def parse(source: Source, warned: bool = False) -> Module | Diagnostic:
    """The module, or the one diagnostic that ends the file. Never runs the text; compiles it to a tree only.

    `warned`: Python has compiled the text before, and said what it has to say of literals such as `1if x else y`.
    """
    if len(source.text) > SIZE_LIMIT:
        return Diagnostic(
            "OW327",
            f"the file has {len(source.text):,} characters",
            Place(source.name),
            reason=f"files above {SIZE_LIMIT:,} characters are not read",
            help="split it into several files",
        )
    try:
        tree = _tree(source.text, warned)
    except SyntaxError as error:
        return _syntax_error(source, error)
    except ValueError as error:
        return Diagnostic("OW301", "the file is not Python source text", Place(source.name), reason=str(error))
    except (RecursionError, MemoryError):
        return Diagnostic(
            "OW327",
            "an expression or block is nested too deeply for Python's parser",
            Place(source.name),
            reason="Python's parser gives up on about a thousand chained operands or a hundred nested blocks",
            help="give names to intermediate results",
        )
    return Module(source, tree)


def _tree(text: str, warned: bool) -> ast.Module:
    if warned and "\\" not in text:  # escapes are what it warns of most
        return ast.parse(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a warning about the author's literals is no finding of ours
        return ast.parse(text)


def _syntax_error(source: Source, error: SyntaxError) -> Diagnostic:
    line = max(error.lineno or 1, 1)
    column = max(error.offset or 1, 1)
    end_line = max(error.end_lineno or line, line)
    end_column = error.end_offset or 0
    if end_line == line and end_column <= column:
        end_column = column + 1
    offset = source.first_line - 1
    message = (error.msg or "invalid syntax").removeprefix("invalid syntax. ").removesuffix(".")
    return Diagnostic(
        "OW301",
        message,
        Place(source.name, line + offset, column, end_line + offset, end_column),
        reason="Python cannot parse this file, so nothing in it can be compiled",
    )


def _bind_block(statements: list[ast.stmt]) -> tuple[dict[str, list[Binding]], dict[int, ast.stmt]]:
    """What each statement binds, following blocks without recursion on their depth."""
    bindings: dict[str, list[Binding]] = {}
    owners: dict[int, ast.stmt] = {}
    pending: list[tuple[ast.stmt, bool]] = [(statement, False) for statement in reversed(statements)]
    while pending:
        statement, under = pending.pop()
        for name, node in _bound_by(statement):
            bindings.setdefault(name, []).append(Binding(node, under))
            owners[id(node)] = statement
        for block in reversed(blocks_of(statement)):
            pending.extend((inner, True) for inner in reversed(block))
    return bindings, owners


def _bound_by(statement: ast.stmt) -> list[tuple[str, ast.stmt | ast.alias]]:
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return list(zip(names_from_elsewhere(statement), statement.names, strict=True))
    return [(name, statement) for name in names_bound_by(statement)]
