"""The grammar: what each statement and expression binds, reads and contains, and how a statement ends its block.

One table, from classes of Python's `ast` to forms. All walks over the tree ask it: which names are local, which are
free, where a loop is left, what a function returns, what a template holds. How a node is lowered is registered beside
the code that lowers it (`lower/rules.py`). A form that the language refuses says why: what it would bind is local all
the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto

from opwright.lang.dispatch import Operation
from opwright.lang.value_class import record


class Kind(Enum):
    """What a field of a node holds."""

    BLOCK = auto()  # statements
    LOOPED = auto()  # statements that are repeated, and that `break` leaves
    SCOPE = auto()  # the statements of a function or class, which have names of their own
    EXPRESSION = auto()  # is read
    TARGET = auto()  # an expression that is bound, or whose item is
    UPDATED = auto()  # one that is read before, and whose value may change in place
    ANNOTATION = auto()  # an expression that is neither
    BOUND = auto()  # a name that is bound
    NAME = auto()  # another name
    CASE = auto()
    PATTERN = auto()
    HANDLER = auto()
    ITEM = auto()  # of `with`
    ALIAS = auto()  # of `import`
    PARAMETERS = auto()
    PARAMETER = auto()
    KEYWORD = auto()
    COMPREHENSION = auto()
    OPERATOR = auto()
    CONTEXT = auto()
    VALUE = auto()  # a constant
    FLAG = auto()
    CONVERSION = auto()  # `!r` in an f-string


class Count(Enum):
    """How many of its kind a field holds."""

    ONE = auto()
    OPTIONAL = auto()
    MANY = auto()
    MANY_OPTIONAL = auto()


@record
class Field:
    """A field of a node: its name in Python's `ast`, and what it holds."""

    name: str
    kind: Kind
    count: Count = Count.ONE


class Form:
    """What is known of the nodes of one class.

    `kind`: of the fields that may hold such a node. `fields`: in the order of the text; those that say nothing about
    the meaning of a function are left out. `ends`: no path goes on behind such a statement; `may_end`: some may not.
    `forks`: one of its blocks is taken. `word` and `refused`: how messages name what is not part of the language, and
    what to do instead. `blocks` and `binding`: the fields that hold statements of its own scope, and all in which names
    are bound, the latter from the last one on.
    """

    __slots__ = ("binding", "blocks", "ends", "fields", "forks", "kind", "may_end", "refused", "word")

    def __init__(
        self,
        kind: Kind,
        fields: tuple[Field, ...] = (),
        ends: bool = False,
        forks: bool = False,
        word: str = "",
        refused: str | None = None,
    ) -> None:
        self.kind = kind
        self.fields = fields
        self.ends = ends
        self.forks = forks
        self.word = word
        self.refused = refused
        self.blocks: tuple[Field, ...] = tuple(each for each in fields if each.kind in _WITH_BLOCKS)
        self.binding: tuple[Field, ...] = tuple(each for each in reversed(fields) if each.kind in _BINDING)
        self.may_end = ends or bool(self.blocks)


_WITH_BLOCKS = (Kind.BLOCK, Kind.LOOPED, Kind.CASE, Kind.HANDLER)
_BINDING = (*_WITH_BLOCKS, Kind.TARGET, Kind.UPDATED, Kind.BOUND, Kind.PATTERN, Kind.ITEM)


def _fields(*written: tuple[str, Kind] | tuple[str, Kind, Count]) -> tuple[Field, ...]:
    return tuple(Field(each[0], each[1], each[2] if len(each) == 3 else Count.ONE) for each in written)


_OPTIONAL, _MANY, _MANY_OPTIONAL = Count.OPTIONAL, Count.MANY, Count.MANY_OPTIONAL


def _statement(
    *written: tuple[str, Kind] | tuple[str, Kind, Count],
    ends: bool = False,
    forks: bool = False,
) -> Form:
    return Form(Kind.BLOCK, _fields(*written), ends, forks)


def _refused(word: str, hint: str, *written: tuple[str, Kind] | tuple[str, Kind, Count], ends: bool = False) -> Form:
    return Form(Kind.BLOCK, _fields(*written), ends, word=word, refused=hint)


def _node(kind: Kind, *written: tuple[str, Kind] | tuple[str, Kind, Count]) -> Form:
    return Form(kind, _fields(*written))


