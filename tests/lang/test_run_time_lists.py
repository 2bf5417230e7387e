"""Lists whose length only the run tells: comprehensions, `zip` and `reversed`, and all that changes a list.

Each function runs as Python, with Python's lists, and as a model on onnxruntime, optimised and not, and on the
reference evaluator.
"""

from __future__ import annotations

import linecache
import math
import textwrap
from typing import Any

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator
from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions
from opwright import FLOAT, INT32, INT64, DiagnosticError, OnnxFunction, Sequence, script
from opwright import opset21 as op
from opwright.eager import whole_functions

N = "N"


@script()
def of_a_range(x: FLOAT[N], n: INT64):
    return op.ConcatFromSequence([x * i for i in range(n)], axis=0)


@script()
def with_conditions(x: FLOAT[N], n: INT64):
    return op.ConcatFromSequence([x * i + j for i in range(n) if i % 2 == 0 for j in range(i + 1)], axis=0)


@script()
def of_rows(x: FLOAT[N], n: INT64):
    ys = [op.Unsqueeze(v, [0]) * 2 for v in x if v > 1.5]
    return op.ConcatFromSequence(ys, axis=0), len(ys)


@script()
def chosen_at_run_time(x: FLOAT[N], n: INT64):
    return op.ConcatFromSequence([a for a in (x, x - 1, x + 1) if op.ReduceSum(a, keepdims=0) > 2.0], axis=0)


@script()
def nested(x: FLOAT[N], n: INT64):
    rows = [op.ConcatFromSequence([x * i * j for i in range(n)], axis=0) for j in range(n)]
    return op.ConcatFromSequence(rows, axis=0, new_axis=1)


@script()
def same_name(x: FLOAT[N], n: INT64):
    x = x + 1
    return op.ConcatFromSequence([x + v for v in x], axis=0), x


@script()
def enumerated(x: FLOAT[N], n: INT64):
    return op.ConcatFromSequence([x * i + v for i, v in enumerate(x)], axis=0)


@script()
def zipped(x: FLOAT[N], n: INT64):
    return op.ConcatFromSequence([x * a + b for a, b in zip(x, x + 1, strict=False)], axis=0)


@script()
def lazily(x: FLOAT[N], n: INT64):
    t = x[0]
    for a, b in zip(range(n), x, strict=False):
        t = t * 0.5 + b * a
    for a, b in zip((1.0, 2.0, 3.0), reversed(x), strict=False):
        t = t * 0.5 + b * a
    for i in reversed(range(n)):
        t = t * 0.5 + i
    for i in reversed(range(1, n * 2, 3)):
        t = t * 0.5 + i
    for v in reversed(x):
        t = t * 0.5 + v
    for i, v in enumerate(reversed([x * i for i in range(n)])):
        t = t * 0.5 + v[0] * i
    for i, (a, b) in enumerate(zip(x, x + 1, strict=False)):
        t = t * 0.5 + a * b * i
    for a, (i, b) in zip(x, enumerate(x, 2), strict=False):
        t = t * 0.5 + a * b * i
    return t


@script()
def of_sizes(x: FLOAT[N], n: INT64):
    k = [i * 2 for i in range(4)]
    return op.ConcatFromSequence([x[i : i + 1] for i in range(len(x))], axis=0) * k[2]


@script()
def of_a_slice(x: FLOAT[N], n: INT64):
    ys = [x * i for i in range(n)]
    zs = [op.ReduceSum(y) for y in ys[::-1]]
    ys.append(x)
    return op.ConcatFromSequence([*zs, x], axis=0), len(ys)


@script()
def in_a_loop(x: FLOAT[N], n: INT64):
    r = x * 0.0
    for k in range(n):
        for v in [x * i for i in range(k)]:
            r = r + v
    return r


@script()
def in_a_helper(x: FLOAT[N], n: INT64):
    def f(v):
        return [v * i for i in range(n) if i != 1]

    return op.ConcatFromSequence(f(x), axis=0) if n > 2 else op.ConcatFromSequence(f(x + 1), axis=0)


@script()
def of_an_attribute(x: FLOAT[N], k: int = 3):
    return op.ConcatFromSequence([x * i for i in range(k)], axis=0)


@script()
def name_taken(x: FLOAT[N], n: INT64):
    listed = x
    return op.ConcatFromSequence([listed * i for i in range(n)], axis=0)


