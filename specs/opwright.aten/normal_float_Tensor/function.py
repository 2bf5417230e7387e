from opwright import opset18 as op


def normal_float_Tensor(mean, std):
    noise = op.RandomNormalLike(std, dtype=1)
    return mean + std * op.CastLike(noise, std)
