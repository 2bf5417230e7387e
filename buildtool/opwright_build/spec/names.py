"""The forms that names and numbers take in YAML: annotated types for the models."""

from __future__ import annotations

import unicodedata
from typing import Annotated

from opwright.elements import BY_NAME
from opwright.suggest import did_you_mean, sure_name
from pydantic import AfterValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError
from typing_extensions import TypeAliasType

from opwright_build.spec.licenses import LICENSE_HELP, spdx_expression
from opwright_build.spec.name_patterns import (
    AUTHOR,
    DISTRIBUTION,
    DOMAIN,
    IDENTIFIER,
    LICENSE,
    LINK,
    LINK_NAME,
    OPERATOR,
    PACKAGE,
    RELEASE,
    TEXT_FILE,
)

SCHEMA = 1  # the version of the YAML forms that this tool reads and writes

# What other libraries call the element types; by spelling alone `float64` is nearest to `float16`.
OTHER_NAMES = {
    "float32": "float",
    "fp32": "float",
    "f32": "float",
    "single": "float",
    "float64": "double",
    "fp64": "double",
    "f64": "double",
    "half": "float16",
    "fp16": "float16",
    "f16": "float16",
    "bf16": "bfloat16",
    "bfloat": "bfloat16",
    "int": "int64",
    "long": "int64",
    "i64": "int64",
    "i32": "int32",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "uint": "uint64",
    "bool_": "bool",
    "boolean": "bool",
    "str": "string",
    "text": "string",
    "object": "string",
    "cfloat": "complex64",
    "cdouble": "complex128",
}


def check_element(name: str) -> str:
    """The name itself when ONNX has an element type of it."""
    if name not in BY_NAME:
        known = OTHER_NAMES.get(name.lower().removeprefix("np.").removeprefix("torch."), "")
        way_out = f"Did you mean `{known}`?" if known else did_you_mean(name, BY_NAME)
        message = "`{name}` is no element type of ONNX"
        meant = known or sure_name(name, BY_NAME)
        raise PydanticCustomError("OW122", message, {"name": name[:80], "help": way_out, "meant": meant})
    return name


def is_shown(char: str) -> bool:
    """Whether readers see a character as what it is; line breaks and tabs they do."""
    return char in "\n\t" or not (unicodedata.category(char) in _UNSEEN or char in _TURNING)


def check_text(text: str) -> str:
    """The text itself when it has no control characters but line breaks and tabs, none that turn the direction of what
    follows, and no halves of characters: it lands in METADATA, sources and documents."""
    for char in text:
        if not is_shown(char):
            message = "the text has the character U+{code}, which is not shown and may hide what is there"
            context = {"code": f"{ord(char):04X}", "help": "Take it out; line breaks and tabs are fine."}
            raise PydanticCustomError("OW109", message, context)
    return text


def check_license(text: str) -> str:
    """The SPDX expression as SPDX spells it."""
    expression = spdx_expression(text)
    if expression is None:
        context = {"text": text[:80], "help": LICENSE_HELP}
        raise PydanticCustomError("OW109", "`{text}` is no SPDX expression", context)
    return expression


_UNSEEN = ("Cc", "Cs", "Zl", "Zp")
_TURNING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

ElementName = TypeAliasType(
    "ElementName", Annotated[str, AfterValidator(check_element), WithJsonSchema({"enum": list(BY_NAME)})]
)
SchemaNumber = Annotated[int, Field(ge=1, le=SCHEMA), WithJsonSchema({"const": SCHEMA})]
Identifier = Annotated[str, Field(pattern=IDENTIFIER, max_length=200)]
DistributionName = Annotated[str, Field(pattern=DISTRIBUTION, max_length=100)]
PackageName = Annotated[str, Field(pattern=PACKAGE, max_length=100)]
Release = Annotated[str, Field(pattern=RELEASE, max_length=100)]
License = Annotated[str, Field(pattern=LICENSE, max_length=300), AfterValidator(check_license)]
DomainName = Annotated[str, Field(pattern=DOMAIN, max_length=200)]
Author = Annotated[str, Field(pattern=AUTHOR, max_length=200), AfterValidator(check_text)]
LinkName = Annotated[str, Field(pattern=LINK_NAME, max_length=32)]
Link = Annotated[str, Field(pattern=LINK, max_length=500)]
OperatorName = Annotated[str, Field(pattern=OPERATOR, max_length=200)]
OperatorSchema = Annotated[str, Field(min_length=1, max_length=4000), AfterValidator(check_text)]
TextFile = Annotated[str, Field(pattern=TEXT_FILE, max_length=200)]
VersionNumber = Annotated[int, Field(ge=1, le=1_000_000)]
Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]
Text = Annotated[str, AfterValidator(check_text)]
Words = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(check_text)]
