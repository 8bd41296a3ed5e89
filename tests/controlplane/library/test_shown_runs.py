"""The run of a Python program, as a shell and a notebook show it."""

from typing import Any

import controlplane
from controlplane import Task
from tests.controlplane.library.program_tasks import open_cash_desk


def test_a_run_is_shown_as_a_line_in_a_shell(settings: dict[str, Any]) -> None:
    """An interactive Python prints `repr(run)`."""
    task = Task(
        "pay.1",
        "Pay 2.5.",
        environment=open_cash_desk,
        grade=lambda end: (0.5, ["too little"]),
    )
    run = controlplane.run([task], **settings)

    line = repr(run)

    assert "mean score 0.500 of 1 trial" in line
    assert str(run.journal) in line
    assert "\n" not in line
    assert len(line) < 300


def test_a_run_is_shown_as_a_table_in_a_notebook(settings: dict[str, Any]) -> None:
    """A notebook shows the HTML of `_repr_html_`, in which texts of tasks and graders are escaped."""
    task = Task(
        "pay<1>",
        "Pay 2.5.",
        environment=open_cash_desk,
        grade=lambda end: (0.5, ["<too little>"]),
    )
    run = controlplane.run([task], **settings)

    table = run._repr_html_()

    assert "<td>pay&lt;1&gt;</td>" in table
    assert "&lt;too little&gt;" in table
