"""What a runtime says when it refuses a model, made into a fact that holds from release to release."""

from __future__ import annotations

import re
from dataclasses import dataclass

from opwright_build.verify.model import Status

MAX_REASON = 160


@dataclass(frozen=True, slots=True)
class Refusal:
    """`status` is NO_KERNEL or UNSUPPORTED; `reason` names no version, path or line of the runtime."""

    status: Status
    reason: str


# (what the message holds, status, reason); the first that matches counts.
_KNOWN: tuple[tuple[re.Pattern[str], Status, str], ...] = (
    (
        re.compile(r"Could not find an implementation for (?:[\w.]+[.:]+)?(\w+)\((\d+)\)"),
        Status.NO_KERNEL,
        r"no kernel for \1-\2 with these types",
    ),
    (re.compile(r"Unsupported model IR version: (\d+)"), Status.UNSUPPORTED, r"IR version \1 is not accepted"),
    (
        re.compile(r"official released onnx opset versions\. Opset (\d+)"),
        Status.UNSUPPORTED,
        r"opset \1 is not accepted",
    ),
    (re.compile(r"No Op registered for (\w+) with domain_version of (\d+)"), Status.UNSUPPORTED, r"\1 is not known"),
    (
        re.compile(r"Type '(?:tensor\()?(\w+)\)?' of input parameter \([^)]*\) of operator \((\w+)\)"),
        Status.UNSUPPORTED,
        r"type \1 is refused by \2",
    ),
    (
        re.compile(r"MLDataType for: tensor\((\w+)\) is not currently registered"),
        Status.UNSUPPORTED,
        r"type \1 is not known",
    ),
)
# "/onnxruntime_src/x/y.h:91 ns::Class::Class(const T&, U) text", and "y.cc:692 Compute text"
_SOURCE_PLACE = re.compile(r"/\S+:\d+ .*?\) (?=[A-Z])|/\S+:\d+ |\b\w+\.(?:cc|h):\d+ \w+ ")
_STATUS_PREFIX = re.compile(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ")
_RUNNING = re.compile(r"^Non-zero status code returned while running (\w+) node\. Name:'[^']*' Status Message: ")


def classify(error: Exception) -> Refusal:
    """The refusal that a runtime's exception at load time stands for."""
    text = str(error)
    for pattern, status, reason in _KNOWN:
        found = pattern.search(text)
        if found:
            return Refusal(status, found.expand(reason))
    return Refusal(Status.UNSUPPORTED, one_line(error))


def one_line(error: BaseException) -> str:
    """An exception's message on one line, without places in the runtime's own sources and of bounded length."""
    text = _STATUS_PREFIX.sub("", " ".join(str(error).split()))
    text = _SOURCE_PLACE.sub("", _RUNNING.sub(r"\1: ", text)).strip() or type(error).__name__
    return text if len(text) <= MAX_REASON else text[: MAX_REASON - 3] + "..."
