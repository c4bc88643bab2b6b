"""What several test files share: the repository's root, and the real command line."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=200)
settings.load_profile("repeatable")

# What is started in the background ignores interrupts, and would pass that on to the commands that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Run:
    """How a command ended, and the bytes it wrote."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def out(self) -> str:
        return self.stdout.decode("utf-8")

    @property
    def err(self) -> str:
        return self.stderr.decode("utf-8")


def environment(changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """The environment of a command: this repository's minesolve, no colours asked for, UTF-8; None takes a name out."""
    env = {name: value for name, value in os.environ.items() if name not in {"FORCE_COLOR", "COLUMNS", "LINES"}}
    env |= {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    for name, value in (changes or {}).items():
        if value is None:
            env.pop(name, None)
        else:
            env[name] = value
    return env


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture
def run() -> Callable[..., Run]:
    """Run ``python -m minesolve`` with some arguments in a process of its own.

    ``run("hint", "-", input=b"1#", env={"NO_COLOR": "1"}, cwd=tmp_path, timeout=600)``: all but
    the arguments may be left out; without `input` stdin is empty.
    """

    def call(
        *arguments: str | os.PathLike[str],
        input: bytes = b"",
        env: Mapping[str, str | None] | None = None,
        cwd: str | os.PathLike[str] = ROOT,
        timeout: float = 600,
    ) -> Run:
        command = [sys.executable, "-m", "minesolve", *map(os.fspath, arguments)]
        done = subprocess.run(
            command, input=input, env=environment(env), cwd=cwd, timeout=timeout, capture_output=True, check=False
        )
        return Run(done.returncode, done.stdout, done.stderr)

    return call


def on_a_terminal(*arguments, **changes):
    """Run a command with a terminal as its output and return what it wrote there."""
    main, sub = pty.openpty()
    process = subprocess.Popen([sys.executable, "-m", "minesolve", *arguments], stdin=subprocess.DEVNULL, stdout=sub,
                               stderr=sub, env=environment({"TERM": "xterm", "NO_COLOR": None, **changes}))  # fmt: skip
    os.close(sub)
    written = b""
    while True:
        try:
            some = os.read(main, 65536)
        except OSError:
            break
        if not some:
            break
        written += some
    os.close(main)
    assert process.wait(60) == 0
    return written.decode()
