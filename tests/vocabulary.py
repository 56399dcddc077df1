"""The ranges, indices, arrays and symbols that tests speak of, under the names they have everywhere."""

from derive.signature import PROP, Array, Definition, Range
from derive.syntax import Sum, Symbol, exp, indices, ranges

n, d = ranges("n d")
both = Range("n+d", (n, d))
i, j, k, l, m = indices("i j k l m", n)
a, b, c = indices("a b c", d)
(p,) = indices("p", both)

x, y, z = Array("x", (n,)), Array("y", (n,)), Array("z", (n, n))
s = Array("s", (both,))
X, Y = Array("X", (n, d)), Array("Y", (n, d))
σ, τ = Array("σ", (n,), n), Array("τ", (n,), n)
mask = Array("M", (n, n), PROP)
q, r = Array("q", (d,), random=True), Array("r", (d,), random=True)

u, v, w, β = map(Symbol, ("u", "v", "w", "β"))

SOFTMAX = Definition("softmax", (x,), (i,), exp(x[i]) / Sum(j, exp(x[j])))
