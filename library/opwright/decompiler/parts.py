"""What a decompiled module needs around its functions: imports, arrays, and the file of the large ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from opwright.decompiler.literal_text import (
    MOST_INLINE,
    Constant,
    array_text,
    dtype_text,
    float_text,
    has_text,
    quoted,
    texts_of,
)
from opwright.decompiler.python_names import ARRAY, LONGEST, Taken, module_name
from opwright.decompiler.refuse import refuse
from opwright.decompiler.side_file import MOST_LETTERS, Array
from opwright.elements import ElementType
from opwright.graphs.node_columns import ColumnsOf

Item = TypeVar("Item", int, float, str)
MOST_BYTES = 1 << 20  # of an array that the compiler makes a constant of
MOST_IN_TEXT = 1 << 13  # letters of a text or list that stands in the module


class Parts:
    """The names and tensors that the functions of a module share; `columns` has those of their nodes."""

    def __init__(self, columns: ColumnsOf | None = None) -> None:
        self.columns = columns or ColumnsOf()
        self.types: set[str] = set()  # names that are imported from opwright
        self.modules: set[str] = set()  # json, math, np, ml_dtypes
        self.elements: set[str] = set()  # of arrays
        self.arrays: dict[str, str] = {}  # module-level arrays: name -> expression
        self.side: dict[str, Array] = {}  # the arrays of the side file
        self.attribute_names: dict[str, str] = {}  # of the function that is being written
        self.taken = Taken()
        self.attributes_of_functions: set[str] = set()
        self._long: dict[str, Constant] = {}  # arrays with a text of many numbers, by name
        self._known: dict[tuple[str, tuple[int, ...], bytes], str] = {}
        self._lists: dict[tuple[str, bytes], str] = {}  # lists and texts that have a name, by kind and content
        self._numbers: dict[str, int] = {}  # the last that was put behind a name

    def type_name(self, element: ElementType) -> str:
        name = element.name.upper()
        self.types.add(name)
        return name

    def noted(self, text: str) -> str:
        """The text of a number or list, and the import that it needs."""
        if "math." in text:
            self.modules.add("math")
        return text

    def tensor_attribute(self, constant: Constant, operator: str) -> str:
        """A tensor as the value of an attribute."""
        if constant.default and constant.literal is not None:
            return self.noted(constant.literal)
        return self.array(constant, operator)

    def text(self, text: str, hint: str) -> str:
        """A text as an expression: in place, or from the side file where it is very long."""
        if len(text) <= MOST_IN_TEXT:
            return quoted(text)
        data = text.encode()
        return self._listed("text", data, hint, lambda name: f"{self._stored_bytes(data, name)}.decode()")

    def texts(self, items: Sequence[str], hint: str) -> str:
        """A list of texts as an expression."""
        data = json.dumps(list(items)).encode()
        return self._list("texts", items, quoted, data, hint, lambda name: self._stored_json(data, name))

    def ints(self, items: Sequence[int], hint: str) -> str:
        """A list of ints as an expression."""
        array = np.array(items, np.int64)
        return self._list("ints", items, str, array.tobytes(), hint, lambda name: self._stored_list(array, name))

    def number(self, item: float, hint: str) -> str:
        """A float as an expression: in place, or a scalar of the module where no text has its bits."""
        if has_text(item):
            return self.noted(float_text(item))
        data = np.float32(item).tobytes()
        return self._listed("float", data, hint, lambda _: f"{self._bits_text(data)}[0]")

    def floats(self, items: Sequence[float], hint: str) -> str:
        """A list of floats as an expression."""
        array = np.array(items, np.float32)
        data = array.tobytes()
        if len(items) <= MOST_IN_TEXT // 2 and not all(map(has_text, items)):
            return self._listed("floats", data, hint, lambda _: f"{self._bits_text(data)}.tolist()")
        return self._list("floats", items, float_text, data, hint, lambda name: self._stored_list(array, name))

    def _bits_text(self, data: bytes) -> str:
        """An array of float32 by its bits."""
        self.modules.add("np")
        return f"np.array({np.frombuffer(data, np.uint32).tolist()}, np.uint32).view(np.float32)"

    def _list(
        self,
        kind: str,
        items: Sequence[Item],
        make: Callable[[Item], str],
        data: bytes,
        hint: str,
        store: Callable[[str], str],
    ) -> str:
        """A list in place where it is short, else a list of the module, and beyond a size one from the side file."""
        if len(items) > MOST_IN_TEXT // 2:
            return self._listed(kind, data, hint, store)
        text = self.noted(texts_of(items, make))
        if len(items) <= MOST_INLINE and len(text) <= MOST_IN_TEXT:
            return text
        return self._listed(kind, data, hint, store if len(text) > MOST_IN_TEXT else lambda _: text)

    def _listed(self, kind: str, data: bytes, hint: str, expression: Callable[[str], str]) -> str:
        """The module's name for a list or text; equal ones have one name."""
        name = self._lists.get((kind, data))
        if name is None:
            name = self._lists[kind, data] = self.fresh(hint.upper()) + ARRAY
            self.arrays[name] = expression(name)
        return name

    def array(self, constant: Constant, hint: str) -> str:
        """The name of a module-level array of the tensor; equal ones have one name."""
        array = constant.array
        content = repr(array.tolist()).encode() if array.dtype.kind in "OU" else array.tobytes()
        key = (constant.element.name, tuple(array.shape), content)
        name = self._known.get(key)
        if name is None:
            if array.nbytes > MOST_BYTES:
                raise refuse(f"a constant of {hint} is too large", f"it has {array.nbytes:,} bytes")
            name = self._known[key] = self.fresh(hint.upper()) + ARRAY
            self.arrays[name] = self.array_expression(constant, name, long=True)
            if constant.is_long:
                self._long[name] = constant
        return name

    def settle(self) -> None:
        """Moves the arrays with a long text into the side file, where there is one anyway."""
        if self.side:
            self.arrays.update({name: self.stored(constant, name) for name, constant in self._long.items()})

    def array_expression(self, constant: Constant, hint: str, long: bool = False) -> str:
        """An array: written out where it is short, or may be `long`; else from the side file."""
        self.elements.add(constant.element.name)
        if (constant.text is None and constant.array.size > MOST_INLINE) or (constant.is_long and not long):
            return self.stored(constant, hint)
        self._need(constant.element)
        return self.noted(array_text(constant))

    def stored(self, constant: Constant, name: str) -> str:
        """An array of the side file. Types that numpy lacks are stored as their bits."""
        array, element = constant.array, constant.element
        dtype = dtype_text(element)
        if element.kind == "string":
            self.modules.add("np")
            return f"np.array({self._stored_json(json.dumps(array.tolist()).encode(), name)}, object)"
        if not dtype.startswith("ml_dtypes"):
            return self._stored(array, name)
        self.modules.add("ml_dtypes")
        return f"{self._stored(array.view(f'uint{8 * array.dtype.itemsize}'), name)}.view({dtype})"

    def _stored_list(self, array: Array, name: str) -> str:
        return f"{self._stored(array, name)}.tolist()"

    def _stored_json(self, data: bytes, name: str) -> str:
        """Texts of the side file, which has no type for them that keeps each at its length."""
        self.modules.add("json")
        return f"json.loads({self._stored_bytes(data, name)})"

    def _stored_bytes(self, data: bytes, name: str) -> str:
        return f"{self._stored(np.frombuffer(data, np.uint8), name)}.tobytes()"

    def _stored(self, array: Array, name: str) -> str:
        """An array of the side file, under the name or one like it."""
        key = begin = name[:MOST_LETTERS]
        while key in self.side:
            self._numbers[begin] = self._numbers.get(begin, 1) + 1
            key = f"{begin}_{self._numbers[begin]}"
        self.side[key] = array
        return f"ARRAYS[{quoted(key)}]"

    def _need(self, element: ElementType) -> None:
        self.modules.add("np")
        if dtype_text(element).startswith("ml_dtypes"):
            self.modules.add("ml_dtypes")

    def fresh(self, name: str) -> str:
        """A name of the module that nothing has yet."""
        found = begin = module_name(name[:LONGEST])
        while (
            found in self.taken
            or found in self.attributes_of_functions
            or f"{found}{ARRAY}" in self.attributes_of_functions
        ):
            self._numbers[begin] = self._numbers.get(begin, 1) + 1
            found = f"{begin}_{self._numbers[begin]}"
        self.taken.add(found)
        return found
