"""What a release was made of and by what: an in-toto statement with the predicate of SLSA provenance, version 1.

It names no time, host or folder: a release that is made again from the same commit has the same statement.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from opwright.version import VERSION

from opwright_build.package.sbom import package_url
from opwright_build.publication.artefacts import Artefact

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://slsa.dev/provenance/v1"
BUILD_TYPE = "urn:opwright:publish:1"
BUILDER = "urn:opwright:builder:local"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a release comes from: its sources by path, the commit that holds those very bytes (empty where none does),
    the address of the repository, bundles of other libraries (name, release and sha256), and the distributions that
    decide what is built, by name with their releases."""

    sources: Mapping[str, bytes]
    commit: str
    repository: str
    libraries: Sequence[tuple[str, str, str]]
    tools: Mapping[str, str]


def provenance(library: str, version: str, origin: Origin, artefacts: Sequence[Artefact]) -> bytes:
    """The statement about these artefacts."""
    parameters = {"command": "opwright publish", "library": library, "version": version}
    resolved: list[dict[str, object]] = []
    if origin.commit:
        uri = {"uri": f"git+{origin.repository}@{origin.commit}"} if origin.repository else {}
        resolved.append({"name": "repository", **uri, "digest": {"gitCommit": origin.commit}})
    resolved.append({"name": "sources", "digest": {"sha256": sources_sha256(origin.sources)}})
    resolved += [
        {"name": name, "uri": package_url(name, release), "digest": {"sha256": digest}}
        for name, release, digest in origin.libraries
    ]
    resolved += [
        {"name": name, "uri": package_url(name, release), "annotations": {"version": release}}
        for name, release in sorted(origin.tools.items())
    ]
    statement = {
        "_type": STATEMENT,
        "subject": [
            {"name": item.name, "digest": {"sha256": item.sha256}}
            for item in sorted(artefacts, key=lambda item: item.name)
        ],
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": parameters,
                "internalParameters": {},
                "resolvedDependencies": resolved,
            },
            "runDetails": {"builder": {"id": BUILDER, "version": {"opwright": VERSION}}},
        },
    }
    return (json.dumps(statement, indent=1, sort_keys=True) + "\n").encode()


def sources_sha256(sources: Mapping[str, bytes]) -> str:
    """The digest of a set of files: that of the output of `sha256sum`, sorted by path."""
    lines = (f"{sha256(data).hexdigest()}  {path}\n" for path, data in sorted(sources.items()))
    return sha256("".join(lines).encode()).hexdigest()
