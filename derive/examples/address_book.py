"""Looking things up in an address book of three records: an exact, small fuzzy dictionary.

Keys and questions share four axes; the values are one-hot, so that each weight can be read off
the output.
"""

from derive.examples.worked import Case, Example, attend, rationals

AXES = ("about 张三", "about 李四", "is address", "is phone")
CONTENTS = ("西安", "138xxxx", "北京")
RECORDS = ("张三的地址", "张三的电话", "李四的地址")
KEYS = rationals([(1, 0, 1, 0), (1, 0, 0, 1), (0, 1, 1, 0)])
VALUES = rationals([(1, 0, 0), (0, 1, 0), (0, 0, 1)])
QUESTIONS = {
    "zhang-address": ("张三住在哪", "Where does 张三 live?", (3, 0, 3, 0)),
    "zhang-phone": ("张三的电话", "What is the phone number of 张三?", (3, 0, 0, 3)),
    "li-address": ("李四住在哪", "Where does 李四 live?", (0, 3, 3, 0)),
    "li-phone": ("李四的电话", "What is the phone number of 李四?", (0, 3, 0, 3)),
}


def _case(name: str, zh: str, en: str, query: tuple[int, ...]) -> Case:
    steps = attend((zh,), RECORDS, rationals([query]), KEYS, VALUES, asks=AXES, hands_over=CONTENTS)
    return Case(name, {"zh": zh, "en": en}, RECORDS, steps)


def example() -> Example:
    """Four questions to one book; no record answers the last one."""
    cases = tuple(_case(name, *question) for name, question in QUESTIONS.items())
    return Example("address-book", {"zh": "查通讯录", "en": "The address book"}, cases, "S7–S11")
