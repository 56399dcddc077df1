"""The kinds of finding, each a pure function from a settled frame, or the timeline, to findings."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from animations.check.snapshot import Shape, Snapshot
from animations.film import TICK, Cue
from animations.theme import LEAST_CONTRAST, TRANSITION, Setting, contrast
from animations.words import reading_time

_SLACK = 1e-3  # stage units; less than a twentieth of a pixel at 1080 lines
_TOUCH = 0.02  # of the smaller glyph's box: what may be shared before type is said to overlap
_HOLLOW = 0.05  # a fill less opaque than this does not fill


@dataclass(frozen=True)
class Finding:
    """Something that a viewer would stumble over."""

    kind: str
    beat: str
    time: float
    objects: tuple[str, ...]
    message: str

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as plain data."""
        return asdict(self) | {"objects": list(self.objects)}


Found = Iterator[tuple[tuple[str, ...], str]]
"""What a rule yields: the objects it is about, and what is wrong with them."""


def off_stage(frame: Snapshot) -> Found:
    """Anything that is not wholly within the safe area."""
    safe = frame.setting.frame.safe
    for label, shapes in _by_label(s for s in frame.shapes if s.visible):
        if not all(safe.holds(shape.box, _SLACK) for shape in shapes):
            yield (label,), "reaches out of the safe area, 5 % of the frame at each edge"


def overlap(frame: Snapshot) -> Found:
    """Type over other type; captions are another rule's matter."""
    glyphs = _visible_type(frame)
    blocks = [(b, g) for b, g in _by_block(glyphs) if b != frame.caption]
    for i, (_, first) in enumerate(blocks):
        for _, second in blocks[i + 1 :]:
            if any(_touch(one, other) for one in first for other in second):
                yield (first[0].label, second[0].label), "one lies over the other"


def too_small(frame: Snapshot) -> Found:
    """Type whose x-height is below the least legible one."""
    least = frame.setting.frame.least_x_height
    for _, glyphs in _by_block(_visible_type(frame)):
        smallest = min((g.x_height for g in glyphs if g.x_height), default=least)
        if smallest < least - _SLACK:
            share = min(frame.setting.frame.height, frame.setting.frame.width) / smallest
            yield (glyphs[0].label,), f"its x-height is 1/{share:.0f} of the frame, not 1/40"


def low_contrast(frame: Snapshot) -> Found:
    """Type that stands out too little from what lies behind it."""
    for label, ratio in _faintest(frame).items():
        if ratio < LEAST_CONTRAST:
            yield (label,), f"its contrast is {ratio:.1f}, less than {LEAST_CONTRAST}"


def wrong_number(frame: Snapshot) -> Found:
    """A number that is not the computed one."""
    for reading in frame.readings:
        if reading.shown != reading.expected:
            yield (reading.label,), f"shows {reading.shown}, computed is {reading.expected}"
        elif not reading.drawn:
            yield (reading.label,), f"its glyphs do not spell {reading.shown}"


def wrong_role_colour(frame: Snapshot) -> Found:
    """A role in another colour, or type in a role's colour without the role."""
    roles = frame.setting.palette.roles
    names = {colour: name for name, colour in roles.items()}
    for label, shapes in _by_label(s for s in frame.shapes if s.visible):
        for shape in shapes:
            shown = names.get(_hex(shape.fill if shape.filled else shape.stroke), "")
            if shown != shape.role and (shape.role or shape.block is not None):
                told = f"the colour of {shown}" if shown else "no role's colour"
                yield (label,), f"bears {told}, its role is {shape.role or 'none'}"
                break


def symbol_before_introduction(frame: Snapshot) -> Found:
    """A symbol that the viewer has not met."""
    unmet = {(s.label, s.symbol) for s in frame.shapes if s.visible and s.symbol}
    for label, symbol in sorted(unmet):
        if symbol not in frame.introduced:
            yield (label,), f"shows {symbol}, which was never introduced"


def leftover(frame: Snapshot) -> Found:
    """What nobody sees, or nobody owns, but is still on the stage."""
    for label, shapes in _by_label(s for s in frame.shapes):
        if not any(shape.visible for shape in shapes):
            yield (label,), "is still on the stage, wholly transparent"
        elif any(shape.loose for shape in shapes):
            yield (label,), "left glyphs behind that no longer belong to it"


def hollow_glyph(frame: Snapshot) -> Found:
    """A glyph drawn by its edge only."""
    for label, glyphs in _by_label(_visible_type(frame)):
        if any(g.stroked and g.fill[3] < _HOLLOW for g in glyphs):
            yield (label,), "has glyphs that are outlined but not filled"


