"""A file with a row for each game, for analysis: Parquet, by pyarrow; needs the extra ``analysis``.

Columns, by game:

=============  ========  ==============================================================================================
width, height  uint16    the size of the board
mines          uint32
first_click    string    ``opening``, ``safe`` or ``any``
policy         string
seed, index    uint64    the board is `Minefield.random` of these, the size and the start
start          uint32    the cell that was opened first, ``y * width + x``
layer          string    the hardest layer needed: ``none``, ``single``, ``pair``, ``component``, ``total``, ``chance``
guesses        uint16    guesses made, the one that lost included
won            bool
fifty          bool      whether it was lost on a true 50/50
bbbv           uint32    3BV
survival       float64   the product of the chances of survival of the guesses; 1 if there was none
expected       float64   their sum
=============  ========  ==============================================================================================
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minesolve.playing import HARDEST
from minesolve.request import Request

if TYPE_CHECKING:
    from minesolve.engine import Games

__all__ = ["GamesFile"]

_TYPES = {
    "width": "uint16", "height": "uint16", "mines": "uint32", "first_click": "string", "policy": "string",
    "seed": "uint64", "index": "uint64", "start": "uint32", "layer": "string", "guesses": "uint16", "won": "bool",
    "fifty": "bool", "bbbv": "uint32", "survival": "float64", "expected": "float64",
}  # fmt: skip


class GamesFile:
    """The file, written beside its place and moved there when it is whole; use it as a context manager.

    Parameters
    ----------
    path : path or None
        None: nothing is wanted, and `write` does nothing.
    parameters : mapping
        JSON values that are kept in the file's metadata under ``minesolve``.
    names : sequence of str
        The policies.

    Raises
    ------
    ValueError
        If pyarrow is not installed.
    """

    def __init__(self, path: str | os.PathLike[str] | None, parameters: Mapping[str, Any], names: Sequence[str]):
        self.wanted, self._names = path is not None, names
        if path is None:
            return
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise ValueError("a file of games needs pyarrow: pip install 'minesolve[analysis]'") from None
        columns = [(name, pyarrow.type_for_alias(alias)) for name, alias in _TYPES.items()]
        self._schema = pyarrow.schema(columns, metadata={"minesolve": json.dumps(parameters)})
        self._path, self._part = Path(path), Path(f"{os.fspath(path)}.part")
        self._writer = pyarrow.parquet.ParquetWriter(self._part, self._schema)
        self._table = pyarrow.Table.from_pydict

    def __enter__(self) -> GamesFile:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if not self.wanted:
            return
        self._writer.close()
        if kind is None:
            os.replace(self._part, self._path)
        else:
            self._part.unlink(missing_ok=True)

    def write(self, request: Request, first: int, games: Sequence[Games]) -> None:
        """Add the games that each policy played, from board `first` of a request on."""
        if self.wanted:
            for name, played in zip(self._names, games, strict=True):
                self._writer.write_table(self._table(_columns(request, name, first, played), schema=self._schema))


def _columns(request: Request, policy: str, first: int, games: Games) -> dict[str, Any]:
    count = len(games.ends)
    same = {
        "width": request.width, "height": request.height, "mines": request.mines, "first_click": request.first_click,
        "policy": policy, "seed": request.seed,
    }  # fmt: skip
    return {name: [value] * count for name, value in same.items()} | {
        "index": range(first, first + count), "start": games.starts, "layer": [HARDEST[i] for i in games.layers],
        "guesses": games.guesses, "won": games.ends == 1, "fifty": games.ends == 2, "bbbv": games.bbbv,
        "survival": games.survival, "expected": games.expected,
    }  # fmt: skip
