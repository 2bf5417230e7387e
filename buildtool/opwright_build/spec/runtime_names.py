"""The runtimes that bodies are verified on, and their families: `onnxruntime` has `onnxruntime/off` and more."""

from __future__ import annotations

from collections.abc import Iterator

ONNXRUNTIME_OFF = "onnxruntime/off"
ONNXRUNTIME_FULL = "onnxruntime/full"
REFERENCE = "reference"
RUNTIME_NAMES = (ONNXRUNTIME_OFF, ONNXRUNTIME_FULL, REFERENCE)


def family_of(runtime: str) -> str:
    """`onnxruntime` for `onnxruntime/off`."""
    return runtime.partition("/")[0]


def in_family(runtime: str, name: str) -> bool:
    """Whether `name`, a runtime or a family, stands for that runtime."""
    return runtime == name or runtime.startswith(f"{name}/")


def runtimes_and_families() -> list[str]:
    """Every name of a runtime or of a family, families first."""
    return list(dict.fromkeys([*map(family_of, RUNTIME_NAMES), *RUNTIME_NAMES]))


def layers_of(runtime: str) -> Iterator[str]:
    """The names that stand for a runtime, its family first: what is said of the runtime itself comes last."""
    yield from dict.fromkeys((family_of(runtime), runtime))
