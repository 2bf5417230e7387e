"""All vectors of a library as cases: the suite's, replays of the newest version's, and rows, with what each expects."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from opwright.bundle.format import FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic, Place, Related, Severity, has_errors

from opwright_build.report.tables import counted
from opwright_build.sandbox.levels import Claim
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.model import SpecVersion, VectorKind, VectorSource
from opwright_build.spec.vectors_file import VectorsFile, read_vectors_file
from opwright_build.spec.yaml_source import MAX_BYTES
from opwright_build.verify.case_model import Answer, Case, CollectedCases, CollectedVersion, Expected, Skipped
from opwright_build.verify.cases.bindings import Unbound
from opwright_build.verify.cases.kept_answers import KeptAnswers
from opwright_build.verify.cases.lock import LOCK_PATH, LockedCase, check_lock, read_lock, unused_lines, write_lock
from opwright_build.verify.cases.making import magnitude, row_judge, with_digest
from opwright_build.verify.cases.oracle import Limits, Oracle
from opwright_build.verify.cases.references import ReferenceCall, References, Unanswered, beyond_references
from opwright_build.verify.cases.rows import TypedRow, expand_rows
from opwright_build.verify.cases.stored.fitting import fits_version, stored_case
from opwright_build.verify.cases.stored.kinds import READERS
from opwright_build.verify.cases.stored.stored_rows import StoredFile
from opwright_build.verify.cases.suite import SuiteCase, extract
from opwright_build.verify.cases.suite_cases import SUITE_KINDS, Selected, fit, select
from opwright_build.verify.judge.outputs import mismatch
from opwright_build.verify.judge.promised_shapes import WrongShape, promised_shapes, wrong_answer, wrong_input

_MOST_NAMED = 5
_SCALES = 4.0  # what is summed on the way may be larger than all that goes in and comes out

LoadSuite = Callable[[Sequence[str]], Sequence[SuiteCase]]


def collect_cases(
    versions: Sequence[SpecVersion],
    interfaces: Mapping[str, FunctionEntry],
    library_root: Path,
    run_oracle: bool,
    *,
    only: Collection[str] | None = None,
    load_suite: LoadSuite = extract,
    limits: Limits | None = None,
    accept: Callable[[Claim], None] | None = None,
    kept: KeptAnswers | None = None,
) -> CollectedCases:
    """The cases of every version that has an interface (one that failed to compile has none).

    `versions` are all of the library's; `only`, where given, are the identities wanted. Without `run_oracle` no Python
    of a spec is run, and rows that do not store their outputs expect nothing. `load_suite` maps operators to their
    cases of the standard's suite; it is not called when no version asks for any. `accept` is given the sandbox in which
    references are run, before any is, and may raise. What `kept` knows the answer of is not asked, and no
    question twice.
    """
    wanted = [version for version in versions if only is None or version.identity in only]
    with Oracle(limits or Limits(), kept=KeptAnswers() if kept is None else kept) as oracle:
        if run_oracle and accept is not None:
            accept(oracle.claim)
        collection = _Collection(versions, interfaces, library_root, oracle if run_oracle else None)
        collection.suite = load_for(wanted, load_suite)
        found = tuple(collection.collect(version) for version in wanted)
        used = {name for version in found for name in version.suite}
        stale = unused_lines(used, collection.locked) if only is None else []
        return CollectedCases(found, (*collection.lock_findings, *stale), oracle.claim if oracle.asked else None)


def load_for(versions: Sequence[SpecVersion], load_suite: LoadSuite) -> Sequence[SuiteCase]:
    """The suite's cases of the operators whose versions ask for them; empty where none does."""
    asking = (version for version in versions if any(source.kind in SUITE_KINDS for source in version.vectors))
    operators = sorted({version.name for version in asking})
    return load_suite(operators) if operators else ()


def update_lock(versions: Sequence[SpecVersion], library_root: Path, load_suite: LoadSuite = extract) -> str | None:
    """The text that `specs/vectors.lock` should have; None when there is none and no version asks for a case."""
    suite = load_for(versions, load_suite)
    needed = {item.case.name: item.case for version in versions for item in select(version, suite)[0]}
    if not needed and not (library_root / LOCK_PATH).exists():
        return None
    locked, _ = locked_cases(LibraryFiles(library_root))
    return write_lock(needed.values(), locked)


