"""Subtitles and chapters: what is said when, as SRT, WebVTT and a list of chapters.

Lines are broken where a reader would pause. BudouX, a small model of where Chinese words end,
says where a break is possible at all; punctuation and function words say where it is good.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

__all__ = ["Caption", "chapters", "lines", "split", "srt", "vtt"]

WIDTHS = {"zh": 16, "en": 42}
LINES = 2  # lines that are shown at a time

SENTENCE_ENDS, CLAUSE_ENDS, PAUSES = "。！？!?…", "，；：,;:—", "、）)」』”"
NEVER_FIRST = SENTENCE_ENDS + CLAUSE_ENDS + PAUSES + "的地得了着过吗呢吧啊们%％"
NEVER_LAST = "（(「『“《√第"
OPENS_A_PHRASE = set("和与或在把被从对向用让是就也都而但再又才却因所如当若以由为跟比按给")
CLOSES_A_PHRASE = set("的了着过里中上下时后前")

# What is one thing to a reader: Latin words, numbers with their signs and units, formulas.
ATOM = re.compile(
    r"""[A-Za-z0-9_]*[(（][^()（）\u3000-\u9fff]{1,24}[)）]    # a tuple or a call
      | [-−+±√]*[A-Za-z0-9]                              # begins like a number or a name
        [A-Za-z0-9_.,'’^·×/√%°²ᵀ₀-₉ₖ=+−-]*               # goes on without a space
        (?:\s?[%×=≈+·]\s?[-−√]*[A-Za-z0-9][A-Za-z0-9_.√]*)*  # and over an operator
        (?:\s?%)?""",
    re.VERBOSE,
)
# Words of this subject that the model would cut.
# fmt: off
TERMS = (
    "注意力", "自注意力", "多头注意力", "饱和", "方差", "均值", "点积", "维度", "矩阵", "向量",
    "权重", "查询", "标签", "内容", "词元", "归一化", "指数", "公式", "图书馆", "通讯录",
    "苹果", "手机", "发布", "动词", "名词", "水果", "公司", "上下文", "位置编码", "掩码",
    "梯度", "加权", "求和", "加权求和", "除以", "根号", "逐一", "混合", "匹配", "相似度",
    "同一个", "一个词", "每个词", "同样", "不同", "张三", "李四", "西安", "北京",
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Caption:
    """Words and the time they are shown, in seconds."""

    start: float
    end: float
    text: str


def split(caption: Caption, language: str) -> list[Caption]:
    """Cut a caption into ones of at most two lines each, in time shared by length."""
    broken = lines(caption.text, language)
    groups = [broken[at : at + LINES] for at in range(0, len(broken), LINES)]
    total = sum(len(line) for line in broken) or 1
    seconds, said, result = caption.end - caption.start, 0, []
    for group in groups:
        start = caption.start + seconds * said / total
        said += sum(map(len, group))
        end = caption.start + seconds * said / total
        result.append(Caption(start, end, "\n".join(group)))
    return result


def lines(text: str, language: str, width: int = 0) -> list[str]:
    """Break `text` into lines of at most 16 characters of Chinese, or 42 of English, or `width`.

    A line holds more only where a single word or number does.

    Examples
    --------
    >>> lines("同一个词，同样的矩阵，不同的上下文，意思就不一样了。", "zh")
    ['同一个词，同样的矩阵，', '不同的上下文，意思就不一样了。']
    """
    width = width or WIDTHS[language]
    return [
        line
        for given in text.splitlines()
        for line in _fill(pieces(" ".join(given.split()), language), width)
    ]


def pieces(text: str, language: str) -> list[str]:
    """Cut `text` into the smallest parts that a break may fall between."""
    if language != "zh":
        return re.findall(r"\S+\s*", text)
    atoms = _atoms(text)
    ends = {*_word_ends(text), *(match.end() for match in re.finditer(r"\s", text))}
    ends |= {end for atom in atoms for end in atom}
    for start, end in atoms:
        ends -= set(range(start + 1, end))
    ends -= {at for at in ends if text[at : at + 1] and text[at] in NEVER_FIRST + " "}
    ends -= {at for at in ends if at and text[at - 1] in NEVER_LAST}
    cuts = sorted(ends | {0, len(text)})
    return [text[start:end] for start, end in pairwise(cuts)]


def _atoms(text: str) -> list[tuple[int, int]]:
    """Return where the things that are never cut begin and end."""
    found = [match.span() for match in ATOM.finditer(text)]
    for term in TERMS:
        found += [match.span() for match in re.finditer(re.escape(term), text)]
    return found


def _word_ends(text: str) -> list[int]:
    ends, at = [], 0
    for word in _parser()(text):
        at += len(word)
        ends.append(at)
    return ends


@cache
def _parser() -> Callable[[str], list[str]]:
    from budoux import load_default_simplified_chinese_parser

    return load_default_simplified_chinese_parser().parse


def _fill(parts: Sequence[str], width: int) -> list[str]:
    """Choose the breaks between `parts` that cost a reader least.

    Fewest lines first, then the best places to pause, then lines of even length.
    """
    best: list[tuple[float, list[str]]] = [(0.0, [])]
    for end in range(1, len(parts) + 1):
        options = []
        for start in range(end - 1, -1, -1):
            line = "".join(parts[start:end])
            if len(line.strip()) > width and end - start > 1:
                break
            cost, before = best[start]
            after = parts[end] if end < len(parts) else ""
            options.append((cost + _cost(line.strip(), after, width), [*before, line.strip()]))
        best.append(min(options, key=lambda option: option[0]))
    return best[-1][1]


def _cost(line: str, after: str, width: int) -> float:
    """Return what it costs to end a line here, `after` being what would come next."""
    room = max(width - len(line), 0) / width
    return 10 + (_break(line[-1:], after[:1]) + 4 * room**2 if after else 0)


def _break(last: str, following: str) -> float:
    """Return how unwelcome a break between two characters is."""
    if last in SENTENCE_ENDS:
        return 0
    if last in CLAUSE_ENDS:
        return 0.5
    if last in PAUSES:
        return 2
    if following in OPENS_A_PHRASE:
        return 3
    if last in CLOSES_A_PHRASE or following == "(":
        return 4
    return 6 if not last.isascii() else 3


def srt(captions: Sequence[Caption]) -> str:
    """Return captions as a SubRip file."""
    return "".join(
        f"{number}\n{_clock(cue.start, ',')} --> {_clock(cue.end, ',')}\n{cue.text}\n\n"
        for number, cue in enumerate(captions, 1)
    )


def vtt(captions: Sequence[Caption]) -> str:
    """Return captions as a WebVTT file."""
    cues = (
        f"{_clock(cue.start, '.')} --> {_clock(cue.end, '.')}\n{_escaped(cue.text)}\n\n"
        for cue in captions
    )
    return "WEBVTT\n\n" + "".join(cues)


def chapters(beats: Sequence[Caption]) -> str:
    """Return one line a chapter, `00:00 Title`, as video sites read them."""
    return "".join(
        f"{int(beat.start) // 60:02}:{int(beat.start) % 60:02} {beat.text}\n" for beat in beats
    )


def _clock(seconds: float, point: str) -> str:
    thousandths = round(seconds * 1000)
    minutes, rest = divmod(thousandths, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}{point}{rest % 1000:03}"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
