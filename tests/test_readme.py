"""What the README shows is what happens: every fenced block is run or compared, and none is passed over in silence.

How to write a block, by its language (the word after the fence) and the comment line just above it, if any:

- ``python``: run. All python blocks of a document share one namespace, in order. With ``>>>`` it is a doctest.
- ``console``: each line ``$ command`` is run by bash (``> `` continues it) and the lines below it are all that it
  prints, stdout and stderr as they come. ``minesolve`` is this repository's. The exit code is 0, or with
  ``<!-- exit: 1 -->`` above the block that one for its last command.
- ``<!-- test-command -->`` above ``sh``: one line; ``.ci/run`` runs it, so it isn't run here.
- ``<!-- hint-command -->`` above ``sh``: one line; the part after its last ``&&`` is run, without ``.venv/bin/``.
- ``<!-- output -->`` above ``text`` or ``json``: what the python or hint-command block before it prints.
- ``<!-- file: corpora/examples/expert.txt -->`` above ``text``: the contents of that file.
- ``<!-- not run: reason -->`` above any block: shown only; the reason is for the reader of the source.

Everything runs in one scratch directory a document, where ``corpora`` is at hand, with no terminal and no colours.
Blanks at line ends and empty lines at the end of a block don't count; everything else is compared exactly.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import ROOT, environment

DOCUMENTS = ["README.md"]
FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*(\S*)\s*")
MARKER = re.compile(r"<!--\s*([a-z]+(?:[- ][a-z]+)?)(?:\s*:\s*(.*?))?\s*-->")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the comment above it as (word, value), its text, its first line in the document."""

    language: str
    marker: tuple[str, str]
    text: str
    line: int


def blocks_of(text: str) -> list[Block]:
    blocks, lines, above = [], iter(enumerate(text.splitlines(), 1)), ("", "")
    for number, line in lines:
        fence = FENCE.fullmatch(line)
        if fence is None:
            if line.strip():
                marker = MARKER.fullmatch(line.strip())
                above = (marker[1], marker[2] or "") if marker else ("", "")
            continue
        body = []
        for _, inner in lines:
            if inner.strip() == fence[1]:
                break
            body.append(inner)
        else:
            raise AssertionError(f"line {number}: the block is never closed")
        blocks.append(Block(fence[2], above, "".join(f"{inner}\n" for inner in body), number))
        above = ("", "")
    return blocks


def tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip("\n")


class Document:
    """One document while its blocks are run, in order."""

    def __init__(self, scratch: Path):
        self.scratch, self.namespace, self.printed = scratch, {"__name__": "__main__"}, None
        (scratch / "corpora").symlink_to(ROOT / "corpora")
        tool = scratch / "bin" / "minesolve"
        tool.parent.mkdir()
        tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m minesolve "$@"\n')
        tool.chmod(0o755)
        self.env = environment({"PATH": f"{tool.parent}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"})

    def check(self, block: Block) -> str:
        """Run or compare a block; return what is wrong with it, or nothing."""
        kind = block.marker[0] or block.language
        before, self.printed = self.printed, None
        wrong = f"nothing is known of a block {block.language!r} below the comment {kind!r}"
        match kind, block.language:
            case ("not run", _):
                wrong = "" if block.marker[1] else "say why it is not run: <!-- not run: reason -->"
            case ("output", "text" | "json"):
                wrong = "there is no output before it" if before is None else self.differs(block.text, before)
            case ("file", "text"):
                wrong = self.differs(block.text, (ROOT / block.marker[1]).read_text("utf-8"))
            case ("test-command", "sh"):
                wrong = "" if block.text.count("\n") == 1 else "expected one line"
            case ("hint-command", "sh"):
                wrong = self.hint_command(block.text)
            case ("python", "python"):
                wrong = self.python(block)
            case ("console" | "exit", "console"):
                wrong = self.console(block.text, int(block.marker[1] or 0))
        return wrong

    def differs(self, shown: str, real: str) -> str:
        if tidy(shown) == tidy(real):
            return ""
        return f"it shows\n{tidy(shown)}\nbut this is printed\n{tidy(real)}"

    def python(self, block: Block) -> str:
        out = io.StringIO()
        if ">>>" in block.text:
            test = doctest.DocTestParser().get_doctest(block.text, self.namespace, "block", None, block.line)
            doctest.DocTestRunner().run(test, out=out.write, clear_globs=False)
            self.namespace = test.globs
            return out.getvalue()
        with contextlib.redirect_stdout(out):
            exec(compile("\n" * block.line + block.text, "README.md", "exec"), self.namespace)
        self.printed = out.getvalue()
        return ""

    def bash(self, command: str) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.scratch, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=900, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout.decode("utf-8")

    def hint_command(self, text: str) -> str:
        if text.count("\n") != 1:
            return "expected one line"
        code, self.printed = self.bash(text.rpartition("&&")[2].strip().removeprefix(".venv/bin/"))
        return f"exit code {code}\n{self.printed}" if code else ""

    def console(self, text: str, last_code: int) -> str:
        commands: list[list[str]] = []
        for line in text.splitlines():
            if line.startswith("$ "):
                commands.append([line[2:], ""])
            elif line.startswith("> ") and commands and not commands[-1][1]:
                commands[-1][0] += "\n" + line[2:]
            elif commands:
                commands[-1][1] += line + "\n"
            else:
                return f"expected a line with $, found {line!r}"
        if not commands:
            return "there is no command in it"
        for index, (command, shown) in enumerate(commands, 1):
            code, real = self.bash(command)
            expected = last_code if index == len(commands) else 0
            if code != expected:
                return f"{command}: exit code {code}, not {expected}\n{real}"
            if wrong := self.differs(shown, real):
                return f"{command}: {wrong}"
        return ""


