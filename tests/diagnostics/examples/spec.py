"""OW101 to OW140: library.yaml, domain.yaml, spec.yaml, vector files, and `opwright new`."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_LIBRARY_FILE = "specs/library.yaml"
_DOMAIN_FILE = "specs/com.acme/domain.yaml"
_SPEC_FILE = "specs/com.acme/Swish/spec.yaml"
_ROWS_FILE = "specs/com.acme/Swish/vectors.yaml"

_LIBRARY = """\
schema: 1
library: base
version: 1.0.0
package: base
opsets: ">=18,<=22"
"""

_PACKAGES = """\
schema: 1
version: 1.0.0
opsets: ">=18,<=22"
packages:
  - {library: base, package: base, domains: [com.acme]}
  - {library: more, package: more, domains: [com.acme.more], dependencies: [base]}
"""

_MORE = {"specs/com.acme.more/domain.yaml": "schema: 1\nversion: 1\n"}

_DOMAIN = """\
schema: 1
version: 1
"""

_SPEC = """\
schema: 1
domain: com.acme
name: Swish
summary: X * sigmoid(alpha * X), for each element.
since_version: 1
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float, double]}
vectors: [vectors.yaml]
reference: reference.py
"""

_ROWS = """\
schema: 1
rows:
  - name: ones
    inputs: {X: [1.0, -1.0]}
