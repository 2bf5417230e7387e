"""The nodes of a body in ONNX's own text form, as C++ sources hold them."""

from __future__ import annotations

from onnx import FunctionProto, parser, printer
from opwright.protos.digest import digest


class NoTextError(Exception):
    """The text form cannot hold the body; the message says what becomes of it."""


def body_text(function: FunctionProto) -> str:
    """The body between its braces, a node a line (graphs on lines of their own), indented by two spaces.

    What comes out is parsed again and compared with the function. Raises NoTextError where it is not the same.
    """
    lines = printer.to_text(function).splitlines()
    first, last = lines.index("{"), len(lines) - 1
    text = "\n".join(line.removeprefix(" ") for line in lines[first + 1 : last])
    require_same(function, text)
    return text


def require_same(function: FunctionProto, text: str) -> None:
    """Raises NoTextError unless the text of the nodes means what the function means."""
    try:
        parsed = parser.parse_function(f"{_head(function)}\n{{\n{text}\n}}")
    except parser.ParseError as error:
        raise NoTextError(f"onnx's parser does not read what its printer writes: {_first_line(error)}") from None
    if digest(parsed) != digest(function):
        raise NoTextError("onnx's parser reads another body from what its printer writes")


def _head(function: FunctionProto) -> str:
    imports = ", ".join(f'"{item.domain}" : {item.version}' for item in function.opset_import)
    attributes = ", ".join([*function.attribute, *(item.name for item in function.attribute_proto)])
    signature = f"{function.name} {f'<{attributes}> ' if attributes else ''}({', '.join(function.input)})"
    domain = function.domain or "ai.onnx"
    return f'<domain: "{domain}", opset_import: [{imports}]>\n{signature} => ({", ".join(function.output)})'


def _first_line(error: Exception) -> str:
    text = error.args[0] if error.args else ""
    return (text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)).strip().splitlines()[-1]
