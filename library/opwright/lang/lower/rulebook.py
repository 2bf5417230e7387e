"""The whole language: every module in which rules of lowering are registered, and where lowering by them begins.

A statement or expression is part of the language once its form stands in `lang/text/grammar.py` and its rule in one of
these.
"""

from __future__ import annotations

from opwright.lang.lower.calls import builtin_calls, nested, operator_rule, proto_graphs, scripts, template_calls
from opwright.lang.lower.expressions import expression_rules
from opwright.lang.lower.loops import loop_rules
from opwright.lang.lower.rules import lower_expression
from opwright.lang.lower.statements import matching, statement_rules
from opwright.lang.lower.statements.statement_rules import lower_rest
from opwright.lang.lower.values import lists, static_records, texts

__all__ = ["RULES", "lower_expression", "lower_rest"]

RULES = (
    builtin_calls,
    expression_rules,
    lists,
    loop_rules,
    matching,
    nested,
    operator_rule,
    proto_graphs,
    static_records,
    scripts,
    statement_rules,
    template_calls,
    texts,
)
