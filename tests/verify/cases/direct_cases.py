"""What the standard's tests of a single operator hold, told by means other than those of the code under test."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from onnx.backend.test.case.test_case import TestCase

Loaded = dict[str, list[str]]  # by case: operator, digest


def digests(tests: Sequence[TestCase]) -> Loaded:
    """The cases of one node, those aside that expand a function."""
    found: Loaded = {}
    for test in tests:
        node = test.model.graph.node[0]
        if "_expanded" in test.name or len(test.model.graph.node) != 1:
            continue
        hasher = hashlib.sha256(node.SerializeToString(deterministic=True))
        for values in test.data_sets[0]:
            for value in values:
                if isinstance(value, np.ndarray | np.generic) and value.dtype.kind not in "OUS":
                    hasher.update(f"{value.dtype.name}{value.shape}".encode() + np.ascontiguousarray(value).tobytes())
                else:
                    hasher.update(b"other")
        found[test.name] = [node.op_type, hasher.hexdigest()]
    return found
