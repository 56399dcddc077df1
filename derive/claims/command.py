"""The verb ``claims``: every assertion of the source articles with its verdict."""

from __future__ import annotations

from derive.console import Verb, emit

TYPE_CHECKING = False  # typing itself is not needed at run time
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Mapping
    from typing import Any

    from derive.claims.claim import Claim

SIGNS = {"proved": "✓", "refuted": "✗", "checked": "=", "unknown": "?", "out of scope": "–"}
COLOURS = {"proved": "32", "refuted": "31", "checked": "36", "unknown": "33", "out of scope": "2"}


def options(parser: ArgumentParser) -> None:
    """Add the options of `qkv claims`."""
    parser.add_argument(
        "names", nargs="*", metavar="ID", help="claims (S5c) or rows of the sources (S5); none: all"
    )


def run(args: Namespace) -> int:
    """Examine claims; every verdict should be the recorded one."""
    from derive.claims import select

    claims = select(args.names)
    if args.json:
        emit([claim.to_json() for claim in claims])
    elif args.names:
        print("\n\n".join("\n".join(_account(claim)) for claim in claims))
    else:
        _summarise(claims)
    return 0 if all(claim.as_recorded for claim in claims) else 1


def _summarise(claims: tuple[Claim, ...]) -> None:
    from collections import Counter

    for claim in claims:
        print(_headline(claim), flush=True)
    counts = Counter(claim.finding.verdict for claim in claims)
    shown = ", ".join(f"{counts[verdict]} {verdict}" for verdict in SIGNS if counts[verdict])
    print(f"\n{len(claims)} claims: {shown}. One by name shows what it rests on: qkv claims S5g")


def _headline(claim: Claim) -> str:
    from derive.terminal import painted

    verdict = claim.finding.verdict
    sign = painted(f"{SIGNS[verdict]} {verdict:12}", COLOURS[verdict])
    doubt = "" if claim.as_recorded else painted(f"  (recorded: {claim.recorded})", "31")
    words = " · ".join(dict.fromkeys(claim.statement.values()))
    return f"{sign}  {claim.name:5}  {words}{doubt}"


def _account(claim: Claim) -> Iterator[str]:
    yield _headline(claim)
    yield from (f"    {line}" for line in claim.finding.evidence)
    if claim.finding.witness:
        yield "    witness"
        yield from (f"        {line}" for line in _lines(claim.finding.witness))
    yield f"    recompute: qkv claims {claim.name}"


def _lines(witness: Mapping[str, Any]) -> Iterator[str]:
    """A witness as lines; what is empty is left out."""
    for key, value in witness.items():
        if value not in (None, {}, []):
            yield f"{key}: {_brief(value)}"


def _brief(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} = {_brief(inner)}" for key, inner in value.items())
    if isinstance(value, list) and isinstance(value[0], dict):
        return "; ".join(map(_brief, value))
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join(map(_brief, value)) + ")"
    return str(value)


VERB = Verb(
    help="what the source articles assert, with a verdict computed for each",
    example="qkv claims\nqkv claims S5g S30\nqkv claims --json",
    options=options,
    run=run,
)
