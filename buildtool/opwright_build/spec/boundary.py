"""Where YAML becomes typed values: pydantic checks the shape, and each of its findings goes back to its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, get_args

from opwright.diagnostics.diagnostic import Diagnostic, Place, Replacement
from opwright.suggest import did_you_mean, nearest
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails
from typing_extensions import TypeAliasType

from opwright_build.spec.name_patterns import PATTERN_WORDS
from opwright_build.spec.ranges import range_of
from opwright_build.spec.yaml_nodes import (
    MappingNode,
    Node,
    Scalar,
    kind_of,
    node_at,
    plain_data,
    renamed_key,
    renamed_word,
    rewritten,
)
from opwright_build.spec.yaml_source import MAX_FINDINGS


class Strict(BaseModel):
    """Base of the models of YAML files: no unknown keys, no conversions."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


ModelT = TypeVar("ModelT", bound=Strict)


@dataclass(frozen=True, slots=True)
class Checked(Generic[ModelT]):
    value: ModelT | None
    diagnostics: tuple[Diagnostic, ...]


def check(model: type[ModelT], root: Node) -> Checked[ModelT]:
    """The tree as a value of the model, or a diagnostic for each thing that is wrong with it."""
    if not isinstance(root, MappingNode):
        message = f"the file must hold a mapping of keys, but holds {kind_of(plain_data(root))}"
        return Checked(None, (Diagnostic("OW108", message, root.place),))
    try:
        return Checked(model.model_validate(plain_data(root)), ())
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=True, include_input=True)
        misspelt = _misspelt(model, details)
        told = [detail for detail in details if detail["type"] != "missing" or _path(detail) not in misspelt]
        return Checked(None, tuple(_diagnostic(model, root, detail) for detail in told[:MAX_FINDINGS]))


def tag(name: str) -> str:
    """The name of an alternative of a union. No key of a YAML file holds a control character, so no key is a tag."""
    return f"\x01{name}"


def _misspelt(model: type[Strict], details: Iterable[ErrorDetails]) -> set[tuple[int | str, ...]]:
    """The keys that unknown ones are taken for. Where such a key is missing, the unknown one tells the mistake."""
    unknown = (_path(detail) for detail in details if detail["type"] == "extra_forbidden")
    return {(*path[:-1], nearest(str(path[-1]), _known_keys(model, path[:-1]))) for path in unknown}


def _path(detail: ErrorDetails) -> tuple[int | str, ...]:
    return tuple(step for step in detail["loc"] if not str(step).startswith("\x01"))


def _diagnostic(model: type[Strict], root: MappingNode, detail: ErrorDetails) -> Diagnostic:
    path = _path(detail)
    context = detail.get("ctx", {})
    if "key" in context:  # a finding about one key of the mapping at hand
        path = (*path, context["key"])
    if path[-1:] == ("[key]",) and node_at(root, path) is None:
        return _refused_key(root, path[:-1], detail)
    match detail["type"]:
        case "extra_forbidden":
            return _unknown_key(model, root, path)
        case "missing":
            return Diagnostic("OW107", f"the key `{path[-1]}` is missing{_inside(path[:-1])}", _nearest(root, path))
        case _:
            return _refused_value(path, _value_place(root, path), detail, node_at(root, path))


def _refused_value(path: tuple[int | str, ...], place: Place, detail: ErrorDetails, node: Node | None) -> Diagnostic:
    value, context, where = detail["input"], detail.get("ctx", {}), _dotted(path)
    match detail["type"]:
        case code if code.startswith("OW"):
            fix = _rewritten(node, context.get("meant", ""))
            return Diagnostic(code, detail["msg"], place, help=context.get("help", ""), replacement=fix)
        case "less_than_equal" if path == ("schema",):
            message = f"schema {value} is newer than this opwright reads (up to {context['le']})"
            return Diagnostic("OW111", message, place, help="Install a newer opwright, or write the older form.")
        case kind if kind.endswith("_type") or kind == "int_from_float":
            message = f"`{where}` must be {_WANTED.get(kind, 'something else')}, but is {kind_of(value)}"
            help_, fix = "", None
            if kind == "string_type":
                help_, fix = _as_text(path, value), _quoted(node, path, value)
            elif kind == "bool_type":
                fix = _rewritten(node, _TRUTH.get(str(value).lower(), ""))
                help_ = f"Write `{fix.new}`." if fix is not None else ""
            return Diagnostic("OW108", message, place, help=help_, replacement=fix)
        case "string_pattern_mismatch":
            message = f"`{where}` must be {_words(detail)}, but is `{_short(str(value))}`"
            return Diagnostic("OW109", message, place)
        case "literal_error":
            message = f"`{where}` must be {_words(detail)}, but is `{_short(str(value))}`"
            fix = renamed_word(node, _listed(detail))
            return Diagnostic("OW109", message, place, help=_meant(fix), replacement=fix)
        case _:
            return Diagnostic("OW109", f"`{where}`: {detail['msg'][:1].lower()}{detail['msg'][1:]}", place)


def _as_text(path: tuple[int | str, ...], value: object) -> str:
    """What to write where text is wanted and a number or a truth value stands."""
    if path[-1:] in (("opset",), ("opsets",)) and isinstance(value, int):
        return range_of(str(value), both_ends=path[-1] == "opsets")
    return "Put quotes around it." if isinstance(value, bool | int | float) else ""


