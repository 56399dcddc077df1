"""The worked examples hold every figure of the articles, exactly and in decimals."""

import json
from fractions import Fraction

import numpy as np
import pytest
import sympy

from derive.concrete import tabulate
from derive.definitions import W_K, W_Q, W_V, X, attention, c, d_k, d_model, d_v, i, matmul, n
from derive.errors import DeriveError
from derive.examples import cat_mat, load, names
from derive.examples.page import brief
from derive.model import Model

e = sympy.exp(1)
root = sympy.sqrt(2)


def step(example, case, name):
    return load(example).case(case).step(name)


def same(table, rows):
    """Equal as real numbers, by SymPy's algebra."""
    pairs = zip(table, rows, strict=True)
    return all(
        sympy.simplify(x - sympy.sympify(y)) == 0
        for row, other in pairs
        for x, y in zip(row, other, strict=True)
    )


def rounded(table, digits):
    return [[round(x, digits) for x in row] for row in table]


def test_address_book_where_zhang_lives():
    assert same(step("address-book", "zhang-address", "scores").exact, [[6, 3, 3]])
    assert same(step("address-book", "zhang-address", "scaled").exact, [["3", "3/2", "3/2"]])
    exponentials = step("address-book", "zhang-address", "exponentials")
    assert rounded(exponentials.decimal, 3) == [[20.086, 4.482, 4.482]]
    assert round(sum(exponentials.decimal[0]), 3) == 29.049
    weights = step("address-book", "zhang-address", "weights")
    assert weights.exact[0][0] == e**3 / (e**3 + 2 * sympy.exp(sympy.Rational(3, 2)))
    assert rounded(weights.decimal, 3) == [[0.691, 0.154, 0.154]]
    assert step("address-book", "zhang-address", "output").exact == weights.exact  # V = I


@pytest.mark.parametrize(
    ("case", "scaled", "weights"),
    [
        ("zhang-phone", [1.5, 3, 0], [0.1753, 0.7856, 0.0391]),
        ("li-address", [1.5, 0, 3], [0.1753, 0.0391, 0.7856]),
        ("li-phone", [0, 1.5, 1.5], [0.1004, 0.4498, 0.4498]),
    ],
)
def test_address_book_other_questions(case, scaled, weights):
    assert step("address-book", case, "scaled").decimal == (tuple(scaled),)
    assert rounded(step("address-book", case, "weights").decimal, 4) == [weights]


def test_address_book_asks_one_book():
    cases = load("address-book").cases
    assert [case.title["zh"] for case in cases] == [
        "张三住在哪", "张三的电话", "李四住在哪", "李四的电话",
    ]  # fmt: skip
    for name in ("K", "V"):
        assert len({case.step(name).exact for case in cases}) == 1
    assert same(cases[0].step("K").exact, [(1, 0, 1, 0), (1, 0, 0, 1), (0, 1, 1, 0)])
    assert cases[0].step("K").columns == ("about 张三", "about 李四", "is address", "is phone")
    assert cases[0].step("V").columns == ("西安", "138xxxx", "北京")


def test_apple_is_fruit():
    assert same(
        step("apple", "fruit", "X").exact, [(0, 1, 0, 0), (1, 0, 1, 0), (0, 1, "1/2", "1/2")]
    )
    assert same(step("apple", "fruit", "Q").exact, [(3, 0), (0, 3), (3, 0)])
    assert same(step("apple", "fruit", "K").exact, [(0, 1), (1, 0), (0, 1)])
    assert same(step("apple", "fruit", "V").exact, [(0, 0), (1, 0), ("1/2", "1/2")])
    assert same(step("apple", "fruit", "scores").exact, [(0, 3, 0), (3, 0, 3), (0, 3, 0)])
    assert rounded(step("apple", "fruit", "scaled").decimal, 3)[2] == [0, 2.121, 0]
    assert rounded(step("apple", "fruit", "weights").decimal, 4) == [
        [0.0967, 0.8066, 0.0967],
        [0.4717, 0.0565, 0.4717],
        [0.0967, 0.8066, 0.0967],
    ]
    output = step("apple", "fruit", "output")
    peak = sympy.exp(3 / root)
    assert same([output.exact[2][:1]], [[(peak + sympy.Rational(1, 2)) / (peak + 2)]])
    assert rounded(output.decimal, 3)[2] == [0.855, 0.048]
    assert rounded(output.decimal, 4)[1] == [0.2924, 0.2359]


