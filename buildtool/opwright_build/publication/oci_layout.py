"""A release as an OCI artefact: an image layout (image-spec 1.1), which any client pushes into a registry.

Each file is a layer of its own, under its name, so that `oras pull` gives the folder again. Nothing is compressed or
dated: the digest of the manifest says what the release is, and is known before anything is pushed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from opwright_build.publication.artefacts import Artefact

ARTEFACT_TYPE = "application/vnd.opwright.release.v1"
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_INDEX = "application/vnd.oci.image.index.v1+json"
_EMPTY_TYPE = "application/vnd.oci.empty.v1+json"
_EMPTY = b"{}"


def oci_layout(
    library: str, version: str, license_: str, artefacts: Sequence[Artefact]
) -> tuple[str, dict[str, bytes]]:
    """(digest of the manifest, the files of the layout by path)."""
    described = {"title": library, "version": version, **({"licenses": license_} if license_ else {})}
    manifest = _json(
        {
            "schemaVersion": 2,
            "mediaType": _MANIFEST,
            "artifactType": ARTEFACT_TYPE,
            "config": _descriptor(_EMPTY_TYPE, _EMPTY),
            "layers": [
                _descriptor(item.media_type, item.data) | {"annotations": _annotations({"title": item.name})}
                for item in sorted(artefacts, key=lambda item: item.name)
            ],
            "annotations": _annotations(described),
        }
    )
    root = _descriptor(_MANIFEST, manifest) | {
        "artifactType": ARTEFACT_TYPE,
        "annotations": _annotations({"ref.name": version.replace("+", "_")}),
    }
    index = _json({"schemaVersion": 2, "mediaType": _INDEX, "manifests": [root]})
    files = {"oci-layout": _json({"imageLayoutVersion": "1.0.0"}), "index.json": index}
    files |= {_blob(data): data for data in _blobs(manifest, artefacts)}
    return f"sha256:{sha256(manifest).hexdigest()}", files


def _blobs(manifest: bytes, artefacts: Iterable[Artefact]) -> list[bytes]:
    return [_EMPTY, manifest, *(item.data for item in artefacts)]


def _blob(data: bytes) -> str:
    return f"blobs/sha256/{sha256(data).hexdigest()}"


def _descriptor(media_type: str, data: bytes) -> dict[str, object]:
    return {"mediaType": media_type, "digest": f"sha256:{sha256(data).hexdigest()}", "size": len(data)}


def _annotations(values: Mapping[str, str]) -> dict[str, str]:
    return {f"org.opencontainers.image.{name}": text for name, text in sorted(values.items())}


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
