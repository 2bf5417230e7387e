"""The node tests that do not make the round trip, each with its reason. The lists may only shrink."""

from __future__ import annotations

from pathlib import Path

FILES = {False: "roundtrip_exceptions.txt", True: "faithful_exceptions.txt"}


def read_exceptions(faithful: bool) -> dict[str, str]:
    """The reasons by the names of the cases."""
    text = (Path(__file__).parent / FILES[faithful]).read_text(encoding="utf-8")
    lines = (line.partition(": ") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: reason for name, _, reason in lines}
