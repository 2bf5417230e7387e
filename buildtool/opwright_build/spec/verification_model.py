"""The shape of the two files that keep verification's facts: `runtime-gaps.yaml` and `mutants-survivors.yaml`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from opwright_build.spec.boundary import Strict
from opwright_build.spec.names import SchemaNumber

Text = Annotated[str, Field(min_length=1, max_length=1000)]


class GapModel(Strict):
    """What a runtime refuses to load. Without `types` it holds for every type."""

    runtime: Text
    operator: Text
    types: dict[str, str] | None = None
    opsets: Annotated[list[int], Field(min_length=1)]
    outcome: Literal["no-kernel", "unsupported"]
    reason: Text


class GapsModel(Strict):
    schema_: SchemaNumber = Field(alias="schema")
    gaps: list[GapModel]


class SurvivorModel(Strict):
    """A mutant that no vector can notice, and why."""

    id: Text
    reason: Text


class SurvivorsModel(Strict):
    schema_: SchemaNumber = Field(alias="schema")
    survivors: list[SurvivorModel]
