"""The rules of the house that a machine can check: who imports what, and how long things may get."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT, environment

import minesolve

MODULES = sorted((ROOT / "minesolve").rglob("*.py"))
EXPERT = ROOT / "corpora" / "examples" / "expert.txt"
Function = ast.FunctionDef | ast.AsyncFunctionDef


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def is_kernel(path: Path) -> bool:
    """Compiled kernels are spared the limits of length: Numba inlines nothing that isn't written in one place."""
    return "engine" in path.relative_to(ROOT).parts


def functions(path: Path) -> Iterator[Function]:
    tree = ast.parse(path.read_text("utf-8"))
    yield from (node for node in ast.walk(tree) if isinstance(node, Function))


def length(function: Function) -> int:
    """Lines from ``def`` to the end, without the docstring."""
    lines = function.end_lineno - function.lineno + 1
    first = function.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        lines -= first.end_lineno - first.lineno + 1
    return lines


# Imports


def test_import_contracts_hold():
    tool = Path(sys.executable).with_name("lint-imports")
    assert tool.exists(), "import-linter belongs to the test extra: pip install -e '.[test]'"
    done = subprocess.run(
        [tool, "--no-cache"], cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken" in done.stdout


def imported_by(*arguments: str) -> set[str]:
    """Every module that a command imports, as Python itself reports it."""
    command = [sys.executable, "-X", "importtime", "-m", "minesolve", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


@pytest.mark.parametrize("command", ["hint", "check"])
def test_a_certain_move_is_found_without_numba(command):
    names = imported_by(command, str(EXPERT))
    assert "minesolve.position" in names
    assert not {module for module in names if module.split(".")[0] in {"numba", "llvmlite"}}
    assert not {module for module in names if module.startswith(("minesolve.formats", "minesolve.game"))}


@pytest.mark.parametrize("command", [("show",), ("convert", "-", "--to", "jsonl"), ("metrics",)])
def test_files_are_handled_without_the_solver(command, tmp_path):
    board = tmp_path / "board.gameid"
    board.write_text("3x1:u4\n")
    names = imported_by(command[0], str(board), *command[1:])
    assert "minesolve.formats" in names
    assert not {module for module in names if module.split(".")[0] in {"numpy", "numba", "networkx", "pysat"}}


def test_the_package_itself_is_light():
    code = "import sys, minesolve; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    names = set(done.stdout.split())
    assert "minesolve" in names
    assert not names & {"numba", "click"}


# Layout

TOP = {".ci", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "benchmarks", "corpora", "minesolve",
       "notebooks", "pyproject.toml", "tests"}  # fmt: skip


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only a clone tells what belongs to the project")
def test_nothing_lies_about_at_the_top():
    done = subprocess.run(["git", "-c", "safe.directory=*", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {line.split("/")[0] for line in done.stdout.splitlines()} == TOP


# Length


@pytest.mark.parametrize("path", [path for path in MODULES if not is_kernel(path)], ids=name)
def test_modules_have_at_most_400_lines(path):
    assert len(path.read_text("utf-8").splitlines()) <= 400


@pytest.mark.parametrize("path", [path for path in MODULES if not is_kernel(path)], ids=name)
def test_functions_have_at_most_60_lines(path):
    assert {f.name: length(f) for f in functions(path) if length(f) > 60} == {}


def test_most_functions_are_short_and_hardly_any_is_long():
    lengths = [length(f) for path in MODULES if not is_kernel(path) for f in functions(path)]
    assert len(lengths) > 50
    assert sum(lines < 12 for lines in lengths) > len(lengths) / 2
    assert sum(lines > 40 for lines in lengths) <= len(lengths) / 50


# Docstrings


def is_overload(node: Function | ast.ClassDef) -> bool:
    return any(isinstance(decorator, ast.Name) and decorator.id == "overload" for decorator in node.decorator_list)


def public(body: list[ast.stmt]) -> Iterator[Function | ast.ClassDef]:
    """Yield the public functions, classes and methods of a module or class body."""
    for node in body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_") and not is_overload(node):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_everything_public_has_a_docstring_in_good_form(path):
    tree = ast.parse(path.read_text("utf-8"))
    missing, odd = [], []
    for node in public(tree.body):
        text = ast.get_docstring(node)
        if text is None:
            missing.append(node.name)
        elif not text.splitlines()[0].rstrip().endswith((".", ":", "?")):
            odd.append(node.name)
    assert (missing, odd) == ([], [])
    assert ast.get_docstring(tree) or not tree.body


def test_every_public_function_shows_an_example():
    exported = [getattr(minesolve, exported) for exported in minesolve.__all__]
    without = [f.__name__ for f in exported if inspect.isfunction(f) and ">>>" not in (f.__doc__ or "")]
    assert without == []


def test_the_lowest_versions_are_those_that_are_allowed():
    """`.ci/lowest.txt` pins exactly the lower bounds of the dependencies and of what the extras bring."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["png"], *extras["cluster"], *extras["analysis"]]
    pinned = [line for line in (ROOT / ".ci/lowest.txt").read_text("utf-8").splitlines() if not line.startswith("#")]
    allowed = [line.replace(">=", "==") for line in needed]
    # a bound such as 8.1 is the version 8.1.0
    assert sorted(line.removesuffix(".0") for line in pinned) == sorted(line.removesuffix(".0") for line in allowed)
