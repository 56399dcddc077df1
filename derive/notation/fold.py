"""One fold over the term tree; every notation is the same fold with another `Target`.

The fold decides what is written: order, names, where parentheses are needed, what an array
argument looks like. A target decides how that is spelled. Parentheses follow from levels alone: a
piece that binds more loosely than its place demands is fenced, so no reading is ambiguous.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from derive.binding import as_term, open_, unbind
from derive.kinds import BINDERS
from derive.notation import forms
from derive.notation.names import Names, is_set, spell
from derive.notation.slope import Slope, entry_slope
from derive.signature import REAL, Range
from derive.terms import Term

# How tightly a piece binds, from loosest to tightest.
LOOSE, ALL, IMP, AND, NOT, REL, ADD, NEG, BIG, MUL, POW, ATOM = range(12)

Path = tuple[int, ...]


class Piece(NamedTuple):
    """Something drawn; where it is a base with scripts, also its three parts."""

    source: str
    level: int = ATOM
    base: str = ""
    sub: str = ""
    sup: str = ""

    def map(self, mark: Callable[[str], str]) -> Piece:
        source, level, *parts = self
        return Piece(mark(source), level, *(part and mark(part) for part in parts))


class Place(NamedTuple):
    """Where a node stands in the whole term, and the names in view there."""

    path: Path
    names: Names

    def child(self, *positions: int, names: Names | None = None) -> Place:
        return Place((*self.path, *positions), names or self.names)


class Target(ABC):
    """How pieces are spelled; the methods take and give source text."""

    flat = False  # one line: no fraction bars, no superscripts of more than a number
    marks: Mapping[str, str]  # the spelling of each sign

    @abstractmethod
    def name(self, spelling: str) -> tuple[str, str]:
        """A name's base and subscript."""

    @abstractmethod
    def word(self, word: str) -> str:
        """An upright word."""

    @abstractmethod
    def fence(self, opening: str, body: str, closing: str) -> str: ...

    @abstractmethod
    def script(self, base: str, sub: str, sup: str) -> str: ...

    @abstractmethod
    def fraction(self, above: str, below: str) -> str: ...

    def ratio(self, above: str, below: str) -> str:
        """A numeral."""
        return self.fraction(above, below)

    @abstractmethod
    def exponent(self, value: Fraction) -> str: ...

    @abstractmethod
    def root(self, body: str) -> str: ...

    @abstractmethod
    def big(self, sign: str, below: str, above: str) -> str:
        """A sum sign or a limit with what is written below and above it."""

    @abstractmethod
    def partial(self, variable: str) -> str: ...

    @abstractmethod
    def evaluated(self, body: str, where: str) -> str: ...

    def tag(self, number: int, body: str) -> str:
        """A node's identity, where the target can carry it."""
        return body


