"""The ruler W_Q W_Kᵀ has no more rank than a head has dimensions."""

from derive.chain import Proof, both, calc, singleton, splitting
from derive.definitions import W_K, W_Q, a, b, d_model, matmul, t, transpose
from derive.derivation import theorem
from derive.signature import Array, Range
from derive.syntax import Sum, conjoin, eq, forall, indices, ranges
from derive.terms import Term

first, second = ranges("P R")  # heads of one dimension
(p,), (r,) = indices("p", first), indices("r", second)
(p0,), (r0,) = indices("p_0", first), indices("r_0", second)
only_p, only_r = forall(p, eq(p, p0)), forall(r, eq(r, r0))
two = Range("P⊎R", (first, second))

rows, columns = indices("x y z", d_model), indices("e f g", d_model)
one_Q, one_K = Array("U", (d_model, first)), Array("V", (d_model, first))
two_Q, two_K = Array("A", (d_model, two)), Array("B", (d_model, two))


def ruler(queries: Array, keys: Array) -> Term:
    """``W_Q W_Kᵀ``"""
    return matmul(queries, transpose(keys))


def determinant(R: Term, rows: tuple[Term, ...], columns: tuple[Term, ...]) -> Term:
    """A minor, expanded along its first row."""
    if len(rows) == 1:
        return R[rows[0], columns[0]]
    total = None
    for n, column in enumerate(columns):
        rest = columns[:n] + columns[n + 1 :]
        term = R[rows[0], column] * determinant(R, rows[1:], rest)
        total = term if total is None else total - term if n % 2 else total + term
    return total


outer = Sum(t, W_Q[a, t] * W_K[b, t])
minor_1 = determinant(ruler(one_Q, one_K), rows[:2], columns[:2])
minor_2 = determinant(ruler(two_Q, two_K), rows, columns)


@theorem(
    "ruler-rank",
    title={"zh": "尺的秩不超过 d_k", "en": "The ruler's rank is at most d_k"},
    states=conjoin(eq(ruler(W_Q, W_K)[a, b], outer), conjoin(eq(minor_1, 0), eq(minor_2, 0))),
    assuming=(only_p, only_r),
    source="S5",
)
def proof() -> Proof:
    """W_Q W_Kᵀ is a sum of d_k outer products, so its (d_k+1)-minors vanish: shown for 1 and 2.

    A head of one dimension has a single index p_0; one of two dimensions a second one, r_0.
    """
    small = calc(minor_1).eq(0, by=(matmul, transpose, singleton, only_p)).qed()
    large = calc(minor_2).eq(0, by=(matmul, transpose, splitting, singleton, only_p, only_r)).qed()
    return both(
        calc(ruler(W_Q, W_K)[a, b]).eq(outer, by=(matmul, transpose)).qed(), both(small, large)
    )
