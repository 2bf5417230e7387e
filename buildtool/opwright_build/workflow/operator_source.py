"""`opwright new function --implements`: signature, metadata and vectors of an operator of PyTorch.

What the operator computes is left to write: the body is an operator of ONNX of the same name where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opwright.aten.operator_schema import Argument, Schema, parse_schema
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.elements import BY_NAME
from opwright.opsets.signatures import signature
from opwright.regular_file import read_regular
from opwright.suggest import did_you_mean

from opwright_build.spec.model import OpsetRange
from opwright_build.spec.torch_schemas import known_operators, schema_text
from opwright_build.verify.cases.stored.numpy_archive import MOST_BYTES, vectors_of
from opwright_build.verify.cases.stored.sampled import element_types, sampled
from opwright_build.verify.cases.stored.stored_rows import UnusableError

MOST_VECTORS = 40
_FLOATS = ("float16", "bfloat16", "float", "double")
_ATTRIBUTES = {"int": "int", "float": "float", "bool": "bool", "str": "str"}
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

    def _function(self, operator: str, opset: int) -> str:
        uses = {word for item in self._parameters() for word in ("Sequence", "INT64") if word in _parameter(item)}
        imports = ["from collections.abc import Sequence", ""] if "Sequence" in uses else []
        imports += ["from opwright import INT64"] if "INT64" in uses else []
        ordered = sorted(self._parameters(), key=_order)
        parameters = ", ".join(map(_parameter, ordered))
        tensors = [item.name for item in ordered if item.kind == "Tensor"]
        return "\n".join(
            [
                *imports,
                f"from opwright import opset{opset} as op",
                "",
                "",
                f"def {operator}({parameters}):",
                f"    return {self._body(tensors, opset)}",
                "",
            ]
        )

    def _body(self, tensors: Sequence[str], opset: int) -> str:
        """The operator of ONNX that has the name, else the first tensor."""
        word = "".join(part.capitalize() for part in self.schema.name.partition("::")[2].strip("_").split("_"))
        known = signature("", word, opset)
        lists = [item.name for item in self.schema.arguments if item.kind == "Tensor" and item.is_list]
        fits = known is not None and not lists and len(known.inputs) == len(tensors)
        if fits and known is not None and not any(item.required for item in known.attributes.values()):
            return f"op.{word}({', '.join(tensors)})"
        first = [f"{name}[0]" if name in lists else name for name in tensors]
        return f"op.Identity({first[0] if first else '0'})"

    def _spec(self, domain: str, operator: str, version: int, admitted: OpsetRange) -> str:
        inputs = [item for item in self._parameters() if _is_input(item)]
        attributes = [item for item in self._parameters() if not _is_input(item)]
        results = self.schema.returns
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
            *(f"  {item.name or f'result{number or str()}'}: T" for number, item in enumerate(results)),
        ]
        if attributes:
            lines += ["attributes:", *(f"  {item.name}: As in PyTorch." for item in attributes)]
        lines += [f"types: {{T: [{', '.join(self._types())}]}}", *self._implements()]
        if self.vectors is not None:
            lines.append(f"vectors: [{VECTORS}]")
        return "\n".join([*lines, ""])

    def _implements(self) -> list[str]:
        if schema_text(self.schema.identity) == self.text:
            return [f"implements: {self.schema.identity}"]
        return ["implements:", f"  operator: {self.schema.identity}", f'  schema: "{self.text}"']

    def _types(self) -> Sequence[str]:
        """The element types of the first tensors of the calls, else the usual ones of floating point."""
        found = [] if self.vectors is None else element_types(self.vectors)
        return sorted(found, key=list(BY_NAME).index) or _FLOATS

    def _parameters(self) -> Iterator[Argument]:
        """The arguments that a function has: places and layouts are none, nor is the type that is computed in."""
        return (item for item in self.schema.arguments if not item.is_dropped and item.kind != "ScalarType")


def operator_source(operator: str, vectors: Path | None) -> OperatorSource:
    """An operator of PyTorch by its name. DiagnosticError (OW144, OW152) for what is none, and for no archive."""
    text = schema_text(operator)
    if text is None:
        message = f"`{operator[:80]}` is no operator of PyTorch"
        raise DiagnosticError([Diagnostic("OW144", message, help=did_you_mean(operator, known_operators()))])
    return OperatorSource(parse_schema(text), text, None if vectors is None else _archive(vectors))


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
    return item.kind in ("Tensor", "Scalar") or item.symbolic


def _order(item: Argument) -> int:
    """Inputs before attributes, a list of tensors as the last of them, and what may be left out behind what may not."""
    if item.kind == "Tensor" and item.is_list:
        return 2
    may_be_left_out = item.optional or item.has_default
    return (1 if may_be_left_out else 0) if _is_input(item) else (4 if may_be_left_out else 3)


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
    return "{type: T, rank: 0}" if item.kind == "Scalar" else "T"
