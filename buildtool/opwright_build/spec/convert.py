"""One spec.yaml, its shape checked, as the versions it declares."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from opwright.bundle.call_interface import ANY, split_type
from opwright.bundle.format import ImplementsEntry
from opwright.diagnostics.diagnostic import Diagnostic, Place, Related, Replacement
from opwright.elements import BY_NAME
from opwright.suggest import did_you_mean, sure_name

from opwright_build.engine.tree import stays_inside
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.forms import (
    AttributeForm,
    ImplementsForm,
    LimitForm,
    LimitsForm,
    ProposalForm,
    SpecModel,
    ValueForm,
    VersionModel,
)
from opwright_build.spec.model import (
    Domain,
    OpsetRange,
    Package,
    ProposedBody,
    SpecVersion,
    Tolerance,
    ValueDeclaration,
    VectorKind,
    VectorSource,
)
from opwright_build.spec.name_patterns import IDENTIFIER, matches
from opwright_build.spec.ranges import RangeError, meant_range, parse_opsets, range_of
from opwright_build.spec.runtime_names import layers_of, runtimes_and_families
from opwright_build.spec.tolerances import StatedLimit, by_runtime, is_looser, whole
from opwright_build.spec.torch_schemas import known_operators, schema_text
from opwright_build.spec.yaml_nodes import (
    MappingNode,
    Node,
    Sequence,
    key_places,
    node_at,
    renamed_key,
    renamed_word,
    rewritten,
)
from opwright_build.spec.yaml_source import MAX_FINDINGS

REQUIRED = ("since_version", "summary", "opset", "inputs", "outputs")
RUNTIMES = "runtimes"  # the key of `tolerance:` below which runtimes have their own
VECTOR_FORMS = "`onnx`, `onnx@latest`, `onnx:<pattern>`, a file `<name>.yaml` or `<name>.npz`, or a directory `<name>/`"


@dataclass(frozen=True, slots=True)
class SpecContext:
    """What a spec file is read against. `folder` and `file` are POSIX paths relative to the library's root."""

    package: Package
    domain: Domain
    files: LibraryFiles
    folder: str

    @property
    def file(self) -> str:
        return f"{self.folder}/spec.yaml"


def convert(context: SpecContext, model: SpecModel, root: MappingNode) -> tuple[list[SpecVersion], list[Diagnostic]]:
    """The versions of a spec file, by since_version; an incomplete list when there are findings."""
    found: list[Diagnostic] = []
    versions: list[SpecVersion] = []
    seen: dict[int, Place] = {}
    entries: list[tuple[VersionModel | None, MappingNode | None]] = [(None, None)]
    if "versions" in model.model_fields_set:
        listed = root.entries["versions"].value
        assert isinstance(listed, Sequence)
        nodes = [node for node in listed.items if isinstance(node, MappingNode)]
        entries = list(zip(model.versions, nodes, strict=True))
        if "since_version" in model.model_fields_set:
            related = Related(root.entries["versions"].key, "the versions are listed here")
            message = "`since_version` stands at the top of a file that lists `versions:`"
            way_out = "Keep it in the entries of `versions:` alone."
            place = root.entries["since_version"].key
            found.append(Diagnostic("OW109", message, place, help=way_out, related=(related,)))
            return [], found
    for entry, node in entries:
        reader = _VersionReader(context, model, root, entry, node)
        version = reader.read()
        found.extend(item for item in reader.found if item not in found)
        if len(found) >= MAX_FINDINGS:
            return [], found[:MAX_FINDINGS]
        if version is None:
            continue
        place = reader.value_place("since_version")
        if version.since_version in seen:
            related = Related(seen[version.since_version], "the first one stands here")
            message = f"since_version {version.since_version} stands twice"
            found.append(Diagnostic("OW118", message, place, related=(related,)))
        seen.setdefault(version.since_version, place)
        versions.append(version)
    return sorted(versions, key=lambda version: version.since_version), found


def stated_limit(form: LimitForm | str, reason: str) -> StatedLimit:
    """What `exact`, or `{ulp: .., abs: ..}` with either left out, says."""
    if not isinstance(form, LimitForm):
        return StatedLimit(0.0, 0.0, reason)
    stated = form.model_fields_set
    return StatedLimit(form.ulp if "ulp" in stated else None, form.abs if "abs" in stated else None, reason)


def _nested(path: tuple[str, ...]) -> str:
    """`tolerance: {reason: ...}` for the mapping at that path."""
    *outer, last = path
    text = f"{last}: {{reason: ...}}"
    for key in reversed(outer):
        text = f"{key}: {{{text}}}"
    return text


