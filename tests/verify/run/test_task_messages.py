"""What a process is sent once, and that it finds it again."""

from dataclasses import dataclass

import numpy as np
import pytest
from opwright.diagnostics.diagnostic import Place
from opwright_build.verify.case_model import Case, SuiteJudge
from opwright_build.verify.run.batches import Batch, Vector
from opwright_build.verify.run.models import Signature
from opwright_build.verify.run.task_messages import Receiver, Sender

SIGNATURE = Signature((("float", 1),), (), ("float",))


def batch(body: bytes, case: Case) -> Batch:
    return Batch("reference", 18, (body,), SIGNATURE, ("y",), (Vector(case, (0,)),))


def case_of(size: int) -> Case:
    judge, place = SuiteJudge(1e-3, 1e-7), Place("vectors.yaml", 1, 1)
    return Case("d::F@1", "row", {"T": "float"}, (np.arange(size, dtype=np.float32),), {}, None, judge, place, "")


def test_bodies_and_cases_are_sent_once_and_found_again() -> None:
    body, case = bytes(4000), case_of(1000)
    sender, receiver = Sender(), Receiver()
    messages = [sender.message([batch(body, case), batch(body, case)]) for _ in range(3)]
    assert len(messages[0]) > 8000 > 2000 > len(messages[1]) == len(messages[2])
    found = [task for message in messages for task in receiver.tasks(message)]
    assert len(found) == 6
    assert len({id(task.functions[0]) for task in found}) == len({id(task.vectors[0].case) for task in found}) == 1
    assert found[0].functions == (body,)
    assert found[0].vectors[0].case.inputs[0].tolist() == list(range(1000))


def test_what_is_new_is_told_from_what_was_sent() -> None:
    sender, receiver = Sender(), Receiver()
    bodies = [bytes([number]) * 50 for number in range(9)]
    cases = [case_of(size) for size in range(4)]
    for step in range(6):
        tasks = [batch(bodies[(step * 2 + at) % 9], cases[(step + at) % 4]) for at in range(5)]
        found = receiver.tasks(sender.message(tasks))
        assert [task.functions for task in found] == [task.functions for task in tasks]
        sizes = [task.vectors[0].case.inputs[0].size for task in found]
        assert sizes == [(step + at) % 4 for at in range(5)]


@dataclass(frozen=True)
class Made:
    """Its bytes are made when it is sent, and gone then."""

    number: int

    def __reduce__(self) -> tuple[type, tuple[bytes]]:
        return Kept, (bytes([self.number]) * 40,)


@dataclass(frozen=True)
class Kept:
    data: bytes


def test_bytes_that_are_made_on_the_way_are_not_taken_for_others() -> None:
    tasks = [Made(number) for number in range(50)]
    assert [task.data[0] for task in Receiver().tasks(Sender().message(tasks))] == list(range(50))


def test_another_sender_begins_anew() -> None:
    receiver = Receiver()
    receiver.tasks(Sender().message([batch(b"first", case_of(1))]))
    [found] = receiver.tasks(Sender().message([batch(b"second", case_of(2))]))
    assert (found.functions, found.vectors[0].case.inputs[0].size) == ((b"second",), 2)
    with pytest.raises(EOFError):
        receiver.tasks(b"")


def test_a_message_that_was_lost_is_no_reason_to_take_other_bodies() -> None:
    sender = Sender()
    sender.message([batch(b"first", case_of(1))])
    with pytest.raises(ValueError, match="2 bodies and cases were to be known, and 0 are"):
        Receiver().tasks(sender.message([batch(b"second", case_of(2))]))
