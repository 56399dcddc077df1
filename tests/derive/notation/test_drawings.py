"""How typical statements look, in each notation."""

from fractions import Fraction

import pytest

from derive.binding import unbind
from derive.notation.forms import NotationError, read
from derive.notation.latex import latex
from derive.notation.meaning import definitions, equation
from derive.notation.names import Names
from derive.notation.text import text
from derive.notation.typst import typst
from derive.signature import Array, Definition, Range
from derive.syntax import (
    E,
    Index,
    Lambda,
    Sum,
    Symbol,
    absolute,
    bijection,
    delta,
    derivative,
    eq,
    exp,
    forall,
    implies,
    independent,
    inject,
    iverson,
    le,
    lt,
    moments,
    mul,
    negate,
    number,
    power,
    sqrt,
    tends,
)

n, d_k, d_model = Range("n"), Range("d_k"), Range("d_model")
i, j, l = (Index(name, n) for name in "ijl")
t, a = Index("t", d_k), Index("a", d_model)
x, beta = Symbol("x"), Symbol("beta")
s = Array("s", (n,))
X, W_Q = Array("X", (n, d_model)), Array("W_Q", (d_model, d_k))
q, k = Array("q", (d_k,)), Array("k", (d_k,))
M = Array("M", (n, n), out="prop")
sigma = Array("sigma", (n,), out=n)
S = Array("S", (n, n))
matmul = Definition("matmul", (X, W_Q), (i, t), Sum(a, X[i, a] * W_Q[a, t]), "{0} {1}")
transpose = Definition("transpose", (X,), (a, i), X[i, a], "{0}ᵀ")
Q = Definition("Q", (X, W_Q), (i, t), matmul(X, W_Q)[i, t], "Q")
dot = Definition("dot", (q, k), (), Sum(t, q[t] * k[t]), "{0} · {1}")
softmax = Definition("softmax", (s,), (i,), exp(s[i]) / Sum(j, exp(s[j])), "softmax({0})")
rows = Definition("rows", (S,), (i, j), exp(S[i, j]) / Sum(l, exp(S[i, l])), "softmax({0})")
scores = matmul(Q(X, W_Q), transpose(Q(X, W_Q)))
attention = matmul(rows(Lambda((i, j), scores[i, j] / sqrt(d_k.size))), X)
z = dot(Array("q", (d_k,), random=True), k)

