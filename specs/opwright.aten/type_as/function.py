def type_as(self):
    return self
