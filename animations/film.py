"""A film: beats in order, and one clock from which captions, chapters and stills all come.

Every beat is a Manim section, so that beats can be rendered apart and reused. Words come from
the table, numbers from computed arrays. A film is an ordinary Manim scene: ``manim -ql FILE``
plays it too.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, Self

from manim import Animation, Scene, Wait

from animations import words
from animations.errors import FilmError
from animations.formula import Formula, Path, Phrase, Quantity, Typeset
from animations.motion import Appear, Vanish, early, late
from animations.render.captions import lines
from animations.theme import MATH, TRANSITION, TYPE, Box, Frame, Setting, Theme

TICK = 1 / 15  # seconds; every duration is a whole number of ticks, so of frames, at any quality
_NUDGE = 1e-9  # keeps Manim's frame counts from losing or gaining one by rounding

Play = Callable[["Film"], None]


@dataclass(frozen=True)
class Beat:
    """One step of a film.

    Parameters
    ----------
    name
        What the section is called.
    title
        The key of the words that name its chapter; ``""`` to stay in the chapter before.
    draws
        The theorems and examples that it is drawn from.
    play
        What happens.
    """

    name: str
    title: str
    draws: tuple[str, ...]
    play: Play


@dataclass(frozen=True)
class Cue:
    """A moment or a stretch of a film's clock, in seconds.

    Parameters
    ----------
    kind
        ``"beat"``, ``"caption"`` or ``"settled"`` (a moment at which all stands still).
    name
        The beat's name.
    start, end
        When; equal for a moment.
    text
        The chapter's title, the caption's words, or nothing.
    read_by
        For a caption, until when a viewer needs it.
    """

    kind: Literal["beat", "caption", "settled"]
    name: str
    start: float
    end: float
    text: str = ""
    read_by: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the cue as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Silence:
    """A kind of finding that a film accepts in one beat, and why."""

    kind: str
    beat: str
    why: str


def beat(*, title: str = "", draws: tuple[str, ...] = ()) -> Callable[[Play], Beat]:
    """Make a method of a film one of its beats; they play in the order of the source."""
    return lambda play: Beat(play.__name__, title, draws, play)


class Film(Scene):
    """A film; subclasses are little but beats.

    Parameters
    ----------
    setting
        Language, theme and shape.

    Examples
    --------
    >>> class Short(Film):
    ...     title = "film.demo"
    ...
    ...     @beat(draws=("apple",))
    ...     def opening(self):
    ...         self.wait(1)
    >>> [beat.name for beat in Short.beats]
    ['opening']
    """

    title: ClassVar[str] = ""
    beats: ClassVar[tuple[Beat, ...]] = ()
    silences: ClassVar[tuple[Silence, ...]] = ()
    table: ClassVar[words.Words | None] = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = [value for value in vars(cls).values() if isinstance(value, Beat)]
        cls.beats = (*cls.beats, *own)

    def __init__(self, *args: Any, setting: Setting | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.setting = setting or Setting()
        self.watchers: list[Callable[[Film], None]] = []
        self.introduced: set[str] = set()
        self.caption: Phrase | None = None
        self._words = self.table or words.load()
        self._cues: list[Cue] = []
        self._open: Cue | None = None
        self._ticks = 0
        self._beat = ""

    # -- what it is shown in

    @property
    def theme(self) -> Theme:
        return self.setting.palette

    @property
    def frame(self) -> Frame:
        return self.setting.frame

    @property
    def stage(self) -> Box:
        """Return where everything but captions stands."""
        return self.frame.stage

    # -- the clock

    @property
    def clock(self) -> float:
        """Return the seconds played so far, whether or not they were drawn."""
        return self._ticks * TICK

    @property
    def timeline(self) -> tuple[Cue, ...]:
        """Return all cues so far, by time."""
        still_open = () if self._open is None else (self._closed(self._open),)
        return tuple(sorted((*self._cues, *still_open), key=lambda cue: (cue.start, -cue.end)))

    def play(self, *animations: Any, run_time: float | None = None, **options: Any) -> None:
        """Play animations, for a whole number of ticks."""
        captions = {k: options.pop(k) for k in tuple(options) if k.startswith("subcaption")}
        if run_time is not None:
            options["run_time"] = run_time
        compiled = self.compile_animations(*animations, **options)
        _refuse_double(compiled)
        ticks = _ticks(max(animation.run_time for animation in compiled))
        for animation in _longest(compiled):
            animation.run_time = ticks * TICK + self._nudge(compiled)
        super().play(*compiled, **captions)
        self._ticks += ticks

    def _nudge(self, animations: list[Animation]) -> float:
        """Manim floors the frames of a frozen wait, and rounds up all others."""
        self.animations = animations  # which Manim's own test for stillness looks at
        frozen = isinstance(animations[0], Wait) and not self.should_update_mobjects()
        return _NUDGE if frozen else -_NUDGE

    def remove(self, *mobjects: Any) -> Self:
        """Take things off the stage, and all their parts, however they were put there."""
        return super().remove(*(part for whole in mobjects for part in whole.get_family()))

    def stand_until(self, moment: float) -> None:
        """Stand still until the clock shows a moment; at once if it is past."""
        if moment > self.clock + _NUDGE:
            self.wait(moment - self.clock)

    # -- the beats

    def setup(self) -> None:
        self.camera.background_color = self.theme.background

    def construct(self) -> None:
        for step in self.beats:
            self._beat = step.name
            self.next_section(step.name)
            start = self.clock
            step.play(self)
            self.read()
            self.settle()
            title = self.text(step.title) if step.title else ""
            self._cues.append(Cue("beat", step.name, start, self.clock, title))
        self._close()

    @property
    def current_beat(self) -> str:
        """Return the name of the beat that is playing."""
        return self._beat

    def settle(self) -> None:
        """Say that all stands still now: a still for the storyboard, a frame to check."""
        cue = Cue("settled", self._beat, self.clock, self.clock)
        if cue not in self._cues:
            self._cues.append(cue)
            for watch in self.watchers:
                watch(self)

    # -- words

    def text(self, key: str, **values: Any) -> str:
        """Return the words of a key, in the film's language."""
        return self._words.get(key, self.setting.lang, **values)

    def say(self, key: str, *, hold: float | None = None, **values: Any) -> None:
        """Show a caption, which stays until the next one, long enough to be read.

        Parameters
        ----------
        key
            The key of the words.
        hold
            Seconds to stay at least, instead of the time that reading takes.
        values
            What fills the fields of the words.
        """
        self.read()
        self._close()
        marked = self.text(key, **values)
        before, self.caption = self.caption, self._caption(marked, key)
        need = words.reading_time(marked, self.setting.lang) if hold is None else hold
        start = self.clock
        self._open = Cue(
            "caption", self._beat, start, start, words.plain(marked), start + TRANSITION + need
        )
        if before:
            self.play(
                Vanish(before, rate_func=early),
                Appear(self.caption, rate_func=late),
                run_time=TRANSITION,
            )
        else:
            self.play(Appear(self.caption), run_time=TRANSITION)

    def _caption(self, marked: str, key: str) -> Phrase:
        """Set words in the strip, broken where a reader would pause if one line is too long."""
        strip, said = self.frame.strip, words.plain(marked)
        caption = Phrase(marked, self.theme, em=TYPE["caption"], label=key)
        room = int(len(said) * strip.width / caption.width)  # letters; some are wider than others
        while caption.width > strip.width and room:
            broken = words.broken(marked, lines(said, self.setting.lang, room))
            caption = Phrase(broken, self.theme, em=TYPE["caption"], label=key)
            room -= 1
        return caption.move_to(strip.centre)

    def hush(self) -> None:
        """Take the caption away, once it has been read."""
        self.read()
        self._close()
        gone, self.caption = self.caption, None
        if gone:
            self.play(Vanish(gone), run_time=TRANSITION)

    def read(self) -> None:
        """Stand still until the caption has been read."""
        if self._open:
            self.stand_until(self._open.read_by)

    def _close(self) -> None:
        if self._open:
            self._cues.append(self._closed(self._open))
        self._open = None

    def _closed(self, cue: Cue) -> Cue:
        return Cue(cue.kind, cue.name, cue.start, self.clock, cue.text, cue.read_by)

    # -- type for the stage

    def phrase(
        self, key: str, *, size: str = "body", width: float | None = None, **values: Any
    ) -> Phrase:
        """Set the words of a key, in one of the sizes of `theme.TYPE`."""
        marked = self.text(key, **values)
        return Phrase(marked, self.theme, em=TYPE[size], width=width, label=key)

    def label(self, marked: str, *, size: str = "body") -> Phrase:
        """Set words that need no translation, such as a token of a sentence."""
        return Phrase(marked, self.theme, em=TYPE[size])

    def formula(
        self,
        typeset: Typeset,
        *,
        size: str = "math",
        roles: dict[Path, str] | None = None,
        symbols: dict[Path, str] | None = None,
    ) -> Formula:
        """Set a term, in one of the sizes of `theme.MATH`."""
        return Formula(typeset, self.theme, em=MATH[size], roles=roles, symbols=symbols)

    def number(
        self,
        array: Any,
        index: tuple[int, ...],
        *,
        name: str,
        places: int = 3,
        size: str = "number",
        role: str = "",
    ) -> Quantity:
        """Set a cell of a computed array, to be checked against it at every settled frame."""
        return Quantity(
            lambda: array[index],
            self.theme,
            places=places,
            em=MATH[size],
            role=role,
            label=f"{name}[{', '.join(map(str, index))}]",
        )

    def introduce(self, *symbols: str) -> None:
        """Say that the viewer has met these symbols."""
        self.introduced.update(symbols)


def _refuse_double(animations: list[Animation]) -> None:
    """Refuse two animations of one shape in one play, of which Manim would silently drop one."""
    claimed: dict[int, Animation] = {}
    for animation in animations:
        for shape in animation.mobject.family_members_with_points():
            other = claimed.setdefault(id(shape), animation)
            if other is not animation:
                raise FilmError(
                    given=f"{other} and {animation} of one object in one play",
                    expected="one animation of each object",
                    fix="join them into one, or play them one after the other",
                )


def _ticks(seconds: float) -> int:
    return max(1, math.ceil(seconds / TICK - 1e-6))


def _longest(animations: list[Animation]) -> Iterator[Animation]:
    run_time = max(animation.run_time for animation in animations)
    return (animation for animation in animations if animation.run_time == run_time)


def expect_film(candidate: Any) -> type[Film]:
    """Return a class that is a film with beats, or say what it is instead."""
    if isinstance(candidate, type) and issubclass(candidate, Film) and candidate.beats:
        return candidate
    raise FilmError(
        given=repr(candidate),
        expected="a subclass of Film with at least one beat",
        fix="decorate its methods with @beat()",
    )
