"""Ancestry of nodes: marks through rewriting, pairs through algebra."""

import pytest

from derive.binding import substitute, unfold
from derive.catalog import load, names
from derive.kernel import infer
from derive.origins import compose, invert, mark, nodes, origins, orphans, pair, read
from derive.signature import Array, Definition, Range
from derive.syntax import Index, Lambda, Sum, Symbol, exp

n = Range("n")
i, j = Index("i", n), Index("j", n)
x, y = Symbol("x"), Symbol("y")
s, t = Array("s", (n,)), Array("t", (n,))
softmax = Definition("softmax", (s,), (i,), exp(s[i]) / Sum(j, exp(s[j])), "softmax({0})")


def at(term, path):
    for position in path:
        term = term.args[position]
    return term


def test_marks_do_not_change_a_term():
    term = Sum(j, s[j] * x) + x
    assert mark(term) == term
    assert {path: node.origin for path, node in nodes(mark(term))} == {
        path: path for path, _ in nodes(term)
    }


def test_a_substituted_term_is_copied():
    old = softmax(Lambda(j, t[j] + x))[i]
    found = read(unfold(mark(old)), old)
    new = unfold(old)
    copies = [path for path, node in nodes(new) if node == x]
    assert len(copies) == 2
    assert found[copies[0]] == found[copies[1]] == [(0, 0, 1)]
    fresh = {at(new, path).op for path in orphans(new, found)}
    assert fresh == {"div", "fn", "sum"}


def test_substitution_keeps_what_it_does_not_touch():
    old = Sum(j, s[j] * x)
    new = substitute(mark(old), {x: mark(y, ("y",))})
    found = read(new, old)
    assert found[()] == [()]
    assert found[(0, 0)] == [(0, 0)]
    assert found[(0, 0, 0)] == [(0, 0, 0)]  # the bound index, through its parent
    assert (0, 1) in orphans(new, found)


def test_equal_symbols_in_different_places_are_told_apart():
    old = x * 2 + x * 3
    new = x * 3 + x * 2
    found = pair(old, new)
    assert found[(0,)] == [(1,)]
    assert found[(0, 0)] == [(1, 0)]
    assert found[(1, 0)] == [(0, 0)]


def test_equal_parts_stay_in_place_when_they_can():
    found = pair(x + x + y, x + x + 1)
    assert found[(0,)] == [(0,)]
    assert found[(1,)] == [(1,)]
    assert (2,) not in found


def test_maps_compose_and_invert():
    first = {(): [()], (0,): [(1,)], (1,): [(1,)]}
    second = {(): [()], (2,): [(0,)], (3,): [(9,)]}
    assert compose(first, second) == {(): [()], (2,): [(1,)]}
    assert invert(first) == {(): [()], (1,): [(0,), (1,)]}


def test_a_rewriting_theorem_tells_its_own_ancestry():
    term = softmax(Lambda(j, t[j] + x))[i] * y
    theorem = infer("rewrite", term=term, law="definition", path=(0,), given=())
    found = origins(theorem)
    assert found[(1,)] == [(1,)]
    assert at(theorem.conclusion.args[1], (1,)) == y
    back = origins(infer("symmetry", theorem))
    assert back[(0, 0, 0, 1)] == [(0, 0, 0, 1), (0, 1, 0, 0, 1)]  # both copies of x merge


@pytest.mark.parametrize("name", ["attention-formula", "dot-product-variance"])
def test_ancestors_are_of_the_same_make(name):
    assert name in names()
    for step in load(name).steps:
        old, new = step.theorem.conclusion.args
        for path, places in origins(step.theorem).items():
            assert {at(old, place).op for place in places} == {at(new, path).op}


def test_most_nodes_of_a_proof_have_an_ancestor():
    total, lost = 0, 0
    steps = load("dot-product-variance").steps
    for step in (s for s in steps if "definition" not in s.rule):  # opening one gives birth
        new = step.theorem.conclusion.args[1]
        total += sum(1 for _ in nodes(new))
        lost += len(orphans(new, origins(step.theorem)))
    assert lost <= total / 8