def locked_cases(files: LibraryFiles) -> tuple[Mapping[str, LockedCase], list[Diagnostic]]:
    """The lines of the library's lock, and what is wrong with the file."""
    folder, _, name = LOCK_PATH.partition("/")
    if not (files.root / LOCK_PATH).exists():
        return {}, []
    data = files.read(folder, name, MAX_BYTES)
    if isinstance(data, Diagnostic):
        return {}, [data]
    return read_lock(data.decode("utf-8", "replace"))


UNFIT = "OW154"  # a stored vector is no call of the function: it is not used, and no body lacks for it


class _Collection:
    def __init__(
        self,
        versions: Sequence[SpecVersion],
        interfaces: Mapping[str, FunctionEntry],
        root: Path,
        oracle: Oracle | None,
    ) -> None:
        self.root = root
        self.files = LibraryFiles(root)
        self.interfaces = interfaces
        self.references = None if oracle is None else References(self.files, oracle)
        self.declared = declared_anywhere(versions)
        self.numbers: dict[tuple[str, str], set[int]] = {}  # of the versions of each function
        for version in versions:
            self.numbers.setdefault((version.domain.name, version.name), set()).add(version.since_version)
        self.suite: Sequence[SuiteCase] = ()
        self.rows: dict[str, VectorsFile] = {}
        self.stored: dict[str, StoredFile] = {}
        self.locked, self.lock_findings = locked_cases(self.files)
        self._checked: dict[str, list[Diagnostic]] = {}  # what is wrong with each case of the suite

    def collect(self, version: SpecVersion) -> CollectedVersion:
        selected, findings = select(version, self.suite)
        names = dict.fromkeys(item.case.name for item in selected)
        suite = {name: str(self.locked[name]) if name in self.locked else None for name in names}
        entry = self.interfaces.get(version.identity)
        if entry is None:
            of_lock = tuple(self._lock_findings(selected))
            return CollectedVersion(version.identity, (), of_lock, (), "", suite, {}, ())
        collector = _VersionCollector(self, version, entry)
        collector.report(findings)
        for item in selected:
            try:
                collector.add_suite_case(fit(item, entry), item.replay)
            except Unbound as error:
                if item.replay:
                    collector.skipped.append(Skipped(version.identity, item.case.name, str(error), item.place))
                else:
                    message = f"the suite's case {item.case.name} does not fit {version.identity}"
                    collector.report([Diagnostic("OW413", message, item.place, f"It is not used: {error}.")])
        for source in version.vectors:
            if source.kind is VectorKind.ROWS:
                collector.add_rows(source)
            elif source.kind in READERS:
                collector.add_stored(source)
        errors = (item for item in collector.diagnostics if item.severity is Severity.ERROR)
        collector.unusable = tuple(item for item in errors if item.code != UNFIT)
        collector.check_coverage()
        collector.report(self._lock_findings(selected))
        return collector.result(suite)

    def _lock_findings(self, selected: Iterable[Selected]) -> list[Diagnostic]:
        found: list[Diagnostic] = []
        for item in selected:
            name = item.case.name
            if name not in self._checked:
                self._checked[name] = check_lock([item.case], self.locked)
            found += self._checked[name]
        return found

    def read_rows(self, folder: str, source: VectorSource) -> VectorsFile:
        path = f"{folder}/{source.path}"
        if path not in self.rows:
            data = self.files.read(folder, source.path, MAX_BYTES, source.place)
            self.rows[path] = (
                VectorsFile((), (data,)) if isinstance(data, Diagnostic) else read_vectors_file(data, path)
            )
        return self.rows[path]

    def read_stored(self, folder: str, source: VectorSource) -> StoredFile:
        path = f"{folder}/{source.path}"
        if path not in self.stored:
            self.stored[path] = READERS[source.kind](self.files, folder, source)
        return self.stored[path]


