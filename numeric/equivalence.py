"""Slips that leave a statement true: only the kernel may say so.

Proof search here is plain: each side is rewritten by one group of laws after another, and algebra
must close the gap. What it does not prove is not thereby false.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from derive.binding import open_, unfold
from derive.chain import places
from derive.errors import DeriveError
from derive.facts import RuleError, inhabited
from derive.kernel import infer
from derive.signature import REAL
from derive.syntax import Index
from derive.terms import Term, number

STAGES = (
    ("definition", "derivative"),
    ("multiply out",),
    ("linearity", "product of sums"),
    ("multiply out",),
    ("independence",),
    ("assumption",),
    ("multiply out",),
    ("assumption",),
    ("reindex",),
)
STARTS = {"definition": "def", "derivative": "D", "linearity": "E", "independence": "E"}
LEVELS = 4  # around the place where two terms differ
FUEL = 80  # rewriting steps in one stage


def proved(statement: Term, original: Term, hypotheses: Sequence[Term]) -> bool:
    """Return whether the kernel proves a mutant from the hypotheses of the original.

    Parameters
    ----------
    statement, original
        The mutant, and the theorem it was made from.
    hypotheses
        What may be consumed.
    """
    if statement == original:
        return True
    if statement.op == "and" == original.op:
        pairs = zip(statement.args, original.args, strict=True)
        return all(proved(s, o, hypotheses) for s, o in pairs)
    if statement.op not in ("eq", "le", "lt"):
        return False
    if (
        statement.op != "eq"
        and statement.op == original.op
        and _weaker(statement, original, hypotheses)
    ):
        return True
    if statement.op == "eq" == original.op and _same(statement, original):
        return True
    left, right = _entries(statement)
    scope = {inhabited(i.kind) for side in (left, right) for i in side.free if i.op == "ix"}
    given = (*hypotheses, *sorted(scope, key=repr))
    try:
        theorem = (
            _equation(left, right, given) if statement.op == "eq" else _order(statement, given)
        )
    except (RuleError, DeriveError):
        return False
    return theorem.hypotheses <= {*hypotheses, *scope}


def _weaker(statement: Term, original: Term, given: Sequence[Term]) -> bool:
    """Return whether the mutant's sides are shown to lie further apart than the original's."""
    (below, above), (old_below, old_above) = statement.args, original.args
    for more, less in ((above, old_above), (old_below, below)):
        try:
            difference = infer("rewrite", term=more - less, law="multiply out", given=tuple(given))
            infer("nonnegative", term=difference.conclusion.args[1], given=tuple(given))
        except (RuleError, DeriveError):
            return False
    return True


def _same(statement: Term, original: Term) -> bool:
    """Return whether both sides are those of the original, by algebra where they differ."""
    pairs = zip(_entries(statement), _entries(original), strict=True)
    return all(a == b or _locally_equal(a, b) for a, b in pairs)


def _locally_equal(left: Term, right: Term) -> bool:
    """Return whether two terms are equal by algebra at the one place where they differ.

    Sub-terms equal for every value of the indices bound around them make the whole equal, so what
    is proved may use nothing but that those indices exist.
    """
    levels = list(_differences(left, right))
    scope = {inhabited(i.kind) for a, _ in levels for i in a.free if i.op == "ix"}
    for a, b in reversed(levels[-LEVELS:]):
        try:
            theorem = infer("algebra", left=a, right=b, given=tuple(sorted(scope, key=repr)))
        except (RuleError, DeriveError):
            continue
        return theorem.hypotheses <= scope
    return False


def _differences(left: Term, right: Term) -> Iterator[tuple[Term, Term]]:
    """Return the pairs of sub-terms on the way down to where two terms differ."""
    for depth in count():
        if right.op == "def" and left.op != "def":
            right = unfold(right)
        if left.kind != REAL or right.kind != REAL:
            return
        yield left, right
        if left.op == "sum" == right.op and left.data == right.data:
            index = Index(f"i{depth}°", left.data)
            left, right = (open_(side.args[0], index) for side in (left, right))
            continue
        if (left.op, left.data) != (right.op, right.data) or left.op == "rlam":
            return
        places = [n for n, (a, b) in enumerate(zip(left.args, right.args, strict=False)) if a != b]
        if len(left.args) != len(right.args) or len(places) != 1:
            return
        left, right = left.args[places[0]], right.args[places[0]]


def _entries(statement: Term) -> tuple[Term, Term]:
    """Return both sides, arrays opened to an entry."""
    left, right = statement.args
    place = 0
    while left.op == "lam":
        index = Index(f"i{place}°", left.data)
        left, right, place = left[index], right[index], place + 1
    return left, right


def _order(statement: Term, given: tuple[Term, ...]) -> Any:
    below, above = statement.args
    margin = above if below == number(0) else above - below
    sign = "positive" if statement.op == "lt" else "nonnegative"
    return infer(sign, term=margin, given=given)


def _equation(
    left: Term, right: Term, given: tuple[Term, ...], stages: tuple[tuple[str, ...], ...] = STAGES
) -> Any:
    """Return the theorem ``left = right``, or raise."""
    there, back = _simplified(left, given, stages), _simplified(right, given, stages)
    middle = there.conclusion.args[1], back.conclusion.args[1]
    gap = infer("algebra", left=middle[0], right=middle[1], given=given)
    return infer("transitivity", infer("transitivity", there, gap), infer("symmetry", back))


def _simplified(term: Term, given: tuple[Term, ...], stages: tuple[tuple[str, ...], ...]) -> Any:
    """Return a theorem ``term = simpler`` after all stages."""
    theorem = infer("reflexivity", term=term)
    for laws in stages:
        for _ in range(FUEL):
            step = next(_steps(theorem.conclusion.args[1], laws, given), None)
            if step is None:
                break
            theorem = infer("transitivity", theorem, step)
    return theorem


def _steps(term: Term, laws: tuple[str, ...], given: tuple[Term, ...]) -> Iterator[Any]:
    """Return every single rewriting of the term that changes it."""
    for law in laws:
        everywhere = law != "multiply out"
        for path, place in places(term) if everywhere else [((), term)]:
            if STARTS.get(law, place.op) != place.op:
                continue
            try:
                theorem = infer("rewrite", term=term, law=law, path=path, given=given)
            except (RuleError, DeriveError):
                continue
            if theorem.conclusion.args[1] != term:
                yield theorem