def test_apple_is_a_company():
    assert load("apple").case("company").tokens == ("苹果", "发布", "手机")
    assert rounded(step("apple", "company", "weights").decimal, 4)[0] == [0.0967, 0.8066, 0.0967]
    assert rounded(step("apple", "company", "output").decimal, 3)[0] == [0.048, 0.952]


def test_apple_uses_the_same_matrices_and_the_same_token_in_both_sentences():
    fruit, company = load("apple").cases
    for name in ("W_Q", "W_K", "W_V"):
        assert fruit.step(name) == company.step(name)
    assert fruit.step("X").exact[2] == company.step("X").exact[0]


@pytest.mark.parametrize("case", ["fruit", "company"])
def test_apple_agrees_with_the_proved_formula_by_interval_arithmetic(case):
    """Another evaluator, at the other side of attention-formula."""
    example = load("apple").case(case)
    arrays = {X: "X", W_Q: "W_Q", W_K: "W_K", W_V: "W_V"}
    tables = {
        array: {
            (row, column): Fraction(int(x.p), int(x.q))
            for row, entries in enumerate(example.step(name).exact)
            for column, x in enumerate(entries)
        }
        for array, name in arrays.items()
    }
    sizes = {n: 3, d_model: 4, d_k: 2, d_v: 2}
    formula = attention(matmul(X, W_Q), matmul(X, W_K), matmul(X, W_V))[i, c]
    for row, decimals in enumerate(example.step("output").decimal):
        for column, decimal in enumerate(decimals):
            box = Model(sizes, tables, {i: row, c: column}).value(formula).box
            assert box.a - 1e-15 <= decimal <= box.b + 1e-15


@pytest.mark.parametrize(
    ("case", "digits", "weights"),
    [
        ("gentle", 4, [0.0900, 0.2447, 0.6652]),
        ("three", 4, [0.6590, 0.2424, 0.0986]),
        ("five", 4, [0.5805, 0.0960, 0.0786, 0.1582, 0.0868]),
        ("saturated", 5, [0, 0.00005, 0.99995]),
    ],
)
def test_rows_of_softmax(case, digits, weights):
    assert rounded(step("softmax-rows", case, "weights").decimal, digits) == [weights]


def test_saturation_to_three_digits():
    small, middle, _ = step("softmax-rows", "saturated", "weights").decimal[0]
    assert (f"{small:.2e}", f"{middle:.2e}") == ("2.06e-09", "4.54e-05")


def test_library_weights_are_powers_of_e():
    weights = step("library", "grow-and-cook", "weights")
    total = (1 + e) ** 2
    assert same(weights.exact, [[e / total, e / total, e**2 / total, 1 / total]])
    output = step("library", "grow-and-cook", "output")
    assert output.columns == ("recipes", "growing", "stories")
    assert rounded(output.decimal, 4) == [[0.4638, 0.4638, 0.0723]]


def test_library_readers_read_most_what_answers_them():
    best = {
        case.name: case.tokens[max(range(4), key=case.step("weights").decimal[0].__getitem__)]
        for case in load("library").cases
    }
    assert best["grow-and-cook"] == "《从菜园到餐桌》"
    assert best["journey"] == "《丝绸之路》"


def test_cat_mat_reproduces_the_figures():
    assert rounded(step("cat-mat", "cat", "weights").decimal, 4)[0] == [
        0.0974, 0.1225, 0.2355, 0.4453, 0.0474, 0.0519,
    ]  # fmt: skip
    assert rounded(step("cat-mat", "cat", "output").decimal, 4)[0] == [
        -0.2329, 0.4427, 1.0351, 0.5496,
    ]  # fmt: skip