DRAWINGS = {
    "entry": (
        X[i, a] * W_Q[a, t],
        "X[i,a] W_Q[a,t]",
        r"X_{i a} (W_{Q})_{a t}",
    ),
    "attention": (
        attention[i, a],
        "(softmax(Q Qᵀ / √d_k) X)[i,a]",
        r"\left(\operatorname{softmax}\left(\frac{Q Q^{\top}}{\sqrt{d_{k}}}\right) X\right)_{i a}",
    ),
    "softmax": (
        eq(softmax(s)[i], exp(s[i]) / Sum(j, exp(s[j]))),
        "softmax(s)[i] = exp(s[i]) / (Σ_{j=1}^n exp(s[j]))",
        r"\operatorname{softmax}(s)_{i} = \frac{\mathrm{e}^{s_{i}}}{\sum_{j=1}^{n} \mathrm{e}^{s_{j}}}",
    ),
    "rows of a matrix": (
        dot(Lambda(t, Q(X, W_Q)[i, t]), Lambda(t, Q(X, W_Q)[j, t])),
        "Q[i,:] · Q[j,:]",
        r"Q_{i} \cdot Q_{j}",
    ),
    "a column": (
        dot(q, Lambda(t, Q(X, W_Q)[i, t])) * Sum(i, softmax(Lambda(j, S[j, i]))[i]),
        "(q · Q[i,:]) Σ_{j=1}^n softmax(S[:,j])[j]",
        r"(q \cdot Q_{i}) \sum_{j=1}^{n} \operatorname{softmax}(S_{\cdot j})_{j}",
    ),
    "variance": (
        E(z**2) - E(z) ** 2,
        "E[(q · k)²] − E[q · k]²",
        r"\operatorname{E}[(q \cdot k)^{2}] - \operatorname{E}[q \cdot k]^{2}",
    ),
    "an exponent that is too tall": (
        exp(x / 2) * exp(-(beta * x)),
        "exp(x / 2) exp(−β x)",
        r"\operatorname{exp}\left(\frac{x}{2}\right) \mathrm{e}^{-\beta x}",
    ),
    "signs": (
        -x - 2 * (beta - x) + mul(-2, x) - number(3) / 4,
        "−x − 2 (β − x) + (−2) x − 3 / 4",
        r"-x - 2 (\beta - x) + (-2) x - \frac{3}{4}",
    ),
    "numbers": (
        number(Fraction(-1, 2)) + x * 2 * number(Fraction(1, 3)) + power(x, Fraction(-2, 3)),
        "−1/2 + x · 2 · (1/3) + x^(-2/3)",
        r"-\frac{1}{2} + x \cdot 2 \cdot \frac{1}{3} + x^{-2/3}",
    ),
    "powers": (
        W_Q[a, t] ** 2 * sqrt(x) ** 3 * (x / 2) ** 2 * d_k.size**2,
        "W_Q[a,t]² (√x)³ (x / 2)² d_k²",
        r"(W_{Q})_{a t}^{2} \sqrt{x}^{3} \left(\frac{x}{2}\right)^{2} d_{k}^{2}",
    ),
    "permuted": (
        softmax(Lambda(j, s[sigma[j]]))[sigma[i]],
        "softmax(j ↦ s[σ(j)])[σ(i)]",
        r"\operatorname{softmax}(j \mapsto s_{\sigma(j)})_{\sigma(i)}",
    ),
    "limit": (
        tends(beta, softmax(Lambda(j, beta * s[j]))[i], delta(i, l)),
        "lim_{β→∞} softmax(β s)[i] = [i = l]",
        r"\lim_{\beta\to \infty} \operatorname{softmax}(\beta s)_{i} = [i = l]",
    ),
    "limit at zero": (
        tends(x, x + 1, 1, to="0"),
        "lim_{x→0} (x + 1) = 1",
        r"\lim_{x\to 0} (x + 1) = 1",
    ),
    "derivative": (
        derivative(x**2 * beta, x),
        "∂/∂x x² β",
        r"\frac{\partial}{\partial x} x^{2} \beta",
    ),
    "derivative of a quotient": (
        derivative(x / beta, x) + derivative(x, x) / beta,
        "∂/∂x (x / β) + (∂/∂x x) / β",
        r"\frac{\partial}{\partial x} \frac{x}{\beta} + \frac{\frac{\partial}{\partial x} x}{\beta}",
    ),
    "derivative at a point": (
        derivative(x**2, x, at=beta + 1),
        "(∂/∂x x²)|_{x = β + 1}",
        r"\left.\frac{\partial}{\partial x} x^{2}\right|_{x = \beta + 1}",
    ),
    "derivative by an entry": (
        derivative(softmax(Lambda(l, s[l] + x * delta(l, j)))[i], x, at=0),
        "∂/∂s[j] softmax(s)[i]",
        r"\frac{\partial}{\partial s_{j}} \operatorname{softmax}(s)_{i}",
    ),
    "for all": (
        forall((i, j), implies(negate(eq(i, j)), lt(s[i], s[j]))),
        "∀i ∀j: i ≠ j ⇒ s[i] < s[j]",
        r"\forall i\,\forall j\colon i \ne j \Rightarrow s_{i} < s_{j}",
    ),
    "a range that nothing tells": (
        forall(i, le(i, j)),
        "∀i ≤ n: i ≤ j",
        r"\forall i \le n\colon i \le j",
    ),
    "mask": (
        Sum(j, iverson(M[i, j]) * absolute(s[j])),
        "Σ_{j=1}^n [M[i,j]] |s[j]|",
        r"\sum_{j=1}^{n} [M_{i j}] \lvert s_{j}\rvert ",
    ),
    "bars within bars": (
        absolute(x * absolute(beta)),
        "abs(x |β|)",
        r"\lvert x \lvert \beta\rvert \rvert ",
    ),
    "bijection": (bijection(sigma), "σ ∈ Sym(n)", r"\sigma \in \operatorname{Sym}(n)"),
    "independence": (
        independent(Array("q", (n,), random=True), Array("k", (n,), random=True)),
        "q ⫫ k",
        r"q \perp\!\!\!\perp k",
    ),
    "moments": (
        moments(Array("q", (n,), random=True), 4),
        "E[|q|⁴] < ∞",
        r"\operatorname{E}[\lvert q\rvert ^{4}] < \infty",
    ),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_text(name):
    term, expected, _ = DRAWINGS[name]
    assert text(term) == expected


@pytest.mark.parametrize("name", DRAWINGS)
def test_latex(name):
    term, _, expected = DRAWINGS[name]
    assert latex(term) == expected


def test_typst():
    assert typst(X[i, a]).source == "tag(#1, X_(tag(#2, i) tag(#3, a)))"
    assert typst(sqrt(d_model.size)).source == 'tag(#1, sqrt(tag(#2, d_("model"))))'


def test_repr_is_the_text():
    assert repr(x + 1) == "x + 1"


def test_variance_only_where_it_is_asked_for():
    variance = E(z**2) - E(z) ** 2
    assert "Var" not in text(variance)
    assert text(variance, variance=True) == "Var(q · k)"
    assert latex(variance, variance=True) == r"\operatorname{Var}(q \cdot k)"
    other = E(z**2) - E(x) ** 2
    assert text(other, variance=True) == text(other)


@pytest.mark.parametrize(
    "body",
    [
        softmax(Lambda(l, s[l] + x * delta(l, j)))[i] + x,  # x elsewhere
        softmax(Lambda(l, s[l] + x * delta(l, j)))[i] * s[i],  # an entry that is not nudged
        s[i] + x * delta(l, j),  # the bracket speaks of another entry
        s[i] + x * delta(i, j) + s[l] + x * delta(l, i),  # two different entries
        (s[i] + x * delta(i, j)) * (s[l] + x * delta(l, i)),
        Sum(j, s[i] + x * delta(i, j)),  # by an entry that is bound inside
    ],
)
def test_a_derivative_that_only_resembles_one_by_an_entry_is_not_drawn_so(body):
    assert "∂s" not in text(derivative(body, x, at=0))
    assert "∂x" in text(derivative(body, x, at=0))


def test_an_entry_slope_is_one_at_zero_only():
    nudged = (s[i] + x * delta(i, j)) ** 2
    assert text(derivative(nudged, x, at=0)) == "∂/∂s[j] s[i]²"
    assert "∂x" in text(derivative(nudged, x, at=1))


def test_parts_of_a_disjoint_union():
    A, B = Range("A"), Range("B")
    both = Range("A⊎B", (A, B))
    v = Array("v", (both,))
    e, f = Index("e", A), Index("f", both)
    assert text(Sum(e, v[inject(both, 0, e)])) == "Σ_{e ∈ A} v[e]"
    assert text(Sum(f, v[f]) / both.size) == "(Σ_{f ∈ A⊎B} v[f]) / (|A| + |B|)"
    twice = Range("T", (A, A))
    w = Array("w", (twice,))
    assert text(w[inject(twice, 0, e)] - w[inject(twice, 1, e)]) == "w[ι_1(e)] − w[ι_2(e)]"


def test_a_body_out_of_its_binder_can_still_be_shown():
    total = Sum(j, s[j] * x)
    assert text(total.args[0]) == "s[•0] x"
    assert text(unbind(total)[1]) == "s[i] x"


def test_names_are_shared_where_terms_are_shown_together():
    m = Range("m")
    one, other = Array("y", (n,))[i], Array("y", (m,))[Index("u", m)]
    names = Names.of(one, other)
    assert {text(one, names=names), text(other, names=names)} == {"y′[i]", "y[u]"}
    assert text(other) == "y[u]"


def test_definitions_come_after_those_that_they_rest_on():
    found = definitions(attention[i, a])
    assert set(found) == {matmul, Q, transpose, rows}
    assert found.index(matmul) < found.index(Q)
    assert [text(equation(d)) for d in (matmul, Q, transpose, dot)] == [
        "(X W_Q)[i,t] = Σ_{a=1}^d_model X[i,a] W_Q[a,t]",
        "Q = X W_Q",
        "Xᵀ[a,i] = X[i,a]",
        "q · k = Σ_{t=1}^d_k q[t] k[t]",
    ]


@pytest.mark.parametrize(
    "notation", ["{0", "{x}", "f(", "f({0}", "{0} + ", "{0}+{1}", ")", "a;b", " "]
)
def test_a_notation_that_cannot_be_read_says_so(notation):
    with pytest.raises(NotationError) as caught:
        read(notation)
    assert notation in caught.value.given
    assert caught.value.expected


def test_a_notation_may_mention_only_the_arguments_that_there_are():
    wrong = Definition("f", (s,), (i,), s[i], "{0} {1}")
    with pytest.raises(NotationError, match="argument 1"):
        text(wrong(s)[i])
