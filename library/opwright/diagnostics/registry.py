"""The one registry of diagnostic codes: what each is called, and what would go wrong if it were accepted.

A code keeps its meaning for ever and is never used again. Every code has a bad and a good example in
`tests/diagnostics/examples`; the reference page `docs/diagnostics.md` is made from both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """One code: `title` without a full stop, and `why` as whole sentences."""

    code: str
    title: str
    why: str


def find_code(code: str) -> Code | None:
    """The code of that name, in any letter case; None when there is none."""
    return CODES.get(code.upper())


TABLE = (
    # Libraries and specs
    Code(
        "OW101",
        "The YAML cannot be read",
        "A bracket, a quote or a colon is missing or stands in the wrong place, so the meaning of the file is unclear.",
    ),
    Code(
        "OW102",
        "A character that YAML files may not hold",
        "Tabs, control characters, byte order marks and bytes that are not UTF-8 look alike in an editor and mean "
        "different things to different readers of YAML.",
    ),
    Code(
        "OW103",
        "A part of YAML that is not read",
        "Anchors, aliases, merge keys, tags, directives and further documents make one line change the meaning of "
        "another. A spec says each thing where it applies.",
    ),
    Code("OW104", "A key stands twice", "Most readers of YAML would silently keep the last one."),
    Code(
        "OW105",
        "The file is too large or too deep",
        "Files of a spec are written by hand; the limits keep a hostile one from costing memory or time. Large "
        "vectors are generated rows (`distribution`, `shape`, `seed`).",
    ),
    Code("OW106", "A key is not known", "A misspelt key would be ignored, and with it what it says."),
    Code("OW107", "A key is missing", "There is no default for it."),
    Code(
        "OW108",
        "A value of the wrong kind",
        "Text, numbers, sequences and mappings are not converted into one another: `0.1` is a number and no "
        "release, `no` is text and not false.",
    ),
    Code(
        "OW109",
        "A value that is not admitted",
        "The value has the right kind, but not a form, a size or a choice that means something here.",
    ),
    Code(
        "OW110",
        "No library here",
        "Commands work on the library whose specs/library.yaml is found from the current folder upward, or from the "
        "path that is given.",
    ),
    Code(
        "OW111",
        "The file has a newer form than this opwright reads",
        "`schema:` counts the forms of the file. An older opwright cannot know what a newer form means.",
    ),
    Code(
        "OW112",
        "The file and its folder disagree",
        "A function is found by its folder: specs/<domain>/<Name>/. What the file says must be the same.",
    ),
    Code(
        "OW113",
        "A domain that a library cannot have",
        "`this` and the empty name mean something else to the standard; domains that end in `.internal` hold helpers.",
    ),
    Code(
        "OW114",
        "The mirror of a domain is wrong",
        "Runtimes ignore a local function that is named like an operator of the standard, so functions of ai.onnx "
        "are emitted in a mirror domain outside it. Other domains need none.",
    ),
    Code(
        "OW115",
        "A file is missing or cannot be read",
        "A file that YAML names, or that a folder of specs needs, is not there, or is no regular file.",
    ),
    Code(
        "OW116",
        "The opset range cannot be read",
        "A range is `>=13`, `>=13,<=20` or `==18`; that of a library has both ends.",
    ),
    Code(
        "OW117",
        "The opset range leaves the library's",
        "library.yaml states the opsets that everything in the library is built for; a spec may narrow that range.",
    ),
    Code("OW118", "A since_version stands twice", "(domain, name, since_version) is the identity of a function."),
    Code(
        "OW119",
        "A since_version above the domain's version",
        "A node finds the greatest since_version at or below the version of the domain that the model imports, so a "
        "function above the domain's version could never be called.",
    ),
    Code(
        "OW120",
        "The library requires another opwright",
        "`requires: {opwright: ...}` in library.yaml names the releases that the library was written for.",
    ),
    Code(
        "OW121",
        "The installed onnx does not know the library's last opset",
        "Operators are looked up in the installed onnx. With an older one the bundle would silently lack opsets.",
    ),
    Code(
        "OW122",
        "Neither a type variable nor an element type",
        "The type of an input or output is a variable of `types:` or one of ONNX's element types (`float`, `int64`).",
    ),
    Code("OW123", "A type variable that nothing has", "It would promise types of no input and no output."),
    Code(
        "OW124",
        "An input and an output of one name",
        "In an ONNX function every name is assigned once, and inputs count.",
    ),
    Code(
        "OW125",
        "Not a source of vectors",
        "Sources are `onnx` (the standard's cases of this version), `onnx@latest`, `onnx:<pattern>` and files of rows.",
    ),
    Code(
        "OW126",
        "A looser tolerance without a reason",
        "The default tolerance fits a correct body of a few operators. A spec that needs more says why, for those "
        "who review it and those who read it later; so does a vector with a `scale` beyond four times all its values, "
        "with which no result might be wrong.",
    ),
    Code(
        "OW127",
        "A path that leaves the spec folder",
        "A spec reads files of its own folder alone, so that one from a stranger can be built.",
    ),
    Code("OW128", "The function exists already", "`opwright new` overwrites nothing."),
    Code(
        "OW129",
        "Not a name for a new function",
        "A function is named <domain>/<Name>: the domain has a dot, so that it meets no one else's, and the name "
        "can be that of a Python function.",
    ),
    Code("OW130", "A row name stands twice", "Results and the lock name a row by its name."),
    Code(
        "OW131",
        "The domain's version must be raised",
        "A released version of a domain never gains a function, so a new one begins at the next version.",
    ),
    Code(
        "OW132",
        "The new function cannot be written",
        "The folder cannot be made or written to. Nothing is left half done.",
    ),
    Code(
        "OW133",
        "A library that is depended on is not there",
        "A dependency that is listed and not resolved would be silently left out of what is built.",
    ),
    Code(
        "OW134",
        "Two packages claim one domain",
        "A function is part of one bundle. Two that hold it would differ as soon as one of them is released.",
    ),
    Code(
        "OW135",
        "Two packages have one name",
        "Bundles, wheels and modules are called after their package: one of the two would overwrite the other.",
    ),
    Code(
        "OW136",
        "A package has a domain that is not there",
        "A misspelt domain would silently leave its functions out of the package.",
    ),
    Code(
        "OW137",
        "A domain belongs to no package",
        "Its functions would be part of nothing that is built, and nobody would notice.",
    ),
    Code(
        "OW138",
        "Packages depend on one another in a circle",
        "A package is built, and released, behind those that it depends on. In a circle there is no first one.",
    ),
    Code(
        "OW139",
        "A key of one package stands beside several",
        "A name, or a list of domains, is that of one package. Above all of them it would say nothing of any.",
    ),
    Code(
        "OW140",
        "A package of the same repository is of another release",
        "What is built together is released together. A range that leaves out the release beside it cannot be kept.",
    ),
    Code(
        "OW141",
        "A call of a package that is not declared",
        "The packages that another one calls decide what is built first and what its bundle carries. A call that is "
        "not declared would tie two packages together without a trace.",
    ),
    Code(
        "OW142",
        "A vector contradicts a declared shape",
        "`rank:`, `shape:` and annotations such as `FLOAT[2, 3]` are promises, as types are. What callers may rely on, "
        "and bodies are compiled for, holds for each vector.",
    ),
    Code(
        "OW143",
        "An argument contradicts the declared shape",
        "A body is compiled for the shapes that its function declares. With others it would compute something else, or "
        "fail far from the call.",
    ),
    Code(
        "OW144",
        "An operator of PyTorch that is not known",
        "What an operator takes is said by its schema. PyTorch's own are known by name; of any other one the spec says "
        "the schema.",
    ),
    Code(
        "OW145",
        "A function does not fit the operator that it implements",
        "A call of the operator becomes a call of the function: each argument is a parameter of the same name, or is "
        "left out where that changes nothing.",
    ),
    Code(
        "OW152",
        "An archive of vectors that cannot be used",
        "An `.npz` file holds arrays, and a text `calls` that names the element type of each. Arrays of objects would "
        "have to be unpickled, which runs what the file says; large or highly compressed ones are refused before they "
        "are unpacked.",
    ),
    Code(
        "OW153",
        "A backend-test directory that cannot be used",
        "Such a directory holds `model.onnx` with one node, the call, and `test_data_set_0/input_0.pb` and "
        "`output_0.pb` for each input and output of its graph.",
    ),
    Code(
        "OW154",
        "A stored vector that does not fit the function",
        "A vector names inputs, outputs and attributes of the function and has element types that it declares. One "
        "that does not would be left out in silence.",
    ),
    Code(
        "OW155",
        "An attribute is not used",
        "A caller may give it, and nothing changes: most often it was forgotten, or its name is misspelt in the body.",
    ),
    # Operators, opsets and types
    Code(
        "OW201",
        "The domain has no such operator",
        "A node whose operator is not defined makes a model that no runtime loads.",
    ),
    Code(
        "OW202",
        "The operator is not in this opset",
        "A body is bound to the opset of the model that it is attached to. One that uses an operator of a later "
        "opset would be refused by every runtime.",
    ),
    Code(
        "OW203",
        "Too many arguments, or one given twice",
        "Positional arguments are inputs, and an operator has so many of them. A surplus one would be dropped or "
        "bound to something that was not meant.",
    ),
    Code("OW204", "A required input is missing", "The operator cannot run without it."),
    Code(
        "OW205",
        "The operator has no such attribute",
        "Runtimes refuse a node with an attribute that its schema does not have, and a misspelt one would otherwise "
        "be silently replaced by its default.",
    ),
    Code("OW206", "A required attribute is missing", "The attribute has no default, so the node would mean nothing."),
    Code(
        "OW207",
        "An attribute has the wrong type",
        "An attribute's type is fixed by the schema; nothing is converted that could change its meaning.",
    ),
    Code(
        "OW208",
        "The operator does not take this element type",
        "Schemas list the element types that an operator accepts. A body beyond them is refused by checkers and "
        "runtimes.",
    ),
    Code(
        "OW209",
        "An element type is not known",
        "A constant or a variant needs an element type, and this one is decided where the compiler cannot see it.",
    ),
    Code(
        "OW210",
        "An output has another type than declared",
        "Callers, stubs and the linker rely on the declared type.",
    ),
    Code(
        "OW211",
        "Python and YAML name different parameters",
        "Names and order of inputs have their home in Python, element types in YAML; they must speak of the same "
        "inputs.",
    ),
    Code(
        "OW212",
        "The operator means another thing at this opset",
        "A function computes what its source says, at whichever opset it is compiled. A version of an operator that "
        "was not reviewed as the same, and has no reviewed rewrite for the call, might compute something else "
        "silently.",
    ),
    Code(
        "OW213",
        "Two opsets of ai.onnx are written in one function",
        "A function imports one version of a domain, so the operators of one of the two would be of another version "
        "than the source says.",
    ),
    Code(
        "OW214",
        "A declared element type is admitted by no body",
        "The interface would promise what no model can use.",
    ),
    Code(
        "OW215",
        "The number of outputs differs from the declared one",
        "Every declared output needs a value, and every value a name.",
    ),
    Code(
        "OW216",
        "The operator is deprecated",
        "Checkers refuse models that use an operator at an opset where it is deprecated.",
    ),
    Code(
        "OW217",
        "A function-op is defined in terms of itself",
        "A function-op says what an operator means in terms of simpler ones; a definition by itself says nothing, "
        "and would never end where the operator is replaced by its function. An older version of the operator may "
        "stand in it, at opsets that have no newer one.",
    ),
    Code(
        "OW218",
        "The called function has no fitting variant",
        "The variant for these inputs does not exist at this opset, so there is nothing to call.",
    ),
    Code(
        "OW219",
        "A function has too many variants",
        "Each static question multiplies the variants. Beyond 64 a library would carry more bodies than can be "
        "verified, so it keeps a template, which has a body for given facts only.",
    ),
    Code(
        "OW220",
        "The operator does not broadcast at this opset",
        "Below opset 7, for Sum and its like below 8, operands have one shape. Runtimes compute something with "
        "other shapes all the same, or fail when the model runs.",
    ),
    Code(
        "OW221",
        "An attribute cannot be a value at this opset",
        "`Constant` takes numbers and strings since opset 12. Below, an attribute can only be handed on to an "
        "operator's attribute: a Constant without content would be the only form.",
    ),
    Code(
        "OW222",
        "The operator's version at this opset has no form for the call",
        "The call uses what another version of the operator has, and no reviewed rewrite brings it to this one.",
    ),
    Code(
        "OW223",
        "The default opset is none of ai.onnx",
        "`default_opset` says for which version of the standard's operators a function is compiled. The domain that "
        "the function belongs to is another argument.",
    ),
    # The language
    Code("OW301", "The file is not Python", "Nothing of a file can be compiled that Python's own parser refuses."),
    Code(
        "OW302",
        "A name is not defined",
        "A function may read its parameters, its own names, and what its module defines or imports. Anything else "
        "would be an error when the function runs as Python.",
    ),
    Code(
        "OW303",
        "A statement is not part of the language",
        "A graph has no exceptions, no storage that changes and no state outside the function, so statements that "
        "need them cannot be written into one.",
    ),
    Code(
        "OW304",
        "An expression is not part of the language",
        "Every expression must become operators of a graph, or have a value when the function is built.",
    ),
    Code(
        "OW306",
        "A path returns nothing",
        "A function of ONNX has outputs, and each call must get all of them on every path.",
    ),
    Code(
        "OW307",
        "The returns disagree",
        "The number of outputs and their types are part of a function's interface; they cannot depend on run-time "
        "values.",
    ),
    Code(
        "OW308",
        "A name may have no value",
        "Python would raise an error on the path that does not bind the name; a graph has no way to.",
    ),
    Code(
        "OW309",
        "A module-level name is not static",
        "Building runs no code, so a module-level name must have one value that can be read from the text.",
    ),
    Code(
        "OW310",
        "An import is not resolved",
        "Building imports nothing. Only opwright, math, numpy and typing names, files inside the library and the "
        "packages of libraries can be resolved from their text.",
    ),
    Code(
        "OW311",
        "Static evaluation is out of fuel",
        "What is evaluated when a function is built is bounded, so that no source text can make a build run or grow "
        "without end.",
    ),
    Code(
        "OW312",
        "A static expression has no value",
        "Python would raise an error here, and the expression is evaluated when the function is built.",
    ),
    Code(
        "OW313",
        "A number does not fit the element type it meets",
        "A constant takes the element type of the tensor that it meets. One with a fraction, or out of range, would "
        "become another number without a word.",
    ),
    Code(
        "OW314",
        "An operator is not defined for these operands",
        "The table of operators says what each means for each class of element types; where ONNX has no meaning, "
        "none is made up. Nor is there a meaning where ONNX's own inference refuses the ranks, sizes, axes and "
        "constants that are known.",
    ),
    Code(
        "OW315",
        "Two tensors have different element types",
        "Promotion rules differ between frameworks, and ONNX has none. A silent choice would be right for some "
        "callers only.",
    ),
    Code(
        "OW316",
        "A parameter cannot be one of an ONNX function",
        "Every attribute of an ONNX function has a name and a type, so arbitrary keyword arguments have no place in "
        "it.",
    ),
    Code(
        "OW317",
        "An annotation is not understood",
        "The annotation decides whether a parameter is an input or an attribute, and of which type. "
        "That of the results promises their types.",
    ),
    Code(
        "OW318",
        "A default is not allowed",
        "An input is given or absent; only attributes have default values, and a default must be of the attribute's "
        "type.",
    ),
    Code(
        "OW319",
        "Blocks are nested too deeply",
        "Protobuf parsers stop at 32 nested subgraphs. A deeper model could be written, but not read.",
    ),
    Code(
        "OW320",
        "A value cannot be a condition",
        "A condition is one element that is zero or not. Strings and tensors of several elements are neither true "
        "nor false.",
    ),
    Code(
        "OW321",
        "A loop changes a name's type",
        "What a loop carries from one trip to the next has one type in a graph.",
    ),
    Code(
        "OW322",
        "The function is not found",
        "A function is looked up in `function.py` of its folder under the operator's own name, bound once, at top "
        "level.",
    ),
    Code("OW323", "A function calls itself", "ONNX functions cannot be recursive: every runtime inlines them."),
    Code(
        "OW324",
        "A value must be known when the function is built",
        "Attributes are part of the graph's text; a value that is computed at run time cannot become one.",
    ),
    Code(
        "OW325",
        "A value is not a tensor",
        "An input of an operator is a tensor, a number or a list of numbers; ragged lists and modules are none of "
        "these.",
    ),
    Code(
        "OW326",
        "An optional input is used without asking",
        "Where the input is absent there is nothing to compute with, and the model could not run.",
    ),
    Code(
        "OW327",
        "The source is too large or nested too deeply",
        "Python's parser and stack have limits; beyond them nothing can be said about a file.",
    ),
    Code(
        "OW328",
        "Values and names differ in number",
        "Python raises an error when a right side gives another number of values than there are names.",
    ),
    Code(
        "OW330",
        "A comment that ignores warnings does nothing",
        "`# opwright: ignore[OW455] reason` silences a warning at the line it stands on, or stands above. One "
        "without a warning to silence would silence the next one that comes there; one without a reason says "
        "nothing to those who read it.",
    ),
    Code(
        "OW335",
        "A power of an integer is no integer",
        "A negative power of an integer is a fraction. numpy refuses it, and `Pow` of ONNX makes it 0, so the "
        "exponent of an integer tensor must be a number that is known when the function is built, and not negative.",
    ),
    Code(
        "OW336",
        "A function of another package is not part of the language",
        "A function that is called is inlined, or stays a call where it stands under `@script`. Most Python code of "
        "other packages uses more of Python than a graph can hold.",
    ),
    Code(
        "OW337",
        "A call of print does nothing",
        "A graph has no output but its results. The function prints where it runs as Python, and its model does not.",
    ),
    Code(
        "OW340",
        "A subscript is not possible",
        "A subscript means what it means in numpy. An index that numpy refuses, or for which ONNX has no operator, "
        "would give another result without a word.",
    ),
    Code(
        "OW341",
        "A length must be known",
        "A list of which the length is known at run time only can be indexed and given to an operator; to unpack "
        "it, or to run over it, its length must be known when the function is built.",
    ),
    Code(
        "OW342",
        "An index is out of range",
        "Python raises an error where an index is out of range, where there are more indices than axes, and where a "
        "mask is longer or shorter than its axis; what is known of the tensor says so already when the function is "
        "built.",
    ),
    Code(
        "OW343",
        "Only names can be assigned",
        "A value of a graph never changes. An assignment to a part of it would have to make another tensor, which "
        "all names for the old one would not see.",
    ),
    Code(
        "OW344",
        "A list that changes has several names",
        "In Python every name for a list sees it change. In a graph each name stands for a value, so a list that is "
        "appended to may have one name only, and must be the function's own.",
    ),
    Code(
        "OW345",
        "A method of a list is not part of the language",
        "Lists grow at their end; that is what the sequences of ONNX can do in step with Python.",
    ),
    Code(
        "OW346",
        "An item does not fit its list",
        "Where control flow decides how long a list is, it is a sequence of ONNX: it holds tensors, all of one "
        "element type.",
    ),
    Code(
        "OW347",
        "A number's kind depends on its value",
        "Whether a number is an int or a float decides what later operators mean. Where Python decides that by the "
        "value, and the value is known at run time only, there is no graph for it.",
    ),
    Code(
        "OW350",
        "A function that is called has errors",
        "A call needs to know what the function gives. Its own errors stand where they are found; its callers get "
        "one line each.",
    ),
    Code(
        "OW351",
        "The source text of a function cannot be had",
        "A function is compiled from its text. Lambdas have no statements, methods take more than tensors, and what "
        "`exec` made leaves no text behind.",
    ),
    Code(
        "OW352",
        "An object cannot be part of a graph",
        "What a function captures (globals and enclosing names) becomes part of the graph: numbers, strings, lists "
        "of them, arrays of up to 1 MB, functions, types and opsets. Other objects have no meaning there.",
    ),
    Code(
        "OW353",
        "It is not said which variant is meant",
        "A function that asks static questions is several functions, one for each answer; a FunctionProto is one.",
    ),
    Code(
        "OW354",
        "A model lacks a type or a value",
        "The inputs and outputs of a model have element types, and what is an attribute of a function is a value in "
        "a model.",
    ),
    Code(
        "OW355",
        "Two functions of a model have one name",
        "A model tells functions apart by domain, name and overload; two of the same would be one.",
    ),
    Code(
        "OW356",
        "A function does not fit the operator that it is passed to",
        "An operator such as Scan says how many values its graph takes and gives.",
    ),
    Code(
        "OW357",
        "Two versions of one domain are used",
        "A model imports one version of each domain, so both operators would be of one version.",
    ),
    Code(
        "OW358",
        "ONNX refuses the model",
        "A model is given to onnx.checker, and to ONNX's inference of shapes, before it is returned. What they "
        "refuse no runtime takes.",
    ),
    Code(
        "OW360",
        "A rank is not known",
        "The rank of a value that is computed follows from those of the parameters by a fixed set of rules. Where "
        "none applies, a question about it has no answer when the function is built.",
    ),
    Code(
        "OW361",
        "A function is a template",
        "A body that depends on the very rank of an input, on the number of its inputs or on the value of an "
        "attribute exists for a given call only. Attaching a library makes it for the nodes of a model; the body of "
        "another function needs one that exists.",
    ),
    Code(
        "OW362",
        "A list is not known",
        "Comprehensions, starred arguments, `zip`, `enumerate` and the like run when the function is built, so the "
        "length of their list must be known then. An iterator is used once, as in Python, and before anything changes "
        "that it reads: Python reads that when the iterator is used.",
    ),
    Code(
        "OW363",
        "A function rules out all of its variants",
        "An `assert` on static facts that does not hold says that there is no variant for those facts; at least one "
        "must remain.",
    ),
    Code(
        "OW365",
        "Text cannot be compared at this opset",
        "A graph can compare strings from opset 19 on. Below it, an attribute that is text selects a branch only "
        "when the function is built, and its values must be few for that.",
    ),
    Code(
        "OW366",
        "A variant has the name of another function",
        "Variants are told apart by their names: that of `clip` without `low` is `clip__low_absent`. A model would "
        "have two functions of one name.",
    ),
    Code(
        "OW367",
        "A function calls another one by its overload",
        "onnxruntime finds a function by its overload where the graph of a model calls it, since release 1.27. In a "
        "function it takes the one without overload, or does not load the model; onnx.reference ignores overloads.",
    ),
    Code(
        "OW370",
        "An operator fails",
        "The types are right, but the runtime cannot compute this operator on these values: shapes that do not fit, "
        "an index that is out of range, an integer divided by zero. A compiled model would fail at the same place.",
    ),
    Code(
        "OW371",
        "No evaluator runs an operator",
        "Eager mode runs each operator on onnxruntime, and what that lacks on onnx's reference evaluator. An "
        "operator, or a type, that neither knows can be compiled but not run here.",
    ),
    Code(
        "OW372",
        "An argument has another shape than declared",
        "An annotation such as `FLOAT[2, 3]` promises a shape. What is written for that shape may compute something "
        "else, silently, on another one.",
    ),
    Code(
        "OW373",
        "A compiled model fails",
        "A runtime fails at a node of a model that was compiled with the places of its nodes. The line is that of "
        "the function from which the node was made.",
    ),
    Code(
        "OW380",
        "A value does not belong here",
        "A value is a part of one graph. One of another GraphBuilder, or one that was made in a nested graph which "
        "is closed, has no meaning in this one; neither does an output of the model that is given inside a nested "
        "graph.",
    ),
    Code(
        "OW381",
        "Python needs a value that the graph has not computed",
        "While a graph is built its values are not known: `if`, `while`, `int(...)` and numpy cannot look at them.",
    ),
    Code(
        "OW382",
        "An element type or a rank is not known",
        "Python may ask what is known of a value. What the compiler's rules do not find is not guessed.",
    ),
    Code(
        "OW383",
        "A name of the model is taken",
        "Inputs, initializers and outputs are told apart by their names, which others rely on.",
    ),
    Code(
        "OW384",
        "Protobuf cannot hold the model",
        "A protobuf message holds two gigabytes, and its parsers stop at about a hundred messages inside one "
        "another. A model beyond that could be written, and never be read.",
    ),
    Code(
        "OW385",
        "What is to be run lacks an input",
        "To look at a value is to run what it is computed from, and that needs the inputs which it reads, each of "
        "its type.",
    ),
    Code(
        "OW386",
        "A function that exists as a proto cannot be called here",
        "A function is part of a model of one opset. Where one of its operators means another thing at that opset "
        "the function would compute something else, silently; and a function cannot keep its tensors in another "
        "file. A function of onnxscript brings the functions of Opwright that it calls, which then have one body: "
        "where calls choose among several, types decide, and a proto says none.",
    ),
    Code(
        "OW387",
        "An initializer has been changed since it was given",
        "Arrays of more than a megabyte are not copied: the model takes their elements when it is made. Those that "
        "are written in between would silently be others than were given.",
    ),
    Code(
        "OW388",
        "A model leaves ranks open",
        "An input of unknown rank has no shape in the model, and neither have outputs whose rank depends on it. "
        "Runtimes take such a model; the full check of onnx.checker and tools that look for shapes may not. "
        "`strict=True` makes an error of it.",
    ),
    # Vectors and verification
    Code(
        "OW400",
        "a case of the standard's suite is not locked",
        "Cases of the suite come from the installed onnx. They are pinned in specs/vectors.lock, so that what a "
        "function was verified against cannot change unseen. `opwright vectors --update` writes the file; review "
        "and commit it.",
    ),
    Code(
        "OW401",
        "a case of the standard's suite differs from the locked one",
        "The installed onnx makes another case of this name than the one that was reviewed: other inputs, "
        "attributes or outputs, by more than rounding. If the new one is right, `opwright vectors --update` takes "
        "it over.",
    ),
    Code(
        "OW402",
        "a line of specs/vectors.lock cannot be read",
        "The lock is written by the tool alone; a line edited by hand or left by a merge pins nothing.",
    ),
    Code(
        "OW403",
        "no function is judged by a locked case",
        "The suite has no case of that name any more, or no spec asks for it: it would look verified and is not.",
    ),
    Code(
        "OW404",
        "a type cannot hold a value of a row",
        "A row that names a type, or gives an input of one fixed type, must have values that the type holds: "
        "integers in range and without a fraction, true or false, text. Floats may round. A declared type that the "
        "row does not name is skipped instead, and `opwright vectors` says why.",
    ),
    Code(
        "OW405",
        "a row names what the function does not have",
        "Inputs and attributes are those of the Python function, outputs and type variables those of spec.yaml. A "
        "value under a wrong name would never be used.",
    ),
    Code(
        "OW406",
        "a row leaves out a value that is needed",
        "Every required input and attribute needs a value, and a row that states outputs states all of them.",
    ),
    Code(
        "OW407",
        "an attribute of a row has the wrong type",
        "A number for a FLOAT, a whole number for an INT, text for a STRING, and sequences of them; within the "
        "range of ONNX's int64 and float.",
    ),
    Code(
        "OW408",
        "a row asks for a type that is not declared, or for two at once",
        "A row can narrow the declared types, not widen them; and an input's `type:`, the row's `types:` and an "
        "attribute that decides the output's type must agree.",
    ),
    Code(
        "OW409",
        "a source of vectors finds no case",
        "`onnx`, `onnx@latest` and `onnx:<pattern>` stand for cases of the standard's suite with this operator as "
        "their only node. An empty set would look like a verified function.",
    ),
    Code(
        "OW410",
        "nothing says what a row should give",
        "A row either states its outputs or asks the spec's reference.py. With neither, nothing would be verified.",
    ),
    Code(
        "OW411",
        "a declared type has no vector",
        "A type that no vector tests is a promise that is not checked. Rows that expect an error do not count.",
    ),
    Code("OW412", "a version has no vectors", "Nothing would tell whether it is right."),
    Code(
        "OW413",
        "a case of the standard's suite does not fit the function's interface",
        "The case was made for this operator at this version. If its types, inputs or attributes do not fit, the "
        "spec differs from the standard.",
    ),
    Code("OW414", "no declared type can hold the values of a row", "The row would never be used."),
    Code(
        "OW415",
        "a reference is no Python that can be read",
        "The oracle of a spec is Python text of at most a mebibyte.",
    ),
    Code(
        "OW416",
        "a reference does not define the operator",
        "The oracle of an operator is the function of its name, at the top level of reference.py.",
    ),
    Code(
        "OW417",
        "a reference imports something else than numpy and math",
        "The oracle says what the function is. It needs no files, processes or network, and it must not be the "
        "runtime that it judges.",
    ),
    Code(
        "OW418",
        "a reference raises an exception",
        "The row has no expectation then. The place is the line of the reference.",
    ),
    Code(
        "OW419",
        "a reference was stopped",
        "It took too long or too much memory, or it took its process down. The oracle runs in a child process with "
        "limits; after three such rows it is not asked again.",
    ),
    Code(
        "OW420",
        "a reference's answer does not fit the outputs",
        "It returns one array for each output: numbers for numbers, booleans for booleans. Floats are rounded once "
        "to the output's type, integers are cut as Cast does.",
    ),
    Code(
        "OW421",
        "a reference differs from the standard's vectors",
        "The oracle must agree with the standard, or a body that follows it is wrong.",
    ),
    Code(
        "OW422",
        "the rows of a version stand for too much",
        "A row stands for one case for each choice of types, and all of them are in memory at once. Narrow its "
        "`types:`, or make the tensors smaller: a vector shows more by its values than by its size.",
    ),
    Code(
        "OW423",
        "A row of the runtime gaps names a release that the file does not list",
        "The releases at the top are those that every case was run with. Whether another one has further gaps is "
        "unknown, so a row cannot speak for it alone.",
    ),
    Code(
        "OW424",
        "no vector says what an output should be",
        "The vectors of a version state values of some of its outputs alone. Nothing would tell whether the others are "
        "right. Of outputs that are drawn at random a vector states the shape and the element type.",
    ),
    Code(
        "OW425",
        "a vector is for a version that the function does not have",
        "It would never run, or not for all that it is meant for.",
    ),
    Code(
        "OW450",
        "A vector fails",
        "A body gives something else than what is expected, or a runtime fails over it. Either the body is wrong, "
        "or what is expected, or the runtime; a wrong value is never a gap of the runtime.",
    ),
    Code(
        "OW451",
        "A runtime refuses what no row declares",
        "That a runtime has no kernel for a type, or does not accept an opset, is a fact that users of the library "
        "must be able to look up; so it is written down in specs/runtime-gaps.yaml and reviewed.",
    ),
    Code(
        "OW452",
        "A row of the runtime gaps covers nothing",
        "A row that no case uses is never checked, so an error in it would go unnoticed.",
    ),
    Code(
        "OW453",
        "A row of the runtime gaps is no longer true",
        "The runtime loads what the row says it refuses: users are told of a limit that is gone.",
    ),
    Code(
        "OW455",
        "No vector passes with a declared type",
        "A declared type is a promise, and no test has confirmed this one.",
    ),
    Code(
        "OW456",
        "No vector passes on a body",
        "Each body that a bundle holds, for each class of opsets and each variant, is verified on its own: what "
        "holds for one says nothing about another.",
    ),
    Code(
        "OW457",
        "The machine lacks what a vector needs",
        "A locale or a package that is not installed is no fact about the runtime, so no row of "
        "specs/runtime-gaps.yaml is made of it. What needs it is not verified here.",
    ),
    Code(
        "OW470",
        "The vectors notice too few mutants",
        "When a body can be changed and no vector fails, the vectors do not say what the function does. At least 95 "
        "% of the mutants must be noticed; those that nothing can notice are listed with the reason and do not "
        "count.",
    ),
    Code(
        "OW471",
        "A mutant survives without a reason",
        "Either a vector is missing that tells the mutant from the body, or the two are the same for every input; "
        "which of the two it is needs to be found out once.",
    ),
    Code(
        "OW472",
        "A listed survivor does not survive",
        "The list excuses mutants that nothing can notice. A row whose mutant is noticed, or is no more, would "
        "excuse another one later.",
    ),
    # Bundles and linking
    Code(
        "OW510",
        "A bundle that cannot be read",
        "There is no file of that name, it may not be read, it is a folder, or it is larger than any bundle.",
    ),
    Code(
        "OW511",
        "A file that is no bundle",
        "A bundle is an archive whose first member names its kind. Bytes of any other kind, or a download that was "
        "cut off, would be taken for a library otherwise.",
    ),
    Code(
        "OW512",
        "An archive that is not packed as a bundle",
        "Bundles have one layout: stored members, sorted, with nothing before, between or behind them. Links, "
        "folders, compression and paths out of the archive have no place in it, so that every tool that looks at a "
        "bundle sees the same thing, and so that reading one is safe.",
    ),
    Code(
        "OW513",
        "Members that are not those listed",
        "The index of a bundle lists every member. One that is missing, there twice or not listed, or another number "
        "of them, means that the bundle was taken apart.",
    ),
    Code(
        "OW514",
        "A damaged member of a bundle",
        "A member's bytes do not have the size or the digest that the index states. What they hold is not what was "
        "built and verified. A member is checked when it is looked up.",
    ),
    Code(
        "OW515",
        "A bundle for a newer opwright",
        "The bundle says that readers of this version would misunderstand it.",
    ),
    Code(
        "OW516",
        "A bundle whose index makes no sense",
        "The library.json of the bundle, or another member that its index consists of, is not JSON, lacks a value or "
        "has one of another kind, or names a body that is not there.",
    ),
    Code(
        "OW518",
        "A name that no installed library has, or more than one",
        "A library is named by its distribution, its package, the part of its name up to a dash where only one "
        "fits, or its file. In Python it may be open, too; what any other object would stand for is not guessed.",
    ),
    Code(
        "OW520",
        "A folder that the tool writes to is a link",
        "A link comes with a checkout as files do. Through one, a build would write, overwrite or remove files "
        "anywhere on the machine.",
    ),
    Code(
        "OW521",
        "A file that the tool keeps is no regular file",
        "A link may lead to a file outside of the library; a pipe or a device may never end.",
    ),
    Code(
        "OW522",
        "A cached result names a file outside of the outputs",
        "The cache may have come with the folder, so any program may have written it. Outputs are below dist/ and "
        "library/, and nothing is written elsewhere because a cache says so.",
    ),
    Code(
        "OW530",
        "A variant has the name of another function",
        "Variants are told apart by their names: the variant of `Kind` for float is called `Kind__T_float` in a "
        "model. Where the library has a function of that very name, one of the two would stand for both.",
    ),
    Code(
        "OW531",
        "A model with overloads",
        "onnxruntime finds functions by their overloads since release 1.27, and from the graph alone; older "
        "releases and the reference evaluator ignore overloads, and run another variant without a word.",
    ),
    Code(
        "OW532",
        "A selector that makes no sense",
        "What a command works on is said in one language: names with globs, `domain:`, `tag:`, `type:`, `package:`, "
        "`opset:18-21`, `state:modified`, `state:failed` and `since:REV`, joined by commas where all must hold. A "
        "misspelt part would otherwise select nothing, and a run of nothing passes.",
    ),
    Code(
        "OW533",
        "Git does not know what has changed",
        "A selection by a revision compares the files of specs/ with those that git lists for it. It needs git, a "
        "repository around the library, and a revision that is in it.",
    ),
    Code(
        "OW534",
        "A function that does not call another",
        "`opwright why A B` shows by which calls A comes to B. There is no such path.",
    ),
    Code(
        "OW535",
        "A spec that cannot be copied or added to",
        "`opwright new` edits the text of a spec.yaml, so that its comments stay. It adds a version behind the last "
        "item of `versions:`, or beside a `since_version:` at the top, and copies functions of one version.",
    ),
    Code(
        "OW540",
        "A function that a runtime's kernel hides",
        "onnxruntime runs a kernel of its own wherever it knows the name of an operator, in graphs and in functions, "
        "whatever function of that name the model brings. The body is run where it is inlined, and by other runtimes.",
    ),
    Code(
        "OW541",
        "A model that is not what it is required to be",
        "`opwright inspect --require` says what a model has to be: defined, unaltered, verified. What speaks against "
        "it is named.",
    ),
    Code(
        "OW542",
        "An upgrade that breaks the model",
        "The newer release computes something else for a call that the model makes, or does not take it any more. "
        "Where the body differs, both are run on inputs that are drawn; what could not be compared is different. "
        "Other numbers are taken where `--accept` names the function.",
    ),
    Code(
        "OW543",
        "A model that cannot be upgraded",
        "Upgrading detaches a model and attaches it again, so all libraries that it calls functions of have to be "
        "given. A model that was rewritten for another opset (`convert`, `polyfill`) has to be rewritten again.",
    ),
    Code(
        "OW544",
        "Nothing to upgrade",
        "None of the functions that the model calls was attached from a library; the output is the input.",
    ),
    Code(
        "OW545",
        "A body that does not follow its element type",
        "`attach --late-types` is for models whose types are changed afterwards, as a converter to float16 does. No "
        "runtime would load a body with constants of one type then, nor one of a function for one type alone.",
    ),
    Code(
        "OW546",
        "A model with training graphs",
        "Training graphs share the imports and functions of the model. A tool that changes these for the model's own "
        "graph would make something else of the others, and nothing would show it.",
    ),
    Code(
        "OW547",
        "A function that nothing calls is left out",
        "Exporters leave functions in a model that its graph does not call. Nothing says of which types their inputs "
        "are, and where that decides what a node becomes or calls, the function cannot be had; a model that held it as "
        "it was would not be valid, or not be run. It computes the same without it. What `convert` and `polyfill` have "
        "left out `detach` puts back.",
    ),
    Code(
        "OW548",
        "A function to accept that the model does not call",
        "`upgrade --accept` names functions that may compute something else. A name that fits none of those that were "
        "attached and that the model calls accepts nothing: it may be misspelt.",
    ),
    Code(
        "OW550",
        "A model that cannot be read",
        "There is no file of that name, it is a folder, or it may not be read.",
    ),
    Code(
        "OW551",
        "A file that is no ONNX model",
        "Nearly any bytes can be read as a model with hardly anything in it, other messages of ONNX among them. "
        "What has no graph is therefore refused before anything is made of it.",
    ),
    Code(
        "OW552",
        "Nothing to attach",
        "The model has no node that the libraries serve, so the output is the input. Operators of the standard are "
        "left as they are unless --replace is given.",
    ),
    Code(
        "OW553",
        "A function that the library does not have",
        "A node belongs to a domain of the library, but the library has no function of that name, in any version. "
        "No runtime could run it.",
    ),
    Code(
        "OW554",
        "A function that came later than the version the model imports",
        "The import of a domain says which version of each function is meant. At this one, the function did not "
        "exist yet.",
    ),
    Code(
        "OW555",
        "A version of a domain that is newer than the library",
        "What a function means at a version that the library does not know yet cannot be known either: a later "
        "release may give it another meaning from that version on.",
    ),
    Code(
        "OW556",
        "No body for the model's opset",
        "Runtimes read the nodes of a function at the opset of the model, not at that of the function. So a "
        "function is attached with the body built for the very opset that the model imports, or not at all.",
    ),
    Code(
        "OW557",
        "A call with the wrong inputs or outputs",
        "A node has more inputs or outputs than the function, lacks a required input, or has a combination of "
        "inputs that the function does not support.",
    ),
    Code(
        "OW558",
        "A call with the wrong attributes",
        "A node has an attribute that the function does not have, or of another type, or lacks a required one. "
        "Runtimes ignore unknown attributes of a call without a word.",
    ),
    Code(
        "OW559",
        "A fact is missing that decides between bodies",
        "The function has different bodies, for different element types for example, and the model does not say "
        "enough to choose. A guess could compute something else than meant.",
    ),
    Code(
        "OW560",
        "An element type that the function does not take or give",
        "An input has a type outside those that the function declares, or that its body for this opset can compute; or "
        "an attribute asks for an output of a type that the function does not declare.",
    ),
    Code(
        "OW561",
        "Inputs of one type have different element types",
        "ONNX never converts types by itself. Inputs that the function declares with one type variable must have "
        "one element type.",
    ),
    Code(
        "OW562",
        "The model has another body of a function",
        "A model holds one definition of a function. Putting the library's in place of the model's would change "
        "what the model computes at the nodes that call it already.",
    ),
    Code(
        "OW563",
        "Two libraries define one function differently",
        "Two releases of one library, for example. One model can hold one of the two only.",
    ),
    Code(
        "OW564",
        "A called function is missing",
        "A function of the library calls one of another library, or another release of it, that was not given.",
    ),
    Code(
        "OW565",
        "Functions nested too deeply or too large to inline",
        "Recursion and very long chains of calls are refused by onnx.checker, and inlining may multiply nodes "
        "beyond any use. Both are stopped in time.",
    ),
    Code(
        "OW566",
        "The resulting model is not valid",
        "Every result is judged by onnx.checker before it is written. Most often the model was not valid before; "
        "the message says so.",
    ),
    Code(
        "OW567",
        "onnxruntime refuses the resulting model",
        "The result is loaded on onnxruntime where that is installed, for it knows rules that onnx.checker does not.",
    ),
    Code(
        "OW568",
        "The model could not be tried on onnxruntime",
        "onnxruntime is not installed, or lacks what the model needs: a newer opset, an operator, a kernel. That "
        "says nothing against the model; it was checked by onnx.checker alone.",
    ),
    Code(
        "OW569",
        "A function of the model needs two bodies at one node",
        "A function of the model's own is called with facts that need different bodies of a library function, and "
        "its one node cannot call both.",
    ),
    Code(
        "OW570",
        "An operator of the standard is not replaced",
        "With --replace, operators for which the library has a body are served by it. This one is used in a way "
        "that the body cannot serve, so it stays what it was, which is right wherever the runtime has it.",
    ),
    Code(
        "OW571",
        "A model would be parted from its weights",
        "Weights in files of their own are found in the model's folder, and runtimes read none from outside it. They "
        "are copied or moved along, but over no other file, and a stream has no folder.",
    ),
    Code(
        "OW572",
        "The model cannot be written",
        "The folder does not exist, may not be written to or is full, or the model exceeds the 2 GiB of one file. "
        "Nothing of the output is left behind.",
    ),
    Code(
        "OW573",
        "Nodes that nothing defines",
        "The model has nodes of a domain that none of the libraries given holds. A runtime may bring such operators "
        "itself; if it does not, it refuses the model.",
    ),
    Code(
        "OW574",
        "Nothing to detach",
        "None of the model's functions was attached from a library, or they were inlined; the output is the input.",
    ),
    Code(
        "OW575",
        "A body that cannot be used",
        "The library's index names a body that is missing, is no function, or does not fit the interface. The "
        "library was not built by Opwright, or was changed since.",
    ),
    Code(
        "OW576",
        "What was attached was altered",
        "Detaching throws functions away because the library can give them back. An altered one would be lost, and so "
        "would an attribute that was written on a node and altered since. Below IR version 10 nodes cannot say what "
        "they were: the model does, and where it was changed so that they cannot be told apart, nothing is detached. "
        "Nor is a model that was brought to another opset and then got nodes whose operator is of another version at "
        "the opset before: they would mean something else there. A function that calls one which another tool has "
        "removed is no longer what was attached either; calls of the one that was removed come back where they say "
        "what they were.",
    ),
    Code(
        "OW577",
        "A template that cannot be made for a call",
        "A function that depends on a graph, on the number of its inputs or on a value of its call is made for each "
        "call. What a function cannot hold cannot be made: a graph, say, that reads values around the node.",
    ),
    Code(
        "OW578",
        "An object that is no model",
        "A model is given as a ModelProto, as its bytes, as the path of a file, as an onnx_ir.Model or as a "
        "torch.onnx.ONNXProgram, and comes back as what it was. What anything else would stand for is not guessed.",
    ),
    Code(
        "OW579",
        "A model that onnx_ir cannot convert",
        "An onnx_ir.Model, or that of a torch.onnx.ONNXProgram, is made a ModelProto by onnx_ir, and the result a "
        "model of onnx_ir again. An initializer without a value, say, would be lost on the way.",
    ),
    Code(
        "OW580",
        "A function or model has no canonical form",
        "Digests and comparisons go by what every name stands for. Where a name is undefined or defined twice, an "
        "operator unknown, or a tensor in another file, nothing can be said.",
    ),
    Code(
        "OW581",
        "An operator that the opset does not have",
        "The operator came later, and no library given has a function that computes it with the operators of that "
        "opset. A runtime would refuse the model.",
    ),
    Code(
        "OW582",
        "An operator that means something else at the other opset",
        "The node uses what only its version of the operator has: a type, an attribute, another reading of its "
        "inputs. At the other opset the same node would be refused or, worse, compute something else.",
    ),
    Code(
        "OW583",
        "A kernel that the runtime lacks",
        "The opset has the operator, but this release of the runtime is known to have no kernel of it for these "
        "types, and no library given has a function to put in its place.",
    ),
    Code(
        "OW584",
        "A consumer that is not known",
        "What the consumer takes must be known to write a model for it: an opset that this onnx knows, not older "
        "than 13 (`convert`: 7), or a release of onnxruntime that was measured.",
    ),
    Code(
        "OW585",
        "Functions of a library that is not given",
        "The model holds functions that were linked for its own opset. For another one they have to be linked "
        "again, with the bodies that their library has for it. A release of it that has other bodies for the model's "
        "own opset, or other defaults, does not do: the model would compute something else.",
    ),
    Code(
        "OW586",
        "Functions were inlined for an old consumer",
        "Model-local functions came with IR version 8, their overloads with 10. For an older consumer their nodes "
        "stand in the graph itself.",
    ),
    Code(
        "OW587",
        "A model that the consumer takes as it is",
        "Its opsets and its IR version are not newer than what the consumer knows, so the output is the input.",
    ),
    Code(
        "OW588",
        "The model was not valid before either",
        "Exporters leave out types and shapes that onnx.checker asks for and runtimes do without. Outputs are "
        "completed where their types follow; what was wrong before and is wrong still is told, and the model written.",
    ),
    Code(
        "OW589",
        "Functions in the standard's own domain",
        "Where the opset has an operator of the function's name, runtimes run the operator; where it has none, they "
        "refuse the model. A model at another opset must not change from one to the other.",
    ),
    Code(
        "OW590",
        "A model that no script can say",
        "The text must make the same model again. Where the language has no words for a part of it, leaving that "
        "part out would make another model.",
    ),
    Code(
        "OW591",
        "Arrays next to a decompiled module that are not its own",
        "The module of a model with large tensors reads them from the file next to it. With a file of another "
        "module, or a damaged one, it would make a model with other weights.",
    ),
    Code(
        "OW592",
        "A file that decompiling would replace",
        "A decompiled module and the arrays next to it are written anew when the model is decompiled again. A file "
        "that was not written so, or that belongs to another module, would be lost.",
    ),
    Code(
        "OW593",
        "A decompiled text that does not make the model again",
        "The text stands for the model. `--check` compiles it and compares: the interface, the structure and, where "
        "a readable script has another structure, the results.",
    ),
    Code(
        "OW594",
        "A decompiled text whose results could not be compared",
        "A readable script may have another structure than the model, and `--check` then runs both. Where the "
        "reference evaluator does not take them, as with operators that it does not know, nothing proves them "
        "equal.",
    ),
    Code(
        "OW595",
        "A model whose parts are not whole",
        "A control flow node without its graphs or outputs, an attribute whose value is not of its type, graphs nested "
        "deeper than any parser reads: nothing can be said of such a model, and tools that walk it would fail midway.",
    ),
    Code(
        "OW596",
        "Functions of a model that have no end, or no single meaning",
        "Whatever runs a model puts the nodes of functions in the place of their calls. Functions that call themselves "
        "never end, a few dozen that each call the next one twice end after years, and of two functions with one name "
        "none is the one that is meant.",
    ),
    Code(
        "OW597",
        "A tensor with impossible sizes or an impossible place",
        "Sizes below zero or beyond 2**63 elements, and data at a place in a file that no file has, come from a "
        "damaged model or a hostile one.",
    ),
    Code(
        "OW598",
        "A version that does not fit 32 bits",
        "The versions of opsets and of the IR are small numbers. Tools keep them in 32 bits, and would take a larger "
        "one for another version.",
    ),
    Code(
        "OW599",
        "A library that is not the one that is wanted",
        "`attach --sha256` says which file is meant, down to its last byte. Another one, however alike, is not opened.",
    ),
    # Releases
    Code(
        "OW610",
        "A lock is not as it was written",
        "It says what was released, and every build stands on it. A line that was edited by hand, or lost in a merge, "
        "would let a release be changed without a word.",
    ),
    Code(
        "OW611",
        "A released version promises something else",
        "Models and callers hold on to a released version: its names, their order, types, defaults and opsets. What "
        "has to be different is written as a new version beside it, and nobody's model changes.",
    ),
    Code(
        "OW612",
        "A released version is gone",
        "A model that names it would not load any more, or get an older version in its place, which computes something "
        "else. A version that was released as deprecated may go with a major release, which tells people to look, once "
        "no older one of its name stays.",
    ),
    Code(
        "OW613",
        "A body differs from the one that was released",
        "It computes the same, or nearly the same: both were run on all vectors. Build and test use the new one; a "
        "release takes it once somebody has said why.",
    ),
    Code(
        "OW614",
        "A released version computes something else",
        "Results of existing models would change without a word. What computes something else is another version.",
    ),
    Code(
        "OW615",
        "A body differs from the one that was released, and no vector runs it",
        "Whether it computes the same is not known.",
    ),
    Code(
        "OW616",
        "A new body of a released version is not accepted",
        "A release replaces a body of an earlier one only where it computes the same, within what was asked for, and "
        "for a reason that is kept in the lock.",
    ),
    Code(
        "OW617",
        "A release brings more than its number says",
        "People take a patch without looking, and a minor release for what is new. What breaks models, types or "
        "sources needs a major release; before 1.0.0, a minor one.",
    ),
    Code(
        "OW618",
        "The number of a release cannot be used",
        "All who have installed a release have the same bytes, so a number is used once, and later ones are larger.",
    ),
    Code(
        "OW619",
        "The state to compare with cannot be had",
        "It is the lock, a revision of the repository, a bundle or an installed library, and it has to be there.",
    ),
    Code(
        "OW620",
        "A change breaks what worked",
        "Level `wire` reaches models that hold the node, `types` the types of their tensors, `source` programs that "
        "call the function, and `numeric` the values.",
    ),
    Code(
        "OW621",
        "An opset that is declared has no body",
        "`opset:` is a promise, as declared types are: models of each of these opsets can use the function.",
    ),
    Code(
        "OW622",
        "A function that a model uses is deprecated",
        "It works, and computes what it always did. Its library has something better, and may leave it out one day.",
    ),
    Code(
        "OW623",
        "The lock has lost what was released",
        "A lock guards what was released. It may be deleted, or written anew with the right sums, so a release looks "
        "at the last commit too, and only adds to what stands there.",
    ),
    Code(
        "OW624",
        "A version of a domain that was released changes",
        "A model imports a domain at a version, and gets the newest version of each function up to that number. So a "
        "released one gains nothing, the domain's version only rises, and no name is given twice.",
    ),
    Code(
        "OW625",
        "Whether a change breaks what worked is not known",
        "Another body was not compared with the earlier one on any vector, for some opsets or for all. It may compute "
        "something else, so it is not passed as compatible.",
    ),
    Code(
        "OW626",
        "What is to be released fails on its vectors",
        "Once released, what a version computes stays, and a correction of it is refused (OW614): it would have to be "
        "another version. So what is new since the last release passes first.",
    ),
    # Libraries on libraries
    Code(
        "OW627",
        "A release is made, and its artefacts are not written",
        "A release is its locks, its notes and the number in library.yaml, which are written together. The artefacts "
        "are built from these, and can be at any time: a disk that is full by then takes nothing back.",
    ),
    Code(
        "OW630",
        "A line of the lock of dependencies that cannot be read",
        "The lock says which release of a library is built against. A line that means nothing holds nothing.",
    ),
    Code(
        "OW631",
        "A dependency is not the locked one",
        "What a library calls is part of what it computes. Other bytes of it, even of the same release, would change "
        "bodies without a change of the repository.",
    ),
    Code(
        "OW632",
        "A dependency is found under another name",
        "A file that holds another library than its dependency says, or two places for one library, leave open which "
        "functions are called.",
    ),
    Code(
        "OW633",
        "A dependency is of a release that is not accepted",
        "A range says which releases the functions were written for. One outside of it may lack them, or mean "
        "something else by them.",
    ),
    Code(
        "OW634",
        "Two libraries have one domain, or one import package",
        "Models, and bodies, tell functions apart by domain and name, and sources by what they import. Of two "
        "libraries with one name it would be a matter of chance which is called.",
    ),
    Code(
        "OW635",
        "Two releases of one library are called",
        "A bundle carries what its functions call, and a model holds one definition of a function. With two releases "
        "in it, some functions would call another body than the one that they were verified with.",
    ),
    Code(
        "OW636",
        "A line of the lock that nothing needs",
        "It hides which libraries are built against, and comes to be believed.",
    ),
    Code(
        "OW637",
        "A library that is called lacks a body",
        "A bundle that was not written by a build may call what it does not hold. What is built of it could not run.",
    ),
    Code(
        "OW650",
        "A name does not follow the standard's naming conventions",
        "A proposal is read by people who know some two hundred operators: what is called as it is called there "
        "needs no explanation, and names cannot be changed once an operator is part of the standard.",
    ),
    Code(
        "OW651",
        "A node test of the proposal fails",
        "The standard runs every node test of a function-op a second time, with the nodes of its body in the place "
        "of the operator. A test that fails there cannot be merged.",
    ),
    # The build itself
    Code(
        "OW652",
        "A runtime has a kernel of the function's name",
        "onnxruntime takes its own kernel for such a name, whatever body a model brings. The body is verified inlined, "
        "so that it is what runs; a model that calls the function runs the kernel there, and the body elsewhere.",
    ),
    Code(
        "OW653",
        "A part of a model that cannot become a function",
        "A function is made of a function of the model, or of nodes between which no others lie, at an opset that the "
        "library has. `model.onnx:Name` names a function, `model.onnx:first..last` and `model.onnx:a,b` nodes.",
    ),
    Code(
        "OW654",
        "A source for onnxscript that cannot be taken as it is",
        "Imports of onnxscript become imports of opwright. What opwright has under no such name would be missing, so "
        "the file is not taken before its author has decided what stands there.",
    ),
    Code(
        "OW655",
        "No vector was made for the new function",
        "A row of vectors is drawn and its outputs are computed by a runtime at hand. Where none runs the function on "
        "drawn inputs, one crashes or does not end, or the outputs are large, the row is left to the author.",
    ),
    Code(
        "OW656",
        "A body is proposed of a function with another interface",
        "What `proposal:` names is proposed as the function itself: the schema, the node tests and the texts are those "
        "of its interface. So it takes the same inputs and attributes, with the same defaults.",
    ),
    Code(
        "OW657",
        "A proposed body is not as exact as the spec says",
        "A body that is proposed because it reads better may be less exact than the one that is shipped. It passes "
        "every vector by the rule of the standard's suite; those that it fails are named under `inexact`, with a "
        "reason, and are no node tests.",
    ),
    # Releases and indexes
    Code(
        "OW660",
        "What is to be published is no release",
        "The number of a release means one set of bytes. What differs from it has a number of development, and who "
        "would install that could not tell what it is.",
    ),
    Code(
        "OW661",
        "A library is published without a lock",
        "Without a lock nothing holds what the published functions promise, and two builds may have one number.",
    ),
    Code(
        "OW662",
        "A release is not the same where it is built again",
        "Who checks a release builds its sources and compares. Something that is not among the sources decides what is "
        "in it, so nobody could.",
    ),
    Code(
        "OW663",
        "A key cannot sign a release",
        "A signature that is asked for and missing would be noticed by those who install, or by nobody.",
    ),
    Code(
        "OW670",
        "An index of libraries cannot be read",
        "What an index out of reach lists is not known. To take it for an empty one would find another library, or "
        "none, without a word.",
    ),
    Code(
        "OW671",
        "An index of libraries says what none may say",
        "An index is what a stranger wrote. Names that are paths, sizes that no file has and ways to other kinds of "
        "addresses are no mistakes of those who write one with `opwright index`.",
    ),
    Code(
        "OW672",
        "What an index gives is not what is wanted",
        "The digest is all that tells one file from another on its way. It is always compared, and nothing is written "
        "that has another one.",
    ),
    Code(
        "OW673",
        "No library of that name, or with that function, is found",
        "The installed libraries and the indexes that were asked are all that is known.",
    ),
    Code(
        "OW674",
        "A folder is not that of a release",
        "An index lists digests that others rely on for years. A file that is missing, or not what SHA256SUMS says, "
        "would be listed as it is.",
    ),
    Code(
        "OW675",
        "An index has the release with other files",
        "Who has added a release holds the digest of its bundle. A second set of bytes under one number would be "
        "refused there, or taken by those who come later.",
    ),
    Code(
        "OW676",
        "A dependency cannot be written into library.yaml",
        "The file is edited by lines, so that its comments stay. What the edited file says is read again, and one that "
        "says anything else is not written.",
    ),
    Code(
        "OW677",
        "A release of the runtime is newer than all on record",
        "What it takes is known where it is installed, or was measured. The newest release on record takes no more "
        "than it, so the model will run, and may use less than there is.",
    ),
    # Functions behind nodes of other tools
    Code(
        "OW680",
        "A node calls a function that is not known",
        "What the node means is said by its function alone. Where a function of its domain is given, a name that the "
        "domain lacks is a mistake; a domain of which nothing is known may be one that the runtime has kernels for.",
    ),
    Code(
        "OW681",
        "A node does not call its function as this can be called",
        "A node has inputs by position and attributes by name, each of the kind that the function declares, and the "
        "body is made for the types of its inputs: these have to be known.",
    ),
    Code(
        "OW682",
        "Two functions of one domain and name",
        "A node says by domain and name which function it calls, so a model has one of each. Which of two is meant "
        "would be decided by their order.",
    ),
    Code(
        "OW683",
        "What is given is no function that a node can call",
        "A node calls a function of ONNX: one under `@script`, or one of a library. Other Python is run where a model "
        "is made, and leaves nothing in it.",
    ),
    Code(
        "OW684",
        "An operator of PyTorch that no function implements",
        "A function stands for the operator that its spec names. What no function implements is left to the exporter, "
        "or cannot be exported.",
    ),
    Code(
        "OW685",
        "A library that implements no operator of PyTorch",
        "`registry` looks for functions that say which operator they implement. A library without one adds nothing, so "
        "its name is a mistake.",
    ),
    Code(
        "OW686",
        "A call of an operator is no call of its function",
        "The function takes what the schema of its operator says, for the element types and values that its spec "
        "admits. Another call has no meaning there.",
    ),
    Code(
        "OW687",
        "An output of an exported model whose element type is not known",
        "torch's exporter may take an output from before its last cast, and `link` adds that cast. Which result of the "
        "program an output is follows from their order, or from their names where there are more or fewer. What fits "
        "neither might have the wrong type.",
    ),
    # Corpora and backends
    Code(
        "OW690",
        "A backend differs from the corpus",
        "The corpus says what a function computes, and how far a result may be from it. A backend that gives something "
        "else, or fails on a model that it has taken, computes another function.",
    ),
    Code(
        "OW691",
        "A corpus that cannot be used",
        "A corpus is pinned: `conformance.json` lists the sha256 of every file. A file that is another one, is missing "
        "or makes no sense tells nothing of a backend.",
    ),
    Code(
        "OW692",
        "Fewer cases than wanted",
        "A corpus that has become small, or a backend that refuses what it took before, would pass with less and less "
        "said. `--min-count` is how many it takes.",
    ),
    Code(
        "OW901",
        "A damaged entry of the build cache",
        "The bytes of an entry are not those that were put there: a full disk, a crash of the machine, a hand. What "
        "the entry held is built again, so nothing is wrong with the result.",
    ),
    Code(
        "OW902",
        "The build cache cannot be used",
        "A cache that cannot be read is not an empty one: taking it for one would hide that every build of a team "
        "is slow, or that results are kept nowhere.",
    ),
    Code(
        "OW903",
        "An action gave two results for the same inputs",
        "Caches and reproducible builds rest on actions being functions of their inputs. Either the build tool has "
        "a bug, or another program wrote into the cache.",
    ),
    Code(
        "OW904",
        "A file that the build did not write is in the way",
        "A build overwrites what a build wrote and nothing else; the file may have been written by hand.",
    ),
    Code(
        "OW905",
        "An output cannot be written",
        "The disk is full, or a folder is read-only or is a file. Outputs that were there before stay as they were. So "
        "they do where what an earlier build wrote cannot be read: a build that went on would never remove it.",
    ),
    Code(
        "OW906",
        "The generated package is out of date",
        "The package in library/ is generated from the specs and committed. While it differs, what others import is "
        "not what the bundle holds.",
    ),
    Code(
        "OW907",
        "The command line asks for something that does not exist",
        "A function, an opset, a code or an action of that name is not there.",
    ),
    Code(
        "OW908",
        "A function was not compiled because one that it calls has errors",
        "Its own errors, if it has any, can be told only when the function that it calls is known. Only the first "
        "mistake is worth reading.",
    ),
    Code(
        "OW910",
        "References ran without a sandbox",
        "Expected values are computed by Python of the specs. Where the system offers neither namespaces nor Landlock "
        "and seccomp, or a self-test shows that they do not hold, a reference has limits of time and memory and an "
        "empty environment, and can do otherwise what the user can.",
    ),
    Code(
        "OW911",
        "There is no sandbox of the level that is required",
        "`--require-sandbox` says without which level no Python of a spec is to be run. Level 1 is Landlock and a "
        "system call filter, level 2 namespaces as well; what is claimed has withstood the attacks of a self-test.",
    ),
    Code(
        "OW913",
        "There is no secret to seal results with",
        "A cache lies in the library's folder, where anybody may have put it. What it tells is believed because it "
        "was sealed with a secret of this user; without one, the next run cannot know this run's results for its own.",
    ),
    Code(
        "OW914",
        "Results in the cache were sealed with another secret",
        "A cache that comes with a checkout could hold any bytes as the result of a build, and agree with itself. "
        "Only what this user's tools have written is used; everything else is built again.",
    ),
    Code(
        "OW915",
        "The secret was replaced",
        "The file was damaged, or other users of the machine could read it. With the secret they could have sealed "
        "results of their own.",
    ),
    Code(
        "OW916",
        "The secret in the environment can be guessed",
        "With the secret anybody can forge results, and a short text is found by trying.",
    ),
    Code(
        "OW917",
        "The settings of the shared cache make no sense",
        "What a shared cache holds is believed when a trusted key has signed it. The place, the keys and the mode come "
        "from the environment or the user's configuration folder, never from the library's.",
    ),
    Code(
        "OW918",
        "The shared cache is out of reach",
        "A cache that is not mounted looks like an empty one: to build everything again without a word would hide it.",
    ),
    Code(
        "OW919",
        "Results in the shared cache are of no trusted signer",
        "Everybody who can write to a shared folder can put results there that agree with themselves. Only those that "
        "a trusted key has signed are used; everything else is built again.",
    ),
    Code(
        "OW920",
        "The shared cache needs a package that is not installed",
        "Places other than folders are reached through fsspec and, for each kind of place, a package of its own: s3fs "
        "for s3, gcsfs for gs. Who has no such cache needs none of them.",
    ),
    Code(
        "OW921",
        "The shared cache refuses this user",
        "There are no credentials, or they do not allow what was asked. To build everything again without a word would "
        "hide that for months.",
    ),
    Code(
        "OW922",
        "The shared cache did not answer in time",
        "Each request to a shared cache has a limit of time, so that a build ends whatever becomes of the network.",
    ),
    Code(
        "OW923",
        "Entries of the cache cannot be used",
        "Their bytes are not those that were stored, cannot be read, or name outputs that are gone. Builds take such "
        "entries for missing; many of them mean a disk that fails, or something that changes files.",
    ),
    Code(
        "OW924",
        "The shared cache that is to be changed is none, or only read",
        "`opwright cache --shared` works on the cache that the environment or `--cache URL` names. Who has no key to "
        "sign with adds nothing to it, and removes nothing.",
    ),
    Code(
        "OW925",
        "The library's folder cannot be written to",
        "Commands that only read go on without it: `lint`, `test`, `lock --check`, `diff`, `ls`, `show` and others. "
        "What they found out is not known to the next run, and nothing keeps others from building at the same time.",
    ),
    Code(
        "OW930",
        "The process that compiled a function crashed or hung",
        "Functions are compiled in worker processes, so that one that takes a process down costs itself alone. Nothing "
        "was kept of it: the next build tries again.",
    ),
    Code(
        "OW931",
        "A worker process does not start",
        "Builds use one process a processor. Where the machine allows no more processes or memory, `-j 1` needs none.",
    ),
    Code(
        "OW932",
        "Files changed while they were built",
        "Archives are not kept in the cache, and are joined again where they are missing. Where a spec was edited "
        "between the two, the files of a build would be of two states; so none is written.",
    ),
    Code(
        "OW940",
        "The machine refuses a file",
        "The disk is full or fails, this user may not open the file, or too many files are open. What was written "
        "before stays; the same command goes on from there.",
    ),
    Code(
        "OW960",
        "No address of a scheduler",
        "`--executor` takes `dask:tls://host:port`, or `dask:tcp://127.0.0.1:port` for a scheduler on this machine.",
    ),
    Code(
        "OW961",
        "A plain connection to another machine",
        "Sources and results go to a cluster, and what comes back is kept. Without TLS anybody on the way could read "
        "and change them, so a scheduler that is asked by plain tcp has to be on this machine, with its workers.",
    ),
    Code(
        "OW962",
        "A file for TLS is not used",
        "The certificate of the authority that is trusted, and this user's own certificate and key, are named by "
        "dask's configuration: in the environment, or in the user's configuration folder. A file in a library's folder "
        "is not used, nor one that other users could write, nor a key that they could read.",
    ),
    Code(
        "OW963",
        "A cluster needs a package that is not installed",
        "`--executor` needs `distributed`, which is an extra: `pip install 'opwright[dask]'`, on this machine, the "
        "scheduler and the workers.",
    ),
    Code(
        "OW964",
        "The cluster cannot be used",
        "The scheduler does not answer, has no workers, or has ended. What the cluster had done before is kept: the "
        "same command goes on from there. Without `--executor` this machine does all itself.",
    ),
    Code(
        "OW965",
        "A worker of the cluster differs from this machine",
        "What is built must be the same wherever it is made, and a verdict says which runtime it is about. So workers "
        "have the same sources of opwright, and the same releases of Python, onnx, numpy, onnxruntime and what else "
        "decides about results.",
    ),
    Code(
        "OW966",
        "An action was lost with its workers",
        "A worker of the cluster that ends costs nothing: what it was at runs on another one. An action during which "
        "several have ended, each time another one, is not tried again. Nothing was kept of it.",
    ),
    Code(
        "OW967",
        "A worker of the cluster gave something else than it was asked for",
        "Outputs of an action have to be what their digests say, and an action has to have read what it was given. "
        "Otherwise nothing of the answer is kept.",
    ),
    Code(
        "OW968",
        "Names that differ in case alone",
        "`Swish/` and `swish/`, or `rows.yaml` and `Rows.yaml`, are two on Linux and one on Windows and macOS: a "
        "checkout there has one of them, without a word, and what is built of it would be something else.",
    ),
    Code(
        "OW969",
        "A name that Windows does not have",
        "`aux.yaml`, `con/` and their like stand for devices there, and names that end with a dot or a space, or have "
        'one of `< > : " | ? * \\`, cannot be made. A checkout with such a file ends with an error.',
    ),
    Code(
        "OW970",
        "A site needs packages that are not installed",
        "`opwright site` has Sphinx make HTML of its pages, with the theme Furo: an extra, "
        "`pip install 'opwright[site]'`. Nothing else needs them.",
    ),
    Code(
        "OW971",
        "The folder for the site holds something else",
        "Files of an earlier site are replaced, and removed where they are no longer part of it. So the folder is "
        "empty, new, or one that `opwright site` has written.",
    ),
)
CODES: Mapping[str, Code] = {item.code: item for item in TABLE}
