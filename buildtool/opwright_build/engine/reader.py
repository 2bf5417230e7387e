"""What a running action can see. All of it is recorded, so that a later run knows what the result rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import starmap

from opwright.diagnostics.diagnostic import DiagnosticError

from opwright_build.engine.action import Action, PackedReads, Read
from opwright_build.engine.content_digest import Json, digest_bytes
from opwright_build.engine.sources import CODE, FILE, Sources
from opwright_build.engine.store import Store


class Reader:
    """An action's view of the world: its inputs, its parameters, and further sources by name."""

    def __init__(self, action: Action, inputs: Mapping[str, bytes], store: Store | None, sources: Sources) -> None:
        """`inputs` are the bytes, by digest, of those inputs that the store does not have; without one, of all."""
        self._action = action
        self._inputs = inputs
        self._store = store
        self._sources = sources
        self._taken_over: PackedReads | None = None
        self._reads: dict[str, str | None] = {}
        self._made: dict[str, bytes] = {}

    @property
    def made(self) -> Mapping[str, bytes]:
        """What was put so far, by digest."""
        return self._made

    @property
    def reads(self) -> Sequence[Read]:
        """What was looked at so far, in the order of the first look."""
        if self._taken_over is not None and not self._reads:
            return self._taken_over
        return tuple(starmap(Read, self._all().items()))

    def param(self, name: str) -> Json:
        """A parameter of the action. KeyError when it has none of that name."""
        return self._action.params[name]

    def inputs(self) -> Iterable[str]:
        """The names of the action's inputs, in their own order."""
        return self._action.inputs.keys()

    def input(self, name: str) -> bytes:
        """The bytes of one of the action's inputs. KeyError when there is none of that name."""
        digest = self._action.inputs[name]
        data = self._inputs.get(digest)
        if data is None and self._store is not None:
            data = self._store.get(digest)
        if data is None:
            raise MissingBlobError(digest)
        return data

    def read(self, name: str) -> bytes | None:
        """The bytes of a source (`file:...`, `list:...`), or None when there is none; either way it is recorded.

        DiagnosticError when it is not to be read.
        """
        try:
            data = self._sources.read(name)
        except DiagnosticError:  # a refusal, too, is something to depend on
            self._reads.setdefault(name, self._sources.digest(name))
            raise
        self._reads.setdefault(name, None if data is None else digest_bytes(data))
        return data

    def observed(self, name: str, data: bytes | None) -> None:
        """Records a source that the action's function read by other means: these were its bytes."""
        self._reads.setdefault(name, None if data is None else digest_bytes(data))

    def heed_code_alone(self, path: str) -> str:
        """Says that what was read of the Python file `path` counts as far as its code goes: with other comments in it
        the result would be the same. Gives the name of that read, under which the outcome has the file's bytes among
        its outputs: code is compared with them."""
        name = f"{CODE}:{path}"
        self._reads = {name if read == f"{FILE}:{path}" else read: digest for read, digest in self._reads.items()}
        return name

    def depend_on(self, name: str) -> None:
        """Records a source as it is now, without reading it."""
        self._reads.setdefault(name, self._sources.digest(name))

    def depends(self, reads: Iterable[Read]) -> None:
        """Takes over what another action read, since this one's result rests on that one's."""
        if isinstance(reads, PackedReads) and self._taken_over is None and not self._reads:
            self._taken_over = reads  # tens of thousands, all that there are as a rule
            return
        for read in reads:
            self._reads.setdefault(read.name, read.digest)

    def _all(self) -> dict[str, str | None]:
        before = {read.name: read.digest for read in self._taken_over or ()}
        return {**self._reads, **before} if before else self._reads

    def put(self, data: bytes) -> str:
        """Takes a result's bytes; the digest given back is what an outcome names."""
        digest = digest_bytes(data)
        self._made[digest] = data
        return digest


class MissingBlobError(LookupError):
    """An input's bytes are not in the store (any more)."""
