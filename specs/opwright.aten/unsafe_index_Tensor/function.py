from opwright import Tensor


def unsafe_index_Tensor(self, *indices: Tensor | None):
    return self[*[slice(None) if index is None else index for index in indices]]