class Fold:
    """One drawing: collects the path of every node that it draws.

    Parameters
    ----------
    target
        The notation to draw in.
    variance
        Whether ``E[z²] − E[z]²`` is drawn as ``Var(z)``.
    """

    def __init__(self, target: Target, variance: bool = False) -> None:
        self.target, self.variance = target, variance
        self.paths: list[Path] = []

    def whole(self, term: Term, names: Names | None) -> str:
        """The source of a whole term, in these names or its own."""
        return self.draw(term, Place((), names.within(term) if names else Names.of(term)))

    def draw(self, term: Term, place: Place, level: int = LOOSE) -> str:
        """The source of a node, fenced if it binds more loosely than `level`."""
        return self.piece(term, place, level).source

    def piece(self, term: Term, place: Place, level: int = LOOSE) -> Piece:
        mark = self.marker(place)
        piece = getattr(self, f"_{term.op}")(term, place)
        if piece.level < level:
            piece = Piece(self._fence("(", piece.source))
        return piece.map(mark)

    def marker(self, place: Place) -> Callable[[str], str]:
        """A new tag for the node at this place; a node may own several."""
        self.paths.append(place.path)
        number = len(self.paths)
        return lambda body: self.target.tag(number, body)

    # -------------------------------------------------------------- small pieces

    def _fence(self, opening: str, body: str) -> str:
        return self.target.fence(opening, body, forms.FENCES[opening])

    def _infix(self, left: str, sign: str, right: str) -> str:
        return f"{left} {self.target.marks[sign]} {right}"

    def _name(self, spelling: str) -> Piece:
        return self._script(*self.target.name(spelling))

    def _script(self, base: str, sub: str = "", sup: str = "") -> Piece:
        source = self.target.script(base, sub, sup) if sub or sup else base
        return Piece(source, ATOM, base, sub, sup)

    def _call(self, head: str, arguments: Iterable[str], opening: str = "(") -> Piece:
        return Piece(head + self._fence(opening, ", ".join(arguments)))

    def _number(self, value: Fraction) -> Piece:
        source, level = digits(abs(value.numerator)), ATOM
        if value.denominator != 1:
            source = self.target.ratio(source, digits(value.denominator))
            level = MUL if self.target.flat else POW
        return Piece(self.target.marks["-"] + source, NEG) if value < 0 else Piece(source, level)

    def _indexed(self, piece: Piece, indices: tuple[Term, ...], place: Place, start: int) -> Piece:
        """A piece with its indices; those that a matrix expression leaves out are not written."""
        hidden = place.names.hidden
        shown = [
            "" if index in hidden else self.draw(index, place.child(start + k))
            for k, index in enumerate(indices)
        ]
        short = all(_is_letter(index, place.names) for index in indices if index not in hidden)
        return self._subscripted(piece, shown, short) if any(shown) else piece

    def _subscripted(self, piece: Piece, shown: list[str], short: bool) -> Piece:
        if self.target.flat:
            source = piece.source if piece.level == ATOM else self._fence("(", piece.source)
            return Piece(f"{source}[{','.join(index or ':' for index in shown)}]")
        while not shown[-1]:
            shown.pop()
        sub = (" " if short else ", ").join(index or self.target.marks["·"] for index in shown)
        power = piece.sup and piece.sup not in map(self.target.marks.get, "ᵀ*")
        if piece.level < ATOM or piece.sub or power:  # (A²)_ij is no power of A_ij
            piece = Piece(self._fence("(", piece.source))
        return self._script(piece.base or piece.source, sub, piece.sup)

    def _bound(self, binder: Term, variable: Term, body: Term, place: Place) -> tuple[str, Names]:
        """A bound variable where it is introduced, and the names in view of the body.

        Its range is written only where nothing in the body tells it.
        """
        mark, over = self.marker(place), binder.data
        names = place.names.bind(variable, spell(binder.hint or ""))
        source = mark(self._name(names[variable]).source)
        if over == REAL:
            return self._infix(source, "∈", self.target.marks["ℝ"]), names
        if is_set(over):
            return self._infix(source, "∈", self._name(names[over]).source), names
        if not _tells_range(variable, body):
            return self._infix(source, "≤", self._name(names[over]).source), names
        return source, names

    # -------------------------------------------------------------- leaves

    def _num(self, term: Term, place: Place) -> Piece:
        return self._number(term.value)

    def _size(self, term: Term, place: Place) -> Piece:
        name = self._name(place.names[term.data])
        return Piece(self._fence("|", name.source)) if is_set(term.data) else name

    def _sym(self, term: Term, place: Place) -> Piece:
        return self._name(place.names[term])

    _ix = _fv = _sym

    def _bv(self, term: Term, place: Place) -> Piece:
        return self._name(f"•{term.data[0]}")  # only in a body that was taken out of its binder

    def _entry(self, term: Term, place: Place) -> Piece:
        name = self._name(place.names[term.data])
        if type(term.data.out) is Range and not place.names.hidden.issuperset(term.args):
            return self._call(name.source, self._children(term, place))
        return self._indexed(name, term.args, place, 0)

    def _inj(self, term: Term, place: Place) -> Piece:
        union, part = term.data
        if _each_once(union):
            return self.piece(term.args[0], place.child(0))
        return self._call(self._name(f"ι_{part + 1}").source, self._children(term, place))

    # -------------------------------------------------------------- arithmetic

    def _children(self, term: Term, place: Place, level: int = LOOSE) -> list[str]:
        return [self.draw(arg, place.child(k), level) for k, arg in enumerate(term.args)]

    def _add(self, term: Term, place: Place) -> Piece:
        if len(term.args) == 1:
            return self.piece(term.args[0], place.child(0))
        if self.variance and is_variance(term):
            inner = self.draw(term.args[0].args[0].args[0], place.child(0, 0, 0))
            return self._call(self.target.word("Var"), [inner])
        source = self.draw(term.args[0], place.child(0), NEG)
        for k, arg in enumerate(term.args[1:], 1):
            if arg.op == "neg":
                mark = self.marker(place.child(k))
                operand = self.draw(arg.args[0], place.child(k, 0), BIG)
                source += " " + mark(f"{self.target.marks['−']} {operand}")
            else:
                source = self._infix(source, "+", self.draw(arg, place.child(k), BIG))
        return Piece(source, ADD)

    def _neg(self, term: Term, place: Place) -> Piece:
        return Piece(self.target.marks["-"] + self.draw(term.args[0], place.child(0), BIG), NEG)

    def _mul(self, term: Term, place: Place) -> Piece:
        last = len(term.args) - 1
        open_ended = term.args[last].op in ("sum", "D")  # reaches as far right as it can
        source = ""
        for k, arg in enumerate(term.args):
            factor = self.draw(arg, place.child(k), BIG if k == last and open_ended else POW)
            if not k:
                source = factor
            elif _starts_with_digit(arg):
                source = self._infix(source, "·", factor)
            else:
                source += self.target.marks[" "] + factor
        return Piece(source, BIG if open_ended else MUL)

    def _div(self, term: Term, place: Place) -> Piece:
        above, below = term.args
        if not self.target.flat:
            return Piece(self.target.fraction(*self._children(term, place)), POW)
        source = self.target.fraction(
            self.draw(above, place.child(0), MUL), self.draw(below, place.child(1), POW)
        )
        return Piece(source, MUL)

    def _pow(self, term: Term, place: Place) -> Piece:
        base, exponent = term.args[0], term.value
        if exponent == Fraction(1, 2):
            level = ATOM if self.target.flat else LOOSE
            root = self.target.root(self.draw(base, place.child(0), level))
            return Piece(root, POW if self.target.flat else ATOM)
        piece = self.piece(base, place.child(0), ATOM)
        if piece.sup:
            piece = Piece(self._fence("(", piece.source))
        sup = self.target.exponent(exponent)
        source = self.target.script(piece.base or piece.source, piece.sub, sup)
        return Piece(source, POW)

    def _fn(self, term: Term, place: Place) -> Piece:
        argument = term.args[0]
        if term.data == "exp" and not self.target.flat and _is_small(argument):
            return Piece(
                self.target.script(self.target.marks["e"], "", self.draw(argument, place.child(0))),
                POW,
            )
        inside = self.draw(argument, place.child(0))
        if term.data == "abs" and not (self.target.flat and "|" in inside):
            return Piece(self._fence("|", inside))  # bars within bars of one height pair up badly
        return self._call(self.target.word(term.data), [inside])

    def _sum(self, term: Term, place: Place) -> Piece:
        mark, end = self.marker(place), self.marker(place)
        variable, body = unbind(term)
        names = place.names.bind(variable, spell(term.hint or ""))
        name = mark(self._name(names[variable]).source)
        over = end(self._name(names[term.data]).source)
        if is_set(term.data):
            sign = self.target.big("Σ", self._infix(name, "∈", over), "")
        else:
            sign = self.target.big("Σ", f"{name}{self.target.marks['=']}1", over)
        return Piece(f"{sign} {self.draw(body, place.child(0, names=names), BIG)}", BIG)

    def _E(self, term: Term, place: Place) -> Piece:
        return self._call(self.target.marks["E"], self._children(term, place), "[")

    def _D(self, term: Term, place: Place) -> Piece:
        function, point = term.args
        mark, inside = self.marker(place.child(0)), place.child(0, 0)
        if point.op in ("sym", "fv") and point not in function.names:
            variable = self.draw(point, place.child(1))
            return Piece(mark(self._slope(variable, open_(function.args[0], point), inside)), BIG)
        fresh, body = unbind(function)
        if slope := entry_slope(fresh, body, point):
            variable = self._slope_entry(slope, place)
            return Piece(mark(self._slope(variable, slope.body, inside)), BIG)
        names = place.names.bind(fresh, spell(function.hint or ""))
        variable = self._name(names[fresh]).source
        inner = mark(self._slope(variable, body, place.child(0, 0, names=names)))
        where = f"{variable} {self.target.marks['=']} {self.draw(point, place.child(1))}"
        return Piece(self.target.evaluated(inner, where), BIG)

    def _slope(self, variable: str, body: Term, place: Place) -> str:
        level = POW if self.target.flat and body.op == "div" else BIG
        return f"{self.target.partial(variable)} {self.draw(body, place, level)}"

    def _slope_entry(self, slope: Slope, place: Place) -> str:
        mark = self.marker(place)
        name = self._name(place.names[slope.array])
        indices = [self.draw(i, place.child(0, 0, *path)) for i, path in slope.indices]
        short = all(_is_letter(i, place.names) for i, _ in slope.indices)
        return mark(self._subscripted(name, indices, short).source)

    # -------------------------------------------------------------- arrays

    def _lam(self, term: Term, place: Place) -> Piece:
        binders, body = _opened(term, "lam")
        variables = tuple(variable for _, variable in binders)
        split = next(k for k in range(len(variables) + 1) if is_array(body, variables[k:]))
        heads = []
        for k, (binder, variable) in enumerate(binders[:split]):
            at = Place((*place.path, *(0,) * k), place.names)
            head, names = self._bound(binder, variable, body, at)
            place = Place(place.path, names)
            heads.append(head)
        marks = [self.marker(place.child(*(0,) * k)) for k in range(1, len(binders))]
        names = place.names.hide(variables[split:])
        piece = self.piece(body, place.child(*(0,) * len(binders), names=names))
        for mark in reversed(marks):
            piece = piece.map(mark)
        if not heads:
            return piece
        head = heads[0] if len(heads) == 1 else self._fence("(", ", ".join(heads))
        return Piece(self._infix(head, "↦", piece.source), LOOSE)

    def _rlam(self, term: Term, place: Place) -> Piece:
        variable, body = unbind(term)
        head, names = self._bound(term, variable, body, place)
        return Piece(self._infix(head, "↦", self.draw(body, place.child(0, names=names))), LOOSE)

    def _def(self, term: Term, place: Place) -> Piece:
        form, count = _form(term, place.names), len(term.data.parameters)
        piece = self._formed(form, term, place)
        return self._indexed(piece, term.args[count:], place, count)

    def _formed(self, form: forms.Form, term: Term, place: Place, level: int = LOOSE) -> Piece:
        """A definition's notation, filled with its arguments."""
        match form:
            case forms.Field(number):
                return self.piece(term.args[number], place.child(number), level)
            case forms.Name(spelling):
                return self._name(spell(spelling) + place.names.primes(term.data))
            case forms.Raised(base, sign):
                piece = self._formed(base, term, place, ATOM)
                if piece.sup:
                    piece = Piece(self._fence("(", piece.source))
                sup = self.target.marks.get(sign, sign)
                return self._script(piece.base or piece.source, piece.sub, sup)
            case forms.Group(opening, parts, head):
                word = spell(head) + place.names.primes(term.data) if head else ""
                inside = [self._formed(part, term, place).source for part in parts]
                return self._call(self.target.word(word) if word else "", inside, opening)
        return self._row(form, term, place)

    def _row(self, row: forms.Row, term: Term, place: Place) -> Piece:
        source = ""
        for k, operand in enumerate(row.operands):
            same = k == 0 and _is_same_row(operand, term)  # a row of rows reads from the left
            piece = self._formed(operand, term, place, MUL if same else POW)
            sign = self.target.marks[row.signs[k - 1] or " "] if k else ""
            source += f" {sign} {piece.source}" if sign.strip() else sign + piece.source
        return Piece(source, MUL)

    # -------------------------------------------------------------- statements

    def _relation(self, term: Term, place: Place) -> Piece:
        left, right = self._children(term, place, ADD)
        return Piece(self._infix(left, {"eq": "=", "le": "≤", "lt": "<"}[term.op], right), REL)

    _eq = _le = _lt = _relation

    def _iv(self, term: Term, place: Place) -> Piece:
        return Piece(self._fence("[", self.draw(term.args[0], place.child(0))))

    def _not(self, term: Term, place: Place) -> Piece:
        inside = term.args[0]
        if inside.op == "eq":
            mark = self.marker(place.child(0))
            left, right = self._children(inside, place.child(0), ADD)
            return Piece(mark(self._infix(left, "≠", right)), REL)
        return Piece(self.target.marks["¬"] + self.draw(inside, place.child(0), ATOM), NOT)

    def _and(self, term: Term, place: Place) -> Piece:
        left = self.draw(term.args[0], place.child(0), AND)
        right = self.draw(term.args[1], place.child(1), NOT)
        return Piece(self._infix(left, "∧", right), AND)

    def _imp(self, term: Term, place: Place) -> Piece:
        left = self.draw(term.args[0], place.child(0), AND)
        right = self.draw(term.args[1], place.child(1), IMP)
        return Piece(self._infix(left, "⇒", right), IMP)

    def _all(self, term: Term, place: Place) -> Piece:
        binders, body = _opened(term, "all")
        source = ""
        for k, (binder, variable) in enumerate(binders):
            at = Place((*place.path, *(0,) * k), place.names)
            head, names = self._bound(binder, variable, body, at)
            place = Place(place.path, names)
            source += f"{self.target.marks['∀']}{head}{self.target.marks['thin']}"
        inner = self.draw(body, place.child(*(0,) * len(binders)), ALL)
        return Piece(
            f"{source.removesuffix(self.target.marks['thin'])}{self.target.marks[':']} {inner}", ALL
        )

    def _tends(self, term: Term, place: Place) -> Piece:
        function, limit = term.args
        mark = self.marker(place.child(0))
        variable, body = unbind(function)
        names = place.names.bind(variable, spell(function.hint or ""))
        name, goal = self._name(names[variable]).source, self.target.marks[term.data]
        below = f"{name}{self.target.marks['→']}{goal}"
        inner = self.draw(body, place.child(0, 0, names=names), BIG)
        left = mark(f"{self.target.big('lim', below, '')} {inner}")
        return Piece(self._infix(left, "=", self.draw(limit, place.child(1), ADD)), REL)

    def _bij(self, term: Term, place: Place) -> Piece:
        name = self._name(place.names[term.data]).source
        (source,), goal = term.data.axes, term.data.out
        ranges = [source] if source == goal else [source, goal]
        names = [self._name(place.names[over]).source for over in ranges]
        word = self.target.word("Sym" if source == goal else "Bij")
        return Piece(self._infix(name, "∈", self._call(word, names).source), REL)

    def _indep(self, term: Term, place: Place) -> Piece:
        names = (self._name(place.names[array]).source for array in term.data)
        return Piece(f" {self.target.marks['⫫']} ".join(names), REL)

    def _moments(self, term: Term, place: Place) -> Piece:
        array, order = term.data
        size = self._fence("|", self._name(place.names[array]).source)
        power = self.target.script(size, "", self.target.exponent(Fraction(order)))
        moment = self._call(self.target.marks["E"], [power], "[").source
        return Piece(self._infix(moment, "<", self.target.marks["oo"]), REL)


