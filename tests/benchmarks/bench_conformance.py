"""Other attention kernels through our awkward cases: prints the table of docs/conformance.md."""

from importlib.metadata import version

import numpy as np
import pytest

from numeric import attention, conformance


def with_jax(q, k, v, *, mask=None, bias=None, causal=None, scale=None):
    """`jax.nn.dot_product_attention`, one head; it has the upper-left alignment only."""
    import jax

    one_head = [x[None, :, None] for x in (q, k, v)]
    mask, bias = (x if x is None else x[None, None] for x in (mask, bias))
    options = {"mask": mask, "bias": bias, "scale": scale, "is_causal": _upper_left(causal)}
    return jax.nn.dot_product_attention(*one_head, **options)[0, :, 0]


def with_onnxruntime(q, k, v, *, mask=None, bias=None, causal=None, scale=None):
    """ONNX Runtime's `Attention`, one head; it has the upper-left alignment only."""
    import onnxruntime
    from onnx import helper
    from onnx.helper import np_dtype_to_tensor_dtype as kind

    given = {"Q": q[None, None], "K": k[None, None], "V": v[None, None]}
    if mask is not None or bias is not None:
        given["M"] = bias if mask is None else mask
    options = {"is_causal": int(_upper_left(causal))}
    if scale is not None:
        options["scale"] = float(scale)
    node = helper.make_node("Attention", list(given), ["Y"], **options)
    inputs = [helper.make_tensor_value_info(n, kind(x.dtype), x.shape) for n, x in given.items()]
    output = helper.make_tensor_value_info("Y", kind(q.dtype), None)
    graph = helper.make_graph([node], "attention", inputs, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, given)[0][0, 0]


def with_torch(q, k, v, *, mask=None, bias=None, causal=None, scale=None):
    """torch's `scaled_dot_product_attention`; it has the upper-left alignment only."""
    import torch

    added = bias if mask is None else mask
    return torch.nn.functional.scaled_dot_product_attention(
        *map(torch.from_numpy, (q, k, v)),
        attn_mask=None if added is None else torch.from_numpy(added),
        is_causal=_upper_left(causal),
        scale=scale,
    ).numpy()


def _upper_left(causal):
    if causal not in (None, "upper-left"):
        raise NotImplementedError(causal)
    return causal is not None


PEERS = {"jax": with_jax, "onnxruntime": with_onnxruntime, "torch": with_torch}


def test_table():
    columns = {"numeric": conformance(attention)}
    for name, function in PEERS.items():
        try:
            title = f"{name} {version(name)}"
        except ModuleNotFoundError:
            continue
        columns[title] = conformance(function)
    print(f"\n| case | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for rows in zip(*(c.rows for c in columns.values()), strict=True):
        cells = [_cell(row) for row in rows]
        print(f"| {rows[0].name}: {rows[0].why} | {' | '.join(cells)} |")
    if len(columns) == 1:
        pytest.skip("no peer is installed")
    assert columns["numeric"].agrees


def _cell(row):
    if row.agrees:
        return "✓"
    if isinstance(row.got, str):
        return "✗ raises"
    return f"✗ {np.asarray(row.got).round(3).tolist()}" if np.size(row.got) <= 6 else "✗ differs"