@script()
def with_a_lambda(x: FLOAT[N], n: INT64):
    return op.ConcatFromSequence([(lambda a: a * i + listed)(x) for i in range(n) for listed in (1.0, 2.0)], axis=0)


@script()
def returned(x: FLOAT[N], n: INT64):
    return [x * i for i in range(n)]


@script()
def static(x: FLOAT[N], n: INT64):
    return op.Concat(*[x * i for i in range(3)], axis=0)


@script()
def plus(x: FLOAT[N], n: INT64):
    xs = [x * i for i in range(n)]
    ys = [x + i for i in range(n + 1)]
    zs = xs + ys + xs
    return op.ConcatFromSequence(zs, axis=0), len(xs), len(ys)


@script()
def extend(x: FLOAT[N], n: INT64):
    xs = [x]
    for i in range(n):
        xs.extend([x * j for j in range(i)])
    xs += [x]
    xs += [x + k for k in range(n)]
    return op.ConcatFromSequence(xs, axis=0)


@script()
def front(x: FLOAT[N], n: INT64):
    xs = [x]
    for i in range(n):
        xs = [x * i, *xs]
    ys = [*xs]
    ys.append(x)
    return op.ConcatFromSequence(xs, axis=0), len(ys)


@script()
def mixed(x: FLOAT[N], n: INT64):
    return [x] + [op.Unsqueeze(x, [0]) for i in range(n)]


@script()
def taken_out_and_put_back(x: FLOAT[N], n: INT64):
    """An item that is made of one before has its rank, though the list enters empty."""
    sizes = []
    total = INT64(0)
    for v in x:
        if len(sizes) > 0:
            last = sizes.pop()
            total = total + last
        sizes.append(total + op.Cast(v, to=INT64))
    return op.Expand(x[:1], [sizes[-1]])


@script()
def rows_taken_out_and_put_back(x: FLOAT[N], n: INT64):
    rows = []
    for i in range(n):
        if rows:
            last = rows.pop()
            rows.append(last + x * i)
        else:
            rows.append(x)
    return op.ConcatFromSequence(rows, axis=0, new_axis=1)[-1] * 2


@script()
def of_growing_ranks(x: FLOAT[N], n: INT64):
    parts = []
    for _ in range(n):
        if parts:
            part = parts.pop()
            parts.append(op.Unsqueeze(part, [0]) * 2)
        else:
            parts.append(x)
    return op.Flatten(parts[-1], axis=0)


@script()
def pop(x: FLOAT[N], n: INT64):
    xs = [x * i for i in range(n + 2)]
    y = xs.pop()
    z = xs.pop(0)
    return y, z, len(xs)


@script()
def assign(x: FLOAT[N], n: INT64):
    xs = [x * i for i in range(n + 3)]
    xs[1] = x - 1
    xs[-1] = x - 2
    xs[n] = x + 7
    xs[n - 2] = x + 9
    return op.ConcatFromSequence(xs, axis=0), len(xs)


@script()
def dele(x: FLOAT[N], n: INT64):
    xs = [x * i for i in range(n + 4)]
    del xs[1]
    del xs[-1]
    del xs[n]
    return op.ConcatFromSequence(xs, axis=0), len(xs)


