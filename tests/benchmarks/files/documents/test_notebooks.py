"""Notebooks are read as their cells: sources, and what these printed, without pictures."""

import json
from typing import Any

import pytest

pytest.importorskip("html5lib")

from controlplane.benchmarks.files.documents.document_texts import parts_of


def notebook_text(cells: Any) -> str:
    """Return the text that a notebook with these cells becomes."""
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (part,) = parts_of(".ipynb", json.dumps(notebook).encode())
    return part.text


def test_cells_and_what_they_printed_become_lines() -> None:
    picture = {"image/png": "iVBORw0KGgo" * 1000}
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["1 ton\n", "2 tons\n"]},
        {
            "output_type": "display_data",
            "data": picture | {"text/plain": "<Figure size 1x1>"},
        },
        {"output_type": "display_data", "data": picture},
        {"output_type": "display_data", "data": {"text/html": "<b>5</b> kg"}},
        {"output_type": "display_data", "data": {"text/markdown": ["*six*"]}},
        {"output_type": "display_data", "data": {"application/json": {"kg": 7}}},
        {"output_type": "stream", "name": "stderr", "text": "\x1b[31mlate\x1b[0m\n"},
        {"output_type": "execute_result", "data": {"text/plain": ["'Graz'"]}},
        {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": []},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Loads\n", 'of "May"']},
        {"cell_type": "code", "source": "show(loads)\n", "outputs": outputs},
        {"cell_type": "code", "source": "pass", "outputs": []},
        {"cell_type": "code", "source": None, "outputs": None},
    ]

    assert notebook_text(cells) == (
        '[cell 1, markdown]\n# Loads\nof "May"\n\n'
        "[cell 2, code]\nshow(loads)\n\n"
        "[output of cell 2]\n1 ton\n2 tons\n<Figure size 1x1>\n[image/png]\n"
        "**5** kg\n*six*\n{\"kg\": 7}\nlate\n'Graz'\nKeyError: 'x'\n\n"
        "[cell 3, code]\npass\n\n[cell 4, code]\n"
    )


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("10%|#\r50%|##\r100%|###\ndone\n", "100%|###\ndone"),
        ("load\n1 of 2\r2 of 2\r", "load\n2 of 2"),
        ("a\r\nb\r\n", "a\nb"),  # Line ends as on Windows
    ],
)
def test_of_a_progress_bar_the_last_state_is_shown(printed: str, shown: str) -> None:
    output = {"output_type": "stream", "name": "stderr", "text": printed}

    text = notebook_text([{"cell_type": "code", "source": "x", "outputs": [output]}])

    assert text == f"[cell 1, code]\nx\n\n[output of cell 1]\n{shown}"


def test_notebook_of_an_old_program_is_read() -> None:
    cell = {"cell_type": "code", "input": ["5 + 2"], "outputs": []}
    cell["outputs"] = [{"output_type": "pyout", "text": ["7"], "png": "iVBORw0KGgo"}]
    notebook = {"nbformat": 3, "worksheets": [{"cells": [cell]}]}

    (part,) = parts_of(".ipynb", json.dumps(notebook).encode())

    assert part.text == "[cell 1, code]\n5 + 2\n\n[output of cell 1]\n7"


@pytest.mark.parametrize("text", ["[]", '{"cells": 5}', "{}"])
def test_other_json_is_no_notebook(text: str) -> None:
    """The file is then read as it is."""
    with pytest.raises(ValueError, match="no cells"):
        parts_of(".ipynb", text.encode())


def test_table_is_shown_where_the_text_only_names_an_object() -> None:
    """A styled table of pandas has the text `<pandas.io.formats.style.Styler at 0x7f>`."""
    table = "<style>td {}</style><table><tr><th>city<th>n<tr><td>Graz<td>5</table>"
    name = "<pandas.io.formats.style.Styler at 0x7f>"
    output = {
        "output_type": "execute_result",
        "data": {"text/html": [table], "text/plain": [name]},
    }

    text = notebook_text([{"cell_type": "code", "source": "t", "outputs": [output]}])

    assert "| Graz | 5 |" in text
    assert "Styler" not in text