def _expression(*written: tuple[str, Kind] | tuple[str, Kind, Count]) -> Form:
    return Form(Kind.EXPRESSION, _fields(*written))


_TEST = ("test", Kind.EXPRESSION)
_VALUE = ("value", Kind.EXPRESSION)
_CONTEXT = ("ctx", Kind.CONTEXT)
_ELEMENTS = ("elts", Kind.EXPRESSION, _MANY)
_BODY = ("body", Kind.BLOCK, _MANY)
_ELSE = ("orelse", Kind.BLOCK, _MANY)
_LOOP = ("body", Kind.LOOPED, _MANY)
_HANDLERS = ("handlers", Kind.HANDLER, _MANY)
_FINALLY = ("finalbody", Kind.BLOCK, _MANY)
_RUN_OVER = (("target", Kind.TARGET), ("iter", Kind.EXPRESSION), _LOOP, _ELSE)
_FUNCTION = (("name", Kind.BOUND), ("args", Kind.PARAMETERS), ("body", Kind.SCOPE, _MANY))
_GENERATORS = ("generators", Kind.COMPREHENSION, _MANY)
_NO_EXCEPTIONS = "an ONNX function has no exceptions"
_NO_WAITING = "there is nothing to wait for in a graph"
_BY_PARAMETER = "pass the value as a parameter"
_AT_MODULE_LEVEL = "import at module level"

