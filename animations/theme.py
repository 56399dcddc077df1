"""How everything looks: colours, sizes of type, the frame and its safe area.

Q, K and V keep one colour each in every film, poster and page. Colours that carry text stand
at least 4.5 to 1 against the background, in both themes.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Self

from animations.errors import FilmError

LEAST_CONTRAST = 4.5
SAFE_MARGIN = 0.05  # of the frame, at each edge
LEAST_X_HEIGHT = 1 / 40  # of the frame's shorter side
TRANSITION = 0.4  # seconds that a caption takes to come and go

TYPE = MappingProxyType(
    {"title": 0.9, "heading": 0.62, "body": 0.48, "caption": 0.44, "small": 0.4}
)
"""Ems of text, in units of a frame whose shorter side is 8."""
MATH = MappingProxyType({"display": 0.9, "math": 0.72, "number": 0.5})
"""Ems of mathematics; `number` is for formulas without scripts."""


@dataclass(frozen=True)
class Theme:
    """A palette, every colour as ``#rrggbb``.

    Parameters
    ----------
    background, ink, muted
        The ground, text, and text that steps back. Text is drawn in `ink`, `muted`, `accent`
        or a role's colour.
    faint
        Lines; never text.
    surface
        What lies behind a part that acts now; text stands out from it as from the ground.
    accent
        What the eye shall follow now.
    roles
        One colour for each thing that keeps its colour everywhere.
    """

    name: str
    background: str
    ink: str
    muted: str
    faint: str
    surface: str
    accent: str
    roles: MappingProxyType[str, str]

    def __deepcopy__(self, memo: dict) -> Self:
        """Return the theme itself: it cannot change, and Manim deep-copies whatever holds one."""
        return self

    def role(self, name: str) -> str:
        """Return the colour of a role."""
        if name not in self.roles:
            raise FilmError(
                given=f"the role {name!r}",
                expected="one of " + ", ".join(self.roles),
                fix="use one of these, or give the thing no role",
            )
        return self.roles[name]


DARK = Theme(
    name="dark",
    background="#14171c",
    ink="#e8e6e1",
    muted="#a2a8b2",
    faint="#3a414c",
    surface="#2b323d",
    accent="#f2d27a",
    roles=MappingProxyType({"Q": "#7db4f5", "K": "#f0a36b", "V": "#8fce8b", "O": "#c9a4ee"}),
)
LIGHT = Theme(
    name="light",
    background="#faf9f6",
    ink="#22262c",
    muted="#5a626d",
    faint="#cdd1d6",
    surface="#efece4",
    accent="#8a6100",
    roles=MappingProxyType({"Q": "#1c5fb0", "K": "#a84a0b", "V": "#2a7234", "O": "#7a3fae"}),
)
THEMES = MappingProxyType({theme.name: theme for theme in (DARK, LIGHT)})


@dataclass(frozen=True)
class Box:
    """An upright rectangle on the stage."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.top - self.bottom

    @property
    def centre(self) -> tuple[float, float, float]:
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2, 0.0

    def shrunk(self, margin: float) -> Self:
        """Return the rectangle without a margin, given as a part of its width and height."""
        x, y = margin * self.width, margin * self.height
        return type(self)(self.left + x, self.bottom + y, self.right - x, self.top - y)

    def holds(self, other: Self, slack: float = 1e-6) -> bool:
        """Tell whether another rectangle lies wholly inside."""
        return (
            self.left - slack <= other.left
            and self.bottom - slack <= other.bottom
            and other.right <= self.right + slack
            and other.top <= self.top + slack
        )

    def overlap(self, other: Self) -> float:
        """Return the area shared with another rectangle."""
        x = min(self.right, other.right) - max(self.left, other.left)
        y = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(x, 0.0) * max(y, 0.0)


@dataclass(frozen=True)
class Frame:
    """What the viewer sees, and how it is shared out: the stage above, captions below."""

    width: float
    height: float
    strip_height: float

    @property
    def whole(self) -> Box:
        return Box(-self.width / 2, -self.height / 2, self.width / 2, self.height / 2)

    @property
    def safe(self) -> Box:
        return self.whole.shrunk(SAFE_MARGIN)

    @property
    def strip(self) -> Box:
        """Return where captions stand, and nothing else."""
        safe = self.safe
        return Box(safe.left, safe.bottom, safe.right, safe.bottom + self.strip_height)

    @property
    def stage(self) -> Box:
        """Return where everything but captions stands."""
        safe = self.safe
        return Box(safe.left, self.strip.top, safe.right, safe.top)

    @property
    def least_x_height(self) -> float:
        return LEAST_X_HEIGHT * min(self.width, self.height)


FRAMES = MappingProxyType(
    {"16:9": Frame(128 / 9, 8.0, strip_height=0.7), "9:16": Frame(8.0, 128 / 9, strip_height=1.4)}
)


@dataclass(frozen=True)
class Setting:
    """In which language, theme and shape a film is shown."""

    lang: str = "zh"
    theme: str = "dark"
    aspect: str = "16:9"

    def __post_init__(self) -> None:
        choices = (("theme", self.theme, THEMES), ("aspect", self.aspect, FRAMES))
        for what, given, known in choices:
            if given not in known:
                raise FilmError(
                    given=f"the {what} {given!r}",
                    expected=" or ".join(known),
                    fix=f"pass --{what} with one of these",
                )

    @property
    def palette(self) -> Theme:
        return THEMES[self.theme]

    @property
    def frame(self) -> Frame:
        return FRAMES[self.aspect]


def luminance(colour: str) -> float:
    """Return the relative luminance of ``#rrggbb``, as WCAG 2 defines it."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21.

    >>> round(contrast("#000000", "#ffffff"))
    21
    """
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
