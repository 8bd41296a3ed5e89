"""The mean score "without gates" on the first screen is that of a run of all tasks without gates.

`./start` plays only those tasks again in which a gate objected, and takes the other scores from
the run with gates.
"""

from pathlib import Path

import pytest

import controlplane
from tests.benchmarks.ecom.recorded_model.first_run.first_run import FirstRun


@pytest.mark.second_tier
def test_a_run_without_gates_has_the_shown_mean(
    first_run: FirstRun, tmp_path: Path
) -> None:
    report = controlplane.run(
        "ecom", model="recorded", gates="none", runs_dir=str(tmp_path)
    )

    (mean_line,) = first_run.lines_from("mean score ")[:1]
    assert mean_line.endswith(f"without them {report.mean:.3f}")
