"""The verbs that ``numeric`` offers to the command line."""

from __future__ import annotations

from derive.console import UsageError, Verb, choose, emit

TYPE_CHECKING = False  # typing itself is not needed at run time
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from numeric.heatmap import Heatmap
    from numeric.verify import Report

BACKENDS = ("numpy", "jax", "cupy", "strict")
DEVICES = ("cpu", "gpu")
DTYPES = ("float64", "float32")
PICTURES = ("svg", "png")


# ------------------------------------------------------------------ verify


def verify_options(parser: ArgumentParser) -> None:
    """Add the options of `qkv verify`."""
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="theorems (none: all)")
    add("--backend", choices=BACKENDS, default="numpy", help="array library (default: numpy)")
    add("--device", choices=DEVICES, help="default: cpu, for cupy gpu")
    add("--dtype", choices=DTYPES, default="float64", help="default: float64")
    add("--seed", type=int, default=0, help="of worlds and mutants (default: 0)")


def run_verify(args: Namespace) -> int:
    """Cross-check theorems in floating point, each with mutants that must fail."""
    from derive import catalog

    names = choose(args.names, catalog.names(), "theorem")
    reports = []
    width = max(map(len, names))
    for report in _reports(names, args):
        reports.append(report)
        if not args.json:
            print(_line(report, width), flush=True)
    if args.json:
        emit([report.as_dict() for report in reports])
    return 0 if all(report.verdict == "passed" for report in reports) else 1


def _reports(names: list[str], args: Namespace) -> Iterator[Report]:
    """Return the reports in order, made on all cores where there is more than one to make."""
    import os

    from numeric.backends import backend
    from numeric.verify import verify_named

    chosen = backend(args.backend, device=args.device, dtype=args.dtype)
    setting = (args.backend, args.device, args.dtype, args.seed)
    workers = 1 if chosen.device == "gpu" else min(os.cpu_count() or 1, len(names))
    if workers == 1:
        reports = (verify_named(name, setting) for name in names)
        yield from _counted(reports, len(names))
        return
    from concurrent.futures import ProcessPoolExecutor
    from functools import partial
    from multiprocessing import get_context

    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        reports = pool.map(partial(verify_named, setting=setting), names)
        yield from _counted(reports, len(names))


def _counted(reports: Iterator[Report], total: int) -> Iterator[Report]:
    """Show on a terminal's standard error how many are done."""
    import sys

    shown = sys.stderr.isatty()
    for done, report in enumerate(reports, 1):
        if shown:
            bar = "█" * (20 * done // total)
            print(f"\r\033[K{bar:20} {done}/{total}", end="", file=sys.stderr, flush=True)
            if done == total or not sys.stdout.isatty():
                print("\r\033[K", end="", file=sys.stderr, flush=True)
            else:
                print("\r", end="", file=sys.stderr, flush=True)
        yield report


def _line(report: Report, width: int) -> str:
    sign = {"passed": "✓", "failed": "✗"}.get(report.verdict, "?")
    head = f"{sign} {report.verdict:7}  {report.name:{width}}"
    if report.max_error is None:
        return f"{head}  {report.reason}"
    mutants = report.mutants
    equivalent = len(mutants.equivalent)
    also = f", {equivalent} equivalent" if equivalent else ""
    return (
        f"{head}  off by {report.max_error:.1e} (rounding explains {report.tolerance:.1e}),"
        f" {mutants.caught} of {mutants.tried} mutants caught{also}, sizes up to {report.largest}"
        + (f"\n    {report.reason}" if report.reason else "")
    )


# ------------------------------------------------------------------ heatmap


def heatmap_options(parser: ArgumentParser) -> None:
    """Add the options of `qkv heatmap`."""
    add = parser.add_argument
    add("text", metavar="TEXT", help="tokens, separated by spaces")
    add("--seed", type=int, default=0, help="of random weights (default: 0)")
    add("-o", dest="out", metavar="FILE.svg|FILE.png", help="draw it there")


def run_heatmap(args: Namespace) -> int:
    """Show who attends to whom: a worked example's weights, or random ones called so."""
    if args.seed < 0:
        raise UsageError(f"--seed {args.seed}", "a seed of at least 0", "leave --seed out")
    form = _form(args.out) if args.out else None
    from numeric.heatmap import as_text, heatmap

    shown = heatmap(args.text, seed=args.seed)
    if form:
        _draw(shown, form, args.out)
    if args.json:
        emit(shown.to_json())
    elif not form:
        print(as_text(shown))
    return 0


def _form(path: str) -> str:
    form = path.rpartition(".")[2].lower()
    if form not in PICTURES:
        raise UsageError(
            f"-o {path}", "a file name ending in .svg or .png", "choose one of these endings"
        )
    return form


def _draw(shown: Heatmap, form: str, path: str) -> None:
    import sys

    from derive.aside import write_aside
    from numeric.heatmap import as_picture

    write_aside(path, as_picture(shown, form))
    print(path, file=sys.stderr)


VERBS: dict[str, Verb] = {
    "verify": Verb(
        "cross-check theorems in floating point, with mutants that must fail",
        "qkv verify permutation-equivariance\nqkv verify --backend jax --dtype float32 --json",
        verify_options,
        run_verify,
    ),
    "heatmap": Verb(
        "attention weights as shades: of a worked example, or random ones",
        'qkv heatmap "我 吃 苹果"\nqkv heatmap "The cat sat on the mat" -o cat.svg',
        heatmap_options,
        run_heatmap,
    ),
}
