"""Certificates changed at random: refused with a reason, or what they then say is what was proved."""

from __future__ import annotations

import copy
import json
import random
from types import SimpleNamespace
from typing import Any

import pytest

from derive import catalog
from derive import recheck as module
from derive.certificate import CertificateError, certificate, replay

ROUNDS, DRAWN = 100, 8  # of each kind; of those accepted
JUNK: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        0,
        1,
        2,
        10**99,
        [],
        {},
        [[]],
        {"node": 0},
        [0],
        [1, 2],
        [-1, 1],
        [10**99, 1],
    ),
    *("", "x", "exp", "real", "prop", "0", "oo", "{0}", "{9}", "a b", "a\nb", "n" * 65),
    *("\u00e9", "e\u0301", "\ud800", "\u202e", "\u200b", "\x1b[31m", "\u0663", "$x$"),
)


@pytest.fixture(scope="module")
def documents() -> list[dict]:
    names = ("softmax-positive", "softmax-rows-sum-to-one", "dot-product-mean")
    return [certificate({name: catalog.load(name).theorem}) for name in names]


def places(value: Any, path: tuple = ()) -> list[tuple]:
    if type(value) not in (dict, list):
        return [path]
    inside = value.items() if type(value) is dict else enumerate(value)
    return [path, *(p for key, child in inside for p in places(child, (*path, key)))]


def at(value: Any, path: tuple) -> Any:
    for key in path:
        value = value[key]
    return value


def junk(document: dict, chance: random.Random) -> Any:
    return copy.deepcopy(chance.choice(JUNK))


def other_part(document: dict, chance: random.Random) -> Any:
    return copy.deepcopy(at(document, chance.choice(places(document)[1:])))


def exchanged(document: dict, chance: random.Random) -> bytes:
    """Something in the place of something."""
    for _ in range(chance.choice((1, 1, 2))):
        *above, last = chance.choice(places(document)[1:])
        at(document, above)[last] = chance.choice((junk, other_part))(document, chance)
    return json.dumps(document).encode()


def of_its_kind(document: dict, chance: random.Random) -> bytes:
    """A field of one node or step in the place of the same field of another."""
    entries = document[chance.choice(("nodes", "steps"))]
    entry = chance.choice(entries)
    other = chance.choice([e for e in entries if e.keys() == entry.keys()])
    field = chance.choice(list(entry))
    entry[field] = other[field]
    return json.dumps(document).encode()


def moved(document: dict, chance: random.Random) -> bytes:
    """Two entries exchanged, one left out, or one twice."""
    entries = document[chance.choice(("nodes", "steps"))]
    one, two = chance.randrange(len(entries)), chance.randrange(len(entries))
    chance.choice(
        (
            lambda: entries.__setitem__(one, entries[two]),
            lambda: entries.__delitem__(one),
            lambda: entries.insert(one, entries[two]),
        )
    )()
    return json.dumps(document).encode()


def bytes_changed(document: dict, chance: random.Random) -> bytes:
    data = bytearray(json.dumps(document).encode())
    for _ in range(chance.choice((1, 2, 5))):
        place = chance.randrange(len(data))
        data[place : place + chance.choice((0, 1, 9))] = chance.choice(
            (
                b"",
                b'"',
                b"1e999999",
                b"NaN",
                b"-Infinity",
                b"9" * 200,
                b"\xff",
                b"\\ud800",
                b"[" * 9,
            )
        )
    return bytes(data)


def written_out(nodes: list, place: int) -> Any:
    """The node with all it refers to in it, and without display names."""

    def of(value: Any, refers: bool) -> Any:
        if type(value) is dict:
            return written_out(nodes, value["node"])
        if type(value) is list:
            return [of(v, refers) for v in value]
        return written_out(nodes, value) if refers else value

    refers = {"args", "parts", "axes", "parameters", "indices", "body"}
    return {k: of(v, k in refers) for k, v in nodes[place].items() if k != "hint"}


def stated(document: dict) -> dict[str, tuple]:
    nodes, steps = document["nodes"], document["steps"]
    out = {}
    for name, end in document["theorems"].items():
        hypotheses = [json.dumps(written_out(nodes, h)) for h in steps[end]["hypotheses"]]
        out[name] = (written_out(nodes, steps[end]["conclusion"]), sorted(set(hypotheses)))
    return out


@pytest.mark.parametrize("mutate", [exchanged, of_its_kind, moved, bytes_changed])
def test_a_changed_certificate(documents, mutate, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_bound_memory", lambda limit: None)
    path = tmp_path / "changed.json"
    chance, accepted = random.Random(mutate.__name__), 0
    for _ in range(ROUNDS):
        data = mutate(copy.deepcopy(chance.choice(documents)), chance)
        try:
            theorems = replay(data)
        except CertificateError as refusal:
            refused = bool(refusal.given and refusal.expected)
        else:
            accepted, refused = accepted + 1, False
            assert stated(json.loads(data)) == stated(certificate(theorems))
        if refused or accepted > DRAWN:
            continue
        path.write_bytes(data)
        sent: list[Any] = []
        module._work(SimpleNamespace(send=sent.append), str(path), 1 << 30)
        assert type(sent.pop()) is tuple
    assert accepted < ROUNDS
