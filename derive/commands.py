"""The verbs that ``derive`` offers to the command line."""

from __future__ import annotations

from derive.claims.command import VERB as CLAIMS
from derive.console import UsageError, Verb, choose, emit

TYPE_CHECKING = False  # typing itself is not needed at run time
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from derive.certificate import CertificateError
    from derive.report import Report

FORMATS = ("text", "latex", "typst", "markdown", "html", "svg", "pdf", "json")
LANGUAGES = ("en", "zh")


# ------------------------------------------------------------------ prove


def prove_options(parser: ArgumentParser) -> None:
    """Add the options of `qkv prove`."""
    add = parser.add_argument
    add(
        "names",
        nargs="*",
        metavar="NAME|FILE.py",
        help="theorems, or files of your own derivations (none: all theorems)",
    )
    add("--watch", action="store_true", help="prove a file again whenever it changes")
    add(
        "--certificate",
        metavar="FILE.json",
        help="also write what was proved there as data, for `qkv recheck`",
    )


def run_prove(args: Namespace) -> int:
    """Build each theorem through the kernel, check it, and say what came of it."""
    files = [name for name in args.names if name.endswith(".py")]
    if args.watch:
        return _watch(args, files)
    if args.certificate:
        from derive.aside import check_writable

        check_writable(args.certificate)
    reports = _reports(args.names, files)
    reports = list(reports) if args.json else _print(reports, whole=bool(args.names))
    if args.certificate:
        _certify(args.certificate, files, {r.name for r in reports if r.verdict == "proved"})
    if args.json:
        emit([report.to_json() for report in reports])
    return 0 if all(report.as_expected for report in reports) else 1


def _reports(names: list[str], files: list[str]) -> Iterator[Report]:
    from derive import catalog

    named = [name for name in names if name not in files]
    theorems = choose(named, catalog.names(), "theorem") if named or not files else []
    from derive.prove import examine_all, examine_file

    yield from examine_all([("", name) for name in theorems])
    for file in files:
        yield from examine_file(file)


def _print(reports: Iterator[Report], *, whole: bool) -> list[Report]:
    from derive import catalog
    from derive.terminal import account, summary

    width = max(map(len, catalog.names()))
    seen = []
    for report in reports:
        if whole and seen:
            print("\n")
        print(account(report) if whole else summary(report, width), flush=True)
        seen.append(report)
    if not whole:
        proved = sum(report.verdict == "proved" for report in seen)
        kernel, checks = (sum(getattr(r, s) for r in seen) for s in ("seconds", "check_seconds"))
        print(
            f"\n{proved} of {len(seen)} proved, in {kernel:.1f} s of kernel time;"
            f" checks took {checks:.1f} s. One by name shows its proof: qkv prove {seen[0].name}"
        )
    return seen


def _certify(path: str, files: list[str], proved: set[str]) -> None:
    """Write a certificate of the derivations that were proved."""
    import sys

    from derive import catalog
    from derive.aside import write_aside
    from derive.certificate import text
    from derive.user import load_file

    derivations = [catalog.load(name) for name in catalog.names() if name in proved]
    derivations += [d for file in files for d in load_file(file) if d.name in proved]
    theorems = {d.name: d.theorem for d in derivations}
    write_aside(path, text(theorems).encode())
    count = "1 theorem" if len(theorems) == 1 else f"{len(theorems)} theorems"
    print(f"certificate of {count}: {path}", file=sys.stderr)


def _watch(args: Namespace, files: list[str]) -> int:
    """Prove a file now and after every change, until interrupted."""
    import sys
    import time
    from pathlib import Path

    if args.json or len(args.names) != 1 or not files:
        raise UsageError(
            "--watch with " + ("--json" if args.json else " ".join(args.names) or "no file"),
            "one file of derivations, and text to read",
            "qkv prove --watch my_proofs.py",
        )
    (file,) = map(Path, files)
    seen = None
    while True:
        text = file.read_bytes() if file.is_file() else b""
        if text != seen:
            try:
                _print(_reports(args.names, files), whole=True)
            except UsageError as error:  # an editor may empty or move a file while it saves
                if seen is None:
                    raise
                print(error, file=sys.stderr)
            print(f"\nwatching {file}; Ctrl-C ends", file=sys.stderr)
            seen = text
        time.sleep(0.3)


# ------------------------------------------------------------------ recheck


