from opwright import BFLOAT16, FLOAT, INT64
from opwright import opset18 as op


def grouped_mm(self, mat2, offs=None):
    a, b = (op.Cast(self, to=FLOAT), op.Cast(mat2, to=FLOAT)) if self.dtype == BFLOAT16 else (self, mat2)
    if offs is None:
        y = op.MatMul(a, b)
    else:
        ends = op.Cast(offs, to=INT64)
        begins = op.Concat([0], ends[:-1], axis=0)
        if a.rank == 2 and b.rank == 3:
            y = a[:0] @ b[0]
            for i, matrix in enumerate(b):
                y = op.Concat(y, a[begins[i] : ends[i]] @ matrix, axis=0)
        elif a.rank == 3 and b.rank == 2:
            y = a[0] @ b[:, :0]
            for i, matrix in enumerate(a):
                y = op.Concat(y, matrix @ b[:, begins[i] : ends[i]], axis=1)
        else:
            y = op.Unsqueeze(a[:, :0] @ b[:0], [0])[:0]
            for i in range(len(ends)):
                product = a[:, begins[i] : ends[i]] @ b[begins[i] : ends[i]]
                y = op.Concat(y, op.Unsqueeze(product, [0]), axis=0)
    return op.Cast(y, to=BFLOAT16) if self.dtype == BFLOAT16 else y
