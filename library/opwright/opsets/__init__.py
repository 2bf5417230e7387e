"""The opsets of ONNX: `opset1` to the newest of ai.onnx, `latest`, and those of its further domains.

Each is an `Opset`, made when it is first asked for. `opset_ai_onnx_ml5` is ai.onnx.ml at version 5.
"""

from opwright.opsets.opset import Opset
from opwright.version import OPSETS

DOMAINS = {
    "opset": "",
    "opset_ai_onnx_ml": "ai.onnx.ml",
    "opset_ai_onnx_preview": "ai.onnx.preview",
    "opset_ai_onnx_preview_training": "ai.onnx.preview.training",
}


def find_opset(name: str) -> Opset | None:
    """The opset that a name such as `opset18`, `opset_ai_onnx_ml5` or `latest` stands for; None for any other name.

    An opset that the installed onnx does not know has no name.
    """
    if name == "latest":
        from opwright.opsets.signatures import newest_opset

        name = f"opset{newest_opset()}"
    prefix, version = split_name(name) or ("", 0)
    if prefix not in DOMAINS:
        return None
    found = _MADE.get(name)
    if found is None:
        if version > OPSETS[prefix]:
            from opwright.opsets.signatures import newest_opset

            if version > newest_opset(DOMAINS[prefix]):
                return None
        found = _MADE[name] = Opset(DOMAINS[prefix], version)
    return found


def split_name(name: str) -> "tuple[str, int] | None":
    """`opset18` as `opset` and 18; None for a name that does not end in the version of an opset."""
    prefix = name.rstrip("0123456789")
    number = name[len(prefix) :]
    return (prefix, int(number)) if number and number[0] != "0" and len(number) < 6 else None


_MADE: dict[str, Opset] = {}


def __getattr__(name: str) -> Opset:
    found = find_opset(name)
    if found is None:
        prefix, version = split_name(name) or ("", 0)
        hint = ""
        if version and prefix in DOMAINS:
            from opwright.opsets.signatures import newest_opset

            domain = DOMAINS[prefix]
            hint = f": the installed onnx knows the opsets of {domain or 'ai.onnx'} to {newest_opset(domain)}"
        raise AttributeError(f"module 'opwright.opsets' has no attribute {name!r}{hint}", name=name, obj=None)
    return found
