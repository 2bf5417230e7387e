"""OW901 to OW916: the cache, the outputs, the command line. OW930 to OW932: worker processes, edits meanwhile. OW960 to
OW967: clusters. OW968 and OW969: names of files. OW970 and OW971: sites."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

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

PAIRS = (
    Pair(
        "OW901",
        bad=Example("build && damage .opwright/cache && build"),
        good=Example("build && build"),
    ),
    Pair(
        "OW902",
        bad=Example("build --cache cache", {"cache": "a file, not a folder\n"}),
        good=Example("build --cache cache"),
    ),
    Pair(
        "OW903",
        bad=Example("build && forge .opwright/cache && build --rerun"),
        good=Example("build && build --rerun"),
    ),
    Pair(
        "OW904",
        bad=Example("build", {_STUB: "VERSION = 1  # written by hand\n"}),
        good=Example("build"),
    ),
    Pair(
        "OW905",
        bad=Example("build", {"dist": "a file, not a folder\n"}),
        good=Example("build"),
    ),
    Pair(
        "OW925",
        bad=Example("read-only && lint"),
        good=Example("lint"),
    ),
    Pair(
        "OW940",
        bad=Example("no-room-for built.json && build"),
        good=Example("build"),
    ),
    Pair(
        "OW906",
        bad=Example("stubs --check"),
        good=Example("stubs && stubs --check"),
    ),
    Pair(
        "OW910",
        bad=Example("without-sandbox && test"),
        good=Example("test"),
    ),
    Pair(
        "OW911",
        bad=Example("without-sandbox && test --require-sandbox=1"),
        good=Example("test --require-sandbox=1"),
    ),
    Pair(
        "OW907",
        bad=Example("show Swich"),
        good=Example("show Swish"),
    ),
    Pair(
        "OW908",
        bad=Example("build", {**_TWICE, "specs/com.acme/Swish/function.py": _BROKEN}),
        good=Example("build", _TWICE),
        beside=("OW201",),
    ),
    Pair(
        "OW913",
        bad=Example("build && secret none && build"),
        good=Example("build && build"),
    ),
    Pair(
        "OW914",
        bad=Example("build && secret another && build"),
        good=Example("build && build"),
    ),
    Pair(
        "OW915",
        bad=Example("build && secret exposed && build"),
        good=Example("build && build"),
        beside=("OW914",),
    ),
    Pair(
        "OW916",
        bad=Example("build && secret short && build"),
        good=Example("build && build"),
    ),
    Pair(
        "OW917",
        bad=Example("shared keyless && build"),
        good=Example("shared trusted && build"),
    ),
    Pair(
        "OW918",
        bad=Example("shared gone && build"),
        good=Example("shared trusted && build"),
    ),
    Pair(
        "OW919",
        bad=Example("shared forged && build"),
        good=Example("shared trusted && build"),
    ),
    Pair(
        "OW920",
        bad=Example("shared uninstalled && build"),
        good=Example("shared trusted && build"),
    ),
    Pair(
        "OW921",
        bad=Example("shared refusing && build"),
        good=Example("shared trusted && build"),
    ),
    Pair(
        "OW922",
        bad=Example("shared silent && build"),
        good=Example("shared trusted && build"),
    ),
    Pair(
        "OW923",
        bad=Example("build && damage .opwright/cache && cache verify"),
        good=Example("build && cache verify"),
    ),
    Pair(
        "OW924",
        bad=Example("shared trusted && cache gc --shared"),
        good=Example("shared trusted && cache stats --shared"),
    ),
    Pair(
        "OW930",
        bad=Example("workers crash && build -j 2", _TWICE),
        good=Example("build -j 2", _TWICE),
    ),
    Pair(
        "OW931",
        bad=Example("workers missing && build -j 2", _TWICE),
        good=Example("build -j 1", _TWICE),
    ),
    Pair(
        "OW932",
        bad=Example("build && edited-meanwhile && build"),
        good=Example("build && build"),
    ),
    Pair(
        "OW960",
        bad=Example("build --executor tcp://127.0.0.1:8786"),
        good=Example("build"),
    ),
    Pair(
        "OW961",
        bad=Example("build --executor dask:tcp://192.0.2.7:8786"),
        good=Example("build"),
    ),
    Pair(
        "OW962",
        bad=Example("cluster without-tls && build --executor dask:tls://192.0.2.7:8786"),
        good=Example("build"),
    ),
    Pair(
        "OW963",
        bad=Example("cluster uninstalled && build --executor dask:tcp://127.0.0.1:8786"),
        good=Example("build"),
    ),
    Pair(
        "OW964",
        bad=Example("cluster without-workers && build --executor dask:tcp://127.0.0.1:8786"),
        good=Example("build"),
    ),
    Pair(
        "OW965",
        bad=Example("cluster without-sandbox && build --executor dask:tcp://127.0.0.1:8786"),
        good=Example("build"),
    ),
    Pair(
        "OW966",
        bad=Example("cluster dying && build --executor dask:tcp://127.0.0.1:8786"),
        good=Example("build"),
    ),
    Pair(
        "OW967",
        bad=Example("cluster lying && build --executor dask:tcp://127.0.0.1:8786"),
        good=Example("build"),
    ),
    Pair(
        "OW968",
        bad=Example("build", {"specs/com.acme/Swish/Vectors.yaml": "schema: 1\nrows: []\n"}),
        good=Example("build", {"specs/com.acme/Swish/more.yaml": "schema: 1\nrows: []\n"}),
    ),
    Pair(
        "OW969",
        bad=Example("build", {"specs/com.acme/Swish/aux.yaml": "schema: 1\nrows: []\n"}),
        good=Example("build", {"specs/com.acme/Swish/more.yaml": "schema: 1\nrows: []\n"}),
    ),
    Pair(
        "OW970",
        bad=Example("generator uninstalled && site"),
        good=Example("build"),
    ),
    Pair(
        "OW971",
        bad=Example("site -o notes", {"notes/mine.txt": "written by hand\n"}),
        good=Example("site -o pages", {"notes/mine.txt": "written by hand\n"}),
    ),
)