class _VersionReader:
    """One version: its own keys before those at the top of the file, each key whole."""

    def __init__(
        self,
        context: SpecContext,
        top: SpecModel,
        root: MappingNode,
        entry: VersionModel | None,
        node: MappingNode | None,
    ) -> None:
        self.context = context
        self.top = top
        self.root = root
        self.entry = entry
        self.node = node
        self.found: list[Diagnostic] = []

    def read(self) -> SpecVersion | None:
        """The version, or None when something is wrong with it (then `found` says what)."""
        missing = [key for key in REQUIRED if not self.has(key)]
        for key in missing:
            place = self.node.place if self.node is not None else self.root.place
            self.report("OW107", f"the key `{key}` is missing{' in this version' if self.node else ''}", place)
        self._since_version()
        opsets = self._opsets()
        types = self._types()
        inputs = self._values("inputs", types)
        outputs = self._values("outputs", types)
        self._usage(types, inputs, outputs)
        function_file, function_name = self._source("function", "function.py")
        reference_file, reference_name = self._source("reference", None)
        vectors = self._vectors()
        tolerances, on_runtimes = self._tolerances(types, (*inputs, *outputs))
        implements = self._implements()
        proposal = self._proposal()
        if self.found or opsets is None or function_file is None:
            return None
        return SpecVersion(
            domain=self.context.domain,
            name=self.top.name,
            since_version=self.get("since_version"),
            folder=self.context.files.root / self.context.folder,
            opsets=opsets,
            summary=self.get("summary"),
            doc=self.get("doc"),
            deprecated=self.get("deprecated"),
            function_file=function_file,
            function_name=function_name,
            inputs=inputs,
            outputs=outputs,
            attribute_docs=self._attribute_docs(),
            types=types,
            vectors=vectors,
            tolerances=tolerances,
            runtime_tolerances=on_runtimes,
            reference_file=reference_file,
            reference_name=reference_name,
            places=self._places(),
            tags=tuple(self.get("tags")),
            implements=implements,
            proposal=proposal,
        )

    def has(self, key: str) -> bool:
        return self._home(key) is not None

    def get(self, key: str) -> Any:
        """The value of a key: the version's own, else the file's, else the default."""
        own = self.entry is not None and key in self.entry.model_fields_set
        return getattr(self.entry if own else self.top, key)

    def key_place(self, *path: object) -> Place:
        """Where the key, or the item of a sequence, at that path stands."""
        home = self._home(str(path[0]))
        if home is None:
            return self.root.place
        parent = node_at(home, path[:-1])
        if isinstance(parent, MappingNode):
            return parent.entries[str(path[-1])].key
        return self.value_place(*path)

    def value_place(self, *path: object) -> Place:
        home = self._home(str(path[0]))
        node = node_at(home, path) if home is not None else None
        return node.place if node is not None else self.root.place

    def report(
        self,
        code: str,
        message: str,
        place: Place,
        *,
        help: str = "",
        related: Related | None = None,
        replacement: Replacement | None = None,
    ) -> None:
        others = (related,) if related is not None else ()
        self.found.append(Diagnostic(code, message, place, help=help, related=others, replacement=replacement))

    def _node(self, *path: object) -> Node | None:
        home = self._home(str(path[0]))
        return node_at(home, path) if home is not None else None

    def _renamed_key(self, path: Iterable[object], key: str, known: Iterable[str]) -> Replacement | None:
        return renamed_key(self._node(*path), key, known)

    def _home(self, key: str) -> MappingNode | None:
        if self.node is not None and key in self.node.entries:
            return self.node
        return self.root if key in self.root.entries else None

    def _since_version(self) -> None:
        domain = self.context.domain
        if self.has("since_version") and self.get("since_version") > domain.version:
            message = f"since_version {self.get('since_version')} is above {domain.name}'s version {domain.version}"
            related = Related(domain.places["version"], f"the version of {domain.name}")
            way_out = f"Raise `version` in domain.yaml to {self.get('since_version')}."
            self.report("OW119", message, self.value_place("since_version"), help=way_out, related=related)

    def _opsets(self) -> OpsetRange | None:
        if not self.has("opset"):
            return None
        outer = self.context.package.opsets
        text, place = self.get("opset"), self.value_place("opset")
        try:
            opsets = parse_opsets(text, outer)
        except RangeError as error:
            fix = rewritten(place, text, meant_range(text, outer), quoted=True)
            help_ = range_of(text, outer)
            self.report("OW116", f"the opset range `{text[:40]}` {error}", place, help=help_, replacement=fix)
            return None
        if opsets.first < outer.first or opsets.last > outer.last:
            message = f"the opset range `{text}` leaves the library's, {outer.first} to {outer.last}"
            related = Related(self.context.package.places["opsets"], "the library's range")
            way_out = f"Write a range within it, or widen `opsets` of {self.context.package.places['opsets'].file}."
            self.report("OW117", message, place, help=way_out, related=related)
            return None
        return opsets

    def _types(self) -> dict[str, tuple[str, ...]]:
        types: dict[str, tuple[str, ...]] = {}
        for variable, names in self.get("types").items():
            if variable in BY_NAME:
                message = f"the type variable `{variable}` has the name of an element type"
                self.report("OW109", message, self.key_place("types", variable), help="Call it `T`.")
            for position, name in enumerate(names):
                if name in names[:position]:
                    place = self.value_place("types", variable, position)
                    self.report("OW109", f"the element type `{name}` stands twice in `{variable}`", place)
            types[variable] = tuple(names)
        return types

    def _values(self, key: str, types: Mapping[str, tuple[str, ...]]) -> tuple[ValueDeclaration, ...]:
        values: list[ValueDeclaration] = []
        for name, form in self.get(key).items():
            long = form if isinstance(form, ValueForm) else ValueForm(type=form)
            if split_type(long.type)[1] not in (*types, *BY_NAME, ANY):
                path = (key, name, "type") if isinstance(form, ValueForm) else (key, name)
                message = f"`{long.type[:40]}` is neither a type variable of this version nor an element type"
                way_out = did_you_mean(long.type, [*types, *BY_NAME])
                place = self.value_place(*path)
                fix = rewritten(place, long.type, sure_name(long.type, [*types, *BY_NAME]))
                self.report("OW122", message, place, help=way_out, replacement=fix)
            rank = long.rank if "rank" in long.model_fields_set else None
            shape = tuple(long.shape) if "shape" in long.model_fields_set else None
            if rank is not None and shape is not None and rank != len(shape):
                message = f"the rank of `{name}` is {rank}, and its shape has {len(shape)} axes"
                related = Related(self.value_place(key, name, "shape"), "the shape")
                way_out = "Leave `rank` out: the shape says it."
                self.report("OW109", message, self.value_place(key, name, "rank"), help=way_out, related=related)
            values.append(ValueDeclaration(name, long.type, rank, long.doc, long.variadic, shape))
        return tuple(values)

    def _usage(
        self,
        types: Mapping[str, tuple[str, ...]],
        inputs: tuple[ValueDeclaration, ...],
        outputs: tuple[ValueDeclaration, ...],
    ) -> None:
        used = {split_type(value.type)[1] for value in (*inputs, *outputs)}
        for key, values in (("inputs", inputs), ("outputs", outputs[:-1])):
            for value in values:
                if value.variadic:
                    message = f"`{value.name}` cannot be variadic"
                    way_out = "The last output can; how many inputs there are is said in Python: `*xs`."
                    self.report("OW109", message, self.value_place(key, value.name, "variadic"), help=way_out)
        for variable in types:
            if variable not in used:
                message = f"no input or output has the type variable `{variable}`"
                self.report("OW123", message, self.key_place("types", variable))
        names = {value.name for value in inputs}
        for output in outputs:
            if output.name in names:
                message = f"`{output.name}` is the name of an input and of an output"
                related = Related(self.key_place("inputs", output.name), "the input")
                self.report("OW124", message, self.key_place("outputs", output.name), related=related)

    def _source(self, key: str, default: str | None) -> tuple[str | None, str]:
        """`file.py` or `file.py:name` of the spec folder; the name is the operator's own where none is given."""
        text = self.get(key) or default
        if text is None:
            return None, self.top.name
        place = self.value_place(key) if self.has(key) else Place(f"{self.context.folder}/{text.partition(':')[0]}")
        return self._function_at(key, text, place)

    def _function_at(self, key: str, text: str, place: Place) -> tuple[str | None, str]:
        file, _, name = text.partition(":")
        if not file.endswith(".py") or (":" in text and not matches(IDENTIFIER, name)):
            self.report("OW109", f"`{key}` must be `<file>.py` or `<file>.py:<name>`, but is `{text[:80]}`", place)
            return None, self.top.name
        return (file if self._present(file, place) else None), name or self.top.name

    def _present(self, file: str, place: Place) -> bool:
        if not stays_inside(file):
            message = f"`{file[:80]}` is not a path inside the spec folder"
            way_out = "Paths are relative to the spec folder, with `/` and without `..`."
            self.report("OW127", message, place, help=way_out)
            return False
        refusal = self.context.files.missing(self.context.folder, file, place)
        if refusal is not None:
            self.found.append(refusal)
        return refusal is None

    def _vectors(self) -> tuple[VectorSource, ...]:
        sources: list[VectorSource] = []
        texts: list[str] = self.get("vectors")
        for position, text in enumerate(texts):
            place = self.value_place("vectors", position)
            if text in texts[:position]:
                self.report("OW125", f"the vectors `{text[:80]}` stand twice", place)
            elif text in (VectorKind.SUITE.value, VectorKind.SUITE_LATEST.value):
                sources.append(VectorSource(VectorKind(text), place))
            elif text.startswith(VectorKind.SUITE_GLOB.value) and len(text) > len(VectorKind.SUITE_GLOB.value):
                pattern = text.removeprefix(VectorKind.SUITE_GLOB.value)
                sources.append(VectorSource(VectorKind.SUITE_GLOB, place, pattern=pattern))
            elif text.endswith(".yaml"):
                if self._present(text, place):
                    sources.append(VectorSource(VectorKind.ROWS, place, path=text))
            elif text.endswith(".npz"):
                if self._present(text, place):
                    sources.append(VectorSource(VectorKind.ARRAYS, place, path=text))
            elif text.endswith("/"):
                if self._present(f"{text}model.onnx", place):
                    sources.append(VectorSource(VectorKind.BACKEND, place, path=text))
            else:
                self.report("OW125", f"`{text[:80]}` is no source of vectors", place, help=f"Write {VECTOR_FORMS}.")
        return tuple(sources)

    def _tolerances(
        self, types: Mapping[str, tuple[str, ...]], values: tuple[ValueDeclaration, ...]
    ) -> tuple[dict[str, Tolerance], dict[str, dict[str, Tolerance]]]:
        """The tolerances, and those of runtimes that have their own."""
        named = {name for names in types.values() for name in names} | {split_type(value.type)[1] for value in values}
        elements = [name for name in BY_NAME if name in named]
        forms: dict[str, LimitForm | str | dict[str, LimitsForm]] = self.get("tolerance")
        plain = {key: form for key, form in forms.items() if key != RUNTIMES}
        reason, limits = self._limits(plain, ("tolerance",), "")
        general = whole(limits, elements)
        self._require_reason(general, limits, reason, ("tolerance",), "")
        stated: dict[str, dict[str, StatedLimit]] = {}
        reasons: dict[str, str] = {}
        for name, form in self._runtime_forms(forms.get(RUNTIMES, {})).items():
            reasons[name], stated[name] = self._limits(form, ("tolerance", RUNTIMES, name), reason)
        found = by_runtime(stated, general)
        for runtime, tolerances in found.items():
            layer = [name for name in layers_of(runtime) if name in stated][-1]
            own = {name: item for name, item in tolerances.items() if item != general[name]}
            self._require_reason(own, stated[layer], reasons[layer], ("tolerance", RUNTIMES, layer), f" on {layer}")
        return general, found

    def _runtime_forms(self, form: LimitForm | str | dict[str, LimitsForm]) -> dict[str, LimitsForm]:
        """The part of each runtime or family that there is."""
        known = runtimes_and_families()
        if not isinstance(form, dict):
            message = f"`tolerance.{RUNTIMES}` must be a mapping of runtimes to limits by element type"
            place = self.value_place("tolerance", RUNTIMES)
            self.report("OW108", message, place, help=f"The runtimes are {', '.join(known)}.")
            return {}
        for name in form:
            if name not in known:
                message = f"the runtime `{name[:80]}` is not known in `tolerance.{RUNTIMES}`"
                way_out = did_you_mean(name, known) or f"The runtimes are {', '.join(known)}."
                fix = self._renamed_key(("tolerance", RUNTIMES), name, known)
                place = self.key_place("tolerance", RUNTIMES, name)
                self.report("OW106", message, place, help=way_out, replacement=fix)
        return {name: limits for name, limits in form.items() if name in known}

    def _limits(
        self, forms: Mapping[str, LimitForm | str | dict[str, LimitsForm]], path: tuple[str, ...], reason: str
    ) -> tuple[str, dict[str, StatedLimit]]:
        """The reason, by default the one given, and what is stated by element type, of the mapping at that path."""
        where = ".".join(path)
        given = forms.get("reason", reason)
        if not isinstance(given, str):
            self.report("OW108", f"`{where}.reason` must be text", self.value_place(*path, "reason"))
            return reason, {}
        stated: dict[str, StatedLimit] = {}
        for key, form in forms.items():
            if key not in ("default", "reason", *BY_NAME):
                known = ["default", "reason", *([RUNTIMES] if len(path) == 1 else []), *BY_NAME]
                message = f"the key `{key[:80]}` is not known in `{where}`"
                fix = self._renamed_key(path, key, known)
                self.report(
                    "OW106", message, self.key_place(*path, key), help=did_you_mean(key, known), replacement=fix
                )
            elif key == "reason":
                continue
            elif isinstance(form, dict) or (isinstance(form, str) and form != "exact"):
                what = f"`{form[:80]}`" if isinstance(form, str) else "a mapping of mappings"
                message = f"`{where}.{key}` must be `exact` or a mapping of `ulp` and `abs`, but is {what}"
                node = self._node(*path, key)
                self.report("OW109", message, self.value_place(*path, key), replacement=renamed_word(node, ["exact"]))
            else:
                stated[key] = stated_limit(form, given)
        return given, stated

    def _require_reason(
        self,
        tolerances: Mapping[str, Tolerance],
        stated: Mapping[str, StatedLimit],
        reason: str,
        path: tuple[str, ...],
        where: str,
    ) -> None:
        loose = [name for name in tolerances if is_looser(tolerances[name], name)]
        if loose and not reason:
            key = loose[0] if loose[0] in stated else "default" if "default" in stated else ""
            message = f"the tolerance for {', '.join(loose)}{where} is looser than the default, without a `reason:`"
            place = self.key_place(*path, key) if key else self.key_place(*path)
            self.report("OW126", message, place, help=f"Say why in `{_nested(path)}`.")

    def _implements(self) -> ImplementsEntry | None:
        """The operator of PyTorch. What its schema says is compared with the function when this is compiled."""
        if not self.has("implements"):
            return None
        short: ImplementsForm | str = self.get("implements")
        form = short if isinstance(short, ImplementsForm) else ImplementsForm(operator=short)
        schema = form.schema_ or schema_text(form.operator)
        if schema is None or not schema.startswith(f"{form.operator}("):
            place = self.value_place("implements", "operator") if short is form else self.value_place("implements")
            if schema is None:
                message = f"`{form.operator}` is no operator of PyTorch"
                known = known_operators()
                way_out = did_you_mean(form.operator, known) or "Write an operator of your own with its `schema:`."
                fix = rewritten(place, form.operator, sure_name(form.operator, known))
                self.report("OW144", message, place, help=way_out, replacement=fix)
            else:
                message = f"the schema is that of {schema.partition('(')[0][:80]}, and the operator `{form.operator}`"
                self.report("OW144", message, self.value_place("implements", "schema"))
            return None
        return ImplementsEntry(
            schema,
            tuple((name, item.form) for name, item in form.arguments.items() if "form" in item.model_fields_set),
            tuple(
                (name, tuple(json.dumps(value) for value in item.drop))
                for name, item in form.arguments.items()
                if "drop" in item.model_fields_set
            ),
            tuple(form.promotion.items()),
            form.lifts,
            tuple((name, tuple(item.of)) for name, item in form.arguments.items() if "of" in item.model_fields_set),
            form.rank_of,
        )

    def _proposal(self) -> ProposedBody | None:
        if not self.has("proposal"):
            return None
        form: ProposalForm | str = self.get("proposal")
        if isinstance(form, ProposalForm):
            key, text, place = "proposal.function", form.function, self.value_place("proposal", "function")
        else:
            key, text, place = "proposal", form, self.value_place("proposal")
        file, name = self._function_at(key, text, place)
        inexact = form.inexact if isinstance(form, ProposalForm) else {}
        return None if file is None else ProposedBody(file, name, inexact)

    def _attribute_docs(self) -> dict[str, str]:
        forms = self.get("attributes").items()
        return {name: form.doc if isinstance(form, AttributeForm) else form for name, form in forms}

    def _places(self) -> dict[str, Place]:
        places = key_places(self.root)
        own = set(self.node.entries) if self.node is not None else set()
        places = {path: place for path, place in places.items() if path.split(".", 1)[0] not in own | {"versions"}}
        if self.node is not None:
            places.update(key_places(self.node))
        return places
