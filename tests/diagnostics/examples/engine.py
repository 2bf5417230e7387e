"""OW901 to OW908: the cache, the outputs, the command line."""

from __future__ import annotations

from tests.diagnostics.examples import Entry, Example

_CALLER = """\
from base import opset1 as acme


def Twice(X):
    return acme.Swish(acme.Swish(X))
"""
_CALLER_SPEC = """\
schema: 1
domain: com.acme
name: Twice
summary: Swish of Swish.
since_version: 1
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float, double]}
vectors: [vectors.yaml]
"""
_CALLER_ROWS = """\
schema: 1
rows:
  - {name: zero, inputs: {X: 0.0}, outputs: {Y: 0.0}}
"""
_BROKEN = """\
from opwright import opset18 as op


def Swish(X, alpha: float = 1.0):
    return X * op.Sigmod(alpha * X)
"""
_STUB = "library/base/__init__.py"

_TWICE = {
    "specs/com.acme/Twice/spec.yaml": _CALLER_SPEC,
    "specs/com.acme/Twice/function.py": _CALLER,
    "specs/com.acme/Twice/vectors.yaml": _CALLER_ROWS,
}

ENTRIES = (
    Entry(
        "OW901",
        "A damaged entry of the build cache",
        "The bytes of an entry are not those that were put there: a full disk, a crash of the machine, a hand. "
        "What the entry held is built again, so nothing is wrong with the result.",
        bad=Example("build && damage .opwright/cache && build"),
        good=Example("build && build"),
    ),
    Entry(
        "OW902",
        "The build cache cannot be used",
        "A cache that cannot be read is not an empty one: taking it for one would hide that every build of a team "
        "is slow, or that results are kept nowhere.",
        bad=Example("build --cache cache", {"cache": "a file, not a folder\n"}),
        good=Example("build --cache cache"),
    ),
    Entry(
        "OW903",
        "An action gave two results for the same inputs",
        "Caches and reproducible builds rest on actions being functions of their inputs. Either the build tool has a "
        "bug, or somebody wrote into the cache.",
        bad=Example("build && forge .opwright/cache && build --rerun"),
        good=Example("build && build --rerun"),
    ),
    Entry(
        "OW904",
        "A file that the build did not write is in the way",
        "A build overwrites what a build wrote and nothing else; the file may have been written by hand.",
        bad=Example("build", {_STUB: "VERSION = 1  # written by hand\n"}),
        good=Example("build"),
    ),
    Entry(
        "OW905",
        "An output cannot be written",
        "The disk is full, or a folder is read-only or is a file. Outputs that were there before stay as they were.",
        bad=Example("build", {"dist": "a file, not a folder\n"}),
        good=Example("build"),
    ),
    Entry(
        "OW906",
        "The generated package is out of date",
        "The package in library/ is generated from the specs and committed. While it differs, what others import is "
        "not what the bundle holds.",
        bad=Example("stubs --check"),
        good=Example("stubs && stubs --check"),
    ),
    Entry(
        "OW907",
        "The command line asks for something that does not exist",
        "A function, an opset, a code or an action of that name is not there.",
        bad=Example("show Swich"),
        good=Example("show Swish"),
    ),
    Entry(
        "OW908",
        "A function was not compiled because one that it calls has errors",
        "Its own errors, if it has any, can be told only when the function that it calls is known. Only the first "
        "mistake is worth reading.",
        bad=Example("build", {**_TWICE, "specs/com.acme/Swish/function.py": _BROKEN}),
        good=Example("build", _TWICE),
        beside=("OW201",),
    ),
)
