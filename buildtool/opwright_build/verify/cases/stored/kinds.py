"""Which reader is for which kind of stored vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.model import VectorKind, VectorSource
from opwright_build.verify.cases.stored.backend_folder import read_backend
from opwright_build.verify.cases.stored.numpy_archive import read_archive
from opwright_build.verify.cases.stored.stored_rows import StoredFile

Reader = Callable[[LibraryFiles, str, VectorSource], StoredFile]

READERS: Mapping[VectorKind, Reader] = {VectorKind.ARRAYS: read_archive, VectorKind.BACKEND: read_backend}
