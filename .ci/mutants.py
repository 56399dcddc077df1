"""Mutation testing of the trusted files: which small change of them does no test notice?

    .venv/bin/python -m pip install cosmic-ray
    make mutants FILES="derive/facts.py derive/rules/chance.py"
    make mutants FILES=derive/normal.py SHARE=0.3     # a sample, always the same one

The mutants are Cosmic Ray's. It would start an interpreter for each; here pytest collects the tests
once, and each mutant is tried in a fork: the changed functions get their new code, and the tests
run, those first that noticed others. A change outside every function (a table, a bound, a default)
is tried in a copy of the checkout instead. Each survivor is printed; docs/mutants.md explains them.
"""

from __future__ import annotations

import ast
import importlib
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).resolve().parent.parent
CPU_SECONDS, MEMORY = 120, 4 << 30  # of one mutant: more counts as noticed

# A condition negated, a part of it lost, a neighbouring operator or number, a loop never entered.
OPERATORS = re.compile(
    r"core/(AddNot|NumberReplacer|ZeroIterationForLoop|ExceptionReplacer|RemoveDecorator"
    r"|Replace(AndWithOr|OrWithAnd|TrueWithFalse|FalseWithTrue|ContinueWithBreak|BreakWithContinue)"
    r"|ReplaceUnaryOperator_Delete_(Not|USub)"
    r"|ReplaceComparisonOperator_(Eq_NotEq|NotEq_Eq|Is_IsNot|IsNot_Is"
    r"|Lt_LtE|Lt_GtE|LtE_Lt|LtE_Gt|Gt_GtE|Gt_LtE|GtE_Gt|GtE_Lt)"
    r"|ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|Pow_Mul|Mod_FloorDiv|FloorDiv_Mul"
    r"|BitOr_BitAnd|BitOr_Sub|BitAnd_BitOr))"
)
TESTS = (
    "tests/derive/soundness/test_refusals.py",
    "tests/derive/soundness/test_arguments.py",
    "tests/derive/soundness/test_closed_holes.py",
    "tests/derive/soundness/test_forging.py",
    "tests/derive/soundness/test_certificate.py",
    "tests/derive/soundness/test_invariance.py",
    "tests/derive/soundness/test_battery.py",
    "tests/derive/soundness/test_walk.py",
    "tests/derive/test_signature.py",
    "tests/derive/test_holes.py",
    "tests/derive/test_catalog.py",
    "tests/derive/test_random.py",
    "tests/derive/test_mutants.py",
)
# What runs in a process of its own knows nothing of a function replaced here.
ELSEWHERE = "not hash_seeds and not without_assertions"
# What tries the statements of the catalogue by other means than the kernel is of no use here.
IDLE = "not speaks and not statement_is_false and not needs"


class Mutant(NamedTuple):
    """One change of one file, and the code that comes of it."""

    file: str
    line: int
    operator: str
    before: str
    after: str
    code: str


def mutants(file: str, share: float = 1.0) -> Iterator[Mutant]:
    """The mutants of a file, or a share of them, without those that can change nothing new."""
    source = (ROOT / file).read_text(encoding="utf-8")
    idle, tree, seen, chance = _idle(source), get_ast(source), set(), random.Random(file)
    for name in sorted(filter(OPERATORS.fullmatch, operator_names())):
        operator = get_operator(name)()
        places = [p for node in ast_nodes(tree) for p in operator.mutation_positions(node)]
        for occurrence, (start, end) in enumerate(places):
            if any(a <= start and end <= b for a, b in idle) or chance.random() >= share:
                continue
            code = mutate_code(source, operator, occurrence)
            before, after = _changed(source, code)
            last_child = "[ -1]" in after and "[ -1]" not in before  # of one or two: nothing new
            if code not in seen and not last_child and _compiles(code):
                seen.add(code)
                yield Mutant(file, start[0], name.removeprefix("core/"), before, after, code)


