"""The nodes of a graph as statements."""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from itertools import compress, count, repeat

from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, TypeProto, ValueInfoProto

from opwright.decompiler.annotation_text import annotation
from opwright.decompiler.attribute_text import attribute_text, named_float
from opwright.decompiler.collected_types import Types, is_list, key_of
from opwright.decompiler.constant_text import as_operand, with_type
from opwright.decompiler.control import write_control
from opwright.decompiler.element_types import ElementTypes
from opwright.decompiler.inner_types import without_shape
from opwright.decompiler.layout import WIDTH, call_lines, def_lines, return_lines, sum_lines
from opwright.decompiler.literal_text import Constant, constant_of, constant_of_number, constant_value
from opwright.decompiler.operator_forms import Form, Forms
from opwright.decompiler.parts import MOST_BYTES, Parts
from opwright.decompiler.python_names import ARRAY, Names, is_python_name
from opwright.decompiler.refuse import DEVICES, refuse, refuse_unclear_graph
from opwright.decompiler.subscript_text import subscript
from opwright.decompiler.text_of import comment
from opwright.decompiler.typed_signs import typed_sign
from opwright.decompiler.unknown_types import conditions_among, untyped_values
from opwright.elements import BY_CODE
from opwright.graphs.node_columns import NodeColumns
from opwright.opsets.record import Role
from opwright.opsets.records import CONSTANT

GRAPH, TENSOR = int(AttributeProto.GRAPH), int(AttributeProto.TENSOR)
_LARGE = frozenset([GRAPH, TENSOR])
_NO_TENSORS = frozenset(["True", "False", "None"])


