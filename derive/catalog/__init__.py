"""Every theorem, one file each, by name. The table is static: nothing is imported to list it."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from derive.derivation import Derivation

_NAMES = """
    attention-formula score-bilinear score-asymmetry
    softmax-positive softmax-rows-sum-to-one softmax-shift-invariance
    softmax-jacobian softmax-jacobian-rows-sum-to-zero softmax-saturation
    softmax-hard-limit softmax-uniform-limit hard-lookup-limit softmax-max-entropy
    dot-product-mean dot-product-variance scaled-dot-product-variance
    dot-product-variance-general
    permutation-equivariance permutation-equivariance-multi-head
    cross-attention-symmetry masked-permutation-equivariance
    mask-is-restriction causal-ignores-the-future finite-mask-error
    output-in-convex-hull linear-in-values multi-head-sum
    parameter-count quadratic-cost score-bound
    online-softmax blockwise-attention
    rope-relative sinusoidal-shift gauge-freedom ruler-rank
    attention-backward
"""


def names() -> tuple[str, ...]:
    """The names of all theorems, in reading order."""
    return tuple(_NAMES.split())


def load(name: str) -> Derivation:
    """The derivation of that name; its proof is made when it is first asked for."""
    from derive.derivation import Derivation

    if name not in names():
        from derive.console import unknown

        raise unknown(name, names(), "theorem")
    module = import_module(f"derive.catalog.{name.replace('-', '_')}")
    (found,) = (x for x in vars(module).values() if isinstance(x, Derivation) and x.name == name)
    return found