def _idle(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where a change is one of memory, of wording, or none: caches, refusals, annotations."""
    found: list[ast.AST | None] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.AnnAssign(annotation=note) | ast.arg(annotation=note):
                found.append(note)
            case ast.FunctionDef(returns=note, decorator_list=decorators):
                found += [note, *(d for d in decorators if "cache" in ast.unparse(d))]
            case ast.Raise():
                found.append(node)
    return [
        ((node.lineno, node.col_offset - 1), (node.end_lineno, node.end_col_offset))
        for node in found  # from one column before: the @ of a decorator
        if node is not None
    ]


def _changed(source: str, code: str) -> tuple[str, str]:
    """The lines that differ."""
    old, new = source.splitlines(), code.splitlines()
    same = lambda a, b: next(n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
    first, last = same(old, new), same(old[::-1], new[::-1])
    cut = lambda lines: " ".join(map(str.strip, lines[first : len(lines) - last]))
    return cut(old), cut(new)


def _compiles(code: str) -> bool:
    try:
        compile(code, "", "exec")
    except SyntaxError:  # the lone * of a signature, taken for a product
        return False
    return True


ONCE = {"_sealed"}  # functions that run when their module is imported, and then never again
MAKERS = {"_is_variable", "_is_a", "_all", "_pairs", "_function"}  # the same, of several each

# ------------------------------------------------------------------ new code for old functions


def replacements(mutant: Mutant) -> list[tuple[FunctionType, CodeType]] | None:
    """The functions that the mutant changes, each with its code; None if it changes more."""
    path = str(ROOT / mutant.file)
    source = (ROOT / mutant.file).read_text(encoding="utf-8")
    (old, around), (new, now) = (_codes(compile(s, path, "exec")) for s in (source, mutant.code))
    if around != now or old.keys() != new.keys():
        return None
    name = mutant.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    functions = _functions(importlib.import_module(name))
    found = []
    for key in old:
        if old[key] == new[key]:
            continue
        if key in MAKERS:
            return None
        if key in ONCE:  # what it made lives on, and is changed instead
            (inner, outer), (renewed, now) = _codes(old[key]), _codes(new[key])
            if outer != now:
                return None
            found += [(k, inner[k], renewed[k]) for k in inner if inner[k] != renewed[k]]
        else:
            found.append((key, old[key], new[key]))
    if any(k not in functions or _body(functions[k]) != code.co_code for k, code, _ in found):
        return None
    return [(functions[k], code) for k, _, code in found]


def _body(function: FunctionType) -> bytes:
    return function.__code__.co_code  # unlike the code object, the same after it ran often


def _codes(code: CodeType) -> tuple[dict[str, CodeType], list[CodeType]]:
    """The functions of a module and its classes; what stands around them."""
    inside = [c for c in code.co_consts if isinstance(c, CodeType)]
    bare = tuple("code" if isinstance(c, CodeType) else c for c in code.co_consts)
    functions, around = {}, [code.replace(co_consts=bare, co_linetable=b"")]
    for inner in inside:
        if inner.co_flags & 1 and inner.co_name != "<lambda>":  # a function, no class; by its name
            functions[inner.co_qualname] = inner
        else:
            more, rest = _codes(inner)
            functions |= more
            around += rest
    return functions, around


def _functions(module: ModuleType) -> dict[str, FunctionType]:
    """The functions of a module and its classes, by qualified name, without what wraps them."""
    own = lambda thing: getattr(thing, "__module__", "") == module.__name__
    found, rest = {}, list(vars(module).values())
    while rest:
        thing = rest.pop()
        for wrapped in ("__wrapped__", "__func__", "fget"):
            thing = getattr(thing, wrapped, None) or thing
        if isinstance(thing, FunctionType) and own(thing):
            found[thing.__qualname__] = thing
        elif isinstance(thing, type) and own(thing):
            rest += vars(thing).values()
    return found


# ------------------------------------------------------------------ trials


class Trials:
    """A plugin of pytest that, for running the collected tests, runs them on every mutant."""

    def __init__(self, files: Sequence[str], share: float) -> None:
        self.files, self.share = files, share

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = _fastest_first(session.items)
        if _tried(items, []) is not None:
            raise pytest.UsageError("a test fails without any change")
        for file in self.files:
            made, left, sharp = 0, 0, Counter()
            for mutant in mutants(file, self.share):
                made += 1
                code = replacements(mutant)
                if code is None:
                    by = _tried_in_a_copy(mutant)
                else:
                    first = [item for item, _ in sharp.most_common(40)]
                    by = _tried([*first, *(i for i in items if i not in first)], code)
                    sharp.update([by] if isinstance(by, pytest.Item) else [])
                if by is None:
                    left += 1
                    print(f"{file}:{mutant.line}  {mutant.operator}")
                    print(f"  - {mutant.before}\n  + {mutant.after}", flush=True)
            print(f"{file}: {made} mutants, {made - left} noticed", flush=True)
        return True


def _tried(
    items: Sequence[pytest.Item], code: Sequence[tuple[FunctionType, CodeType]]
) -> pytest.Item | str | None:
    """The first test that notices the change, or what ended the trial; None if nothing did."""
    receiver, sender = os.pipe()
    if not (child := os.fork()):
        _bounded()
        for function, new in code:
            function.__code__ = new
        for cache in _caches():
            cache.cache_clear()
        for place, item in enumerate(items):
            if _fails(item):
                os.write(sender, str(place).encode())
                os._exit(1)
        os._exit(0)
    os.close(sender)
    with os.fdopen(receiver) as said:
        place = said.read()
    _, status = os.waitpid(child, 0)
    return items[int(place)] if place else "broken off" if status else None


def _fails(item: pytest.Item) -> bool:
    """Does the test fail? Called directly where it needs no fixture: pytest's way takes longer."""
    values = dict(item.callspec.params) if hasattr(item, "callspec") else {}
    if set(item.fixturenames) - set(values) - {"request"}:
        return any(r.failed for r in runtestprotocol(item, log=False, nextitem=None))
    try:
        item.obj(**values)
    except (Exception, pytest.fail.Exception):  # noqa: BLE001
        return True
    return False


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)


