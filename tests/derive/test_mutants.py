"""Steps of the catalogue with a wrong right-hand side: refused, and refuted where they are false.

No mutant may be both proved and refuted; one that is proved must hold in every small model.
``QKV_MUTANTS`` says how many are tried of each step (a nightly run: 20 or more).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from random import Random

import pytest

from derive import catalog, chain
from derive.binding import rebuild
from derive.errors import DeriveError
from derive.signature import Range
from derive.syntax import power
from derive.terms import Term, number
from derive.witness import exact_check, refute

PER_STEP = int(os.environ.get("QKV_MUTANTS", "0"))
SEED = int(os.environ.get("QKV_SEED", "0"))
QUICK = ("score-asymmetry", "softmax-jacobian", "dot-product-variance")


def mutants(term: Term, rng: Random, count: int) -> Iterator[Term]:
    """Well-typed terms that differ from this one in one node."""
    found = list(places(term))
    for _ in range(40 * count):
        path, place = rng.choice(found)
        try:
            changed = put(term, path, mutant(place, rng))
        except (DeriveError, ZeroDivisionError):
            continue
        if changed != term and not changed.loose:
            yield changed
            count -= 1
            if not count:
                return


def mutant(x: Term, rng: Random) -> Term:
    match x.op:
        case "num":
            return number(x.value + rng.choice((1, -1, Fraction(1, 2))))
        case "add" | "mul" if len(x.args) > 1:
            other = "mul" if x.op == "add" else "add"
            extra = number(1) if x.op == "add" else number(2)
            return rng.choice(
                (
                    Term(x.op, x.args[:-1]),
                    Term(x.op, (*x.args, extra)),
                    Term(other, x.args),
                    Term(x.op, (-x.args[0], *x.args[1:])),
                )
            )
        case "neg" | "E":
            return x.args[0]
        case "div":
            return rng.choice((x.args[1] / x.args[0], x.args[0], x.args[0] * x.args[1]))
        case "pow":
            return power(x.args[0], x.value * rng.choice((2, -1)))
        case "fn":
            return Term("fn", (-x.args[0],), x.data)
        case "size":
            return x + 1
        case "bv" | "ix" if type(x.kind) is Range:
            return Term("bv", (), (rng.randrange(4), x.kind))
        case "entry" | "iv" if len(x.args) == 2:
            return Term(x.op, x.args[::-1], x.data)
        case "sum":
            return -x
    return rebuild(x, x.args)


def places(term: Term, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Term]]:
    yield path, term
    for position, arg in enumerate(term.args):
        yield from places(arg, (*path, position))


def put(term: Term, path: tuple[int, ...], new: Term) -> Term:
    if not path:
        return new
    position, rest = path[0], path[1:]
    args = list(term.args)
    args[position] = put(args[position], rest, new)
    return rebuild(term, args)


def steps_of(name: str, monkeypatch) -> list[tuple]:
    """Every equation that the derivation proves, with the laws and assumptions it may use."""
    steps: list[tuple] = []
    prove = chain.prove_step

    def recording(op, left, right, laws, given):
        if op == "eq":
            steps.append((left, right, laws, given))
        return prove(op, left, right, laws, given)

    with monkeypatch.context() as patch:
        patch.setattr(chain, "prove_step", recording)
        catalog.load(name).build()
    return steps


def outcome(left: Term, right: Term, laws: tuple, given: tuple) -> str:
    """What becomes of a step; a proof of a falsehood fails the test."""
    claim = Term("eq", (left, right))
    try:
        theorem = chain.prove_step("eq", left, right, laws, given)
    except (DeriveError, RecursionError):
        assumed = (*given, *(p for law in laws for p in law.given))
        return "refuted" if refute(assumed, claim, budget=24) is not None else "unknown"
    hypotheses = sorted(theorem.hypotheses, key=repr)
    assert refute(hypotheses, claim, budget=24) is None, f"proved and refuted: {theorem!r}"
    assert exact_check(hypotheses, claim, instances=6)["failures"] == 0, repr(theorem)
    return "equivalent"


@pytest.mark.parametrize("name", QUICK if not PER_STEP else catalog.names())
def test_mutated_steps(name, monkeypatch):
    rng = Random(f"{SEED} {name}")
    steps = steps_of(name, monkeypatch)
    chosen = steps if PER_STEP else rng.sample(steps, min(2, len(steps)))
    counts: Counter = Counter()
    for left, right, laws, given in chosen:
        for changed in mutants(right, rng, PER_STEP or 3):
            counts[outcome(left, changed, laws, given)] += 1
    print(name, dict(counts))
    assert counts["refuted"] >= counts["unknown"] or counts.total() < 4
    assert counts["refuted"] or PER_STEP


def test_the_steps_themselves_are_proved(monkeypatch):
    """The comparison is fair: unchanged, each of these steps goes through."""
    for left, right, laws, given in steps_of("softmax-jacobian", monkeypatch):
        assert outcome(left, right, laws, given) == "equivalent"
