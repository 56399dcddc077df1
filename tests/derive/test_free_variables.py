"""A variable taken from `Term.free` is as good as the one that went in."""

from derive.binding import bind, substitute
from derive.signature import Array
from derive.syntax import Index, Sum, ranges


def test_a_free_variable_names_itself():
    (n,) = ranges("n")
    i, x = Index("i", n), Array("x", (n,))
    (found,) = x[i].free
    assert found == i
    assert found in found.names
    assert bind("sum", i, x[found]) == Sum(i, x[i])
    assert substitute(x[found], {i: Index("j", n)}) == x[Index("j", n)]
