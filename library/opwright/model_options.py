"""Options of a model, in addition to its graph."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from opwright.graphs.initializers import Carried
from opwright.opsets.domains import normal_domain
from opwright.opsets.opset import Opset
from opwright.variants import Profile

Types = Sequence[object] | Mapping[str, object] | None


class NamedFunction(Protocol):
    """A function that a model may keep, such as one under `@script`."""

    name: str

    @property
    def domain(self) -> str: ...


# What options are that attributes of functions may be named like.
_KINDS: dict[str, tuple[type, ...]] = {
    "doc_string": (str,),
    "functions": (Collection,),
    "input_types": (Mapping, Sequence),
    "kept_functions": (Sequence,),
    "ir_version": (int,),
    "names": (Mapping,),
    "opset_imports": (Mapping,),
    "output_types": (Mapping, Sequence),
    "producer_name": (str,),
}
_WORDS: dict[type, str] = {
    Collection: "a collection",
    Mapping: "a mapping",
    Sequence: "a sequence",
    int: "an int",
    str: "a text",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """See `OnnxFunction.to_model_proto` and `GraphBuilder.to_model_proto`, which say what each means."""

    opset: Opset | int | None = None
    input_types: Types = None
    output_types: Types = None
    ir_version: int | None = None
    functions: Collection[NamedFunction | str] | None = None
    kept_functions: Sequence[NamedFunction] = ()
    producer_name: str = "opwright"
    doc_string: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    opset_imports: Mapping[str, int] | None = None
    carried: Carried = field(default_factory=Carried)
    exact_types: bool = False
    strict: bool = False
    places: bool = False
    profile: Profile = Profile.PORTABLE

    def __post_init__(self) -> None:
        """TypeError for an option of another kind: an attribute of the function may have its name."""
        for name, kinds in _KINDS.items():
            value = getattr(self, name)
            if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
                words = " or ".join(_WORDS[kind] for kind in kinds)
                attribute = f"an attribute of that name is given as `attributes={{{name!r}: {value!r}}}`"
                raise TypeError(f"`{name}` is {words}, not {value!r}; {attribute}")

    @property
    def wanted_imports(self) -> Mapping[str, int] | None:
        """The versions that the model must import, by domain."""
        if self.opset_imports is None:
            return None
        return {normal_domain(domain): version for domain, version in self.opset_imports.items()}

    @property
    def wanted_opset(self) -> Opset | int | None:
        """The default-domain opset that is asked for."""
        wanted = self.wanted_imports
        return self.opset if self.opset is not None or wanted is None else wanted.get("")
