"""The operator's class for the reference evaluator, around the numpy function that the spec is verified by."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator

from opwright.bundle.format import AttributeEntry, FunctionEntry, OutputEntry

from opwright_build.propose.inference import TypeKind, type_rule
from opwright_build.propose.python_text import value_text
from opwright_build.propose.readable import snake
from opwright_build.propose.schema import PACKAGE
from opwright_build.propose.subject import Proposal
from opwright_build.templates import render


def render_reference(proposal: Proposal, source: str, function: str) -> str | None:
    """The module `op_<name>.py`; None where the interface has an output whose type nothing says.

    `source` is the text of the spec's reference, `function` the name of the function in it. Floats go to the function
    in float64, and what it gives is rounded once, as in the verification.
    """
    entry = proposal.entry
    types = [_output_type(entry, output) for output in entry.outputs]
    if None in types:
        return None
    oracle = f"compute_{snake(function)}"
    imports, rest = _parts(_renamed(source, function, oracle))
    parameters = [*(_parameter(entry, index) for index in range(len(entry.inputs)))]
    parameters += [f"{item.name}={value_text(item.default)}" for item in entry.attributes]
    return render(
        PACKAGE,
        "reference.py.jinja2",
        license=proposal.license,
        name=entry.name,
        domain=proposal.home.domain,
        summary=entry.summary,
        imports=[line for line in imports if "numpy" not in line],
        numpy=[line for line in imports if "numpy" in line] or ["import numpy as np"],
        rest=rest,
        oracle=oracle,
        parameters=", ".join(parameters),
        inputs=[(item.name, item.variadic) for item in entry.inputs],
        attributes=[item.name for item in entry.attributes if not _is_optional(item)],
        optional=[item.name for item in entry.attributes if _is_optional(item)],
        types=types,
        helpers=any("tensor_dtype" in (text or "") for text in types),
    )


def _parameter(entry: FunctionEntry, index: int) -> str:
    item = entry.inputs[index]
    if item.variadic:
        return f"*{item.name}"
    return f"{item.name}=None" if item.optional else item.name


def _is_optional(item: AttributeEntry) -> bool:
    return item.default is None and not item.required


def _output_type(entry: FunctionEntry, output: OutputEntry) -> str | None:
    """An expression for the numpy type of an output."""
    rule = type_rule(entry, output)
    match rule.kind:
        case TypeKind.INPUT if not entry.inputs[rule.input].variadic:
            return f"{entry.inputs[rule.input].name}.dtype"
        case TypeKind.INPUT:
            return f"{entry.inputs[rule.input].name}[0].dtype"
        case TypeKind.FIXED:
            return f"tensor_dtype_to_np_dtype(TensorProto.{rule.element.upper()})"
        case TypeKind.ATTRIBUTE if rule.element:
            return f"tensor_dtype_to_np_dtype({rule.attribute})"
    return None


def _renamed(source: str, old: str, new: str) -> str:
    """The source with a name of its own replaced wherever it stands as a name, but not behind a dot."""
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    lines = source.splitlines(keepends=True)
    for before, token in reversed(list(zip([None, *tokens], tokens, strict=False))):
        if token.type == tokenize.NAME and token.string == old and (before is None or before.string != "."):
            row, column = token.start
            line = lines[row - 1]
            lines[row - 1] = f"{line[:column]}{new}{line[column + len(old) :]}"
    return "".join(lines)


def _parts(source: str) -> tuple[list[str], str]:
    """The imports at the top level, `__future__` left out, and the rest without the module's docstring."""
    tree = ast.parse(source)
    lines = source.splitlines()
    imports: list[str] = []
    dropped: set[int] = set()
    for statement, is_doc in _movable(tree):
        rows = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        dropped.update(rows)
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not is_doc and not future:
            imports.append("\n".join(lines[row - 1] for row in rows))
    rest = "\n".join(line for row, line in enumerate(lines, start=1) if row not in dropped)
    return imports, rest.strip()


def _movable(tree: ast.Module) -> Iterator[tuple[ast.stmt, bool]]:
    for index, statement in enumerate(tree.body):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield statement, False
        elif index == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            yield statement, True
