def clone(self):
    return self
