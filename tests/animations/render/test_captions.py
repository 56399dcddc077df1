"""Subtitles break where a reader would pause, and never inside a word or a number."""

import re
from itertools import accumulate, pairwise

import pytest

from animations.render.captions import Caption, chapters, lines, split, srt, vtt

LONG = "注意力机制把每个词的查询和所有词的标签逐一比较，然后按匹配程度混合它们的内容，最后得到一个新的向量"
ZH = [
    LONG,
    LONG.replace("，", ""),
    "同一个词，同样的矩阵，不同的上下文，意思就不一样了。",
    "苹果的输出是 (0.855, 0.048)：几乎全是水果。",
    "得分 0, 3, 0，除以 √2 得 0, 2.121, 0，再取指数归一化，权重是 0.0967、0.8066、0.0967。",
    "80.66 % 的注意力给了“吃”，其余平分给自己和“我”。",
    "softmax 饱和以后，梯度几乎为 0；除以 √d_k 之后方差变回 1。",
]
WHOLE = ["0.855", "(0.855, 0.048)", "2.121", "0.0967", "80.66 %", "softmax", "√d_k", "√2"]
WORDS = ["注意力", "矩阵", "查询", "标签", "向量", "苹果", "饱和", "梯度", "方差", "归一化", "除以"]


@pytest.mark.parametrize("text", ZH)
def test_chinese_lines_hold_at_most_sixteen_characters(text):
    assert all(len(line) <= 16 for line in lines(text, "zh"))


@pytest.mark.parametrize("text", ZH)
def test_nothing_is_lost(text):
    assert "".join(lines(text, "zh")).replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize("text", ZH)
@pytest.mark.parametrize("whole", WHOLE + WORDS)
def test_no_break_falls_inside_a_word_or_a_number(text, whole):
    broken = lines(text, "zh")
    squeezed = text.replace(" ", "")
    breaks = set(accumulate(len(line.replace(" ", "")) for line in broken))
    for match in re.finditer(re.escape(whole.replace(" ", "")), squeezed):
        assert not breaks & set(range(match.start() + 1, match.end()))


def test_breaks_fall_at_phrase_ends():
    assert lines(ZH[2], "zh") == ["同一个词，同样的矩阵，", "不同的上下文，意思就不一样了。"]
    assert [line[-1] for line in lines(LONG, "zh")].count("，") == 2


@pytest.mark.parametrize("text", ZH)
def test_no_line_begins_with_closing_punctuation(text):
    assert not any(line[0] in "，。；：、！？”）" for line in lines(text, "zh"))


def test_english_lines_hold_at_most_forty_two_characters():
    text = "The same word, the same matrices, a different context: and so a different meaning."
    broken = lines(text, "en")
    assert all(len(line) <= 42 for line in broken)
    assert " ".join(broken) == text
    assert broken[0].endswith(",")


def test_a_short_caption_is_one_line():
    assert lines("苹果问自己：旁边的动词是谁？", "zh") == ["苹果问自己：旁边的动词是谁？"]


def test_a_long_caption_becomes_several_of_two_lines_that_fill_its_time():
    parts = split(Caption(1.0, 9.0, LONG), "zh")
    assert len(parts) > 1
    assert all(part.text.count("\n") <= 1 for part in parts)
    assert (parts[0].start, parts[-1].end) == (1.0, 9.0)
    assert all(a.end == b.start for a, b in pairwise(parts))


CAPTIONS = [Caption(0.0, 1.5, "一"), Caption(3661.25, 3662.0, "a < b & c")]


def test_subrip():
    assert srt(CAPTIONS) == (
        "1\n00:00:00,000 --> 00:00:01,500\n一\n\n2\n01:01:01,250 --> 01:01:02,000\na < b & c\n\n"
    )


def test_webvtt_is_escaped():
    assert vtt(CAPTIONS) == (
        "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\n一\n\n"
        "01:01:01.250 --> 01:01:02.000\na &lt; b &amp; c\n\n"
    )


def test_rounding_never_gives_a_thousand_thousandths():
    assert "00:01:00,000" in srt([Caption(59.9999, 61, "一")])


def test_chapters_are_minutes_seconds_and_a_title():
    assert (
        chapters([Caption(0, 5, "开场"), Caption(75.9, 80, "得分")]) == "00:00 开场\n01:15 得分\n"
    )
