"""What it evaluates to: attention on arrays of any library, and the theorems checked at size.

``numeric`` may import ``derive`` and array libraries, all but NumPy lazily. It must not import
``animations`` or torch.

Public names are looked up on first use, so that ``import numeric`` costs nothing. A submodule
must not bear the name of a public function, or importing it would hide the function.
"""

from importlib import import_module

_HOMES: dict[str, str] = {
    "NumericError": "numeric.errors",
    "AttentionLayer": "numeric.layers",
    "MultiHeadLayer": "numeric.layers",
    "attention": "numeric.dot_product",
    "attention_backward": "numeric.backward",
    "compile_expression": "numeric.compile",
    "compile_term": "numeric.compile",
    "conformance": "numeric.awkward",
    "log_softmax": "numeric.dot_product",
    "multi_head_attention": "numeric.heads",
    "sample": "numeric.sampling",
    "softmax": "numeric.dot_product",
    "verify_theorem": "numeric.verify",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