def caption_collision(frame: Snapshot) -> Found:
    """A caption that leaves its strip, or anything else in the strip."""
    if frame.caption is None:
        return
    strip = frame.setting.frame.strip
    for label, shapes in _by_label(s for s in frame.shapes if s.visible):
        caption = shapes[0].block == frame.caption
        if caption and not all(strip.holds(s.box, _SLACK) for s in shapes):
            yield (label,), "does not fit into the caption strip"
        if not caption and any(strip.overlap(s.box) > _SLACK**2 for s in shapes):
            yield (label,), "reaches into the caption strip"


def orphan_glyph(frame: Snapshot) -> Found:
    """A glyph of a formula that no node drew."""
    for label, shapes in _by_label(_visible_type(frame)):
        if not all(shape.owned for shape in shapes):
            yield (label,), "has glyphs that belong to no node of the term"


FRAME_RULES: dict[str, Callable[[Snapshot], Found]] = {
    "off-stage": off_stage,
    "overlap": overlap,
    "too-small": too_small,
    "low-contrast": low_contrast,
    "wrong-number": wrong_number,
    "wrong-role-colour": wrong_role_colour,
    "symbol-before-introduction": symbol_before_introduction,
    "leftover": leftover,
    "hollow-glyph": hollow_glyph,
    "caption-collision": caption_collision,
    "orphan-glyph": orphan_glyph,
}


def judge(frame: Snapshot) -> tuple[Finding, ...]:
    """Apply every rule to a settled frame."""
    return tuple(
        Finding(kind, frame.beat, frame.time, objects, message)
        for kind, rule in FRAME_RULES.items()
        for objects, message in rule(frame)
    )


def too_fast(timeline: Iterable[Cue], setting: Setting) -> tuple[Finding, ...]:
    """Captions that are gone before they can be read."""
    captions = [cue for cue in timeline if cue.kind == "caption"]
    found = []
    for cue in captions:
        needed = reading_time(cue.text, setting.lang)
        stood = cue.end - cue.start - TRANSITION
        if stood < needed - TICK:
            message = f"stands for {stood:.1f} s, reading takes {needed:.1f} s"
            found.append(Finding("too-fast", cue.name, cue.start, (cue.text,), message))
    return tuple(found)


def _visible_type(frame: Snapshot) -> list[Shape]:
    return [shape for shape in frame.shapes if shape.visible and shape.block is not None]


def _by_block(shapes: Iterable[Shape]) -> list[tuple[int | None, list[Shape]]]:
    return _grouped(shapes, lambda shape: shape.block)


def _by_label(shapes: Iterable[Shape]) -> list[tuple[str, list[Shape]]]:
    groups = _grouped(shapes, lambda shape: (shape.label, shape.block))
    return [(label, group) for (label, _), group in groups]


def _grouped(shapes: Iterable[Shape], key: Callable[[Shape], Any]) -> list[tuple[Any, list[Shape]]]:
    groups = defaultdict(list)
    for shape in shapes:
        groups[key(shape)].append(shape)
    return list(groups.items())


def _touch(one: Shape, other: Shape) -> bool:
    smaller = min(one.box.width * one.box.height, other.box.width * other.box.height)
    return one.box.overlap(other.box) > _TOUCH * smaller


def _faintest(frame: Snapshot) -> dict[str, float]:
    """Return for each block its lowest contrast, with what is drawn behind it taken as ground."""
    ratios: dict[str, float] = {}
    grounds: list[Shape] = []
    for shape in frame.shapes:
        if shape.block is None:
            grounds += [shape] if shape.filled else []
        elif shape.visible:
            ratio = _contrast(shape, grounds, frame.setting.palette.background)
            ratios[shape.label] = min(ratio, ratios.get(shape.label, ratio))
    return ratios


def _contrast(glyph: Shape, grounds: list[Shape], background: str) -> float:
    ground = _rgb(background)
    for shape in grounds:
        if shape.box.holds(glyph.box):
            ground = _blend(shape.fill, ground)
    ink = _blend(glyph.fill if glyph.filled else glyph.stroke, ground)
    return contrast(_hex(ink), _hex(ground))


def _blend(over: tuple[float, ...], under: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(over[3] * o + (1 - over[3]) * u for o, u in zip(over[:3], under, strict=True))


def _rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))


def _hex(colour: tuple[float, ...]) -> str:
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in colour[:3])
