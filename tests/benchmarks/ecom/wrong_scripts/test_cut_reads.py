"""A model whose script has read a part of a file is told how to get the rest.

In the profile `hard`, the file of a branch of the shop is longer than one call returns.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from controlplane.benchmarks.ecom.world.names import PLAYED
from tests.benchmarks.ecom.variants import task_in_run
from tests.benchmarks.ecom.wrong_scripts.single_steps import single_step

pytestmark = pytest.mark.usefixtures("shared_fork_servers")


def test_a_cut_read_tells_the_model_how_to_get_the_rest(tmp_path: Path) -> None:
    task = task_in_run(
        "staff-count.1", seed=3, settings=replace(PLAYED, profile="hard")
    )
    first_branch, *_ = task.world.stores.values()
    path = task.world.path(first_branch)
    script = f"print(harness.read('{path}').truncated)"

    step = single_step(tmp_path, "staff-count.1", script, "--set", "profile=hard")

    assert step["output"].startswith("True\n")
    told_to_model = "".join(step["feedback"])
    rest = f"{path} goes on: harness.tools.read_all(path) gives the rest."
    assert rest in told_to_model
