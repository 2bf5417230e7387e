"""An opset: the operators of a domain at one version, each found when it is first used.

On the public import path, so this module imports next to nothing: what an operator is comes from the installed onnx,
when one is asked for.
"""

from opwright.first_use import find
from opwright.opsets.domains import normal_domain

TYPE_CHECKING = False  # importing `typing` costs more than everything here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from onnx.defs import OpSchema

    from opwright.opsets.operator import Operator
    from opwright.opsets.signatures import Signature


def _named() -> "int | None":
    return None


# The default-domain opset of the function that is running; eager mode says which. None: the one that the source names.
running: "Callable[[], int | None]" = _named


class NoOperatorError(AttributeError):
    """`op.Foo`, which the opset does not have. A diagnostic where a function under `@script` asks for it."""

    def __init__(self, opset: "Opset", name: str, *messages: object) -> None:
        super().__init__(*messages, name=name, obj=None)
        self.opset = opset
        self.operator = name

    def __reduce__(self) -> "tuple[object, ...]":
        return (NoOperatorError, (self.opset, self.operator, *self.args))


class Opset:
    """The operators of `domain` (`""` and `"ai.onnx"` are one) at `version`: `op.Relu`, `op["Relu"]`, `"Relu" in op`.

    `signatures` says what the operators of a domain accept that the installed onnx does not know, by name: schemas of
    onnx (`onnx.defs.OpSchema`). `open`: the domain has other operators too, which nothing describes, and a call
    of one is taken as it stands; True, or the kinds of attributes that values do not tell, by operator and attribute:
    `{"Pool": {"axes": "INTS"}}`. Two opsets of the same domain and version are equal unless they differ in these.
    """

    domain: str
    named: int  # the version that the source names
    signatures: "Mapping[str, Signature] | None"
    open: "Mapping[str, Mapping[str, str]] | None"  # None where it is not open
    _operators: "dict[str, Operator]"

    if TYPE_CHECKING:  # a checker does not know the operators of an opset that is made by name

        def __new__(
            cls,
            domain: str,
            version: int,
            signatures: Mapping[str, OpSchema | Signature] | None = None,
            open: bool | Mapping[str, Mapping[str, str]] = False,
        ) -> "OtherOpset":
            """ValueError when the version is no positive int; TypeError for what the others may not be."""
            ...

    else:

        def __init__(self, domain, version, signatures=None, open=False):
            if isinstance(version, bool) or not isinstance(version, int) or version < 1:
                raise ValueError(f"the version of an opset is a positive int, not {version!r}")
            self.domain = normal_domain(domain)
            self.named = version
            self.signatures = signatures
            if signatures:
                from opwright.opsets.signatures import as_signature

                self.signatures = {name: as_signature(item) for name, item in sorted(signatures.items())}
            self.open = None
            if open is not False and open is not None:
                from opwright.opsets.implied import declared_kinds

                self.open = declared_kinds(open)
            self._operators = {}

    @property
    def version(self) -> int:
        """The version of the domain; while a function runs for another opset of ai.onnx than it names, that one."""
        return self.named if self.domain else running() or self.named

    def __getitem__(self, name: str) -> "Operator":
        """The operator of that name. KeyError, with the names that are like it, when this opset has none."""
        found = self._operators.get(name)
        if found is None:
            found = find("find_operator")(self, name)
            if self.version == self.named:
                self._operators[name] = found
        return found

    if not TYPE_CHECKING:  # else every name would be an operator to a checker

        def __getattr__(self, name):
            if name.startswith("_"):  # asked for by copy, pickle, notebooks and the like
                raise AttributeError(f"{self!r} has no attribute {name!r}")
            try:
                found = self[name]
            except KeyError as error:
                raise NoOperatorError(self, name, *error.args) from None
            if name in self._operators:
                self.__dict__[name] = found  # the next look-up ends there
            return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and find("has_operator")(self, name)

    def __iter__(self) -> "Iterator[str]":
        """The names of the operators, sorted."""
        return iter(find("operator_names")(self))

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Opset):
            return NotImplemented
        mine, others = self.signatures, other.signatures
        same = (self.domain, self.named, self.open) == (other.domain, other.named, other.open)
        return same and (mine is others or mine == others)

    def __hash__(self) -> int:
        return hash((self.domain, self.named))

    def __copy__(self) -> "Opset":
        return self

    def __deepcopy__(self, memo: object) -> "Opset":
        return self

    def __reduce__(self) -> "tuple[object, ...]":
        if self.signatures is None and self.open is None and _under_its_name(self.domain, self.named) is self:
            return (_under_its_name, (self.domain, self.named))
        return (Opset, (self.domain, self.named, self.signatures, False if self.open is None else self.open or True))

    def __repr__(self) -> str:
        return f"Opset({self.domain!r}, {self.named}{'' if self.open is None else f', open={self.open or True}'})"


def _under_its_name(domain: str, version: int) -> Opset:
    """The opset that a name such as `opset18` stands for, where there is one of that domain and version."""
    name = f"opset{'_' + domain.replace('.', '_') if domain else ''}{version}"
    return find("find_opset")(name) or Opset(domain, version)


if TYPE_CHECKING:

    class OtherOpset(Opset):
        """An opset that was made by name."""

        def __getattr__(self, name: str) -> Operator: ...
