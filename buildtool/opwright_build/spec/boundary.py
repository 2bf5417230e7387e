"""Where YAML becomes typed values: pydantic checks the shape, and each of its findings goes back to its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, get_args

from opwright.diagnostics.model import Diagnostic, Place
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from opwright_build.spec.names import PATTERN_WORDS
from opwright_build.spec.suggest import did_you_mean
from opwright_build.spec.yaml_source import MAX_FINDINGS, MappingNode, Node, kind_of, node_at, plain_data


class Strict(BaseModel):
    """Base of the models of YAML files: no unknown keys, no conversions."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


ModelT = TypeVar("ModelT", bound=Strict)


@dataclass(frozen=True, slots=True)
class Checked(Generic[ModelT]):
    value: ModelT | None
    diagnostics: tuple[Diagnostic, ...]


def check(model: type[ModelT], root: Node, file: str) -> Checked[ModelT]:
    """The tree as a value of the model, or a diagnostic for each thing that is wrong with it."""
    if not isinstance(root, MappingNode):
        message = f"the file must hold a mapping of keys, but holds {kind_of(plain_data(root))}"
        return Checked(None, (Diagnostic("OW108", message, root.place),))
    try:
        return Checked(model.model_validate(plain_data(root)), ())
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=True, include_input=True)
        found = tuple(_diagnostic(model, root, detail, file) for detail in details)
        return Checked(None, found[:MAX_FINDINGS])


def tag(name: str) -> str:
    """The name of an alternative of a union; kept apart from keys when places are looked up."""
    return f"<{name}>"


def _diagnostic(model: type[Strict], root: MappingNode, detail: ErrorDetails, file: str) -> Diagnostic:
    path = tuple(step for step in detail["loc"] if not _is_tag(step))
    context = detail.get("ctx", {})
    if "key" in context:  # a finding about one key of the mapping at hand
        path = (*path, context["key"])
    place = _place(root, path, file)
    where = ".".join(str(step) for step in path)
    match detail["type"]:
        case code if code.startswith("OW"):
            return Diagnostic(code, detail["msg"], place, help=context.get("help", ""))
        case "extra_forbidden":
            return _unknown_key(model, root, path)
        case "missing":
            return Diagnostic("OW107", f"the key `{path[-1]}` is missing{_inside(path[:-1])}", place)
        case "less_than_equal" if path == ("schema",):
            message = f"schema {detail['input']} is newer than this opwright reads (up to {context['le']})"
            return Diagnostic("OW111", message, place, help="Install a newer opwright, or write the older form.")
        case kind if kind.endswith("_type") or kind == "int_from_float":
            wanted = _WANTED.get(kind, "something else")
            message = f"`{where}` must be {wanted}, but is {kind_of(detail['input'])}"
            quote = kind == "string_type" and isinstance(detail["input"], bool | int | float)
            return Diagnostic("OW108", message, place, help="Put quotes around it." if quote else "")
        case "string_pattern_mismatch":
            wanted = PATTERN_WORDS.get(context["pattern"], f"text of the form {context['pattern']}")
            return Diagnostic("OW109", f"`{where}` must be {wanted}, but is `{_short(detail['input'])}`", place)
        case "literal_error":
            wanted = context["expected"].replace("'", "`")
            return Diagnostic("OW109", f"`{where}` must be {wanted}, but is `{_short(detail['input'])}`", place)
        case _:
            return Diagnostic("OW109", f"`{where}`: {_sentence(detail['msg'])}", place)


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
    place = _key_or_item(root, path)
    message = f"the key `{key}` is not known{_inside(path[:-1])}"
    value = node_at(root, path)
    if ":" in key and value is not None and plain_data(value) is None:
        return Diagnostic("OW106", message, place, help="Put a space after the colon.")
    known = sorted(_keys_at(model, path[:-1]))
    return Diagnostic("OW106", message, place, help=did_you_mean(key, known))


def _keys_at(model: type[Strict], path: tuple[int | str, ...]) -> set[str]:
    """The keys that the model knows at that path. Positions, and keys that name no field, lead to the same models."""
    models = {model}
    for step in path:
        inner = {found for each in models for found in _models_below(each, step)}
        models = inner if any(step in _fields(each) for each in models) else models
    return {key for each in models for key in _fields(each)}


def _models_below(model: type[Strict], step: int | str) -> Iterator[type[Strict]]:
    annotation = _fields(model).get(step) if isinstance(step, str) else None
    pending: list[Any] = [annotation]
    while pending:
        item = pending.pop()
        if isinstance(item, type) and issubclass(item, Strict):
            yield item
        pending.extend(get_args(item))


def _fields(model: type[Strict]) -> dict[str, Any]:
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _place(root: MappingNode, path: tuple[int | str, ...], file: str) -> Place:
    """The value at the path; for what is missing the nearest thing that is there."""
    if path and isinstance(path[-1], str):
        parent = node_at(root, path[:-1])
        if isinstance(parent, MappingNode) and path[-1] in parent.entries:
            return parent.entries[path[-1]].value.place
    for length in range(len(path), 0, -1):
        node = node_at(root, path[:length])
        if node is not None:
            return _key_or_item(root, path[:length])
    return Place(file, 1, 1, 1, 1)


def _key_or_item(root: MappingNode, path: tuple[int | str, ...]) -> Place:
    parent = node_at(root, path[:-1])
    if isinstance(parent, MappingNode):
        return parent.entries[str(path[-1])].key
    node = node_at(root, path)
    return node.place if node is not None else root.place


def _is_tag(step: int | str) -> bool:
    return isinstance(step, str) and (step.startswith("<") or step == "[key]")


def _inside(path: tuple[int | str, ...]) -> str:
    return f" in `{'.'.join(str(step) for step in path)}`" if path else ""


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _sentence(text: str) -> str:
    return text[:1].lower() + text[1:]
