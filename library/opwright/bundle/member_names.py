"""What the members of a bundle are called, and which table lists a function."""

from __future__ import annotations

from hashlib import sha256

MIMETYPE_MEMBER = "mimetype"
INDEX_MEMBER = "library.json"

# All members that are found by their digests have names of one length: the directory of the archive is searched like
# an array, whatever its size.
BODIES, TABLES, FUNCTIONS, TEMPLATES = "bodies/", "directory/", "functions/", "templates/"
NAME_LENGTH = len(FUNCTIONS) + 64

_FEW = 256  # functions, that one table may list
_DIGITS = 16


def body_member(digest: str) -> str:
    """The path of a body in the archive."""
    return f"{BODIES}{digest.partition(':')[2]}.pb"


def template_member(digest: str) -> str:
    """The path of a template in the archive."""
    return f"{TEMPLATES}{digest.partition(':')[2]}"


def function_member(digest: str) -> str:
    """The path of a function's entry, by the sha256 of its bytes."""
    return f"{FUNCTIONS}{digest}"


def table_member(digest: str) -> str:
    """The path of a table of functions, by the sha256 of its bytes."""
    return f"{TABLES}{digest}"


def table_count(functions: int) -> int:
    """How many tables list that many functions: the power of 16 that leaves each a few."""
    count = 1
    while functions > count * _FEW:
        count *= _DIGITS
    return count


def table_of(domain: str, name: str, count: int) -> int:
    """Which of `count` tables, a power of 16, lists a function: all its versions stand in one."""
    return int.from_bytes(sha256(f"{domain}\0{name}".encode()).digest()[:8], "big") % count
