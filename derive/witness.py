"""Counterexamples: a small model in which every hypothesis holds and the conclusion fails.

A statement is *refuted* only by a `Witness`, and a witness rests on nothing but exact arithmetic
and rigorous intervals with the real functions. Finding none means nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice
from random import Random
from typing import Any

from derive.binding import open_
from derive.model import Context, Evaluation, Model, Truth, Unknown, bare, transcendental
from derive.shaping import Vocabulary, draw
from derive.signature import REAL
from derive.terms import Term
from derive.values import NotEvaluableError, RealFunctions, Value

RELATIONS = {"eq": "=", "le": "≤", "lt": "<", "tends": "→"}
SHRINKING = 400  # models looked at to make a witness smaller
ALL_BY_INTERVALS = 30  # models in which even a likely equation is evaluated with real functions
UNLIKELY = Fraction(15, 7)  # for e: no statement has it by chance
LOOKING_ON = 12  # models drawn after the first witness, for a smaller one
CHOICE = 4  # satisfying models from which the least trivial is taken
BITS = 320


@dataclass(frozen=True)
class Witness:
    """A model that refutes a statement, and the two sides of it there.

    Attributes
    ----------
    model : Model
        Sizes, entries, values and distribution.
    relation : str or None
        ``=``, ``≤``, ``<`` or ``→``: what was claimed of the two sides and fails.
    left, right : Fraction or Interval or None
        The values of the two sides, exact or enclosed; a left side without a finite limit is None.
    """

    model: Model
    relation: str | None = None
    left: Value | None = None
    right: Value | None = None

    def to_json(self) -> dict[str, Any]:
        """A JSON-ready account; exact numbers are strings, indices count from 1."""
        return {
            **model_json(self.model),
            "claimed": self.relation,
            "left": None if self.left is None else str(self.left),
            "right": None if self.right is None else str(self.right),
        }

    def __str__(self) -> str:
        return "\n".join(in_lines(self.to_json()))


def model_json(model: Model) -> dict[str, Any]:
    """Sizes, values, arrays and the distribution of a model, ready for JSON."""
    return {
        "sizes": {over.name: size for over, size in model.sizes.items()},
        "values": {name(v): _plain(x) for v, x in model.values.items()},
        "arrays": {a.name: _nested(table) for a, table in model.tables.items()},
        "outcomes": [
            {
                "probability": str(outcome.probability),
                "arrays": {a.name: _nested(table) for a, table in outcome.tables.items()},
            }
            for outcome in model.outcomes
            if outcome.tables
        ],
    }


def name(variable: Term) -> str:
    """What a free variable is called."""
    return variable.data if variable.op == "sym" else str(variable.data[0])


def _plain(x: Any) -> Any:
    if type(x) is bool:
        return x
    return str(x) if type(x) is Fraction else x + 1


def _nested(table: dict[tuple[int, ...], Any]) -> Any:
    if () in table:
        return _plain(table[()])
    rows: dict[int, dict] = {}
    for (first, *rest), x in table.items():
        rows.setdefault(first, {})[tuple(rest)] = x
    return [_nested(row) for row in rows.values()]


def in_lines(shown: Mapping[str, Any]) -> Iterator[str]:
    """The lines in which a witness, as `Witness.to_json` gives it, is read."""
    for group in ("sizes", "values", "arrays"):
        if shown[group]:
            yield ", ".join(f"{key} = {_brief(x)}" for key, x in shown[group].items())
    for outcome in shown["outcomes"]:
        values = ", ".join(f"{key} = {_brief(x)}" for key, x in outcome["arrays"].items())
        yield f"with probability {outcome['probability']}: {values}"
    left, right, claimed = shown["left"], shown["right"], shown["claimed"]
    if claimed == "→" and left is None:
        yield f"no finite limit   claimed: → {right}"
    elif claimed:
        yield f"left: {left}   right: {right}   claimed: {claimed}"


def _brief(x: Any) -> str:
    return "(" + ", ".join(map(_brief, x)) + ")" if type(x) is list else str(x)


# ------------------------------------------------------------------ search


def refute(
    hypotheses: Sequence[Term], conclusion: Term, *, seed: int = 0, budget: int = 120
) -> Witness | None:
    """A witness against ``hypotheses ⊢ conclusion``, or None if none was found.

    Parameters
    ----------
    hypotheses : sequence of Term
        Propositions that the model must satisfy, all of them.
    conclusion : Term
        The proposition to refute.
    seed : int
        Same seed, same search.
    budget : int
        How many models are drawn at most.
    """
    parts = opened(tuple(hypotheses), conclusion)
    found = (_refuted(*part, seed, budget // len(parts)) for part in parts)
    return next((witness for witness in found if witness is not None), None)


def _refuted(premises: tuple[Term, ...], claim: Term, seed: int, budget: int) -> Witness | None:
    models = _models(premises, (claim,), seed, budget)
    first = next((m for n, m in enumerate(models) if _fails(m, claim, n)), None)
    if first is None:
        return None
    others = (m for m in islice(models, LOOKING_ON) if m.truth(claim) is False)
    return _report(_shrunk(min((first, *others), key=_bulk), premises, claim), claim)


def _fails(model: Model, claim: Term, turn: int) -> bool:
    """Whether the claim is false; after some turns, only where cheap stand-ins do not affirm it."""
    likely = turn >= ALL_BY_INTERVALS and claim.op == "eq" and transcendental(claim)
    if likely and model.surrogate_truth(claim, UNLIKELY) is True:
        return False
    return model.truth(claim) is False


def refuted_in(model: Model, hypotheses: Sequence[Term], conclusion: Term) -> Witness | None:
    """The witness that a given model is, if the hypotheses hold there and the conclusion fails."""
    if any(model.truth(p) is not True for p in hypotheses) or model.truth(conclusion) is not False:
        return None
    return _report(model, conclusion)


def satisfying_model(
    hypotheses: Sequence[Term], *, about: Sequence[Term] = (), seed: int = 0, budget: int = 400
) -> Model | None:
    """A model of the hypotheses (so that they do not contradict each other), or None.

    Parameters
    ----------
    hypotheses : sequence of Term
        Propositions.
    about : sequence of Term
        Further terms whose names the model must give a meaning to.
    seed, budget : int
        Same seed, same search; how many models are drawn at most.
    """
    hypotheses, about = tuple(hypotheses), tuple(about)
    telling = _models(hypotheses, about, seed, budget // 2, smallest=2)
    found = chain(telling, _models(hypotheses, about, seed, budget // 2))
    return max(islice(found, CHOICE), key=_least_size, default=None)


def _least_size(model: Model) -> int:
    return min(model.sizes.values(), default=0)


def exact_check(
    hypotheses: Sequence[Term], conclusion: Term, *, instances: int = 20, seed: int = 0
) -> dict[str, int]:
    """Compare the sides of a statement in many small models: evidence, never proof.

    Equations with exp, log, cos or sin are evaluated exactly with stand-ins that obey the same
    laws; inequalities with the functions themselves, by intervals. Each part of a conjunction has
    instances of its own.

    Returns
    -------
    dict
        ``instances`` evaluated, ``failures`` among them, and those ``not_evaluable``.
    """
    truths = [
        _evidence(premises, claim, Random(f"{seed} {instance}"))
        for premises, claim in opened(tuple(hypotheses), conclusion)
        for instance in range(instances)
    ]
    evaluated = [truth for truth in truths if type(truth) is bool]
    return {
        "instances": len(evaluated),
        "failures": evaluated.count(False),
        "not_evaluable": len(truths) - len(evaluated),
    }


def _evidence(premises: tuple[Term, ...], claim: Term, rng: Random) -> Truth:
    words = Vocabulary((*premises, claim))
    draws = (draw(premises, words, rng, 2 + attempt % 2) for attempt in range(30))
    model = next((m for m in draws if m is not None), None)
    if model is None:
        return Unknown("no model of the hypotheses was found")
    if claim.op not in ("eq", "tends") or not transcendental(claim):
        return model.truth(claim)
    for premise in filter(transcendental, premises):
        if model.surrogate_truth(premise) is not True:
            return Unknown("a hypothesis that the stand-ins do not satisfy")
    return model.surrogate_truth(claim)


def _models(
    hypotheses: tuple[Term, ...],
    about: tuple[Term, ...],
    seed: int,
    budget: int,
    smallest: int = 0,
) -> Iterator[Model]:
    words = Vocabulary((*hypotheses, *about))
    for attempt in range(budget):
        stage = max(smallest, attempt * 8 // budget)
        stage = stage if stage < 2 else 2 + attempt % 2
        model = draw(hypotheses, words, Random(f"{seed} {attempt}"), stage)
        if model is not None:
            yield model


def opened(premises: tuple[Term, ...], claim: Term) -> list[tuple[tuple[Term, ...], Term]]:
    """The statement as simpler ones that together say the same: premises and claim of each.

    Leading quantifiers become free variables, conditions become premises, conjunctions and
    equations of arrays are taken apart.
    """
    taken = {name(v) for p in (*premises, claim) for v in p.free}
    return list(_parts(premises, claim, taken))


def _parts(
    premises: tuple[Term, ...], claim: Term, taken: set[str]
) -> Iterator[tuple[tuple[Term, ...], Term]]:
    args = claim.args
    if claim.op == "and":
        for arg in args:
            yield from _parts(premises, arg, set(taken))
    elif claim.op == "imp" and not bare(args[0]):  # an outcome's own condition stays inside
        yield from _parts((*premises, args[0]), args[1], taken)
    elif claim.op == "all":
        yield from _parts(premises, open_(args[0], _variable(claim, taken)), taken)
    elif claim.op == "eq" and args[0].op == "lam":
        variable = _variable(args[0], taken)
        entries = Term("eq", (open_(side.args[0], variable) for side in args))
        yield from _parts(premises, entries, taken)
    else:
        yield premises, claim


def _variable(binder: Term, taken: set[str]) -> Term:
    chosen = binder.hint or "x"
    while chosen in taken:
        chosen += "′"
    taken.add(chosen)
    return Term("sym", (), chosen) if binder.data == REAL else Term("ix", (), (chosen, binder.data))


# ------------------------------------------------------------------ a small witness


def _shrunk(model: Model, premises: Sequence[Term], claim: Term) -> Model:
    """The same refutation with simpler numbers, as far as one cell at a time can go."""

    def refutes(candidate: Model) -> bool:
        return candidate.truth(claim) is False and all(candidate.truth(p) is True for p in premises)

    looked = 0
    improved = True
    while improved and looked < SHRINKING:
        improved = False
        for candidate in _simpler(model):
            looked += 1
            if looked > SHRINKING:
                break
            if refutes(candidate):
                model, improved = candidate, True
                break
    return model


def _bulk(model: Model) -> tuple[int, int]:
    return len(model.outcomes), sum(model.sizes.values())


def _simpler(model: Model) -> Iterator[Model]:
    for variable, x in model.values.items():
        for y in _below(x):
            yield replace(model, values={**model.values, variable: y})
    for array, table in model.tables.items():
        for cell, x in table.items():
            for y in _below(x):
                yield replace(model, tables={**model.tables, array: {**table, cell: y}})


def _below(x: Any) -> Iterator[Any]:
    """Simpler values, the simplest first."""
    if type(x) is Fraction:
        candidates = map(Fraction, (0, 1, -1, 2, -2))
        yield from (y for y in candidates if _weight(y) < _weight(x))


def _weight(x: Fraction) -> tuple[int, int, bool]:
    return x.denominator, abs(x.numerator), x < 0


def _report(model: Model, claim: Term) -> Witness:
    if claim.op not in RELATIONS or claim.args[1].kind != REAL:
        return Witness(model)
    for outcome in model.outcomes if bare(claim) else (None,):
        evaluation = Evaluation(model, RealFunctions(BITS))
        context = Context(outcome=outcome)
        if evaluation.truth(claim, context) is False:
            first, second = claim.args
            if claim.op == "tends":
                left = evaluation.limit(first, claim.data, context)
            else:
                left = evaluation.value(first, context)
            return Witness(model, RELATIONS[claim.op], left, evaluation.value(second, context))
    raise NotEvaluableError("a refutation that cannot be shown", "two sides that differ")
