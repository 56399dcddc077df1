"""The mini-language in which a definition says how it is drawn.

A notation is written as it should look, with ``{0}``, ``{1}``… for the arguments:

========================  ==================================================================
``"{0} {1}"``             juxtaposed: a product (matrix product)
``"{0} ⊕ {1}"``           an infix sign between spaces
``"{0}ᵀ"``, ``"{0}²"``    a superscript
``"softmax({0})"``        words, and fences ``( ) [ ] ‖ ‖ | | ⟨ ⟩`` with arguments between commas
``"Q"``                   a bare name: the arguments are left unwritten **where they are the
                          definition's own parameters**, as in ``Q`` for ``Q(X, W_Q)``; with any
                          other argument the definition is drawn as ``Q(Y, W_Q)``
``""``                    ``name({0}, {1}, …)``
========================  ==================================================================

Parentheses are never written for precedence: the drawing adds them where they are needed. The
definition's indices follow as subscripts: ``(A B)_{ij}``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from derive.errors import DeriveError
from derive.signature import Definition


class NotationError(DeriveError):
    """A notation that cannot be read, or a thing that cannot be drawn."""


class Field(NamedTuple):
    """An argument, by its number."""

    number: int


class Name(NamedTuple):
    """A word or a letter, perhaps with a subscript."""

    spelling: str


class Group(NamedTuple):
    """Fences around parts that commas separate, perhaps after a word that is applied."""

    opening: str
    parts: tuple
    head: str = ""


class Raised(NamedTuple):
    """A superscript on something."""

    base: tuple
    sign: str


class Row(NamedTuple):
    """Operands and the signs between them; an empty sign is juxtaposition."""

    operands: tuple
    signs: tuple[str, ...]


Form = Field | Name | Group | Raised | Row
FENCES = {"(": ")", "[": "]", "‖": "‖", "|": "|", "⟨": "⟩"}
SUPERSCRIPTS = {"ᵀ": "ᵀ", "²": "2", "³": "3", "⁻¹": "-1", "*": "*"}
SIGNS = "·⊙⊕×∘∥"  # not + and −: these are what they are

_TOKEN = re.compile(
    r"(?P<field>\{\d+\})|(?P<name>[^\W\d_ᵀ²³¹]+(?:_[^\W_ᵀ²³¹]+)?′*)|(?P<raised>ᵀ|²|³|⁻¹|\*)"
    rf"|(?P<sign> [{SIGNS}] )|(?P<fence>[()\[\]‖|⟨⟩])|(?P<comma>, ?)|(?P<space> )"
)


@lru_cache(maxsize=1024)
def form(definition: Definition) -> Form:
    """The notation of a definition, read."""
    node = read(definition.notation) if definition.notation else call(definition)
    unknown = fields(node) - set(range(len(definition.parameters)))
    if unknown:
        raise NotationError(
            f"the notation {definition.notation!r} of {definition.name} mentions"
            f" argument {min(unknown)}",
            f"arguments 0 to {len(definition.parameters) - 1}",
        )
    arrays = {k for k, parameter in enumerate(definition.parameters) if parameter.axes}
    if _bare(node) or _arithmetic(node, arrays):
        raise NotationError(
            f"the notation {definition.notation!r} of {definition.name} reads as arithmetic",
            "a word or a sign of its own",
        )
    return node


def _bare(node: Form) -> bool:
    """An argument alone, perhaps in parentheses."""
    return type(node) is Field or (
        type(node) is Group and node.opening + node.head == "(" and all(map(_bare, node.parts))
    )


def _arithmetic(node: Form, arrays: set[int]) -> bool:
    """What arguments combined by operations of their own look like: ``x y``, ``c A``, ``|x|``.

    Arrays have no powers, bars or brackets of their own, nor a product of two.
    """
    numbers = fields(node).isdisjoint(arrays)
    match node:
        case Field():
            return True
        case Group("(" | "|" | "[" as opening, parts, ""):
            return (numbers or opening == "(") and all(_arithmetic(part, arrays) for part in parts)
        case Raised(base, sign):
            return numbers and sign != "ᵀ" and _arithmetic(base, arrays)
        case Row(operands, signs):
            several = sum(not fields(operand).isdisjoint(arrays) for operand in operands) > 1
            product = set(signs) <= {"", "·", "×"} and not several
            return product and all(_arithmetic(operand, arrays) for operand in operands)
    return False


def call(definition: Definition) -> Group | Name:
    """The notation ``name({0}, {1}, …)``; just the name if there are no arguments."""
    arguments = tuple(map(Field, range(len(definition.parameters))))
    return Group("(", arguments, definition.name) if arguments else Name(definition.name)


def fields(node: Form) -> set[int]:
    """The arguments that are drawn."""
    match node:
        case Field(number):
            return {number}
        case Group(_, parts) | Row(parts):
            return set().union(*map(fields, parts))
        case Raised(base):
            return fields(base)
    return set()


def words(node: Form) -> frozenset[str]:
    """The names and the words applied that stand in a notation."""
    match node:
        case Name(spelling):
            return frozenset({spelling})
        case Group(_, parts, head):
            return frozenset({head} if head else ()).union(*map(words, parts))
        case Row(parts):
            return frozenset().union(*map(words, parts))
        case Raised(base):
            return words(base)
    return frozenset()


def read(notation: str) -> Form:
    """Read a notation.

    >>> read("softmax({0})ᵀ")
    Raised(base=Group(opening='(', parts=(Field(number=0),), head='softmax'), sign='ᵀ')
    """
    return _Reader(notation).whole()


class _Reader:
    """Recursive descent over the tokens of one notation."""

    def __init__(self, notation: str) -> None:
        self.notation, self.tokens, end = notation, [], 0
        while end < len(notation):
            match = _TOKEN.match(notation, end)
            if not match:
                raise self.error(f"{notation[end:]!r}")
            self.tokens.append((match.lastgroup, match.group()))
            end = match.end()
        self.tokens.append(("end", ""))

    def error(self, at: str) -> NotationError:
        return NotationError(
            f"the notation {self.notation!r}, at {at}",
            "names, {0}, {1}…, fences, superscripts, and signs between single spaces",
        )

    def take(self, *kinds: str) -> str:
        kind, token = self.tokens[0]
        if kind not in kinds:
            raise self.error(repr(token) if token else "its end")
        self.tokens.pop(0)
        return token

    def whole(self) -> Form:
        node = self.row()
        self.take("end")
        return node

    def row(self) -> Form:
        operands, signs = [self.operand()], []
        while self.tokens[0][0] in ("space", "sign"):
            signs.append(self.take("space", "sign").strip())
            operands.append(self.operand())
        return Row(tuple(operands), tuple(signs)) if signs else operands[0]

    def operand(self) -> Form:
        node = self.primary()
        while self.tokens[0][0] == "raised":
            node = Raised(node, SUPERSCRIPTS[self.take("raised")])
        return node

    def primary(self) -> Form:
        kind = self.tokens[0][0]
        if kind == "field":
            return Field(int(self.take("field")[1:-1]))
        if kind != "name":
            return self.group("")
        name = self.take("name")
        applied = self.tokens[0] in (("fence", "("), ("fence", "["))
        return self.group(name) if applied else Name(name)

    def group(self, head: str) -> Group:
        opening = self.take("fence")
        if opening not in FENCES:
            raise self.error(repr(opening))
        parts = [self.row()]
        while self.tokens[0][0] == "comma":
            self.take("comma")
            parts.append(self.row())
        if self.take("fence") != FENCES[opening]:
            raise self.error(f"the end of {opening!r}")
        return Group(opening, tuple(parts), head)
