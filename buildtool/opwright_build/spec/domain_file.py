"""specs/<domain>/domain.yaml: the domain's version and its mirror."""

from __future__ import annotations

import keyword

from opwright.diagnostics.diagnostic import Diagnostic, Place, Related

from opwright_build.spec.boundary import check
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.forms import DomainModel
from opwright_build.spec.model import Domain
from opwright_build.spec.name_patterns import DOMAIN, IDENTIFIER, matches
from opwright_build.spec.yaml_nodes import MappingNode, key_places
from opwright_build.spec.yaml_source import MAX_BYTES, read_yaml

# `this` and the empty name mean other things to the standard, and a body's calls stand in `body1` until it is linked.
RESERVED = frozenset({"", "this", "body1"})
STANDARD = "ai.onnx"
MOST_NAME = 200  # characters of a name: files are called so, with endings, and systems have 255 for these
RELEASED = "released"  # the folder of a domain that holds no function but what was released


def refuse_domain(name: str) -> str:
    """Why a library may not define functions in that domain; empty when it may."""
    if name in RESERVED:
        return f"the domain `{name}` is reserved"
    if not matches(DOMAIN, name):
        return f"`{name[:80]}` is not a domain's name (such as com.acme)"
    if len(name) > MOST_NAME:
        return f"`{name[:40]}...` has {len(name)} characters; {MOST_NAME} are the most"
    if name.split(".")[-1] == "internal":
        return "domains that end in `.internal` hold the helpers of other functions"
    return ""


def refuse_operator(name: str) -> str:
    """Why an operator cannot have that name: it must be the name of a Python function. Empty when it can."""
    if not matches(IDENTIFIER, name):
        return f"`{name[:80]}` is not a name of letters, digits and underscores that begins with no digit"
    if len(name) > MOST_NAME:
        return f"`{name[:40]}...` has {len(name)} characters; {MOST_NAME} are the most"
    if keyword.iskeyword(name):
        return f"`{name}` is a word of Python's own"
    return ""


def in_standard(name: str) -> bool:
    """Whether a domain is the standard's own or lies inside it."""
    return name == STANDARD or name.startswith(f"{STANDARD}.")


def read_domain(files: LibraryFiles, name: str) -> tuple[Domain | None, list[Diagnostic]]:
    """The domain of that folder of specs/, or None with what is wrong."""
    folder = f"specs/{name}"
    file = f"{folder}/domain.yaml"
    refusal = refuse_domain(name)
    if refusal:
        return None, [Diagnostic("OW113", refusal, Place(folder), help="Use a domain of your own, such as com.acme.")]
    if files.leaves(folder):
        return None, [Diagnostic("OW127", f"{folder} is a link that leads out of the library", Place(folder))]
    data = files.read(folder, "domain.yaml", MAX_BYTES)
    if isinstance(data, Diagnostic):
        return None, [data]
    source = read_yaml(data, file)
    found = list(source.diagnostics)
    if source.root is None:
        return None, found
    checked = check(DomainModel, source.root)
    found.extend(checked.diagnostics)
    if checked.value is None or not isinstance(source.root, MappingNode):
        return None, found
    model, root = checked.value, source.root
    if "domain" in model.model_fields_set and model.domain != name:
        message = f"the domain `{model.domain}` stands in the folder of `{name}`"
        found.append(Diagnostic("OW112", message, root.entries["domain"].value.place))
    found.extend(_mirror(name, model, root))
    if found:
        return None, found
    return Domain(name, model.version, model.mirror or None, model.summary, key_places(root)), []


def _mirror(name: str, model: DomainModel, root: MappingNode) -> list[Diagnostic]:
    if "mirror" not in model.model_fields_set:
        if not in_standard(name):
            return []
        message = f"functions of `{name}` need a `mirror:`, since runtimes ignore functions named like their operators"
        way_out = f"Write `mirror: opwright.{name}`, or a domain of your own."
        return [Diagnostic("OW114", message, root.place, help=way_out)]
    place = root.entries["mirror"].value.place
    if not in_standard(name):
        return [Diagnostic("OW114", f"only domains of the standard have a mirror, not `{name}`", place)]
    if in_standard(model.mirror):
        return [Diagnostic("OW114", f"the mirror `{model.mirror}` lies inside {STANDARD}", place)]
    refusal = refuse_domain(model.mirror)
    return [Diagnostic("OW114", f"the mirror is refused: {refusal}", place)] if refusal else []


def refuse_collisions(domains: list[Domain]) -> list[Diagnostic]:
    """Two domains that would be emitted under one name."""
    found: list[Diagnostic] = []
    taken: dict[str, Domain] = {}
    for domain in domains:
        other = taken.setdefault(domain.emitted, domain)
        if other is not domain:
            mirrored, plain = (domain, other) if domain.mirror else (other, domain)
            message = f"the functions of `{domain.name}` and `{other.name}` would both be emitted in `{domain.emitted}`"
            related = Related(plain.places.get("mirror", plain.places["version"]), f"the domain `{plain.name}`")
            found.append(Diagnostic("OW114", message, mirrored.places["mirror"], related=(related,)))
    return found