FORMS: dict[type[ast.AST], Form] = {
    # Statements of the language
    ast.AnnAssign: _statement(
        ("target", Kind.TARGET),
        ("annotation", Kind.ANNOTATION),
        ("value", Kind.EXPRESSION, _OPTIONAL),
        ("simple", Kind.FLAG),
    ),
    ast.Assert: _statement(_TEST, ("msg", Kind.EXPRESSION, _OPTIONAL)),
    ast.Assign: _statement(("targets", Kind.TARGET, _MANY), _VALUE),
    ast.AugAssign: _statement(("target", Kind.UPDATED), ("op", Kind.OPERATOR), _VALUE),
    ast.Break: _statement(ends=True),
    ast.Continue: _statement(ends=True),
    ast.Delete: _statement(("targets", Kind.TARGET, _MANY)),
    ast.Expr: _statement(_VALUE),
    ast.For: _statement(*_RUN_OVER),
    ast.FunctionDef: _statement(*_FUNCTION),
    ast.If: _statement(_TEST, _BODY, _ELSE, forks=True),
    ast.Match: _statement(("subject", Kind.EXPRESSION), ("cases", Kind.CASE, _MANY)),
    ast.Pass: _statement(),
    ast.Return: _statement(("value", Kind.EXPRESSION, _OPTIONAL), ends=True),
    ast.While: _statement(_TEST, _LOOP, _ELSE),
    # Statements that are refused
    ast.AsyncFor: _refused("async for", _NO_WAITING, *_RUN_OVER),
    ast.AsyncFunctionDef: _refused("async def", _NO_WAITING, *_FUNCTION),
    ast.AsyncWith: _refused("async with", _NO_WAITING, ("items", Kind.ITEM, _MANY), _BODY),
    ast.ClassDef: _refused(
        "class", "", ("name", Kind.BOUND), ("bases", Kind.EXPRESSION, _MANY), ("body", Kind.SCOPE, _MANY)
    ),
    ast.Global: _refused("global", _BY_PARAMETER, ("names", Kind.NAME, _MANY)),
    ast.Import: _refused("import", _AT_MODULE_LEVEL, ("names", Kind.ALIAS, _MANY)),
    ast.ImportFrom: _refused("import", _AT_MODULE_LEVEL, ("names", Kind.ALIAS, _MANY)),
    ast.Nonlocal: _refused("nonlocal", _BY_PARAMETER, ("names", Kind.NAME, _MANY)),
    ast.Raise: _refused(
        "raise",
        "an ONNX function cannot raise; state requirements in its documentation",
        ("exc", Kind.EXPRESSION, _OPTIONAL),
        ("cause", Kind.EXPRESSION, _OPTIONAL),
        ends=True,
    ),
    ast.Try: _refused("try", _NO_EXCEPTIONS, _BODY, _HANDLERS, _ELSE, _FINALLY),
    ast.TryStar: _refused("try", _NO_EXCEPTIONS, _BODY, _HANDLERS, _ELSE, _FINALLY),
    ast.With: _refused("with", "", ("items", Kind.ITEM, _MANY), _BODY),
    # Parts of statements
    ast.match_case: _node(Kind.CASE, ("pattern", Kind.PATTERN), ("guard", Kind.EXPRESSION, _OPTIONAL), _BODY),
    ast.MatchAs: _node(Kind.PATTERN, ("pattern", Kind.PATTERN, _OPTIONAL), ("name", Kind.BOUND, _OPTIONAL)),
    ast.MatchOr: _node(Kind.PATTERN, ("patterns", Kind.PATTERN, _MANY)),
    ast.MatchSequence: _node(Kind.PATTERN, ("patterns", Kind.PATTERN, _MANY)),
    ast.MatchSingleton: _node(Kind.PATTERN, ("value", Kind.VALUE)),
    ast.MatchStar: _node(Kind.PATTERN, ("name", Kind.BOUND, _OPTIONAL)),
    ast.MatchValue: _node(Kind.PATTERN, _VALUE),
    ast.MatchClass: Form(
        Kind.PATTERN,
        _fields(("cls", Kind.EXPRESSION), ("patterns", Kind.PATTERN, _MANY), ("kwd_patterns", Kind.PATTERN, _MANY)),
        refused="",
    ),
    ast.MatchMapping: Form(
        Kind.PATTERN,
        _fields(("keys", Kind.EXPRESSION, _MANY), ("patterns", Kind.PATTERN, _MANY), ("rest", Kind.BOUND, _OPTIONAL)),
        refused="",
    ),
    ast.ExceptHandler: Form(
        Kind.HANDLER,
        _fields(("type", Kind.EXPRESSION, _OPTIONAL), ("name", Kind.BOUND, _OPTIONAL), _BODY),
        refused="",
    ),
    ast.withitem: Form(
        Kind.ITEM,
        _fields(("context_expr", Kind.EXPRESSION), ("optional_vars", Kind.TARGET, _OPTIONAL)),
        refused="",
    ),
    ast.arguments: _node(
        Kind.PARAMETERS,
        ("posonlyargs", Kind.PARAMETER, _MANY),
        ("args", Kind.PARAMETER, _MANY),
        ("vararg", Kind.PARAMETER, _OPTIONAL),
        ("kwonlyargs", Kind.PARAMETER, _MANY),
        ("kw_defaults", Kind.EXPRESSION, _MANY_OPTIONAL),
        ("kwarg", Kind.PARAMETER, _OPTIONAL),
        ("defaults", Kind.EXPRESSION, _MANY),
    ),
    ast.arg: _node(Kind.PARAMETER, ("arg", Kind.NAME)),
    # Expressions of the language
    ast.Attribute: _expression(_VALUE, ("attr", Kind.NAME), _CONTEXT),
    ast.BinOp: _expression(("left", Kind.EXPRESSION), ("op", Kind.OPERATOR), ("right", Kind.EXPRESSION)),
    ast.BoolOp: _expression(("op", Kind.OPERATOR), ("values", Kind.EXPRESSION, _MANY)),
    ast.Call: _expression(
        ("func", Kind.EXPRESSION), ("args", Kind.EXPRESSION, _MANY), ("keywords", Kind.KEYWORD, _MANY)
    ),
    ast.Compare: _expression(
        ("left", Kind.EXPRESSION), ("ops", Kind.OPERATOR, _MANY), ("comparators", Kind.EXPRESSION, _MANY)
    ),
    ast.Constant: _expression(("value", Kind.VALUE)),
    ast.Dict: _expression(("keys", Kind.EXPRESSION, _MANY_OPTIONAL), ("values", Kind.EXPRESSION, _MANY)),
    ast.DictComp: _expression(("key", Kind.EXPRESSION), ("value", Kind.EXPRESSION), _GENERATORS),
    ast.FormattedValue: _expression(
        _VALUE, ("conversion", Kind.CONVERSION), ("format_spec", Kind.EXPRESSION, _OPTIONAL)
    ),
    ast.GeneratorExp: _expression(("elt", Kind.EXPRESSION), _GENERATORS),
    ast.IfExp: _expression(_TEST, ("body", Kind.EXPRESSION), ("orelse", Kind.EXPRESSION)),
    ast.JoinedStr: _expression(("values", Kind.EXPRESSION, _MANY)),
    ast.Lambda: _expression(("args", Kind.PARAMETERS), ("body", Kind.EXPRESSION)),
    ast.List: _expression(_ELEMENTS, _CONTEXT),
    ast.ListComp: _expression(("elt", Kind.EXPRESSION), _GENERATORS),
    ast.Name: _expression(("id", Kind.NAME), _CONTEXT),
    ast.NamedExpr: _expression(("target", Kind.TARGET), _VALUE),
    ast.Slice: _expression(
        ("lower", Kind.EXPRESSION, _OPTIONAL),
        ("upper", Kind.EXPRESSION, _OPTIONAL),
        ("step", Kind.EXPRESSION, _OPTIONAL),
    ),
    ast.Starred: _expression(_VALUE, _CONTEXT),
    ast.Subscript: _expression(_VALUE, ("slice", Kind.EXPRESSION), _CONTEXT),
    ast.Tuple: _expression(_ELEMENTS, _CONTEXT),
    ast.UnaryOp: _expression(("op", Kind.OPERATOR), ("operand", Kind.EXPRESSION)),
    ast.keyword: _node(Kind.KEYWORD, ("arg", Kind.NAME, _OPTIONAL), _VALUE),
    ast.comprehension: _node(
        Kind.COMPREHENSION,
        ("target", Kind.TARGET),
        ("iter", Kind.EXPRESSION),
        ("ifs", Kind.EXPRESSION, _MANY),
    ),
}


