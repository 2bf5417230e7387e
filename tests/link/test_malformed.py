"""Whatever a model holds, attaching, inspecting and detaching end in a model or in findings."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message
from onnx import ModelProto
from opwright.bundle.format import Bundle
from opwright.diagnostics import DiagnosticError
from opwright.link.apply import attach_libraries
from opwright.link.detach import detach_libraries
from opwright.link.inspect import inspect

from tests.link.conftest import LibraryBuilder, parse, refused
from tests.shares import one_in
from tests.work import ends

SERVED = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1, "my": 1]>
g (float[N] x, bool c, float l) => (float[N] y) {
    a = com.acme.Twice(x)
    b = my.Mine<alpha = 0.5>(a)
    d = com.acme.Floor(b, l)
    e = Softplus(d)
    y = If (c) <then_branch = p () => (r) { r = com.acme.Floor(e) }, else_branch = q () => (s) { s = com.acme.Kind(e) }>
}
<domain: "my", opset_import: ["": 18, "com.acme": 1]>
Mine <alpha> (x) => (y) { t = com.acme.Swish<alpha: float = @alpha>(x) y = com.acme.Twice(t) }"""

TEXTS = (
    *("x", "y", "t", "", "com.acme", "Swish", "Twice", "Floor", "Kind", "my", "Mine", "ai.onnx", "opwright.ai.onnx"),
    *("Softplus", "If", "Loop", "Scan", "SequenceMap", "Constant", "Cast", "alpha", "to", "body", "then_branch"),
    *("low=present", "opwright.call", "opwright.body", "{}", "body1"),
)
VALUES: dict[int, tuple[Any, ...]] = {
    FieldDescriptor.TYPE_STRING: TEXTS,
    FieldDescriptor.TYPE_BYTES: (b"", b"\xff\xfe", b"abc"),
    FieldDescriptor.TYPE_FLOAT: (0.0, float("nan"), float("inf")),
    FieldDescriptor.TYPE_DOUBLE: (0.0, float("nan"), float("inf")),
}
NUMBERS = (0, 1, 2, 7, -1, 18, 28, 99, 2**31 - 1)


@pytest.fixture
def models(acme: Bundle, standard: Bundle) -> list[ModelProto]:
    plain = parse(SERVED)
    return [plain, attach_libraries(plain, [acme, standard], replace=True).model]


@pytest.fixture
def judge(acme: Bundle, standard: Bundle) -> Callable[[ModelProto, Counter[str]], None]:
    def call(model: ModelProto, outcomes: Counter[str]) -> None:
        tasks: tuple[Callable[[], object], ...] = (
            lambda: attach_libraries(model, [acme, standard], replace=True),
            lambda: attach_libraries(model, [acme, standard], inline=True),
            lambda: inspect(model, [acme]),
            lambda: detach_libraries(model),
        )
        for task in tasks:
            try:
                with ends(model):
                    task()
                outcomes["good"] += 1
            except DiagnosticError as error:
                outcomes[error.diagnostics[0].code] += 1

    return call


def messages_of(model: Message) -> list[Message]:
    found, pending = [model], [model]
    while pending:
        for field, value in pending.pop().ListFields():
            if field.type == FieldDescriptor.TYPE_MESSAGE:
                inner = [value] if isinstance(value, Message) else list(value)
                found += inner
                pending += inner
    return found


def mutate(model: ModelProto, numbers: random.Random) -> None:
    """Clears, drops, doubles, moves or replaces one field of one message."""
    message: Any = numbers.choice(messages_of(model))
    filled = [field for field, _ in message.ListFields()]
    field = numbers.choice(filled if filled and numbers.random() < 0.7 else list(message.DESCRIPTOR.fields))
    held = getattr(message, field.name)
    repeated = hasattr(held, "extend")
    if numbers.random() < 0.3:
        message.ClearField(field.name)
    elif field.type == FieldDescriptor.TYPE_MESSAGE:
        alike = [item for item in messages_of(model) if item.DESCRIPTOR is field.message_type]
        donor = numbers.choice(alike) if alike else None
        if not repeated and donor is not None and donor.ByteSize() < 20_000:
            held.CopyFrom(type(donor).FromString(donor.SerializeToString()))
        elif repeated and held and numbers.random() < 0.5:
            del held[numbers.randrange(len(held))]
        elif repeated and donor is not None:
            held.append(type(donor).FromString(donor.SerializeToString()))
    elif field.type == FieldDescriptor.TYPE_ENUM:
        code = numbers.choice(field.enum_type.values).number
        held.append(code) if repeated else setattr(message, field.name, code)
    else:
        value = numbers.choice(VALUES.get(field.type, NUMBERS))
        held.append(value) if repeated else setattr(message, field.name, value)


@pytest.mark.parametrize("seed", one_in(3, range(20, 23)))
def test_models_with_fields_changed(seed: int, models: list[ModelProto], judge: Callable[..., None]) -> None:
    numbers = random.Random(seed)
    outcomes: Counter[str] = Counter()
    for _ in range(60):
        model = ModelProto()
        model.CopyFrom(numbers.choice(models))
        for _ in range(numbers.randint(1, 4)):
            mutate(model, numbers)
        judge(model, outcomes)
    assert len(outcomes) >= 8, outcomes  # the changes reach into many corners
    assert outcomes["good"] > 15


@pytest.mark.long
def test_models_with_bytes_changed(models: list[ModelProto], judge: Callable[..., None]) -> None:
    numbers = random.Random(21)
    outcomes: Counter[str] = Counter()
    for _ in range(300):
        data = bytearray(numbers.choice(models).SerializeToString())
        for _ in range(numbers.randint(1, 3)):
            data[numbers.randrange(len(data))] = numbers.choice((0, 1, 255, numbers.randrange(256)))
        try:
            model = ModelProto.FromString(bytes(data))
        except DecodeError:
            continue
        judge(model, outcomes)
    assert outcomes["OW551"] > 10  # texts that are not UTF-8
    assert outcomes["good"] > 15


@pytest.mark.parametrize("inline", [False, True])
def test_a_library_whose_functions_call_each_other_twice(inline: bool) -> None:
    library = LibraryBuilder()
    library.add("F40", "(x, z) => (y) { y = Add(x, z) }", inputs=["x", "z"])
    for index in range(39, -1, -1):
        calls = f"a = com.acme.F{index + 1}(x, z) b = com.acme.F{index + 1}(z, x)"
        library.add(f"F{index}", f"(x, z) => (y) {{ {calls} y = Add(a, b) }}", inputs=["x", "z"])
    model = parse(
        '<ir_version: 10, opset_import: ["": 18, "com.acme": 1]> '
        "g (float[N] x) => (float[N] y) { y = com.acme.F0(x, x) }"
    )
    with ends():
        found = refused(lambda: attach_libraries(model, [library.bundle()], inline=inline))
    assert [item.code for item in found] == ["OW596"]
