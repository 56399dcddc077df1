"""How long a formula takes to reach the stage, beside Manim's own two ways.

One run, the same twenty formulas for all, medians. Outlines are cached, as in real use: a film
shows the same letters again and again. Each formula is new to every cache of whole formulas.
"""

import re
import statistics
import time

import pytest
from manim import MathTypst, SVGMobject, tempconfig

from animations import typeset
from animations.formula import Formula
from animations.theme import DARK

FORMULAS = 20
SOURCES = (
    (
        "sum_(j=1)^n frac(exp(q_i k_j slash sqrt(d_k)), sum_(l=1)^n exp(q_i k_l slash sqrt(d_k))) v_(j a)"
        " + N w_(i N) x_(N) - frac(N, d_k) b_(i a) + c_(i j) r_(j k) s_(k l)"
    ),
    (
        "frac(1, n) sum_(i=1)^n (q_i k_i - m_i)^2 + sqrt(frac(a_(i j) + b_(i j), c_k)) dot N"
        " - frac(x_(i j), y_(j k)) + N^2 u_i v_j - frac(g_(k l), h_l + 1) p_(i k) w_(k l) + z^2"
    ),
)


# Manim's groups refuse scripts, so beside them the formulas have none
FLAT = " + ".join(
    "frac({} + {}, {} sqrt({} N))".format(*four)
    for four in ("abcd", "ghkm", "pqrs", "tuvw", "wxyz", "zyxw", "vuts", "rqpm", "kgha")
)


class Tagged:
    """A formula whose every letter, number and sign is a node of its own."""

    def __init__(self, plain: str) -> None:
        self.plain = plain
        self.source, count = _wrapped(plain, "tag(#{}, {})")
        self.paths = tuple((k,) for k in range(count))
        self.grouped, _ = _wrapped(plain, "{{{{ {1} : node{0} }}}}")


def _wrapped(plain: str, form: str) -> tuple[str, int]:
    """Wrap every single letter or number of a source, and count them."""
    count = 0

    def wrap(match: re.Match) -> str:
        nonlocal count
        count += 1
        return form.format(count, match[0])

    return re.sub(r"(?<![A-Za-z.])(?:[A-Za-z]|\d+)(?![A-Za-z])", wrap, plain), count


@pytest.fixture(scope="module")
def formulas():
    made = [Tagged(SOURCES[i % 2].replace("N", str(100 + i))) for i in range(FORMULAS)]
    assert min(len(one.paths) for one in made) >= 40
    return made


@pytest.fixture(scope="module", autouse=True)
def warm():
    """Fill the caches of fonts and outlines, as the first formulas of a film do."""
    for source in SOURCES:
        Formula(Tagged(source.replace("N", "0123456789")), DARK)


@pytest.fixture(autouse=True)
def own_folder(tmp_path):
    with tempconfig({"media_dir": str(tmp_path), "verbosity": "ERROR"}):
        yield tmp_path


def median(actions) -> float:
    """Return the median of how long the actions take, in milliseconds."""
    times = []
    for act in actions:
        start = time.perf_counter()
        act()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def test_formula_beside_the_general_svg_importer(formulas, own_folder):
    """The same SVG, file to mobjects; ours compiles it as well."""
    files = []
    for i, one in enumerate(formulas):
        file = own_folder / f"{i}.svg"
        body = f"$ {one.source} $"
        file.write_bytes(typeset._compile(typeset._preamble(None) + body, body))
        files.append(file)
    typeset.draw.cache_clear()
    ours = median(lambda one=one: Formula(one, DARK) for one in formulas)
    general = median(lambda file=file: SVGMobject(file, use_svg_cache=False) for file in files)
    print(
        f"\nFormula {ours:.1f} ms, SVGMobject {general:.1f} ms: {general / ours:.0f} times faster"
    )
    assert ours <= 30
    assert general >= 10 * ours


def test_formula_beside_math_typst():
    """As many groups as nodes; Manim compiles once more for each group."""
    few = [Tagged(FLAT.replace("N", str(100 + i))) for i in range(3)]  # minutes otherwise
    assert min(len(one.paths) for one in few) >= 40
    typeset.draw.cache_clear()
    ours = median(lambda one=one: Formula(one, DARK) for one in few)
    theirs = median(lambda one=one: MathTypst(one.grouped) for one in few)
    print(f"\nFormula {ours:.1f} ms, MathTypst {theirs:.0f} ms: {theirs / ours:.0f} times faster")
    assert theirs >= 100 * ours