"""


def _library(old: str = "", new: str = "", command: str = "build") -> Example:
    return Example(command, {_LIBRARY_FILE: _LIBRARY.replace(old, new, 1)})


def _domain(old: str = "", new: str = "") -> Example:
    return Example("build", {_DOMAIN_FILE: _DOMAIN.replace(old, new, 1)})


def _spec(old: str = "", new: str = "") -> Example:
    return Example("build", {_SPEC_FILE: _SPEC.replace(old, new, 1)})


def _rows(old: str = "", new: str = "") -> Example:
    return Example("test", {_ROWS_FILE: _ROWS.replace(old, new, 1)})


def _packages(old: str = "", new: str = "") -> Example:
    """The base library beside one more package, which depends on it."""
    return Example("build", {_LIBRARY_FILE: _PACKAGES.replace(old, new, 1), **_MORE})


PAIRS: tuple[Pair, ...] = (
    Pair(
        "OW101",
        bad=_spec("[float, double]}", "[float, double}"),
        good=_spec(),
    ),
    Pair(
        "OW102",
        bad=_spec("inputs: {X: T}", "inputs:\n\tX: T"),
        good=_spec("inputs: {X: T}", "inputs:\n  X: T"),
    ),
    Pair(
        "OW103",
        bad=_spec("inputs: {X: T}", "inputs: &same {X: T}"),
        good=_spec(),
    ),
    Pair(
        "OW104",
        bad=_spec('opset: ">=18"', 'opset: ">=18"\nopset: ">=20"'),
        good=_spec(),
    ),
    Pair(
        "OW105",
        bad=_spec("inputs: {X: T}", "inputs: {X: " + "[" * 50 + "]" * 50 + "}"),
        good=_spec(),
    ),
    Pair(
        "OW106",
        bad=_spec("summary:", "sumary:"),
        good=_spec(),
    ),
    Pair(
        "OW107",
        bad=_spec("outputs: {Y: T}\n", ""),
        good=_spec(),
    ),
    Pair(
        "OW108",
        bad=_spec("since_version: 1", 'since_version: "1"'),
        good=_spec(),
    ),
    Pair(
        "OW109",
        bad=_spec("reference: reference.py", "reference: reference.txt"),
        good=_spec(),
    ),
    Pair(
        "OW110",
        bad=Example("build", {_LIBRARY_FILE: ""}),
        good=Example("build"),
    ),
    Pair(
        "OW111",
        bad=_spec("schema: 1", "schema: 2"),
        good=_spec(),
    ),
    Pair(
        "OW112",
        bad=_spec("name: Swish", "name: Swich"),
        good=_spec(),
    ),
    Pair(
        "OW113",
        bad=Example("build", {"specs/com.acme.internal/domain.yaml": _DOMAIN}),
        good=Example("build", {"specs/com.acme.more/domain.yaml": _DOMAIN}),
    ),
    Pair(
        "OW114",
        bad=_domain("version: 1", "version: 1\nmirror: opwright.com.acme"),
        good=_domain(),
    ),
    Pair(
        "OW115",
        bad=_spec("[vectors.yaml]", "[vectors.yaml, more.yaml]"),
        good=_spec(),
    ),
    Pair(
        "OW116",
        bad=_spec('opset: ">=18"', 'opset: "18+"'),
        good=_spec(),
    ),
    Pair(
        "OW117",
        bad=_spec('opset: ">=18"', 'opset: ">=13"'),
        good=_spec(),
    ),
    Pair(
        "OW118",
        bad=_spec("since_version: 1\n", "versions: [{since_version: 1}, {since_version: 1}]\n"),
        good=_spec("since_version: 1\n", "versions: [{since_version: 1}]\n"),
    ),
    Pair(
        "OW119",
        bad=_spec("since_version: 1", "since_version: 2"),
        good=_spec(),
    ),
    Pair(
        "OW120",
        bad=_library("opsets:", 'requires: {opwright: ">=99"}\nopsets:'),
        good=_library("opsets:", 'requires: {opwright: ">=0.1"}\nopsets:'),
    ),
    Pair(
        "OW121",
        bad=_library("<=22", "<=40"),
        good=_library(),
    ),
    Pair(
        "OW122",
        bad=_spec("[float, double]", "[float32, double]"),
        good=_spec(),
    ),
    Pair(
        "OW123",
        bad=_spec("{T: [float, double]}", "{T: [float, double], U: [int64]}"),
        good=_spec(),
    ),
    Pair(
        "OW124",
        bad=_spec("outputs: {Y: T}", "outputs: {X: T}"),
        good=_spec(),
    ),
    Pair(
        "OW125",
        bad=_spec("[vectors.yaml]", "[onnx@newest]"),
        good=_spec(),
    ),
    Pair(
        "OW126",
        bad=_spec("types:", "tolerance: {default: {ulp: 64}}\ntypes:"),
        good=_spec("types:", "tolerance: {default: {ulp: 64}, reason: Sums 1000 terms.}\ntypes:"),
    ),
    Pair(
        "OW127",
        bad=_spec("reference: reference.py", "reference: ../Other/reference.py"),
        good=_spec(),
    ),
    Pair(
        "OW128",
        bad=Example("new function com.acme/Swish"),
        good=Example("new function com.acme/Another"),
    ),
    Pair(
        "OW129",
        bad=Example("new function Another"),
        good=Example("new function com.acme/Another"),
    ),
    Pair(
        "OW130",
        bad=_rows("  - name: ones", "  - name: ones\n    inputs: {X: [1.0]}\n  - name: ones"),
        good=_rows(),
    ),
    Pair(
        "OW131",
        bad=Example("new function com.acme/Another", {"specs/com.acme/released/release.lock": "{}\n"}),
        good=Example("new function com.acme/Another"),
    ),
    Pair(
        "OW132",
        bad=Example("new function org.acme/Another", {"specs/org.acme": "A file where the folder would be.\n"}),
        good=Example("new function org.acme/Another"),
    ),
    Pair(
        "OW133",
        bad=_library("opsets:", 'dependencies: {acme-ops: ">=1"}\nopsets:'),
        good=_library("opsets:", "dependencies: {}\nopsets:"),
    ),
    Pair("OW134", bad=_packages("domains: [com.acme.more]", "domains: [com.acme, com.acme.more]"), good=_packages()),
    Pair("OW135", bad=_packages("library: more", "library: BASE"), good=_packages()),
    Pair("OW136", bad=_packages("com.acme.more", "com.acme.mroe"), good=_packages(), beside=("OW137",)),
    Pair(
        "OW137", bad=_packages("domains: [com.acme.more]", "domains: [com.acme.x]"), good=_packages(), beside=("OW136",)
    ),
    Pair("OW138", bad=_packages("domains: [com.acme]", "domains: [com.acme], dependencies: [more]"), good=_packages()),
    Pair("OW139", bad=_packages("version:", "package: base\nversion:"), good=_packages()),
    Pair("OW140", bad=_packages("dependencies: [base]", 'dependencies: {base: ">=2"}'), good=_packages()),
)
