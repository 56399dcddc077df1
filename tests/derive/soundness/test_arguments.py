"""Whatever a rule or a law is given, it answers with a theorem or with a refusal of its own."""

from __future__ import annotations

import itertools
import time
from fractions import Fraction
from inspect import Parameter, signature

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.errors import DeriveError
from derive.facts import RuleError, inhabited
from derive.kernel import infer
from derive.rules import RULES
from derive.rules.parameters import TYPES, Parameters
from derive.rules.rewriting import LAW_NAMES, MOST_STEPS
from derive.signature import PROP, Array, Definition, Range
from derive.syntax import (
    E,
    Lambda,
    Sum,
    Symbol,
    absolute,
    add,
    bijection,
    conjoin,
    cos,
    derivative,
    eq,
    exp,
    forall,
    implies,
    independent,
    iverson,
    le,
    log,
    lt,
    moments,
    mul,
    negate,
    sqrt,
    tends,
)
from derive.terms import Term, number
from vocabulary import a, d, i, j, n, q, r, x, σ

M = Array("M", (n,), PROP)
b = Symbol("b")
square = Definition("square", (x,), (i,), x[i] ** 2)

REALS = [number(1), b, x[i], Sum(i, x[i]), square(x)[i], E(q[a]), E(q[a] ** 2), q[a], n.size]
REALS += [derivative(b**2, b), iverson(eq(i, j)), absolute(b), log(b), cos(b), b**-1, sqrt(b)]
REALS += [b * b, 1 / b, Sum(i, x[σ[i]]), Range("u", (n, d)).size, sqrt(number(2)) ** 10**9]
PROPOSITIONS = [eq(b, 1), lt(b, 2), le(b, 2), eq(i, j), M[i], inhabited(n), negate(lt(b, 2))]
PROPOSITIONS += [forall(i, eq(x[i], 0)), implies(eq(b, 1), eq(b, 2)), tends(b, exp(-b), 0)]
PROPOSITIONS += [conjoin(eq(b, 1), eq(b, 2)), bijection(σ), independent(q, r), moments(q, 2)]
PROPOSITIONS += [eq(x, Lambda(i, x[i] ** 2)), le(absolute(b), exp(-b)), lt(exp(-b), 2)]
OTHERS = [i, σ[i], Lambda(i, x[i]), Lambda((i, j), x[i] * x[j]), square(x)]
PRIVATE = [Term("bv", (), (0, n)), Term("fv", (), (3, n))]
TERMS = [*REALS, *PROPOSITIONS, *OTHERS]
PREMISES = [infer("assume", proposition=p) for p in PROPOSITIONS]


class Stubborn:
    """It cannot even be shown."""

    def __repr__(self):
        raise ValueError


endless = []
endless.append(endless)
JUNK = [None, "x", b"x", 1, -1, True, 1.5, float("nan"), 2j, Fraction(1, 2), [], {}, (), {1}]
JUNK += [object(), Stubborn(), endless, Term, n, x, square, [b], (b,), ((b,),), ((b, b),)]
JUNK += [((x, b),), ((n, d),), ((n, b),), (1,), ("a",), ((1, 2),), {"a": 1}, (square,), (None,)]
JUNK += [*PRIVATE, range(3), iter([b]), PREMISES[0]]

ANSWERS = {  # arguments that suit every rule which takes them
    "term": x[i],
    "left": b,
    "right": b,
    "law": "multiply out",
    "laws": ("multiply out",),
    "variable": b,
    "to": "oo",
    "proposition": eq(b, 1),
    "hypothesis": eq(b, 1),
    "on": eq(b, 1),
    "value": b,
    "index": i,
    "factor": number(2),
    "function": "exp",
}
TAKES = {name: Parameters.of(name, rule) for name, rule in RULES.items()}
PARAMETERS = [(name, argument) for name, takes in TAKES.items() for argument in takes.types]


def answer(rule, /, *premises, **arguments):
    """A theorem or a refusal; anything else is raised."""
    try:
        return infer(rule, *premises, **arguments)
    except DeriveError as refusal:
        return refusal


def needed(takes):
    return {name: ANSWERS[name] for name in takes.needed}


