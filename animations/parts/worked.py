"""One run through attention: every array of a worked example, computed by `numeric`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numeric import attention


@dataclass(frozen=True, eq=False)
class Worked:
    """The arrays that films show, in the order in which they come about.

    Parameters
    ----------
    tokens
        What asks, or what is asked, one a row of `K` and `V`.
    Q, K, V
        Queries, keys and values, one a row.
    scores, scaled, exponentials
        What is made of them before it is normalised, queries by keys.
    totals
        The sum of each row of exponentials.
    weights, output
        From `numeric.attention`.
    given
        The arrays that Q, K and V came from, by name.
    """

    tokens: tuple[str, ...]
    Q: NDArray
    K: NDArray
    V: NDArray
    scores: NDArray
    scaled: NDArray
    exponentials: NDArray
    totals: NDArray
    weights: NDArray
    output: NDArray
    given: dict[str, NDArray]

    @classmethod
    def look_up(
        cls, tokens: Sequence[str], Q: NDArray, K: NDArray, V: NDArray, **given: NDArray
    ) -> "Worked":
        """Attend with queries to keys and values."""
        scores = Q @ K.T
        scaled = scores / np.sqrt(Q.shape[-1])
        exponentials = np.exp(scaled)
        output, weights = attention(Q, K, V, return_weights=True)
        return cls(
            tuple(tokens),
            Q,
            K,
            V,
            scores,
            scaled,
            exponentials,
            exponentials.sum(axis=-1),
            weights,
            output,
            given,
        )

    @classmethod
    def of(cls, case: Any) -> "Worked":
        """Work through a case of an example of `derive.examples`, from what it gives."""
        given = {step.name: np.array(step.decimal) for step in case.steps}
        if "X" not in given:
            return cls.look_up(case.tokens, *(given[name] for name in "QKV"))
        X, matrices = given["X"], {name: given[name] for name in ("W_Q", "W_K", "W_V")}
        return cls.look_up(case.tokens, *(X @ W for W in matrices.values()), X=X, **matrices)
