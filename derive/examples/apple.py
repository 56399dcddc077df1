"""苹果, fruit or company: one token, the same matrices, two sentences."""

from derive.examples.worked import Case, Example, rationals, self_attention

FEATURES = ("verb", "noun", "food", "tech")
VECTORS = {
    "我": (0, 1, 0, 0),
    "吃": (1, 0, 1, 0),
    "苹果": (0, 1, "1/2", "1/2"),
    "发布": (1, 0, 0, 1),
    "手机": (0, 1, 0, 1),
}
W_Q = rationals([(0, 3), (3, 0), (0, 0), (0, 0)])  # a noun asks for a verb, a verb for a noun
W_K = rationals([(1, 0), (0, 1), (0, 0), (0, 0)])  # the label is the part of speech
W_V = rationals([(0, 0), (0, 0), (1, 0), (0, 1)])  # what is handed over is the meaning
SENTENCES = {
    "fruit": (("我", "吃", "苹果"), "I eat an apple"),
    "company": (("苹果", "发布", "手机"), "Apple launches a phone"),
}


def _case(name: str, tokens: tuple[str, ...], english: str) -> Case:
    steps = self_attention(
        tokens,
        rationals(VECTORS[token] for token in tokens),
        (W_Q, W_K, W_V),
        features=FEATURES,
        asks=FEATURES[:2],
        hands_over=FEATURES[2:],
    )
    return Case(name, {"zh": " ".join(tokens), "en": english}, tokens, steps)


def example() -> Example:
    """Both sentences through the same three matrices."""
    cases = tuple(_case(name, *sentence) for name, sentence in SENTENCES.items())
    return Example(
        "apple", {"zh": "苹果是水果还是公司", "en": "Apple: fruit or company"}, cases, "S17–S21"
    )
