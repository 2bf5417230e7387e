"""The nodes of a graph as statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, ValueInfoProto

from opwright.decompiler.annotation_text import annotation
from opwright.decompiler.attribute_text import attribute_text
from opwright.decompiler.constant_text import as_operand, with_type
from opwright.decompiler.control import write_control
from opwright.decompiler.element_types import ElementTypes
from opwright.decompiler.layout import WIDTH, call_lines, def_lines, return_lines, sum_lines
from opwright.decompiler.literal_text import Constant, constant_of, constant_value
from opwright.decompiler.nodes import Nodes
from opwright.decompiler.operator_forms import Form, Forms
from opwright.decompiler.parts import MOST_BYTES, Parts
from opwright.decompiler.python_names import ARRAY, Names, is_python_name
from opwright.decompiler.refuse import refuse, refuse_unclear_graph
from opwright.decompiler.subscript_text import subscript
from opwright.decompiler.text_of import comment
from opwright.decompiler.typed_signs import typed_sign
from opwright.decompiler.unknown_types import conditions_among, untyped_values
from opwright.elements import BY_CODE
from opwright.opsets.record import Role

GRAPH, TENSOR = int(AttributeProto.GRAPH), int(AttributeProto.TENSOR)
_LARGE = frozenset([GRAPH, TENSOR])
_NO_TENSORS = frozenset(["True", "False", "None"])


class Body:
    """Writes the nodes of one function, graphs within it included. `declared` are the element types of inputs and
    initializers, as `ElementTypes` has them.

    `constants` are the tensors that are known, by ONNX name: they stand where they are used, unless `faithful` keeps
    each at its own node. `typed`: the types of inputs are known. `annotations`: what is declared of values whose
    ranks the compiler cannot follow. `untyped` are values of whose types the compiler knows nothing,
    `numbers` those that are numbers in Python, `scalars` inputs of rank 0.
    """

    def __init__(
        self,
        parts: Parts,
        forms: Forms,
        names: Names,
        nodes: Nodes,
        declared: Mapping[str, str],
        faithful: bool,
        typed: bool = True,
    ) -> None:
        self.parts = parts
        self.forms = forms
        self.names = names
        self.faithful = faithful
        self.typed = typed
        self.constants: dict[str, Constant] = {}
        self.annotations: dict[str, str] = {}
        self.untyped: set[str] = set()
        self.numbers: set[str] = set()
        self.scalars: set[str] = set()
        self.depth = 0
        self.types = ElementTypes(nodes, declared, forms, self.constants)
        self.carry: Callable[[TensorProto, str], None] | None = None  # makes a parameter of a large tensor
        self.lines: list[str] = []

    def nodes(self, nodes: Nodes, indent: str, kept: frozenset[str] = frozenset()) -> None:
        """Adds the statements of nodes. `kept`: constants of these names get statements too, being outputs.

        Models have many nodes, so the usual ones are done with here.
        """
        forms, lines, constants = self.forms, self.lines, self.constants
        named, add = self.names.__getitem__, lines.append
        are_named = constants.keys().isdisjoint  # whether none of some values is a constant by then
        annotations, unusual = self.annotations, self.untyped
        usual: dict[str, Form] = {}  # operators of the default domain
        numbers, typed = self.numbers, self.typed
        self.names.add_all(nodes.firsts)
        rows = zip(nodes.listed, nodes.operators, nodes.domains, nodes.firsts, strict=True)
        for node, operator, domain, first in rows:
            form = usual.get(operator)
            if form is None or domain:
                form = self._form(node)
                if not domain and operator not in forms.hidden:
                    usual[operator] = form
            if form.is_constant:
                if self._constant(node, first, kept, indent):
                    continue
            elif said := node.doc_string:
                lines += comment(indent, said)
            inputs = node.input[:]
            if form.is_special and self._special(form, node, inputs, first, indent):
                continue
            attributes = node.attribute or ()
            while inputs and not inputs[-1]:
                inputs.pop()
            plain = are_named(inputs)
            arguments = [*map(named, inputs)] if plain else self._with_constants(form, inputs)
            target = named(first) if form.has_one_result and first else self._targets(node.output, form.least)
            if annotations and first in annotations and len(node.output) == 1:
                target = f"{target}: {annotations[first]}"
            if unusual and not unusual.isdisjoint(inputs):
                unusual.update(node.output)
            elif (
                (sign := form.binary if typed else form.polymorphic)
                and not attributes
                and len(inputs) == form.least_inputs
                and (plain or _is_plain(arguments))
                and (not numbers or numbers.isdisjoint(inputs))
            ):
                left, right = arguments if len(inputs) > 1 else ("", *arguments)
                line = f"{indent}{target} = {left}{sign}{right}"
                if len(line) > WIDTH and left:
                    lines += sum_lines(indent, target, left, sign, right)
                else:
                    add(line)
                continue
            if attributes:
                arguments += self._keywords(attributes[:], form, indent)
            line = f"{indent}{target} = {form.call}{', '.join(arguments)})"
            if len(line) > WIDTH:
                lines += call_lines(indent, f"{target} =", form.call, arguments)
            else:
                add(line)
            if annotations and len(node.output) > 1:
                self._declare(node, indent)

    @contextmanager
    def graph(self, called: Mapping[str, str] | None = None) -> Iterator[None]:
        """Around what is written of a graph within a node. Other graphs may use its names for other values: its
        constants are not known behind it, and `called`, the names of some of its values, hold inside it alone."""
        names, constants, count = self.names, self.constants, len(self.constants)
        called = called or {}
        others = {name: names[name] for name in called if name in names}
        names.update(called)
        yield
        while len(constants) > count:
            constants.popitem()  # those that were added last
        for name in called:
            del names[name]
        names.update(others)

    def _declare(self, node: NodeProto, indent: str) -> None:
        """Statements that declare what a node gives, where it has a statement without place for that."""
        for name in node.output:
            if name in self.annotations:
                self.lines.append(f"{indent}{self.names[name]}: {self.annotations[name]} = {self.names[name]}")

    def note_untyped(self, nodes: Sequence[NodeProto]) -> None:
        """Notes the values of unknown types among those of the function's nodes, which are about to be written."""
        self.untyped.update(untyped_values(nodes, self.forms))
        for name, element in conditions_among(nodes, self.untyped).items():
            self.parts.types.add(element)
            self.annotations[name] = f"{element}[...]"

    def returned(self, outputs: Sequence[str]) -> list[str]:
        """What a function returns for these ONNX names."""
        constants = self.constants
        return [
            with_type(constants[name], name, self.parts) if name in constants else self.names[name] for name in outputs
        ]

    def has_type(self, name: str) -> bool:
        """Whether the compiler knows the element type of a value."""
        return name not in self.untyped and name not in self.numbers and (self.typed or self.types.is_known(name))

    def knows(self, name: str) -> bool:
        """Whether a value is a constant that has no statement."""
        return name in self.constants

    def is_scalar(self, name: str) -> bool:
        """Whether a value is known to have rank 0."""
        return name in self.scalars or (name in self.constants and self.constants[name].is_scalar)

    def is_bool(self, name: str) -> bool:
        """Whether the compiler knows a condition for one, in a function by what the nodes say."""
        return self.typed or self.types.of(name) == "bool"

    def is_true(self, name: str) -> bool:
        """Whether a condition is absent, or a constant that is true."""
        return not name or (name in self.constants and bool(self.constants[name].array.all()))

    def literal(self, name: str) -> str:
        """A scalar: as a number where it is known, else its name."""
        constant = self.constants.get(name)
        return self.names[name] if constant is None else str(constant.literal)

    def add_constant(self, tensor: TensorProto, kept: frozenset[str], indent: str) -> None:
        """Notes an initializer of a graph; one that is an output, or in a function that keeps all, gets a statement."""
        if self._is_carried(tensor, tensor.name):
            return
        name, constant = tensor.name, constant_of(tensor)
        if self.faithful or name in kept:
            self.lines.append(f"{indent}{self.names[name]} = {self._own(constant, name)}")
        else:
            self.constants[name] = constant

    def _is_carried(self, tensor: TensorProto, name: str) -> bool:
        """Whether a tensor is too large for a constant of the compiler, so that the model carries it instead."""
        if self.carry is None or len(tensor.raw_data) <= MOST_BYTES:
            return False
        self.carry(tensor, name)
        return True

    # --------------------------------------------------------------------------------------------- parts of a node

    def _form(self, node: NodeProto) -> Form:
        """How a node is written that may call one of the module's functions."""
        found = self.forms.local.get((node.domain, node.op_type, node.overload))
        return self.forms[node.domain, node.op_type] if found is None else found

    def _keywords(self, attributes: Sequence[AttributeProto], form: Form, indent: str) -> Sequence[str]:
        """Attributes as arguments, but for those that go without saying. Most occur again and again."""
        if form.may_be_large:
            content = tuple([b"" if item.type in _LARGE else item.SerializeToString() for item in attributes])
        else:
            content = tuple([item.SerializeToString() for item in attributes])
        known = form.written.get(content)
        if known is not None:
            return known
        if len(attributes) > 1 and len({item.name for item in attributes}) < len(attributes):
            raise refuse(f"a node of {form.name} cannot be written", "two of its attributes have one name")
        defaults = () if self.faithful else form.defaults
        pairs = zip(attributes, content, strict=True)
        made = tuple([self._argument(item, form, indent) for item, data in pairs if data not in defaults])
        if b"" not in content and not (self.parts.attribute_names and any(item.ref_attr_name for item in attributes)):
            form.written[content] = made
        return made

    def _argument(self, attribute: AttributeProto, form: Form, indent: str) -> str:
        name, kind = _keyword(attribute, form), attribute.type
        if kind == GRAPH and not attribute.ref_attr_name:
            return f"{name}={self._graph(attribute.g, indent, form)}"
        if kind == TENSOR and form.is_open:
            return f"{name}={self.parts.array(constant_of(attribute.t), form.name)}"
        return f"{name}={attribute_text(attribute, kind, name, form.name, self.parts)}"

    def _special(self, form: Form, node: NodeProto, inputs: list[str], first: str, indent: str) -> bool:
        """Whether a node, of those inputs and that first output, has been written in a special form."""
        if form.is_open:
            self.forms.note_kinds(node)
            return False
        if form.is_control:
            if self.faithful or not write_control(self, node, indent):
                return False
            self._declare(node, indent)
            return True
        if form.record.role is Role.IDENTITY:
            value = self._other_name(inputs[0])
        else:
            write = subscript if form.record.subscript else typed_sign
            value = write(self, form, node, inputs)
        if value is None:
            return False
        target = self.names[first] if form.has_one_result and first else self._targets(node.output, 1)
        declared = self.annotations.get(first)
        self.lines.append(f"{indent}{target}{'' if declared is None else f': {declared}'} = {value}")
        return True

    def _other_name(self, name: str) -> str | None:
        """What an Identity gives another name; None where it makes a tensor of a constant or number."""
        return None if self.faithful or self.knows(name) or not self.names_tensors((name,)) else self.names[name]

    def names_tensors(self, names: Iterable[str]) -> bool:
        """Whether none of the values is a number of Python's, or of an unknown type."""
        return self.untyped.isdisjoint(names) and self.numbers.isdisjoint(names)

    def _targets(self, outputs: Sequence[str], least: int) -> str:
        if not outputs:
            raise refuse("a node without outputs cannot be written", "nothing takes what it gives")
        if len(outputs) > 1 and len({*outputs}) < len([*filter(None, outputs)]):
            raise refuse("a node with two outputs of one name cannot be written", "each has a name of its own")
        if len(outputs) == 1 and least == 1:
            return self.names[outputs[0]] if outputs[0] else "_"
        found = [self.names[name] if name else "_" for name in outputs]
        while len(found) > 1 and found[-1] == "_":
            found.pop()
        found += ["_"] * (least - len(found))
        return ", ".join(found)

    def _with_constants(self, form: Form, inputs: list[str]) -> list[str]:
        constants, names = self.constants, self.names
        return [
            as_operand(constants[name], form, index, inputs, constants, self.has_type, name, self.parts)
            if name in constants
            else names[name]
            for index, name in enumerate(inputs)
        ]

    def _constant(self, node: NodeProto, output: str, kept: frozenset[str], indent: str) -> bool:
        """Notes a constant; whether that is all that there is to do."""
        attributes = node.attribute[:]
        if len(attributes) != 1:
            return False
        attribute = attributes[0]
        if attribute.ref_attr_name:
            return False
        if self.carry is not None and attribute.name == "value" and self._is_carried(attribute.t, output):
            return True
        if self.faithful:
            return False
        constant = constant_value(attribute)
        if constant is None:
            return False
        if output in kept:
            self.lines.append(f"{indent}{self.names[output]} = {self._own(constant, output)}")
        else:
            self.constants[output] = constant
        return True

    def own(self, name: str) -> str:
        """A constant of that ONNX name as a value by itself; it has a statement from now on."""
        return self._own(self.constants.pop(name), name)

    def _own(self, constant: Constant, hint: str) -> str:
        """A constant that is a value by itself."""
        return f"op.Constant(value={self.parts.tensor_attribute(constant, hint)})"

    def _graph(self, graph: GraphProto, indent: str, form: Form) -> str:
        """Writes a graph as a nested function; gives its name. A graph that is closed makes its constants itself: those
        that stand in the text are made outside, where all can share them."""
        closed = form.record.role is Role.FLEX_ATTENTION
        names, inner = self.names, f"{indent}    "
        name = names.fresh(graph.name or "graph")
        if graph.sparse_initializer:
            raise refuse(f"the graph {graph.name} has sparse initializers", "a nested function has none")
        refuse_unclear_graph(graph)
        types = self.faithful and self.typed
        declared = {
            index: _type_text(item, self.parts.types)
            for index, item in enumerate(graph.input)
            if types or (form.record.role is Role.LOOP and not index and is_list(item))
        }
        parameters = [
            f"{names[item.name]}: {declared[index]}" if declared.get(index) else names[item.name]
            for index, item in enumerate(graph.input)
        ]
        returned = [_type_text(item, self.parts.types) for item in graph.output] if types else []
        tail = ""
        if returned and all(returned):
            tail = f" -> {returned[0]}" if len(returned) == 1 else f" -> tuple[{', '.join(returned)}]"
        if self.lines and self.lines[-1]:
            self.lines.append("")
        self.lines += def_lines(indent, name, parameters, tail)
        outputs = [item.name for item in graph.output]
        before, self.faithful = self.faithful, self.faithful or closed
        with self.graph():
            for tensor in graph.initializer:
                self.add_constant(tensor, frozenset(outputs), inner)
            self.nodes(Nodes(graph.node), inner, frozenset(outputs))
            self.lines += return_lines(inner, self.returned(outputs))
        self.faithful = before
        self.lines.append("")
        return name


