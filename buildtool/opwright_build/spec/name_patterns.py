"""The forms of names, as regular expressions, each with its words for a message."""

from __future__ import annotations

import re

IDENTIFIER = r"^[A-Za-z_][A-Za-z0-9_]*$"
DISTRIBUTION = r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$"
PACKAGE = r"^[a-z_][a-z0-9_]*$"
RELEASE = r"^[0-9]+(\.[0-9]+)*((a|b|rc)[0-9]+)?(\.post[0-9]+)?(\.dev[0-9]+)?$"
DOMAIN = r"^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$"
LICENSE = r"^[A-Za-z0-9][A-Za-z0-9.+() -]*$"  # an SPDX expression: it becomes a line of the wheel's METADATA

AUTHOR = r"^[^\s<>@,;:()\[\]\\]+( [^\s<>@,;:()\[\]\\]+)*( <[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+>)?$"
LINK_NAME = r"^[A-Za-z]([A-Za-z0-9 _-]*[A-Za-z0-9])?$"
LINK = r"^https?://[A-Za-z0-9._~:/?#@!$&()*+,;=%-]+$"
OPERATOR = r"^[A-Za-z_][A-Za-z0-9_]*::[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)?$"
TEXT_FILE = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$"

PATTERN_WORDS = {
    AUTHOR: "a name, or a name and an address as in `Ada Lovelace <ada@example.org>`",
    LINK_NAME: "a name of letters, digits, blanks, `-` and `_`",
    LINK: "a link that begins with http:// or https://",
    TEXT_FILE: "the path of a file below the library's root, such as README.md",
    OPERATOR: "an operator of PyTorch such as aten::add.Tensor",
    IDENTIFIER: "a name of letters, digits and underscores that does not begin with a digit",
    DISTRIBUTION: "a distribution name (letters, digits, `-`, `_`, `.`)",
    PACKAGE: "an import name (lower-case letters, digits and underscores)",
    RELEASE: "a version such as 0.1.0 or 1.2.0rc1",
    DOMAIN: "a domain such as com.acme",
    LICENSE: "an SPDX expression such as MIT or Apache-2.0 OR MIT",
}


def matches(pattern: str, text: str) -> bool:
    """Whether the whole text has the form. (`$` would let a final line break through.)"""
    return re.fullmatch(pattern.removeprefix("^").removesuffix("$"), text, re.ASCII) is not None
