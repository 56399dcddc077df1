"""Which parts of a proved term are about questions, labels and contents."""

from animations.formula import Path
from derive.origins import nodes
from derive.terms import Term

ROLES = {
    **dict.fromkeys(("Q", "W_Q", "q", "query", "queries"), "Q"),
    **dict.fromkeys(("K", "W_K", "k", "key", "keys"), "K"),
    **dict.fromkeys(("V", "W_V", "v", "value", "values"), "V"),
}


def roles_of(term: Term) -> dict[Path, str]:
    """Return the path of each part that has a role, such as ``q``, ``Q`` or ``X W_Q``."""
    found: dict[Path, str] = {}
    for path, node in nodes(term):
        role = ROLES.get(_name(node), "")
        if role and not any(path[: len(above)] == above for above in found):
            found[path] = role
    return found


def _name(node: Term) -> str:
    """Return the name of an array or a definition; a projection goes by its matrix."""
    if node.op == "def" and node.data.name == "matmul":
        return next((name for part in node.args[:2] if (name := _array(part)) in ROLES), "")
    return node.data.name if node.op in ("def", "entry") else ""


def _array(matrix: Term) -> str:
    """Return the name of the matrix of weights that a factor is, or nothing."""
    while matrix.op == "lam":
        (matrix,) = matrix.args
    name = matrix.data.name if matrix.op == "entry" else ""
    return name if name.startswith("W_") else ""
