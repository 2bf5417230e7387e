"""The operator's class for the reference evaluator, around the numpy function that the spec is verified by."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Mapping, Sequence

from opwright.bundle.format import AttributeEntry, FunctionEntry, InputEntry

from opwright_build.propose.inference import InferenceRules, TypeKind, TypeRule
from opwright_build.propose.python_text import value_text
from opwright_build.propose.readable import snake
from opwright_build.propose.schema import PACKAGE
from opwright_build.propose.subject import Proposal
from opwright_build.templates import render
from opwright_build.verify.cases.references import TYPES


def render_reference(proposal: Proposal, rules: InferenceRules, source: str, function: str) -> str | None:
    """The module `op_<name>.py`; None where there is an output whose type nothing says.

    `source` is the text of the spec's reference, `function` the name of the function in it. Floats go to the function
    in float64, and what it gives is rounded once, as in the verification.
    """
    entry = proposal.entry
    types = [_output_type(entry, rule) for rule in rules.types]
    if None in types:
        return None
    by_output = {output.type: text for output, text in zip(entry.outputs, types, strict=True) if text is not None}
    told = {name: _told_type(entry, name, kinds, by_output) for name, kinds in entry.types}
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
        told=told if _takes_types(source, function) else {},
        helpers=any("tensor_dtype" in (text or "") for text in types),
    )


def _parameter(entry: FunctionEntry, index: int) -> str:
    item = entry.inputs[index]
    if item.variadic:
        return f"*{item.name}"
    return f"{item.name}=None" if item.optional else item.name


def _is_optional(item: AttributeEntry) -> bool:
    return item.default is None and not item.required


def _output_type(entry: FunctionEntry, rule: TypeRule) -> str | None:
    """An expression for the numpy type of an output."""
    if not rule.may_be_absent(entry):
        return _given_type(entry, rule)
    if rule.absent is None:
        return None
    source = rule.attribute or entry.inputs[rule.input].name
    return f"{_given_type(entry, rule)} if {source} is not None else {_given_type(entry, rule.absent)}"


def _given_type(entry: FunctionEntry, rule: TypeRule) -> str | None:
    match rule.kind:
        case TypeKind.INPUT:
            return _dtype_of(entry.inputs[rule.input])
        case TypeKind.FIXED:
            return f"tensor_dtype_to_np_dtype(TensorProto.{rule.element.upper()})"
        case TypeKind.ATTRIBUTE:
            return f"tensor_dtype_to_np_dtype({rule.attribute})"
    return None


def _dtype_of(item: InputEntry) -> str:
    return f"{item.name}[0].dtype" if item.variadic else f"{item.name}.dtype"


def _takes_types(source: str, function: str) -> bool:
    """Whether the function is told the element types."""
    defined = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == function)
    return any(argument.arg == TYPES for node in defined for argument in node.args.kwonlyargs)


def _told_type(entry: FunctionEntry, variable: str, admitted: Sequence[str], by_output: Mapping[str, str]) -> str:
    """An expression for the name of a type variable's element type: of an input, an output, or an input that may be
    absent, in the order in which the verification binds it."""
    typed = [item for item in entry.inputs if item.type == variable]
    required = [_dtype_of(item) for item in typed if not item.optional]
    if required or variable in by_output:
        return f"_element({(required or [by_output[variable]])[0]})"
    given = [f"_element({_dtype_of(item)}) if {item.name} is not None else " for item in typed]
    return f"{''.join(given)}{value_text(admitted[0])}"


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
