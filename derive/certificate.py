"""Proofs as data: written from theorems, and checked again by the kernel alone.

A certificate holds a table of nodes (ranges, arrays, definitions, terms), each of which refers to
earlier ones only, and the steps of one proof or several: a rule, its arguments, its premises, and
the hypotheses and the conclusion that came of it. `replay` builds every node by its checking
constructor and takes every step by `kernel.infer`; nothing in the file is ever evaluated.
:mod:`derive.recheck` does so in a process of its own, with bounds on time and memory. The format is
described by ``docs/certificate.schema.json``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from derive.errors import DeriveError
from derive.kernel import infer
from derive.signature import Array, Definition, Range
from derive.terms import Term, key

FORMAT, VERSION = "qkv-certificate", 1
NAME = r"[\w.-]+( [\w.-]+)*"
MOST_BYTES = 32 << 20
MOST_WEIGHT = 100_000  # nodes of one term, shared ones counted as often as they occur
MOST_DEPTH = 200
MOST_DIGITS = 100


class CertificateError(DeriveError):
    """A file that certifies nothing."""


# ------------------------------------------------------------------ writing


def certificate(theorems: Mapping[str, Any]) -> dict[str, Any]:
    """The proofs of these theorems, by name, as one JSON document.

    >>> from derive.kernel import infer
    >>> from derive.terms import number
    >>> document = certificate({"one": infer("reflexivity", term=number(1))})
    >>> document["steps"][0]["rule"], document["theorems"]
    ('reflexivity', {'one': 0})
    """
    for name in theorems:
        _check_name(name)
    writer = _Writer()
    ends = {name: writer.step(theorem) for name, theorem in theorems.items()}
    return {
        "format": FORMAT,
        "version": VERSION,
        "nodes": writer.nodes,
        "steps": writer.steps,
        "theorems": ends,
    }


def text(theorems: Mapping[str, Any]) -> str:
    """The certificate as the text of a file."""
    return json.dumps(certificate(theorems), ensure_ascii=False, separators=(",", ":")) + "\n"


class _Writer:
    def __init__(self) -> None:
        self.nodes: list[dict] = []
        self.steps: list[dict] = []
        self.places: dict[Any, int] = {}
        self.taken: dict[int, int] = {}  # by the identity of a theorem, which its premises keep
        self.same: dict[str, int] = {}  # by what was written: a step taken twice is written once

    def step(self, theorem: Any) -> int:
        """The place of the theorem's last step, its premises written before it."""
        if id(theorem) not in self.taken:
            premises = [self.step(premise) for premise in theorem.premises]
            arguments = {name: self.value(v) for name, v in theorem.arguments.items()}
            entry = {
                "rule": theorem.rule,
                "arguments": arguments,
                "premises": premises,
                "hypotheses": list(map(self.node, sorted(theorem.hypotheses, key=key))),
                "conclusion": self.node(theorem.conclusion),
            }
            place = self.same.setdefault(json.dumps(entry), len(self.steps))
            if place == len(self.steps):
                self.steps.append(entry)
            self.taken[id(theorem)] = place
        return self.taken[id(theorem)]

    def value(self, value: Any) -> Any:
        if type(value) is tuple:
            return list(map(self.value, value))
        if type(value) in (Term, Array, Range, Definition):
            return {"node": self.node(value)}
        return value

    def node(self, thing: Any) -> int:
        if thing not in self.places:
            entry = self._entry(thing)
            self.places[thing] = len(self.nodes)
            self.nodes.append(entry)
        return self.places[thing]

    def _entry(self, thing: Any) -> dict[str, Any]:
        refs = lambda things: list(map(self.node, things))
        if type(thing) is Range:
            return {"range": thing.name, "parts": refs(thing.parts)}
        if type(thing) is Array:
            axes, out = refs(thing.axes), self.value(thing.out)
            return {"array": thing.name, "axes": axes, "out": out, "random": thing.random}
        if type(thing) is Definition:
            return {
                "definition": thing.name,
                "parameters": refs(thing.parameters),
                "indices": refs(thing.indices),
                "body": self.node(thing.body),
                "notation": thing.notation,
            }
        args, data = refs(thing.args), self.value(thing.data)
        return {"term": thing.op, "args": args, "data": data, "hint": thing.hint}


# ------------------------------------------------------------------ checking

NODES: Mapping[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "range": (Range, ("range", "parts")),
    "array": (Array, ("array", "axes", "out", "random")),
    "definition": (Definition, ("definition", "parameters", "indices", "body", "notation")),
    "term": (Term, ("term", "args", "data", "hint")),
}


def replay(data: bytes) -> dict[str, Any]:
    """The theorems of a certificate, made again by the kernel; or `CertificateError` says why not."""
    document = _fields(
        _parse(data), "the document", "format", "version", "nodes", "steps", "theorems"
    )
    if (document["format"], repr(document["version"])) != (FORMAT, repr(VERSION)):
        raise CertificateError(
            f"format {document['format']!r:.40}, version {document['version']!r:.40}",
            f"{FORMAT!r}, version {VERSION}",
        )
    reader = _Reader()
    for place, entry in enumerate(_list(document["nodes"], "nodes")):
        _at(f"node {place}", reader.add_node, entry)
    for place, entry in enumerate(_list(document["steps"], "steps")):
        _at(f"step {place}", reader.add_step, entry)
    ends = document["theorems"]
    if type(ends) is not dict or not ends:
        raise CertificateError("no theorems", "their names, each with the place of its last step")
    for name in ends:
        _check_name(name)
    return {name: _item(reader.theorems, end, "steps") for name, end in ends.items()}


