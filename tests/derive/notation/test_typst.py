"""Identity: every node has its tag, and tags leave the layout untouched."""

import re

import pytest
import typst as compilers

from derive.notation.typst import PLAIN, typst
from derive.signature import Array, Definition, Range
from derive.syntax import (
    E,
    Index,
    Lambda,
    Sum,
    Symbol,
    absolute,
    bijection,
    conjoin,
    delta,
    derivative,
    eq,
    exp,
    forall,
    implies,
    independent,
    le,
    log,
    moments,
    negate,
    number,
    sqrt,
    tends,
)

n, d_k, d_model, A = Range("n"), Range("d_k"), Range("d_model"), Range("A")
i, j, t, a = Index("i", n), Index("j", n), Index("t", d_k), Index("a", d_model)
beta = Symbol("beta")
s, X, W_Q = Array("s", (n,)), Array("X", (n, d_model)), Array("W_Q", (d_model, d_k))
q, k = Array("q", (d_k,)), Array("k", (d_k,))
xi = Array("q", (d_k,), random=True)
eta = Array("k", (d_k,), random=True)
sigma = Array("sigma", (n,), out=n)
matmul = Definition("matmul", (X, W_Q), (i, t), Sum(a, X[i, a] * W_Q[a, t]), "{0} {1}")
transpose = Definition("transpose", (X,), (a, i), X[i, a], "{0}ᵀ")
Q = Definition("Q", (X, W_Q), (i, t), matmul(X, W_Q)[i, t], "Q")
dot = Definition("dot", (q, k), (), Sum(t, q[t] * k[t]), "{0} · {1}")
norm = Definition("norm", (q,), (), sqrt(Sum(t, q[t] ** 2)), "‖{0}‖")
softmax = Definition("softmax", (s,), (i,), exp(s[i]) / Sum(j, exp(s[j])), "softmax({0})")
row = lambda index: Lambda(t, Q(X, W_Q)[index, t])

TERMS = {
    "matrix product": eq(matmul(X, W_Q)[i, t], Sum(a, X[i, a] * W_Q[a, t])),
    "softmax": softmax(Lambda(j, dot(row(i), row(j)) / sqrt(d_k.size)))[i],
    "variance": eq(E(dot(xi, eta) ** 2) - E(dot(xi, eta)) ** 2, d_k.size),
    "limit": tends(beta, exp(beta * s[i]) / Sum(j, exp(beta * s[j])), delta(i, j)),
    "derivative": derivative(beta**2 * 3, beta),
    "derivative at a point": derivative(log(beta) * 3, beta, at=0),
    "for all": forall((i, j), implies(conjoin(negate(eq(i, j)), le(s[i], s[j])), le(s[i], beta))),
    "signs": -s[i] - 2 * s[j] * (s[i] - s[j]) + -beta,
    "scripts": W_Q[a, t] ** 2 / (X[i, a] ** -1 * d_k.size**2) * s[i] ** 3,
    "fences": absolute(s[i] - s[j] / 2) * norm(q) ** 2,
    "numerals": number(-2) * beta + number(2) / 3 * 5,
    "assumptions": conjoin(bijection(sigma), conjoin(independent(xi, eta), moments(xi, 4))),
    "permuted": softmax(Lambda(j, s[sigma[j]]))[sigma[i]],
    "transposed": eq(transpose(X)[a, i], X[i, a]),
    "matrix equation": eq(matmul(X, W_Q), Q(X, W_Q)),
    "map": eq(Lambda((i, j), s[i] * s[j]), Lambda((i, j), s[j] * s[i])),
    "sum over a set": Sum(Index("u", A), A.size + 1),
}
COLOUR = "#let tag(i, body) = text(fill: rgb(1, calc.quo(i, 256), calc.rem(i, 256)), body)\n"
PAGE = "#set page(width: auto, height: auto, margin: 0pt, fill: none)\n"


@pytest.fixture(scope="module")
def svg():
    compiler = compilers.Compiler()

    def compile_(preamble, source):
        return compiler.compile(
            input=f"{PAGE}{preamble}$ {source} $".encode(), format="svg"
        ).decode()

    return compile_


def geometry(drawing):
    return re.findall(r'(?:viewBox|transform|x|y|d)="([^"]*)"', drawing)


def nodes(term, path=()):
    yield path, term
    for position, arg in enumerate(term.args):
        yield from nodes(arg, (*path, position))


@pytest.mark.parametrize("name", TERMS)
def test_tags_leave_the_layout_untouched(name, svg):
    source = typst(TERMS[name]).source
    assert geometry(svg(COLOUR, source)) == geometry(svg(PLAIN, source))


@pytest.mark.parametrize("name", TERMS)
def test_every_glyph_belongs_to_a_node(name, svg):
    typeset = typst(TERMS[name])
    drawing = svg(COLOUR, typeset.source)
    fills = re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', drawing)
    tags = {int(fill[3:], 16) for fill in fills if fill.startswith("#01")}
    assert tags
    assert "#000000" not in fills
    assert max(tags) <= len(typeset.paths)


@pytest.mark.parametrize("name", TERMS)
def test_paths_lead_to_nodes(name):
    term = TERMS[name]
    known = dict(nodes(term))
    assert set(typst(term).paths) <= set(known)


@pytest.mark.parametrize("name", TERMS)
def test_every_leaf_that_is_not_left_out_on_purpose_is_tagged(name):
    term = TERMS[name]
    drawn = set(typst(term).paths)
    missing = {path: node for path, node in nodes(term) if not node.args and path not in drawn}
    assert all(node.op == "bv" or _unwritten(term, path) for path, node in missing.items())


def _unwritten(term, path):
    """Whether a leaf stands in an argument that a bare name leaves unwritten."""
    for position in path:
        if term.op == "def" and term.data.notation == "Q":
            return True
        term = term.args[position]
    return False


def test_a_bound_variable_and_its_introduction_are_tagged():
    typeset = typst(Sum(j, s[j]))
    assert typeset.paths.count(()) == 3  # the sign, the index and the range
    assert (0, 0) in typeset.paths


def test_bound_variable_in_a_matrix_expression_is_not_written():
    term = softmax(s)[i]
    assert typst(term).source == 'tag(#1, op("softmax") #h(0pt) (tag(#2, tag(#3, s)))_(tag(#4, i)))'
    assert typst(term).paths == ((), (0,), (0, 0), (1,))
