def exp2(self):
    return 2**self
