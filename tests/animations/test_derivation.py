"""Real proofs, drawn line by line."""

import pytest

from animations.derivation import advance, lines
from animations.formula import Formula
from animations.theme import DARK
from derive.catalog import dot_product_mean, dot_product_variance


@pytest.fixture(scope="module", params=[dot_product_mean, dot_product_variance])
def proof(request):
    return request.param.proof.proof


def test_every_glyph_of_every_line_belongs_to_a_node(proof):
    drawn = lines(proof)
    assert len(drawn) == len(proof.steps) + 1
    for typeset in drawn:
        assert all(glyph.owner is not None for glyph in Formula(typeset, DARK))


def test_every_step_moves_along_its_own_origins(proof):
    formulas = [Formula(typeset, DARK) for typeset in lines(proof)]
    kinds = set()
    for step, old, new in zip(proof.steps, formulas, formulas[1:], strict=False):
        morph = advance(step, old, new)
        assert {joint.new for joint in morph.links} - {None} == set(range(len(new)))
        assert {joint.old for joint in morph.links} - {None} == set(range(len(old)))
        kinds |= {joint.kind for joint in morph.links}
    assert {"move", "vanish", "appear"} <= kinds


def test_what_a_step_keeps_travels_as_the_same_letter(proof):
    formulas = [Formula(typeset, DARK) for typeset in lines(proof)]
    for step, old, new in zip(proof.steps, formulas, formulas[1:], strict=False):
        for joint in advance(step, old, new).links:
            if joint.kind == "move" and old[joint.old].symbol == new[joint.new].symbol:
                break
        else:
            assert len(new) < 3  # only a last line may be made of new signs alone