def test_cat_mat_is_drawn_by_numpy_with_one_seed_for_x_and_the_matrices():
    for seed, draws in cat_mat.DRAWS.items():
        assert tuple(np.random.default_rng(seed).standard_normal(len(draws))) == draws
    x = [value for row in step("cat-mat", "cat", "X").decimal for value in row]
    unscaled = [
        value / cat_mat.SCALE
        for name in ("W_Q", "W_K")
        for row in step("cat-mat", "cat", name).decimal
        for value in row
    ]
    assert unscaled[:48] == pytest.approx(x, rel=1e-15)


def test_cat_mat_two_sentences_share_the_matrices_and_not_the_weights():
    cat, dog = load("cat-mat").cases
    for name in ("W_Q", "W_K", "W_V"):
        assert cat.step(name) == dog.step(name)
    assert cat.step("weights").decimal != dog.step("weights").decimal
    assert all("random" in case.title["en"] for case in (cat, dog))


@pytest.mark.parametrize("name", names())
def test_every_weight_row_sums_to_one(name):
    for case in load(name).cases:
        weights = case.step("weights")
        if weights.exact is None:
            assert [sum(row) for row in weights.decimal] == pytest.approx([1] * len(weights.rows))
        else:
            assert same([[sum(row)] for row in weights.exact], [[1]] * len(weights.rows))


@pytest.mark.parametrize("name", names())
def test_every_decimal_is_its_closed_form_and_every_label_has_its_entry(name):
    for case in load(name).cases:
        for table in (step.exact or step.decimal for step in case.steps):
            assert len({len(row) for row in table}) == 1
        for step in case.steps:
            assert (len(step.rows), len(step.columns)) == (
                len(step.decimal),
                len(step.decimal[0]),
            )
            for row, decimals in zip(step.exact or (), step.decimal, strict=step.exact is not None):
                for x, y in zip(row, decimals, strict=True):
                    assert abs(sympy.N(x, 40) - sympy.Float(y, 40)) <= abs(y) * 2**-53


@pytest.mark.parametrize(
    ("number", "shown"),
    [(3, "3"), (0.5, "0.5"), (0.69138, "0.6914"), (2.06e-9, "2.1e-09"), (0.99995, "0.99995")],
)
def test_a_number_that_is_not_whole_is_not_shown_as_whole(number, shown):
    assert brief(number) == shown


@pytest.mark.parametrize("name", names())
def test_json_is_as_the_contract_says(name):
    document = json.loads(json.dumps(load(name).to_json()))
    assert set(document) == {"name", "cases"}
    for case in document["cases"]:
        assert set(case) == {"name", "tokens", "steps"}
        for step in case["steps"]:
            assert set(step) == {"name", "exact", "decimal"}
            entries = [x for row in step["exact"] for x in row]
            assert all(type(x) is str for x in entries) or set(entries) == {None}
            assert [len(row) for row in step["exact"]] == [len(row) for row in step["decimal"]]


def test_a_notebook_shows_tables_with_the_closed_forms_behind():
    shown = load("apple")._repr_html_()
    assert "<th>苹果</th>" in shown
    assert '<td title="exp(3*sqrt(2)/2)/(2 + exp(3*sqrt(2)/2))">0.8066</td>' in shown
    tables = sum(len(case.steps) for case in load("apple").cases)
    assert shown.count("<table>") == shown.count("</table>") == tables


def test_unknown_names_are_refused():
    with pytest.raises(Exception, match="did you mean apple"):
        load("aple")
    with pytest.raises(DeriveError, match="fruit, company"):
        load("apple").case("phone")
    with pytest.raises(DeriveError, match="weights"):
        load("apple").case("fruit").step("weight")


def test_tables_that_do_not_fit_are_refused():
    with pytest.raises(DeriveError, match="along d_model"):
        tabulate(matmul(X, W_Q), {X: ((1, 2),), W_Q: ((1,),)}, None)