def suits(annotation, value):
    return TYPES[annotation][1](tuple(value) if type(value) is list else value)


@pytest.mark.parametrize(("rule", "argument"), PARAMETERS)
def test_what_is_not_of_the_declared_type_is_refused_with_given_expected_and_fix(rule, argument):
    takes = TAKES[rule]
    premises = [PREMISES[0]] * (takes.premises + (takes.premises == 0 and "law" in argument))
    for value in [*JUNK, *TERMS]:
        if value is endless or suits(takes.types[argument], value):
            continue
        refusal = answer(rule, *premises, **{**needed(takes), argument: value})
        if len(premises) == takes.premises:
            assert isinstance(refusal, RuleError)
            assert refusal.given
            assert refusal.expected
            assert refusal.fix.startswith(f"infer({rule!r}")


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_answers_whatever_its_premises_and_arguments(rule):
    takes = TAKES[rule]
    for premises in itertools.product(PREMISES, repeat=min(takes.premises, 2)):
        answer(rule, *premises, **needed(takes))
    some = PREMISES[: takes.premises]
    for argument in takes.types:
        for value in [*JUNK, *TERMS]:
            for premises in [some, PREMISES[-takes.premises :][: takes.premises], PREMISES[7:8]]:
                answer(rule, *premises, **{**needed(takes), argument: value})


@pytest.mark.parametrize("rule", RULES)
def test_the_number_of_premises_and_the_names_of_arguments_are_checked(rule):
    takes = TAKES[rule]
    some = PREMISES[: takes.premises]
    calls = [(some, {**needed(takes), "nope": 1}), (some, {**needed(takes), "rule": "algebra"})]
    calls += [(some[1:], needed(takes))] if some else []
    calls += [] if takes.more else [([*some, PREMISES[0]], needed(takes))]
    calls += [
        (some, {k: v for k, v in needed(takes).items() if k != name}) for name in takes.needed
    ]
    calls += [([thing, *some[1:]], needed(takes)) for thing in JUNK[:-1] if some]
    for premises, arguments in calls:
        refusal = answer(rule, *premises, **arguments)
        assert isinstance(refusal, RuleError)
        assert refusal.expected
        assert refusal.fix.startswith("infer(")


@pytest.mark.parametrize("law", LAW_NAMES)
def test_every_law_answers_at_every_term_and_place(law):
    lemmas = [[p] for p in PREMISES] if law == "lemma" else [[]]
    for lemma, term in itertools.product(lemmas, TERMS):
        answer("rewrite everywhere", *lemma, term=term, laws=(law,), given=PROPOSITIONS[:9])
        for path in [(), (0,), (0, 0), (1,), (-1,), (9,)]:
            answer("rewrite", *lemma, term=term, law=law, path=path, given=PROPOSITIONS[9:])


SHOWABLE = [thing for thing in JUNK if type(thing) is not Stubborn]  # else Hypothesis gives up
leaves = st.sampled_from([*SHOWABLE, *TERMS, *PREMISES])
things = st.recursive(
    leaves,
    lambda inside: st.lists(inside, max_size=3) | st.lists(inside, max_size=3).map(tuple),
    max_leaves=6,
)


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_any_rule_answers_anything(data):
    rule = data.draw(st.sampled_from(sorted(RULES)))
    takes = TAKES[rule]
    premises = data.draw(st.lists(st.sampled_from(PREMISES), max_size=3))
    names = st.sampled_from([*takes.types, "nope"])
    arguments = data.draw(st.dictionaries(names, things, max_size=3))
    answer(rule, *premises, **{**needed(takes), **arguments})


@given(things)
@settings(max_examples=100, deadline=None)
def test_anything_but_a_name_is_no_rule(thing):
    if not (type(thing) is str and thing in RULES):
        with pytest.raises(RuleError, match="the rule"):
            infer(thing)


def test_a_rule_with_a_parameter_of_another_type_does_not_load():
    def rule(*, term: float) -> None:
        """Of no use."""

    with pytest.raises(RuleError, match="a parameter of type"):
        Parameters.of("bad", rule)


