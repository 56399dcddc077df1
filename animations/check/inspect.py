"""Play a film dry, without a pixel, and gather what its rules find."""

from dataclasses import dataclass
from typing import Any

from manim import tempconfig
from manim.renderer.cairo_renderer import CairoRenderer

from animations.check.rules import Finding, judge, too_fast
from animations.check.snapshot import snapshot
from animations.errors import FilmError
from animations.film import Film, Silence, expect_film
from animations.theme import Setting


@dataclass(frozen=True)
class Report:
    """What checking a film gave.

    Parameters
    ----------
    settled_frames, quantities_checked
        How many frames were looked at, and how many times a number was compared with its cell.
    findings
        What is wrong.
    silenced
        What the film accepts, each with its reason.
    """

    settled_frames: int
    quantities_checked: int
    findings: tuple[Finding, ...]
    silenced: tuple[tuple[Finding, str], ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {
            "settled_frames": self.settled_frames,
            "quantities_checked": self.quantities_checked,
            "findings": [finding.as_dict() for finding in self.findings],
            "silenced": [finding.as_dict() | {"why": why} for finding, why in self.silenced],
        }


class Inspector:
    """Watches a film and judges it at every settled frame.

    Give it to ``film.watchers`` before the film plays, and ask for its `report` afterwards.
    """

    def __init__(self) -> None:
        self._frames = self._quantities = 0
        self._findings: list[Finding] = []

    def __call__(self, film: Film) -> None:
        frame = snapshot(film)
        self._frames += 1
        self._quantities += len(frame.readings)
        self._findings += judge(frame)

    def stumble(self, film: Film, error: FilmError) -> None:
        """Take down an error that is a finding of its own, and that ended the film."""
        self._findings.append(
            Finding(error.kind, film.current_beat, film.clock, (error.given,), str(error))
        )

    def report(self, film: Film) -> Report:
        """Return what was found until now, the timeline's findings included."""
        found = _distinct([*self._findings, *too_fast(film.timeline, film.setting)])
        reasons = [(finding, _why(finding, film.silences)) for finding in found]
        return Report(
            settled_frames=self._frames,
            quantities_checked=self._quantities,
            findings=tuple(finding for finding, why in reasons if why is None),
            silenced=tuple((finding, why) for finding, why in reasons if why is not None),
        )


def _distinct(findings: list[Finding]) -> list[Finding]:
    """Keep the first of findings that repeat from frame to frame within a beat."""
    first = {}
    for finding in findings:
        key = (finding.kind, finding.beat, finding.objects, finding.message)
        first.setdefault(key, finding)
    return list(first.values())


def _why(finding: Finding, silences: tuple[Silence, ...]) -> str | None:
    return next(
        (s.why for s in silences if s.kind == finding.kind and s.beat in ("", finding.beat)), None
    )


class DryRenderer(CairoRenderer):
    """Plays a scene to its end without drawing."""

    def __init__(self) -> None:
        super().__init__(skip_animations=True)

    def update_frame(self, *_: Any, **__: Any) -> None:
        pass

    def save_static_frame_data(self, *_: Any) -> None:
        pass

    def render(self, *_: Any) -> None:
        pass


def inspect(film: type[Film], setting: Setting | None = None) -> Report:
    """Play a film dry and report every finding.

    Parameters
    ----------
    film
        The film's class.
    setting
        Language, theme and shape.
    """
    setting = setting or Setting()
    shape = {"frame_width": setting.frame.width, "frame_height": setting.frame.height}
    quiet = {"dry_run": True, "progress_bar": "none", "verbosity": "ERROR"}
    with tempconfig(shape | quiet):
        played = expect_film(film)(renderer=DryRenderer(), setting=setting)
        inspector = Inspector()
        played.watchers.append(inspector)
        try:
            played.render()
        except FilmError as error:
            if not error.kind:
                raise
            inspector.stumble(played, error)
    return inspector.report(played)
