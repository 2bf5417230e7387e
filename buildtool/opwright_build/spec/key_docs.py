"""What each key of the YAML files means, in one place: for editors, in the JSON Schemas, and for reference pages."""

from __future__ import annotations

from collections.abc import Mapping

_SCHEMA = "The form of this file; 1."
_OPSETS = 'A range of versions of the default domain: ">=13", ">=13,<=20" or "==18".'
_TYPE = "The element type, where `types` of the row is not to decide it."
_SEED = "The seed of the generator; the same seed gives the same values everywhere."
_SHAPE = "The sizes of the tensor; [] for a scalar."

# By the model of the form, then by key as it is written.
KEY_DOCS: Mapping[str, Mapping[str, str]] = {
    "LibraryModel": {
        "schema": _SCHEMA,
        "library": "The name of the library's distribution, such as acme-ops.",
        "version": "The release that is being worked on: three numbers, such as 1.2.0.",
        "package": "The name under which the typed package is imported, such as acme_ops.",
        "summary": "What the library is, in one line.",
        "license": "An SPDX expression, such as Apache-2.0.",
        "opsets": 'The outer range of every spec, with both ends: ">=13,<=28".',
        "requires": "The releases of opwright that can build the library.",
        "dependencies": "The libraries whose functions this one calls.",
    },
    "PackagesModel": {
        "schema": _SCHEMA,
        "version": "The version of each package that states none.",
        "license": "The license of each package that states none.",
        "opsets": "The outer range of each package that states none.",
        "requires": "The releases of opwright that can build the packages.",
        "packages": "The packages of this repository; each domain belongs to one of them.",
    },
    "PackageModel": {
        "library": "The name of the package's distribution, such as acme-ops.",
        "package": "The name under which the typed package is imported, such as acme_ops.",
        "domains": "The domains whose functions are in this package.",
        "version": "The release that is being worked on: three numbers, such as 1.2.0.",
        "summary": "What the package is, in one line.",
        "license": "An SPDX expression, such as Apache-2.0.",
        "opsets": 'The outer range of every spec, with both ends: ">=13,<=28".',
        "requires": "The releases of opwright that can build the package.",
        "dependencies": "The libraries whose functions this package calls, packages of this repository among them.",
    },
    "DependencyForm": {
        "version": 'The releases that will do, such as ">=1.2,<2".',
        "bundle": "A .onnxlib file below specs/, in place of an installed library.",
    },
    "DomainModel": {
        "schema": _SCHEMA,
        "domain": "The domain's name; that of the folder.",
        "version": "The version of the domain, raised with every new `since_version` in it.",
        "mirror": "The domain under which the functions appear in models; its own, where left out.",
        "summary": "What the functions of the domain have in common, in one line.",
    },
    "VersionModel": {
        "since_version": "The version of the domain in which this version of the function appeared.",
        "summary": "What the function computes, in one line.",
        "doc": "More about it, in Markdown.",
        "deprecated": "true, where callers should use something else from this version on.",
        "tags": "Labels to select the function by, as in `-s tag:fast`.",
        "opset": f"The opsets that the version is for. {_OPSETS}",
        "inputs": "The inputs by name, in the order of the `def`: a type, or a mapping of `type` and more.",
        "outputs": "The outputs by name, in the order in which they are returned.",
        "attributes": "What each attribute means; its type and default stand in Python.",
        "types": "The element types that each type variable admits. Each is a promise, and needs a vector.",
        "function": "The Python source, as `file.py` or `file.py:name`; function.py where left out.",
        "reference": "The Python that says in double precision what is right, as `file.py` or `file.py:name`.",
        "vectors": "Where test vectors come from: `onnx`, a file of rows, an archive of numpy, a backend-test folder.",
        "tolerance": "How far results may lie from what is right, by element type; `reason` where looser than usual.",
    },
    "SpecModel": {
        "schema": _SCHEMA,
        "domain": "The domain; that of the folder.",
        "name": "The function's name; that of the folder.",
        "versions": "The versions, oldest first; what stands at the top holds for all of them.",
    },
    "ValueForm": {
        "type": "A type variable of `types`, or an element type.",
        "rank": "The number of dimensions, where it is always the same.",
        "shape": "The sizes of all dimensions: numbers, names for equal ones, null for any.",
        "variadic": "true for a last one that stands for any number.",
        "doc": "What it is, in one line.",
    },
    "AttributeForm": {"doc": "What the attribute means, in one line."},
    "LimitForm": {
        "ulp": "Units in the last place by which a result may be off.",
        "abs": "How far a result may be off, times the `scale` of the row.",
    },
    "ToleranceModel": {
        "default": "For the float types that are not named.",
        "reason": "Why more is allowed than usual.",
        "runtimes": "What holds on one runtime, such as onnxruntime/full, or on a family: onnxruntime.",
    },
    "VectorsModel": {
        "schema": _SCHEMA,
        "rows": "The vectors, one a row.",
    },
    "RowModel": {
        "name": "A name, unique in the file; findings and reports use it.",
        "types": "The element types that the row is for; left out, all that can hold its values.",
        "versions": "The versions that the row is for; left out, all that list the file.",
        "attributes": "The attributes that are given; of others the defaults apply.",
        "inputs": "The inputs that are given: values, nested lists of values, or a long form.",
        "outputs": "What is expected; left out, reference.py says.",
        "scale": "What absolute tolerances are times of; 1 where left out.",
        "random": "What holds of outputs that are drawn at random.",
        "error": "A text that the runtime's error must contain, where the call must fail.",
        "doc": "Why the row exists.",
    },
    "RandomModel": {
        "values": "All the values that may occur.",
        "mean": "The mean of the output's elements.",
        "within": "How far the mean may lie from it.",
    },
    "TypedModel": {"value": "A value, or nested lists of values.", "type": _TYPE},
    "ZeroModel": {"shape": f"{_SHAPE} Its elements are zeros.", "type": _TYPE},
    "SequenceModel": {"sequence": "The tensors of a sequence.", "type": "The element type of all of them."},
    "VariadicModel": {"variadic": "The values of a variadic input or output, in order."},
    "NormalModel": {
        "distribution": "Values of a normal distribution.",
        "shape": _SHAPE,
        "seed": _SEED,
        "type": _TYPE,
        "mean": "The mean; 0 where left out.",
        "std": "The standard deviation; 1 where left out.",
    },
    "UniformModel": {
        "distribution": "Values that are equally likely between two bounds.",
        "shape": _SHAPE,
        "seed": _SEED,
        "type": _TYPE,
        "low": "The lower bound; 0 where left out.",
        "high": "The upper bound; 1 where left out.",
    },
    "IntegersModel": {
        "distribution": "Whole numbers that are equally likely.",
        "shape": _SHAPE,
        "seed": _SEED,
        "type": _TYPE,
        "low": "The lowest one.",
        "high": "The highest one, which may occur.",
    },
    "ChoiceModel": {
        "distribution": "Values drawn from a list.",
        "shape": _SHAPE,
        "seed": _SEED,
        "type": _TYPE,
        "values": "The values to draw from.",
    },
    "GapsModel": {
        "schema": _SCHEMA,
        "releases": "The releases that the rows were made with, by runtime.",
        "gaps": "What runtimes refuse to load, one fact a row.",
    },
    "GapModel": {
        "runtime": "A runtime such as onnxruntime/off, or all of a family: onnxruntime.",
        "releases": "The releases that the row holds for; left out, all that are listed.",
        "operator": "The version of the function: domain::Name@version.",
        "types": "The types that it holds for; left out, all of them.",
        "opsets": "The opsets at which bodies ran.",
        "outcome": "no-kernel for types without a kernel, unsupported for what is not loaded at all.",
        "reason": "What the runtime says, without what changes from release to release.",
    },
    "SurvivorsModel": {"schema": _SCHEMA, "survivors": "The mutants that no vector can notice."},
    "SurvivorModel": {"id": "The mutant; `*` stands for any text.", "reason": "Why no vector can notice it."},
    "NumericsModel": {
        "schema": _SCHEMA,
        "measured_with": "The releases that were measured.",
        "rows": "The measurements, one a function, type and group of runtimes.",
        "notes": "What is compared of functions without exact values.",
    },
    "NumericsRowModel": {
        "function": "The version of the function: domain::Name@version.",
        "type": "The element type.",
        "runtimes": "The runtimes that gave these figures.",
        "opsets": "The opsets at which bodies ran.",
        "calls": "How many calls were compared.",
        "refused": "How many calls a runtime refused.",
        "elements": "How many elements of outputs were compared.",
        "ours": "How far this library's body is off.",
        "standard": "How far the standard's own body is off.",
    },
    "MeasuredModel": {
        "abs": "The largest absolute error.",
        "ulp": "The largest error in units in the last place.",
        "lost": "Elements that are infinite or nan where the exact value is not.",
        "nodes": "The number of nodes of the body.",
    },
    "NumericsNoteModel": {
        "function": "The version of the function: domain::Name@version.",
        "text": "What is compared.",
    },
}
