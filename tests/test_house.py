"""The laws of the house: who may import whom, what is light, what a committed file may say."""

import ast
import os
import re
import runpy
import subprocess
import sys
import time
from pathlib import Path

import pytest

import animations
import derive
import numeric
import qkv

ROOT = Path(qkv.__file__).parent
SOURCES = {
    package: sorted((ROOT / package).rglob("*.py"))
    for package in ("derive", "numeric", "animations")
}
# What each package may import besides the standard library and itself.
MAY_IMPORT = {
    "derive": {"sympy", "mpmath", "typst"},
    "numeric": {
        *("derive", "sympy", "mpmath", "numpy", "array_api_compat", "jaxtyping"),
        *("jax", "cupy", "array_api_strict", "numba", "threadpoolctl", "llvmlite"),
    },
    "animations": {
        *("derive", "numeric", "numpy", "manim", "typst", "fontTools"),
        *("cairo", "av", "PIL", "sympy", "budoux"),
    },
}
# Modules of compiled functions: numba is needed where they are defined, so they come in lazily whole.
COMPILED = {"numeric.fused": {"numba", "llvmlite"}}
EAGER = {"derive": set(), "numeric": {"derive", "numpy", "array_api_compat", "jaxtyping"}}
TRUSTED = (
    *("errors.py", "signature.py", "kinds.py", "terms.py", "binding.py", "syntax.py", "facts.py"),
    *("polynomials.py", "normal.py", "kernel.py", "rules/*.py"),
)


