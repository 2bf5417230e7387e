"""Defects that a campaign must find. They are planted in the judging process alone, never in the product."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Defect:
    """`kind` is the kind of input that shows it; `plant` changes the product in this process."""

    kind: str
    plant: Callable[[], None]


def _replace(places: str, name: str, made: Callable[[Any], Any]) -> Callable[[], None]:
    """Puts another function in the place of one, in each module that has it."""

    def plant() -> None:
        modules = [import_module(place) for place in places.split()]
        replacement = made(getattr(modules[0], name))
        for module in modules:
            setattr(module, name, replacement)

    return plant


def _nothing(original: Any) -> Any:
    return lambda *arguments, **options: None


def _unless(found: Callable[..., bool], wrong: Callable[..., object]) -> Callable[[Any], Any]:
    """The function, but for what `found` is true of."""

    def made(original: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            if found(*arguments):
                wrong(*arguments)
            return original(*arguments, **options)

        return call

    return made


def _raise(*arguments: object) -> None:
    raise KeyError("planted")


def _spin(*arguments: object) -> None:
    while True:
        pass


def _hoard(*arguments: object) -> None:
    held = []
    while True:
        held.append(bytes(1 << 26))


def _stray(*arguments: object) -> None:
    Path("/dev/shm/opwright-planted").write_text("planted", encoding="utf-8")


_CHECKERS = "opwright.link.apply opwright.link.inspect opwright.link.detach opwright.downlevel.rewrite"
_CHECK = f"{_CHECKERS} opwright.decompiler.decompile opwright.protos.compare"
_STRUCTURE = "opwright.graphs.structure"


def _skip_method(name: str, module: str = _STRUCTURE, of: str = "_Check") -> Callable[[], None]:
    def plant() -> None:
        setattr(getattr(import_module(module), of), name, _nothing(None))

    return plant


def _skip_checks_of_links() -> None:
    """Reading elsewhere leaves no trace, so that it is seen here."""
    confine = import_module("opwright_build.spec.confine")

    def inside(path: str, folder: str) -> bool:
        return "/home/" not in path or bool(_raise())

    confine._inside = inside


def _unchecked_texts() -> None:
    import_module("opwright.bundle.json_form")._Place.text = lambda place: place.value


def _skip_checks_of_outputs() -> None:
    for name in ("require_folder", "require_file"):
        _skip_method(name, "opwright_build.engine.tree", "Tree")()


DEFECTS: Mapping[str, Defect] = {
    "no check of structure": Defect("model", _replace(_CHECK, "check_structure", _nothing)),
    "graphs of control flow are not asked for": Defect("model", _skip_method("_required")),
    "texts are not checked": Defect("model", _replace(_STRUCTURE, "refuse_broken_text", _nothing)),
    "a place in a file that is no number": Defect(
        "model", _replace(_STRUCTURE, "_is_position", _unless(lambda text: not text.isdigit(), _raise))
    ),
    "versions are not checked": Defect("model", _skip_method("_imports")),
    "an operator without a name": Defect(
        "model", _replace("opwright.link.inspect", "call_id", _unless(lambda node: not node.op_type, _raise))
    ),
    "a domain that is not known spins": Defect(
        "model", _replace("opwright.link.propagate", "normal_domain", _unless(lambda name: name == "x", _spin))
    ),
    "many dimensions hoard": Defect(
        "model", _replace("opwright.link.check", "_size", _unless(lambda tensor: len(tensor.dims) > 1, _hoard))
    ),
    "an attached function without its record": Defect(
        "model",
        _replace("opwright.link.detach", "_memo", _unless(lambda held, key, file: key == "opwright.call", _raise)),
    ),
    "a long name is written elsewhere": Defect(
        "model",
        _replace("opwright.link.inspect", "function_id", _unless(lambda item: len(item.value_info) < 9, _stray)),
    ),
    "texts of an index may be anything": Defect("onnxlib", _unchecked_texts),
    "what a body takes is not compared with its interface": Defect(
        "onnxlib", _replace("opwright.link.instantiate", "_check_shape", _nothing)
    ),
    "lists of the index may be too short": Defect(
        "onnxlib",
        _replace("opwright.bundle.json_form", "_at_least", lambda original: lambda place, count: place.items()),
    ),
    "output folders may be links": Defect("folder", _skip_checks_of_outputs),
    "links in a library may lead out of it": Defect("folder", _skip_checks_of_links),
    "a range of opsets that is none": Defect(
        "folder", _replace("opwright_build.spec.ranges", "_range", _unless(lambda first, last: last < first, _raise))
    ),
    "texts of many lines": Defect(
        "folder",
        _replace(
            "opwright_build.package.wheel",
            "_metadata",
            _unless(lambda library, *rest: "\n" in library.summary, _raise),
        ),
    ),
}
