"""The shape of the files that keep facts: `runtime-gaps.yaml`, `mutants-survivors.yaml` and `numerics.yaml`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from opwright_build.spec.boundary import Strict
from opwright_build.spec.names import SchemaNumber

Text = Annotated[str, Field(min_length=1, max_length=1000)]


Releases = Annotated[list[Text], Field(min_length=1)]


class GapModel(Strict):
    """What a runtime refuses to load. Without `types` it holds for every type, without `releases` for all listed."""

    runtime: Text
    releases: Releases | None = None
    operator: Text
    types: dict[str, str] | None = None
    opsets: Annotated[list[int], Field(min_length=1)]
    outcome: Literal["no-kernel", "unsupported"]
    reason: Text


class GapsModel(Strict):
    """`releases` are those that the rows were made with, by the runtime's family (`onnxruntime`)."""

    schema_: SchemaNumber = Field(alias="schema")
    releases: dict[str, Releases] = Field(default_factory=dict)
    gaps: list[GapModel]


class SurvivorModel(Strict):
    """A mutant that no vector can notice, and why."""

    id: Text
    reason: Text


class SurvivorsModel(Strict):
    schema_: SchemaNumber = Field(alias="schema")
    survivors: list[SurvivorModel]


class MeasuredModel(Strict):
    """How far a body is off. Of `inf` and nan nothing is said: such elements are `lost`."""

    abs: Annotated[float, Field(ge=0)]
    ulp: Annotated[float, Field(ge=0)]
    lost: Annotated[int, Field(ge=0)]
    nodes: Annotated[int, Field(ge=0)]


class NumericsRowModel(Strict):
    """A body compared with the standard's, on the same calls."""

    function: Text
    type: Text
    runtimes: Annotated[list[Text], Field(min_length=1)]
    opsets: Annotated[list[int], Field(min_length=1)]
    calls: Annotated[int, Field(ge=1)]
    refused: Annotated[int, Field(ge=0)]
    elements: Annotated[int, Field(ge=0)]
    ours: MeasuredModel
    standard: MeasuredModel


class NumericsNoteModel(Strict):
    """What is compared of a function that has no exact values."""

    function: Text
    text: Annotated[str, Field(min_length=1, max_length=2000)]


class NumericsModel(Strict):
    schema_: SchemaNumber = Field(alias="schema")
    measured_with: dict[str, str]
    rows: list[NumericsRowModel]
    notes: list[NumericsNoteModel]
