"""What a runtime computes, as the outputs of a row of vectors. It runs in a process of its own, where it may crash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onnx import ModelProto

from opwright_build.verify.case_model import Array
from opwright_build.verify.cases.row_text import is_short, value_text
from opwright_build.verify.run.isolation import kept_workers, run_tasks
from opwright_build.verify.run.models import Signature
from opwright_build.verify.run.runtimes import Failed, Refused, available

_MOST_WRITTEN = 4096  # elements of an output

_Answer = tuple[list[str] | None, str, bool]  # the texts, else why there are none, and whether that is final


class NotComputed(Exception):
    """Why there are no outputs."""


def computed_outputs(model: ModelProto, signature: Signature, feeds: Sequence[Array]) -> list[str]:
    """The text of each output, of the first runtime that runs the model. Raises NotComputed where none does, and where
    one crashes or gives no answer: a row of what another one gives would fail there."""
    said = "no runtime is installed"
    data = model.SerializeToString()
    with kept_workers():
        for runtime in available():
            (answer,) = run_tasks([_Task(data, signature, tuple(feeds), runtime.name)], workers=1)
            texts, said, is_final = answer
            if texts is not None:
                return list(texts)
            if is_final:
                break
    raise NotComputed(said)


@dataclass(frozen=True, slots=True)
class _Task:
    """One runtime: a task of `isolation`."""

    model: bytes
    signature: Signature
    feeds: tuple[Array, ...]
    runtime: str

    def run(self) -> _Answer:
        (runtime,) = available((self.runtime,))
        try:
            session = runtime.load(ModelProto.FromString(self.model), self.signature)
            found, again = (session.run(self.feeds) for _ in range(2))
        except (Refused, Failed) as error:
            return None, f"{self.runtime}: {error}", False
        if not all(is_short(value, _MOST_WRITTEN) for value in found):
            return None, f"an output has more than {_MOST_WRITTEN:,} elements", True
        texts = list(map(value_text, found))
        if texts != list(map(value_text, again)):
            return None, "it draws random numbers, of which a row says by `random:` what is certain", True
        return texts, "", False

    def pieces(self) -> Sequence[_Task]:
        return (self,)

    def join(self, results: Sequence[_Answer]) -> _Answer:
        return results[0]

    def lost(self, how: str) -> _Answer:
        return None, f"{self.runtime} {how}", True
