"""No process of a run imports a module by a second name, such as `agent.loop` for `controlplane.agent.loop`.

The module would be loaded twice. Each process writes the names that it imports into a file of its
own in the folder `imports`. The workers of a cluster are processes of their own.
"""

from pathlib import Path

import pytest

from tests.imports.second_names.recorded_imports import (
    imports_of_each_process,
    modules_with_a_second_name,
    variables_for_recorder,
)
from tests.support.command import run_python


@pytest.mark.second_tier
@pytest.mark.parametrize(
    ("workers", "least_processes"),
    [
        pytest.param("threads", 1, id="threads"),
        pytest.param("dask:local:1", 2, id="a cluster"),
    ],
)
def test_no_process_of_a_run_imports_a_module_by_a_second_name(
    imports: Path, tmp_path: Path, workers: str, least_processes: int
) -> None:
    if workers.startswith("dask"):
        pytest.importorskip("distributed")

    result = run_python(
        "-m",
        "controlplane",
        "run",
        "--limit",
        "1",
        "--quiet",
        "--runs-dir",
        tmp_path / "runs",
        "--workers",
        workers,
        **variables_for_recorder(imports),
    )

    assert result.code == 0, result.err
    modules_of_processes = imports_of_each_process(imports)
    assert len(modules_of_processes) >= least_processes
    for modules in modules_of_processes:
        assert modules_with_a_second_name(modules) == []
