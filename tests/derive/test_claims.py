"""Every assertion of the articles has a verdict, comes to it now, and could come to another.

After a deliberate change: ``QKV_WRITE_GOLDENS=1 pytest tests/derive/test_claims.py`` writes the page.
"""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

import qkv
from derive import catalog, examples
from derive.claims import everything, module, select
from derive.claims import evidence as kinds
from derive.claims.claim import claim
from derive.claims.evidence import Contradicted, Facts, Figures, Proved, Refuted, Together, world
from derive.claims.numbers import broadcast, tail
from derive.claims.page import page
from derive.claims.paths import attention, dilated, logarithm, path_length, recurrent
from derive.derivation import theorem
from derive.model import Model
from derive.signature import Array
from derive.syntax import eq, ranges
from derive.witness import refuted_in
from numeric import heatmap
from vocabulary import d, n, x

NAMES = [claim.name for claim in everything()]
ROWS = [f"S{number}" for number in range(1, 43)]
# What is wrong in the articles, or an over-reading of them. A change of verdict is deliberate.
REFUTED = """
    S5c S5g S15b S22c S23b S24h S25a S27b S28e S29b S30a S30b S33ba S33bb S36a S36b S38c S39b S41e
"""
OUT_OF_SCOPE = """
    S4d S6a S14b S22a S24j S27c S31a S32a S33bd S33be S33bf S33c S34b S40b S42a S42b
"""


def of(verdict):
    return {claim.name for claim in everything() if claim.recorded == verdict}


# ------------------------------------------------------------------ what there is


