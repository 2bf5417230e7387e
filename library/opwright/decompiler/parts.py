"""What a decompiled module needs around its functions: imports, arrays, and the file of the large ones."""

from __future__ import annotations

from typing import Any

from opwright.decompiler.literals import MOST_INLINE, Constant, array_text, dtype_text, quoted
from opwright.decompiler.names import ARRAY, RESERVED, python_name
from opwright.decompiler.refuse import refuse
from opwright.elements import ElementType

MOST_BYTES = 1 << 20  # of an array that the compiler makes a constant of


class Parts:
    """The names and tensors that the functions of a module share."""

    def __init__(self) -> None:
        self.types: set[str] = set()  # names that are imported from opwright
        self.modules: set[str] = set()  # math, np, ml_dtypes
        self.arrays: dict[str, str] = {}  # module-level arrays: name -> expression
        self.side: dict[str, Any] = {}  # the arrays of the side file
        self.attribute_names: dict[str, str] = {}  # of the function that is being written
        self.taken = set(RESERVED)
        self._long: dict[str, Constant] = {}  # arrays with a text of many numbers, by name
        self._known: dict[tuple[str, tuple[int, ...], bytes], str] = {}

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
        if (constant.text is None and constant.array.size > MOST_INLINE) or (constant.is_long and not long):
            return self.stored(constant, hint)
        self._need(constant.element)
        return self.noted(array_text(constant))

    def stored(self, constant: Constant, name: str) -> str:
        """An array of the side file. Types that numpy lacks are stored as their bits."""
        array, element = constant.array, constant.element
        key = name
        while key in self.side or key == "file":  # which numpy.savez takes for its own
            key += "_"
        dtype = dtype_text(element)
        if element.kind == "string":
            self.side[key] = array.astype("U")
            return f"ARRAYS[{quoted(key)}].astype(object)"
        if not dtype.startswith("ml_dtypes"):
            self.side[key] = array
            return f"ARRAYS[{quoted(key)}]"
        self.modules.add("ml_dtypes")
        self.side[key] = array.view(f"uint{8 * array.dtype.itemsize}")
        return f"ARRAYS[{quoted(key)}].view({dtype})"

    def _need(self, element: ElementType) -> None:
        self.modules.add("np")
        if dtype_text(element).startswith("ml_dtypes"):
            self.modules.add("ml_dtypes")

    def fresh(self, name: str) -> str:
        """A name of the module that nothing has yet."""
        found = python_name(name)
        number = 1
        while found in self.taken:
            number += 1
            found = f"{python_name(name)}_{number}"
        self.taken.add(found)
        return found