def faults(text: str, scratch: Path) -> list[str]:
    """Return what is wrong with the blocks of a document, each with its line."""
    document = Document(scratch)
    found = []
    for block in blocks_of(text):
        if wrong := document.check(block):
            found.append(f"line {block.line}: {wrong}")
    return found


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.skipif(shutil.which("bash") is None, reason="console blocks are written for bash")
@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_block_is_true(name, scratch):
    assert faults((ROOT / name).read_text("utf-8"), scratch) == []


@pytest.mark.parametrize("name", [*DOCUMENTS, "corpora/README.md", "CONTRIBUTING.md"])
def test_links_lead_to_files(name):
    path = ROOT / name
    prose = re.sub(r"^(```+|~~~+).*?^\1", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", prose)
    local = [link for link in links if not re.match(r"[a-z]+:", link)]
    assert [link for link in local if not (path.parent / link).exists()] == []


def test_readme_has_its_two_commands():
    blocks = blocks_of((ROOT / "README.md").read_text("utf-8"))
    markers = [block.marker[0] for block in blocks]
    assert (markers.count("test-command"), markers.count("hint-command")) == (1, 1)


# The checking itself: what is right passes, what is wrong is caught

RIGHT = [
    "no blocks at all",
    "```python\nx = 1\n```\n\n```python\nassert x == 1\n```",
    "```python\n>>> x = 2\n>>> x\n2\n```\n\n```python\n>>> x + 1\n3\n```",
    "```python\nprint(5)\n```\nprints\n\n<!-- output -->\n\n```text\n5\n```",
    "```console\n$ echo hello; echo there >&2\nhello\nthere\n\n$ echo a \\\n> b\na b\n```",
    "<!-- exit: 3 -->\n```console\n$ true\n$ exit 3\n```",
    "```console\n$ echo kept > file\n```\n```console\n$ cat file\nkept\n```",
    "<!-- hint-command -->\n```sh\nfalse && .venv/bin/echo it is\n```\n\n<!-- output -->\n```text\nit is\n```",
    "<!-- not run: takes an hour -->\n```sh\nrm -rf /nowhere\n```",
    "<!-- test-command -->\n\n```sh\nanything\n```",
    "````text\n```\n````".replace("````text", "<!-- not run: shows a fence -->\n````text"),
]
WRONG = [
    ("```python\nassert 1 == 2\n```", AssertionError),
    ("```python\n>>> 1 + 1\n3\n```", "Expected:\n    3\nGot:\n    2"),
    ("```python\nprint(5)\n```\n<!-- output -->\n```text\n6\n```", "it shows\n6\nbut this is printed\n5"),
    ("<!-- output -->\n```text\n6\n```", "no output before it"),
    ("```console\n$ echo a\nb\n```", "echo a: it shows\nb\nbut this is printed\na"),
    ("```console\n$ echo a\n```", "it shows\n\nbut"),
    ("```console\n$ exit 1\n```", "exit code 1, not 0"),
    ("<!-- exit: 1 -->\n```console\n$ true\n```", "exit code 0, not 1"),
    ("```console\nnothing\n```", "expected a line with $"),
    ("```console\n```", "no command"),
    ("```sh\nls\n```", "nothing is known"),
    ("```\nls\n```", "nothing is known"),
    ("<!-- note -->\n```python\n1/0\n```", "nothing is known"),
    ("<!-- not run: -->\n```sh\nls\n```", "say why"),
    ("<!-- not run -->\n```sh\nls\n```", "say why"),
    ("<!-- test-command -->\n```sh\na\nb\n```", "one line"),
    ("<!-- hint-command -->\n```sh\ntrue && false\n```", "exit code 1"),
    ("<!-- file: LICENSE -->\n```text\nsome other\n```", "it shows\nsome other"),
    ("```python\n1", AssertionError),
]


@pytest.mark.parametrize("text", RIGHT)
def test_right_blocks_pass(text, scratch):
    assert faults(text, scratch) == []


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_wrong_blocks_are_caught(text, message, scratch):
    if isinstance(message, type):
        with pytest.raises(message):
            faults(text, scratch)
    else:
        found = faults(text, scratch)
        assert len(found) == 1
        assert message in found[0]


def test_minesolve_in_a_block_is_this_one(scratch):
    code, out = Document(scratch).bash("cat \"$(command -v minesolve)\"; python3 -c 'import os; print(os.getcwd())'")
    assert code == 0
    assert "-m minesolve" in out
    assert str(scratch) in out