def _of_class(node: ast.AST) -> Form:
    return FORMS.get(type(node), _UNKNOWN)


_UNKNOWN = Form(Kind.BLOCK)

# What is bound where an expression is a target; of others nothing, such as an item or an attribute.
_TARGETS: dict[type[ast.AST], tuple[Field, ...]] = {
    ast.Name: (Field("id", Kind.BOUND),),
    ast.Tuple: (Field("elts", Kind.TARGET, _MANY),),
    ast.List: (Field("elts", Kind.TARGET, _MANY),),
    ast.Starred: (Field("value", Kind.TARGET),),
}
_STATEMENTS = (Kind.BLOCK, Kind.LOOPED)
_BINDS = {**_TARGETS, **{cls: form.binding for cls, form in FORMS.items() if form.binding}}
# The same for walks, which are made for each function: the name of the field, whether it holds a bound name, and
# whether it holds several nodes.
_Part = tuple[str, bool, bool]


def _parts_of(fields: Sequence[Field]) -> tuple[_Part, ...]:
    return tuple((each.name, each.kind is Kind.BOUND, each.count is Count.MANY) for each in fields)


_BOUND_IN = {cls: _parts_of(fields) for cls, fields in _BINDS.items()}
_BOUND_BY = {
    cls: _parts_of([each for each in fields if each.kind not in _STATEMENTS]) for cls, fields in _BINDS.items()
}


def define(cls: type[ast.stmt], form: Form) -> None:
    """Adds a class of statements that the compiler itself makes."""
    FORMS[cls] = form
    _BOUND_IN[cls] = _BOUND_BY[cls] = _parts_of(form.binding)


# ------------------------------------------------------------------------------------------------- what is bound


def assigned_names(nodes: Sequence[ast.AST]) -> list[str]:
    """The names that the statements of a block (or targets) may bind, in the order in which they first stand there;
    those of `:=` left out."""
    return _bound(nodes, _BOUND_IN)


