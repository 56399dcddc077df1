"""Different terms are never drawn alike, up to names of bound variables.

The search is over every small term of a vocabulary in which everything that could be confused is
present: sums beside products, nested quotients, signs, binders of one name, matrix expressions
beside their entries, and names of one spelling.
"""

from fractions import Fraction

import pytest

from derive.notation.latex import latex
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
    conjoin,
    delta,
    derivative,
    eq,
    exp,
    forall,
    implies,
    iverson,
    log,
    lt,
    negate,
    number,
    power,
    sqrt,
    tends,
)
from derive.terms import Term

n = Range("n")
i, j, l = (Index(name, n) for name in "ijl")
x = Symbol("x")
s, t = Array("s", (n,)), Array("t", (n,))
M = Array("M", (n, n))
dot = Definition("dot", (s, t), (), Sum(i, s[i] * t[i]), "{0} · {1}")
softmax = Definition("softmax", (s,), (i,), exp(s[i]) / Sum(j, exp(s[j])), "softmax({0})")
norm = Definition("norm", (s,), (), sqrt(Sum(i, s[i] ** 2)), "‖{0}‖")
hadamard = Definition("hadamard", (s, t), (i,), s[i] * t[i], "{0} ⊙ {1}")
gram = Definition("gram", (s,), (i, j), s[i] * s[j], "G")
TARGETS = {"text": text, "latex": latex, "typst": lambda term: typst(term).source}

NEGATIVE = lambda a: -a
SQUARE = lambda a: a**2
SUM = lambda a: Sum(j, a)
SLOPE = lambda a: derivative(a, x)
QUOTIENT = lambda a, b: Term("div", (a, b))
PRODUCT = lambda a, b: Term("mul", (a, b))
PLUS = lambda a, b: Term("add", (a, b))
DOT = lambda a, b: dot(Lambda(i, a), Lambda(j, b))
HADAMARD = lambda a, b: hadamard(Lambda(j, a), Lambda(j, b))[i]
NORM = lambda a: norm(Lambda(i, a))
SOFTMAX = lambda a: softmax(Lambda(j, a))[i]
GRAM = lambda a: gram(Lambda(i, a))[i, j]
AT_ZERO = lambda a: derivative(a, x, at=0)
INVERSE = lambda a: power(a, -1)


def minus(a, b):
    return a - b


# Each vocabulary: leaves, functions of one term, functions of two. All their terms up to three
# levels (four where one leaf will do) are drawn, so that no pair of shapes is missed.
VOCABULARIES = {
    "arithmetic": ([x, number(2)], [NEGATIVE, SQUARE], [PLUS, PRODUCT, QUOTIENT, minus]),
    "signs": ([x, number(-2), number(2)], [NEGATIVE, exp], [PLUS, PRODUCT, minus]),
    "numerals": ([number(2), number(Fraction(-1, 2))], [INVERSE, sqrt], [PRODUCT, QUOTIENT]),
    "open sums": ([x], [SUM], [PRODUCT, QUOTIENT]),
    "open slopes": ([x], [SLOPE], [PRODUCT, PLUS]),
    "open ends": ([x], [SUM, SLOPE, AT_ZERO, NEGATIVE], [PLUS, PRODUCT, QUOTIENT]),
    "roots": ([x, n.size], [sqrt, SQUARE, INVERSE, exp, log, absolute, E], [PRODUCT]),
    "arrays": ([x, s[j]], [SOFTMAX, NORM, GRAM], [DOT, HADAMARD, PRODUCT]),
    "matrix sums": ([s[i], s[j]], [NORM], [PLUS, DOT, HADAMARD, QUOTIENT]),
}


def layer(terms, unary, binary):
    """All terms with one more node on top."""
    return [
        *(f(a) for f in unary for a in terms),
        *(f(a, b) for f in binary for a in terms for b in terms),
    ]


def small_terms(vocabulary):
    leaves, unary, binary = VOCABULARIES[vocabulary]
    terms = leaves
    while len(terms) < 41:
        terms = [*leaves, *layer(terms, unary, binary)]
    return terms


def same_reading(term):
    """The term with that one difference removed that means nothing: −2 is the negative of 2."""
    args = [same_reading(arg) for arg in term.args]
    if term.op == "num" and term.value < 0:
        return -number(-term.value)
    return Term(term.op, args, term.data)


