def contiguous(self):
    return self
