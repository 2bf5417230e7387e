from opwright import opset18 as op


def cartesian_prod(*tensors):
    count = len(tensors)
    if count == 1:
        return tensors[0]
    sizes = op.Concat(*[op.Shape(item) for item in tensors], axis=0)
    grids = []
    for place, item in enumerate(tensors):
        others = [axis for axis in range(count) if axis != place]
        grids.append(op.Reshape(op.Expand(op.Unsqueeze(item, others), sizes), [-1, 1]))
    return op.Concat(*grids, axis=1)
