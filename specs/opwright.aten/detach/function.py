def detach(self):
    return self
