"""The template instances of one model: made for its nodes, each body once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from opwright.first_use import load_module
from opwright.link.catalogue import Catalogue, layered
from opwright.link.choose import Call, choose_body
from opwright.link.naming import Instance, bodies_at

if TYPE_CHECKING:
    from opwright.link.template_maker import TemplateMaker


class Instances:
    """Chooses bodies for calls; those of templates it makes. `bodies` holds what it made, by digest."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.bodies: dict[str, bytes] = {}
        self._catalogue = catalogue
        self._maker: TemplateMaker | None = None

    @property
    def catalogue(self) -> Catalogue:
        """The libraries, the bodies that were made among theirs."""
        if not self.bodies:
            return self._catalogue
        return replace(self._catalogue, bodies=layered([self.bodies, self._catalogue.bodies]))

    def choose(self, call: Call) -> Instance:
        """The body that a call means. Raises DiagnosticError with everything that is wrong with it."""
        return choose_body(call, self._make)

    def _make(self, call: Call) -> Instance:
        maker: TemplateMaker = self._maker or load_module("opwright.link.template_maker").TemplateMaker(self._catalogue)
        self._maker = maker
        made = maker.make(call)
        instance = Instance(call.entry, made.body)
        # One body may be stored for several types, as an instance each.
        alike = (body for body in bodies_at(call.entry, call.opset) if body.admits == made.body.admits)
        known = next((item for body in alike if (item := Instance(call.entry, body)).content == instance.content), None)
        if known is None:
            self.bodies[made.body.body] = made.proto
        return known or instance
