"""What is asked for: a film, how it is shown, and where its files go."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["QUALITIES", "Files", "Quality", "Request"]


@dataclass(frozen=True, slots=True)
class Quality:
    """A size and a rate, as Manim's letter names them."""

    long: int
    short: int
    rate: int

    def size(self, aspect: str) -> tuple[int, int]:
        """Return width and height in pixels."""
        return (self.long, self.short) if aspect == "16:9" else (self.short, self.long)


QUALITIES = {
    "l": Quality(854, 480, 15),
    "m": Quality(1280, 720, 30),
    "h": Quality(1920, 1080, 60),
    "k": Quality(3840, 2160, 60),
}


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one film."""

    video: Path
    srt: Path
    vtt: Path
    chapters: Path
    poster: Path
    storyboard: Path

    @classmethod
    def at(cls, stem: Path) -> Files:
        """Return the files whose names begin with `stem`."""
        endings = ("mp4", "srt", "vtt", "chapters.txt", "poster.png", "storyboard.png")
        return cls(*(stem.with_name(f"{stem.name}.{ending}") for ending in endings))

    def all(self) -> list[Path]:
        """Return every path."""
        return [getattr(self, name) for name in self.__slots__]


@dataclass(frozen=True, slots=True)
class Request:
    """One film in one language, theme, shape and quality.

    Parameters
    ----------
    film
        The film's name.
    where
        Its class, as ``"module:Class"``.
    lang, theme, aspect
        How it is shown.
    quality
        One of `QUALITIES`.
    out
        The folder that holds a folder for each film.
    jobs
        How many cores to keep busy; one worker more than that draws at a time.
    """

    film: str
    where: str
    lang: str = "zh"
    theme: str = "dark"
    aspect: str = "16:9"
    quality: str = "m"
    out: Path = Path("renders")
    jobs: int = os.cpu_count() or 1

    @property
    def stem(self) -> str:
        """Return the name that the film's files share."""
        theme = "" if self.theme == "dark" else f".{self.theme}"
        aspect = "" if self.aspect == "16:9" else f".{self.aspect}"
        return f"{self.film}.{self.lang}{theme}{aspect}"

    @property
    def files(self) -> Files:
        return Files.at(self.out / self.film / self.stem)

    @property
    def paths(self) -> dict[str, str]:
        """Return where each file goes, by the names that results use."""
        names = ("file", "srt", "vtt", "chapters", "poster", "storyboard")
        return dict(zip(names, map(str, self.files.all()), strict=True))

    @property
    def cache(self) -> Path:
        return self.out / ".cache"

    @property
    def size(self) -> tuple[int, int]:
        return QUALITIES[self.quality].size(self.aspect)

    @property
    def rate(self) -> int:
        return QUALITIES[self.quality].rate

    @property
    def shown(self) -> tuple[str, ...]:
        """Return what tells this picture from others of the same film."""
        return self.lang, self.theme, self.aspect, self.quality