class Body:
    """Writes the nodes of one function, graphs within it included. `declared` are the element types of inputs and
    initializers, as `ElementTypes` has them.

    `constants` are the tensors that are known, by ONNX name: they stand where they are used, unless `faithful` keeps
    each at its own node. `typed`: the types of inputs are known. `annotations`: what is declared of values, parameters
    of graphs among them, whose ranks the compiler cannot follow. `untyped` are values of whose types the compiler
    knows nothing, `numbers` those that are numbers in Python, `scalars` inputs of rank 0. `collected` are the types
    that bodies of loops must say of what they give, `conditions` what they take whose types they must say. `wrong` are
    values that are declared with other shapes than they have.
    """

    def __init__(
        self,
        parts: Parts,
        forms: Forms,
        names: Names,
        nodes: NodeColumns,
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
        self.collected: Types = {}
        self.conditions: set[str] = set()
        self.wrong: set[str] = set()
        self.depth = 0
        self.types = ElementTypes(nodes, declared, forms, self.constants)
        self.carry: Callable[[TensorProto, str], None] | None = None  # makes a parameter of a large tensor
        self.lines: list[str] = []

    def nodes(self, nodes: NodeColumns, indent: str, kept: frozenset[str] = frozenset()) -> None:
        """Adds the statements of nodes. `kept`: constants of these names get statements too, being outputs.

        Models have many nodes, so that most are done with here, by the columns alone: nodes of one output that are
        written in one way, read values that have names, and have plain attributes.
        """
        if nodes.on_devices:
            raise refuse(*DEVICES)
        names, lines, attributes = self.names, self.lines, nodes.attributes
        names.add_all(nodes.firsts)
        texts = [*map(names.get, nodes.inputs, repeat(""))]
        apart = self._apart(nodes, texts)
        usual: dict[str, tuple[Form, str]] = {}  # operators of the default domain, with their signs
        rows = zip(nodes.operators, nodes.firsts, nodes.begins, nodes.ends, strict=True)
        for index, (operator, first, begin, end) in enumerate(rows):
            found = usual.get(operator)
            if found is None or index in apart:
                form = self._node(nodes, index, indent, kept)
                if form.is_usual and not nodes.domains[index] and operator not in self.forms.hidden:
                    usual[operator] = form, self._sign(form)
                continue
            form, sign = found
            arguments, target = texts[begin:end], names[first]
            if index in attributes:
                arguments += self._keywords(nodes, index, form, indent)
            elif sign and len(arguments) == form.least_inputs:
                lines += _as_sign(indent, target, sign, arguments)
                continue
            lines += _as_call(indent, target, form, arguments)

    def _apart(self, nodes: NodeColumns, texts: Sequence[str]) -> Set[int]:
        """The nodes that need a closer look: those that read constants, or what is not defined before (and has no text)
        or is absent at the end; of other domains, without a first output; and those that have more to say than
        operator, inputs and plain attributes. All are that where there are numbers, or values of unknown types."""
        if self.numbers or self.untyped:
            return {*range(len(nodes.begins))}
        inputs, ends = nodes.inputs, nodes.ends
        made = set[str]()
        if not self.faithful:
            made.update(compress(nodes.firsts, map(CONSTANT.name.__eq__, nodes.operators)))
        places = [place for place, text in enumerate(texts) if not text]
        for known in filter(None, (self.constants, made)):
            places += compress(count(), map(known.__contains__, inputs))
        found = {bisect(ends, place) for place in places}
        for place in [place for place, name in enumerate(inputs, 1) if not name]:
            index = bisect_left(ends, place)
            if ends[index] == place:
                found.add(index)
        if any(nodes.domains):
            found.update(compress(count(), nodes.domains))
        if "" in nodes.firsts:
            found.update(index for index, name in enumerate(nodes.firsts) if not name)
        if self.annotations:
            found.update(index for index, name in enumerate(nodes.firsts) if name in self.annotations)
        return found.union(nodes.with_others, nodes.doc_strings)

    def _sign(self, form: Form) -> str:
        """The sign that means the operator here, whatever its operands are."""
        return form.binary if self.typed else form.polymorphic

    def _arguments(self, form: Form, sign: str, inputs: Sequence[str]) -> tuple[list[str], str]:
        """What the operator is called with, and its sign if that means the same in place of the call."""
        given = len(inputs)
        while given and not inputs[given - 1]:
            given -= 1
        inputs = inputs[:given]
        if self.constants.keys().isdisjoint(inputs):
            return [self.names[name] for name in inputs], sign
        arguments = self._with_constants(form, inputs)
        return arguments, sign if sign and _is_plain(arguments) else ""

    def _node(self, nodes: NodeColumns, index: int, indent: str, kept: frozenset[str]) -> Form:
        """Adds the statement of a node of any kind; gives its form."""
        form = self._form(nodes, index)
        if form.is_constant:
            if self._constant(nodes, index, kept, indent):
                return form
        elif index in nodes.doc_strings:
            self.lines += comment(indent, nodes.doc_strings[index])
        inputs, first = nodes.inputs_of(index), nodes.firsts[index]
        if form.is_special and self._special(form, nodes.protos[index], inputs, first, indent):
            return form
        arguments, sign = self._arguments(form, self._sign(form), inputs)
        is_single = form.has_one_result and first and not self.annotations and not self.untyped
        outputs = [first] if is_single else nodes.protos[index].output[:]
        target = self.names[first] if form.has_one_result and first else self._targets(outputs, form)
        is_tuple = len(outputs) > 1 or form.gives_tuple
        if first in self.annotations and not is_tuple:
            target = f"{target}: {self.annotations[first]}"
        if not self.untyped.isdisjoint(inputs):
            self.untyped.update(outputs)
            sign = ""
        if index in nodes.attributes or (index in nodes.with_others and nodes.protos[index].attribute):
            arguments += self._keywords(nodes, index, form, indent)
        elif sign and len(arguments) == form.least_inputs and self.numbers.isdisjoint(inputs):
            self.lines += _as_sign(indent, target, sign, arguments)
            return form
        self.lines += _as_call(indent, target, form, arguments)
        if self.annotations and is_tuple:
            self._declare(nodes.protos[index], indent)
        return form

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
        if self.carry is not None and self._is_to_carry(tensor):
            self.carry(tensor, tensor.name)
            return
        name, constant = tensor.name, constant_of(tensor)
        if self.faithful or name in kept:
            self.lines.append(f"{indent}{self.names[name]} = {self._own(constant, name)}")
        else:
            self.constants[name] = constant

    def carries(self, node: NodeProto) -> bool:
        """Whether a node is a Constant whose tensor the model carries: its value is a parameter of the function."""
        if self.carry is None or not CONSTANT.describes(node) or len(node.attribute) != 1:
            return False
        value = node.attribute[0]
        return value.name == "value" and not value.ref_attr_name and self._is_to_carry(value.t)

    def _is_to_carry(self, tensor: TensorProto) -> bool:
        """Whether a tensor is too large for a constant of the compiler, or of a type that the opset's `Constant` does
        not hold, so that the model carries it instead."""
        return len(tensor.raw_data) > MOST_BYTES or not self.forms.holds(tensor)

    # --------------------------------------------------------------------------------------------- parts of a node

    def _form(self, nodes: NodeColumns, index: int) -> Form:
        """How a node is written that may call one of the module's functions."""
        operator = nodes.domains[index], nodes.operators[index]
        found = self.forms.local.get((*operator, nodes.protos[index].overload)) if self.forms.local else None
        return self.forms[operator] if found is None else found

    def _keywords(self, nodes: NodeColumns, index: int, form: Form, indent: str) -> Sequence[str]:
        """Attributes as arguments, but for those that go without saying. Most plain ones occur again and again."""
        plain = None if index in nodes.with_others else nodes.attributes.get(index, ())
        known = None if plain is None else form.written.get(plain)
        if known is not None:
            return known
        defaults = () if self.faithful else form.defaults
        number = named_float(plain[0]) if plain and len(plain) == 1 else None
        if plain is not None and number is not None and number[0] in form.keywords:
            text = f"{number[0]}={self.parts.number(number[1], number[0])}"
            return form.written.setdefault(plain, () if plain[0] in defaults else (text,))
        attributes = nodes.protos[index].attribute[:]
        if form.listed is not None:
            attributes = [item for item in attributes if item.name in form.listed]
        if len(attributes) > 1 and len({item.name for item in attributes}) < len(attributes):
            raise refuse(f"a node of {form.name} cannot be written", "two of its attributes have one name")
        content = (
            [b"" if item.type in _LARGE else item.SerializeToString() for item in attributes]
            if plain is None or form.listed is not None
            else plain
        )
        pairs = zip(attributes, content, strict=True)
        made = tuple([self._argument(item, form, indent) for item, data in pairs if data not in defaults])
        if plain is not None:
            form.written[plain] = made
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
        target = self.names[first] if form.has_one_result and first else self._targets(node.output, form)
        declared = self.annotations.get(first)
        self.lines.append(f"{indent}{target}{'' if declared is None else f': {declared}'} = {value}")
        return True

    def _other_name(self, name: str) -> str | None:
        """What an Identity gives another name; None where it makes a tensor of a constant or number."""
        return None if self.faithful or self.knows(name) or not self.names_tensors((name,)) else self.names[name]

    def names_tensors(self, names: Iterable[str]) -> bool:
        """Whether none of the values is a number of Python's, or of an unknown type."""
        return self.untyped.isdisjoint(names) and self.numbers.isdisjoint(names)

    def _targets(self, outputs: Sequence[str], form: Form) -> str:
        if not outputs:
            raise refuse("a node without outputs cannot be written", "nothing takes what it gives")
        if len(outputs) > 1 and len({*outputs}) < len([*filter(None, outputs)]):
            raise refuse("a node with two outputs of one name cannot be written", "each has a name of its own")
        least = len(outputs) if form.gives_all else form.least
        if len(outputs) == 1 and least == 1:
            name = self.names[outputs[0]] if outputs[0] else "_"
            return f"({name},)" if form.gives_tuple else name
        found = [self.names[name] if name else "_" for name in outputs]
        while len(found) > least and found[-1] == "_":
            found.pop()
        found += ["_"] * (least - len(found))
        return ", ".join(found)

    def _with_constants(self, form: Form, inputs: Sequence[str]) -> list[str]:
        constants, names = self.constants, self.names
        return [
            as_operand(constants[name], form, index, inputs, constants, self.has_type, name, self.parts)
            if name in constants
            else names[name]
            for index, name in enumerate(inputs)
        ]

    def _constant(self, nodes: NodeColumns, index: int, kept: frozenset[str], indent: str) -> bool:
        """Notes a constant; whether that is all that there is to do."""
        output, values, constant = nodes.firsts[index], nodes.attributes.get(index, ()), None
        if not self.faithful and len(values) == 1 and index not in nodes.with_others:
            constant = constant_of_number(values[0])
        if constant is None:
            attributes = nodes.protos[index].attribute[:]
            if len(attributes) != 1 or attributes[0].ref_attr_name:
                return False
            if self.carry is not None and self.carries(nodes.protos[index]):
                self.carry(attributes[0].t, output)
                return True
            constant = None if self.faithful else constant_value(attributes[0])
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
            index: self._type_text(item)
            if types
            or (form.record.role is Role.LOOP and not index and is_list(item.type))
            or item.name in self.conditions
            else self.annotations.get(item.name, "")
            for index, item in enumerate(graph.input)
        }
        parameters = [
            f"{names[item.name]}: {declared[index]}" if declared.get(index) else names[item.name]
            for index, item in enumerate(graph.input)
        ]
        returned = [self._type_text(item) for item in graph.output] if types else []
        if not types and form.record.role is Role.LOOP:
            returned = self._collected(graph)
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
            self.nodes(self.parts.columns(graph), inner, frozenset(outputs))
            self.lines += return_lines(inner, self.returned(outputs))
        self.faithful = before
        self.lines.append("")
        return name

    def _type_text(self, value: ValueInfoProto) -> str:
        """The type of a value of a graph as an annotation; empty where it has none, or none that says a type."""
        if not value.type.WhichOneof("value") or (value.type.HasField("tensor_type") and not _has_element(value)):
            return ""
        return annotation(self.declared(value), self.parts.types, f"the value {value.name!r}")

    def declared(self, value: ValueInfoProto) -> TypeProto:
        """The declared type of a value; without its shape, where that is wrong."""
        return without_shape(value.type) if value.name in self.wrong else value.type

    def _collected(self, body: GraphProto) -> list[str]:
        """What the body of a loop must say of what it gives, as annotations."""
        texts = []
        for item, type_ in zip(body.output, self.collected.get(key_of(body), ()), strict=False):
            texts.append(self._type_text(ValueInfoProto(name=item.name, type=type_)))
        return texts


