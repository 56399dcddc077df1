"""The verbs that ``animations`` offers to the command line."""

from __future__ import annotations

from derive.console import UsageError, Verb, choose, emit

TYPE_CHECKING = False  # typing itself is not needed at run time
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

    from animations.render.request import Request

QUALITIES = ("l", "m", "h", "k")
LANGUAGES, THEMES, ASPECTS = ("zh", "en"), ("dark", "light"), ("16:9", "9:16")


def render_options(parser: ArgumentParser) -> None:
    """Add the options of `qkv render`."""
    add = parser.add_argument
    add("films", nargs="*", metavar="FILM", help="names of films; `qkv list` shows them")
    add("--all", action="store_true", help="every film")
    add(
        "--quality",
        choices=QUALITIES,
        default="m",
        help="l 480p15, m 720p30 (default), h 1080p60, k 2160p60",
    )
    add("--lang", choices=LANGUAGES, default="zh", help="language (default: zh)")
    add("--theme", choices=THEMES, default="dark", help="colours (default: dark)")
    add("--aspect", choices=ASPECTS, default="16:9", help="shape (default: 16:9)")
    add("--jobs", type=int, metavar="N", help="draw N + 1 parts at a time (default: N = cores)")
    add("-o", dest="out", metavar="DIR", default="renders", help="folder (default: renders)")


def run_render(args: Namespace) -> int:
    """Render films, and print what came of each."""
    results = [_render(request) for request in _requests(args)]
    if args.json:
        emit(results)
    else:
        for result in results:
            print(result["file"])
    return 1 if any(result["checks"]["findings"] for result in results) else 0


def _requests(args: Namespace) -> list[Request]:
    """Return what is asked for; a wrong call is found before anything is drawn."""
    from pathlib import Path

    from animations.films import FILMS

    if bool(args.films) == args.all:
        raise UsageError(
            "films by name and --all together" if args.all else "no film",
            "the names of films, or --all",
            f"qkv render {min(FILMS, default='FILM')}",
        )
    if args.jobs is not None and args.jobs < 1:
        raise UsageError(f"--jobs {args.jobs}", "at least one job", "leave --jobs out")
    films = choose(args.films, FILMS, "film")
    from animations.render.request import Request

    shown = {"lang": args.lang, "theme": args.theme, "aspect": args.aspect}
    more = {"quality": args.quality, "out": Path(args.out)}
    jobs = {} if args.jobs is None else {"jobs": args.jobs}
    return [Request(film, FILMS[film], **shown, **more, **jobs) for film in films]


def _render(request: Request) -> dict[str, Any]:
    """Render one film, unless the files that are there are what would be drawn."""
    from animations.render.progress import Bar
    from animations.render.record import recall

    bar = Bar(request.stem)
    result = recall(request)
    if result is None:
        from animations.render.make import make

        result = make(request, bar)
    bar.close(_summary(result))
    return result


def _summary(result: dict[str, Any]) -> str:
    drawn, reused = result["rendered_segments"], result["reused_segments"]
    parts = f"{drawn} parts drawn, {reused} reused" if drawn else "nothing has changed"
    length = f"{int(result['seconds']) // 60}:{int(result['seconds']) % 60:02}"
    line = f"{length} of film in {result['wall_seconds']:.1f} s, {parts}"
    findings = result["checks"]["findings"]
    if findings:
        line += f"; findings: {len(findings)}, which `qkv check {result['film']}` shows"
    return line


def check_options(parser: ArgumentParser) -> None:
    """Add the options of `qkv check`."""
    add = parser.add_argument
    add("films", nargs="*", metavar="FILM", help="names of films (none: all)")
    add("--lang", choices=LANGUAGES, help="one language (default: every one that the film has)")
    add("--theme", choices=THEMES, default="dark", help="colours (default: dark)")
    add("--aspect", choices=ASPECTS, default="16:9", help="shape (default: 16:9)")


def run_check(args: Namespace) -> int:
    """Play films dry and print what the checks find."""
    from animations.films import FILMS

    reports = [
        report
        for film in choose(args.films, FILMS, "film")
        for report in _check(film, FILMS[film], args)
    ]
    if args.json:
        emit(reports)
    else:
        for report in reports:
            _print_report(report)
    return 1 if any(report["findings"] for report in reports) else 0


def _check(film: str, where: str, args: Namespace) -> list[dict[str, Any]]:
    from dataclasses import asdict
    from importlib import import_module

    from animations.check.inspect import inspect
    from animations.theme import Setting
    from animations.words import load

    module, _, name = where.partition(":")
    kind = getattr(import_module(module), name)
    languages = [args.lang] if args.lang else (kind.table or load()).languages(kind.title)
    settings = [Setting(lang, args.theme, args.aspect) for lang in languages]
    return [{"film": film, **asdict(s), **inspect(kind, s).as_dict()} for s in settings]


def _print_report(report: dict[str, Any]) -> None:
    frames, quantities = report["settled_frames"], report["quantities_checked"]
    print(f"{report['film']} {report['lang']}: {frames} frames, {quantities} numbers checked")
    for finding in report["findings"]:
        print(f"  {_line(finding)}")
    for silenced in report["silenced"]:
        print(f"  silenced: {_line(silenced)} ({silenced['why']})")


def _line(finding: dict[str, Any]) -> str:
    where = f"{finding['kind']} in {finding['beat']} at {finding['time']:.1f} s"
    return f"{where}: {', '.join(finding['objects'])}: {finding['message']}"


VERBS: dict[str, Verb] = {
    "render": Verb(
        help="draw films, with subtitles, chapters, poster and storyboard",
        example="qkv render apple --quality h --lang zh\nqkv render --all --json",
        options=render_options,
        run=run_render,
    ),
    "check": Verb(
        help="play films without drawing and check every settled frame",
        example="qkv check apple\nqkv check --lang en --json\nqkv check --aspect 9:16 --theme light",
        options=check_options,
        run=run_check,
    ),
}
