"""What a runtime computes, as the outputs of a row of vectors. It runs in a process of its own, where it may crash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from onnx import ModelProto

from opwright_build.verify.case_model import Array
from opwright_build.verify.cases.row_text import is_short, value_text
from opwright_build.verify.run.isolation import run_tasks
from opwright_build.verify.run.models import Signature
from opwright_build.verify.run.runtimes import Failed, Refused, available

_MOST_WRITTEN = 4096  # elements of an output

_Answer = tuple[list[str] | None, str, bool]  # the texts, else why there are none, and whether the process died


class NotComputed(Exception):
    """Why there are no outputs."""


def computed_outputs(model: ModelProto, signature: Signature, feeds: Sequence[Array]) -> list[str]:
    """The text of each output, of the first runtime that runs the model. Raises NotComputed where none does, and where
    one crashes or gives no answer: a row of what another one gives would fail there."""
    names = tuple(runtime.name for runtime in available())
    (answer,) = run_tasks([_Task(model.SerializeToString(), signature, tuple(feeds), names)], workers=1)
    texts, said, _ = answer
    if texts is None:
        raise NotComputed(said)
    return list(texts)


@dataclass(frozen=True, slots=True)
class _Task:
    """A task of `isolation`; its pieces are the runtimes."""

    model: bytes
    signature: Signature
    feeds: tuple[Array, ...]
    runtimes: tuple[str, ...]

    def run(self) -> _Answer:
        said = "no runtime is installed"
        for runtime in available(self.runtimes):
            try:
                found = runtime.load(ModelProto.FromString(self.model), self.signature).run(self.feeds)
            except (Refused, Failed) as error:
                said = f"{runtime.name}: {error}"
                continue
            if not all(is_short(value, _MOST_WRITTEN) for value in found):
                return None, f"an output has more than {_MOST_WRITTEN:,} elements", False
            return list(map(value_text, found)), "", False
        return None, said, False

    def pieces(self) -> Sequence[_Task]:
        return [replace(self, runtimes=(name,)) for name in self.runtimes]

    def join(self, results: Sequence[_Answer]) -> _Answer:
        died = [answer for answer in results if answer[2]]
        return [*died, *(answer for answer in results if answer[0] is not None), results[-1]][0]

    def lost(self, how: str) -> _Answer:
        return None, f"{self.runtimes[0]} {how}", True