def _caches() -> Iterator[Any]:
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "derive":
            yield from (v for v in vars(module).values() if hasattr(v, "cache_clear"))


def _fastest_first(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The tests by the time that they take, found out in a fork: this process stays as it is."""
    receiver, sender = os.pipe()
    if not os.fork():
        _bounded()
        with os.fdopen(sender, "w") as said:
            for item in items:
                start = time.process_time()
                _fails(item)
                print(time.process_time() - start, file=said)
        os._exit(0)
    os.close(sender)
    with os.fdopen(receiver) as said:
        times = [float(line) for line in said]
    os.wait()
    return [item for _, item in sorted(zip(times, items, strict=True), key=lambda pair: pair[0])]


def _tried_in_a_copy(mutant: Mutant) -> str | None:
    """The same in an interpreter of its own: for a change of what importing a module does."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, "qkv")
        left_out = shutil.ignore_patterns(".*", "renders", "media")
        shutil.copytree(ROOT, copy, ignore=left_out)
        (copy / mutant.file).write_text(mutant.code, encoding="utf-8")
        command = (sys.executable, "-m", "pytest", "-x", "-q", "-pno:cacheprovider", *TESTS)
        selected = ("-m", "not slow", "-k", IDLE)
        run = subprocess.run((*command, *selected), cwd=copy, capture_output=True, check=False)
        return "a test" if run.returncode else None


def main(share: str, *files: str) -> int:
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    options = ("-q", "-s", "-pno:cacheprovider", "-m", "not slow", "-k", f"{ELSEWHERE} and {IDLE}")
    return pytest.main([*options, *TESTS], plugins=[Trials(files, float(share))])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