def names_from_elsewhere(statement: ast.stmt) -> list[str]:
    """The names that a statement takes from outside of the function: those of `import`, `global` and `nonlocal`."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.partition(".")[0] for alias in statement.names]
    return statement.names if isinstance(statement, (ast.Global, ast.Nonlocal)) else []


def names_bound_by(statement: ast.stmt) -> list[str]:
    """The names that a statement binds itself, not the statements of its blocks."""
    return _bound((statement,), _BOUND_BY)


def _bound(nodes: Sequence[ast.AST], table: Mapping[type[ast.AST], tuple[_Part, ...]]) -> list[str]:
    names: dict[str, None] = {}
    pending = list(reversed(nodes))
    while pending:
        node = pending.pop()
        for name, is_bound, is_many in table.get(type(node), ()):
            held = getattr(node, name)
            if is_bound:
                if held is not None:
                    names.setdefault(held)
            elif is_many:
                pending.extend(reversed(held))
            elif held is not None:
                pending.append(held)
    return list(names)


def changed_by(statement: ast.stmt) -> list[str]:
    """The names of what a statement may change in place: `xs += ys`, `xs[0] = y`."""
    names: list[str] = []
    pending: list[tuple[ast.AST, Kind]] = []
    for part in _of_class(statement).binding:
        if part.kind in (Kind.TARGET, Kind.UPDATED):
            held = getattr(statement, part.name)
            pending.extend((item, part.kind) for item in (held if part.count is Count.MANY else (held,)))
    for node, kind in pending:
        if isinstance(node, ast.Subscript):
            node, kind = node.value, Kind.UPDATED
        for part in _TARGETS.get(type(node), ()):
            held = getattr(node, part.name)
            if part.kind is Kind.TARGET:
                pending.extend((item, kind) for item in (held if part.count is Count.MANY else (held,)))
            elif kind is Kind.UPDATED:
                names.append(held)
    return names


def names_in_expressions(nodes: Sequence[ast.AST]) -> list[str]:
    """The names that `:=` binds in statements or expressions, functions inside of them left out."""
    names: dict[str, None] = {}
    pending = list(reversed(nodes))
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind in _SCOPES:
            continue
        if kind is ast.NamedExpr:
            names.update(dict.fromkeys(_bound((node,), _BOUND_BY)))
        pending.extend(reversed(list(ast.iter_child_nodes(node))))
    return list(names)


_SCOPES = frozenset((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda))


# ---------------------------------------------------------------------------------------------- what is contained


def statements_in(block: Sequence[ast.stmt], in_loops: bool = True) -> Iterator[ast.stmt]:
    """The statements of a block and of the blocks inside of it, in the order of the text, those of functions and
    classes left out. Without `in_loops` also what loops repeat."""
    pending = list(reversed(block))
    while pending:
        statement = pending.pop()
        yield statement
        if FORMS.get(type(statement), _UNKNOWN).blocks:
            for inner in reversed(blocks_of(statement, in_loops)):
                pending.extend(reversed(inner))


def blocks_of(node: ast.AST, in_loops: bool = True) -> list[list[ast.stmt]]:
    """The blocks of a statement; without `in_loops` those alone that it does not repeat."""
    found: list[list[ast.stmt]] = []
    for part in _of_class(node).blocks:
        held = getattr(node, part.name)
        if part.kind in _STATEMENTS:
            if in_loops or part.kind is Kind.BLOCK:
                found.append(held)
        else:
            for inner in held:
                found += blocks_of(inner, in_loops)
    return found


def has_break(body: Sequence[ast.stmt]) -> bool:
    """Whether a loop's body has a `break` of that loop. The bodies of loops inside are not looked at, so that a nest of
    loops is walked once; their `else` belongs to this loop."""
    return any(type(statement) is ast.Break for statement in statements_in(body, in_loops=False))


def has_return(body: Sequence[ast.stmt]) -> bool:
    """Whether a block has a `return`, in whatever it contains."""
    return any(type(statement) is ast.Return for statement in statements_in(body))


def returned_by(function: ast.FunctionDef) -> list[ast.expr | None]:
    """What stands behind each `return` of a function, None where nothing does."""
    return [statement.value for statement in statements_in(function.body) if isinstance(statement, ast.Return)]


# --------------------------------------------------------------------------------------------------- how it ends


def ends(block: Sequence[ast.stmt]) -> bool:
    """Whether no path goes on behind the block."""
    return bool(block) and (leaves(block) or (_of_class(block[-1]).forks and all(map(ends, blocks_of(block[-1])))))


def leaves(block: Sequence[ast.stmt]) -> bool:
    """Whether the block ends with a statement that no path goes on behind."""
    return _of_class(block[-1]).ends


def may_end(statement: ast.stmt) -> bool:
    """Whether a path may end in a statement."""
    return FORMS.get(type(statement), _UNKNOWN).may_end


# ------------------------------------------------------------------------------------------------ what stands there


def name_of(node: ast.expr | None) -> str | None:
    """The name that an expression is; None of any other expression."""
    return node.id if isinstance(node, ast.Name) else None


def items_of_tuple(node: ast.expr | None) -> list[ast.expr] | None:
    """What stands in a tuple; None of any other expression."""
    return node.elts if isinstance(node, ast.Tuple) else None


def called_by_name(node: ast.expr) -> tuple[str, ast.Call] | None:
    """A call of what a name stands for, and that name; None of any other expression."""
    name = name_of(node.func) if isinstance(node, ast.Call) else None
    return (name, node) if name is not None and isinstance(node, ast.Call) else None


# --------------------------------------------------------------------------------------------------- what is read

_READ = frozenset(Kind) - {
    *(Kind.ANNOTATION, Kind.BOUND, Kind.NAME, Kind.OPERATOR, Kind.CONTEXT),
    *(Kind.VALUE, Kind.FLAG, Kind.CONVERSION),
}


def read_in(node: ast.AST) -> list[ast.AST]:
    """The nodes inside of a statement, or of a part of one, in the order of the text; annotations are not read."""
    found: list[ast.AST] = []
    for part in _of_class(node).fields:
        if part.kind in _READ:
            held = getattr(node, part.name)
            found += held if part.count in (_MANY, _MANY_OPTIONAL) else (held,)
    return [item for item in found if item is not None]


_LEAVES = (Kind.BOUND, Kind.NAME, Kind.OPERATOR, Kind.CONTEXT, Kind.VALUE, Kind.FLAG, Kind.CONVERSION)
_INNER = {cls: tuple(part.name for part in form.fields if part.kind not in _LEAVES) for cls, form in FORMS.items()}


def inner_nodes(node: ast.AST) -> list[ast.AST]:
    """The nodes directly inside of one, annotations and what is bound included; operators left out."""
    names = _INNER.get(type(node))
    if names is None:
        return list(ast.iter_child_nodes(node))
    found: list[ast.AST] = []
    for name in names:
        held = getattr(node, name)
        if type(held) is list:
            found += held
        else:
            found.append(held)
    return [item for item in found if item is not None] if None in found else found


# ------------------------------------------------------------------------------------------------- what is certain


def certain(test: ast.expr, truth: bool) -> list[tuple[ast.expr, bool]]:
    """The conditions inside of one whose truth follows from its own, in order, with it: the parts of an `and` that
    holds, or of an `or` that does not, what stands behind `not`, and each pair of a chain of comparisons that holds."""
    found: list[tuple[ast.expr, bool]] = []
    pending = [(test, truth)]
    while pending:
        node, holds = pending.pop()
        parts = _parts_of_condition.of(node)(node, holds)
        if parts is None:
            found.append((node, holds))
        else:
            pending.extend(reversed(parts))
    return found


_Conditions = list[tuple[ast.expr, bool]]
_parts_of_condition: Operation[ast.expr, [bool], _Conditions | None] = Operation(lambda node, holds: None)


@_parts_of_condition.on(ast.BoolOp)
def _of_bool_op(node: ast.BoolOp, holds: bool) -> _Conditions | None:
    return [(item, holds) for item in node.values] if _DECIDED_BY[type(node.op)] is holds else None


@_parts_of_condition.on(ast.UnaryOp)
def _of_unary_op(node: ast.UnaryOp, holds: bool) -> _Conditions | None:
    return [(node.operand, not holds)] if type(node.op) is ast.Not else None


@_parts_of_condition.on(ast.Compare)
def _of_compare(node: ast.Compare, holds: bool) -> _Conditions | None:
    if not holds or len(node.ops) == 1:
        return None
    sides = [node.left, *node.comparators]
    pairs = (ast.Compare(sides[i], [step], [sides[i + 1]]) for i, step in enumerate(node.ops))
    return [(ast.copy_location(pair, node), True) for pair in pairs]


_DECIDED_BY: dict[type[ast.boolop], bool] = {ast.And: True, ast.Or: False}


# ------------------------------------------------------------------------------------------------------ refusals


def word_of(statement: ast.stmt) -> str:
    """The word with which a statement begins that is not part of the language."""
    return _of_class(statement).word or type(statement).__name__.lower()


def instead_of(statement: ast.stmt) -> str:
    """What to do instead of a statement that is not part of the language."""
    return _of_class(statement).refused or ""
