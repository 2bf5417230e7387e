"""Every command with what it does in one line. Nothing is imported for it: `opwright --help` is a list of words."""

TITLE = "Write ONNX functions in Python and ship them as verified, typed libraries."
# Commands on models, which need onnx alone: those of `opwright.commands`.
ON_MODELS = {
    "attach": "Add the functions that a model's nodes call.",
    "inspect": "Say where a model's functions came from.",
    "upgrade": "Take attached functions from a newer release, and say what changes.",
    "detach": "Take attached functions out again.",
    "polyfill": "Rewrite a model for an older opset or runtime.",
    "convert": "Bring a model with its functions to another opset.",
    "decompile": "Write a model as ONNX Script.",
}
# Commands on libraries, each a module of `cli.command_modules`.
ON_LIBRARIES = {
    "add": "Make a library a dependency: find it, check its digest, write library.yaml and the lock.",
    "build": "Compile the library and write its bundle, wheel and typed stubs.",
    "cache": "Say what the cache holds, check every entry of it, or remove what is unused for long.",
    "clean": "Remove what builds have left: the cache and the rest of .opwright.",
    "completion": "Print the script by which a shell completes commands, options and names of functions.",
    "conform": "Hold a backend of ONNX against an exported corpus, or against the library's own vectors.",
    "diff": "Compare the library with another state of it: models, types, sources and values.",
    "docs": "Write a page of Markdown for each function, or check that they are up to date.",
    "doctor": "Show what this machine has of what the commands need, and how to get the rest.",
    "explain": "Explain a diagnostic code, or why an action of the last build ran.",
    "export": "Write the library as a plain ONNX model: its functions for one opset and an empty graph.",
    "fmt": "Write the YAML of specs in one form; comments stay.",
    "graph": "Draw which functions call which.",
    "help": "List all commands, or show the options of one.",
    "index": "Add releases to an index of static files, which any web server serves.",
    "lint": "Find mistakes, and with --fix write what is sure to be meant.",
    "lock": "Show what was released and whether the library keeps it, or accept new bodies.",
    "ls": "List the versions of all functions with their element types.",
    "new": "Begin a library, a function (with a library around it where there is none) or a version of one.",
    "opsets": "Show which body serves which opset, and what prevents the others.",
    "propose": "Make what a proposal to the ONNX standard has to bring: schema, tests, documents, and a checklist.",
    "publish": "Write a release as a folder: wheel, source distribution, models, digests, provenance.",
    "release": "Release the library: lock what it promises, write notes and artefacts.",
    "search": "Find the libraries that have a function, installed ones and those that indexes list.",
    "show": "Show everything that is known of a function: what its YAML and its Python say, together.",
    "site": "Write a site of the library, to be looked at in a browser: functions, drawings, examples, search, guide.",
    "stubs": "Write the library's typed package, or check that it is up to date.",
    "test": "Verify every body on its vectors, on every runtime at hand.",
    "update": "Lock the libraries that this one depends on to what is found now, here or in an index.",
    "vectors": "Compare the standard's vectors with the lock; `show X` prints those of X, `export X` writes a corpus.",
    "why": "Show the path of calls by which one function comes to another.",
}


def overview() -> str:
    """What `opwright --help` prints: every command with its line."""
    lines = ["usage: opwright [-h] [--version] COMMAND ...", "", TITLE]
    width = max(map(len, (*ON_MODELS, *ON_LIBRARIES)))
    for title, commands in (("commands on a library", ON_LIBRARIES), ("commands on models", ON_MODELS)):
        lines += ["", f"{title}:", *(f"  {name.ljust(width)}  {text}" for name, text in commands.items())]
    return "\n".join([*lines, "", "`opwright help COMMAND` shows the options of one."])