def imports(tree):
    """Yield the top-level name of every module that a piece of code imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]


def module(file):
    """Return the dotted name of a source file."""
    return ".".join(file.relative_to(ROOT).with_suffix("").parts)


def run_at_import(tree):
    """Keep what runs when the module is imported: everything outside functions."""
    inside = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if not isinstance(node, inside):
            yield node
            yield from run_at_import(node)


def parse(file):
    return ast.parse(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("package", SOURCES)
def test_import_law(package):
    allowed = MAY_IMPORT[package] | {package} | sys.stdlib_module_names
    broken = {
        f"{file.relative_to(ROOT)}: {name}"
        for file in SOURCES[package]
        for name in imports(parse(file))
        if name not in allowed
    }
    assert not broken


@pytest.mark.parametrize("package", EAGER)
def test_heavy_libraries_are_imported_lazily(package):
    allowed = EAGER[package] | {package} | sys.stdlib_module_names
    broken = {
        f"{file.relative_to(ROOT)}: {name}"
        for file in SOURCES[package]
        for node in run_at_import(parse(file))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in imports(node)
        if name not in allowed | COMPILED.get(module(file), set())
    }
    assert not broken


def test_compiled_modules_are_imported_lazily():
    assert {module(file) for file in SOURCES["numeric"]} >= set(COMPILED)
    for file in (*SOURCES["derive"], *SOURCES["numeric"], *SOURCES["animations"]):
        for node in run_at_import(parse(file)):
            match node:
                case ast.Import(names=names):
                    brought = {alias.name for alias in names}
                case ast.ImportFrom(module=source, names=names):
                    brought = {source, *(f"{source}.{alias.name}" for alias in names)}
                case _:
                    continue
            assert not brought & set(COMPILED), f"{module(file)}:{node.lineno}"


def test_the_trusted_files_raise_and_never_assert_or_evaluate():
    files = [file for pattern in TRUSTED for file in (ROOT / "derive").glob(pattern)]
    assert files
    for file in files:
        for node in ast.walk(parse(file)):
            assert not isinstance(node, ast.Assert), f"{file.name}:{node.lineno} asserts"
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            assert not (called and node.func.id in {"eval", "exec"}), f"{file.name}:{node.lineno}"


@pytest.mark.parametrize("package", [derive, numeric, animations], ids=lambda p: p.__name__)
def test_public_names_exist_and_nothing_hides_them(package):
    submodules = {
        path.stem for path in Path(package.__file__).parent.iterdir() if path.suffix in {"", ".py"}
    }
    assert not submodules & set(package.__all__), "a submodule hides a public name"
    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError):
        getattr(package, "no_such_name")  # noqa: B009


LIGHT = [["--help"], ["list"], ["list", "--json"], ["prove", "--help"]]


@pytest.mark.parametrize("argv", LIGHT, ids=" ".join)
def test_light_calls_import_nothing_heavy(argv):
    code = (
        "import sys, contextlib, qkv\n"
        "with contextlib.suppress(SystemExit): qkv.main(sys.argv[1:])\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *argv], capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert "qkv" in loaded
    assert not loaded & {"sympy", "mpmath", "numpy", "typst", "manim", "jax", "dataclasses"}


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


@pytest.mark.parametrize("verb", ["--help", "list"])
def test_help_and_list_answer_within_three_bare_starts(verb):
    bare = [sys.executable, "-c", "pass"]
    ours = [str(Path(sys.executable).with_name("qkv")), verb]
    pairs = [(seconds(ours), seconds(bare)) for _ in range(15)]  # the least is free of other load
    ratio = min(one for one, _ in pairs) / min(other for _, other in pairs)
    assert ratio <= 3, f"{ratio:.2f} times a bare interpreter's start"


def committed():
    """Yield the text files that git tracks."""
    call = ["git", "ls-files", "-z"]
    listed = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        data = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b""
        if b"\0" not in data:
            yield name, data.decode("utf-8")


# Spelt in pieces so that this file does not find itself.
HOSTS = "|".join(
    ["pypi" + r"\.org", "pythonhosted" + r"\.org", "registry" + r"\.npmjs", "deb" + r"\.debian"]
)
MACHINE = re.compile(rf"(?<![\w.:/~-])/(work|tmp|root|home|opt)/[\w.]|{HOSTS}")


def test_committed_files_name_no_machine_path_and_no_registry():
    found = {
        f"{name}:{number}: {line.strip()[:80]}"
        for name, text in committed()
        for number, line in enumerate(text.splitlines(), 1)
        if MACHINE.search(line)
    }
    assert not found


def test_torch_is_a_peer_in_tests_only():
    for files in SOURCES.values():
        for file in files:
            assert "torch" not in set(imports(parse(file))), file


def test_the_lock_pins_every_declared_dependency_with_hashes():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    groups = project["dependency-groups"]
    declared = {
        "requirements.lock": [
            *project["project"]["dependencies"],
            *extras["animations"],
            *extras["fast"],
            *groups["test"],
            *groups["lint"],
        ],
        "build.lock": groups["build"],
    }
    for lock, requirements in declared.items():
        text = (ROOT / ".ci" / lock).read_text(encoding="utf-8")
        pinned = set(re.findall(r"^([\w-]+)==\S+ .*\\\n    --hash=sha256:", text, re.MULTILINE))
        assert {re.match(r"[\w-]+", wanted)[0].lower() for wanted in requirements} <= pinned


def test_set_up_finds_one_interpreter_before_and_after_it_made_the_environment(tmp_path):
    finder = re.search(
        r"^find_python\(\) \{.*?^\}",
        (ROOT / ".ci/setup").read_text("utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    links = tmp_path / "bin"
    links.mkdir()
    (links / "python3").symlink_to(Path(sys._base_executable).resolve())
    venv = tmp_path / "venv"

    def found():
        script = f"venv={venv}\n{finder[0]}\nfind_python"
        environment = os.environ | {"PATH": f"{links}:/usr/bin:/bin"}
        return subprocess.check_output(["sh", "-c", script], text=True, env=environment).strip()

    before = found()
    subprocess.run([before, "-m", "venv", "--without-pip", venv], check=True)
    assert found() == before


def test_what_list_reads_and_the_readme_are_fresh():
    index = runpy.run_path(str(ROOT / ".ci" / "index.py"))
    assert not index["stale"](), "run: make index"


def blocks():
    """Return the README's pieces of Python."""
    return re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)


def test_the_readme_shows_python_that_runs(tmp_path):
    assert len(blocks()) == 2
    for number, block in enumerate(blocks()):
        file = tmp_path / f"block{number}.py"
        file.write_text(block, encoding="utf-8")
        subprocess.run([sys.executable, file], check=True)


def test_the_readme_shows_a_derivation_that_is_proved(tmp_path, capsys):
    (mine,) = [block for block in blocks() if "@theorem" in block]
    file = tmp_path / "mine.py"
    file.write_text(mine, encoding="utf-8")
    assert qkv.main(["prove", str(file), "--json"]) == 0
    assert '"verdict": "proved"' in capsys.readouterr().out
