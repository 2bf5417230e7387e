"""TreeEnsemble, which came with version 5 of ai.onnx.ml, as the TreeEnsembleRegressor of before: its leaves are nodes
too, each node says of which tree it is, and no node asks whether a value is in a set."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from opwright.opsets.version_rules import Form, ModelForm, Value

_AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")
_TRANSFORMS = {0: "NONE", 3: "SOFTMAX_ZERO", 4: "PROBIT"}
_SWAPPED = 1, 2  # SOFTMAX and LOGISTIC by the standard, and the other way round in onnxruntime
_MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
_MEMBER, _EQUAL = 6, 4
_LISTS = ("truenodeids", "trueleafs", "falsenodeids", "falseleafs", "featureids")

_Child = tuple[bool, int]  # whether it is a leaf, and its place among these or among the nodes


def trees_of_nodes(regressor: str, form: Form, model: ModelForm) -> str:
    """Makes it that operator. Membership of a set is a chain of nodes that compare with one member each and lead to the
    same node."""
    element = form.element(0)
    if element != "float":
        return f"its input is {element or 'of a type that is not known'}, and results were float before"
    aggregate, transform = form.value("aggregate_function", 1), form.value("post_transform", 0)
    trees = _read(form, model)
    if isinstance(trees, str):
        return trees
    if not isinstance(aggregate, int) or not 0 <= aggregate < len(_AGGREGATES):
        return f"its aggregate_function is {aggregate}"
    if transform in _SWAPPED:
        return f"its post_transform is {transform}, which is one function by the standard and another in onnxruntime"
    if not isinstance(transform, int) or transform not in _TRANSFORMS:
        return f"its post_transform is {transform}"
    table = _Table()
    seen: set[int] = set()
    for tree, root in enumerate(trees.roots):
        if not trees.write(tree, root, table, seen):
            return "two of its trees share a node"
    for name in form.given():
        if name != "n_targets":
            form.drop(name)
    model.rename(regressor)
    form.set_attribute("aggregate_function", _AGGREGATES[aggregate])
    form.set_attribute("post_transform", _TRANSFORMS[transform])
    for name, values in table.attributes():
        form.set_attribute(name, values)
    return ""


@dataclass(slots=True)
class _Table:
    """The nodes and leaves of all trees, as attributes have them."""

    nodes: list[tuple[int, int, str, int, float, int, int, int]] = field(default_factory=list)
    targets: list[tuple[int, int, int, float]] = field(default_factory=list)

    def attributes(self) -> Iterator[tuple[str, Value]]:
        trees, ids, modes, features, values, yes, no, tracks = zip(*self.nodes, strict=True)
        yield from (("nodes_treeids", trees), ("nodes_nodeids", ids), ("nodes_modes", modes))
        yield from (("nodes_featureids", features), ("nodes_values", values))
        yield from (("nodes_truenodeids", yes), ("nodes_falsenodeids", no))
        yield "nodes_missing_value_tracks_true", tracks
        names = ("target_treeids", "target_nodeids", "target_ids", "target_weights")
        yield from zip(names, zip(*self.targets, strict=True), strict=True)


@dataclass(frozen=True, slots=True)
class _Trees:
    """What the attributes of a TreeEnsemble say."""

    roots: tuple[int, ...]
    modes: tuple[int, ...]
    splits: tuple[float, ...]
    features: tuple[int, ...]
    yes: tuple[_Child, ...]
    no: tuple[_Child, ...]
    tracks: tuple[int, ...]
    sets: dict[int, tuple[float, ...]]  # by node
    leaves: tuple[tuple[int, float], ...]

    def write(self, tree: int, root: int, table: _Table, seen: set[int]) -> bool:
        """Adds a tree, its root first; whether it shares no node with those seen before."""
        numbers: dict[_Child, int] = {(False, root): 0}
        waiting, count = [root], 1

        def number(child: _Child) -> int:
            nonlocal count
            if child not in numbers:
                numbers[child], count = count, count + 1
                if not child[0]:
                    waiting.append(child[1])
            return numbers[child]

        while waiting:
            place = waiting.pop()
            if place in seen:
                return False
            seen.add(place)
            own, feature, tracks = numbers[False, place], self.features[place], self.tracks[place]
            yes, no = number(self.yes[place]), number(self.no[place])
            if self.modes[place] != _MEMBER:
                mode = _MODES[self.modes[place]]
                table.nodes.append((tree, own, mode, feature, self.splits[place], yes, no, tracks))
                continue
            members = self.sets[place] or (math.nan,)  # which nothing equals
            for index, member in enumerate(members):
                last = index == len(members) - 1
                following = no if last else count
                table.nodes.append((tree, own, _MODES[_EQUAL], feature, member, yes, following, tracks))
                if not last:
                    own, count = count, count + 1
        for (is_leaf, place), own in numbers.items():
            if is_leaf:
                target, weight = self.leaves[place]
                table.nodes.append((tree, own, "LEAF", 0, 0.0, 0, 0, 0))
                table.targets.append((tree, own, target, weight))
        return True


def _read(form: Form, model: ModelForm) -> _Trees | str:
    """What the attributes say; why they cannot be read, or do not fit together."""
    modes, splits = model.numbers("nodes_modes", "uint8"), model.numbers("nodes_splits", "float")
    weights = model.numbers("leaf_weights", "float")
    given = "membership_values" in form.given()
    members = model.numbers("membership_values", "float") if given else ()
    roots, targets = _integers(form, "tree_roots"), _integers(form, "leaf_targetids")
    lists = [_integers(form, f"nodes_{name}") for name in _LISTS]
    tracks = _integers(form, "nodes_missing_value_tracks_true", (0,) * len(modes or ()))
    if modes is None or splits is None or weights is None or members is None:
        return "its modes, splits, weights or members are not known"
    if roots is None or targets is None or tracks is None:
        return "its trees are not known"
    yes, yes_leaf, no, no_leaf, features = ([*(item or ())] for item in lists)
    if {len(item) for item in (splits, tracks, yes, yes_leaf, no, no_leaf, features)} != {len(modes)}:
        return "its lists of nodes are of several lengths"
    if len(weights) != len(targets) or not roots:
        return "its lists of leaves are of several lengths, or it has no trees"
    asked = [place for place, mode in enumerate(modes) if mode == _MEMBER]
    sets = _sets(members)
    if len(sets) < len(asked) or any(not 0 <= mode <= _MEMBER for mode in modes):
        return "a mode of its nodes is not known, or has no set"
    ways = _children(yes_leaf, yes), _children(no_leaf, no)
    children = [*ways[0], *ways[1], *((False, root) for root in roots)]
    if any(not 0 <= place < (len(weights) if is_leaf else len(modes)) for is_leaf, place in children):
        return "it has a node whose branch is not there"
    leaves = tuple(zip(targets, weights, strict=True))
    codes = tuple(int(mode) for mode in modes)
    return _Trees(roots, codes, splits, tuple(features), *ways, tracks, dict(zip(asked, sets, strict=False)), leaves)


def _children(are_leaves: Sequence[int], places: Sequence[int]) -> tuple[_Child, ...]:
    return tuple((flag != 0, place) for flag, place in zip(are_leaves, places, strict=True))


def _integers(form: Form, name: str, default: tuple[int, ...] | None = None) -> tuple[int, ...] | None:
    value = form.value(name, default)
    return tuple(item for item in value if isinstance(item, int)) if isinstance(value, tuple) else None


def _sets(members: Sequence[float]) -> list[tuple[float, ...]]:
    """The values between the nans, of which the last one may be left out."""
    found: list[tuple[float, ...]] = []
    start = 0
    for place, member in enumerate(members):
        if math.isnan(member):
            found.append(tuple(members[start:place]))
            start = place + 1
    return [*found, tuple(members[start:])] if start < len(members) else found
