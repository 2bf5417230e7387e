def lift_fresh_copy(self):
    return self
