"""How the operators of a model's opsets are written: what is called, and which constants may stand as literals."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from onnx import AttributeProto, NodeProto, TensorProto, helper

from opwright.decompiler.python_names import LONGEST, Taken, is_python_name, module_name
from opwright.decompiler.refuse import refuse
from opwright.elements import BY_CODE
from opwright.opsets.domains import normal_domain
from opwright.opsets.record import Operands, Role
from opwright.opsets.records import CONSTANT, record_of
from opwright.opsets.signatures import (
    Option,
    Signature,
    is_known_domain,
    newest_opset,
    signature,
    tensor_element,
    tensor_mask,
)

_MOST = 2**31 - 1  # opset of a domain of which onnx knows nothing
_LARGE = frozenset(["GRAPH", "TENSOR"])  # kinds of attributes
_STATEMENTS = frozenset({Role.IF, Role.LOOP})
_WITHOUT_ATTRIBUTES = frozenset({Operands.ANY, Operands.BITS})  # the compiler gives the same node for such a sign


class FormalInput(NamedTuple):
    """`type`: the type variable or type; `single`: the name of the one element type that it takes, if it is one."""

    type: str
    homogeneous: bool
    single: str
    sequence: bool


class Form:
    """How an operator is written. `call`: the text before its arguments. `least`: results that a call must name, all of
    them where it `gives_all`, for their number is not its own.

    `binary`: Python's sign for it, with spaces where it stands between two operands; `polymorphic` where that is the
    operator for operands of any type. `is_special`: there may be another way to write it; that of a Constant
    (`is_constant`) is none of these; `is_usual`: it has one result, and is written in one way. `is_open`: nothing
    describes the operator. `keywords`: the attributes that it is known to have; `defaults`: those that say what it does
    anyway, serialized. `may_be_large`: it takes tensors or graphs as attributes, or may do so. `listed`: all attributes
    of a function of the module; others that a call of it has mean nothing. None of an operator.
    """

    __slots__ = (
        "binary",
        "call",
        "defaults",
        "gives_all",
        "gives_tuple",
        "has_one_result",
        "inputs",
        "is_constant",
        "is_control",
        "is_open",
        "is_special",
        "is_usual",
        "keywords",
        "least",
        "least_inputs",
        "listed",
        "may_be_large",
        "name",
        "polymorphic",
        "record",
        "signature",
        "variadic",
        "written",
    )

    def __init__(self, call: str, found: Signature | None, name: str) -> None:
        self.call = call
        self.name = name
        self.signature = found
        self.record = record_of("com.unknown", name) if found is None else found.record
        sign = self.record.sign
        self.binary = ""
        if sign is not None and sign.operands in _WITHOUT_ATTRIBUTES:
            self.binary = sign.text if sign.unary else f" {sign.text} "
        self.least_inputs = 0 if found is None else found.min_inputs
        self.least = 1 if found is None else max(1, found.min_outputs)
        self.gives_all = found is not None and bool(found.outputs) and found.outputs[-1].option is Option.VARIADIC
        self.gives_tuple = bool(self.record.results)  # of one result too
        self.has_one_result = found is not None and found.max_outputs == 1 == self.least
        self.polymorphic = self.binary if sign is not None and sign.operands is Operands.ANY else ""
        self.is_open = False
        self.listed: frozenset[str] | None = None
        self.written: dict[tuple[bytes, ...], Sequence[str]] = {}  # attributes, serialized, as arguments
        kinds = {"TENSOR"} if found is None else {spec.kind for spec in found.attributes.values()}
        self.may_be_large = not kinds.isdisjoint(_LARGE)
        self.keywords = frozenset() if found is None else frozenset(filter(is_python_name, found.attributes))
        self.defaults = frozenset[bytes]() if found is None else _defaults(found)
        typed = sign is not None and sign.operands is not Operands.ANY
        self.is_control = self.record.role in _STATEMENTS
        self.is_constant = self.record.role is Role.CONSTANT
        named = self.record.role is Role.IDENTITY
        self.is_special = typed or named or self.is_control or self.record.subscript is not None
        self.is_usual = self.has_one_result and not self.is_special and not self.is_constant
        self.inputs: list[FormalInput] = []
        self.variadic = found is not None and bool(found.inputs) and found.inputs[-1].option is Option.VARIADIC
        for formal in () if found is None else found.inputs:
            admitted = found.admitted.get(formal.type, (formal.type,)) if found is not None else ()
            single = tensor_element(admitted[0]) if len(admitted) == 1 else None
            sequence = bool(admitted) and all(text.startswith("seq(") for text in admitted)
            name = single.name if single is not None else ""
            self.inputs.append(FormalInput(formal.type, formal.homogeneous, name, sequence))

    def formal(self, index: int) -> FormalInput | None:
        """What is known of an input; None where nothing is."""
        if index < len(self.inputs):
            return self.inputs[index]
        return self.inputs[-1] if self.variadic else None


def _defaults(found: Signature) -> frozenset[bytes]:
    specs = [spec for spec in found.attributes.values() if spec.default not in (None, ())]
    return frozenset(helper.make_attribute(spec.name, spec.default).SerializeToString() for spec in specs)


class Forms(dict[tuple[str, str], Form]):
    """The operators of the given opset imports, each looked up once. The names of opsets are added to `taken`,
    and are none of `attributes`, which functions have."""

    def __init__(self, imports: Mapping[str, int], taken: Taken, attributes: Collection[str] = ()) -> None:
        super().__init__()
        self.imports = {normal_domain(domain): version for domain, version in imports.items()}
        for domain, version in self.imports.items():
            if not (0 if domain else 1) <= version <= (_MOST if domain else newest_opset()):
                reason = f"the installed onnx knows the opsets 1 to {newest_opset()}" if not domain else "it is none"
                raise refuse(f"opset {version} of {domain or 'ai.onnx'} cannot be written", reason)
        self.names: dict[str, str] = {}
        for domain in ("", *self.imports):
            if domain not in self.names:
                self.names[domain] = name = _opset_name(domain, taken, attributes)
                taken.add(name)
        self.open: dict[str, dict[str, dict[str, str]]] = {}  # of open domains: kinds of attributes that values hide
        self.may_be_open = any(domain and not is_known_domain(domain) for domain in self.imports)
        self.untyped: set[tuple[str, str, str]] = set()  # functions of the module whose results have unknown types
        self.local: dict[tuple[str, str, str], Form] = {}  # the functions of the module, by domain, name and overload
        self.hidden: set[str] = set()  # operators of the standard's domain that functions of the module are called as
        self._held_mask: int | None = None  # what `_constant_mask` has found

    def add_function(self, identity: tuple[str, str, str], form: Form) -> None:
        """Calls of that function of the module are known from then on."""
        self.local[identity] = form
        if not identity[0]:
            self.hidden.add(identity[1])

    def holds(self, tensor: TensorProto) -> bool:
        """Whether `Constant` holds the elements of a tensor: below opset 9 it does of three types alone."""
        return tensor.data_type not in BY_CODE or bool(self._constant_mask & BY_CODE[tensor.data_type].mask)

    @property
    def _constant_mask(self) -> int:
        if self._held_mask is None:
            found = signature("", CONSTANT.name, self.version_of(""))
            self._held_mask = 0 if found is None else tensor_mask(found.admitted[found.outputs[0].type])
        return self._held_mask

    def version_of(self, domain: str) -> int:
        """The version that the text names. Some exporters import domains of functions at 0, which the imports of the
        model say; no opset of a script is called so."""
        return self.imports.get(normal_domain(domain), 1) or 1

    def __missing__(self, key: tuple[str, str]) -> Form:
        domain = normal_domain(key[0])
        if domain not in self.imports:
            raise refuse(
                f"no opset of {domain or 'ai.onnx'} is imported", f"the operator {key[1]} is one of that domain"
            )
        found = signature(domain, key[1], self.imports[domain])
        if found is None and not is_python_name(key[1]):
            raise refuse(f"the operator {domain}::{key[1]} cannot be written", "its name is no name in Python")
        self[key] = form = Form(f"{self.names[domain]}.{key[1]}(", found, key[1])
        if found is None and domain and not is_known_domain(domain):
            form.is_open = form.is_special = True
            self.open.setdefault(domain, {})
        return form

    def standard(self, name: str) -> Signature | None:
        """The signature of an operator of the standard's domain; None where a function of the module is called so, or
        nothing is known of it."""
        version = self.imports.get("")
        if version is None or name in self.hidden:
            return None
        return signature("", name, version)

    def is_open(self, node: NodeProto) -> bool:
        """Whether nothing is known of the types that a node gives, whatever it is given."""
        identity = (node.domain, node.op_type, node.overload)
        return identity in self.untyped if identity in self.local else self[node.domain, node.op_type].is_open

    def note_kinds(self, node: NodeProto) -> None:
        """Notes the kinds of the attributes of an operator that nothing describes, where their values are empty."""
        for item in node.attribute:
            kind = AttributeProto.AttributeType.Name(item.type)
            if kind in ("INTS", "FLOATS", "STRINGS") and not (item.ints or item.floats or item.strings):
                self.open[normal_domain(node.domain)].setdefault(node.op_type, {})[item.name] = kind

    def signature_of(self, node: NodeProto) -> Signature | None:
        """The signature of an operator; None of a function of the module, or where nothing is known of it."""
        if (node.domain, node.op_type, node.overload) in self.local:
            return None
        return self[node.domain, node.op_type].signature


def _opset_name(domain: str, taken: Taken, attributes: Collection[str]) -> str:
    if not domain:
        return "op"
    name = module_name(domain.rpartition(".")[2][:LONGEST])
    while name in taken or name in attributes:
        name += "_"
    return name
