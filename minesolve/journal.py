"""Files that grow for a long time, survive being killed, and can be gone on with.

Beside the file lies its journal, ``NAME.journal``, JSON lines: first how the file is made, then after each part that
was added how far it came. A part is on disk before the journal says so. Whatever a crash leaves beyond the last line
of the journal that holds is cut off and made again, so the same command ends with the same bytes however often it was
stopped.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["GrowingFile", "Journal", "Mark", "made_here"]


def made_here() -> dict[str, str]:
    """Return where and when a file is made: the machine, this Python, and the time; never a name of host or user.

    Examples
    --------
    >>> sorted(made_here())
    ['began', 'machine', 'python']
    """
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return {"machine": machine, "python": platform.python_version(), "began": time.strftime("%FT%T%z")}


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a file came.

    Attributes
    ----------
    items : int
        What is in it, counted in whatever it holds.
    bytes : int
    next : int
        Where to go on, as whoever fills the file counts.
    """

    items: int = 0
    bytes: int = 0
    next: int = 0


class Journal:
    """A file of JSON lines that says how something is made, and then line by line how far it came.

    Parameters
    ----------
    path : path
    parameters : mapping
        JSON values that fix what is made: a file with others is refused.
    about : mapping
        JSON values that are noted but may differ, such as when and where.
    keys : tuple of str
        What each line after the first one has.
    subject : path
        What the journal is about, for the words of errors; itself if left out.
    overwrite : bool
        Whether to start anew whatever is there.

    Raises
    ------
    ValueError
        If the file was made with other parameters (the message says which), or it does not say how.

    Attributes
    ----------
    lines : list of dict
        The lines after the first one. A last line that was torn is cut off.
    is_new : bool
        Whether nothing was there.
    """

    def __init__(
        self, path: str | os.PathLike[str], parameters: Mapping[str, Any], about: Mapping[str, Any] | None = None, *,
        keys: tuple[str, ...] = (), subject: str | os.PathLike[str] | None = None, overwrite: bool = False,
    ):  # fmt: skip
        self.path = Path(path)
        head = json.loads(json.dumps({"parameters": parameters, **(about or {})}))
        told = "" if subject is None else f"{self.path.name} "
        self._unknown = f"{subject or self.path} is there already, and {told}does not say how it was made"
        if overwrite:
            self.path.unlink(missing_ok=True)
        found = self._found(keys)
        if found:
            _compare(str(subject or self.path), found[0][1]["parameters"], head["parameters"])
        self.lines, self.is_new = [line for _, line in found[1:]], not found
        self._ends = [end for end, _ in found]
        self._file = open(self.path, "ab")  # noqa: SIM115 - closed by close()
        self._file.truncate(self._ends[-1] if found else 0)
        if not found:
            self._write(head)
        _sync_directory(self.path.parent)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def append(self, line: Mapping[str, Any]) -> None:
        """Add a line; it is on disk when this returns."""
        self._file.truncate(self._ends[-1])  # an interrupted call may have left something
        self._write(line)
        self.lines.append(dict(line))

    def cut(self, count: int) -> None:
        """Forget all lines but the first `count`."""
        del self.lines[count:], self._ends[count + 1 :]
        self._file.truncate(self._ends[-1])

    def _write(self, line: Mapping[str, Any]) -> None:
        data = json.dumps(line).encode() + b"\n"
        self._file.write(data)
        _sync(self._file)
        self._ends.append((self._ends[-1] if self._ends else 0) + len(data))

    def _found(self, keys: tuple[str, ...]) -> list[tuple[int, dict[str, Any]]]:
        """Return the lines that are there, each with the place where it ends."""
        found: list[tuple[int, dict[str, Any]]] = []
        if not self.path.exists():
            return found
        raw, end = self.path.read_bytes().splitlines(keepends=True), 0
        for number, data in enumerate(raw):
            line = _parsed(data, set(keys if found else ("parameters",)))
            if line is None and number == len(raw) - 1 and (found or not data.endswith(b"\n")):
                break
            if line is None:
                raise ValueError(self._unknown)
            end += len(data)
            found.append((end, line))
        return found


class GrowingFile:
    """A file that grows by whole parts; use it as a context manager.

    Parameters
    ----------
    path : path
    parameters, about, overwrite
        As for `Journal`: what fixes the content, what is noted besides, whether to start anew.

    Raises
    ------
    ValueError
        If the file was made with other parameters (the message says which), or there is no telling how it was made.

    Attributes
    ----------
    mark : Mark
        How far the file is by now.
    """

    def __init__(
        self, path: str | os.PathLike[str], parameters: Mapping[str, Any], about: Mapping[str, Any] | None = None, *,
        overwrite: bool = False,
    ):  # fmt: skip
        self.path, self.mark = Path(path), Mark()
        name = self.path.with_name(self.path.name + ".journal")
        if overwrite:
            self.path.unlink(missing_ok=True)
        size = self.path.stat().st_size if self.path.exists() else 0
        if size and not overwrite and not (name.exists() and name.stat().st_size):
            raise ValueError(f"{self.path} is there already, and no {name.name} says how it was made")
        self._journal = Journal(name, parameters, about, keys=("items", "bytes", "next"), subject=self.path,
                                overwrite=overwrite)  # fmt: skip
        holds = [line for line in self._journal.lines if line["bytes"] <= size]
        self._journal.cut(len(holds))
        if holds:
            self.mark = Mark(holds[-1]["items"], holds[-1]["bytes"], holds[-1]["next"])
        self._file = open(self.path, "ab")  # noqa: SIM115 - closed by close()
        self._file.truncate(self.mark.bytes)
        _sync_directory(self.path.parent)

    def __enter__(self) -> GrowingFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and its journal."""
        self._file.close()
        self._journal.close()

    def append(self, data: bytes, items: int, next_: int, **notes: Any) -> None:
        """Add a part with so many items; `next_` is where to go on after it, `notes` are kept in the journal."""
        self._file.truncate(self.mark.bytes)  # an interrupted call may have left something
        self._file.write(data)
        _sync(self._file)
        self.mark = Mark(self.mark.items + items, self.mark.bytes + len(data), next_)
        self._journal.append({"items": self.mark.items, "bytes": self.mark.bytes, "next": next_, **notes})


def _parsed(data: bytes, keys: set[str]) -> dict[str, Any] | None:
    """Return a whole line that is an object with these keys; None if it is none."""
    with contextlib.suppress(ValueError):
        line = json.loads(data) if data.endswith(b"\n") else None
        if isinstance(line, dict) and line.keys() >= keys:
            return line
    return None


def _compare(subject: str, theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> None:
    other = [
        f"{name} {json.dumps(theirs.get(name))}, not {json.dumps(ours.get(name))}"
        for name in sorted(theirs.keys() | ours.keys())
        if theirs.get(name) != ours.get(name)
    ]
    if other:
        raise ValueError(f"{subject} was made with {'; '.join(other)}")


def _sync(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


def _sync_directory(directory: Path) -> None:
    """Make names that are new in a directory last, where the system lets us."""
    if os.name != "posix":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