class _VersionCollector:
    """The cases of one version."""

    def __init__(self, collection: _Collection, version: SpecVersion, entry: FunctionEntry) -> None:
        self.collection = collection
        self.version = version
        self.entry = entry
        self.folder = version.folder.relative_to(collection.root).as_posix()
        self.sound = True
        self.cases: list[Case] = []
        self.skipped: list[Skipped] = []
        self.diagnostics: dict[Diagnostic, None] = {}
        self.unusable: tuple[Diagnostic, ...] = ()
        self.covered: set[tuple[str, str]] = set()
        self.stored: list[StoredFile] = []
        self.asked = False  # whether Python of the spec was run
        self.unanswered: dict[Diagnostic, dict[str, None]] = {}  # the vectors of each finding that is told once
        self.reference = self._reference()

    def result(self, suite: Mapping[str, str | None]) -> CollectedVersion:
        sources, version = self.collection.files.sources, self.version
        names = [source.path for source in version.vectors if source.kind is VectorKind.ROWS]
        if self.collection.references is not None and version.reference_file is not None:
            names.append(version.reference_file)
        paths = [f"{self.folder}/{name}" for name in names]
        stored = {path: data for file in self.stored for path, data in file.files.items()}
        for finding, vectors in self.unanswered.items():
            self.diagnostics[replace(finding, message=f"{finding.message} {_named(list(vectors))}")] = None
        return CollectedVersion(
            version.identity,
            tuple(self.cases),
            tuple(self.diagnostics),
            tuple(self.skipped),
            self.reference or "" if self.asked else "",
            suite,
            {path: sources.get(path) for path in paths} | stored,
            self.unusable,
        )

    def report(self, findings: Sequence[Diagnostic]) -> None:
        self.sound = self.sound and not has_errors(findings)
        self.diagnostics.update(dict.fromkeys(findings))

    def _report_unanswered(self, unanswered: Unanswered) -> None:
        finding = unanswered.finding
        if finding is not None and unanswered.vector:
            self.sound = False
            self.unanswered.setdefault(finding, {})[unanswered.vector] = None
        else:
            self.report([] if finding is None else [finding])

    def add_suite_case(self, case: Case, replay: bool) -> None:
        """Raises Unbound where a case of the newest version has other shapes than this one promises."""
        wrong = wrong_input(self.entry, case.inputs)
        if wrong is not None and replay:
            raise Unbound(wrong.text)
        if not self._add(case, f"the suite's case {case.name}", {}) or self.reference is None or case.expected is None:
            return
        if beyond_references(self.entry, case.inputs, case.attributes):
            return
        try:
            answers = self._expect(case, f"the suite's case {case.name}")
        except Unanswered as unanswered:
            self._report_unanswered(unanswered)
            return
        for answer, expected, output in zip(answers, case.expected, self.entry.outputs, strict=False):
            difference = mismatch(case.judge, expected, answer.array) if isinstance(expected, Expected) else ""
            if difference:
                message = f"the reference differs from the suite's case {case.name}: {output.name} {difference}"
                reason = "One of the two is not what the operator's text says: the oracle must agree with the standard."
                self.report([Diagnostic("OW421", message, Place(self.reference), reason)])

    def add_rows(self, source: VectorSource) -> None:
        read = self.collection.read_rows(self.folder, source)
        declared = self.collection.declared[self.version.domain.name, self.version.name]
        expanded = expand_rows(read.rows, self.entry, declared)
        self.report([*read.diagnostics, *expanded.diagnostics])
        for row in read.rows:
            self._check_versions(row.name, row.versions, row.places.get("versions", row.place))
        self.skipped.extend(expanded.skipped)
        before = len(self.cases)
        for typed in expanded.rows:
            self._add_row(typed)
        made: dict[Place | None, list[Case]] = {}
        for case in self.cases[before:]:
            made.setdefault(case.place, []).append(case)
        for row in read.rows:
            place = row.places.get("scale", row.place)
            self._check_scale(f"the row `{row.name}`", place, row.scale, row.reason, made.get(row.place, ()))

    def add_stored(self, source: VectorSource) -> None:
        """The vectors of an archive or a directory, which say themselves what is right."""
        file = self.collection.read_stored(self.folder, source)
        self.stored.append(file)
        self.report(file.diagnostics)
        for vector in file.vectors:
            self._check_versions(vector.name, vector.versions, vector.place)
            if not fits_version(vector, self.version):
                reason = "it is for another version"
                self.skipped.append(Skipped(self.version.identity, vector.name, reason, vector.place))
                continue
            try:
                case = stored_case(vector, self.version, self.entry)
                what = f"the stored vector {vector.name}"
                if self._add(case, what, {}) and not vector.random:
                    self._check_scale(what, vector.place, vector.scale, vector.reason, [case])
            except Unbound as error:
                message = f"the stored vector {vector.name} does not fit {self.version.identity}"
                self.report([Diagnostic(UNFIT, message, vector.place, f"It is not used: {error}.")])

    def _check_scale(self, what: str, place: Place, scale: float, reason: str, cases: Sequence[Case]) -> None:
        """Whether a vector can fail: what is times a number beyond all values of its calls may hide each of them."""
        largest = [magnitude(case) for case in cases if not case.error]
        known = [number for number in largest if number is not None]
        if not known or len(known) < len(largest):
            return
        bound = _SCALES * max(1.0, *known)
        if scale > bound and not reason:
            message = f"the scale of {what} is {scale:g}, without a `reason:`"
            why = f"its tolerances are times that, and {bound:.3g} is as much as its values explain"
            help_ = "leave it out, or make it that of the values; say why it is larger in `reason:`"
            self.report([Diagnostic("OW126", message, place, reason=why, help=help_)])

    def _check_versions(self, vector: str, versions: Sequence[int] | None, place: Place | None) -> None:
        """Whether the function has the versions that a vector is for: else it would never run."""
        known = self.collection.numbers[self.version.domain.name, self.version.name]
        missing = [number for number in versions or () if number not in known]
        if missing:
            name = f"{self.version.domain.name}::{self.version.name}"
            message = f"{name} has no version {', '.join(map(str, missing))}, for which the vector `{vector}` is"
            way_out = f"It has the versions {', '.join(map(str, sorted(known)))}: name some of these."
            self.report([Diagnostic("OW425", message, place, help=way_out)])

    def check_coverage(self) -> None:
        """Each declared type needs a vector, or nothing is known of it. Not asked where findings explain the gap."""
        if not self.sound:
            return
        if not self.cases:
            message = f"{self.version.identity} has no vectors"
            way_out = "Give it rows in a `vectors.yaml`, or `vectors: [onnx]` for an operator of the standard."
            place = self._place("vectors", "since_version")
            self.report([Diagnostic("OW412", message, place, "Nothing would tell whether it is right.", way_out)])
            return
        for variable, admitted in self.entry.types:
            missing = [name for name in admitted if (variable, name) not in self.covered]
            if missing:
                message = f"{self.version.identity} declares {variable} = {', '.join(missing)} without a vector"
                way_out = "Add a row that these types can hold, or do not declare them."
                self.report([Diagnostic("OW411", message, self._place(f"types.{variable}", "types"), help=way_out)])
        self._check_outputs()

    def _check_outputs(self) -> None:
        """Each output needs a vector that states it. Not asked where a reference has not been: it states them all."""
        stated = [case.expected for case in self.cases if not case.error and case.expected is not None]
        if len(stated) < sum(not case.error for case in self.cases):
            return
        last = len(self.entry.outputs) - 1
        for number, output in enumerate(self.entry.outputs):
            of_output = slice(number, None if output.variadic and number == last else number + 1)
            if stated and all(answer is None for answers in stated for answer in answers[of_output]):
                message = f"no vector of {self.version.identity} says what its output `{output.name}` should be"
                way_out = f"State `{output.name}` in a vector, or return it nowhere."
                place = self._place(f"outputs.{output.name}", "outputs")
                self.report([Diagnostic("OW424", message, place, "Nothing would tell whether it is right.", way_out)])

    def _add_row(self, typed: TypedRow) -> None:
        row = typed.row
        wrong = None if row.error else wrong_input(self.entry, typed.inputs)
        if wrong is not None:
            self.report([self._wrong_shape(wrong, f"the row `{row.name}`", row.places.get(wrong.path, row.place))])
            return
        expected: tuple[Answer | None, ...] | None = None
        if typed.stored is not None:
            expected = typed.stored
        elif not row.error:
            try:
                expected = self._ask(typed)
            except Unanswered as unanswered:
                self._report_unanswered(unanswered)
                return
        case = Case(
            identity=self.entry.identity,
            name=typed.name,
            bindings=typed.bindings,
            inputs=typed.inputs,
            attributes=typed.attributes,
            expected=expected,
            judge=row_judge(self.version, self.entry, row, typed.bindings),
            place=row.place,
            digest="",
            error=row.error,
        )
        self._add(with_digest(case), f"the row `{row.name}`", row.places)

    def _ask(self, typed: TypedRow) -> tuple[Expected, ...] | None:
        """What the oracle expects; None where it is not to be run. Raises Unanswered where there is no answer."""
        beyond = beyond_references(self.entry, typed.inputs, typed.attributes)
        if self.version.reference_file is None or beyond:
            message = f"nothing says what the row `{typed.row.name}` should give"
            way_out = "State its `outputs:`, or give the spec a `reference:`; "
            way_out += f"a reference cannot be given {beyond or 'a graph or a sequence'}."
            raise Unanswered(Diagnostic("OW410", message, typed.row.place, help=way_out))
        if self.collection.references is None:
            return None
        if self.reference is None:
            raise Unanswered(None)
        return self._expect(typed, f"the row `{typed.row.name}`")

    def _expect(self, vector: Case | TypedRow, what: str) -> tuple[Expected, ...]:
        """What the version's reference, which may be asked, says of a vector. Raises Unanswered."""
        assert self.reference is not None and self.collection.references is not None
        self.asked = True
        function, given = self.version.reference_name, (vector.bindings, vector.inputs, vector.attributes)
        call = ReferenceCall(self.reference, function, self.entry, *given, what)
        return self.collection.references.expect(call)

    def _add(self, case: Case, what: str, places: Mapping[str, Place]) -> bool:
        """Takes a case, unless it contradicts the shapes that are declared."""
        wrong = None if case.error else wrong_input(self.entry, case.inputs)
        shapes = promised_shapes(self.entry, case)
        if shapes and wrong is None:
            case = with_digest(replace(case, shapes=shapes))
            wrong = wrong_answer(self.entry, case)
        if wrong is not None:
            self.report([self._wrong_shape(wrong, what, places.get(wrong.path, case.place))])
            return False
        self.cases.append(case)
        if not case.error:
            self.covered.update(case.bindings.items())
        return True

    def _wrong_shape(self, wrong: WrongShape, what: str, place: Place) -> Diagnostic:
        declared = self.version.places.get(wrong.path)
        return Diagnostic(
            "OW142",
            f"{what} contradicts a declared shape: {wrong.text}",
            place,
            reason="shapes and ranks are promises, as types are: vectors are calls that keep them",
            help="change the vector, or declare what the function takes and gives"
            if wrong.declared
            else "an annotation without sizes, `FLOAT`, is that of a tensor of rank 0: write `FLOAT[...]` for any rank",
            related=() if declared is None else (Related(declared, "declared here"),),
        )

    def _reference(self) -> str | None:
        """The path of a reference that may be asked; None where there is none, or it is not sound, or not to be run."""
        references = self.collection.references
        if references is None or self.version.reference_file is None:
            return None
        findings = references.check(self.folder, self.version.reference_file, self.version.reference_name)
        self.report(findings)
        return None if has_errors(findings) else f"{self.folder}/{self.version.reference_file}"

    def _place(self, *paths: str) -> Place:
        for path in paths:
            if path in self.version.places:
                return self.version.places[path]
        return Place(f"{self.folder}/spec.yaml")


def _named(vectors: Sequence[str]) -> str:
    """All of a few vectors, the first of many."""
    if len(vectors) <= _MOST_NAMED:
        return " and ".join([", ".join(vectors[:-1]), vectors[-1]] if len(vectors) > 1 else vectors)
    return f"{', '.join(vectors[:_MOST_NAMED])} and {counted(len(vectors) - _MOST_NAMED, 'other vector')}"


def declared_anywhere(versions: Sequence[SpecVersion]) -> dict[tuple[str, str], dict[str, frozenset[str]]]:
    """For each function, the types that any of its versions declares for each variable."""
    result: dict[tuple[str, str], dict[str, frozenset[str]]] = {}
    for version in versions:
        declared = result.setdefault((version.domain.name, version.name), {})
        for variable, admitted in version.types.items():
            declared[variable] = declared.get(variable, frozenset()) | frozenset(admitted)
    return result
