"""Functions of the installed library, called on arrays; `mypy --strict` and pyright have nothing to say."""

import numpy as np
from acme_ops import opset1 as acme
from numpy.typing import NDArray


def softened(values: NDArray[np.float32], alpha: float) -> NDArray[np.float32]:
    return acme.Mish(acme.Swish(values, alpha=alpha))


x = np.array([-1, 0, 2], np.float32)
found = softened(x, 2.0)
swished = x / (1 + np.exp(-2 * x))
np.testing.assert_allclose(found, swished * np.tanh(np.logaddexp(0, swished)), rtol=1e-5, atol=1e-6)
assert found.dtype == np.float32
print("softened", found.shape)
