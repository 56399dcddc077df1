"""Proofs as data: the catalogue travels, and a hostile file is refused with a reason, in time."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest

import qkv
from derive import catalog
from derive import certificate as reader
from derive import recheck as module
from derive.certificate import (
    MOST_BYTES,
    MOST_DEPTH,
    MOST_DIGITS,
    CertificateError,
    certificate,
    replay,
    text,
)
from derive.kernel import infer
from derive.recheck import recheck
from derive.syntax import Symbol, eq

ROOT = Path(__file__).parents[3]
SCHEMA = ROOT / "docs" / "certificate.schema.json"
SHORT = "softmax-shift-invariance"


def raw(document) -> bytes:
    return json.dumps(document).encode()


@pytest.fixture(scope="module")
def proof() -> dict:
    return certificate({SHORT: catalog.load(SHORT).theorem})


@pytest.fixture
def document(proof) -> dict:
    return copy.deepcopy(proof)


# ------------------------------------------------------------------ honest files


@pytest.mark.parametrize(
    "name",
    [
        SHORT,
        "softmax-jacobian",
        "softmax-hard-limit",
        "dot-product-variance",
        "permutation-equivariance",
        "blockwise-attention",
        pytest.param("", marks=pytest.mark.slow, id="all"),
    ],
)
def test_what_was_proved_is_proved_again(name):
    names = [name] if name else catalog.names()
    theorems = {name: catalog.load(name).theorem for name in names}
    again = replay(text(theorems).encode())
    assert again.keys() == theorems.keys()
    for key, theorem in theorems.items():
        assert again[key] is not theorem
        assert again[key].conclusion == theorem.conclusion
        assert again[key].hypotheses == theorem.hypotheses
        assert again[key].laws == theorem.laws


def test_shared_steps_and_nodes_are_written_once(proof):
    nodes = [json.dumps({**node, "hint": None}, sort_keys=True) for node in proof["nodes"]]
    assert len(set(nodes)) == len(nodes)
    steps = [json.dumps(step, sort_keys=True) for step in proof["steps"]]
    assert len(set(steps)) == len(steps)


def test_the_published_schema_describes_it(proof):
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validate = jsonschema.Draft202012Validator(schema).validate
    validate(proof)
    node, step = proof["nodes"][0], proof["steps"][0]
    for alter in [
        *({"version": 2}, {"steps": None}, {"theorems": {}}, {"theorems": {"t": -1}}, {"more": 1}),
        *({"nodes": [{**node, "more": 1}]}, {"nodes": [{}]}, {"nodes": [0]}),
        *({"steps": [{**step, "rule": 1}]}, {"steps": [{**step, "premises": [0.5]}]}),
    ]:
        with pytest.raises(jsonschema.ValidationError):
            validate({**proof, **alter})


@pytest.mark.slow
def test_the_published_schema_describes_every_proof_of_the_catalogue():
    schema = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    for name in catalog.names():
        schema.validate(certificate({name: catalog.load(name).theorem}))


def test_a_process_of_its_own_runs_nothing_of_the_author(proof, tmp_path):
    """The checking process imports the kernel, and no theorem, example or user file."""
    path = tmp_path / "proof.json"
    path.write_bytes(raw(proof))
    checks = (
        "import sys; from derive.certificate import replay; "
        f"replay(open({str(path)!r}, 'rb').read()); "
        "print([m for m in sys.modules if m.startswith('derive') and m.split('.')[1:2] in "
        "(['catalog'], ['user'], ['chain'], ['derivation'], ['examples'], ['bridge'])], "
        "'sympy' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", checks], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.strip() == "[] False"
    (theorem,) = recheck(path)
    assert theorem.name == SHORT
    assert "softmax" in theorem.statement
    assert any("softmax" in meaning and "exp" in meaning for meaning in theorem.meanings)


def test_contradictory_assumptions_are_told(tmp_path, capsys):
    x = Symbol("x")
    one, two = (infer("assume", proposition=eq(x, value)) for value in (1, 2))
    both = infer("transitivity", infer("symmetry", one), two)
    path = tmp_path / "contradictory.json"
    path.write_bytes(raw(certificate({"contradictory": both})))
    (report,) = recheck(path)
    assert (report.verdict, report.model_found) == ("proved", False)
    assert [step.uses for step in report.steps] == [("x = 1",), (), ("x = 2",), ()]
    assert qkv.main(["recheck", str(path)]) == 0
    assert "they may contradict each other" in capsys.readouterr().out


# ------------------------------------------------------------------ hostile files


def refused(data: bytes, *words: str) -> None:
    start = time.process_time()
    with pytest.raises(CertificateError) as caught:
        replay(data)
    assert time.process_time() - start < 5
    assert caught.value.expected
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "JSON"),
        (b"\xff\xfe{}", "JSON"),
        (b"not json", "JSON"),
        (b"[" * 100_000, "JSON"),
        (b'{"a":' * 50_000, "JSON"),
        (b"[]", "object"),
        (b"{}", "object"),
        (b'{"format": "qkv-certificate", "format": "x"}', "twice"),
        (b'{"version": 1.0}', "integers"),
        (b'{"version": NaN}', "integers"),
        (b'{"version": 1e999}', "integers"),
        (b'{"version": ' + b"9" * 5000 + b"}", "digits"),
        (b" " * (MOST_BYTES + 1), "bytes"),
    ],
    ids=range(13),
)
def test_a_file_that_is_no_document(data, word):
    refused(data, word)


@pytest.mark.parametrize(
    "alter",
    [
        {"format": "other"},
        {"version": 2},
        {"version": "1"},
        {"version": True},
        {"nodes": {}},
        {"steps": None},
        {"theorems": {}},
        {"theorems": []},
        {"theorems": {"x": 10**6}},
        {"theorems": {"x": -1}},
        {"theorems": {"x": True}},
        {"theorems": {"x": [0]}},
        {"extra": 1},
    ],
    ids=str,
)
def test_another_document(document, alter):
    refused(raw({**document, **alter}))


NODES = (
    None,
    [],
    "n",
    7,
    {},
    {"magic": "n"},
    {"range": "n"},
    {"range": "n", "parts": [], "more": 0},
    {"range": 5, "parts": []},
    {"range": "n", "parts": 0},
    {"range": "n", "parts": [0]},
    {"range": "n", "parts": [-1]},
    {"range": "n", "parts": [True]},
    {"array": "X", "axes": [], "out": "complex", "random": False},
    {"array": "X", "axes": [], "out": "real", "random": 1},
    {"array": "X", "axes": [], "out": ["real"], "random": False},
    {"definition": "f", "parameters": [], "indices": [], "body": 0, "notation": ""},
    {"term": "num", "args": [], "data": [1, 2, 3], "hint": None},
    {"term": "num", "args": [], "data": [2, 4], "hint": None},
    {"term": "num", "args": [], "data": [1, 0], "hint": None},
    {"term": "num", "args": [], "data": [True, 1], "hint": None},
    {"term": "num", "args": [], "data": "1", "hint": None},
    {"term": "__class__", "args": [], "data": None, "hint": None},
    {"term": ["num"], "args": [], "data": [1, 1], "hint": None},
    {"term": {"node": 0}, "args": [], "data": [1, 1], "hint": None},
    {"term": "neg", "args": [0], "data": None, "hint": None},
    {"term": "sym", "args": [], "data": "u", "hint": 5},
    {"term": "sym", "args": [], "data": {"node": 0}, "hint": None},
    {"term": "sym", "args": [], "data": {"node": 0, "x": 1}, "hint": None},
    {"term": "fn", "args": [], "data": "os.system", "hint": None},
)


@pytest.mark.parametrize("node", NODES, ids=range(len(NODES)))
def test_a_node_that_is_none(node):
    empty = {"format": "qkv-certificate", "version": 1, "steps": [], "theorems": {"x": 0}}
    refused(raw({**empty, "nodes": [node]}), "node 0")


def test_cyclic_and_forward_references(document):
    nodes = document["nodes"]
    place = next(p for p, node in enumerate(nodes) if node.get("args"))
    for target in (place, place + 1, len(nodes) + 5):
        altered = copy.deepcopy(document)
        altered["nodes"][place]["args"][0] = target
        refused(raw(altered), f"node {place}")
    last = len(document["steps"]) - 1
    for target in (last, last + 1, -1):
        altered = copy.deepcopy(document)
        altered["steps"][last]["premises"] = [target]
        refused(raw(altered), f"step {last}")


def one_step(nodes: list, rule: str = "reflexivity", **arguments) -> bytes:
    step = {
        "rule": rule,
        "arguments": arguments or {"term": {"node": len(nodes) - 1}},
        "premises": [],
        "hypotheses": [],
        "conclusion": len(nodes) - 1,
    }
    whole = {"nodes": nodes, "steps": [step], "theorems": {"x": 0}}
    return raw({"format": "qkv-certificate", "version": 1, **whole})


def term(op: str, args=(), data=None) -> dict:
    return {"term": op, "args": list(args), "data": data, "hint": None}


def test_billion_laughs():
    doubling = [term("num", data=[1, 1])]
    doubling += [term("add", [place, place]) for place in range(60)]
    refused(one_step(doubling), "parts")
    ranges = [{"range": "r0", "parts": []}]
    ranges += [{"range": f"r{p + 1}", "parts": [p, p]} for p in range(60)]
    refused(one_step(ranges), "parts")
    tuples = term("num", data=[[{"node": 0}] * 400] * 400)
    refused(one_step([doubling[0], tuples]), "parts")


def test_definitions_that_unfold_without_end():
    nodes = [term("num", data=[1, 1])]
    for level in range(60):
        body = len(nodes) - 1
        nodes.append(
            {
                "definition": f"f{level}",
                "parameters": [],
                "indices": [],
                "body": body,
                "notation": "",
            }
        )
        nodes.append(term("def", data={"node": body + 1}))
        nodes.append(term("add", [body + 2, body + 2]))
    refused(one_step(nodes), "parts")


def test_a_deep_term():
    deep = [term("num", data=[1, 1])]
    deep += [term("neg", [place]) for place in range(2 * MOST_DEPTH)]
    refused(one_step(deep), "deep")


def same(*nodes: dict) -> bytes:
    """The last node equals itself."""
    end = len(nodes)
    document = json.loads(one_step([*nodes, term("eq", [end - 1, end - 1])]))
    document["steps"][0]["arguments"] = {"term": {"node": end - 1}}
    return raw(document)


def test_what_is_just_within_the_bounds_is_read(monkeypatch):
    deep = lambda depth: same(
        term("num", data=[1, 1]), *(term("neg", [p]) for p in range(depth - 2))
    )
    assert replay(deep(MOST_DEPTH))
    refused(deep(MOST_DEPTH + 1), "deep")
    digits = lambda count: same(term("num", data=[10 ** (count - 1), 1]))
    assert replay(digits(MOST_DIGITS))
    refused(digits(MOST_DIGITS + 1), "digits")
    three = digits(1)
    monkeypatch.setattr(reader, "MOST_BYTES", len(three))
    assert replay(three)
    refused(three + b" ", "bytes")
    monkeypatch.setattr(reader, "MOST_WEIGHT", 3)
    assert replay(three)
    monkeypatch.setattr(reader, "MOST_WEIGHT", 2)
    refused(three, "parts")


def test_values_nested_deeply(proof):
    deep = b'{"term":' + b"[" * 700 + b"]" * 700 + b"}"
    refused(raw(proof).replace(b'"arguments": {}', b'"arguments": ' + deep, 1))


@pytest.mark.parametrize(
    "alter",
    [
        {"rule": "nonsense"},
        {"rule": None},
        {"rule": ["algebra"]},
        {"arguments": []},
        {"arguments": {}},
        {"arguments": {"term": 1}},
        {"arguments": {"__class__": None}},
        {"premises": {}},
        {"premises": [0.5]},
        {"hypotheses": None},
        {"hypotheses": [0]},
        {"conclusion": 0},
        {"conclusion": None},
        {"extra": 1},
    ],
    ids=str,
)
def test_an_altered_step(document, alter):
    for place in (0, len(document["steps"]) - 1):
        altered = copy.deepcopy(document)
        altered["steps"][place] |= alter
        if altered != document:
            refused(raw(altered))


def test_a_hypothesis_left_out(document):
    place, step = next((p, s) for p, s in enumerate(document["steps"]) if s["hypotheses"])
    step["hypotheses"] = step["hypotheses"][1:]
    refused(raw(document), f"step {place}", "another theorem")


def test_every_conclusion_exchanged_for_another(document):
    """No step may claim the conclusion of another one, unless it is the same."""
    steps = document["steps"]
    for place, step in enumerate(steps):
        other = steps[(place + 1) % len(steps)]["conclusion"]
        if other != step["conclusion"]:
            altered = copy.deepcopy(document)
            altered["steps"][place]["conclusion"] = other
            refused(raw(altered), f"step {place}")


def test_every_number_changed(document):
    """A coefficient changed anywhere gives another theorem, or none."""
    numbers = [p for p, node in enumerate(document["nodes"]) if node.get("term") == "num"]
    assert numbers
    for place in numbers:
        altered = copy.deepcopy(document)
        altered["nodes"][place]["data"][0] += 16
        refused(raw(altered))


def test_a_check_that_takes_too_long_is_ended(tmp_path):
    """``(2^(10^18))`` is a small file and a large number."""
    nodes = [term("num", data=[2, 1]), term("pow", [0], [10**18, 1]), term("eq", [1, 0])]
    path = tmp_path / "large.json"
    path.write_bytes(one_step(nodes, "algebra", left={"node": 1}, right={"node": 0}))
    start = time.perf_counter()
    with pytest.raises(CertificateError):
        recheck(path, seconds=2, memory=1 << 30)
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize("notation", ["{0.__class__}", "{0:>99999999}", "{9}", "{", "{0}"])
def test_a_notation_is_drawn_by_a_grammar_and_never_formatted(tmp_path, monkeypatch, notation):
    nodes = [
        term("num", data=[1, 1]),
        {"definition": "f", "parameters": [], "indices": [], "body": 0, "notation": notation},
        term("def", data={"node": 1}),
        term("eq", [2, 2]),
    ]
    path = tmp_path / "dressed.json"
    path.write_bytes(one_step(nodes, term={"node": 2}))
    assert "notation" in worked(path, monkeypatch)[0]
    with pytest.raises(CertificateError, match="another theorem") as refusal:
        replay(one_step(nodes, rule="assume", proposition={"node": 3}))  # it does not say: from it
    assert "notation" in refusal.value.expected
    with pytest.raises(CertificateError, match="notation"):
        recheck(path)


def worked(path, monkeypatch) -> Any:
    """What the process of its own sends back, had without one."""
    sent = []
    monkeypatch.setattr(module, "_bound_memory", lambda limit: None)
    module._work(SimpleNamespace(send=sent.append), str(path), 1 << 30)
    return sent.pop()


def test_what_the_process_sends(proof, tmp_path, monkeypatch):
    path = tmp_path / "proof.json"
    path.write_bytes(raw(proof))
    (theorem,) = worked(path, monkeypatch)
    assert theorem == recheck(path)[0]
    assert theorem.name == SHORT
    path.write_bytes(raw({**proof, "version": 2}))
    assert "version 2" in worked(path, monkeypatch)[0]
    assert "No such file" in worked(tmp_path / "none.json", monkeypatch)[0]


@pytest.mark.parametrize(("error", "word"), [(RecursionError, "too deep"), (MemoryError, "memory")])
def test_a_process_that_runs_out_says_of_what(tmp_path, monkeypatch, error, word):
    def run_out(data):
        raise error

    path = tmp_path / "proof.json"
    path.touch()
    monkeypatch.setattr(module, "replay", run_out)
    assert word in worked(path, monkeypatch)[0]


def test_the_memory_of_the_process_is_bounded_where_the_system_can(monkeypatch):
    resource, set_to = pytest.importorskip("resource"), []
    monkeypatch.setattr(resource, "setrlimit", lambda *limit: set_to.append(limit))
    module._bound_memory(7)
    assert set_to == [(resource.RLIMIT_AS, (7, 7))]
    monkeypatch.setitem(sys.modules, "resource", None)
    module._bound_memory(8)
    assert len(set_to) == 1


@pytest.mark.parametrize(
    ("bound", "word"), [({"seconds": 0.001}, "seconds"), ({"memory": 1 << 20}, "memory")]
)
def test_a_check_beyond_its_bounds_is_ended(proof, tmp_path, bound, word):
    path = tmp_path / "proof.json"
    path.write_bytes(raw(proof))
    with pytest.raises(CertificateError, match=word):
        recheck(path, **bound)


def test_a_process_that_ends_without_a_word(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_work", print)
    with pytest.raises(CertificateError, match="broke off"):
        recheck(tmp_path / "none.json")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CertificateError):
        recheck(tmp_path / "none.json")


# ------------------------------------------------------------------ the command line


def test_the_command_line(tmp_path):
    path = tmp_path / "proof.json"
    run = lambda *words: subprocess.run(
        [sys.executable, str(ROOT / "qkv.py"), *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run("prove", SHORT, "--certificate", str(path)).returncode == 0
    good = run("recheck", str(path), "--json")
    assert good.returncode == 0
    (row,) = json.loads(good.stdout)
    (proved,) = json.loads(run("prove", SHORT, "--json").stdout)
    assert row.keys() == proved.keys()
    assert [row[key] for key in ("name", "verdict", "statement")] == [
        proved[key] for key in ("name", "verdict", "statement")
    ]
    assert set(row["assumptions"]) == set(proved["assumptions"])
    assert row["model_found"] is proved["model_found"] is True
    assert [step.keys() for step in row["steps"][:1]] == [proved["steps"][0].keys()]
    assert (row["steps"][-1]["relation"], "softmax" in row["steps"][-1]["latex"]) == ("=", True)
    path.write_text(path.read_text().replace('"div"', '"mul"', 1))
    bad = run("recheck", str(path), "--json")
    assert bad.returncode == 1
    (row,) = json.loads(bad.stdout)
    assert row["verdict"] == "unknown"
    assert row["error"]["got"]
    missing = run("recheck", str(tmp_path / "none.json"), "--json")
    assert missing.returncode == 2
    assert "no file" in json.loads(missing.stdout)["error"]["given"]


@pytest.mark.parametrize("place", [".", "none/proof.json"], ids=["a folder", "in no folder"])
def test_a_certificate_that_cannot_be_written_is_refused_before_the_work(tmp_path, capsys, place):
    code = qkv.main(["prove", SHORT, "--json", "--certificate", str(tmp_path / place)])
    assert code == 2
    assert json.loads(capsys.readouterr().out).keys() == {"error"}  # one document, no proofs
