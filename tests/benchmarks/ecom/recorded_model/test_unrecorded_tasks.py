"""The recorded model refuses what it has no replies for, before the run begins.

`controlplane run ecom --model recorded` repeats what a model once replied to some tasks of the shop,
each in one generated world. No journal is written for a run that cannot begin.
"""

from pathlib import Path

import pytest

import controlplane
from controlplane.errors import UsageError


def test_a_task_that_was_not_recorded_is_refused_before_the_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the recorded model played no 'crosslist'"):
        controlplane.run("ecom", "crosslist", model="recorded", runs_dir=str(tmp_path))

    assert list(tmp_path.iterdir()) == []


def test_worlds_that_were_not_recorded_are_refused_before_the_run(
    tmp_path: Path,
) -> None:
    """`--worlds 2` plays each task in two worlds; the recording has only one of each."""
    with pytest.raises(UsageError, match="leave out --worlds"):
        controlplane.run("ecom", model="recorded", worlds=2, runs_dir=str(tmp_path))

    assert list(tmp_path.iterdir()) == []
