"""In a Jupyter notebook, a run shows its progress below the cell, and then a table of its result."""

from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
nbformat = pytest.importorskip("nbformat")

CELL = """
import controlplane
task = controlplane.Task("stock.1", "How many?", files={"/stock.csv": "sku,left\\nA-7,12\\n"})
run = controlplane.run([task], model="scripted:replies.toml", runs_dir="runs")
run
"""
"""A cell that runs one task and, in its last line, shows the run."""

REPLIES = """
[[reply]]
code = '''
import time
print("one")
'''
"""
"""The model: a script that is run once, and gives no answer."""


def test_a_cell_shows_the_progress_and_then_the_table(tmp_path: Path) -> None:
    """The cell is executed by a real Jupyter kernel, and without a warning."""
    (tmp_path / "replies.toml").write_text(REPLIES)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    client = nbclient.NotebookClient(
        notebook, resources={"metadata": {"path": str(tmp_path)}}
    )

    client.execute()

    *progress_outputs, result = notebook.cells[0].outputs
    assert result.output_type == "execute_result"
    assert "<table" in result.data["text/html"]
    assert progress_outputs
    assert "warn" not in str(progress_outputs)
