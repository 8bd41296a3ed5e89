"""Two compared runs of given scores.

    compared(folder, {"t0": [0.0]}, {"t0": [1.0]}).better    ->    the task t0

The scores of a task are those of its trials in the worlds 0, 1 and so on.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from controlplane.compared_run import compared_run
from controlplane.run_comparison.comparing import compare_runs
from controlplane.run_comparison.results import Comparison
from tests.support.journals.scored_journal import Scores, scored_journal


def compared(
    folder: Path,
    first: Scores,
    second: Scores,
    *,
    numbers_of_second_run: Mapping[str, Sequence[int]] | None = None,
    **second_run: str,
) -> Comparison:
    """Compare two runs with these scores.

    With `numbers_of_second_run={"t0": [1]}`, the second run plays the task t0 in world 1. What else
    is special about the second run is in `second_run`, such as `world_version="w2"`.
    """
    first_journal = scored_journal(folder / "one.jsonl", first)
    second_journal = scored_journal(
        folder / "two.jsonl", second, numbers=numbers_of_second_run, **second_run
    )
    return compare_runs(compared_run([first_journal]), compared_run([second_journal]))
