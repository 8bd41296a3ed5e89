"""In a notebook, a library's run shows its progress below the cell."""

from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
nbformat = pytest.importorskip("nbformat")

PROGRAM = """
import controlplane
task = controlplane.Task("stock.1", "How many?", files={"/stock.csv": "sku,left\\nA-7,12\\n"})
run = controlplane.run([task], model="scripted:replies.toml", runs_dir="runs")
run
"""
REPLIES = """
[[reply]]
code = '''
import time
print("one")
'''
"""


def test_a_cell_shows_the_progress_and_then_the_table(tmp_path: Path) -> None:
    (tmp_path / "replies.toml").write_text(REPLIES)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(PROGRAM)])
    client = nbclient.NotebookClient(
        notebook, resources={"metadata": {"path": str(tmp_path)}}
    )

    client.execute()

    outputs = notebook.cells[0].outputs
    kinds = [output.output_type for output in outputs]

    assert kinds[-1] == "execute_result"
    assert "<table" in outputs[-1].data["text/html"]
    progress = outputs[:-1]
    assert progress, "nothing was shown while the run worked"
    assert "warn" not in str(progress)
