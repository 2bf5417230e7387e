"""OW630 to OW637: libraries that are called, and the lock that says which release."""

from __future__ import annotations

from onnx import parser
from opwright.bundle.format import (
    BodyEntry,
    CallEntry,
    DependencyEntry,
    DomainEntry,
    FunctionEntry,
    Index,
    InputEntry,
    OutputEntry,
)
from opwright.bundle.write import write_bundle
from opwright.protos.canonical import canonicalise

from tests.diagnostics.examples import Example, Pair

_LIBRARY = """\
schema: 1
library: base
version: 1.0.0
package: base
opsets: ">=18,<=22"
dependencies: {{{}}}
"""
_LOCK = "specs/dependencies.lock"
_LINE = '{{"library": "acme-gone", "sha256": "{}", "source": "installed", "version": "1.0.0"}}\n'


def _bundle(library: str, domain: str, carried: str = "") -> str:
    """A library without functions, in hexadecimal; `carried` is the release of acme-low that it carries."""
    carries = DependencyEntry("acme-low", carried, "acme_low", "0" * 64, (DomainEntry("com.low", 1, "com.low"),))
    index = Index(
        library=library,
        version="1.0.0",
        package=library.replace("-", "_"),
        summary="",
        license="",
        opsets=(18, 22),
        onnx="1.22.0",
        domains=(DomainEntry(domain, 1, domain),),
        functions=(),
        dependencies=(carries,) if carried else (),
    )
    return write_bundle(index, {}).hex()


def _depends(text: str, command: str = "update", **files: str) -> Example:
    found = {f"specs/{name}.onnxlib.hex": data for name, data in files.items()}
    return Example(command, {"specs/library.yaml": _LIBRARY.format(text), **found})


_TWICE = '<domain: "d", opset_import: ["": 18]> f (X) => (Y) { Y = Add(X, X) }'
_CALLER = "from acme_nn import opset1 as nn\n\n\ndef Swish(X):\n    return nn.Twice(X)\n"
_SWISH = """\
schema: 1
domain: com.acme
name: Swish
summary: X twice.
since_version: 1
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float]}
"""
_ON_NN = "acme-nn: {bundle: nn.onnxlib}"
_ON_BOTH = f"{_ON_NN}, acme-rnn: {{bundle: rnn.onnxlib}}"
_NN = _bundle("acme-nn", "com.nn")


def _calling(lacks: bool) -> dict[str, str]:
    """A library that calls acme-nn, whose one function calls one that it does not hold, or none."""
    made = canonicalise(parser.parse_function(_TWICE), callees={})
    call = CallEntry("com.gone", "Gone", 1, (), f"body1:{'0' * 64}")
    entry = BodyEntry(18, 22, (), made.digest, made.inputs, (), (("T", ("float",)),), (call,) if lacks else ())
    function = FunctionEntry(
        "com.nn", "Twice", 1, "", "", False, (InputEntry("X", "T"),), (OutputEntry("Y", "T"),), (),
        (("T", ("float",)),), (entry,),
    )  # fmt: skip
    index = Index(
        "acme-nn", "1.0.0", "acme_nn", "", "", (18, 22), "", (DomainEntry("com.nn", 1, "com.nn"),), (function,)
    )
    return {
        "specs/library.yaml": _LIBRARY.format(_ON_NN),
        "specs/nn.onnxlib.hex": write_bundle(index, {made.digest: made.proto}).hex(),
        "specs/com.acme/Swish/function.py": _CALLER,
        "specs/com.acme/Swish/spec.yaml": _SWISH,
    }


PAIRS: tuple[Pair, ...] = (
    Pair(
        "OW630",
        bad=Example("build", {_LOCK: "acme-nn 1.0.0\n"}),
        good=Example("build", {_LOCK: "\n"}),
    ),
    Pair(
        "OW631",
        bad=_depends(_ON_NN, "build", nn=_NN),
        good=_depends(_ON_NN, "update && build", nn=_NN),
    ),
    Pair(
        "OW632",
        bad=_depends(_ON_NN, nn=_bundle("acme-other", "com.nn")),
        good=_depends(_ON_NN, nn=_NN),
    ),
    Pair(
        "OW633",
        bad=_depends('acme-nn: {bundle: nn.onnxlib, version: ">=2"}', nn=_NN),
        good=_depends('acme-nn: {bundle: nn.onnxlib, version: ">=1,<2"}', nn=_NN),
    ),
    Pair(
        "OW634",
        bad=_depends(_ON_NN, nn=_bundle("acme-nn", "com.acme")),
        good=_depends(_ON_NN, nn=_NN),
    ),
    Pair(
        "OW635",
        bad=_depends(_ON_BOTH, nn=_bundle("acme-nn", "com.nn", "1.0.0"), rnn=_bundle("acme-rnn", "com.rnn", "1.2.0")),
        good=_depends(_ON_BOTH, nn=_bundle("acme-nn", "com.nn", "1.2.0"), rnn=_bundle("acme-rnn", "com.rnn", "1.2.0")),
    ),
    Pair(
        "OW637",
        bad=Example("update && build", _calling(lacks=True)),
        good=Example("update && build", _calling(lacks=False)),
    ),
    Pair(
        "OW636",
        bad=Example("build", {_LOCK: _LINE.format("0" * 64)}),
        good=Example("build", {_LOCK: "\n"}),
    ),
)
