"""A run refuses to begin if a worker of its cluster does not have what the run needs.

The run sends each worker a work order, which says what it needs: the version of the program
(`source_digest`), its settings and their files (`spec`), keys in environment variables, and the
version of the benchmark's worlds.
"""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import Unreachable
from controlplane.lifecycle.resources.run_solver import RunSpec
from tests.controlplane.workers.cluster_run import cluster_run
from tests.controlplane.workers.effects_run import EFFECTS_RUN

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

pytestmark = pytest.mark.second_tier


WITH_ABSENT_FILE = EFFECTS_RUN.model_copy(update={"model": "scripted:gone.toml"})


@pytest.mark.parametrize(
    ("field", "needed", "error"),
    [
        pytest.param(
            "source_digest", "other", "another version of the program", id="program"
        ),
        pytest.param("spec", RunSpec(WITH_ABSENT_FILE), "gone.toml", id="file"),
        pytest.param(
            "required_variables",
            # Only the first one is set in this test.
            ("BITGN_API_KEY", "ABSENT_KEY"),
            "has no key in ABSENT_KEY; set it in the worker's environment",
            id="key",
        ),
        pytest.param(
            "world_version",
            "0",
            "it has worlds '.*', and the run has worlds '0'",
            id="worlds",
        ),
    ],
)
@pytest.mark.usefixtures("benchmark")
def test_a_worker_that_does_not_have_what_the_run_needs_is_refused(
    field: str,
    needed: Any,
    error: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One field of the order asks for something that no worker has."""
    from controlplane.workers import dask_workers  # Needs the library "distributed".

    right_order = dask_workers.work_order
    monkeypatch.setattr(
        dask_workers,
        "work_order",
        lambda run: replace(right_order(run), **{field: needed}),
    )

    with (
        cluster_run(tmp_path / "run.jsonl") as cluster,
        pytest.raises(Unreachable, match=error),
    ):
        cluster.play()

    assert not (tmp_path / "run.jsonl").exists()
