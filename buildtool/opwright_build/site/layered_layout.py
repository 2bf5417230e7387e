"""Places for the nodes of a graph, in layers from top to bottom: each node below all that it reads.

Edges over several layers bend around what lies between; those over more than `_LONGEST` are not drawn through, but name
their source at their end (`Stub`), so that the places are linear in the graph. Equal graphs get equal places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_LONGEST = 8  # layers that an edge is drawn through
_SWEEPS = 6
_ALIGNMENTS = 8
_GAP_X, _GAP_Y = 18.0, 34.0
_BEND = 8.0  # the width that an edge takes of a layer that it passes


@dataclass(frozen=True, slots=True)
class Box:
    """The middle of a node's upper edge, and its size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Edge:
    """From one node down to another, through points."""

    source: int
    target: int
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Stub:
    """An edge that is too long to be drawn: `source` is named at the upper edge of `target`."""

    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Layout:
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    stubs: tuple[Stub, ...]
    width: float
    height: float


def layered_layout(sizes: Sequence[tuple[float, float]], reads: Sequence[Sequence[int]]) -> Layout:
    """`sizes` are width and height of each node; `reads` the numbers of those that it reads, smaller than its own."""
    return _Layers(sizes, reads).layout() if sizes else Layout((), (), (), 0.0, 0.0)


class _Layers:
    """Points are nodes and, behind them, bends: places where an edge passes a layer."""

    def __init__(self, sizes: Sequence[tuple[float, float]], reads: Sequence[Sequence[int]]) -> None:
        self.sizes = sizes
        self.layer = _depths(reads)
        self.widths = [width for width, _ in sizes]
        self.above: list[list[int]] = [[] for _ in sizes]
        self.below: list[list[int]] = [[] for _ in sizes]
        self.chains: list[tuple[int, int, list[int]]] = []
        self.stubs: list[Stub] = []
        for target, sources in enumerate(reads):
            for source in sources:
                self._connect(source, target)
        self.layers: list[list[int]] = [[] for _ in range(max(self.layer) + 1)]
        for point, layer in enumerate(self.layer):
            self.layers[layer].append(point)

    def layout(self) -> Layout:
        self._order()
        x = self._align()
        heights = [
            max((self.sizes[point][1] for point in row if point < len(self.sizes)), default=0) for row in self.layers
        ]
        tops = [0.0]
        for height in heights:
            tops.append(tops[-1] + height + _GAP_Y)
        boxes = [
            Box(x[number], tops[self.layer[number]] + (heights[self.layer[number]] - height) / 2, width, height)
            for number, (width, height) in enumerate(self.sizes)
        ]
        edges = []
        for source, target, bends in self.chains:
            points = [(boxes[source].x, boxes[source].y + boxes[source].height)]
            for bend in bends:
                top = tops[self.layer[bend]]
                points += [(x[bend], top), (x[bend], top + heights[self.layer[bend]])]
            edges.append(Edge(source, target, (*points, (boxes[target].x, boxes[target].y))))
        width = max(x[point] + self.widths[point] / 2 for point in range(len(x)))
        return Layout(tuple(boxes), tuple(edges), tuple(self.stubs), width, tops[-1] - _GAP_Y)

    def _connect(self, source: int, target: int) -> None:
        if self.layer[target] - self.layer[source] > _LONGEST:
            self.stubs.append(Stub(source, target))
            return
        bends: list[int] = []
        before = source
        for layer in range(self.layer[source] + 1, self.layer[target]):
            bend = len(self.layer)
            self.layer.append(layer)
            self.widths.append(_BEND)
            self.above.append([before])
            self.below.append([])
            self.below[before].append(bend)
            bends.append(bend)
            before = bend
        self.above[target].append(before)
        self.below[before].append(target)
        self.chains.append((source, target, bends))

    def _order(self) -> None:
        """Fewer crossings: each layer by the mean place of what its points are connected to, down and up in turns."""
        place = [0.0] * len(self.layer)
        for row in self.layers:
            for position, point in enumerate(row):
                place[point] = float(position)
        for sweep in range(_SWEEPS):
            down = sweep % 2 == 0
            neighbours = self.above if down else self.below
            for row in self.layers if down else reversed(self.layers):
                means = {point: _mean([place[other] for other in neighbours[point]], place[point]) for point in row}
                row.sort(key=lambda point: (means[point], place[point]))
                for position, point in enumerate(row):
                    place[point] = float(position)

    def _align(self) -> list[float]:
        """The middle of each point: near those that it is connected to, as far as their order leaves room."""
        x = [0.0] * len(self.layer)
        for row in self.layers:
            left = 0.0
            for point in row:
                x[point] = left + self.widths[point] / 2
                left += self.widths[point] + _GAP_X
        for turn in range(_ALIGNMENTS):
            down = turn % 2 == 0
            neighbours = self.above if down else self.below
            for row in self.layers if down else reversed(self.layers):
                wanted = [_mean([x[other] for other in neighbours[point]], x[point]) for point in row]
                weights = [8.0 if point >= len(self.sizes) else 1.0 + len(neighbours[point]) for point in row]
                for point, found in zip(row, self._spread(row, wanted, weights), strict=True):
                    x[point] = found
        left = min(x[point] - self.widths[point] / 2 for point in range(len(x)))
        return [value - left for value in x]

    def _spread(self, row: Sequence[int], wanted: Sequence[float], weights: Sequence[float]) -> list[float]:
        """The places nearest to those wanted, by least squares, in order and at a distance: pool adjacent violators."""
        offsets = [0.0]
        for before, point in pairwise(row):
            offsets.append(offsets[-1] + (self.widths[before] + self.widths[point]) / 2 + _GAP_X)
        pools: list[tuple[float, float, int]] = []  # mean, weight, points
        for want, offset, weight in zip(wanted, offsets, weights, strict=True):
            mean, total, count = want - offset, weight, 1
            while pools and pools[-1][0] >= mean:
                other, heavy, number = pools.pop()
                mean = (mean * total + other * heavy) / (total + heavy)
                total, count = total + heavy, count + number
            pools.append((mean, total, count))
        means = [mean for mean, _, count in pools for _ in range(count)]
        return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


def _depths(reads: Sequence[Sequence[int]]) -> list[int]:
    """The longest path to each node; what reads nothing comes down to just above its first reader."""
    depth: list[int] = []
    for sources in reads:
        depth.append(1 + max((depth[source] for source in sources), default=-1))
    first: dict[int, int] = {}
    for target, sources in enumerate(reads):
        for source in sources:
            first[source] = min(first.get(source, depth[target]), depth[target])
    return [first[node] - 1 if not sources and node in first else depth[node] for node, sources in enumerate(reads)]


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
