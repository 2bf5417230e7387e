"""Building a model call by call: `GraphBuilder` records what `op.X(...)`, Python's operators and functions are given.

What an operation means is decided by the compiler's own rules, as in a function under `@script`. See docs/builder.md.
"""

from __future__ import annotations

from opwright.builder.graph_builder import GraphBuilder
from opwright.builder.graph_values import Shape, Value

__all__ = ["GraphBuilder", "Shape", "Value"]
