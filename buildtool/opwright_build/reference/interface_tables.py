"""How a function is called, and what it takes: the parts of a page that come from its interface."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.bundle.call_interface import shape_text
from opwright.bundle.format import AttributeEntry, FunctionEntry, Index, InputEntry, OutputEntry, Shape
from opwright.bundle.function_words import attribute_kind, literal, parameter_texts, result_text, value_word
from opwright.elements import BY_NAME

from opwright_build.package.stub_docs import def_lines
from opwright_build.package.typed_package import module_name
from opwright_build.prose import prose
from opwright_build.reference.markdown import cell, code, codes, table


def python_form(index: Index, entry: FunctionEntry) -> list[str]:
    """How Python imports it, and its signature."""
    module = module_name(index, entry.domain, entry.since_version)
    lines = def_lines(entry.name, parameter_texts(entry), result_text(entry))
    return [f"from {index.package}.{module} import {entry.name}", "", *lines[:-1], lines[-1].removesuffix(":")]


def onnx_form(emitted: str, entry: FunctionEntry) -> str:
    """A node of a model, in ONNX's own text form: each attribute with its type and default."""
    attributes = [
        f"{item.name}: {item.type.lower()}" + ("" if item.default is None else f" = {_onnx_value(item)}")
        for item in entry.attributes
    ]
    inputs = [f"{item.name}..." if item.variadic else item.name for item in entry.inputs]
    given = f" <{', '.join(attributes)}>" if attributes else ""
    outputs = ", ".join(item.name for item in entry.outputs)
    return f"{outputs} = {emitted}.{entry.name}{given} ({', '.join(inputs)})"


def inputs_table(inputs: Sequence[InputEntry]) -> list[str]:
    rows = [
        (
            f"I{place}",
            code(item.name),
            code(item.type),
            _presence(item),
            _shape(item.declared_shape),
            cell(prose(item.doc)),
        )
        for place, item in enumerate(inputs, 1)
    ]
    title = "rank" if all(item.shape is None for item in inputs) else "shape"
    return table(("", "input", "type", "presence", title, "what it is"), rows)


def outputs_table(outputs: Sequence[OutputEntry]) -> list[str]:
    shaped = any(item.shape is not None for item in outputs)
    rows = [
        (
            f"O{place}",
            code(item.name),
            code(item.type),
            *([_shape(item.shape)] if shaped else []),
            cell(prose(item.doc)),
        )
        for place, item in enumerate(outputs, 1)
    ]
    return table(("", "output", "type", *(["shape"] if shaped else []), "what it is"), rows)


def attributes_table(attributes: Sequence[AttributeEntry]) -> list[str]:
    rows = [
        (
            f"A{place}",
            code(item.name),
            code(value_word(item)),
            _default(item),
            codes(repr(choice) if isinstance(choice, int) else f'"{choice}"' for choice in item.choices),
            cell(prose(item.doc)),
        )
        for place, item in enumerate(attributes, 1)
    ]
    return table(("", "attribute", "type", "default", "values", "what it is"), rows)


def types_table(entry: FunctionEntry) -> list[str]:
    return table(
        ("type variable", "element types"),
        [(code(name), codes(_by_code(admitted))) for name, admitted in entry.types],
    )


def _by_code(admitted: Sequence[str]) -> list[str]:
    return sorted(admitted, key=lambda name: BY_NAME[name].code)


def _presence(item: InputEntry) -> str:
    return "any number" if item.variadic else "optional" if item.optional else "required"


def _shape(shape: Shape | None) -> str:
    return "any" if shape is None else shape_text(shape).removeprefix("rank ")


def _default(item: AttributeEntry) -> str:
    if item.required:
        return "required"
    return "absent" if item.default is None else code(attribute_kind(item).partition(", default ")[2])


def _onnx_value(item: AttributeEntry) -> str:
    if item.is_bool:
        return str(int(bool(item.default)))
    text = literal(item)
    return f"[{text[1:-1].removesuffix(',')}]" if isinstance(item.default, tuple) else text
