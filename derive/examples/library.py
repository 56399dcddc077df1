"""A small library: readers ask, spines carry labels, and what one leaves with is a blend.

Readers and spines speak of four subjects. Twice as much interest in a subject is twice as large
an entry; √4 = 2 keeps every closed form short.
"""

from derive.examples.worked import Case, Example, attend, rationals

SUBJECTS = ("cooking", "gardening", "travel", "history")
BOOKS = {
    "《家常菜》": ((1, 0, 0, 0), (1, 0, 0)),
    "《阳台种菜》": ((0, 1, 0, 0), (0, 1, 0)),
    "《从菜园到餐桌》": ((1, 1, 0, 0), ("1/2", "1/2", 0)),
    "《丝绸之路》": ((0, 0, 1, 1), (0, 0, 1)),
}
CONTENTS = ("recipes", "growing", "stories")
READERS = {
    "grow-and-cook": (
        "自己种的番茄怎么做菜", "How do I cook the tomatoes that I grow?", (2, 2, 0, 0),
    ),
    "grow": ("番茄苗怎么种", "How do I plant tomatoes?", (0, 4, 0, 0)),
    "journey": ("古人怎么走到罗马", "How did people once travel to Rome?", (0, 0, 2, 2)),
}  # fmt: skip


def _case(name: str, zh: str, en: str, question: tuple[int, ...]) -> Case:
    labels, contents = zip(*BOOKS.values(), strict=True)
    steps = attend(
        (zh,),
        tuple(BOOKS),
        rationals([question]),
        rationals(labels),
        rationals(contents),
        asks=SUBJECTS,
        hands_over=CONTENTS,
    )
    return Case(name, {"zh": zh, "en": en}, tuple(BOOKS), steps)


def example() -> Example:
    """Three readers at the same four shelves."""
    cases = tuple(_case(name, *reader) for name, reader in READERS.items())
    return Example("library", {"zh": "图书馆查资料", "en": "The library"}, cases, "S2")
