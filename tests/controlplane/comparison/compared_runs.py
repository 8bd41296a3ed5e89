"""Two compared runs of given scores.

    compared(folder, {"t0": [0.0]}, {"t0": [1.0]}).better    ->    the task t0

Both runs play the same tasks; a task may be tried several times.
"""

from pathlib import Path

from controlplane.compared_run import compared_run
from controlplane.run_comparison.comparing import compare_runs
from controlplane.run_comparison.results import Comparison
from tests.support.journals.scored_journal import Scores, scored_journal


def compared(
    folder: Path, first: Scores, second: Scores, **second_run: object
) -> Comparison:
    """Compare two runs with these scores.

    `second_run` says what else is special about the second one, such as `world_version="w2"`.
    """
    first_journal = scored_journal(folder / "one.jsonl", first)
    second_journal = scored_journal(folder / "two.jsonl", second, **second_run)
    return compare_runs(compared_run([first_journal]), compared_run([second_journal]))
