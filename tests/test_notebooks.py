"""Every notebook runs from top to bottom, and its stored outputs are those that it gives.

Notebooks are kept with their outputs, so that they can be read where they can't be run. To store them afresh after a
change: ``python tests/test_notebooks.py``. Compared is all text (printed, and the ``text/plain`` of results), not
pictures. A cell tagged ``varies`` (timings, say) is run, but its output isn't compared.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from conftest import ROOT, environment
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def execute(path: Path) -> nbformat.NotebookNode:
    """Run a notebook by a new kernel in its own directory; CellExecutionError where a cell fails."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    here = {"metadata": {"path": path.parent}}
    # timing would make every run of the script another file
    client = NotebookClient(notebook, timeout=900, kernel_name="python3", resources=here, record_timing=False,
                            coalesce_streams=True)
    client.execute(env=environment())
    return notebook


def texts(cell: nbformat.NotebookNode) -> list[tuple[str, str]]:
    """What a cell's outputs say: pieces of one stream that follow each other count as one."""
    found: list[tuple[str, str]] = []
    for output in cell.outputs:
        if output.output_type == "stream":
            kind, text = output.name, output.text
        elif output.output_type == "error":
            kind, text = "error", f"{output.ename}: {output.evalue}"
        else:
            kind, text = "result", output.data.get("text/plain", "")
        if found and found[-1][0] == kind != "result":
            text = found.pop()[1] + text
        found.append((kind, text))
    return found


def differences(path: Path) -> list[str]:
    """Return what is wrong with the stored outputs of a notebook, a line a cell."""
    stored, fresh = nbformat.read(path, as_version=4), execute(path)
    nbformat.validate(stored)
    found = []
    for index, (old, new) in enumerate(zip(stored.cells, fresh.cells, strict=True)):
        if new.cell_type != "code" or "varies" in new.metadata.get("tags", []):
            continue
        if texts(old) != texts(new):
            found.append(f"cell {index}: stored {texts(old)}, now {texts(new)}")
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook(path):
    assert differences(path) == []


def test_there_is_a_notebook():
    assert NOTEBOOKS


# The checking itself


def notebook(tmp_path, *cells):
    """Write a notebook of (source, stored output, tags) cells."""
    path = tmp_path / "some.ipynb"
    made = nbformat.v4.new_notebook()
    for source, printed, tags in cells:
        outputs = [nbformat.v4.new_output("stream", name="stdout", text=printed)] if printed else []
        made.cells.append(nbformat.v4.new_code_cell(source, outputs=outputs, metadata={"tags": tags}))
    nbformat.write(made, path)
    return path


def test_right_outputs_pass_and_others_are_caught(tmp_path):
    path = notebook(
        tmp_path,
        ("print(1)", "1\n", []),
        ("print(2)", "3\n", []),
        ("print(4)", "", []),
        ("print(5)", "6\n", ["varies"]),
        (f"import os; print(os.getcwd() == {str(tmp_path)!r})", "True\n", []),
        ("import minesolve; print(minesolve.__name__)", "minesolve\n", []),
    )
    assert [line.split(":")[0] for line in differences(path)] == ["cell 1", "cell 2"]


def test_an_error_is_caught(tmp_path):
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        differences(notebook(tmp_path, ("1 / 0", "", ["varies"])))


if __name__ == "__main__":
    for path in NOTEBOOKS:
        nbformat.write(execute(path), path)
