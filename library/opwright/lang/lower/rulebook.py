"""The whole language: every module in which rules of lowering are registered, and where lowering by them begins.

A statement or expression is part of the language once its form stands in `grammar.py` and its rule in one of these.
"""

from __future__ import annotations

from opwright.lang.lower import (
    builtin_calls,
    expressions,
    lists,
    loops,
    matching,
    nested,
    operator_rule,
    proto_graphs,
    scripts,
    statements,
    static_records,
    template_calls,
    texts,
)
from opwright.lang.lower.rules import lower_expression
from opwright.lang.lower.statements import lower_rest

__all__ = ["RULES", "lower_expression", "lower_rest"]

RULES = (
    builtin_calls,
    expressions,
    lists,
    loops,
    matching,
    nested,
    operator_rule,
    proto_graphs,
    static_records,
    scripts,
    statements,
    template_calls,
    texts,
)
