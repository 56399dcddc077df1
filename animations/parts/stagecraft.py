"""What films do with whole groups of things: hand over, and clear the stage."""

from collections.abc import Iterable

from manim import Animation, Mobject

from animations.film import Film
from animations.motion import Appear, Vanish, early, late
from animations.parts.motions import Become


def exchange(
    film: Film,
    *pairs: tuple[Mobject, Mobject],
    run_time: float,
    also: Iterable[Animation] = (),
) -> None:
    """Move things to where others of the same make shall stand, and put those there.

    Parameters
    ----------
    film
        Where to play.
    pairs
        The old and the new things.
    run_time
        Seconds.
    also
        What else happens meanwhile.
    """
    film.play(*(Become(old, new) for old, new in pairs), *also, run_time=run_time)
    film.remove(*(old for old, _ in pairs))
    film.add(*(new for _, new in pairs))


def succeed(film: Film, *come: Mobject, run_time: float = 1.4) -> None:
    """Let new things take the place of everything on the stage but the caption."""
    gone = [thing for thing in _seen(film) if thing is not film.caption]
    film.play(
        *(Vanish(thing, rate_func=early) for thing in gone),
        *(Appear(thing, rate_func=late) for thing in come),
        run_time=run_time,
    )


def clear(film: Film, *kept: Mobject, run_time: float = 0.7) -> None:
    """Take everything off the stage but the caption and what is kept."""
    gone = [thing for thing in _seen(film) if thing not in (film.caption, *kept)]
    film.play(*map(Vanish, gone), run_time=run_time)


def _seen(film: Film) -> list[Mobject]:
    return [thing for thing in film.mobjects if thing.family_members_with_points()]
