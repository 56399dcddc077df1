"""Attention with its matrices: seeded layers that map tokens to tokens.

Weights are normal with variance 2 / (rows + columns), drawn in the order W_Q, W_K, W_V, W_O from
one NumPy generator, so that a seed means the same matrices everywhere.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from numeric.dot_product import attention
from numeric.errors import NumericError
from numeric.heads import multi_head_attention


def normal_matrix(
    rng: np.random.Generator, rows: int, columns: int
) -> Float[np.ndarray, "rows columns"]:
    """Return a matrix of independent normal entries with variance 2 / (rows + columns)."""
    if min(rows, columns) < 1:
        raise NumericError(
            f"a {rows} × {columns} matrix", "sizes of at least 1", "pass larger sizes"
        )
    return rng.standard_normal((rows, columns)) * math.sqrt(2 / (rows + columns))


@dataclass(frozen=True)
class AttentionLayer:
    """One head: projects tokens to queries, keys and values, and attends.

    Attributes
    ----------
    W_Q, W_K, W_V
        Arrays of any one library, shapes (d_model, d_k), (d_model, d_k), (d_model, d_v).
    """

    W_Q: Float[Any, "d_model d_k"]
    W_K: Float[Any, "d_model d_k"]
    W_V: Float[Any, "d_model d_v"]

    @classmethod
    def seeded(
        cls, d_model: int, d_k: int, d_v: int | None = None, *, seed: int
    ) -> "AttentionLayer":
        """Return a layer with random matrices, double precision NumPy."""
        rng = np.random.default_rng(seed)
        return cls(*(normal_matrix(rng, d_model, d) for d in (d_k, d_k, d_v or d_k)))

    def __call__(
        self,
        x: Float[Any, "*batch n d_model"],
        context: Float[Any, "*batch n_k d_model"] | None = None,
        /,
        **options: Any,
    ) -> Any:
        """Return attention of `x` to itself, or to `context`: cross-attention.

        `options` are those of :func:`attention`.
        """
        context = x if context is None else context
        return attention(x @ self.W_Q, context @ self.W_K, context @ self.W_V, **options)


@dataclass(frozen=True)
class MultiHeadLayer:
    """Many heads and the matrix that mixes their outputs.

    Attributes
    ----------
    W_Q, W_K, W_V, W_O
        Arrays of any one library; the first three have the columns of all heads side by side.
    heads
        Number of heads.
    """

    W_Q: Float[Any, "d_model channels_k"]
    W_K: Float[Any, "d_model channels_k"]
    W_V: Float[Any, "d_model channels_v"]
    W_O: Float[Any, "channels_v d_model"]
    heads: int

    @classmethod
    def seeded(cls, d_model: int, heads: int, *, seed: int) -> "MultiHeadLayer":
        """Return a layer with random matrices, each head of width d_model / heads."""
        if heads < 1 or d_model % heads:
            raise NumericError(
                f"d_model={d_model} and {heads} heads",
                "a number of heads that divides d_model",
                "change one of them",
            )
        rng = np.random.default_rng(seed)
        return cls(*(normal_matrix(rng, d_model, d_model) for _ in range(4)), heads)

    def __call__(
        self,
        x: Float[Any, "*batch n d_model"],
        context: Float[Any, "*batch n_k d_model"] | None = None,
        /,
        *,
        return_weights: bool = False,
        **options: Any,
    ) -> Any:
        """Return attention of `x` to itself, or to `context`; weights are those of every head.

        `options` are those of :func:`multi_head_attention`.
        """
        context = x if context is None else context
        projected = x @ self.W_Q, context @ self.W_K, context @ self.W_V
        attend = partial(multi_head_attention, *projected, heads=self.heads, **options)
        if not return_weights:
            return attend() @ self.W_O
        output, weights = attend(return_weights=True)
        return output @ self.W_O, weights
