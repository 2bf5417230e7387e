"""What a runtime says when it refuses a model, made into a fact that holds from release to release."""

from __future__ import annotations

import re
from dataclasses import dataclass

from opwright.eager.messages import one_line

from opwright_build.verify.case_model import Status


@dataclass(frozen=True, slots=True)
class Refusal:
    """`status` is NO_KERNEL or UNSUPPORTED; `reason` names no version, path or line of the runtime. `operator` is the
    one that it lacks a kernel for; empty where it says nothing of the kind.

    With LACKING it is not the runtime that refuses: `reason` names what the machine has not.
    """

    status: Status
    reason: str
    operator: str = ""


# (what the message holds, status, reason); the first that matches counts.
_KNOWN: tuple[tuple[re.Pattern[str], Status, str], ...] = (
    (
        re.compile(r"Could not find an implementation for (?:[\w.]+[.:]+)?(\w+)\((\d+)\)"),
        Status.NO_KERNEL,
        r"no kernel for \1-\2 with these types",
    ),
    # What it says when it has put casts around a node whose types it cannot run.
    (
        re.compile(r"Failed to find kernel for (\w+)\((\d+)\)"),
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
    (re.compile(r"Failed to construct locale with name:\s*([\w.@-]+)"), Status.LACKING, r"locale \1"),
    (
        re.compile(r"MLDataType for: (?:seq\()?tensor\((\w+)\)+ is not currently registered"),
        Status.UNSUPPORTED,
        r"type \1 is not known",
    ),
)


# What kernels say of what they are not written for, some of them only when they run.
_UNWRITTEN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(\w+) operator does not support (\w+) yet"), r"the kernel for \1 does not run with type \2"),
    (re.compile(r"Unknown activation function '(\w+)'"), r"the activation \1 is not known"),
    # The reference evaluator has of some operators the newer versions alone.
    (
        re.compile(r"No implementation for operator '(?P<operator>\w+)' domain '[\w.]*' and version (\d+)"),
        r"no implementation of \1-\2",
    ),
    # Among them GridSample, whose modes had other names.
    (
        re.compile(r"(?P<operator>\w+) interpolation only supports (\w+), (\w+), and (\w+) modes"),
        r"\1 has no modes but \2, \3 and \4",
    ),
)


def classify_unwritten(error: Exception) -> Refusal | None:
    """The refusal that an exception of a kernel stands for; None where it is a failure."""
    text = str(error)
    for pattern, reason in _UNWRITTEN:
        found = pattern.search(text)
        if found:
            return Refusal(Status.NO_KERNEL, found.expand(reason), found.groupdict().get("operator", ""))
    return None


def classify(error: Exception) -> Refusal:
    """The refusal that a runtime's exception at load time stands for."""
    text = str(error)
    for pattern, status, reason in _KNOWN:
        found = pattern.search(text)
        if found:
            operator = found[1] if status is Status.NO_KERNEL else ""
            return Refusal(status, found.expand(reason), operator)
    return Refusal(Status.UNSUPPORTED, one_line(error))
