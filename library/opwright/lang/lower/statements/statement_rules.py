"""Statements: each changes the environment; how paths end is part of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from typing import NoReturn

from opwright.diagnostics.diagnostic import Diagnostic, Severity
from opwright.lang import ir
from opwright.lang.dispatch import Operation
from opwright.lang.facts import shown
from opwright.lang.lower.expressions.arithmetic import binary
from opwright.lang.lower.expressions.conditions import choose, lower_condition
from opwright.lang.lower.expressions.expression_rules import builtin_called, lower_unpacked
from opwright.lang.lower.expressions.joins import GoingOn, Join
from opwright.lang.lower.nodes.written_for import Asked, asked
from opwright.lang.lower.numbers.number_arithmetic import on_numbers
from opwright.lang.lower.paths.checkpoints import Checkpoints
from opwright.lang.lower.paths.flow import (
    CONTINUED,
    FRAME,
    Branch,
    State,
    end,
    goes_on,
    poison_return,
    possible_ends,
    revive,
    set_broke,
    set_returned,
    state_of,
)
from opwright.lang.lower.rules import (
    FLOW,
    STATEMENTS,
    Rest,
    assigns,
    bind_target,
    lower_expression,
    lowers,
    lowers_flow,
    refuse_store,
)
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_static
from opwright.lang.lower.state.ownership import HOLDERS
from opwright.lang.lower.state.poison import Parts, Poisoned, Pruned, each
from opwright.lang.lower.statements.chains import Arm, Chain, Fork, chain_of
from opwright.lang.lower.values.annotated import declare
from opwright.lang.lower.values.array_arithmetic import holds_array
from opwright.lang.lower.values.list_changes import (
    call_method,
    called_method,
    check_change,
    delete_item,
    grow,
    grown_names,
    put_item,
)
from opwright.lang.lower.values.lists import check_kept, items_of, note_names, taken
from opwright.lang.lower.values.sequences import is_list
from opwright.lang.lower.values.shapes import tuple_items
from opwright.lang.lower.values.tensor_subscripts import known_row_count, known_rows
from opwright.lang.meaning.operands import (
    POISON,
    Environment,
    Frame,
    IntTuple,
    Operand,
    StaticDict,
    StaticIterator,
    Unbound,
)
from opwright.lang.meaning.static import StaticList, StaticNamed
from opwright.lang.operators import BINARY_SYMBOLS
from opwright.lang.text.grammar import (
    Form,
    Kind,
    assigned_names,
    certain,
    define,
    ends,
    instead_of,
    may_end,
    name_of,
    names_from_elsewhere,
    names_in_expressions,
    word_of,
)
from opwright.lang.text.source import Span, span_of
from opwright.lang.text.syntax import bound_names
from opwright.opsets.records import IF


def lower_block(low: Lowering, statements: Sequence[ast.stmt], env: Environment) -> None:
    """Lowers a block into the current region; how its paths end stands in `env` (see `flow.py`)."""
    lower_rest(low, Rest(statements), env)


def lower_rest(low: Lowering, rest: Rest, env: Environment, checkpoints: Checkpoints | None = None) -> None:
    """Lowers what is left of a block, as `lower_block` a whole one. `checkpoints` are those of the function whose block
    it is.

    Nothing is emitted twice: what follows an `if` of which one branch ends is lowered inside the other one, and what
    follows a statement after which only some paths go on is guarded. The branch that a static condition chooses takes
    the place of its `if`.
    """
    outer: Asked | None = None
    state = state_of(env)
    statements, index, after = rest.statements, rest.index, rest.after
    while state is not State.ENDED:
        if index == len(statements):
            if after is None:
                break
            statements, index, after = after.statements, after.index, after.after
            continue
        statement = statements[index]
        if state is State.MAYBE:
            _guard(low, Rest(statements, index, after), statement, env)
            break
        if checkpoints is not None:
            checkpoints.reach(statements, index, after)
        index += 1
        rule = STATEMENTS.get(type(statement))
        try:
            if rule is not None:
                rule(low, statement, env)
            else:
                before = low.target.asked
                chosen = FLOW.get(type(statement), _unsupported)(low, statement, Rest(statements, index, after), env)
                if chosen is not None:
                    statements, index, after = chosen.statements, chosen.index, chosen.after
                    outer = outer or before
                    if checkpoints is not None and chosen.first is not None:
                        checkpoints.split()
        except Poisoned as wrong:
            wrong.recover()
            if not low.scouting:  # there the names keep what they were, and tell their types
                poison(statement, env)
        if may_end(statement):
            state = state_of(env)
    if outer is not None:
        low.target.ask(outer)


def poison(statement: ast.stmt, env: Environment) -> None:
    """What a wrong statement leaves: every name that it would bind, take from elsewhere, or whose list it would change,
    is poisoned."""
    if isinstance(statement, ast.Return):
        poison_return(env, span_of(statement))
        return
    for name in grown_names([statement]):
        if is_list(env.get(name)):
            env[name] = POISON
    bound = (*assigned_names([statement]), *names_in_expressions([statement]))
    for name in (*bound, *names_from_elsewhere(statement)):
        env[name] = POISON


def _guard(low: Lowering, rest: Rest, first: ast.stmt, env: Environment) -> None:
    """The rest of a block, where no flag is set."""
    span = span_of(first)
    going_on = GoingOn(0, span_of(rest.last or first), possible_ends(env))
    branch(low, goes_on(low, env, span), span, env, (partial(_revived, low, rest), end), going_on)


def _revived(low: Lowering, rest: Rest, env: Environment) -> None:
    revive(env)
    lower_rest(low, rest, env)


def branch(
    low: Lowering,
    condition: ir.Value,
    span: Span,
    env: Environment,
    steps: tuple[Callable[[Environment], None], Callable[[Environment], None]],
    going_on: GoingOn | None = None,
    last: ast.stmt | None = None,
) -> None:
    """An `If` of two steps, each on its own copy of the environment, and their meeting. `last` is the statement that
    the steps are part of, where one of them may end."""
    node = ir.If(low.operator(IF.name, span), condition, ir.Region(), ir.Region(), [], span)
    sides = (Branch(env), Branch(env))
    for region, side, step in zip((node.then, node.orelse), sides, steps, strict=True):
        low.nested(region, span, partial(step, side))
    low.append(node)
    Join(low, node, env, sides, going_on=going_on if last is None else _going_on(sides, last)).run()


def _unsupported(low: Lowering, statement: ast.stmt, rest: Rest, env: Environment) -> NoReturn:
    raise low.error(
        "OW303",
        f"`{word_of(statement)}` is not part of the language",
        span_of(statement),
        reason="it has no counterpart in an ONNX graph that this compiler writes",
        help=instead_of(statement),
    )


# ---------------------------------------------------------------------------------------------- assignments


@lowers(ast.Assign)
def _assign(low: Lowering, statement: ast.Assign, env: Environment) -> None:
    first = statement.targets[0]
    if isinstance(first, ast.Name) or called_method(statement) is not None:
        value = _value_of(low, statement, statement.value, env)
        note_names(low, value, statement.value, env)
        if isinstance(first, ast.Name) and len(statement.targets) == 1:
            _bind_name(low, first, value, env)
            return
    else:
        value = lower_unpacked(low, statement.value, env, _count_of_names(first))
        if len(statement.targets) == 1:
            value = taken(low, value, span_of(statement.value), _UNPACKING)
    each(partial(_bind_to, low, value, env), statement.targets)


def _value_of(low: Lowering, statement: ast.stmt, value: ast.expr, env: Environment) -> Operand:
    """What a statement binds, which a list may give that changes by it."""
    method = called_method(statement)
    if method is not None and is_list(env.get(method[0])):
        return call_method(low, env, *method, span_of(value))
    return lower_expression(low, value, env)


def _count_of_names(target: ast.expr) -> int | None:
    """To how many names a value is unpacked; None where that is open, or it is not."""
    if not isinstance(target, _UNPACKED) or _starred(target):
        return None
    return len(target.elts)


def _starred(target: ast.Tuple | ast.List) -> list[int]:
    """The places of what is starred."""
    return [index for index, element in enumerate(target.elts) if isinstance(element, ast.Starred)]


_UNPACKING = "what is unpacked to names"
_UNPACKED: tuple[type[ast.List | ast.Tuple], ...] = (ast.List, ast.Tuple)


def _bind_to(low: Lowering, value: Operand, env: Environment, target: ast.expr) -> None:
    bind_target(low, target, value, env)


@lowers(ast.AnnAssign)
def _ann_assign(low: Lowering, statement: ast.AnnAssign, env: Environment) -> None:
    if statement.value is not None:
        value = declare(low, statement.annotation, _value_of(low, statement, statement.value, env))
        note_names(low, value, statement.value, env)
        bind_target(low, statement.target, value, env)


@lowers(ast.AugAssign)
def _aug_assign(low: Lowering, statement: ast.AugAssign, env: Environment) -> None:
    target, span, symbol = statement.target, span_of(statement), BINARY_SYMBOLS[type(statement.op)]
    name = name_of(target)
    if name is None and not _is_item_of_list(target, env):
        raise refuse_store(low, target, env)
    load = copy(target)
    load.ctx = ast.Load()
    left, right = each(partial(lower_expression, low, env=env), (load, statement.value))
    if is_list(left):
        if name is None:
            raise refuse_store(low, target, env)  # changes the inner list itself
        if isinstance(statement.op, ast.Add):  # changes the list itself
            grow(low, env, name, right, span)
            return
        check_change(low, env, name, span)
    if holds_array(low, left):
        raise low.error(
            "OW343",
            f"`{ast.unparse(target)}` is an array of numpy, which this changes in place",
            span,
            reason="Python changes it under all of its names, and nothing in a graph changes",
            help=f"make another one: `{ast.unparse(target)} = {ast.unparse(target)} {symbol} ...`",
        )
    spans = (span_of(target), span_of(statement.value))
    bind_target(low, target, binary(low, symbol, left, right, span, spans), env)


def _is_item_of_list(target: ast.expr, env: Environment) -> bool:
    """Whether it is `xs[...]` of a list."""
    owner = name_of(target.value) if isinstance(target, ast.Subscript) else None
    return owner is not None and is_list(env.get(owner))


@assigns(ast.Name)
def _bind_to_name(low: Lowering, target: ast.Name, value: Operand, env: Environment) -> None:
    _bind_name(low, target, value, env)


@assigns(ast.Subscript)
def _bind_item(low: Lowering, target: ast.Subscript, value: Operand, env: Environment) -> None:
    if not _is_item_of_list(target, env):
        raise refuse_store(low, target, env)
    put_item(low, target, value, env)


@assigns(ast.Starred)
def _bind_rest(low: Lowering, target: ast.Starred, value: Operand, env: Environment) -> None:
    bind_target(low, target.value, value, env)


@assigns(*_UNPACKED)
def _unpack(low: Lowering, target: ast.Tuple | ast.List, value: Operand, env: Environment) -> None:
    value = _taken_apart.of(value)(value, low, target)
    items = value if isinstance(value, tuple) else None
    starred = _starred(target)
    if len(starred) > 1:
        raise low.error("OW328", "two starred names in one assignment", span_of(target), "Python says the same")
    if items is not None and starred and len(items) >= len(target.elts) - 1:
        first, last = starred[0], len(items) - (len(target.elts) - starred[0] - 1)
        items = (*items[:first], low.lists.made(StaticList(items[first:last])), *items[last:])
    if items is None or len(items) != len(target.elts):
        given = "one value" if items is None else f"{len(items)} values"
        raise low.error(
            "OW328",
            f"{given} cannot be unpacked to {len(target.elts)} names",
            span_of(target),
            reason="the number of values differs from the number of names",
            help="",
        )
    parts = Parts()
    for element, item in zip(target.elts, items, strict=True):
        with parts:
            bind_target(low, element, item, env)
    parts.close()


def _rows(value: Operand, low: Lowering, target: ast.Tuple | ast.List) -> Operand:
    """The rows of a tensor that is unpacked to as many names; the tensor where their number is another."""
    count = known_row_count(value)
    starred = _starred(target)
    fits = count is not None and (count >= len(target.elts) - 1 if starred else count == len(target.elts))
    return known_rows(low, value, span_of(target)) if fits else value


_taken_apart: Operation[Operand, [Lowering, ast.Tuple | ast.List], Operand] = Operation(_rows)


def _items(value: str | range | StaticDict, low: Lowering, target: ast.Tuple | ast.List) -> Operand:
    return items_of(low, value, span_of(target), _UNPACKING)


_taken_apart.on(str)(_items)
_taken_apart.on(range)(_items)
_taken_apart.on(StaticDict)(_items)


@_taken_apart.on(IntTuple)
def _sizes(value: IntTuple, low: Lowering, target: ast.Tuple | ast.List) -> Operand:
    return tuple_items(low, value, span_of(target), "it is unpacked to names")


_KEPT = (*HOLDERS, StaticIterator)


def _bind_name(low: Lowering, target: ast.Name, value: Operand, env: Environment) -> None:
    name = target.id
    if type(value) is ir.Value:
        if not value.name:
            value.rename(name, low.trail)
        if type(value.type) is ir.SequenceType:
            low.lists.bound(name)
    elif isinstance(value, _KEPT):
        check_kept(low, value, span_of(target), env)
        low.lists.bound(name)
    env[name] = value


@lowers(ast.Delete)
def _delete(low: Lowering, statement: ast.Delete, env: Environment) -> None:
    each(partial(_delete_target, low, env), statement.targets)


def _delete_target(low: Lowering, env: Environment, target: ast.expr) -> None:
    if isinstance(target, ast.Subscript) and _is_item_of_list(target, env):
        delete_item(low, target, env)
        return
    owner = name_of(target.value) if isinstance(target, ast.Subscript) else None
    if owner is not None and env.get(owner) is POISON:
        raise Poisoned  # what is wrong with the list has been told
    name = name_of(target)
    if name is None or name not in env:
        raise low.error(
            "OW303", "only a local name can be deleted", span_of(target), "a graph has no other variables", ""
        )
    lower_expression(low, ast.copy_location(ast.Name(name, ast.Load()), target), env)
    env[name] = Unbound("after `del`")


@lowers(ast.Expr)
def _expression(low: Lowering, statement: ast.Expr, env: Environment) -> None:
    called = builtin_called(low, statement.value, env, ("print",))
    if called is not None:
        found = Diagnostic(
            "OW337",
            "`print` does nothing in a graph",
            low.scope.module.source.place(span_of(statement)),
            reason="a graph has no output but its results; the function prints where it runs as Python",
            help="return the value as one more result to see it",
            severity=Severity.WARNING,
        )
        low.report(found)
        _check_locals(low, statement.value, env)
        return
    method = called_method(statement)
    if method is not None and is_list(env.get(method[0])):
        call_method(low, env, *method, span_of(statement))
    elif not isinstance(statement.value, ast.Constant):  # a docstring, or a literal that does nothing
        lower_expression(low, statement.value, env)


def _check_locals(low: Lowering, printed: ast.expr, env: Environment) -> None:
    """What is printed may be anything that Python shows, but the names of the function that it reads have values."""
    for node in ast.walk(printed):
        if isinstance(node, ast.Name) and isinstance(env.get(node.id), Unbound):
            lower_expression(low, node, env)


@lowers(ast.Assert)
def _assert(low: Lowering, statement: ast.Assert, env: Environment) -> None:
    """On static facts: where it does not hold the function has no such variant. On sizes where declared shapes prove
    it: then it leaves no trace."""
    span = span_of(statement.test)
    for condition, wanted in certain(statement.test, True):
        test = lower_condition(low, condition, env)
        if not isinstance(test, bool):
            if wanted and test in low.sizes.proved:
                continue
            need_static(low, test, span)
            low.error(
                "OW303",
                "`assert` needs a condition that is known when the function is built",
                span,
                reason="a graph cannot stop at run time, and no declared shape proves it",
                help="ask about element types, ranks, presence or static values, or declare the sizes: "
                '`x: FLOAT[3, "N"]`',
            )
            return
        if test is not wanted:
            facts = ", ".join(f"{axis}={shown(fact)}" for axis, fact in low.facts.items())
            reason = f"it is checked when the function is built, here with {facts}" if facts else "it is static"
            found = Diagnostic("OW312", "the assertion does not hold", low.scope.module.source.place(span), reason)
            raise Poisoned(because=Pruned(found))
    low.target.ask(asked(low, statement.test, True, env))


@lowers(ast.Pass)
def _pass(low: Lowering, statement: ast.Pass, env: Environment) -> None:
    """`pass` does nothing."""


# ------------------------------------------------------------------------------------------------------- if


@lowers_flow(ast.If)
def _if(low: Lowering, statement: ast.If, rest: Rest, env: Environment) -> Rest | None:
    """Where a condition of the run time leaves one path alone, the rest is lowered inside of its branch."""
    chain = chain_of(statement, rest)
    if chain is not None:
        _Chain(low, chain, env).lower()
        return _NOTHING
    condition = lower_condition(low, statement.test, env)
    if isinstance(condition, bool):
        return _taken(low, statement, condition, rest, env)
    span, line = span_of(statement), low.scope.module.source.line(statement.test.lineno)
    node = ir.If(low.operator(IF.name, span), condition, ir.Region(), ir.Region(), [], span)
    sides = (Branch(env), Branch(env))
    regions = (node.then, node.orelse)
    for region, side, block in zip(regions, sides, (statement.body, statement.orelse), strict=True):
        low.nested(region, span, partial(lower_block, low, block, side))
    ended = [state_of(side) is State.ENDED for side in sides]
    consumed = any(ended)
    if consumed and not all(ended):
        falling = 1 if ended[0] else 0
        low.nested(regions[falling], span, partial(lower_rest, low, rest, sides[falling]))
    low.append(node)
    paths = (f"when the condition in line {line} is false", f"when the condition in line {line} is true")
    Join(low, node, env, sides, paths, _going_on(sides, rest.last or statement)).run()
    return _NOTHING if consumed else None


_NOTHING = Rest(())


def _going_on(sides: tuple[Branch, Branch], last: ast.stmt) -> GoingOn | None:
    """The side on which a path goes on, if that is one alone; `last` is what is lowered last inside of it."""
    ended = [state_of(side) is State.ENDED for side in sides]
    if ended[0] is ended[1]:
        return None
    side = 1 if ended[0] else 0
    return GoingOn(side, span_of(last), possible_ends(sides[1 - side]))


class _Chain:
    """A long chain of conditions, whose depth in the graph grows with the logarithm of its length.

    First the number of the arm that is taken is computed: by one `If` after the other, each of which asks its condition
    only where no arm before is taken. Then `If`s on that number, a balanced tree of them, hold the arms. Each condition
    and each arm is lowered once, and the rest of the block inside the only arm that falls through, if there is one.
    """

    def __init__(self, low: Lowering, chain: Chain, env: Environment) -> None:
        self.low = low
        self.chain = chain
        self.env = env
        self.span = span_of(chain.links[0])
        self.last: ast.stmt = chain.links[-1]  # what is lowered last inside of the chain
        self.none = len(chain.links)  # the number of the arm after the last condition
        self.taken: Operand = None  # the number of the arm; None as long as no condition depends on the run time

    def lower(self) -> None:
        """Lowers the chain and what follows it in its block."""
        outer = self.low.target.asked
        try:
            self._lower(self.chain.rest)
        finally:
            self.low.target.ask(outer)

    def _lower(self, rest: Rest) -> None:
        arms: list[Arm] = []
        last: Sequence[ast.stmt] = self.chain.orelse
        for index, link in enumerate(self.chain.links):
            try:
                condition = self._ask(index, link)
            except Poisoned as wrong:
                wrong.recover()
                for each_link in self.chain.links:
                    poison(each_link, self.env)
                lower_rest(self.low, rest, self.env)
                return
            if condition is True:
                last = link.body
                break
            if condition is False:
                if ends(link.body):  # what follows is written for the opsets that this leaves
                    self.low.target.ask(asked(self.low, link.test, False, self.env))
            else:
                arms.append(Arm(index, link.body, self._path(link, "true")))
        if not arms:
            lower_rest(self.low, rest.behind(last), self.env)
            return
        arms.append(Arm(self.none, last, self._path(self.chain.links[arms[-1].index], "false")))
        root = self._fork(arms, self.env)
        falling = [arm for arm in arms if state_of(arm.env) is not State.ENDED]
        if len(falling) == 1:
            self._continue(root, falling[0], rest)
            self.last = rest.last or self.last
        self._join(root, self.env)
        if len(falling) > 1:
            lower_rest(self.low, rest, self.env)

    def _path(self, link: ast.If, value: str) -> str:
        return f"when the condition in line {self.low.scope.module.source.line(link.test.lineno)} is {value}"

    def _ask(self, index: int, link: ast.If) -> ir.Value | bool:
        """The condition, where no arm before is taken; notes the arm where it depends on the run time."""
        low, span = self.low, span_of(link)
        taken = self.taken
        if taken is None:
            condition = lower_condition(low, link.test, self.env)
            if isinstance(condition, ir.Value):
                self.taken = choose(low, condition, span, (partial(int, index), partial(int, self.none)))
            return condition
        found: list[ir.Value | bool] = []

        def ask() -> Operand:
            condition = lower_condition(low, link.test, self.env)
            found.append(condition)
            if not isinstance(condition, ir.Value):
                return taken
            return choose(low, condition, span, (partial(int, index), partial(int, self.none)))

        undecided = on_numbers(low, "==", taken, self.none, span)
        assert isinstance(undecided, ir.Value)
        self.taken = choose(low, undecided, span, (ask, lambda: taken))
        return found[0]

    def _fork(self, arms: Sequence[Arm], env: Environment) -> Fork:
        """Lowers the arms, at least two, below an `If` that stands in the current region once they are joined."""
        low = self.low
        middle = len(arms) // 2
        condition = on_numbers(low, "<", self.taken, arms[middle].index, self.span)
        assert isinstance(condition, ir.Value)
        node = ir.If(low.operator(IF.name, self.span), condition, ir.Region(), ir.Region(), [], self.span)
        fork = Fork(node, (Branch(env), Branch(env)), arms[0].index, arms[-1].index)
        halves = (arms[:middle], arms[middle:])
        for region, side, half in zip(fork.regions, fork.sides, halves, strict=True):
            if len(half) == 1:
                half[0].env = side
                low.nested(region, self.span, partial(lower_block, low, half[0].body, side))
                fork.children.append(half[0])
            else:
                fork.children.append(low.nested(region, self.span, partial(self._fork, half, side)))
        return fork

    def _continue(self, fork: Fork, arm: Arm, rest: Rest) -> None:
        """Lowers the rest of the block inside one arm."""
        for region, child in zip(fork.regions, fork.children, strict=True):
            if child is arm:
                self.low.nested(region, self.span, partial(lower_rest, self.low, rest, arm.env))
            elif child.fork is not None and child.fork.holds(arm):
                self.low.nested(region, self.span, partial(self._continue, child.fork, arm, rest))

    def _join(self, fork: Fork, env: Environment) -> None:
        """Appends the `If`s from the inside out, each where its arms meet."""
        paths = []
        for region, side, child in zip(fork.regions, fork.sides, fork.children, strict=True):
            if child.fork is not None:
                self.low.nested(region, self.span, partial(self._join, child.fork, side))
            paths.append(child.path)
        self.low.append(fork.node)
        going_on = _going_on(fork.sides, self.last)
        Join(self.low, fork.node, env, fork.sides, (paths[1], paths[0]), going_on).run()


def _taken(low: Lowering, statement: ast.If, condition: bool, rest: Rest, env: Environment) -> Rest:
    """The branch that a static condition chooses, and what follows: written for the opsets that the condition says,
    what follows only where the other branch does not lead there."""
    block, other = (statement.body, statement.orelse)[:: 1 if condition else -1]
    low.decide(statement, condition, goes_on=not ends(other))
    outer = low.target.asked
    low.target.ask(asked(low, statement.test, condition, env))
    following = rest.first
    if following is not None and low.target.asked != outer and not ends(other):
        rest = rest.behind([_AskedNoMore(outer, following)])
    return rest.behind(block)


class _AskedNoMore(ast.Pass):
    """Stands where code ends that is written for some opsets only."""

    def __init__(self, outer: Asked, before: ast.stmt) -> None:
        super().__init__()
        self.outer = outer
        ast.copy_location(self, before)


define(_AskedNoMore, Form(Kind.BLOCK, refused=""))


@lowers(_AskedNoMore)
def _ask_no_more(low: Lowering, statement: _AskedNoMore, env: Environment) -> None:
    low.target.ask(statement.outer)


def bind_locals(low: Lowering, statements: Sequence[ast.stmt], env: Environment) -> None:
    """A name that a function assigns anywhere is local throughout, by Python's rule; until then it has no value."""
    env[FRAME] = Frame()
    unbound = Unbound("before its first assignment")
    env.update({name: unbound for name in bound_names(low.scope.module, statements) if name not in env})
    met = [name for name in env if name not in low.positions]
    low.trail.fill(low.positions, {name: place for place, name in enumerate(met, len(low.positions))})