def test_every_rule_declares_its_premises_as_positions_and_its_arguments_by_name():
    for name, rule in RULES.items():
        for parameter in signature(rule).parameters.values():
            by_name = parameter.kind is Parameter.KEYWORD_ONLY
            assert by_name == (parameter.annotation != "Premise"), name


def test_the_usage_names_what_a_rule_takes():
    assert TAKES["scale monotone"].usage == (
        "infer('scale monotone', premise 1, factor=…, [given=…])"
    )
    assert TAKES["add monotone"].usage == "infer('add monotone', premise 1, …)"


def algebra(left, right):
    return infer("algebra", left=left, right=right)


GROWING = {
    "anything by itself and nothing": (algebra(b, b + 0 * b), exp(b)),
    "an entry by itself and nothing": (algebra(x[i], x[i] + 0 * x[i]), x[i]),
    "under a binder": (algebra(x[i], x[i] + 0 * x[i]), Sum(i, x[i])),
    "an exponential by a multiple of itself": (algebra(exp(b), exp(b) * 1), exp(exp(x[i]))),
    "doubling": (algebra(x[i], x[i] + x[i] - x[i]), Sum(i, x[i] * x[i])),
    "back and forth": (algebra(x[i] + x[j], x[j] + x[i]), x[i] + x[j]),
}


@pytest.mark.parametrize("case", GROWING)
def test_a_lemma_that_grows_for_ever_is_refused_after_a_bounded_number_of_steps(case):
    lemma, term = GROWING[case]
    with pytest.raises(
        RuleError, match=f"{MOST_STEPS} rewriting steps|nests too deeply"
    ) as refusal:
        infer("rewrite everywhere", lemma, term=term, laws=("lemma",))
    assert refusal.value.expected
    assert refusal.value.fix


def test_an_assumption_that_grows_for_ever_is_refused():
    growing = eq(x[i], x[i] + 1)
    with pytest.raises(RuleError, match=r"nests too deeply"):
        infer(
            "rewrite everywhere",
            term=x[i],
            laws=("assumption",),
            given=[growing],
            equations=[growing],
        )


def test_the_kernel_works_on_after_a_step_that_went_too_deep():
    deep = b
    for _ in range(5000):
        deep = -deep
    for rule, arguments in {
        "algebra": {"left": deep, "right": b},
        "positive": {"term": deep},
        "assume": {"proposition": eq(deep, 0)},
        "limit": {"variable": b, "term": deep, "to": "0"},
        "rewrite everywhere": {"term": deep, "laws": ("multiply out",)},
    }.items():
        with pytest.raises(RuleError, match="nests too deeply"):
            infer(rule, **arguments)
    assert algebra(b + b, 2 * b).conclusion == eq(b + b, 2 * b)


@pytest.mark.parametrize(
    "term",
    [number(2) ** 10**9, number(2) ** -(10**9), sqrt(number(2)) ** 10**9, (2 * b + 2) ** -(10**9)],
)
def test_a_power_that_would_fill_the_memory_is_refused(term):
    with pytest.raises(DeriveError, match="bits"):
        algebra(term, term + 0)


MANY = [Symbol(f"s{k}") for k in range(40)]


@pytest.mark.parametrize(
    "product",
    [
        mul(*(v + w for v, w in itertools.pairwise(MANY))),
        (add(*MANY[:8]) - 1) ** 8,
        absolute(mul(*(absolute(v + w) * (v - w) for v, w in itertools.pairwise(MANY)))) - 1,
        1 / mul(*(1 / (v + w) for v, w in itertools.pairwise(MANY))),
        iverson(negate(conjoin(*[negate(conjoin(eq(i, j), M[i]))] * 2))) * add(*MANY) ** 3,
    ],
)
def test_a_product_that_would_take_for_ever_is_refused_or_left_alone(product):
    start = time.perf_counter()
    refusal = answer("algebra", left=product, right=b)
    assert isinstance(refusal, DeriveError)
    assert time.perf_counter() - start < 10


def test_one_has_powers_of_every_order():
    algebra(number(1) ** 10**9, number(1))
    algebra(number(-1) ** (10**9 + 1), number(-1))
