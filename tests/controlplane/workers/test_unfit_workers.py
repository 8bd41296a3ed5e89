"""A worker of a cluster is refused if it does not have what the run needs.

A run sends each worker an order, with versions, files and keys. If one is missing, none begins.
"""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import Unreachable
from controlplane.lifecycle.resources.run_spec import RunSpec
from tests.controlplane.workers.cluster_run import cluster_run
from tests.controlplane.workers.effects_run import EFFECTS_RUN

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    ("field", "absent_value", "error"),
    [
        pytest.param(
            "source_digest",
            "another",
            "another version of the program",
            id="another version of the program",
        ),
        pytest.param(
            "spec",
            RunSpec(EFFECTS_RUN.model_copy(update={"model": "scripted:gone.toml"})),
            "gone.toml",
            id="a file that the worker does not have",
        ),
        pytest.param(
            "required_variables",
            ("BITGN_API_KEY", "ABSENT_KEY"),
            "has no key in ABSENT_KEY; set it in the worker's environment",
            id="a key that the worker does not have",
        ),
        pytest.param(
            "world_version",
            "0",
            "and the run has worlds '0'",
            id="another version of the benchmark",
        ),
    ],
)
@pytest.mark.usefixtures("benchmark")
def test_a_worker_that_does_not_have_what_the_run_needs_is_refused(
    field: str,
    absent_value: Any,
    error: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from controlplane.workers import dask_workers

    right_order = dask_workers.work_order
    change = {field: absent_value}  # One field asks for something that no worker has.
    monkeypatch.setattr(
        dask_workers, "work_order", lambda run: replace(right_order(run), **change)
    )

    with (
        cluster_run(tmp_path / "run.jsonl") as cluster,
        pytest.raises(Unreachable, match=error),
    ):
        cluster.play()

    assert not (tmp_path / "run.jsonl").exists()
