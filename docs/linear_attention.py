"""Linear attention, derived: docs/tutorial.md tells how this file came about."""

from derive import *

n, d_k, d_v = ranges("n d_k d_v")  # tokens, features, entries of a value
i, j = indices("i j", n)
(t,) = indices("t", d_k)
(c,) = indices("c", d_v)
Q, K, V = Array("Q", (n, d_k)), Array("K", (n, d_k)), Array("V", (n, d_v))

score = Definition("score", (Q, K), (i, j), Sum(t, Q[i, t] * K[j, t]))
memory = Definition("memory", (K, V), (t, c), Sum(j, K[j, t] * V[j, c]))

quadratic = Sum(j, score(Q, K)[i, j] * V[j, c])
linear = Sum(t, Q[i, t] * memory(K, V)[t, c])


@theorem("regrouping", states=eq(quadratic, linear))
def regrouping() -> Proof:
    """(Q Kᵀ) V = Q (Kᵀ V): n² scores are not needed, a d_k × d_v memory is enough."""
    return (
        calc(quadratic)
        .eq(Sum(j, Sum(t, Q[i, t] * K[j, t]) * V[j, c]), by=score)
        .eq(Sum(t, Q[i, t] * Sum(j, K[j, t] * V[j, c])))
        .eq(linear, by=memory)
        .qed()
    )


total = Sum(j, score(Q, K)[i, j])
weights = score(Q, K)[i, j] / total
positive_Q = forall((i, t), lt(0, Q[i, t]))
positive_K = forall((j, t), lt(0, K[j, t]))
positive = (positive_Q, positive_K, inhabited(d_k))


@theorem("weights-sum-to-one", states=eq(Sum(j, weights), 1), assuming=positive)
def weights_sum_to_one() -> Proof:
    """With positive features the scores, divided by their sum, are weights."""
    product = Sum(j, Sum(t, Q[i, t] * K[j, t]))
    return calc(Sum(j, weights), given=positive).eq(product / product, by=score).eq(1).qed()
