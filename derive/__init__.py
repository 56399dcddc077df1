"""What is true: attention's statements as terms, and proofs that only a small kernel can make.

``derive`` may import SymPy and mpmath (lazily) and ``typst`` where it typesets. It must not
import ``numeric``, ``animations`` or any array library: nothing flows back along the chain
*derive → numeric → animations → renders*.

Public names are looked up on first use, so that ``import derive`` costs nothing. A submodule
must not bear the name of a public function, or importing it would hide the function.

>>> from derive import Sum, calc, indices, ranges
>>> n, = ranges("n"); i, = indices("i", n)
>>> calc(Sum(i, 1)).eq(n.size).qed().statement
Σ_{i=1}^n 1 = n
"""

from importlib import import_module

_NAMES = {
    "derive.errors": "DeriveError",
    "derive.signature": "Array Definition Range",
    "derive.terms": "Term",
    "derive.syntax": """
        E Index Lambda Sum Symbol absolute add bijection conjoin cos delta derivative eq exp forall
        implies independent indices inject iverson le log lt moments mul neg negate power ranges
        sin sqrt tends
    """,
    "derive.facts": "inhabited",
    "derive.chain": """
        Chain Law Proof Step algebra angles argument both by_cases by_kernel calc differentiation
        emptiness entrywise independence injectivity linearity logarithms reindexing singleton
        splitting
    """,
    "derive.diagnosis": "StepError",
    "derive.derivation": "Derivation theorem",
    "derive.prove": "examine",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
