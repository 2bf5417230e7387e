"""Where the library names operators: in few modules, so that what is known of one has one home."""

from __future__ import annotations

import ast
from pathlib import Path

import opwright
from opwright.opsets.domains import STANDARD_DOMAINS
from opwright.opsets.signatures import operators_at

LIBRARY = Path(opwright.__file__).parent
OPERATORS = {name for domain in STANDARD_DOMAINS for opset in range(1, 40) for name in operators_at(domain, opset)}

# What is known of operators: one record each, what Python's signs mean, and the operators that the lowering writes; and
# the nodes that stand beside a call of an operator of PyTorch.
KNOWING = {"opsets/records.py", "lang/operators.py", "lang/lower/nodes/primitives.py", "foreign/operator_nodes.py"}
# Other names that are names of operators too: `Optional[...]` in annotations, the class `Shape`, a default of PyTorch.
OTHER_NAMES = {
    "__init__.py": {"Optional"},
    "aten/operator_schema.py": {"Mean"},
    "builder/__init__.py": {"Shape"},
    "decompiler/python_names.py": {"Optional"},
    "lang/meaning/annotations.py": {"Optional"},
    "lang/meaning/resolve.py": {"Optional"},
    "opsets/signatures.py": {"Optional"},
    "types.py": {"Optional"},
}


def named(path: Path) -> set[str]:
    """The operators that stand as texts in a module."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)} & OPERATORS


def test_few_modules_name_operators() -> None:
    found = set()
    for path in sorted(LIBRARY.rglob("*.py")):
        module = path.relative_to(LIBRARY).as_posix()
        if named(path) - OTHER_NAMES.get(module, set()):
            found.add(module)
    help_ = "ask the record of the operator (opwright.opsets.records), or write it with a method of lower/primitives"
    assert found == KNOWING, help_