def collisions(terms, draw):
    seen, found = {}, []
    for term in terms:
        reading = same_reading(term)
        if seen.setdefault(draw(term), reading) != reading:
            found.append(draw(term))
    return found


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("target", ["text", "latex"])  # Typst and LaTeX share all that decides
def test_terms_are_told_apart(target, vocabulary):
    assert collisions(small_terms(vocabulary), TARGETS[target]) == []


@pytest.mark.parametrize("target", TARGETS)
def test_statements_are_told_apart(target):
    p, q, r = eq(i, j), lt(i, j), eq(s[i], 0)
    atoms = [p, q, r, eq(j, i)]
    pairs = [f(a, b) for f in (implies, conjoin) for a in atoms for b in atoms]
    singles = [f(a) for f in (negate, lambda a: forall(i, a)) for a in [*atoms, *pairs]]
    nested = [f(a, b) for f in (implies, conjoin) for a in [*pairs, *singles] for b in atoms]
    nested += [f(b, a) for f in (implies, conjoin) for a in [*pairs, *singles] for b in atoms]
    limits = [
        tends(x, a, b, to)
        for a in small_terms("open ends")[:40]
        for b in (x, number(0))
        for to in ("oo", "0")
    ]
    brackets = [eq(iverson(a) * x, delta(i, j)) for a in (p, q, negate(p), conjoin(p, q))]
    everything = [*atoms, *pairs, *singles, *nested, *limits, *brackets]
    assert collisions(everything, lambda term: TARGETS[target](term)) == []


@pytest.mark.parametrize("target", TARGETS)
def test_array_arguments_are_told_apart(target):
    c = Array("M", (n, n))[i, i]
    arrays = [
        s,
        Lambda(j, s[j] + x),
        Lambda(j, x * s[j]),
        Lambda(j, s[j] * x),
        Lambda(j, x + s[j]),
        Lambda(j, s[j] * s[j]),
        Lambda(j, s[j] / x),
        Lambda(j, x / s[j]),
        Lambda(j, -s[j]),
        Lambda(j, M[i, j]),
        Lambda(j, M[j, i]),
        Lambda(j, M[j, j]),
        Lambda(j, c),
        Lambda(j, x),
        Lambda(j, softmax(s)[j]),
        Lambda(j, softmax(Lambda(i, M[j, i]))[i]),
        Lambda(j, softmax(Lambda(i, M[i, j]))[i]),
        Lambda(j, softmax(Lambda(i, M[j, i]))[j]),
        softmax(Lambda(j, -s[j])),
    ]
    assert collisions([softmax(a)[i] for a in arrays], TARGETS[target]) == []
    assert collisions([eq(Lambda(i, s[i]), a) for a in arrays], TARGETS[target]) == []


@pytest.mark.parametrize("target", TARGETS)
def test_matrix_arguments_are_told_apart(target):
    total = Definition("total", (M,), (), Sum((i, j), M[i, j]), "total({0})")
    square = Definition("square", (M,), (i, j), Sum(l, M[i, l] * M[l, j]), "{0}²")
    matrices = [
        M,
        Lambda((i, j), M[j, i]),
        Lambda((i, j), M[i, i]),
        Lambda((i, j), M[i, j] * M[j, i]),
        Lambda((i, j), M[i, j] * s[j]),
        Lambda((i, j), x * M[i, j]),
        Lambda((i, j), M[i, j] + s[j]),
        Lambda((i, j), M[i, j] + M[i, j]),
        Lambda((i, j), s[j]),
        Lambda((i, j), s[i]),
        Lambda((i, j), square(M)[i, j]),
        Lambda((i, j), square(M)[j, i]),
        Lambda((i, j), M[i, j] ** 2),
    ]
    assert collisions([total(a) for a in matrices], TARGETS[target]) == []
    assert collisions([eq(M, a) for a in matrices], TARGETS[target]) == []


def test_bound_names_make_no_difference():
    k = Index("k", n)
    assert Sum(j, s[j]) == Sum(k, s[k])
    assert text(softmax(Lambda(j, s[j]))[i]) == text(softmax(Lambda(k, s[k]))[i])


