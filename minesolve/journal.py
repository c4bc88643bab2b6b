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
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["GrowingFile", "Mark"]


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


class GrowingFile:
    """A file that grows by whole parts; use it as a context manager.

    Parameters
    ----------
    path : path
    parameters : mapping
        JSON values that fix the content: a file made with others is refused.
    about : mapping
        JSON values that are noted in the journal but may differ, such as when and where.
    overwrite : bool
        Whether to start anew whatever is there.

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
        self.path = Path(path)
        self.journal = self.path.with_name(self.path.name + ".journal")
        self.mark = Mark()
        self._head = json.loads(json.dumps({"parameters": parameters, **(about or {})}))
        if overwrite:
            self.path.unlink(missing_ok=True)
            self.journal.unlink(missing_ok=True)
        kept = self._resumed()
        self._file = open(self.path, "ab")  # noqa: SIM115 - closed by close()
        self._file.truncate(self.mark.bytes)
        self._log = open(self.journal, "ab")  # noqa: SIM115
        self._log.truncate(kept)
        if not kept:
            self._note(self._head)
        _sync_directory(self.path.parent)

    def __enter__(self) -> GrowingFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and its journal."""
        self._file.close()
        self._log.close()

    def append(self, data: bytes, items: int, next_: int, **notes: Any) -> None:
        """Add a part with so many items; `next_` is where to go on after it, `notes` are kept in the journal."""
        self._file.truncate(self.mark.bytes)  # an interrupted call may have left something
        self._file.write(data)
        _sync(self._file)
        self.mark = Mark(self.mark.items + items, self.mark.bytes + len(data), next_)
        self._note({"items": self.mark.items, "bytes": self.mark.bytes, "next": next_, **notes})

    def _note(self, line: Mapping[str, Any]) -> None:
        self._log.write(json.dumps(line).encode() + b"\n")
        _sync(self._log)

    def _resumed(self) -> int:
        """Set the mark to the last one that holds; return how many bytes of the journal are kept."""
        size = self.path.stat().st_size if self.path.exists() else 0
        lines = self._lines()
        if not lines:
            if size:
                raise ValueError(f"{self.path} is there already, and no {self.journal.name} says how it was made")
            return 0
        self._compare(lines[0][1])
        kept = lines[0][0]
        for end, line in lines[1:]:
            if line["bytes"] > size:
                break
            self.mark, kept = Mark(line["items"], line["bytes"], line["next"]), end
        return kept

    def _lines(self) -> list[tuple[int, dict[str, Any]]]:
        """Return the whole lines of the journal, each with the place where it ends."""
        if not self.journal.exists():
            return []
        lines: list[tuple[int, dict[str, Any]]] = []
        end = 0
        for raw in self.journal.read_bytes().splitlines(keepends=True):
            end += len(raw)
            if not raw.endswith(b"\n"):
                break
            lines.append((end, self._line(raw, () if lines else ("parameters",))))
        return lines

    def _line(self, raw: bytes, keys: tuple[str, ...]) -> dict[str, Any]:
        with contextlib.suppress(ValueError):
            line = json.loads(raw)
            if isinstance(line, dict) and line.keys() >= set(keys or ("items", "bytes", "next")):
                return line
        raise ValueError(f"{self.path} is there already, and {self.journal.name} does not say how it was made")

    def _compare(self, head: Mapping[str, Any]) -> None:
        theirs, ours = head["parameters"], self._head["parameters"]
        other = [
            f"{name} {json.dumps(theirs.get(name))}, not {json.dumps(ours.get(name))}"
            for name in sorted(theirs.keys() | ours.keys())
            if theirs.get(name) != ours.get(name)
        ]
        if other:
            raise ValueError(f"{self.path} was made with {'; '.join(other)}")


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