def _is_plain(arguments: Sequence[str]) -> bool:
    """Whether a sign means the operator: one operand at least is a tensor, and none a list or a text."""
    tensors = False
    for text in arguments:
        if text.isidentifier():
            tensors = tensors or not (text in _NO_TENSORS or text.endswith(ARRAY))
        elif text[0] in "['\"":
            return False
    return tensors


def is_list(value: ValueInfoProto) -> bool:
    """Whether a value is declared with rank 1."""
    return len(value.type.tensor_type.shape.dim) == 1


def _type_text(value: ValueInfoProto, used: set[str]) -> str:
    """The type of a value of a graph as an annotation; empty where it has none, or none that says a type."""
    if not value.type.WhichOneof("value") or (value.type.HasField("tensor_type") and not _has_element(value)):
        return ""
    return annotation(value.type, used, f"the value {value.name!r}")


def _has_element(value: ValueInfoProto) -> bool:
    return value.type.tensor_type.elem_type in BY_CODE


def _keyword(attribute: AttributeProto, form: Form) -> str:
    """The name of an attribute as the keyword of a call."""
    name = attribute.name
    if name not in form.keywords and not is_python_name(name):
        raise refuse(f"the attribute {name!r} of {form.name} cannot be written", "it is no name in Python")
    return name