def test_every_row_of_the_sources_has_its_claims():
    assert {claim.source for claim in everything()} == {*ROWS, "S33b"}
    assert len(set(NAMES)) == len(NAMES)
    assert all(re.fullmatch(r"S\d+b?[a-z]", name) for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_said_in_both_languages(name):
    (found,) = select([name])
    assert set(found.statement) == {"zh", "en"}
    assert all(found.statement.values())


def test_the_verdicts_are_these():
    assert of("refuted") == set(REFUTED.split())
    assert of("out of scope") == set(OUT_OF_SCOPE.split())
    assert not of("unknown")


@pytest.mark.parametrize("name", NAMES)
def test_it_comes_to_its_verdict_now(name):
    (found,) = select([name])
    finding = found.finding
    assert finding.verdict == found.recorded, finding.evidence
    assert finding.evidence
    assert bool(finding.witness) == (finding.verdict == "refuted")


REFUTATIONS = [
    pytest.param(part, id=f"{found.name}-{place}")
    for found in everything()
    for place, part in enumerate(getattr(found.support, "parts", (found.support,)))
    if isinstance(part, Refuted)
]


@pytest.mark.parametrize("refutation", REFUTATIONS)
def test_a_witness_satisfies_what_is_given_and_fails_what_is_claimed(refutation):
    assert all(refutation.model.truth(p) is True for p in refutation.given)
    assert refutation.model.truth(refutation.claim) is False


def test_an_over_reading_of_a_theorem_names_one_that_exists():
    named = set(re.findall(r"\(([a-z]+(?:-[a-z]+)+)\)", " ".join(_all_evidence())))
    own = {"equal-norms-match-themselves-best"}
    assert named - own
    assert named - own <= set(catalog.names())


def _all_evidence():
    return (line for found in everything() for line in found.finding.evidence)


# ------------------------------------------------------------------ each kind can fail

SAME_SIZES = eq(n.size, d.size)


@theorem("false", states=SAME_SIZES)
def false():
    """A proof of something else."""
    return catalog.load("softmax-positive").proof


def test_a_theorem_without_its_proof_proves_nothing():
    assert Proved((false,)).examine().verdict == "unknown"


def test_a_true_statement_is_not_refuted():
    holds = Refuted(eq(n.size, n.size), Model(sizes={n: 2}), "nothing", "无")
    assert holds.examine().verdict == "unknown"
    fails = Refuted(SAME_SIZES, Model(sizes={n: 2, d: 3}), "sizes differ", "大小不同")
    assert fails.examine().verdict == "refuted"


def test_a_world_that_violates_what_is_given_refutes_nothing():
    model = Model(sizes={n: 2, d: 3})
    assert refuted_in(model, (), SAME_SIZES)
    assert refuted_in(model, (eq(n.size, 3),), SAME_SIZES) is None


@pytest.mark.parametrize("stated", ["0.0901", "0.09 0.24", ""])
def test_a_wrong_figure_is_refuted(stated):
    finding = Figures("weights", stated, lambda: [0.09003]).examine()
    assert finding.verdict == "refuted"
    assert finding.witness == {"stated": stated.split(), "computed": ["0.09003"]}


def test_a_fact_that_is_not_so_is_refuted():
    assert Facts(lambda: {"a": True, "b": False}).examine().witness == {"b": False}
    assert Facts(dict).examine().verdict == "refuted"


def test_a_contradiction_that_is_gone_is_unknown():
    assert Contradicted("c", dict, "r", "z").examine().verdict == "unknown"


def test_one_part_that_fails_decides():
    good, bad = Facts(lambda: {"a": True}), Facts(lambda: {"a": False})
    assert Together((good, good)).examine().verdict == "checked"
    assert Together((good, bad)).examine().verdict == "refuted"


def test_every_kind_of_evidence_is_tried_above():
    used = {type(found.support).__name__ for found in everything()}
    tried = {"Proved", "Refuted", "Figures", "Facts", "Contradicted", "Together", "OutOfScope"}
    assert used <= tried <= set(vars(kinds))


# ------------------------------------------------------------------ where the numbers come from


def test_the_tail_of_a_dot_product_is_the_one_that_draws_show():
    q, k = np.random.default_rng(0).normal(size=(2, 20_000, 64))
    drawn = np.mean(np.abs((q * k).sum(axis=1)) > 20)
    spread = 5 * np.sqrt(tail(64, 20) / 20_000)
    assert drawn == pytest.approx(tail(64, 20), abs=spread)
    assert tail(2, 1) == pytest.approx(np.exp(-1))
    assert tail(64, 0) == pytest.approx(1)


def test_the_shades_are_those_of_the_heat_map():
    weights = examples.load("cat-mat").case("cat").step("weights").decimal
    assert module.levels() == heatmap.levels(weights)


def test_paths_by_hand():
    assert [path_length(recurrent, size) for size in (1, 2, 5)] == [0, 1, 4]
    assert [path_length(attention, size) for size in (1, 2, 5)] == [0, 1, 1]
    assert [path_length(dilated(3, 3), size) for size in (3, 4, 9, 10)] == [1, 2, 2, 3]
    assert path_length(dilated(2, 3), 3) is None
    assert [logarithm(3, size) for size in (1, 3, 4, 27, 28)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("shapes", [((2, 5, 5), (2, 1, 5)), ((2, 5, 5), (5,)), ((1,), (3, 1))])
def test_shapes_broadcast_as_in_numpy(shapes):
    assert broadcast(*shapes) == np.broadcast_shapes(*shapes)
    assert broadcast((2, 3), (2, 4)) is None


def test_a_world_counts_from_one_and_keeps_decimals_exact():
    (i,) = ranges("i")
    sigma = Array("σ", (i,), i)
    model = world({x: ["0.1", "1/3"], sigma: [2, 1]})
    assert model.sizes == {n: 2, i: 2}
    assert list(model.tables[sigma].values()) == [1, 0]
    assert list(map(str, model.tables[x].values())) == ["1/10", "1/3"]


def test_the_page_is_fresh():
    file = Path(__file__).parents[2] / "docs" / "claims.md"
    if "QKV_WRITE_GOLDENS" in os.environ:
        file.write_text(page(), encoding="utf-8")
    assert file.read_text("utf-8") == page()


# ------------------------------------------------------------------ on the command line


def call(capsys, *argv):
    code = qkv.main(list(argv))
    return (code, *capsys.readouterr())


def test_json_is_as_the_contract_says(capsys):
    code, out, err = call(capsys, "claims", "S36a", "S12b", "--json")
    wrong, right = json.loads(out)
    assert (code, err) == (0, "")
    assert set(wrong) == {"id", "source", "statement", "verdict", "evidence", "witness"}
    assert (wrong["id"], wrong["source"], wrong["verdict"]) == ("S36a", "S36", "refuted")
    assert (wrong["witness"]["left"], wrong["witness"]["right"]) == ("9/10", "1")
    assert (right["verdict"], right["witness"]) == ("proved", None)
    assert "dot-product-variance: Var(q · k) = d_k\nassuming" in right["evidence"]


def test_a_row_of_the_sources_stands_for_its_claims():
    assert [found.name for found in select(["S33b"])][:2] == ["S33ba", "S33bb"]
    assert [found.name for found in select(["S33"])] == ["S33a", "S33c", "S33d"]
    assert [found.name for found in select(["S36b", "S36"])] == ["S36b", "S36a", "S36c"]


def test_text_shows_the_witness_and_how_to_recompute_it(capsys):
    code, out, _ = call(capsys, "claims", "S36b")
    assert code == 0
    assert "✗ refuted" in out
    assert "s = (21/10, 3/10, 1/10, 4/5, 1/5)" in out
    assert "recompute: qkv claims S36b" in out


def test_another_verdict_than_the_recorded_one_is_an_unexpected_outcome(capsys, monkeypatch):
    wrong = claim("S1a", "零", "zero", Figures("zero", "0", lambda: [1]))
    monkeypatch.setattr("derive.claims.everything", lambda: (wrong,))
    code, out, _ = call(capsys, "claims")
    assert code == 1
    assert "(recorded: checked)" in out


def test_an_unknown_claim_names_the_nearest(capsys):
    code, _, err = call(capsys, "claims", "S36x")
    assert code == 2
    assert "did you mean S36" in err
