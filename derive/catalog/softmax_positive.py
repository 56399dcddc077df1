"""Every softmax weight is positive."""

from derive.chain import Proof, by_kernel
from derive.definitions import j, n, softmax
from derive.derivation import theorem
from derive.facts import inhabited
from derive.signature import Array
from derive.syntax import lt

s = Array("s", (n,))


@theorem(
    "softmax-positive",
    title={"zh": "权重都是正数", "en": "Softmax weights are positive"},
    states=lt(0, softmax(s)[j]),
    source="S3",
)
def proof() -> Proof:
    """0 < softmax(s)_j for every j.

    No assumption: a quotient of exponentials, and the index j itself shows that n ≥ 1.
    """
    return by_kernel(
        "an exponential is positive", "positive", term=softmax(s)[j], given=(inhabited(n),)
    )