@script()
def insert(x: FLOAT[N], n: INT64):
    xs = [x]
    for i in range(n):
        xs.insert(i // 2, x * i)
        xs.insert(0, x + i)
        xs.insert(-1, x - i)
        xs.insert(100, x - i)
        xs.insert(-100, x - i)
        xs.insert(i - 2, x * 2 - i)
    return op.ConcatFromSequence(xs, axis=0), len(xs)


@script()
def stack(x: FLOAT[N], n: INT64):
    st = [x]
    acc = x * 0
    k = 0
    while st and k < 20:
        y = st.pop()
        acc = acc * 0.5 + y
        k += 1
        if k < n:
            st.append(y + 1)
            st.append(y * 2)
    return acc, k


@script()
def rever(x: FLOAT[N], n: INT64):
    xs = [x * i for i in range(n)]
    xs.reverse()
    xs.append(x)
    ys = [x, x + 1]
    ys.reverse()
    ys.insert(1, x * 5)
    a = ys.pop()
    del ys[0]
    ys[0] = ys[0] + 1
    ys[n - n] = ys[0] + 1
    return op.ConcatFromSequence(xs, axis=0), a, ys[0]


@script()
def clear(x: FLOAT[N], n: INT64):
    xs = [x]
    total = x * 0
    for i in range(n):
        xs.append(x * i)
        if len(xs) > 2:
            for v in xs:
                total = total + v
            xs.clear()
    return total, len(xs)


@script()
def fifo(x: FLOAT[N], n: INT64):
    q = []
    out = x
    for i in range(n):
        q.append(x * i)
        if len(q) > 2:
            h = q.pop(0)
            out = out + h * i
    return out, len(q)


@script()
def sortswap(x: FLOAT[N], n: INT64):
    xs = list(x)
    for _i in range(len(xs)):
        for j in range(len(xs) - 1):
            if xs[j] < xs[j + 1]:
                t = xs[j]
                xs[j] = xs[j + 1]
                xs[j + 1] = t
    return op.ConcatFromSequence(xs, axis=0, new_axis=1)


@script()
def swap2(x: FLOAT[N], n: INT64):
    xs = list(x)
    xs[0], xs[1] = xs[1], xs[0]
    return op.ConcatFromSequence(xs, axis=0, new_axis=1)


@script()
def other_places(x: FLOAT[N], n: INT64):
    xs = [x, x + 1, x + 2]
    xs[op.Cast(n % 3, to=INT32)] = x - 7
    del xs[op.Cast(n % 3 - 3, to=INT32)]
    ys = []
    ys.insert(n, x)
    ys.extend(x * i for i in range(3))
    ys.extend(reversed([x, x + 1]))
    last: FLOAT[...] = ys.pop()
    return op.ConcatFromSequence(xs + ys, axis=0), last * math.prod(i for i in range(1, 4))


@script()
def lists_beside_lists(x: FLOAT[N], n: INT64):
    t = x
    for i, v in enumerate(range(n), 1):
        t = t * 0.5 + v * i
    for i, (v, w) in enumerate(zip(x, x, strict=False), start=2):
        t = t * 0.5 + v * w * i
    for i, v in enumerate(reversed(x), -2):
        t = t * 0.5 + v * i
    for a, (b, c) in zip(x, ((1, 2.0), (3, 4.0), (5, 6.0)), strict=False):
        t = t * 0.5 + a * b + c
    for a, (i, b) in zip(x, enumerate((1.0, 2.0)), strict=False):
        t = t * 0.5 + a * b + i
    for a, (p, q) in zip(x, [(x, 2.0), (x + 1, 4.0)], strict=False):
        t = t * 0.5 + a * p + q
    return t


FUNCTIONS = [item for item in globals().values() if isinstance(item, OnnxFunction)]
X = np.float32([1, 2, 4])
JOINED = {"of_a_range", "with_conditions", "nested", "in_a_helper", "name_taken", "with_a_lambda"}
FAILS_ON_NONE = JOINED | {"rows_taken_out_and_put_back", "of_growing_ranks"}


def flat(values: Any) -> list[Any]:
    return [part for value in values for part in (value if isinstance(value, list) else [value])]


def sessions_of(function: OnnxFunction) -> list[Any]:
    model = function.to_model_proto()
    found: list[Any] = [ReferenceEvaluator(model)]
    for level in (GraphOptimizationLevel.ORT_DISABLE_ALL, GraphOptimizationLevel.ORT_ENABLE_ALL):
        options = SessionOptions()
        options.graph_optimization_level = level
        options.log_severity_level = 4
        found.append(InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]))
    return found


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_models_give_what_python_gives(function: OnnxFunction) -> None:
    sessions = sessions_of(function)
    names = sessions[0].input_names
    for count in (3, 0, 1, 5):
        given = {"x": X} if function is of_an_attribute else {"x": X, "n": np.array(count)}
        if count == 0 and function.name in FAILS_ON_NONE:  # joins no items, or takes the last of none
            continue
        with whole_functions(False):
            wanted = function(*given.values())
        wanted = flat(wanted if isinstance(wanted, tuple) else (wanted,))
        for session in sessions:
            found = flat(session.run(None, {name: given[name] for name in names}))
            assert [np.asarray(item).dtype for item in found] == [np.asarray(item).dtype for item in wanted]
            assert [np.asarray(item).tolist() for item in found] == [np.asarray(item).tolist() for item in wanted]


