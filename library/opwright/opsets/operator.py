"""One operator of an opset: what it is called, since when it is what it is, and a call of it."""

from __future__ import annotations

from operator import getitem
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from opwright.first_use import find
from opwright.opsets.opset import Opset
from opwright.opsets.signatures import (
    Option,
    Signature,
    history,
    is_known_domain,
    newest_opset,
    operators_at,
    signature,
    similar,
)

if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable

    from opwright.types import AnyTensor


class Operator:
    # An operator at one opset of its domain. Calling it runs it on arrays or tensors, or adds it to a graph: inputs by
    # position or name, attributes by name. (No docstring: that of an operator is its own.)

    __slots__ = ("__weakref__", "domain", "name", "opset", "signature")

    def __init__(self, opset: Opset, signature: Signature) -> None:
        self.opset = opset
        self.name = signature.name
        self.domain = opset.domain
        self.signature = signature

    @property
    def since_version(self) -> int:
        """The version of the domain that made the operator what it is here."""
        return self.signature.since_version

    @property
    def page(self) -> str:
        """The address of the operator's documentation; empty for operators that ONNX does not define."""
        known = history(self.domain, self.name)
        return operator_page(self.domain, self.name, self.since_version) if self.since_version in known else ""

    if not TYPE_CHECKING:

        @property
        def __doc__(self):
            return describe(self)

    @property
    def __signature__(self) -> inspect.Signature:
        return python_signature(self.signature)

    def __repr__(self) -> str:
        return f"<{self.signature.identity} of opset {self.opset.version}>"

    def __copy__(self) -> Operator:
        return self

    def __deepcopy__(self, memo: object) -> Operator:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (getitem, (self.opset, self.name))

    def __call__(self, /, *args: Any, **kwargs: Any) -> AnyTensor:
        found: AnyTensor = _call(self, args, kwargs)
        return found


def _first_call(operator: Operator, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Eager mode is imported when something is called."""
    global _call
    _call = find("call_operator")
    return _call(operator, args, kwargs)


_call: Callable[[Operator, tuple[Any, ...], dict[str, Any]], Any] = _first_call


def find_operator(opset: Opset, name: str) -> Operator:
    """The operator of that name. KeyError with a hint when the opset has none."""
    found = _signature(opset, name, opset.version)
    if found is None:
        raise KeyError(_missing(opset, name))
    made = _FOUND.get((opset, name))
    if made is None:
        made = _FOUND[opset, name] = Operator(opset, _signature(opset, name, opset.named) or found)
    return made


# Those of equal opsets are one object, whichever opset runs: functions ask `act is op.Relu`, and the compiler answers.
_FOUND: WeakValueDictionary[tuple[Opset, str], Operator] = WeakValueDictionary()


def has_operator(opset: Opset, name: str) -> bool:
    return _signature(opset, name, opset.version) is not None


def operator_names(opset: Opset) -> list[str]:
    """The operators of the opset, by name."""
    return sorted({*(opset.signatures or ()), *operators_at(opset.domain, opset.version)})


def _signature(opset: Opset, name: str, version: int) -> Signature | None:
    given = None if opset.signatures is None else opset.signatures.get(name)
    if given is not None or not _is_known(opset):
        return given
    found = signature(opset.domain, name, version)
    if found is None and opset.open is not None and not name.startswith("_"):
        from opwright.opsets.implied import implied_signature, sorted_kinds

        return implied_signature(opset.domain, name, version, 0, sorted_kinds(opset.open.get(name, {})))
    return found


def _is_known(opset: Opset) -> bool:
    """Whether the installed onnx knows what the opset means; of domains that it does not know, others have to say."""
    return not is_known_domain(opset.domain) or opset.version <= newest_opset(opset.domain)


def _missing(opset: Opset, name: str) -> str:
    """Why there is no such operator, and where one is that may be meant."""
    if opset.signatures is None and not is_known_domain(opset.domain):
        return f"nothing says what operators of {opset.domain} accept: give `Opset(..., signatures=)`, or `open=True`"
    if not _is_known(opset):
        newest = newest_opset(opset.domain)
        return f"the installed onnx knows the opsets of {opset.domain or 'ai.onnx'} to {newest}, not {opset.version}"
    where = f"{opset.domain or 'ai.onnx'} has no operator {name!r} at opset {opset.version}"
    versions = history(opset.domain, name)
    if versions:
        return f"{where}; opset {versions[0]} has it"
    close = [_placed(opset, item) for item in similar(opset.domain, name)]
    return f"{where}; did you mean {' or '.join(close)}?" if close else where


def _placed(opset: Opset, name: str) -> str:
    """The operator's name, and from which opset on there is one where this opset is older."""
    first = history(opset.domain, name)[0]
    return repr(name) if first <= opset.version else f"{name!r} (opset {first})"


def operator_page(domain: str, name: str, since_version: int) -> str:
    """The address of what ONNX's documentation says of the operator at that version."""
    folder = domain.replace(".", "")
    anchor = f"{name.lower()}-{since_version}" + (f"-{domain.replace('.', '-')}" if domain else "")
    return f"https://onnx.ai/onnx/operators/onnx_{folder}_{name}.html#{anchor}"


def describe(operator: Operator) -> str:
    """ONNX's documentation of the operator, its types, and the address of its page."""
    from inspect import cleandoc

    from onnx import defs

    found = operator.signature
    parts = []
    if operator.page:
        schema = defs.get_schema(found.name, found.since_version, found.domain)
        parts.append(cleandoc(schema.doc or ""))
    parts += ["\n".join(f"{name}: {', '.join(types)}" for name, types in found.admitted.items())]
    parts += [f"Since version {found.since_version} of {found.domain or 'ai.onnx'}. {operator.page}".rstrip()]
    return "\n\n".join(part for part in parts if part)


def python_signature(signature: Signature) -> inspect.Signature:
    """How the operator is called from Python: inputs by position or name, attributes by name."""
    from inspect import Parameter
    from inspect import Signature as PythonSignature

    parameters: list[Parameter] = []
    clashes = [index for index, formal in enumerate(signature.inputs) if formal.name in signature.attributes]
    for index, formal in enumerate(signature.inputs):
        if formal.option is Option.VARIADIC:
            parameters.append(Parameter(formal.name, Parameter.VAR_POSITIONAL))
            continue
        by_name = not clashes or index > clashes[-1]
        kind = Parameter.POSITIONAL_OR_KEYWORD if by_name else Parameter.POSITIONAL_ONLY
        name = formal.name + "_" * (index in clashes)  # the keyword is the attribute's
        default = Parameter.empty if formal.option is Option.REQUIRED else None
        parameters.append(Parameter(name, kind, default=default))
    for attribute in sorted(signature.attributes.values(), key=lambda item: (not item.required, item.name)):
        default = Parameter.empty if attribute.required else attribute.default
        parameters.append(Parameter(attribute.name, Parameter.KEYWORD_ONLY, default=default))
    return PythonSignature(parameters)
