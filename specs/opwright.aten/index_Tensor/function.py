from opwright import BOOL, UINT8, Tensor
from opwright import opset18 as op


def index_Tensor(self, *indices: Tensor | None):
    return self[*[_item(index) for index in indices]]


def _item(index):
    if index is None:
        return slice(None)
    return op.Cast(index, to=BOOL) if index.dtype == UINT8 else index