def recheck_options(parser: ArgumentParser) -> None:
    """Add the options of `qkv recheck`."""
    add = parser.add_argument
    add("file", metavar="FILE.json", help="a certificate from `qkv prove --certificate`")
    add("--seconds", type=float, default=300, help="give up after so long (default: 300)")


def run_recheck(args: Namespace) -> int:
    """Make each theorem of a certificate again, by the kernel alone."""
    from pathlib import Path

    from derive.certificate import CertificateError
    from derive.recheck import recheck

    if not Path(args.file).is_file():
        raise UsageError(
            f"{args.file}, where there is no file",
            "a certificate",
            "write one: qkv prove --certificate FILE.json",
        )
    try:
        reports = recheck(args.file, seconds=args.seconds)
    except CertificateError as error:
        if args.json:
            emit([_refused(args.file, error).to_json()])
        else:
            print(f"refused: {error}")
        return 1
    if args.json:
        emit([report.to_json() for report in reports])
        return 0
    for report in reports:
        assumptions = ", ".join(report.assumptions) or "nothing"
        print(f"proved  {report.name}\n        {report.statement}\n        from {assumptions}")
        for meaning in report.meanings:
            print(f"        where {meaning}")
        if not report.model_found:
            print("        no model of the assumptions was found: they may contradict each other")
    return 0


def _refused(file: str, error: CertificateError) -> Report:
    """A certificate that certifies nothing."""
    from derive.report import UNKNOWN, Mistake, Report

    mistake = Mistake(file, 0, "recheck", error.given, error.expected)
    return Report(file, {}, UNKNOWN, "", error=mistake)


# ------------------------------------------------------------------ show


def show_options(parser: ArgumentParser) -> None:
    """Add the options of `qkv show`."""
    add = parser.add_argument
    add("name", metavar="NAME", help="a theorem; `qkv list` shows them")
    add("--format", choices=FORMATS, help="default: text, with --json: json")
    add("--lang", choices=LANGUAGES, default="en", help="default: en")
    add("-o", dest="out", metavar="FILE", help="write it there (default: standard output)")


def run_show(args: Namespace) -> int:
    """Print one derivation in a format, or write it to a file; `--json` prints it as JSON too."""
    import sys

    form = args.format or ("json" if args.json else "text")
    printed = "json" if args.json else None if args.out else form
    if printed == "pdf" and sys.stdout.isatty():
        raise UsageError("pdf for a terminal", "a file to write it to", "add: -o FILE.pdf")
    from derive import catalog

    derivation = catalog.load(args.name)
    from derive.notation.export import export

    def data(form: str) -> bytes:
        shown = export(derivation, form, language=args.lang)
        return shown.encode() if isinstance(shown, str) else shown

    if args.out:
        from derive.aside import write_aside

        write_aside(args.out, data(form))
        print(args.out, file=sys.stderr)
    if printed:
        sys.stdout.flush()
        sys.stdout.buffer.write(data(printed))
    return 0


# ------------------------------------------------------------------ example


def example_options(parser: ArgumentParser) -> None:
    """Add the options of `qkv example`."""
    parser.add_argument("name", metavar="NAME", help="a worked example; `qkv list` shows them")


def run_example(args: Namespace) -> int:
    """Print a worked example, each step exact and decimal."""
    from derive import examples

    choose([args.name], examples.names(), "example")
    example = examples.load(args.name)
    if args.json:
        emit(example.to_json())
    else:
        from derive.examples.page import page

        print(page(example))
    return 0


VERBS: dict[str, Verb] = {
    "prove": Verb(
        help="build theorems through the kernel, with SymPy's second opinion on every step",
        example="qkv prove\nqkv prove dot-product-variance\nqkv prove --watch my_proofs.py",
        options=prove_options,
        run=run_prove,
    ),
    "recheck": Verb(
        help="check a certificate by the kernel alone, running none of its author's code",
        example="qkv prove --certificate all.json\nqkv recheck all.json",
        options=recheck_options,
        run=run_recheck,
    ),
    "show": Verb(
        help="one derivation as text, LaTeX, Typst, Markdown, HTML, SVG, PDF or JSON",
        example="qkv show attention-formula\nqkv show dot-product-variance --format pdf -o var.pdf",
        options=show_options,
        run=run_show,
    ),
    "example": Verb(
        help="a worked example, every step exact and decimal",
        example="qkv example apple\nqkv example address-book --json",
        options=example_options,
        run=run_example,
    ),
    "claims": CLAIMS,
}
