"""What a runtime says when it fails, in one line for a diagnostic."""

from __future__ import annotations

import re

MAX_REASON = 160

# "/onnxruntime_src/x/y.h:91 ns::Class::Class(const T&, U) text", and "y.cc:692 Compute text"
_SOURCE_PLACE = re.compile(r"/\S+:\d+ .*?\) (?=[A-Z])|/\S+:\d+ |\b\w+\.(?:cc|h):\d+ \w+ ")
# "void onnxruntime::Class::Method(const T&, U) text"
_SIGNATURE = re.compile(r"(?:\b[\w:]+ )?onnxruntime::[\w:]+\([^()]*\) ")
_STATUS_PREFIX = re.compile(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ")
_RUNNING = re.compile(r"Non-zero status code returned while running (\w+) node\. Name:'[^']*' Status Message: ")


# What runtimes say of a node; of nodes in the graph of a node the last one is the innermost.
_NAMED = re.compile(r"Name:'([^']*)'")


def named_nodes(error: BaseException) -> list[str]:
    """The names of the nodes that failed, innermost first."""
    return [name for name in reversed(_NAMED.findall(str(error))) if name]


def one_line(error: BaseException) -> str:
    """An exception's message on one line, without places in the runtime's own sources and of bounded length."""
    text = _STATUS_PREFIX.sub("", " ".join(str(error).split()))
    text = _SIGNATURE.sub("", _SOURCE_PLACE.sub("", _RUNNING.sub(r"\1: ", text))).strip() or type(error).__name__
    return text if len(text) <= MAX_REASON else text[: MAX_REASON - 3] + "..."
