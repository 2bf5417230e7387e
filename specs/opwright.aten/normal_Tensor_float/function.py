from opwright import opset18 as op


def normal_Tensor_float(mean, std):
    noise = op.RandomNormalLike(mean, dtype=1)
    return mean + std * op.CastLike(noise, mean)
