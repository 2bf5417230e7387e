def Twice(x, bias=None, Count=2):
    return Count * x if bias is None else Count * x + bias
