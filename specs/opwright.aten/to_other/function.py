def to_other(self):
    return self
