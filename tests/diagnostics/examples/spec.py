"""OW101 to OW133: library.yaml, domain.yaml, spec.yaml, vector files, and `opwright new`."""

from __future__ import annotations

from tests.diagnostics.examples import Entry, Example

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


ENTRIES: tuple[Entry, ...] = (
    Entry(
        "OW101",
        "The YAML cannot be read",
        "A bracket, a quote or a colon is missing or stands in the wrong place, so the meaning of the file is unclear.",
        bad=_spec("[float, double]}", "[float, double}"),
        good=_spec(),
    ),
    Entry(
        "OW102",
        "A character that YAML files may not hold",
        "Tabs, control characters, byte order marks and bytes that are not UTF-8 look alike in an editor and mean "
        "different things to different readers of YAML.",
        bad=_spec("inputs: {X: T}", "inputs:\n\tX: T"),
        good=_spec("inputs: {X: T}", "inputs:\n  X: T"),
    ),
    Entry(
        "OW103",
        "A part of YAML that is not read",
        "Anchors, aliases, merge keys, tags, directives and further documents make one line change the meaning of "
        "another. A spec says each thing where it applies.",
        bad=_spec("inputs: {X: T}", "inputs: &same {X: T}"),
        good=_spec(),
    ),
    Entry(
        "OW104",
        "A key stands twice",
        "Most readers of YAML would silently keep the last one.",
        bad=_spec('opset: ">=18"', 'opset: ">=18"\nopset: ">=20"'),
        good=_spec(),
    ),
    Entry(
        "OW105",
        "The file is too large or too deep",
        "Files of a spec are written by hand; the limits keep a hostile one from costing memory or time. Large vectors "
        "are generated rows (`distribution`, `shape`, `seed`).",
        bad=_spec("inputs: {X: T}", "inputs: {X: " + "[" * 50 + "]" * 50 + "}"),
        good=_spec(),
    ),
    Entry(
        "OW106",
        "A key is not known",
        "A misspelt key would be ignored, and with it what it says.",
        bad=_spec("summary:", "sumary:"),
        good=_spec(),
    ),
    Entry(
        "OW107",
        "A key is missing",
        "There is no default for it.",
        bad=_spec("outputs: {Y: T}\n", ""),
        good=_spec(),
    ),
    Entry(
        "OW108",
        "A value of the wrong kind",
        "Text, numbers, sequences and mappings are not converted into one another: `0.1` is a number and no release, "
        "`no` is text and not false.",
        bad=_spec("since_version: 1", 'since_version: "1"'),
        good=_spec(),
    ),
    Entry(
        "OW109",
        "A value that is not admitted",
        "The value has the right kind, but not a form, a size or a choice that means something here.",
        bad=_spec("reference: reference.py", "reference: reference.txt"),
        good=_spec(),
    ),
    Entry(
        "OW110",
        "No library here",
        "Commands work on the library whose specs/library.yaml is found from the current folder upward, or from the "
        "path that is given.",
        bad=Example("build", {_LIBRARY_FILE: ""}),
        good=Example("build"),
    ),
    Entry(
        "OW111",
        "The file has a newer form than this opwright reads",
        "`schema:` counts the forms of the file. An older opwright cannot know what a newer form means.",
        bad=_spec("schema: 1", "schema: 2"),
        good=_spec(),
    ),
    Entry(
        "OW112",
        "The file and its folder disagree",
        "A function is found by its folder: specs/<domain>/<Name>/. What the file says must be the same.",
        bad=_spec("name: Swish", "name: Swich"),
        good=_spec(),
    ),
    Entry(
        "OW113",
        "A domain that a library cannot have",
        "`this`, the empty name and com.microsoft mean something else to the standard and to runtimes; domains that "
        "end in `.internal` hold helpers.",
        bad=Example("build", {"specs/com.microsoft/domain.yaml": _DOMAIN}),
        good=Example("build", {"specs/com.acme.more/domain.yaml": _DOMAIN}),
    ),
    Entry(
        "OW114",
        "The mirror of a domain is wrong",
        "Runtimes ignore a local function that is named like an operator of the standard, so functions of ai.onnx are "
        "emitted in a mirror domain outside it. Other domains need none.",
        bad=_domain("version: 1", "version: 1\nmirror: opwright.com.acme"),
        good=_domain(),
    ),
    Entry(
        "OW115",
        "A file is missing or cannot be read",
        "A file that YAML names, or that a folder of specs needs, is not there, or is no regular file.",
        bad=_spec("[vectors.yaml]", "[vectors.yaml, more.yaml]"),
        good=_spec(),
    ),
    Entry(
        "OW116",
        "The opset range cannot be read",
        "A range is `>=13`, `>=13,<=20` or `==18`; that of a library has both ends.",
        bad=_spec('opset: ">=18"', 'opset: "18+"'),
        good=_spec(),
    ),
    Entry(
        "OW117",
        "The opset range leaves the library's",
        "library.yaml states the opsets that everything in the library is built for; a spec may narrow that range.",
        bad=_spec('opset: ">=18"', 'opset: ">=13"'),
        good=_spec(),
    ),
    Entry(
        "OW118",
        "A since_version stands twice",
        "(domain, name, since_version) is the identity of a function.",
        bad=_spec("since_version: 1\n", "versions: [{since_version: 1}, {since_version: 1}]\n"),
        good=_spec("since_version: 1\n", "versions: [{since_version: 1}]\n"),
    ),
    Entry(
        "OW119",
        "A since_version above the domain's version",
        "A node finds the greatest since_version at or below the version of the domain that the model imports, so a "
        "function above the domain's version could never be called.",
        bad=_spec("since_version: 1", "since_version: 2"),
        good=_spec(),
    ),
    Entry(
        "OW120",
        "The library requires another opwright",
        "`requires: {opwright: ...}` in library.yaml names the releases that the library was written for.",
        bad=_library("opsets:", 'requires: {opwright: ">=99"}\nopsets:'),
        good=_library("opsets:", 'requires: {opwright: ">=0.1"}\nopsets:'),
    ),
    Entry(
        "OW121",
        "The installed onnx does not know the library's last opset",
        "Operators are looked up in the installed onnx. With an older one the bundle would silently lack opsets.",
        bad=_library("<=22", "<=999"),
        good=_library(),
    ),
    Entry(
        "OW122",
        "Neither a type variable nor an element type",
        "The type of an input or output is a variable of `types:` or one of ONNX's element types (`float`, `int64`).",
        bad=_spec("[float, double]", "[float32, double]"),
        good=_spec(),
    ),
    Entry(
        "OW123",
        "A type variable that nothing has",
        "It would promise types of no input and no output.",
        bad=_spec("{T: [float, double]}", "{T: [float, double], U: [int64]}"),
        good=_spec(),
    ),
    Entry(
        "OW124",
        "An input and an output of one name",
        "In an ONNX function every name is assigned once, and inputs count.",
        bad=_spec("outputs: {Y: T}", "outputs: {X: T}"),
        good=_spec(),
    ),
    Entry(
        "OW125",
        "Not a source of vectors",
        "Sources are `onnx` (the standard's cases of this version), `onnx@latest`, `onnx:<pattern>` and files of rows.",
        bad=_spec("[vectors.yaml]", "[onnx@newest]"),
        good=_spec(),
    ),
    Entry(
        "OW126",
        "A looser tolerance without a reason",
        "The default tolerance fits a correct body of a few operators. Whoever needs more says why, for those who "
        "review it and those who read it later.",
        bad=_spec("types:", "tolerance: {default: {ulp: 64}}\ntypes:"),
        good=_spec("types:", "tolerance: {default: {ulp: 64}, reason: Sums 1000 terms.}\ntypes:"),
    ),
    Entry(
        "OW127",
        "A path that leaves the spec folder",
        "A spec reads files of its own folder alone, so that one from a stranger can be built.",
        bad=_spec("reference: reference.py", "reference: ../Other/reference.py"),
        good=_spec(),
    ),
    Entry(
        "OW128",
        "The function exists already",
        "`opwright new` overwrites nothing.",
        bad=Example("new function com.acme/Swish"),
        good=Example("new function com.acme/Another"),
    ),
    Entry(
        "OW129",
        "Not a name for a new function",
        "A function is named <domain>/<Name>: the domain has a dot, so that it meets no one else's, and the name can "
        "be that of a Python function.",
        bad=Example("new function Another"),
        good=Example("new function com.acme/Another"),
    ),
    Entry(
        "OW130",
        "A row name stands twice",
        "Results and the lock name a row by its name.",
        bad=_rows("  - name: ones", "  - name: ones\n    inputs: {X: [1.0]}\n  - name: ones"),
        good=_rows(),
    ),
    Entry(
        "OW131",
        "The domain's version must be raised",
        "A released version of a domain never gains a function, so a new one begins at the next version.",
        bad=Example("new function com.acme/Another", {"specs/com.acme/released/release.lock": "{}\n"}),
        good=Example("new function com.acme/Another"),
    ),
    Entry(
        "OW132",
        "The new function cannot be written",
        "The folder cannot be made or written to. Nothing is left half done.",
        bad=Example("new function org.acme/Another", {"specs/org.acme": "A file where the folder would be.\n"}),
        good=Example("new function org.acme/Another"),
    ),
    Entry(
        "OW133",
        "A library depends on another one",
        "A dependency that is listed and not resolved would be silently left out of what is built.",
        bad=_library("opsets:", 'dependencies: {acme-ops: ">=1"}\nopsets:'),
        good=_library("opsets:", "dependencies: {}\nopsets:"),
    ),
)