def _refused_key(root: MappingNode, path: tuple[int | str, ...], detail: ErrorDetails) -> Diagnostic:
    """A key of a mapping whose keys are free within a form, or are one of a few words."""
    place = _key_place(root, path)
    if detail["type"] == "literal_error":
        message = f"the key `{_short(str(path[-1]))}` is not known{_inside(path[:-1])}"
        fix = renamed_key(node_at(root, path[:-1]), str(path[-1]), _listed(detail))
        return Diagnostic(
            "OW106", message, place, help=_meant(fix) or f"Known here: {_words(detail)}.", replacement=fix
        )
    refused = _refused_value(path, place, detail, None)
    return replace(refused, message=f"the key `{_short(str(path[-1]))}`{_inside(path[:-1])} must be {_words(detail)}")


def _words(detail: ErrorDetails) -> str:
    """What was wanted: the words of a pattern, the values of a list, or pydantic's own sentence."""
    context = detail.get("ctx", {})
    match detail["type"]:
        case "string_pattern_mismatch":
            return PATTERN_WORDS.get(context["pattern"], f"text of the form {context['pattern']}")
        case "literal_error":
            return str(context["expected"]).replace("'", "`")
        case _:
            return detail["msg"].removeprefix("String should have ")


_WANTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a sequence",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}


def _unknown_key(model: type[Strict], root: MappingNode, path: tuple[int | str, ...]) -> Diagnostic:
    key = str(path[-1])
    place = _key_place(root, path)
    message = f"the key `{_short(key)}` is not known{_inside(path[:-1])}"
    value = node_at(root, path)
    if ":" in key and value is not None and plain_data(value) is None:
        return Diagnostic("OW106", message, place, help="Put a space after the colon.")
    known = _known_keys(model, path[:-1])
    if key in known:  # of another form than the one that the other keys are of
        forms = map(_fields, _models_at(model, path[:-1]))
        message = f"the key `{_short(key)}` does not go with the other keys{_inside(path[:-1])}"
        beside = sorted({name for form in forms if key in form for name in form if name != key})
        return Diagnostic("OW106", message, place, help=f"It goes with {', '.join(beside)}.")
    fix = renamed_key(node_at(root, path[:-1]), key, known)
    return Diagnostic("OW106", message, place, help=did_you_mean(key, known), replacement=fix)


def _meant(fix: Replacement | None) -> str:
    return f"Did you mean `{fix.new}`?" if fix is not None else ""


def _listed(detail: ErrorDetails) -> list[str]:
    """The values of a list, as pydantic names them."""
    return re.findall(r"'([^']*)'", str(detail.get("ctx", {}).get("expected", "")))


def _rewritten(node: Node | None, meant: str) -> Replacement | None:
    """The fix that writes what a scalar is sure to mean."""
    if isinstance(node, Scalar):
        return rewritten(node.place, node.text, meant) if node.plain or meant not in _TRUTH.values() else None
    return None


def _quoted(node: Node | None, path: tuple[int | str, ...], value: object) -> Replacement | None:
    """The fix that makes text of a number or a truth value. Of an opset two things may be meant."""
    if path[-1:] in (("opset",), ("opsets",)) or not isinstance(value, bool | int | float):
        return None
    is_plain = isinstance(node, Scalar) and node.plain
    return rewritten(node.place, node.text, node.text, quoted=True) if isinstance(node, Scalar) and is_plain else None


_TRUTH = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}


def _known_keys(model: type[Strict], path: tuple[int | str, ...]) -> list[str]:
    return sorted({name for form in _models_at(model, path) for name in _fields(form)})


def _models_at(model: type[Strict], path: tuple[int | str, ...]) -> set[type[Strict]]:
    """The forms of a mapping at that path. Positions, and keys that name no field, lead to the same models."""
    models = {model}
    for step in path:
        inner = {found for each in models for found in _models_below(each, step)}
        models = inner if any(step in _fields(each) for each in models) else models
    return models


def _models_below(model: type[Strict], step: int | str) -> Iterator[type[Strict]]:
    annotation = _fields(model).get(step) if isinstance(step, str) else None
    pending: list[Any] = [annotation]
    while pending:
        item = pending.pop()
        if isinstance(item, type) and issubclass(item, Strict):
            yield item
        elif isinstance(item, TypeAliasType):
            pending.append(item.__value__)
        pending.extend(get_args(item))


def _fields(model: type[Strict]) -> dict[str, Any]:
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _value_place(root: MappingNode, path: tuple[int | str, ...]) -> Place:
    node = node_at(root, path)
    return node.place if node is not None else _nearest(root, path)


def _key_place(root: MappingNode, path: tuple[int | str, ...]) -> Place:
    """Where the key at the path stands; an item of a sequence has no key, so the item itself."""
    parent = node_at(root, path[:-1])
    if isinstance(parent, MappingNode) and path and path[-1] in parent.entries:
        return parent.entries[str(path[-1])].key
    return _value_place(root, path)


def _nearest(root: MappingNode, path: tuple[int | str, ...]) -> Place:
    """For what is not there: the key, or the item, of the innermost thing on the path that is."""
    for length in range(len(path) - 1, 0, -1):
        if node_at(root, path[:length]) is not None:
            return _key_place(root, path[:length])
    return root.place


def _inside(path: tuple[int | str, ...]) -> str:
    return f" in `{_dotted(path)}`" if path else ""


def _dotted(path: tuple[int | str, ...]) -> str:
    return _short(".".join(str(step) for step in path))


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."