# ------------------------------------------------------------------ what a term looks like


def digits(value: Fraction | int) -> str:
    """A rational in decimal digits, of which `str` would write only some thousands."""
    whole = str(Decimal(value.numerator))
    return whole if value.denominator == 1 else f"{whole}/{Decimal(value.denominator)}"


def _opened(term: Term, op: str) -> tuple[list[tuple[Term, Term]], Term]:
    """Nested binders of one kind with their fresh variables, and the innermost body."""
    binders = []
    while term.op == op:
        variable, body = unbind(term)
        binders.append((term, variable))
        term = body
    return binders, term


def _each_once(union: Range) -> bool:
    """Whether an element's own range tells its part: no range occurs twice, however deep."""
    parts = list(union.parts)
    for part in parts:
        parts.extend(part.parts)
    return len(set(parts)) == len(parts)


def _mentions(term: Term, variables: tuple[Term, ...]) -> bool:
    return not term.names.isdisjoint(variables)


def is_array(body: Term, variables: tuple[Term, ...]) -> bool:
    """Whether the array λ variables. body is drawn as a matrix expression without its indices."""
    if not variables:
        return True
    args = body.args
    if body.op in ("entry", "def"):
        mine = tuple(arg for arg in args if arg in variables)
        rest = (arg for arg in args if arg not in variables)
        return mine == variables and not any(_mentions(arg, variables) for arg in rest)
    if body.op in ("add", "neg"):
        return all(is_array(arg, variables) for arg in args)
    if body.op in ("mul", "div"):
        factors = args if body.op == "mul" else args[:1]
        arrays = [arg for arg in args if _mentions(arg, variables)]
        return len(arrays) == 1 and arrays[0] in factors and is_array(arrays[0], variables)
    return False