# ---------------------------------------------------------------------------------------------------- return


@lowers(ast.Return)
def _return(low: Lowering, statement: ast.Return, env: Environment) -> None:
    value = None if statement.value is None else lower_expression(low, statement.value, env)
    if isinstance(value, IntTuple) and not low.call_frame.is_inlined:
        value = tuple_items(low, value, span_of(statement), "each of them is an output: a tuple is several results")
    one = (StaticList, StaticNamed) if low.call_frame.is_inlined else StaticList
    if isinstance(value, tuple) and not isinstance(value, one):
        set_returned(env, value, span_of(statement), as_tuple=True)  # several results; a list is one
    else:
        set_returned(env, None if value is None else (value,), span_of(statement))


@lowers(ast.Break)
def _break(low: Lowering, statement: ast.Break, env: Environment) -> None:
    _check_in_loop(low, statement, "break", env)
    set_broke(low, env)


@lowers(ast.Continue)
def _continue(low: Lowering, statement: ast.Continue, env: Environment) -> None:
    _check_in_loop(low, statement, "continue", env)
    env[CONTINUED] = True


def _check_in_loop(low: Lowering, statement: ast.stmt, word: str, env: Environment) -> None:
    """Python's compiler says this, not its parser, which is all that the text has met before."""
    if CONTINUED in env:
        return
    raise low.error(
        "OW301",
        f"`{word}` outside a loop",
        span_of(statement),
        reason="Python cannot compile this file",
        help="`return` leaves a function",
    )
