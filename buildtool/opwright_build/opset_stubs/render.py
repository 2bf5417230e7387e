"""The stubs' texts, by path below the package `opwright`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from opwright_build.opset_stubs.domain_versions import DomainVersion, all_versions
from opwright_build.opset_stubs.imports import imports
from opwright_build.opset_stubs.methods import method
from opwright_build.opset_stubs.python_types import Named, Names
from opwright_build.opset_stubs.tensors import tensor_classes
from opwright_build.templates import render

_ITEMS = {  # of sequences, which the schemas do not tie to the tensors in them
    "_Item": Named("_Item", ("_Tensor",), "bound"),
    "_Given": Named("_Given", ("_Tensor", "_Sequence[_Tensor]"), "bound"),
}
COMMAND = "python -m opwright_build.opset_stubs library/opwright"


def render_all() -> dict[str, str]:
    """Every stub that this package generates. The same onnx gives the same bytes."""
    versions = all_versions()
    files = {
        "types.pyi": _render("types.pyi.jinja2", command=COMMAND, classes=tensor_classes()),
        "opsets/__init__.pyi": _render(
            "opsets.pyi.jinja2", command=COMMAND, versions=versions, latest=_newest(versions)
        ),
    }
    bases: dict[str, DomainVersion] = {}
    for version in versions:
        files[f"opsets/generated/{version.name}.pyi"] = _opset(version, bases.get(version.domain))
        bases[version.domain] = version
    return files


def _newest(versions: Sequence[DomainVersion]) -> DomainVersion:
    return max((item for item in versions if not item.domain), key=lambda item: item.version)


def _opset(version: DomainVersion, base: DomainVersion | None) -> str:
    names = Names()
    methods = [method(item, names) for item in version.changed]
    lines = [line for item in methods for form in item.overloads for line in form.lines(item.name)]
    for name in _ITEMS:
        if re.search(rf"\b{name}\b", " ".join(lines)):
            names.declared.append(_ITEMS[name])
    return _render(
        "opset.pyi.jinja2",
        command=COMMAND,
        imports=imports(base, methods, [*lines, *(name.line for name in names.declared)]),
        version=version,
        domain=version.domain or "ai.onnx",
        base=base,
        names=names.declared,
        methods=methods,
    )


def _render(template: str, **values: object) -> str:
    return render("opwright_build.opset_stubs", template, **values)
