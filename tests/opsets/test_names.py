"""Where the library names operators: in few modules, so that what is known of one has one home."""

from __future__ import annotations

import ast
from pathlib import Path

import opwright
from opwright.opsets.domains import STANDARD_DOMAINS
from opwright.opsets.signatures import operators_at

LIBRARY = Path(opwright.__file__).parent
OPERATORS = {name for domain in STANDARD_DOMAINS for opset in range(1, 40) for name in operators_at(domain, opset)}

# What is known of operators: one record each, and what Python's signs mean.
KNOWING = {"opsets/records.py", "lang/operators.py"}
# Modules that still do; the list may only become shorter.
TO_COME = {
    "lang/lower/annotated.py",
    "lang/lower/arithmetic.py",
    "lang/lower/body_loops.py",
    "lang/lower/calls.py",
    "lang/lower/conditions.py",
    "lang/lower/context.py",
    "lang/lower/equal_shapes.py",
    "lang/lower/expansions.py",
    "lang/lower/flow.py",
    "lang/lower/graphs.py",
    "lang/lower/impossible.py",
    "lang/lower/joins.py",
    "lang/lower/joint_indices.py",
    "lang/lower/known.py",
    "lang/lower/malformed.py",
    "lang/lower/number_arithmetic.py",
    "lang/lower/number_comparison.py",
    "lang/lower/number_functions.py",
    "lang/lower/number_lists.py",
    "lang/lower/numbers.py",
    "lang/lower/powers.py",
    "lang/lower/primitives.py",
    "lang/lower/proto_graphs.py",
    "lang/lower/ranges.py",
    "lang/lower/ranks.py",
    "lang/lower/scan_ranks.py",
    "lang/lower/sequences.py",
    "lang/lower/shapes.py",
    "lang/lower/slicing.py",
    "lang/lower/statements.py",
    "lang/lower/subscripts.py",
    "lang/lower/tensor_subscripts.py",
    "lang/lower/tuples.py",
}
# Names of Python that are names of operators too: `Optional[...]` in annotations, the class `Shape`.
OTHER_NAMES = {
    "__init__.py": {"Optional"},
    "builder/__init__.py": {"Shape"},
    "decompiler/names.py": {"Optional"},
    "lang/annotations.py": {"Optional"},
    "lang/resolve.py": {"Optional"},
    "opsets/signatures.py": {"Optional"},
    "types.py": {"Optional"},
}


def named(path: Path) -> set[str]:
    """The operators that stand as texts in a module."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)} & OPERATORS


def test_few_modules_name_operators() -> None:
    found = {}
    for path in sorted(LIBRARY.rglob("*.py")):
        module = path.relative_to(LIBRARY).as_posix()
        names = named(path) - OTHER_NAMES.get(module, set())
        if names:
            found[module] = sorted(names)
    others = {module: names for module, names in found.items() if module not in KNOWING and module not in TO_COME}
    assert not others, "ask the record of the operator (opwright.opsets.records), or write it with lower/primitives"
    stale = (KNOWING | TO_COME) - set(found)
    assert not stale, "these modules name no operator any more: take them off the list"
