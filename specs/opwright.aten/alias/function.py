def alias(self):
    return self
