"""One mistake, which both checkers report at its line."""

import numpy as np
from acme_ops import opset1 as acme

# The next line is wrong.
acme.Swish(np.zeros(3, np.float32), alpha="steep")
