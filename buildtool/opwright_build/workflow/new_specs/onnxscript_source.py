"""A source written for the package onnxscript as the files of a spec: `opwright new function X --from-onnxscript FILE`.

The author's text stays, line by line; what names onnxscript names opwright, and the function is no longer decorated,
since a spec says what it is. The package onnxscript need not be installed, and nothing of the file is run.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opwright.bundle.call_interface import split_type
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity
from opwright.elements import BY_NAME
from opwright.lang.lower.values.annotated import output_names
from opwright.lang.meaning.annotations import ANY, TensorAnnotation
from opwright.lang.text.grammar import returned_by
from opwright.lang.text.source import Source
from opwright.lang.text.syntax import parse

from opwright_build.compile.files import other_encoding
from opwright_build.engine.tree import read_regular
from opwright_build.spec.model import OpsetRange
from opwright_build.spec.names import is_shown
from opwright_build.spec.yaml_scalars import as_key, quoted
from opwright_build.workflow.new_specs.inferred_outputs import inferred_outputs
from opwright_build.workflow.new_specs.onnxscript_names import PeerNames
from opwright_build.workflow.new_specs.onnxscript_rewriting import Rewriter

_LONGEST_SUMMARY = 200
_DEFAULT_TYPES = ("float16", "float", "double")


@dataclass(frozen=True, slots=True)
class ForeignSource:
    """The text of a file for opwright, the function of it that is meant, and what the names of the file stand for."""

    file: str
    text: str
    node: ast.FunctionDef
    names: PeerNames

    def files(
        self, domain: str, operator: str, version: int, admitted: OpsetRange
    ) -> tuple[dict[str, bytes], list[Diagnostic]]:
        """The files of a spec folder by name, with notes. DiagnosticError where the library lacks the opset."""
        vectors = "schema: 1\nrows: []\n"
        spec = self._spec(domain, operator, version, admitted)
        files = {"spec.yaml": spec, "function.py": self.text, "vectors.yaml": vectors}
        message, help_ = f"no vector is made for {operator}", "write rows in vectors.yaml"
        note = Diagnostic("OW655", message, reason="a source has no values to try", help=help_, severity=Severity.NOTE)
        return {name: text.encode() for name, text in files.items()}, [note]

    def _spec(self, domain: str, operator: str, version: int, admitted: OpsetRange) -> str:
        types = _Types()
        parameters = _parameters(self.node)
        inputs: dict[str, str] = {}
        for item in parameters:
            annotation = self.names.annotation(item.annotation)
            if annotation is None or annotation.kind is None:
                inputs[item.arg] = types.text(ANY if annotation is None else annotation.tensor)
        opset = self._opset(admitted)
        outputs = self._outputs([item.arg for item in parameters], inputs, types, opset)
        documented = (ast.get_docstring(self.node) or "").strip().partition("\n")[0]
        shown = "".join(char for char in documented[:_LONGEST_SUMMARY] if is_shown(char)).strip()
        summary = quoted(shown or f"{operator}.")
        lines = ["schema: 1", f"domain: {domain}", f"name: {operator}", f"summary: {summary}"]
        lines += [f"since_version: {version}", f'opset: ">={opset}"']
        for key, values in (("inputs", inputs), ("outputs", outputs)):
            lines.append(f"{key}: {{{', '.join(f'{as_key(name)}: {kind}' for name, kind in values.items())}}}")
        if types.variables:
            admits = (f"{name}: [{', '.join(elements)}]" for name, elements in types.variables.items())
            lines.append(f"types: {{{', '.join(admits)}}}")
        return "\n".join([*lines, "vectors: [vectors.yaml]", ""])

    def _outputs(
        self, parameters: Sequence[str], inputs: Mapping[str, str], types: _Types, opset: int
    ) -> dict[str, str]:
        """The outputs by name: as they are annotated, else as they follow from the inputs."""
        returned = self.names.returns(self.node.returns)
        inferred: Sequence[str] = ()
        if returned is None or ANY in returned:
            inferred = inferred_outputs(self.text, self.node.name, inputs, types.variables, opset)
        if returned is None:
            returned = (ANY,) * (len(inferred) or _results(self.node))
        found = [
            types.text(item) if item != ANY else inferred[index] if index < len(inferred) else _guessed(inputs, types)
            for index, item in enumerate(returned)
        ]
        return dict(zip(output_names(self.node, parameters, len(returned)), found, strict=True))

    def _opset(self, admitted: OpsetRange) -> int:
        """The opset that the function is written for, as far as the library has older ones."""
        named = max(self.names.opsets_used(self.node), default=admitted.first)
        if named > admitted.last:
            message = f"{self.node.name} is of opset {named}, which is none of {admitted.first} to {admitted.last}"
            place = Place(self.file)
            raise DiagnosticError([Diagnostic("OW654", message, place, help="widen `opsets:` in library.yaml")])
        return max(admitted.first, named)


class _Types:
    """Types as a spec writes them, and the type variables that they need, in the order in which they are met."""

    def __init__(self) -> None:
        self.variables: dict[str, tuple[str, ...]] = {}

    def text(self, annotation: TensorAnnotation) -> str:
        """The type that an annotation says; a type variable where it says none, or several."""
        is_one = len(annotation.elements) == 1 and not annotation.variable
        kind = annotation.elements[0].name if is_one else self._variable(annotation)
        for holder in reversed(annotation.wrap):
            kind = f"{holder}({kind})"
        return kind

    def _variable(self, annotation: TensorAnnotation) -> str:
        elements = tuple(element.name for element in annotation.elements) or _DEFAULT_TYPES
        number, name = 0, annotation.variable or "T"
        while name in BY_NAME or self.variables.get(name, elements) != elements:
            number, name = number + 1, f"{annotation.variable or 'T'}{number + 1}"
        self.variables[name] = elements
        return name


def read_onnxscript(file: Path, operator: str) -> ForeignSource:
    """The function of that name in a file. DiagnosticError where the file is no Python, has no such function, or names
    what opwright lacks: all of it at once, each at its place."""
    try:
        data = read_regular(file)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DiagnosticError([Diagnostic("OW654", f"{file} cannot be read", reason=str(error))]) from None
    source = Source(file.as_posix(), text)
    module = other_encoding(source.name, data) or parse(source)
    if isinstance(module, Diagnostic):
        raise DiagnosticError([module])
    reader = Rewriter(source, operator)
    reader.read(module.tree)
    nodes = reader.names.functions.get(operator, [])
    if not nodes:
        others = ", ".join(reader.names.functions) or "none"
        help_ = "name the new function as the one in the file is"
        place = Place(file.as_posix())
        message = f"{file} has no function {operator}"
        reader.found.append(Diagnostic("OW654", message, place, f"its functions are: {others}", help_))
    if reader.found:
        raise DiagnosticError(reader.found)
    return ForeignSource(source.name, reader.text(), nodes[-1], reader.names)


def _guessed(inputs: Mapping[str, str], types: _Types) -> str:
    """The type of a result of which nothing is known; the build checks it."""
    return next((split_type(kind)[1] for kind in inputs.values()), "") or types.text(ANY)


def _parameters(function: ast.FunctionDef) -> list[ast.arg]:
    formal = function.args
    variadic = [] if formal.vararg is None else [formal.vararg]
    return [*formal.posonlyargs, *formal.args, *variadic, *formal.kwonlyargs]


def _results(function: ast.FunctionDef) -> int:
    """The number of values that a function returns, where no annotation says it."""
    counts = [len(value.elts) if isinstance(value, ast.Tuple) else 1 for value in returned_by(function)]
    return max(counts, default=1)