def _tells_range(variable: Term, body: Term) -> bool:
    """Whether the variable is an index of something, so that its range needs no mention."""
    if body.op in ("entry", "def") and variable in body.args:
        return True
    if body.op in ("eq", "le", "lt") and variable in body.args:
        return any(arg.op == "entry" for arg in body.args)
    return variable in body.names and any(_tells_range(variable, arg) for arg in body.args)


def _is_letter(index: Term, names: Names) -> bool:
    index = index.args[0] if index.op == "inj" else index
    return index.op in ("ix", "fv") and len(names[index].rstrip("′")) == 1


def _starts_with_digit(term: Term) -> bool:
    if term.op in ("pow", "div"):
        return _starts_with_digit(term.args[0])
    return term.op == "num"


def _is_small(term: Term) -> bool:
    """Whether a term is fit for an exponent."""
    return _weight(term) <= 8


def _weight(term: Term) -> int:
    if term.op in ("div", "sum", "D", "E", "fn") or (term.op == "num" and term.data[1] != 1):
        return 9
    return 1 if term.op in BINDERS else 1 + sum(map(_weight, term.args))


def is_variance(term: Term) -> bool:
    """Whether a term is ``E[z²] − E[z]²``."""
    if (
        term.op != "add"
        or len(term.args) != 2
        or term.args[0].op != "E"
        or term.args[0].args[0].op != "pow"
    ):
        return False
    mean = Term("E", term.args[0].args[0].args)
    return term.args == (Term("E", (mean.args[0] ** 2,)), -(mean**2))


def _form(term: Term, names: Names) -> forms.Form:
    """A definition's notation, if what it leaves unwritten are its own parameters."""
    definition = term.data
    form = forms.form(definition)
    unwritten = set(range(len(definition.parameters))) - forms.fields(form)
    own = all(term.args[k] == as_term(definition.parameters[k]) for k in unwritten)
    distinct = not names.primes(definition) or bool(forms.words(form))
    return form if own and distinct else forms.call(definition)


def _is_same_row(operand: forms.Form, term: Term) -> bool:
    """Whether the first operand is itself drawn by the same row, as A B in A B C."""
    if type(operand) is not forms.Field:
        return False
    argument = term.args[operand.number]
    while argument.op == "lam":
        argument = argument.args[0]
    return argument.op == "def" and argument.data.notation == term.data.notation