OUT_OF_RANGE = {
    "item": "xs = [x * i for i in range(n)]\nxs[5] = x\nreturn len(xs)",
    "item from the end": "xs = [x * i for i in range(n)]\nxs[-4] = x\nreturn len(xs)",
    "item at a place of the run time": "xs = [x, x]\nxs[n] = x\nreturn op.Concat(xs[0], xs[1], axis=0)",
    "deleted": "xs = [x * i for i in range(n)]\ndel xs[3]\nreturn len(xs)",
    "popped": "xs = [x * i for i in range(n - 3)]\nxs.pop()\nreturn len(xs)",
    "popped from the end": "xs = [x * i for i in range(n)]\nxs.pop(-n - 1)\nreturn len(xs)",
}


@pytest.mark.parametrize("body", OUT_OF_RANGE.values(), ids=OUT_OF_RANGE.keys())
def test_places_that_a_list_has_not_end_the_run(body: str) -> None:
    function = compiled(body)
    given = {"x": X, "n": np.array(3)}
    with whole_functions(False), pytest.raises((IndexError, DiagnosticError)):
        function(*given.values())
    for session in sessions_of(function)[1:]:
        with pytest.raises(Exception, match=r"(?i)index|position"):
            session.run(None, given)


REFUSED = {
    "the caller's list": ("xs.pop()\nreturn x", "OW344"),
    "two names": ("ys = [x * i for i in range(n)]\nzs = ys\nzs.pop()\nreturn ys", "OW344"),
    "what a loop runs over": ("ys = [x, x]\nfor y in ys:\n    ys.pop()\nreturn x", "OW344"),
    "no tensor at a place of the run time": ("ys = [x, 1]\nys[n] = x\nreturn x", "OW345"),
    "a part": ("ys = [x, x]\nys[:1] = [x]\nreturn x", "OW345"),
    "a part deleted": ("ys = [x, x]\ndel ys[:1]\nreturn x", "OW345"),
    "too many arguments": ("ys = [x, x]\nys.clear(1)\nreturn x", "OW345"),
    "sorted": ("ys = [x, x]\nys.sort()\nreturn x", "OW345"),
    "a value inside an expression": ("ys = [x, x]\nreturn ys.pop() + 1", "OW345"),
    "a place that a static list has not": ("ys = [x, x]\nys.pop(2)\nreturn x", "OW312"),
    "other items": ("ys = [x * i for i in range(n)]\nys.insert(0, n)\nreturn ys", "OW346"),
    "two kinds of lists": ("ys = [x * i for i in range(n)] + [n + i for i in range(n)]\nreturn ys", "OW346"),
    "numbers in a list of the run time": ("return [i for i in range(n)]", "OW346"),
    "a generator": ("return sum(x * i for i in range(n))", "OW362"),
    "reversed zip": ("for a, b in reversed(zip(x, x)):\n    x = x + a\nreturn x", "OW312"),
    "kinds of numbers": ("for a, b in zip(x, (1, 2.5)):\n    x = x + a * b\nreturn x", "OW362"),
    "texts": ("for a, b in zip(x, ('p', 'q')):\n    x = x + a\nreturn x", "OW362"),
    "a start of the run time": ("for i, v in enumerate(reversed(x), n):\n    x = x + v * i\nreturn x", "OW362"),
    "strict zip": ("for a, b in zip(x, x, strict=True):\n    x = x + a\nreturn x", "OW362"),
    "no such name": ("return [x * i + j for i in range(n)]", "OW302"),
    "its names end with it": ("ys = [x * i for i in range(n)]\nreturn i", "OW302"),
    "binds a name": ("ys = [(z := x * i) for i in range(n)]\nreturn ys", "OW304"),
}


@pytest.mark.parametrize(("body", "code"), REFUSED.values(), ids=REFUSED.keys())
def test_what_has_no_meaning_in_a_graph_is_refused(body: str, code: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        compiled(body, "xs: Sequence[FLOAT['N']], " if "xs" in body else "").to_function_protos()
    assert caught.value.diagnostics[0].code == code


def compiled(body: str, before: str = "") -> OnnxFunction:
    text = f"def F({before}x: FLOAT['N'], n: INT64):\n" + textwrap.indent(body, "    ") + "\n"
    name = f"<{body}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"op": op, "FLOAT": FLOAT, "INT64": INT64, "Sequence": Sequence}
    exec(compile(text, name, "exec", dont_inherit=True), scope)
    return script()(scope["F"])
