"""The awkward cases of attention, to run any implementation through.

>>> from numeric import attention, conformance
>>> conformance(attention).agrees
True
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from numeric.compare import max_error, tolerance
from numeric.dot_product import attention
from numeric.heads import split_heads


@dataclass(frozen=True)
class Case:
    """One call, and what it must give: an array, or an error of any kind."""

    name: str
    why: str
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    options: Mapping[str, Any] = field(default_factory=dict)
    refused: bool = False


@dataclass(frozen=True)
class Row:
    """How one implementation fared in one case."""

    name: str
    why: str
    agrees: bool
    expected: Any
    got: Any
    inputs: dict[str, Any]

    def __str__(self) -> str:
        if self.agrees:
            return f"✓ {self.name}"
        shown = "\n".join(f"      {name} = {value}" for name, value in self.inputs.items())
        return (
            f"✗ {self.name}: {self.why}\n{shown}\n"
            f"    expected {self.expected}\n    got      {self.got}"
        )


@dataclass(frozen=True)
class Conformance:
    """All rows; printing it shows what differs, with the input that shows it."""

    rows: tuple[Row, ...]

    @property
    def agrees(self) -> bool:
        """Whether every case agrees."""
        return all(row.agrees for row in self.rows)

    def to_json(self) -> list[dict[str, Any]]:
        """Return the rows as plain data."""
        return [{**vars(row)} for row in self.rows]

    def __str__(self) -> str:
        agreeing = sum(row.agrees for row in self.rows)
        return "\n".join([*map(str, self.rows), f"{agreeing} of {len(self.rows)} agree"])


def conformance(function: Callable[..., Any], /, *, onnx: bool = False) -> Conformance:
    """Run an attention function through the awkward cases.

    Parameters
    ----------
    function
        Called as ``function(q, k, v, **options)`` with NumPy arrays; the options are among
        `mask`, `bias`, `causal`, `scale`, meaning what they mean to :func:`attention`. Wrap one
        that is called otherwise.
    onnx
        Whether to go on with ONNX's own cases of attention, which need the `onnx` package.

    Returns
    -------
    Conformance
        Row by row, what was expected and what came.
    """
    with np.errstate(all="ignore"):
        rows = [_tried(function, case) for case in cases()]
        return Conformance((*rows, *(_onnx_rows(function) if onnx else ())))


def _onnx_rows(function: Callable[..., Any]) -> Iterator[Row]:
    """The cases whose options a function takes by contract, and whose dtypes NumPy has."""
    from numeric import onnx_cases

    for case in onnx_cases.cases("attention", "Attention"):
        call = onnx_cases.as_call(case.inputs, case.settings)
        if case.name in onnx_cases.ROUNDED or "softcap" in call.options:
            continue
        wanted = case.outputs["Y"]
        wanted = split_heads(wanted, call.q.shape[1]) if call.flat else wanted
        awkward = Case(f"onnx {case.name}", "ONNX's own", call.q, call.k, call.v, call.options)
        try:
            got = np.asarray(function(call.q.copy(), call.k.copy(), call.v.copy(), **call.options))
        except Exception as error:  # noqa: BLE001 - whatever theirs raises
            yield _row(awkward, wanted, f"{type(error).__name__}: {error}", False)
            continue
        same = got.shape == wanted.shape and got.dtype == wanted.dtype
        near = same and np.allclose(got, wanted, rtol=case.rtol, atol=case.atol)
        yield _row(awkward, wanted, got, near)


def _tried(function: Callable[..., Any], case: Case) -> Row:
    expected = "an error" if case.refused else attention(case.q, case.k, case.v, **case.options)
    inputs = [x.copy() for x in (case.q, case.k, case.v)]
    try:
        got = np.asarray(function(*inputs, **case.options))
    except Exception as error:  # noqa: BLE001 - whatever theirs raises
        got = f"{type(error).__name__}: {error}"
        return _row(case, expected, got, case.refused)
    if case.refused:
        return _row(case, expected, got, False)
    same = got.dtype == expected.dtype and max_error(got, expected) <= _slack(case)
    written = any(
        not np.array_equal(x, y, equal_nan=True)
        for x, y in zip(inputs, (case.q, case.k, case.v), strict=True)
    )
    return _row(case, expected, got, same and not written)


def _slack(case: Case) -> float:
    finite = case.v[np.isfinite(case.v)]
    length = case.q.shape[-1] + case.k.shape[-2]
    return tolerance(case.q.dtype, length, 8 * np.abs(finite).max(initial=1.0))


def _row(case: Case, expected: Any, got: Any, agrees: bool) -> Row:
    def plain(x: Any) -> Any:
        if not isinstance(x, np.ndarray):
            return x
        return (x.astype(str) if x.dtype.kind == "c" else x).tolist()  # JSON has no complex

    given = {"q": case.q, "k": case.k, "v": case.v, **case.options}
    inputs = {name: plain(value) for name, value in given.items()}
    return Row(case.name, case.why, bool(agrees), plain(expected), plain(got), inputs)


def cases() -> tuple[Case, ...]:
    """Return the cases, each with small inputs that a reader can follow."""
    q, k = np.ones((2, 2), np.float32), np.ones((3, 2), np.float32)
    v = np.asarray([[0, 1], [2, 3], [4, 5]], np.float32)
    dead = np.asarray([[True, True, False], [False, False, False]])
    seen = np.asarray([[True, True, False], [True, False, False]])
    low, lower = (np.where(dead, 0, x).astype(np.float32) for x in (-np.inf, -1e9))
    five = np.arange(10, dtype=np.float32).reshape(5, 2) / 4
    half = np.full((1, 64), 40, np.float16)

    def last(x: np.ndarray, value: float) -> np.ndarray:
        return np.concatenate([x[:-1], np.full_like(x[-1:], value)])

    return (
        Case("plain", "softmax(q kᵀ / √d_k) v", five[:2], five, five),
        Case("scale", "an explicit scale replaces 1/√d_k", five[:2], five, five, {"scale": 1.0}),
        Case("mask", "True means may attend", q, k, v, {"mask": seen}),
        Case("dead row by mask", "nothing to attend to is zero", q, k, v, {"mask": dead}),
        Case("dead row by bias", "nothing to attend to is zero", q, k, v, {"bias": low}),
        Case(
            "large negative bias",
            "−1e9 is arithmetic, not −∞",
            q,
            k,
            v,
            {"bias": lower},
        ),
        Case(
            "upper-left", "query 0 sees key 0 only", five[:2], five, five, {"causal": "upper-left"}
        ),
        Case(
            "lower-right",
            "the last query sees all keys",
            five[:2],
            five,
            five,
            {"causal": "lower-right"},
        ),
        Case(
            "lower-right, more queries than keys",
            "the first queries see nothing",
            five,
            five[:2],
            five[:2],
            {"causal": "lower-right"},
        ),
        Case("unnamed causal alignment", "never guessed", q, q, q, {"causal": True}, refused=True),
        Case("NaN in a masked key", "does not leak", q, last(k, np.nan), v, {"mask": seen}),
        Case("NaN in a masked value", "does not leak", q, k, last(v, np.nan), {"mask": seen}),
        Case("infinity in a masked value", "does not leak", q, k, last(v, np.inf), {"mask": seen}),
        Case("NaN in a seen value", "does show", q, k, last(v, np.nan)),
        Case("large scores", "no overflow", 800 * q, k, v),
        Case("half precision", "scaled before the product", half, half, half),
        Case(
            "float32 stays float32", "also with a float64 scale", q, k, v, {"scale": np.float64(2)}
        ),
        Case("no keys", "zero", q, k[:0], v[:0]),
        Case("no queries", "no rows", q[:0], k, v),
        Case("0/1 float mask", "two meanings", q, k, v, {"mask": dead * 1.0}, refused=True),
        Case(
            "integers",
            "no rounding behind one's back",
            *(x.astype(int) for x in (q, k, v)),
            refused=True,
        ),
        Case("complex", "no meaning", *(x.astype(complex) for x in (q, k, v)), refused=True),
        Case("mixed dtypes", "no silent widening", q.astype(float), k, v, refused=True),
        Case("d_k = 0", "1/√0", q[:, :0], k[:, :0], v, refused=True),
    )
