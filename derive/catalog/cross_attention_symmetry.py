"""Keys and values are a set; queries are asked one by one."""

from derive.chain import Proof, both, calc, reindexing
from derive.definitions import MATRICES, attention, c, d_k, d_v, j, m, n, r, t
from derive.derivation import theorem
from derive.signature import Array, Range
from derive.syntax import Index, Lambda, bijection, conjoin, eq

asked = Range("a")
Q, K, V = Array("Q", (m, d_k)), Array("K", (n, d_k)), Array("V", (n, d_v))
sigma, tau = Array("σ", (n,), n), Array("τ", (asked,), m)
reordered_K = Lambda((j, t), K[sigma[j], t])
reordered_V = Lambda((j, c), V[sigma[j], c])
place = Index("s", asked)
chosen_Q = Lambda((place, t), Q[tau[place], t])

invariant = eq(attention(Q, reordered_K, reordered_V)[r, c], attention(Q, K, V)[r, c])
equivariant = eq(attention(chosen_Q, K, V)[place, c], attention(Q, K, V)[tau[place], c])


@theorem(
    "cross-attention-symmetry",
    title={"zh": "交叉注意力的对称性", "en": "The symmetry of cross-attention"},
    states=conjoin(invariant, equivariant),
    assuming=(bijection(sigma),),
    source="S14",
)
def proof() -> Proof:
    """Reordering keys and values together changes nothing; choosing queries chooses outputs.

    The first needs σ to be a bijection. The second holds for every map τ into the queries, so in
    particular for every reordering of them.
    """
    left, right = invariant.args
    keys = calc(left, given=[bijection(sigma)]).eq(right, by=(*MATRICES, reindexing)).qed()
    left, right = equivariant.args
    return both(keys, calc(left).eq(right, by=MATRICES).qed())