def _check_name(name: str) -> None:
    """A name is words, so that it passes for no formula and no line of a report."""
    if not re.fullmatch(NAME, name):
        raise CertificateError(
            f"the name {name!r:.80} of a theorem", "words of letters, digits, '-', '_' and '.'"
        )


def _at(place: str, add: Callable[[Any], None], entry: Any) -> None:
    try:
        add(entry)
    except CertificateError as error:
        raise CertificateError(f"{place}: {error.given}", error.expected) from None
    except (
        DeriveError,
        RecursionError,
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as why:
        raise CertificateError(f"{place}: {said(why)}", "what the kernel accepts") from None


def said(thing: Any) -> str:
    """The thing in words, which may need a notation of the file's own that cannot be drawn.

    On one line, and nothing that a terminal would obey.
    """
    try:
        words = str(thing)
    except DeriveError as error:
        words = str(error)
    return "".join(x if x.isprintable() else " " for x in words)[:500]


class _Node(NamedTuple):
    """A built thing; its size and height if nothing were shared."""

    thing: Any
    weight: int
    depth: int


class _Reader:
    """Builds nodes and takes steps in their order; a reference to a later one is refused."""

    def __init__(self) -> None:
        self.nodes: list[_Node] = []
        self.used: list[_Node] = []  # what the entry at hand refers to
        self.theorems: list[Any] = []

    # ---------------------------------------------------------------- nodes

    def add_node(self, entry: Any) -> None:
        kind = next(iter(entry), None) if type(entry) is dict else None
        if kind not in NODES:
            raise CertificateError(f"{entry!r:.80}", f"one of {', '.join(NODES)}")
        make, names = NODES[kind]
        fields, self.used = _fields(entry, kind, *names), []
        values = [self._field(name, fields[name]) for name in names]
        weight = 1 + sum(node.weight for node in self.used)
        depth = 1 + max((node.depth for node in self.used), default=0)
        if weight > MOST_WEIGHT or depth > MOST_DEPTH:  # refused before it is built
            raise CertificateError(
                f"a node of {weight} parts, {depth} deep",
                f"{MOST_WEIGHT} parts and a depth of {MOST_DEPTH} at most",
            )
        self.nodes.append(_Node(make(*values), weight, depth))

    def _field(self, name: str, value: Any) -> Any:
        if name in ("parts", "axes", "parameters", "indices", "args"):
            return tuple(map(self._thing, _list(value, name)))
        if name == "body":
            return self._thing(value)
        return self.value(value) if name in ("out", "data") else value

    def _thing(self, place: Any) -> Any:
        node = _item(self.nodes, place, "nodes")
        self.used.append(node)
        return node.thing

    def value(self, value: Any) -> Any:
        """Plain data: a reference, a list, a string, an integer or nothing."""
        if type(value) is dict:
            return self._thing(_fields(value, "a value", "node")["node"])
        if type(value) is list:
            return tuple(map(self.value, value))
        if type(value) in (str, int, type(None)):
            return value
        raise CertificateError(f"{value!r}", "a node, a list, a string, an integer or null")

    # ---------------------------------------------------------------- steps

    def add_step(self, entry: Any) -> None:
        self.used = []
        fields = _fields(
            entry, "a step", "rule", "arguments", "premises", "hypotheses", "conclusion"
        )
        if type(fields["arguments"]) is not dict:
            raise CertificateError("the arguments of a step", "an object")
        arguments = {name: self.value(value) for name, value in fields["arguments"].items()}
        premises = [
            _item(self.theorems, p, "earlier steps") for p in _list(fields["premises"], "premises")
        ]
        theorem = infer(fields["rule"], *premises, **arguments)
        conclusion = self._thing(fields["conclusion"])
        hypotheses = frozenset(map(self._thing, _list(fields["hypotheses"], "hypotheses")))
        if theorem.conclusion != conclusion or theorem.hypotheses != hypotheses:
            raise CertificateError("another theorem than its rule gives", said(theorem))
        self.theorems.append(theorem)


def _parse(data: bytes) -> Any:
    if len(data) > MOST_BYTES:
        raise CertificateError(f"{len(data)} bytes", f"{MOST_BYTES} at most")
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_no_float,
            parse_constant=_no_float,
        )
    except (ValueError, RecursionError) as why:
        raise CertificateError(f"no JSON document: {why}", "JSON in UTF-8") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise CertificateError(f"a key given twice in {names!r:.200}", "each key once")
    return found


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise CertificateError(f"a number of {len(digits)} digits", f"{MOST_DIGITS} at most")
    return int(digits)


def _no_float(text: str) -> Any:
    raise CertificateError(f"the number {text:.40}", "integers only")


def _fields(value: Any, what: str, *names: str) -> dict[str, Any]:
    if type(value) is not dict or set(value) != set(names):
        raise CertificateError(
            f"{what}: {value!r:.80}", f"an object with exactly {', '.join(names)}"
        )
    return value


def _list(value: Any, what: str) -> list[Any]:
    if type(value) is not list:
        raise CertificateError(f"{what}: {value!r:.80}", "a list")
    return value


def _item(items: list[Any], place: Any, what: str) -> Any:
    if type(place) is not int or not 0 <= place < len(items):
        raise CertificateError(f"the place {place!r:.40} in {what}", f"0 to {len(items) - 1}")
    return items[place]
