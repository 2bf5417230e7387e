"""What the names of a source that is written for the package onnxscript stand for, as far as they come from it."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from opwright.lang.meaning.annotations import Annotation, TensorAnnotation, read_annotation, read_returns
from opwright.opsets.domains import normal_domain

PEER = "onnxscript"
MODULES = (PEER, f"{PEER}.onnx_opset", f"{PEER}.onnx_types", f"{PEER}.values", f"{PEER}.main")
_LONGEST = 8  # parts of a dotted name that may come from onnxscript
_DEEPEST = 20  # names of names
_MOST_ALIASES = 100  # that one annotation is spelled out for
_OPSET = re.compile(r"opset([0-9]{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class PeerNames:
    """The names of a file: modules of onnxscript and what is imported from them, as the file calls them; and what it
    binds at top level itself."""

    modules: dict[str, str] = field(default_factory=dict)
    imported: dict[str, str] = field(default_factory=dict)
    assigned: dict[str, list[ast.expr]] = field(default_factory=dict)
    functions: dict[str, list[ast.FunctionDef]] = field(default_factory=dict)

    def module_of(self, node: ast.expr) -> str:
        """The module of onnxscript that an expression is; empty for any other."""
        root, _, rest = dotted(node).partition(".")
        module = self.modules.get(root, "")
        whole = f"{module}.{rest}" if rest else module
        return whole if whole in MODULES else ""

    def value_of(self, node: ast.expr) -> ast.expr:
        """What a name of the file is assigned, where it is so once; else the expression itself."""
        for _ in range(_DEEPEST):
            if not isinstance(node, ast.Name) or len(self.assigned.get(node.id, ())) != 1:
                break
            node = self.assigned[node.id][0]
        return node

    def meant(self, node: ast.expr) -> str:
        """What an expression is called in onnxscript: `FLOAT` of `onnxscript.FLOAT` and of a name that it is imported
        or assigned as; empty of what is not from there."""
        node = self.value_of(node)
        if isinstance(node, ast.Attribute):
            return node.attr if self.module_of(node.value) else ""
        return self.imported.get(node.id, "") if isinstance(node, ast.Name) else ""

    def opsets_used(self, function: ast.FunctionDef) -> set[int]:
        """The opsets of the default domain that a function names, with all that it reads of the file: its decorator
        may name one, and other functions may."""
        found: set[int] = set()
        seen = {function.name}
        pending: list[ast.AST] = [function]
        while pending:
            for node in ast.walk(pending.pop()):
                if isinstance(node, ast.Name) and node.id not in seen:
                    seen.add(node.id)
                    pending += [*self.assigned.get(node.id, ()), *self.functions.get(node.id, ())]
                if isinstance(node, ast.Name | ast.Attribute) and (named := _OPSET.fullmatch(self.meant(node))):
                    found.add(int(named[1]))
                if isinstance(node, ast.Call) and self.meant(node.func) == "Opset":
                    found |= _opset_made(node)
        return found

    def annotation(self, node: ast.expr | None) -> Annotation | None:
        """What an annotation means, by the names that onnxscript has."""
        return read_annotation(self._spelled_out(node), self._type_variables())

    def returns(self, node: ast.expr | None) -> tuple[TensorAnnotation, ...] | None:
        """What is annotated of each result; None where nothing says how many there are."""
        return read_returns(self._spelled_out(node), self._type_variables())

    def _spelled_out(self, node: ast.expr | None) -> ast.expr | None:
        """An annotation in which no name is the file's own, but for those of type variables."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value, mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return node
        return None if node is None else _SpelledOut(self).visit(copy.deepcopy(node))

    def _type_variables(self) -> Mapping[str, TensorAnnotation]:
        found: dict[str, TensorAnnotation] = {}
        for name, values in self.assigned.items():
            made = values[0]
            if len(values) == 1 and isinstance(made, ast.Call) and dotted(made.func).rpartition(".")[2] == "TypeVar":
                bound = [item.value for item in made.keywords if item.arg == "bound"]
                admitted = [read_annotation(self._spelled_out(item)) for item in (*made.args[1:], *bound)]
                elements = [item.tensor.elements for item in admitted if item is not None]
                is_open = len(elements) < len(admitted) or not all(elements)
                named = () if is_open else tuple(dict.fromkeys(one for several in elements for one in several))
                found[name] = TensorAnnotation(named, name)
        return found


class _SpelledOut(ast.NodeTransformer):
    def __init__(self, names: PeerNames) -> None:
        self._names = names
        self._left = _MOST_ALIASES

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self._names.value_of(node)
        meant = self._names.meant(value)
        if meant:
            return ast.Name(meant, ast.Load())
        if value is node or isinstance(value, ast.Call) or not self._left:
            return node
        self._left -= 1
        spelled: ast.expr = self.visit(copy.deepcopy(value))
        return spelled


def dotted(node: ast.expr) -> str:
    """`a.b.c` as text; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < _LONGEST:
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _opset_made(node: ast.Call) -> set[int]:
    """The opset of the default domain that `Opset("", 18)` makes."""
    given = dict(zip(("domain", "version"), node.args, strict=False))
    given |= {item.arg: item.value for item in node.keywords if item.arg is not None}
    match given.get("domain"), given.get("version"):
        case ast.Constant(value=str(domain)), ast.Constant(value=int(version)) if not normal_domain(domain):
            return {version}
    return set()
