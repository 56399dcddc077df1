"""Rows of scores by themselves: what softmax makes of them, saturation, and a slip put right."""

from derive.examples.worked import Case, Example, scores_alone

ROWS = {
    "gentle": ("温和的打分", "Gentle scores", ("1", "2", "3")),
    "saturated": ("放大十倍", "Ten times as large", ("10", "20", "30")),
    "three": ("三个打分", "Three scores", ("2", "1", "1/10")),
    "five": ("和应为一的五个权重", "Five weights that must sum to one",
             ("21/10", "3/10", "1/10", "4/5", "1/5")),
}  # fmt: skip


def _case(name: str, zh: str, en: str, row: tuple[str, ...]) -> Case:
    tokens = tuple(f"s_{k}" for k in range(1, len(row) + 1))
    return Case(name, {"zh": zh, "en": en}, tokens, scores_alone("softmax", tokens, row))


def example() -> Example:
    """The rows of scores that the articles work out, exactly."""
    cases = tuple(_case(name, *row) for name, row in ROWS.items())
    return Example(
        "softmax-rows", {"zh": "逐行 softmax", "en": "Rows of softmax"}, cases, "S13, S35, S36"
    )
