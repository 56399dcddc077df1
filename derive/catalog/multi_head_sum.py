"""Concatenating heads and projecting is summing the heads' own projections."""

from derive.chain import Proof, both, calc
from derive.definitions import X, a, d_model, i, matmul, n
from derive.derivation import theorem
from derive.signature import Array
from derive.syntax import Index, Lambda, Sum, conjoin, delta, eq, ranges
from derive.terms import Term

heads, d_h, wide = ranges("heads d_h d")  # a wide column belongs to one head, at one place in it
h, e, z = Index("h", heads), Index("e", d_h), Index("z", wide)
head_of, place_of = Array("head", (wide,), heads), Array("place", (wide,), d_h)
head = Array("O", (heads, n, d_h))
W_O, W = Array("W_O", (wide, d_model)), Array("W", (d_model, wide))


def belongs(column: Term) -> Term:
    """[the column is entry e of head h]"""
    return delta(head_of[column], h) * delta(place_of[column], e)


concatenated = Lambda((i, z), head[head_of[z], i, place_of[z]])
rows_of_head = Lambda((e, a), Sum(z, belongs(z) * W_O[z, a]))  # W_O^(h)
columns_of_head = Lambda((a, e), Sum(z, belongs(z) * W[a, z]))  # W^(h)
split_columns = Lambda((i, e), Sum(z, belongs(z) * matmul(X, W)[i, z]))

together = matmul(concatenated, W_O)[i, a]
one_by_one = Sum(h, matmul(Lambda((i, e), head[h, i, e]), rows_of_head)[i, a])
projected_then_split = split_columns[i, e]
split_then_projected = matmul(X, columns_of_head)[i, e]


@theorem(
    "multi-head-sum",
    title={"zh": "拼接再投影等于各头投影之和", "en": "Concatenated heads are summed heads"},
    states=conjoin(eq(together, one_by_one), eq(projected_then_split, split_then_projected)),
    source="S32",
)
def proof() -> Proof:
    """concat(heads) W_O = Σ_h head_h W_O^(h), and splitting X W gives each head's own projection.

    For any layout of the columns: column z is entry place(z) of head head(z), and W_O^(h), W^(h)
    are the rows and columns that belong to head h. No assumption.
    """
    first = calc(together).eq(one_by_one, by=matmul).qed()
    second = calc(projected_then_split).eq(split_then_projected, by=matmul).qed()
    return both(first, second)