def _as_sign(indent: str, target: str, sign: str, arguments: Sequence[str]) -> list[str]:
    """A statement that has the sign of an operator."""
    left, right = arguments if len(arguments) > 1 else ("", *arguments)
    line = f"{indent}{target} = {left}{sign}{right}"
    return [line] if len(line) <= WIDTH or not left else sum_lines(indent, target, left, sign, right)


def _as_call(indent: str, target: str, form: Form, arguments: Sequence[str]) -> list[str]:
    """A statement that calls an operator."""
    line = f"{indent}{target} = {form.call}{', '.join(arguments)})"
    return [line] if len(line) <= WIDTH else call_lines(indent, f"{target} =", form.call, arguments)


def _is_plain(arguments: Sequence[str]) -> bool:
    """Whether a sign means the operator: one operand at least is a tensor, and none a list or a text."""
    tensors = False
    for text in arguments:
        if text.isidentifier():
            tensors = tensors or not (text in _NO_TENSORS or text.endswith(ARRAY))
        elif text[0] in "['\"":
            return False
    return tensors


def _has_element(value: ValueInfoProto) -> bool:
    return value.type.tensor_type.elem_type in BY_CODE


def _keyword(attribute: AttributeProto, form: Form) -> str:
    """The name of an attribute as the keyword of a call."""
    name = attribute.name
    if name not in form.keywords and not is_python_name(name):
        raise refuse(f"the attribute {name!r} of {form.name} cannot be written", "it is no name in Python")
    return name
