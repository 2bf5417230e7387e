"""The docstring of an operator in a stub: what it does, its types, and where its page is."""

from __future__ import annotations

import textwrap

from onnx import defs
from opwright.elements import BY_NAME
from opwright.opsets.operator import operator_page
from opwright.opsets.signatures import Signature, tensor_element

from opwright_build.opset_stubs.python_types import sort_types
from opwright_build.package.stub_docs import escape

_WIDTH = 108
_LONGEST = 400


def describe(signature: Signature) -> list[str]:
    """The docstring's lines, unindented: the first paragraph of ONNX's own, the types admitted, version and link."""
    doc = defs.get_schema(signature.name, signature.since_version, signature.domain).doc or ""
    lines = textwrap.wrap(_first_paragraph(doc) or f"{signature.name}.", _WIDTH, break_long_words=False)
    if signature.admitted:
        lines.append("")
        for name, admitted in signature.admitted.items():
            lines += textwrap.wrap(f"{name}: {_types(admitted)}", _WIDTH, subsequent_indent="    ")
    page = operator_page(signature.domain, signature.name, signature.since_version)
    # Editors follow links of this form alone: elsewhere they escape the underscores of an address.
    lines += ["", f"[Since version {signature.since_version} of {signature.domain or 'ai.onnx'}]({page})"]
    return [escape(line.rstrip()) for line in lines]


def _first_paragraph(doc: str) -> str:
    """Up to the first blank line, cut after a sentence where it is long."""
    paragraph = " ".join(doc.strip().split("\n\n")[0].split())
    if len(paragraph) <= _LONGEST:
        return paragraph
    end = paragraph.rfind(". ", 0, _LONGEST)
    return paragraph[: end + 1] if end > 0 else paragraph[:_LONGEST].rsplit(" ", 1)[0] + " ..."


def _types(admitted: tuple[str, ...]) -> str:
    """`float16, float`; all tensors, and what is no tensor, in a word."""
    elements = [found.name for found in map(tensor_element, sort_types(admitted)) if found is not None]
    listed = ["any tensor" if len(elements) == len(BY_NAME) else ", ".join(elements)] if elements else []
    for kind, words in (("seq(", "sequences of tensors"), ("optional(", "optionals"), ("map(", "")):
        others = [item for item in admitted if item.startswith(kind)]
        listed += [words] if others and words else others
    return "; ".join(listed)
