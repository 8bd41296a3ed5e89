"""A mistake in a Python program that starts a run is an error before anything is played.

`controlplane.run([task], modle="x")` raises `UsageError`: "there is no setting 'modle'; did you
mean 'model'?". No journal is written.
"""

from pathlib import Path
from typing import Any

import pytest

import controlplane
from controlplane import Task, Tool
from controlplane.errors import UsageError
from tests.controlplane.library.program_tasks import STOCK_TASK
from tests.support.command import no_run_has_started


@pytest.mark.parametrize(
    ("tasks", "task_names", "options", "message"),
    [
        pytest.param(
            [STOCK_TASK],
            [],
            {"modle": "x"},
            "there is no setting 'modle'; did you mean 'model'?",
            id="name of a setting",
        ),
        pytest.param(
            [STOCK_TASK],
            ["stock.2"],
            {},
            "no task 'stock.2'; did you mean 'stock.1'?",
            id="name of a task",
        ),
        pytest.param(
            [STOCK_TASK],
            [],
            {"concurrency": 0},
            "--concurrency: Input should be greater than or equal to 1",
            id="value of a setting",
        ),
        pytest.param(
            # The tool does not declare whether its calls only read, or act.
            [Task("a", "b", tools=[Tool(lambda: 1, name="look")])],
            [],
            {},
            "what calls of look do is not declared",
            id="undeclared tool",
        ),
        pytest.param(
            "nowhere", [], {}, "no benchmark 'nowhere'", id="name of a benchmark"
        ),
        pytest.param(
            [STOCK_TASK],
            [],
            {"workers": "dask:local:2"},
            "objects of this program",
            id="other processes as workers, which do not have the program's objects",
        ),
    ],
)
def test_a_mistake_is_an_error_before_the_run_begins(
    tasks: Any,
    task_names: list[str],
    options: dict[str, Any],
    message: str,
    settings: dict[str, Any],
) -> None:
    with pytest.raises(UsageError) as error:
        controlplane.run(tasks, *task_names, **{**settings, **options})

    assert message in str(error.value)
    assert no_run_has_started(Path.cwd())
