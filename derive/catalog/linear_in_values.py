"""With the weights fixed, attention is linear in the values."""

from derive.chain import Proof, calc
from derive.definitions import attention, c, d_k, d_v, j, m, matmul, n, r
from derive.derivation import theorem
from derive.signature import Array
from derive.syntax import Lambda, Symbol, eq

Q, K = Array("Q", (m, d_k)), Array("K", (n, d_k))
V, U = Array("V", (n, d_v)), Array("U", (n, d_v))
x, y = Symbol("x"), Symbol("y")
mixed = attention(Q, K, Lambda((j, c), x * V[j, c] + y * U[j, c]))[r, c]
separate = x * attention(Q, K, V)[r, c] + y * attention(Q, K, U)[r, c]


@theorem(
    "linear-in-values",
    title={"zh": "对值是线性的", "en": "Attention is linear in the values"},
    states=eq(mixed, separate),
    source="S30",
)
def proof() -> Proof:
    """Attn(Q, K, xV + yU) = x Attn(Q, K, V) + y Attn(Q, K, U).

    No assumption. It is the weights that are not linear in X.
    """
    return calc(mixed).eq(separate, by=matmul).qed()
