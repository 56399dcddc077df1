"""The conformance run: ours passes, each usual fault is found."""

import json

import numpy as np
import pytest

from numeric import attention, conformance
from numeric.awkward import cases


def naive(q, k, v, *, mask=None, bias=None, causal=None, scale=None):
    """The textbook's few lines, with the textbook's faults."""
    scores = q @ k.T * (q.shape[1] ** -0.5 if scale is None else scale)
    if causal:
        mask = np.tril(np.ones(scores.shape, bool))
    scores = scores if bias is None else scores + bias
    scores = scores if mask is None else np.where(mask, scores, -1e9)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def writes(q, k, v, **options):
    out = attention(q, k, v, **options)
    q *= 2
    return out


FAULTS = {
    "scale": lambda q, k, v, **o: attention(q, k, v, **{**o, "scale": None}),
    "mask": lambda q, k, v, mask=None, **o: attention(
        q, k, v, mask=mask if mask is None else ~mask.astype(bool), **o
    ),
    "lower-right": lambda q, k, v, causal=None, **o: attention(
        q, k, v, causal=causal and "upper-left", **o
    ),
    "dead row by mask": naive,
    "NaN in a masked value": naive,
    "unnamed causal alignment": naive,
    "plain": writes,
    "float32 stays float32": lambda q, k, v, **o: attention(q, k, v, **o).astype(float),
}


def test_ours_agrees():
    report = conformance(attention)
    assert report.agrees, str(report)
    assert len(report.rows) == len({case.name for case in cases()}) >= 20


@pytest.mark.parametrize("name", FAULTS)
def test_usual_faults_are_found(name):
    rows = {row.name: row for row in conformance(FAULTS[name]).rows}
    assert not rows[name].agrees
    assert "expected" in str(rows[name])


def test_an_implementation_that_always_raises_agrees_only_where_it_should():
    def refuses(*_, **__):
        raise TypeError("no")

    agreeing = {row.name for row in conformance(refuses).rows if row.agrees}
    assert agreeing == {case.name for case in cases() if case.refused}


def test_json():
    rows = json.loads(json.dumps(conformance(naive).to_json()))
    assert {"name", "why", "agrees", "expected", "got", "inputs"} == rows[0].keys()
