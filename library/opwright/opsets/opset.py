"""An opset: the operators of a domain at one version, each found when it is first used.

On the public import path, so this module imports nothing: what an operator is comes from the installed onnx, when
somebody asks for one.
"""

TYPE_CHECKING = False  # importing `typing` costs more than everything here
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from opwright.opsets.operator import Operator
    from opwright.opsets.signatures import Signature


class Opset:
    """The operators of `domain` (`""` and `"ai.onnx"` are one) at `version`: `op.Relu`, `op["Relu"]`, `"Relu" in op`.

    `signatures` says what the operators of a domain accept that the installed onnx does not know, by name. Two opsets
    of the same domain and version are equal unless their signatures differ.
    """

    domain: str
    version: int
    signatures: "Mapping[str, Signature] | None"
    _operators: "dict[str, Operator]"

    if TYPE_CHECKING:  # a checker does not know the operators of an opset that is made by name

        def __new__(
            cls, domain: str, version: int, signatures: Mapping[str, Signature] | None = None
        ) -> "OtherOpset": ...

    def __init__(self, domain: str, version: int, signatures: "Mapping[str, Signature] | None" = None) -> None:
        """ValueError when the version is no positive int."""
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            raise ValueError(f"the version of an opset is a positive int, not {version!r}")
        self.domain = "" if domain == "ai.onnx" else domain
        self.version = version
        self.signatures = signatures
        self._operators = {}

    def __getitem__(self, name: str) -> "Operator":
        """The operator of that name. KeyError, with the names that are like it, when this opset has none."""
        found = self._operators.get(name)
        if found is None:
            from opwright.opsets.operator import find_operator

            found = self._operators[name] = find_operator(self, name)
        return found

    if not TYPE_CHECKING:  # else every name would be an operator to a checker

        def __getattr__(self, name):
            if name.startswith("_"):  # asked for by copy, pickle, notebooks and the like
                raise AttributeError(f"{self!r} has no attribute {name!r}")
            try:
                found = self.__dict__[name] = self[name]  # the next look-up ends there
            except KeyError as error:
                raise AttributeError(*error.args, name=name, obj=None) from None
            return found

    def __contains__(self, name: object) -> bool:
        from opwright.opsets.operator import has_operator

        return isinstance(name, str) and has_operator(self, name)

    def __iter__(self) -> "Iterator[str]":
        """The names of the operators, sorted."""
        from opwright.opsets.operator import operator_names

        return iter(operator_names(self))

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Opset):
            return NotImplemented
        mine, others = self.signatures, other.signatures
        return (self.domain, self.version) == (other.domain, other.version) and (mine is others or mine == others)

    def __hash__(self) -> int:
        return hash((self.domain, self.version))

    def __reduce__(self) -> "tuple[object, ...]":
        return (Opset, (self.domain, self.version, self.signatures))

    def __repr__(self) -> str:
        return f"Opset({self.domain!r}, {self.version})"


if TYPE_CHECKING:

    class OtherOpset(Opset):
        """An opset that was made by name."""

        def __getattr__(self, name: str) -> Operator: ...
