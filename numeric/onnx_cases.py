"""ONNX's own conformance cases, from the `onnx` package, in terms of our conventions."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from numeric import masks
from numeric.heads import split_heads

# Computed in half precision throughout and rounded at each step, which nobody need imitate.
ROUNDED = frozenset(
    {
        "test_attention_3d_causal_bf16",
        "test_attention_4d_attn_mask_causal_bf16",
        "test_attention_4d_causal_bf16",
        "test_attention_4d_causal_padded_kv_bf16",
        "test_attention_4d_fp16",
        "test_attention_4d_padded_kv_bf16",
    }
)


@dataclass(frozen=True)
class OnnxCase:
    """One case of one operator: its inputs and outputs by name, its settings, its tolerances."""

    name: str
    inputs: Mapping[str, np.ndarray]
    outputs: Mapping[str, np.ndarray]
    settings: Mapping[str, Any]
    rtol: float
    atol: float


@dataclass(frozen=True)
class Call:
    """An attention case as a call: arrays by heads, and options as :func:`attention` takes them."""

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    options: Mapping[str, Any]
    present: tuple[np.ndarray, np.ndarray]
    flat: bool


def cases(module: str, operator: str) -> tuple[OnnxCase, ...]:
    """Return ONNX's cases of one operator.

    Raises
    ------
    ImportError
        If the `onnx` package is not installed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        get_attribute_value = import_module("onnx.helper").get_attribute_value
        home = import_module(f"onnx.backend.test.case.node.{module}")
        found: list[OnnxCase] = []

        def expect(
            node: Any,
            inputs: Sequence[np.ndarray],
            outputs: Sequence[np.ndarray],
            name: str,
            **options: Any,
        ) -> None:
            found.append(
                OnnxCase(
                    name,
                    dict(zip(filter(None, node.input), inputs, strict=True)),
                    dict(zip(filter(None, node.output), outputs, strict=True)),
                    {a.name: get_attribute_value(a) for a in node.attribute},
                    options.get("rtol", 1e-3),
                    options.get("atol", 1e-7),
                )
            )

        original, home.expect = home.expect, expect
        try:
            np.random.seed(0)  # noqa: NPY002 - the cases draw from the global generator
            exporters = getattr(home, operator)
            for method in sorted(vars(exporters)):
                if method.startswith("export"):
                    getattr(exporters, method)()
        finally:
            home.expect = original
    return tuple(found)


def as_call(given: Mapping[str, np.ndarray], settings: Mapping[str, Any]) -> Call:
    """Return an attention case in our terms: heads, caches, windows, kinds of mask."""
    q, k, v = given["Q"], given["K"], given["V"]
    flat = q.ndim == 3
    if flat:
        heads, kv_heads = settings["q_num_heads"], settings["kv_num_heads"]
        q, k, v = split_heads(q, heads), split_heads(k, kv_heads), split_heads(v, kv_heads)
    n_past = 0
    if "past_key" in given:
        n_past = given["past_key"].shape[2]
        k = np.concatenate([given["past_key"], k], axis=2)
        v = np.concatenate([given["past_value"], v], axis=2)
    present = k, v
    groups = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, groups, axis=1), np.repeat(v, groups, axis=1)
    allowed = _allowed(given, settings, q.shape[2], k.shape[2], n_past)
    bias, mask = None, given.get("attn_mask")
    if mask is not None:
        outside = False if mask.dtype == bool else -np.inf
        pads = [(0, 0)] * (mask.ndim - 1) + [(0, k.shape[2] - mask.shape[-1])]
        mask = np.pad(mask, pads, constant_values=outside)
        if mask.dtype == bool:
            allowed = allowed & mask
        else:
            bias = mask.astype(q.dtype)
    shape = np.broadcast_shapes(allowed.shape, (1, 1, *allowed.shape[-2:]))
    options = {
        "mask": np.broadcast_to(allowed, shape),
        "bias": bias,
        "scale": settings.get("scale"),
        "softcap": settings.get("softcap") or None,
    }
    return Call(q, k, v, {name: x for name, x in options.items() if x is not None}, present, flat)


def _allowed(
    given: Mapping[str, np.ndarray], settings: Mapping[str, Any], n_q: int, n_k: int, n_past: int
) -> np.ndarray:
    """Where attention may look, by causality, window and padding."""
    allowed = np.ones((n_q, n_k), bool)
    lengths = given.get("nonpad_kv_seqlen")
    offsets = [n_past] if lengths is None else [int(n) - n_q for n in lengths]
    if settings.get("is_causal"):
        causal = [masks.causal(n_q, n_k, align="upper-left", offset=o) for o in offsets]
        allowed = allowed & np.stack(causal)[:, None]
    before, after = (settings.get(f"{side}_window_size", -1) for side in ("left", "right"))
    if max(before, after) >= 0:
        reach = [x if x >= 0 else n_q + n_k + abs(min(offsets)) for x in (before, after)]
        window = [
            masks.sliding_window(
                n_q, n_k, before=reach[0], after=reach[1], align="upper-left", offset=o
            )
            for o in offsets
        ]
        allowed = allowed & np.stack(window)[:, None]
    if lengths is not None:
        allowed = allowed & masks.padding(lengths, n_k)[:, None]
    return allowed
