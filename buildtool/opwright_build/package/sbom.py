"""What a wheel is made of, as a software bill of materials: CycloneDX 1.6, as JSON.

The bundle by its digest, the libraries whose bodies it carries by those of theirs, and what an installer adds. No date
and no serial number: equal inputs give equal bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from urllib.parse import quote

from opwright.bundle.format import Index
from opwright.bundle.normal_name import normal_name
from opwright.version import VERSION

from opwright_build.package.core_metadata import one_line
from opwright_build.spec.model import About

_AUTHOR = re.compile(r"(?P<name>[^<]*?)\s*(?:<(?P<address>[^>]+)>)?\Z")
_KINDS = {"repository": "vcs", "source": "vcs", "documentation": "documentation", "issues": "issue-tracker"}


def bill_of_materials(index: Index, version: str, about: About, bundle_path: str, bundle_sha256: str) -> bytes:
    """The document; `version` is the wheel's, `bundle_path` the bundle's in it."""
    root = package_url(index.library, version)
    bundle = f"bundle:{bundle_sha256}"
    carried = {
        item.library: {
            "type": "library",
            "bom-ref": f"carried:{item.sha256}",
            "name": item.library,
            "version": item.version,
            "purl": package_url(item.library, item.version),
            "hashes": _hashes(item.sha256),
            "description": "Bodies of its functions are in the bundle; it need not be installed.",
        }
        for item in index.dependencies
    }
    required = [
        {"type": "library", "bom-ref": f"required:{normal_name(name)}", "name": name, "purl": package_url(name)}
        | ({"description": f"Installed beside it: {name}{specifier}"} if specifier else {})
        for name, specifier in index.requires
    ]
    file = {
        "type": "file",
        "bom-ref": bundle,
        "mime-type": "application/vnd.opwright.library",
        "name": bundle_path,
        "hashes": _hashes(bundle_sha256),
    }
    needs = {item.library: [str(carried[name]["bom-ref"]) for name in item.needs] for item in index.dependencies}
    depends = [
        {"ref": root, "dependsOn": [bundle, *(str(item["bom-ref"]) for item in required)]},
        {"ref": bundle, "dependsOn": [str(item["bom-ref"]) for item in carried.values()]},
        *({"ref": str(item["bom-ref"]), "dependsOn": needs[name]} for name, item in carried.items()),
        *({"ref": str(item["bom-ref"])} for item in required),
    ]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "lifecycles": [{"phase": "build"}],
            "tools": {
                "components": [
                    {"type": "application", "name": "opwright", "version": VERSION, "purl": package_url("opwright")},
                    {"type": "library", "name": "onnx", "version": index.onnx, "purl": package_url("onnx", index.onnx)},
                ]
            },
            "component": _described(index, version, about, root),
        },
        "components": [file, *carried.values(), *required],
        "dependencies": depends,
    }
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def package_url(name: str, version: str = "") -> str:
    """The purl of a distribution."""
    release = f"@{quote(version, safe='.')}" if version else ""
    return f"pkg:pypi/{normal_name(name)}{release}"


def _described(index: Index, version: str, about: About, ref: str) -> Mapping[str, object]:
    found: dict[str, object] = {"type": "library", "bom-ref": ref, "name": index.library, "version": version}
    found["purl"] = ref
    if index.summary:
        found["description"] = one_line(index.summary)
    if index.license:
        found["licenses"] = [{"expression": one_line(index.license)}]
    authors = [match for author in about.authors if (match := _AUTHOR.match(author)) is not None]
    if authors:
        fields = [{"name": match["name"], "email": match["address"]} for match in authors]
        found["authors"] = [{name: text for name, text in item.items() if text} for item in fields]
    if about.urls:
        found["externalReferences"] = [
            {"type": _KINDS.get(name.lower(), "website"), "url": url} for name, url in about.urls.items()
        ]
    return found


def _hashes(sha256: str) -> list[dict[str, str]]:
    return [{"alg": "SHA-256", "content": sha256}]
