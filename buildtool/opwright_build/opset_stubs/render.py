"""The stubs' texts, by path below the package `opwright`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from opwright_build.opset_stubs.methods import method
from opwright_build.opset_stubs.python_types import Names
from opwright_build.opset_stubs.tensors import tensor_classes
from opwright_build.opset_stubs.versions import DomainVersion, all_versions

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
    return _render(
        "opset.pyi.jinja2",
        command=COMMAND,
        version=version,
        domain=version.domain or "ai.onnx",
        base=base,
        names=names.declared,
        methods=methods,
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("opwright_build.opset_stubs"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def _render(template: str, **values: object) -> str:
    return _environment().get_template(template).render(**values)
