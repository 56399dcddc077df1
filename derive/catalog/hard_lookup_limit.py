"""Sharpened without end, attention is a dictionary."""

from derive.catalog.softmax_hard_limit import beta, m, sharpened, unique_maximum
from derive.catalog.softmax_hard_limit import proof as hard_limit
from derive.chain import Proof, argument, calc
from derive.definitions import c, d_v, j, n
from derive.derivation import theorem
from derive.kernel import infer
from derive.signature import Array
from derive.syntax import Sum, tends

v = Array("v", (n, d_v))
output = Sum(j, sharpened[j] * v[j, c])


@theorem(
    "hard-lookup-limit",
    title={"zh": "极限就是查字典", "en": "In the limit, a dictionary look-up"},
    states=tends(beta, output, v[m, c]),
    assuming=(unique_maximum,),
    source="S10",
    needs={unique_maximum: "s = (0, 0), v = (0, 1): the output is 1/2 for every β"},
)
def proof() -> Proof:
    """Σ_j softmax(βs)_j v_j → v_m as β → ∞, where m is the unique best match.

    The fuzzy dictionary becomes the ordinary one.
    """
    limit = infer("limit", hard_limit.theorem, variable=beta, term=output, to="oo")
    value = calc(limit.conclusion.args[1]).eq(v[m, c]).qed().theorem
    return argument(
        ("limits, part by part", limit, hard_limit),
        ("Σ_j [j = m] v_j = v_m", infer("equal limit", limit, value)),
    )
