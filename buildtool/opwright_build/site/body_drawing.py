"""A body as SVG: its nodes in layers, graphs inside of nodes below it. Colours are the style sheet's.

Nothing in it runs: names are text, and the only links are those to pages of this site.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from opwright_build.site.layered_layout import Box, Layout, layered_layout
from opwright_build.site.site_record import DrawnGraph, DrawnNode

_BIG, _SMALL = 7.9, 6.3  # the width of a character, in pixels
_LINE = 15.0
_PADDING = 11.0
_MARGIN = 12.0
_STUB = 18.0
_TITLE = 30.0
_SHELF = 900.0  # what graphs inside of nodes may take side by side


@dataclass(frozen=True, slots=True)
class Drawing:
    svg: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class _Panel:
    title: str
    graph: DrawnGraph


def body_drawing(graph: DrawnGraph, title: str, links: Mapping[str, str]) -> Drawing:
    """`links` maps pages of callees to what a link says; `title` is what those hear who do not see it."""
    shapes: list[str] = []
    left, top, bottom, width = _MARGIN, _MARGIN, 0.0, 0.0
    for panel in _panels(graph):
        nodes = panel.graph.nodes
        layout = layered_layout([_size(node) for node in nodes], [node.reads for node in nodes])
        wide = max(layout.width, _BIG * len(panel.title))
        if left > _MARGIN and left + wide > max(width, _SHELF):  # graphs inside stand side by side, as far as they fit
            left, top = _MARGIN, bottom + 2 * _MARGIN
        if panel.title:
            shapes.append(f'<text class="ow-panel" x="{left:.0f}" y="{top + 12:.0f}">{escape(panel.title)}</text>')
        below = top + (_TITLE if panel.title else 0.0)
        shapes.append(f'<g transform="translate({left:.0f} {below:.0f})">')
        shapes += _edges(layout)
        shapes += (shape for node, box in zip(nodes, layout.boxes, strict=True) for shape in _node(node, box, links))
        shapes += _stubs(layout, nodes)
        shapes.append("</g>")
        width, bottom = max(width, left + wide), max(bottom, below + layout.height)
        left += wide + 3 * _MARGIN
        if not panel.title:  # the body itself
            left, top = _MARGIN, bottom + 3 * _MARGIN
    across, down = round(width + _MARGIN), round(bottom + 2 * _MARGIN)
    role = "group" if any(shape.startswith("<a ") for shape in shapes) else "img"
    head = f'<svg class="ow-graph" viewBox="0 0 {across} {down}" width="{across}" height="{down}" role="{role}"'
    return Drawing("\n".join([f'{head} aria-label="{escape(title)}">', *shapes, "</svg>"]), across, down)


def _panels(graph: DrawnGraph) -> Iterator[_Panel]:
    pending = [_Panel("", graph)]
    while pending:
        panel = pending.pop(0)
        yield panel
        for node in panel.graph.nodes:
            for name, inner in node.inside:
                title = f"{panel.title}, " if panel.title else ""
                pending.append(_Panel(f"{title}{name} of {node.operator}", inner))


def _size(node: DrawnNode) -> tuple[float, float]:
    widest = max([len(node.operator) * _BIG, *(len(text) * _SMALL for text in node.details)])
    return widest + 2 * _PADDING, 12 + _LINE * (1 + len(node.details))


def _node(node: DrawnNode, box: Box, links: Mapping[str, str]) -> Iterator[str]:
    left = box.x - box.width / 2
    round_ = 13 if node.kind in ("input", "output") else 4
    href = links.get(node.callee.page) if node.callee else None
    yield f'<a href="{escape(href)}">' if href else "<g>"
    yield (
        f'<rect class="ow-box ow-{node.kind}-box" x="{left:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="{round_}"/>'
    )
    yield f'<text class="ow-operator" x="{box.x:.1f}" y="{box.y + 17:.1f}">{escape(node.operator)}</text>'
    for line, text in enumerate(node.details, 1):
        y = box.y + 16 + line * _LINE
        yield f'<text class="ow-detail" x="{box.x:.1f}" y="{y:.1f}">{escape(text)}</text>'
    yield "</a>" if href else "</g>"


def _edges(layout: Layout) -> Iterator[str]:
    for edge in layout.edges:
        (x, y), *rest = edge.points
        path = [f"M{x:.1f} {y:.1f}"]
        for index, (next_x, next_y) in enumerate(rest):
            if index % 2:  # through the layer that it passes
                path.append(f"V{next_y:.1f}")
            else:
                middle = (y + next_y) / 2
                path.append(f"C{x:.1f} {middle:.1f} {next_x:.1f} {middle:.1f} {next_x:.1f} {next_y:.1f}")
            x, y = next_x, next_y
        yield f'<path class="ow-edge" d="{"".join(path)}"/>'
        yield f'<path class="ow-tip" d="M{x - 3.5:.1f} {y - 6:.1f}L{x:.1f} {y:.1f}L{x + 3.5:.1f} {y - 6:.1f}z"/>'


def _stubs(layout: Layout, nodes: Sequence[DrawnNode]) -> Iterator[str]:
    """Names of sources that are far above, those of one node side by side."""
    names: dict[int, list[str]] = {}
    for stub in layout.stubs:
        names.setdefault(stub.target, []).append(nodes[stub.source].operator)
    for target, sources in names.items():
        box = layout.boxes[target]
        text = ", ".join(sources)
        yield f'<path class="ow-stub" d="M{box.x:.1f} {box.y - _STUB + 6:.1f}V{box.y:.1f}"/>'
        yield f'<text class="ow-detail" x="{box.x + 5:.1f}" y="{box.y - 6:.1f}">{escape(text)}</text>'
