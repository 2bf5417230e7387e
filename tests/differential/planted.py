"""Bugs planted into the compiler, to show that the generated programs would find them.

Each replaces a piece of one function's text. A piece that is no longer there is an error of this list: whoever changes
the compiler says here what the same mistake would look like now.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType

from opwright.lang.lower.expressions import plain_calls

LOWER = "opwright.lang.lower"


@dataclass(frozen=True, slots=True)
class Planted:
    """In the text of `function` (module:qualified name), `old` becomes `new`."""

    name: str
    function: str
    old: str
    new: str


@contextmanager
def planted(bug: Planted) -> Iterator[None]:
    """Inside, the compiler has the bug."""
    function = _resolve(bug.function)
    text = textwrap.dedent(inspect.getsource(function))
    if bug.old not in text:
        raise AssertionError(f"the bug `{bug.name}` has no place any more: {bug.function} lacks {bug.old!r}")
    changed = "from __future__ import annotations\n" + text.replace(bug.old, bug.new)
    tree = ast.parse(changed)
    defined = tree.body[-1]
    assert isinstance(defined, ast.FunctionDef)
    defined.decorator_list.clear()  # that register it: once is enough
    scope = dict(function.__globals__)
    exec(compile(tree, f"<{bug.name}>", "exec"), scope)
    right, wrong = function.__code__, scope[function.__name__].__code__
    function.__code__ = wrong
    _forget()
    try:
        yield
    finally:
        function.__code__ = right
        _forget()


def _forget() -> None:
    """Empties what the compiler keeps from one function to the next: what the bug made of it, or what it would have."""
    for name, module in tuple(sys.modules.items()):
        if name.startswith("opwright."):
            for value in tuple(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()
    plain_calls.forget_plans()


def _resolve(path: str) -> FunctionType:
    module, _, name = path.partition(":")
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    assert isinstance(found, FunctionType)
    return found


BUGS = (
    Planted(
        "tuple assignments one after the other",
        f"{LOWER}.statements.statement_rules:_assign",
        "    if isinstance(first, ast.Name) or called",
        """    if isinstance(first, ast.Tuple) and isinstance(statement.value, ast.Tuple):
        for target, item in zip(first.elts, statement.value.elts):
            bind_target(low, target, lower_expression(low, item, env), env)
        return
    if isinstance(first, ast.Name) or called""",
    ),
    Planted(
        "an augmented assignment turns its operands around",
        f"{LOWER}.statements.statement_rules:_aug_assign",
        "left, right, span, spans",
        "right, left, span, spans",
    ),
    Planted(
        "the else branch is dropped",
        f"{LOWER}.statements.statement_rules:_if",
        "(statement.body, statement.orelse), strict",
        "(statement.body, []), strict",
    ),
    Planted(
        "a negation is lost",
        f"{LOWER}.expressions.conditions:negate",
        "Writer(low, span).not_(as_scalar(low, condition, span))",
        "as_scalar(low, condition, span)",
    ),
    Planted(
        "what follows a branch that ends is lost",
        f"{LOWER}.statements.statement_rules:_if",
        "partial(lower_rest, low, rest, sides[falling])",
        "partial(lower_rest, low, rest.following if rest.first else rest, sides[falling])",
    ),
    Planted(
        "a join takes one of two numbers for both",
        f"{LOWER}.expressions.joins:Join._named",
        "if first is second or same_static(first, second):",
        "if first is second or (is_number(first) and is_number(second) and type(first) is type(second)):",
    ),
    Planted(
        "a loop hands the stale value on",
        f"{LOWER}.loops.body_loops:BodyLoop.lower",
        "self.next(name, scope[name], parameter, found)",
        "self.next(name, parameter if len(names) > 2 and name == names[-1] else scope[name], parameter, found)",
    ),
    Planted(
        "a loop's body captures the value from before the loop",
        f"{LOWER}.loops.body_loops:BodyLoop.bind_carried",
        "by_name = dict(zip(self.carried, values, strict=True))",
        "by_name = dict([*zip(self.carried, values, strict=True)][1:])",
    ),
    Planted(
        "a loop makes one trip at least",
        f"{LOWER}.loops.iterables:_range",
        "count = max(0, ",
        "count = max(1, ",
    ),
    Planted(
        "the trips of a range are rounded down",
        f"{LOWER}.loops.iterables:_count_trips",
        "rounding = size - 1",
        "rounding = 0",
    ),
    Planted("a range starts at zero", f"{LOWER}.loops.run_over:Range.item", "if at_zero", "if True"),
    Planted(
        "the index after its loop is one step too far",
        f"{LOWER}.loops.loop_rules:_ForLoop.after",
        "self.bind(trips - 1, self.env)",
        "self.bind(trips, self.env)",
    ),
    Planted(
        "a break does not end the loop",
        f"{LOWER}.loops.loop_rules:_ForLoop.again",
        "self.constant_bool(goes_on) if isinstance(goes_on, bool) else goes_on",
        "self.constant_bool(True)",
    ),
    Planted(
        "a while loop forgets its break",
        f"{LOWER}.loops.loop_rules:_WhileLoop.again",
        "test() if goes_on is True else choose(",
        "test() if True else choose(",
    ),
    Planted(
        "a while loop evaluates its condition once",
        f"{LOWER}.loops.loop_rules:_WhileLoop.again",
        "test() if goes_on is True",
        "self.first() if goes_on is True",
    ),
    Planted(
        "a continue is ignored",
        f"{LOWER}.paths.flow:state_of",
        "for flag in _FLAGS:",
        "for flag in (RETURNED, BROKE):",
    ),
    Planted(
        "the else of a loop always runs",
        f"{LOWER}.statements.unroll:Exit.leave",
        "if goes_on is True:",
        "if goes_on is not False:",
    ),
    Planted(
        "an unrolled loop sees its first item alone",
        f"{LOWER}.statements.unroll:_unroll_from",
        "bind_target(low, statement.target, item, env)",
        "bind_target(low, statement.target, items[0], env)",
    ),
    Planted(
        "an early return is not the one that counts",
        f"{LOWER}.paths.flow:set_returned",
        "    for index, value in enumerate(values or ()):",
        "    for index, value in enumerate(reversed(values or ())):",
    ),
    Planted(
        "`or` stops where `and` does",
        f"{LOWER}.expressions.conditions:_all_or_any",
        "(decided, step) if stops_at else (step, decided)",
        "(step, decided)",
    ),
    Planted(
        "`a and b` is always b",
        f"{LOWER}.expressions.expression_rules:either",
        "(same, other) if stops_at else (other, same)",
        "(other, other)",
    ),
    Planted(
        "a chained comparison forgets its first part",
        f"{LOWER}.expressions.expression_rules:_chain_from",
        "    if index + 1 == len(node.ops):",
        "    if index + 1 < len(node.ops):\n        return _chain_from(low, node, env, index + 1, right)\n    if True:",
    ),
    Planted(
        "an attribute is its default",
        f"{LOWER}.numbers.number_operands:attribute_value",
        "reference = ir.AttributeReference(parameter.name, parameter.kind)",
        "reference = ir.AttributeReference(parameter.name, parameter.kind) if parameter.default is None"
        " else ir.AttributeValue(parameter.kind, parameter.default)",
    ),
    Planted(
        "two attributes are taken for one",
        f"{LOWER}.numbers.number_operands:attribute_value",
        '("attribute", parameter.name)',
        '("attribute", parameter.kind)',
    ),
    Planted(
        "the remainder of floats keeps the dividend's sign",
        f"{LOWER}.numbers.floor_division:modulo_floats",
        "return op.mul(op.abs(adjusted), op.sign(right))",
        "return rest",
    ),
    Planted(
        "the floor division of integers cuts off",
        f"{LOWER}.numbers.floor_division:floor_divide_signed",
        "return op.sub(quotient, lower)",
        "return quotient",
    ),
    Planted(
        "numbers are divided as integers",
        f"{LOWER}.numbers.number_arithmetic:on_numbers",
        ' or symbol == "/"',
        "",
    ),
    Planted(
        "a constant goes through float32",
        f"{LOWER}.numbers.number_operands:pack_constant",
        "    try:\n",
        "    items = tuple(to_float32(item) if isinstance(item, float) else item for item in items)\n    try:\n",
    ),
    Planted(
        "a constant of a type variable is rounded twice",
        f"{LOWER}.numbers.number_operands:_carrier",
        'return "float" if exact else "double"',
        'return "float"',
    ),
    Planted(
        "a subtraction of numbers takes the wrong kind's carrier",
        f"{LOWER}.numbers.number_arithmetic:on_numbers",
        'low.element_of("double" if floats else "int64")',
        'low.element_of("float" if floats else "int64")',
    ),
    Planted(
        "`is None` is turned around",
        f"{LOWER}.expressions.arithmetic:is_none",
        "is negated",
        "is not negated",
    ),
    Planted(
        "an input given by name takes the first free place",
        f"{LOWER}.calls.written_calls:_split_keywords",
        "while len(operands) <= index:",
        "index = min(index, len(operands))\n        while len(operands) <= index:",
    ),
    Planted(
        "defaults belong to parameters in reverse",
        f"{LOWER}.calls.function_calls:bind_parameters",
        "dict(zip(reversed(positional), reversed(formal.defaults), strict=False))",
        "dict(zip(reversed(positional), formal.defaults, strict=False))",
    ),
    Planted(
        "the dtype of a type variable is its first type",
        f"{LOWER}.expressions.expression_rules:_dtype",
        "raise needs_element(low, variable, span)",
        "return TypeObject(variable.elements[0])",
    ),
    Planted(
        "the version of the opset is the newest",
        f"{LOWER}.expressions.expression_rules:_compared",
        "_Opset(low.target.bare_opset)",
        "_Opset(21)",
    ),
    Planted(
        "results of a branch are dropped from one side only",
        "opwright.lang.dead:_drop_unread_results",
        "node.orelse.yields = [node.orelse.yields[index] for index in read]",
        "node.orelse.yields = node.orelse.yields[: len(read)]",
    ),
    Planted(
        "nested names are unpacked in reverse",
        f"{LOWER}.statements.statement_rules:_unpack",
        "zip(target.elts, items, strict=True)",
        "zip(reversed(target.elts), items, strict=True)",
    ),
    Planted(
        "`and` and `or` evaluate all operands",
        f"{LOWER}.expressions.conditions:_all_or_any",
        "        chosen = choose(",
        """        early = step()
        step = lambda early=early: early
        chosen = choose(""",
    ),
    Planted(
        "both sides of a conditional expression are evaluated",
        f"{LOWER}.expressions.conditions:choose",
        "    node = ir.If(",
        """    early = [side() for side in sides]
    sides = [lambda value=value: value for value in early]
    node = ir.If(""",
    ),
    Planted(
        "axes are counted after those before them have gone",
        f"{LOWER}.values.tensor_subscripts:_one_by_one",
        "_runs(reversed(front))",
        "_runs(front)",
    ),
    Planted(
        "a walk down whose end is the last element has no end",
        f"{LOWER}.values.slicing:_one_above",
        "return INT64_MAX if bound == -1",
        "return None if bound == -1",
    ),
    Planted(
        "a walk down takes the wrong way",
        f"{LOWER}.values.slicing:_starts_before",
        "return (step is None",
        "return not (step is None",
    ),
    Planted(
        "every entry of a shape is the first",
        f"{LOWER}.values.shapes:_dimension",
        "op.int64(axis)",
        "op.int64(0)",
    ),
    Planted(
        "a rank is compared the other way round",
        f"{LOWER}.numbers.ranks:compare_rank",
        'return symbol in ("!=", ">", ">=")',
        'return symbol in ("==", "<", "<=")',
    ),
    Planted(
        "lists grow at their beginning",
        f"{LOWER}.values.list_changes:grow",
        "joined(low, owner, items, span)",
        "joined(low, items, owner, span)",
    ),
    Planted(
        "a float attribute of an inlined function is not rounded",
        f"{LOWER}.calls.function_calls:round_attributes",
        "to_float32(float(value))",
        "float(value)",
    ),
    Planted(
        "the condition of a comprehension is turned around",
        f"{LOWER}.loops.comprehensions:_chosen",
        "if not found:",
        "if found:",
    ),
)
