"""How kernels are compiled: without the GIL, kept on disk, and with a word to the user while it takes long.

Numba keys a kernel's cached code by the file the kernel stands in, not by the files of the kernels it calls. So the
cache lives in a directory named for a digest of Numba's version and all of this package's sources: code of another
version is never run. It lies in the first of these places that can be written: NUMBA_CACHE_DIR, beside the package, the
user's cache. Where none can, nothing is kept.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import config as _numba_config
from numba.core import event, types
from numba.extending import intrinsic

__all__ = [
    "COMPILED", "count_bits", "entry_kernel", "inline_kernel", "kernel", "lowest_bit", "merged_kernel", "shared_kernel",
]  # fmt: skip

config: Any = _numba_config  # made at run time: mypy does not know what is in it

COMPILED = not config.DISABLE_JIT
"""False with ``NUMBA_DISABLE_JIT=1``: kernels are plain Python then, slow and open to debuggers and coverage."""

_PACKAGE = Path(__file__).parent


def _digest() -> str:
    sources = b"".join(path.read_bytes() for path in sorted(_PACKAGE.glob("*.py")))
    return hashlib.sha256(numba.__version__.encode() + sources).hexdigest()[:12]


def _can_write(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False


def _cache_directory() -> str:
    """Return where compiled code is kept; empty if it can't be kept anywhere."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    places = [Path(config.CACHE_DIR)] if config.CACHE_DIR else []
    places += [_PACKAGE / "__pycache__", Path(home) / "minesolve"]
    name = f"engine-{_digest()}"
    return next((str(place / name) for place in places if _can_write(place / name)), "")


class _Notice(event.Listener):
    """Says once on stderr that kernels are being compiled; code that comes from the cache raises no such event."""

    said = False

    def on_start(self, event: Any) -> None:
        if not self.said and event.data["dispatcher"].py_func.__module__.startswith(__package__):
            self.said = True
            often = "once on this machine" if _CACHE else "each time, as no cache directory can be written"
            print(f"minesolve: compiling the engine, {often}; about a minute", file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        """Do nothing; the interface asks for it."""


_CACHE = _cache_directory() if COMPILED else ""
if COMPILED:
    event.register("numba:compile", _Notice())  # type: ignore[no-untyped-call]


# Kernels make no arrays and keep none, so they need no counts of references (``_nrt``). Numba's counts are atomic, one
# for every array that is read from a tuple: they took two thirds of the time.
_njit: Any = numba.njit
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}


def _kept(function: Callable[..., Any], **options: Any) -> Any:
    before, config.CACHE_DIR = config.CACHE_DIR, _CACHE
    try:
        return _njit(cache=bool(_CACHE), **options, **_OPTIONS)(function)
    finally:
        config.CACHE_DIR = before


def entry_kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that is called from Python, and keep it on disk; the call releases the GIL."""
    return _kept(function)


def shared_kernel(function: Callable[..., Any]) -> Any:
    """Compile a large kernel that kernels of several modules call once for all of them, and keep it on disk.

    Pass no literals to it: each would make another one.
    """
    return _kept(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that is only called by other kernels; without a way in from Python that takes less time."""
    return _njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)(function)


def inline_kernel(function: Callable[..., Any]) -> Any:
    """Compile a small kernel into each place where it is called."""
    return _njit(forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)(function)


def merged_kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel into its callers before types are inferred.

    A kernel of its own is optimized again with each that calls it, directly or not; with one caller this is less work.
    """
    return _njit(inline="always", no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)(function)


@intrinsic
def _count_bits(context: Any, bits: Any) -> Any:
    """Compile to the processor's own instruction."""
    return types.int64(types.int64), lambda context, builder, signature, values: builder.ctpop(values[0])


@intrinsic
def _lowest_bit(context: Any, bits: Any) -> Any:
    """Compile to the processor's own instruction."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.cttz(values[0], context.get_constant(types.boolean, 0))

    return types.int64(types.int64), generate


def _count_bits_plainly(bits: int) -> int:
    return int(bits).bit_count()


def _lowest_bit_plainly(bits: int) -> int:
    return (int(bits) & -int(bits)).bit_length() - 1


count_bits: Any = _count_bits if COMPILED else _count_bits_plainly
"""How many bits of an int64 that is not negative are set."""

lowest_bit: Any = _lowest_bit if COMPILED else _lowest_bit_plainly
"""The place of the lowest bit set in an int64 above 0."""