@pytest.mark.parametrize("target", TARGETS)
def test_things_of_one_spelling_are_told_apart(target):
    m = Range("m")
    one, two = Array("y", (n,)), Array("y", (m,))
    random_one = Array("y", (n,), random=True)
    u = Index("u", m)
    draw = TARGETS[target]
    assert draw(one[i] + two[u]) != draw(one[i] + one[i])
    assert draw(eq(one[i], random_one[i])) != draw(eq(one[i], one[i]))
    assert draw(Symbol("n") * n.size) != draw(n.size * n.size)
    assert draw(Symbol("x") + Array("x")[()]) != draw(x + x)
    assert draw(Symbol("beta") + Symbol("β")) != draw(Symbol("β") + Symbol("β"))


@pytest.mark.parametrize("target", TARGETS)
def test_definitions_of_one_spelling_are_told_apart(target):
    draw = TARGETS[target]

    def define(body, notation, name="f"):
        return Definition(name, (s,), (i,), body, notation)

    for notation in ("", "f({0})", "f", "{0}ᵀ", "‖{0}‖"):
        one, other = define(s[i], notation), define(2 * s[i], notation)
        assert draw(one(s)[i] + other(s)[i]) != draw(one(s)[i] + one(s)[i])
        assert draw(one(s)[i] + other(s)[i]) != draw(other(s)[i] + other(s)[i])
    assert draw(define(s[i], "t")(s)[i] + t[i]) != draw(t[i] + t[i])
    shout = Definition("exp", (Array("y"),), (), 2 * Array("y")[()])
    assert draw(shout(log(x)) + exp(log(x))) != draw(exp(log(x)) + exp(log(x)))


def test_a_bare_name_stands_for_its_own_parameters_only():
    bare = Definition("f", (s, t), (i,), s[i] * t[i], "F")
    assert text(bare(s, t)[i]) == "F[i]"
    assert text(bare(t, s)[i]) == "f(t, s)[i]"
    assert text(bare(s, Lambda(j, t[j] * 2))[i]) == "f(s, t · 2)[i]"
    partly = Definition("f", (s, t), (i,), s[i] * t[i], "F({0})")
    assert text(partly(Lambda(j, x * s[j]), t)[i]) == "F(x s)[i]"
    assert text(partly(s, s)[i]) == "f(s, s)[i]"


def test_binders_are_never_printed_alike_or_like_a_free_name():
    k = Index("k", n)
    nested = Sum(k, s[k] * Sum(Index("k", n), s[k] * t[Index("k", n)]))
    assert text(nested) != text(Sum(k, s[k] * Sum(j, s[j] * t[j])))
    inner = Term(
        "sum", (Term("entry", (Term("bv", (), (1, n)), Term("bv", (), (0, n))), M),), n, "k"
    )
    assert text(Term("sum", (inner,), n, "k")) == "Σ_{k=1}^n Σ_{i=1}^n M[k,i]"
    assert text(Sum(k, s[k] * Symbol("k"))) == "Σ_{i=1}^n s[i] k"
    assert text(Sum(k, s[k] * x) + t[k]) == "Σ_{i=1}^n s[i] x + t[k]"


@pytest.mark.parametrize("target", TARGETS)
def test_odd_names_do_not_look_like_anything_else(target):
    draw = TARGETS[target]
    assert draw(Symbol("x+x")) != draw(x + x)
    assert draw(Symbol("2") * x) != draw(2 * x)
    assert draw(Symbol("s[i]")) != draw(s[i])
    assert draw(Symbol("exp") * (x + 1)) != draw(exp(x + 1))


def test_a_binder_is_not_called_like_a_definition():
    k = Index("k", n)
    key = Definition("key", (s,), (i,), 2 * s[i], "k")
    assert text(Sum(k, key(s)[k])) == "Σ_{i=1}^n k[i]"
    assert latex(Sum(i, key(s)[i]) * Symbol("k_i")) == r"\left(\sum_{j=1}^{n} k_{j}\right) k_{i}"


def test_an_entry_never_looks_like_a_name():
    k = Index("k", n)
    d = Array("d", (n,))
    assert latex(Sum(k, d[k]) * Symbol("d_k")) == r"\left(\sum_{i=1}^{n} d_{i}\right) d_{k}"
