"""A library whose author means harm: every text that a page shows tries to be more than text."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

BASE = Path(__file__).parents[1] / "diagnostics" / "base_library"

ATTACK = "<script>alert(1)</script> <img src=http://x.invalid onerror=alert(2)> |x `` [y](javascript:alert(3)) &lt;b>"
SPEC = f"""\
schema: 1
domain: com.acme
name: Swish
summary: 'X {ATTACK} **strong**'
doc: |
  {ATTACK}

  .. raw:: html

     <script>alert(4)</script>

  ```{{raw}} html
  <script>alert(5)</script>
  ```

  <style>body {{ display: none }}</style>

  ![picture](http://x.invalid/a.png) [here](//x.invalid) [file](file:///etc/passwd) [good](https://example.org/?a=1&b=2)
since_version: 1
opset: ">=18"
inputs: {{X: {{type: T, doc: '{ATTACK}'}}}}
outputs: {{Y: {{type: T, doc: '{ATTACK}'}}}}
attributes: {{alpha: '{ATTACK}'}}
types: {{T: [float, double]}}
vectors: [vectors.yaml]
reference: reference.py
"""
ROWS = f"""\
schema: 1
rows:
  - {{name: 'row', inputs: {{X: [-1.0, 0.0, 2.0]}}, doc: '{ATTACK}'}}
"""
FUNCTION = """\
from opwright import opset18 as op


def Swish(X, alpha: float = 1.0):
    '''</pre></div><script>alert(6)</script>

.. raw:: html

   <script>alert(7)</script>
    '''
    return X * op.Sigmoid(alpha * X)
"""
GAPS = """\
schema: 1
gaps:
  - runtime: onnxruntime
    operator: "com.acme::Swish@1"
    types: {T: double}
    opsets: [18]
    outcome: no-kernel
    reason: "\\"><script>alert(8)</script>"
"""
GUIDE = """\
# Guide <script>alert(9)</script>

- [one](one.md), [titled](<x <index>.md>)

## Group <script>alert(14)</script>

- [two](two.md)
- [away](https://example.org/two.md), [out](../../out.md), [none](none.md)
"""
PAGE = """\
# One <img src=x onerror=alert(10)> `code` *x* _y_ |z|

<div onclick="alert(11)">x</div>

.. raw:: html

## Two\x0b.. raw:: html

[there](one.md#one)
[function](reference/com.acme/Swish.md) [to `two`](#two--raw-html) <a href="javascript:alert(12)">x</a>

```{include} /etc/passwd
```

| a | b |
|---|---|
| <script>alert(13)</script> | {raw}`x` |
"""
HOSTILE = {
    "specs/com.acme/Swish/spec.yaml": SPEC,
    "specs/com.acme/Swish/vectors.yaml": ROWS,
    "specs/com.acme/Swish/function.py": FUNCTION,
    "specs/runtime-gaps.yaml": GAPS,
    "docs/README.md": GUIDE,
    "docs/one.md": PAGE,
    "docs/two.md": "two, without a heading\n",
    "docs/x <index>.md": PAGE,
}


def lay(root: Path, files: Mapping[str, str]) -> None:
    """The base library with other files over it, in a new folder."""
    shutil.copytree(BASE, root)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
