"""`opwright new function --implements`: signature, metadata and vectors of an operator of PyTorch.

What the operator computes is left to write: the body is an operator of ONNX of the same name where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path

from opwright.aten.operator_schema import Argument, Schema, parse_schema
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.elements import BY_NAME
from opwright.opsets.signatures import signature
from opwright.regular_file import read_regular
from opwright.suggest import did_you_mean

from opwright_build.spec.model import OpsetRange
from opwright_build.spec.torch_schemas import known_operators, schema_text
from opwright_build.spec.yaml_scalars import quoted
from opwright_build.verify.cases.stored.numpy_archive import MOST_BYTES, vectors_of
from opwright_build.verify.cases.stored.sampled import element_types, sampled
from opwright_build.verify.cases.stored.stored_rows import UnusableError

MOST_VECTORS = 40
_FLOATS = ("float16", "bfloat16", "float", "double")
_ATTRIBUTES = {"int": "int", "float": "float", "bool": "bool", "str": "str"}
_VALUES = frozenset({"Tensor", "Scalar"})  # of which inputs are made; of symbolic numbers too
_COMPUTED = frozenset({"Tensor", "Scalar", "int", "float", "bool"})  # what an operator may give
VECTORS = "vectors.npz"


@dataclass(frozen=True, slots=True)
class OperatorSource:
    """A function that is to implement an operator; `vectors` is an archive of calls of it, None where there is none."""

    schema: Schema
    text: str
    vectors: bytes | None

    def files(
        self, domain: str, operator: str, version: int, admitted: OpsetRange
    ) -> tuple[Mapping[str, bytes], Sequence[Diagnostic]]:
        """`spec.yaml`, `function.py` and, where there are calls, a sample of them as `vectors.npz`."""
        files = {
            "spec.yaml": self._spec(domain, operator, version, admitted).encode(),
            "function.py": self._function(operator, admitted.first).encode(),
        }
        if self.vectors is not None:
            files[VECTORS] = sampled(self.vectors, MOST_VECTORS)
        return files, ()

    @property
    def _parameters(self) -> list[Argument]:
        """The arguments that a function has, in its order: places and layouts are none, nor is the type that is
        computed in."""
        found = (item for item in self.schema.arguments if not item.is_dropped and item.kind != "ScalarType")
        return sorted(found, key=_order)

    @property
    def _typed(self) -> Argument | None:
        """The first input of the type variable, if there is one."""
        return next((item for item in self._parameters if item.kind in _VALUES), None)

    @property
    def _types(self) -> Sequence[str]:
        """The element types of the first tensors of the calls, else the usual ones of floating point."""
        found = [] if self.vectors is None else element_types(self.vectors)
        return sorted(found, key=list(BY_NAME).index) or _FLOATS

    def _function(self, operator: str, opset: int) -> str:
        parameters = ", ".join(_signature(self._parameters))
        imports = ["from collections.abc import Sequence", ""] if "Sequence[" in parameters else []
        imports += ["from opwright import INT64"] if "INT64" in parameters else []
        return "\n".join(
            [
                *imports,
                f"from opwright import opset{opset} as op",
                "",
                "",
                f"def {operator}({parameters}):",
                f"    return {', '.join(self._results(opset))}",
                "",
            ]
        )

    def _results(self, opset: int) -> Iterator[str]:
        """The operator of ONNX that has the name, else for each result the first input of the type variable."""
        result = self._same_operator(opset)
        if not result and self._typed is not None:
            result = f"op.Identity({self._typed.name}{'[0]' if self._typed.is_list else ''})"
        yield from (result or _NOTHING for _ in self.schema.returns)

    def _same_operator(self, opset: int) -> str:
        """A call of the operator of ONNX that has the name and takes these inputs alone, of all their types."""
        inputs = [item for item in self._parameters if _is_input(item)]
        word = "".join(part.capitalize() for part in self.schema.name.partition("::")[2].strip("_").split("_"))
        known = signature("", word, opset)
        if known is None or known.deprecated or known.needs_attributes or len(self.schema.returns) != 1:
            return ""
        if len(known.inputs) != len(inputs) or any(item.kind != "Tensor" or item.is_list for item in inputs):
            return ""
        types = sum(1 << BY_NAME[name].code for name in self._types)
        if {item.type for item in (*known.inputs, known.outputs[0])} != {known.inputs[0].type}:
            return ""
        return f"op.{word}({', '.join(item.name for item in inputs)})" if not types & ~known.input_masks[0] else ""

    def _spec(self, domain: str, operator: str, version: int, admitted: OpsetRange) -> str:
        inputs = [item for item in self._parameters if _is_input(item)]
        attributes = [item for item in self._parameters if not _is_input(item)]
        lines = [
            "schema: 1",
            f"domain: {domain}",
            f"name: {operator}",
            f"summary: What {self.schema.identity} of PyTorch computes.",
            f"since_version: {version}",
            f'opset: ">={admitted.first}"',
            "inputs:" if inputs else "inputs: {}",
            *(f"  {item.name}: {_type_of(item)}" for item in inputs),
            "outputs:",
            *(f"  {name}: {type_}" for name, type_ in self._outputs()),
        ]
        if attributes:
            lines += ["attributes:", *(f"  {item.name}: As in PyTorch." for item in attributes)]
        if self._typed is not None:
            lines.append(f"types: {{T: [{', '.join(self._types)}]}}")
        lines += self._implements()
        if self.vectors is not None:
            lines.append(f"vectors: [{VECTORS}]")
        return "\n".join([*lines, ""])

    def _outputs(self) -> Iterator[tuple[str, str]]:
        """Names that neither inputs nor attributes have."""
        taken = {item.name for item in self._parameters}
        type_ = "float" if self._typed is None else "T"
        for number, item in enumerate(self.schema.returns):
            name = item.name or f"result{number or ''}"
            yield (
                f"{name}_out" if name in taken else name,
                f"{{type: {type_}, variadic: true}}" if item.is_list else type_,
            )

    def _implements(self) -> list[str]:
        if schema_text(self.schema.identity) == self.text:
            return [f"implements: {self.schema.identity}"]
        return ["implements:", f"  operator: {self.schema.identity}", f"  schema: {quoted(self.text)}"]


_NOTHING = "op.Constant(value_float=0.0)"


def operator_source(operator: str, vectors: Path | None) -> OperatorSource:
    """An operator of PyTorch by its name. DiagnosticError (OW144, OW145, OW152) for what is none, for one that no
    function can stand for, and for no archive."""
    text = schema_text(operator)
    if text is None:
        message = f"`{operator[:80]}` is no operator of PyTorch"
        raise DiagnosticError([Diagnostic("OW144", message, help=did_you_mean(operator, known_operators()))])
    schema = parse_schema(text)
    if reason := _unfit(schema):
        message = f"no function can stand for {operator}"
        raise DiagnosticError([Diagnostic("OW145", message, reason=reason, help=f"its schema is {text}")])
    return OperatorSource(schema, text, None if vectors is None else _archive(vectors))


def _unfit(schema: Schema) -> str:
    """Why an operator is none that functions of ONNX can be; empty where it may be one."""
    returned = schema.returns
    if not returned or any(item.kind not in _COMPUTED for item in returned):
        return "it gives what is no tensor and no number"
    if any(item.is_list for item in returned[:-1]):
        return "it gives more than a list of tensors, and a function any number of last results alone"
    if sum(item.kind == "Tensor" and item.is_list for item in schema.arguments) > 1:
        return "it takes several lists of tensors, and a function one"
    for item in schema.arguments:
        if iskeyword(item.name):
            return f"its argument `{item.name}` cannot be a parameter of Python"
        if not (item.is_dropped or item.kind in {*_COMPUTED, *_ATTRIBUTES, "ScalarType"}):
            return f"its argument `{item.name}` is a {item.kind}"
    return ""


def _archive(path: Path) -> bytes:
    """The calls, read and checked before anything is written."""
    try:
        data = read_regular(path, MOST_BYTES)
        if any(vector.call is None for vector in vectors_of(data, path.name)):
            raise UnusableError("it has a call that is none of an operator")
    except OSError as error:
        raise _unusable(path, error.strerror or "") from None
    except UnusableError as error:
        raise _unusable(path, str(error)) from None
    return data


def _unusable(path: Path, reason: str) -> DiagnosticError:
    return DiagnosticError([Diagnostic("OW152", f"{path} cannot be used", Place(path.as_posix()), reason=reason)])


def _is_input(item: Argument) -> bool:
    return item.kind in _VALUES or item.symbolic


def _order(item: Argument) -> int:
    """Inputs before attributes, a list of tensors as the last of them, and what may be left out behind what may not."""
    if item.kind == "Tensor" and item.is_list:
        return 2
    may_be_left_out = item.optional or item.has_default
    return (1 if may_be_left_out else 0) if _is_input(item) else (4 if may_be_left_out else 3)


def _signature(ordered: Sequence[Argument]) -> Iterator[str]:
    """The parameters of the function as Python has them. Attributes behind inputs that may be left out are keywords."""
    inputs = [item for item in ordered if _is_input(item)]
    attributes = ordered[len(inputs) :]
    yield from map(_parameter, inputs)
    if attributes and inputs and _order(inputs[-1]) == 1 and _order(attributes[0]) == 3:
        yield "*"
    yield from map(_parameter, attributes)


def _parameter(item: Argument) -> str:
    """The parameter of the function as Python has it."""
    if item.kind == "Tensor" and item.is_list:
        return f"*{item.name}"
    absent = " = None" if item.optional or item.has_default else ""
    if _is_input(item):
        if item.symbolic:
            return f"{item.name}: INT64{'[...]' if item.is_list else ''}{' | None' if absent else ''}{absent}"
        return f"{item.name}{'=None' if absent else ''}"
    kind = f"Sequence[{_ATTRIBUTES[item.kind]}]" if item.is_list else _ATTRIBUTES[item.kind]
    if item.optional:
        return f"{item.name}: {kind} | None = None"
    default = tuple(item.default) if isinstance(item.default, list | tuple) else item.default
    if item.is_list and isinstance(default, int):
        default = (default,) * (item.size or 1)
    return f"{item.name}: {kind}{f' = {default!r}' if item.has_default else ''}"


def _type_of(item: Argument) -> str:
    if item.symbolic:
        return f"{{type: int64, rank: {int(item.is_list)}}}"
    return f"{{type: T, rank: {int(item.is_list)}}}" if item.kind == "Scalar" else "T"
