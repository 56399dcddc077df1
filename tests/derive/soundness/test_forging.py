"""The ordinary ways of forging a theorem or an ill-formed term are refused."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import threading
from fractions import Fraction
from types import SimpleNamespace

import pytest

from derive import kernel, rules
from derive.binding import bind, unfold
from derive.errors import DeriveError, TermError
from derive.facts import RuleError
from derive.kernel import Theorem, genuine, infer
from derive.rules import Sequent, rewriting, structure
from derive.signature import PROP, REAL, Array, Definition, Range
from derive.syntax import (
    E,
    Index,
    Lambda,
    Sum,
    Symbol,
    conjoin,
    derivative,
    eq,
    exp,
    forall,
    implies,
    indices,
    lt,
    negate,
    ranges,
    tends,
)
from derive.terms import Term, number
from vocabulary import a, both, d, i, j, k, mask, n, x, σ

FALSE = eq(number(0), 1)


def true():
    return infer("reflexivity", term=number(0))


def falsify(theorem) -> None:
    object.__setattr__(theorem, "conclusion", FALSE)


def used_as_a_premise(theorem) -> None:
    infer("symmetry", theorem)


# ------------------------------------------------------------------ theorems


def raw_theorem():
    forged = object.__new__(Theorem)
    for name in ("hypotheses", "conclusion", "rule", "arguments", "premises", "laws"):
        object.__setattr__(forged, name, getattr(true(), name))
    falsify(forged)
    return forged


def overwritten():
    theorem = true()
    falsify(theorem)
    return theorem


def weakened():
    theorem = infer("assume", proposition=FALSE)
    object.__setattr__(theorem, "hypotheses", frozenset())
    return theorem


def lookalike():
    class Theorem:
        hypotheses, conclusion = frozenset(), FALSE

    return Theorem()


FORGERIES = {
    "object.__new__": raw_theorem,
    "an overwritten slot": overwritten,
    "hypotheses taken away": weakened,
    "a class of the same name": lookalike,
    "a namespace": lambda: SimpleNamespace(hypotheses=frozenset(), conclusion=FALSE),
    "a sequent": lambda: Sequent(frozenset(), FALSE),
    "a term": lambda: FALSE,
    "nothing": lambda: None,
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_theorem_is_no_premise(forge):
    forged = forge()
    for use in (genuine, used_as_a_premise):
        with pytest.raises(RuleError):
            use(forged)


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: Theorem(frozenset(), FALSE),
        lambda: Theorem.__new__(Theorem),
        lambda: type("Mine", (Theorem,), {}),
        lambda: copy.copy(true()),
        lambda: copy.deepcopy(true()),
        lambda: copy.replace(true(), conclusion=FALSE),
        lambda: dataclasses.replace(true(), conclusion=FALSE),
        lambda: pickle.dumps(true()),
        lambda: true().__reduce_ex__(2),
        lambda: setattr(true(), "conclusion", FALSE),
        lambda: delattr(true(), "hypotheses"),
        lambda: bool(true()),
        lambda: true().arguments.update(term=FALSE),
        lambda: setattr(true(), "__class__", SimpleNamespace),
    ],
    ids=[
        "construct",
        "__new__",
        "subclass",
        "copy",
        "deepcopy",
        "copy.replace",
        "dataclasses.replace",
        "pickle",
        "reduce",
        "assign",
        "delete",
        "truth value",
        "arguments",
        "class",
    ],
)
def test_a_theorem_is_not_made_by_hand(attempt):
    with pytest.raises((DeriveError, TypeError, AttributeError)):
        attempt()


def test_a_theorem_whose_memory_is_used_again_is_another_theorem():
    for _ in range(200):
        theorem = infer("assume", proposition=FALSE)
        address = id(theorem)
        del theorem
        again = object.__new__(Theorem)
        if id(again) == address:
            with pytest.raises(RuleError):
                genuine(again)
            return
    pytest.skip("the memory was not used again")


def anything(**_):
    return Sequent(frozenset(), FALSE)


def test_a_rebound_rule_table_changes_nothing(monkeypatch):
    monkeypatch.setitem(rules.RULES, "reflexivity", anything)
    monkeypatch.setitem(structure.RULES, "anything", anything)
    monkeypatch.setattr(kernel, "RULES", {"anything": anything})
    assert true().conclusion == eq(0, 0)
    with pytest.raises(RuleError):
        infer("anything")


def test_a_rebound_law_table_changes_nothing(monkeypatch):
    with pytest.raises(TypeError):
        rewriting.LAWS["anything"] = lambda term, facts: number(7)
    monkeypatch.setattr(rewriting, "LAWS", {"linearity": lambda term, facts: number(7)})
    term = E(number(1))
    theorem = infer("rewrite", term=term, law="linearity")
    assert theorem.conclusion == eq(term, 1)


@pytest.mark.parametrize(
    "argument",
    [0.5, float("nan"), True, Fraction(1, 2), {}, {0}, b"0", object(), [[0.5]], lambda: 0],
    ids=str,
)
def test_arguments_are_plain_data(argument):
    with pytest.raises(RuleError):
        infer("reflexivity", term=argument)


@pytest.mark.parametrize("rule", ["nonsense", "", None, 3, ["reflexivity"], "__class__"])
def test_an_unknown_rule(rule):
    with pytest.raises(RuleError):
        infer(rule, term=number(0))


def test_theorems_of_two_threads_are_all_genuine():
    made: list = []

    def work() -> None:
        for m in range(200):
            made.append(infer("symmetry", infer("reflexivity", term=number(m))))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 800
    assert all(genuine(theorem) is theorem for theorem in made)


# ------------------------------------------------------------------ terms


class Half(Fraction):
    """A number that changes its mind."""


BV, FV = Term("bv", (), (0, n)), Term("fv", (), (10**9, n))
MALFORMED = {
    "a float": lambda: Term("num", (), (0.5, 1)),
    "not a number": lambda: Term("num", (), (float("nan"), 1)),
    "a float in a sum": lambda: Symbol("u") + 0.5,
    "NaN in a product": lambda: Symbol("u") * float("nan"),
    "a float as an exponent": lambda: Symbol("u") ** 0.5,
    "a truth value as a number": lambda: Term("num", (), (True, 1)),
    "a number not in lowest terms": lambda: Term("num", (), (2, 4)),
    "a zero denominator": lambda: Term("num", (), (1, 0)),
    "a subclass of a number": lambda: number(Half(1, 2)),
    "an unknown node": lambda: Term("magic", ()),
    "an unknown function": lambda: Term("fn", (number(1),), "tan"),
    "a child that is no term": lambda: Term("neg", (1,)),
    "an empty sum": lambda: Term("add", ()),
    "a fraction of three": lambda: Term("div", (number(1),) * 3),
    "data where there is none": lambda: Term("add", (number(1),), "data"),
    "the wrong axis": lambda: x[a],
    "an index too many": lambda: x[i, j],
    "a number as an index": lambda: x[number(1)],
    "an index as a number": lambda: number(1) + i,
    "an array as a number": lambda: number(1) + x,
    "a truth value as a summand": lambda: Term("add", (FALSE, FALSE)),
    "equal propositions": lambda: eq(FALSE, FALSE),
    "equal indices of two ranges": lambda: eq(i, a),
    "an index below an index of another range": lambda: lt(i, a),
    "a bracket about numbers": lambda: Term("iv", (lt(number(0), x[i]),)),
    "a bracket of ∀": lambda: Term("iv", (forall(i, eq(i, j)),)),
    "a summation index of another range": lambda: Term("sum", (x[BV],), d),
    "a real summation index": lambda: Sum(Symbol("u"), Symbol("u")),
    "a derivative by an index": lambda: derivative(x[i], i),
    "a limit of an index": lambda: tends(i, x[i], 0),
    "a limit nowhere": lambda: tends(Symbol("u"), Symbol("u"), 0, to="1"),
    "a derivative that binds nothing": lambda: Term("D", (number(1), number(1))),
    "a part that is not there": lambda: Term("inj", (i,), (Range("u", (n,)), 1)),
    "a negative bound variable": lambda: Term("bv", (), (-1, n)),
    "a random mask": lambda: Array("M", (n,), PROP, random=True),
    "independence of one": lambda: Term("indep", (), (Array("q", (), random=True),)),
    "independence of twins": lambda: Term("indep", (), (Array("q", (), random=True),) * 2),
    "independence of what is not random": lambda: Term("indep", (), (x, Array("y", (n,)))),
    "moments of what is not random": lambda: Term("moments", (), (x, 2)),
    "a bijection of two axes": lambda: Term("bij", (), Array("σ", (n, n), n)),
    "a bijection onto numbers": lambda: Term("bij", (), x),
    "a name with a blank": lambda: Range("n m"),
    "an empty name": lambda: Symbol(""),
    "an invisible name": lambda: Symbol("u\u200b"),
    "a name of two spellings": lambda: Symbol("e\u0301"),
    "a truth value as a name": lambda: Symbol(True),
    "children that are none": lambda: Term("add", None),
    "parts that are none": lambda: Range("n", 3),
    "axes that are none": lambda: Array("x", 3),
    "parameters that are none": lambda: Definition("f", 3, (), number(1)),
    "indices that are none": lambda: Definition("f", (), i, number(1)),
    "a list as the name of a node": lambda: Term(["add"], (number(1),)),
    "independence of lists": lambda: Term("indep", (), ([x], [x])),
    "a binder over what is no term": lambda: forall(i, 1),
    "ranges named by a list": lambda: ranges(["n", "d"]),
    "indices named by nothing": lambda: indices(None, n),
    "a subclass of Term": lambda: type("Mine", (Term,), {}),
    "a subclass of Range": lambda: type("Mine", (Range,), {}),
    "a term as true": lambda: bool(FALSE),
    "terms in order": lambda: number(0) < number(1),
    "a definition with a free symbol": lambda: Definition("f", (), (), Symbol("u")),
    "a definition with a free array": lambda: Definition("f", (), (i,), x[i]),
    "a definition with a free index": lambda: Definition("f", (x,), (), x[i]),
    "a definition with another range's size": lambda: Definition("f", (x,), (), d.size),
    "a definition with a loose variable": lambda: Definition("f", (x,), (), x[BV]),
    "a definition with a private variable": lambda: Definition("f", (x,), (), x[FV]),
    "a random parameter": lambda: Definition("f", (Array("q", (), random=True),), (), number(1)),
    "two parameters of one name": lambda: Definition("f", (x, Array("x", (d,))), (), number(1)),
    "a proposition as a definition": lambda: Definition("f", (), (), FALSE),
}


ONE, CURVE = number(1), bind("rlam", Symbol("t"), Symbol("t"))
RANDOM = Array("q", (n,), random=True)
NO_NODES = [  # op, children, data: each is wrong in one way only
    ("num", (ONE,), (1, 1)),
    ("num", (), (1, 1, 1)),
    ("num", (), (1, -1)),
    ("num", (), [1, 1]),
    ("size", (ONE,), n),
    ("size", (), x),
    ("size", (), both),
    ("sym", (ONE,), "t"),
    ("ix", (ONE,), ("i", n)),
    ("ix", (), ("i", REAL)),
    ("ix", (), ("i j", n)),
    ("bv", (ONE,), (0, n)),
    ("bv", (), (0, PROP)),
    ("fv", (), (0, PROP)),
    ("fv", (ONE,), (0, n)),
    ("inj", (i,), (both, -1)),
    ("inj", (i,), (both, 2)),
    ("inj", (i,), (both, True)),
    ("inj", (a,), (both, 0)),
    ("inj", (i, i), (both, 0)),
    ("inj", (i,), (x, 0)),
    ("add", (), None),
    ("mul", (ONE, i), None),
    ("neg", (ONE, ONE), None),
    ("neg", (ONE,), "data"),
    ("neg", (i,), None),
    ("E", (ONE, ONE), None),
    ("E", (FALSE,), None),
    ("div", (ONE,), None),
    ("div", (ONE, i), None),
    ("div", (ONE, ONE), "data"),
    ("pow", (ONE, ONE), (2, 1)),
    ("pow", (i,), (2, 1)),
    ("pow", (ONE,), (2, 4)),
    ("fn", (ONE, ONE), "exp"),
    ("fn", (i,), "exp"),
    ("iv", (eq(i, j),), "data"),
    ("iv", (eq(i, j), eq(i, j)), None),
    ("iv", (negate(FALSE),), None),
    ("iv", (conjoin(eq(i, j), FALSE),), None),
    ("iv", (conjoin(FALSE, eq(i, j)),), None),
    ("iv", (implies(eq(i, j), eq(i, j)),), None),
    ("sum", (FALSE,), n),
    ("sum", (ONE,), REAL),
    ("sum", (ONE, ONE), n),
    ("lam", (ONE, ONE), n),
    ("lam", (ONE,), REAL),
    ("lam", (CURVE,), n),
    ("lam", (BV,), d),
    ("rlam", (FALSE,), REAL),
    ("rlam", (ONE,), n),
    ("rlam", (x[BV],), REAL),
    ("all", (ONE,), n),
    ("all", (FALSE,), PROP),
    ("all", (eq(x[BV], 0),), d),
    ("all", (eq(x[BV], 0),), REAL),
    ("def", (), n),
    ("D", (CURVE, ONE), "data"),
    ("D", (CURVE, i), None),
    ("tends", (CURVE,), "oo"),
    ("tends", (ONE, ONE), "oo"),
    ("eq", (ONE,), None),
    ("eq", (ONE, ONE, ONE), None),
    ("eq", (ONE, ONE), "data"),
    ("eq", (CURVE, CURVE), None),
    ("le", (ONE, ONE, ONE), None),
    ("le", (ONE, ONE), "data"),
    ("le", (ONE, i), None),
    ("lt", (FALSE, FALSE), None),
    ("lt", (Lambda(i, x[i]), Lambda(i, x[i])), None),
    ("not", (ONE,), None),
    ("not", (FALSE,), "data"),
    ("and", (FALSE,), None),
    ("and", (FALSE, ONE), None),
    ("imp", (FALSE, FALSE), "data"),
    ("bij", (ONE,), σ),
    ("bij", (), n),
    ("indep", (ONE,), (RANDOM, Array("r", (), random=True))),
    ("indep", (), [RANDOM, Array("r", (), random=True)]),
    ("indep", (), (RANDOM, x)),
    ("indep", (), (RANDOM, n)),
    ("moments", (ONE,), (RANDOM, 2)),
    ("moments", (), (RANDOM, 0)),
    ("moments", (), (RANDOM, True)),
    ("moments", (), (n, 2)),
    ("entry", (), x),
]


@pytest.mark.parametrize("node", NO_NODES, ids=lambda node: f"{node[0]} {node[1]!r} {node[2]!r}")
def test_a_node_that_there_is_not(node):
    with pytest.raises(TermError):
        Term(*node)


@pytest.mark.parametrize(
    "node",
    [
        ("num", (), (-1, 1)),
        ("fv", (), (-1, n)),
        ("inj", (a,), (both, 1)),
        ("iv", (conjoin(negate(eq(i, j)), mask[i, j]),), None),
        ("lam", (Lambda(i, x[i]),), d),
        ("lam", (FALSE,), n),
        ("all", (FALSE,), REAL),
        ("eq", (Lambda(i, x[i]), Lambda(j, x[j])), None),
        ("le", (i, j), None),
        ("moments", (), (RANDOM, 1)),
        ("add", (ONE,), None),
    ],
    ids=lambda node: f"{node[0]} {node[1]!r} {node[2]!r}",
)
def test_a_node_that_there_is(node):
    assert Term(*node).op == node[0]


def test_terms_of_one_hash_are_told_apart():
    """In Python -1 and -2 have one hash, and so have the terms that they make."""
    one, two = number(-1), number(-2)
    assert hash(one) == hash(two)
    for make in (lambda t: t, lambda t: -t, lambda t: t + x[i], lambda t: Sum(i, t)):
        assert hash(make(one)) == hash(make(two))
        assert make(one) != make(two)
    with pytest.raises(RuleError):
        infer("algebra", left=one, right=two)


def test_a_binder_binds_a_variable():
    for variable in (x[i], Symbol("t") + 1, number(1), n, x, "t", None):
        with pytest.raises(TermError):
            derivative(1, variable, at=1)


def test_a_binder_bears_the_name_of_its_variable_or_the_one_given():
    assert bind("sum", i, x[i]).hint == "i"
    assert bind("rlam", Symbol("t"), Symbol("t")).hint == "t"
    assert bind("sum", i, x[i], "k").hint == "k"
    assert bind("sum", FV, x[FV]).hint is None


def test_a_name_has_at_most_64_letters():
    assert Range("n" * 64).name == "n" * 64
    with pytest.raises(TermError):
        Range("n" * 65)


@pytest.mark.parametrize("build", MALFORMED.values(), ids=MALFORMED)
def test_an_ill_formed_term_does_not_exist(build):
    with pytest.raises(TermError):
        build()


def test_a_term_cannot_be_changed():
    term = x[i] + 1
    for change in (
        lambda: object.__setattr__(term, "op", "mul"),
        lambda: object.__setattr__(term, "args", ()),
        lambda: term.__setitem__(0, "mul"),
        lambda: term.args.append(number(1)),
        lambda: term.names.add("y"),
    ):
        with pytest.raises((AttributeError, TypeError)):
            change()
    assert term == x[i] + 1


def test_a_term_travels_whole():
    term = Sum(k, exp(x[k])) / n.size
    for other in (copy.copy(term), copy.deepcopy(term), pickle.loads(pickle.dumps(term))):
        assert type(other) is Term
        assert other == term
        assert hash(other) == hash(term)


def test_a_pickle_is_checked_when_it_is_read():
    wrong = pickle.dumps(x[i]).replace(b"entry", b"magic")
    with pytest.raises(TermError):
        pickle.loads(wrong)


def test_what_a_node_knows_of_itself_is_computed():
    assert Term("entry", (i,), x).kind == REAL
    with pytest.raises(TypeError):
        Term("entry", (i,), x, None, None, PROP)  # a kind of one's own


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (x[i], Array("x", (d,))[a]),
        (Symbol("x"), x[i]),
        (x[i], Array("x", (n,), random=True)[i]),
        (x[i], Array("n", (d,))[a]),
        (Definition("f", (), (), number(1))(), Definition("f", (), (), number(2))()),
        (
            Definition("f", (), (), number(1), notation="h")(),
            Definition("g", (), (), number(2), notation="h")(),
        ),
        (n.size, Sum(Index("k", Range("n", (d,))), 1)),
    ],
)
def test_two_things_of_one_spelling_are_not_in_one_theorem(one, other):
    with pytest.raises(RuleError):
        infer("reflexivity", term=Term("add", (one, other)))


def test_a_definition_hides_no_capture():
    """A definition's parameter bears the name of what is put in."""
    twice = Definition("twice", (x,), (i,), Sum(j, x[i] * x[j]))
    applied = twice(Array("x", (n,)))[j]
    assert unfold(applied) == Sum(k, x[j] * x[k])
