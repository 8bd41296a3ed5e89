"""`compare before after` says whether the second run is better, the same or worse.

    controlplane compare before after --fail-if-worse    ->    the second run is worse, exit code 1

Each run has eight tasks. One changed task may be chance: the second run counts as worse only if
chance does not explain the change. With `--fail-if-worse`, the exit code is 1 if the second run is
worse, or if no score can be compared. Without the option, the exit code is 0.
"""

import re
from pathlib import Path

import pytest

from tests.controlplane.comparison.command.scored_runs import scores, write_run
from tests.support.command import CommandRunner
from tests.support.journals.scored_journal import Scores


@pytest.mark.parametrize(
    ("before", "after", "verdict", "strict_code"),
    [
        pytest.param(
            scores(0), scores(1), "the second run is better", 0, id="all are right"
        ),
        pytest.param(scores(1), scores(1), "no difference shown$", 0, id="equal"),
        pytest.param(
            scores(1),
            scores(1, t0=0),
            # Enough to show that such a difference is not chance.
            "no difference shown; fewer than 6 tasks changed; about 48 tasks would be enough$",
            0,
            id="one of eight is wrong",
        ),
        pytest.param(
            scores(1),
            scores(0),
            "the second run is worse",
            1,
            id="all are wrong",
        ),
        pytest.param(
            scores(1),
            scores(None),
            "scores are sealed: 8 of 8 pairs have the same outcome, 8 also the same answer",
            1,
            id="no score to compare, since the benchmark hides them",
        ),
        pytest.param(
            scores(1),
            scores("no reward"),
            "the second run is worse",
            1,
            id="all are without a score for good, which counts as 0",
        ),
        pytest.param(
            scores("no reward"),
            scores("no reward"),
            "no difference shown$",
            0,
            id="without a score in both runs",
        ),
    ],
)
def test_compare_tells_its_verdict_and_fails_if_asked_to(
    before: Scores,
    after: Scores,
    verdict: str,
    strict_code: int,
    tmp_path: Path,
    run_command_here: CommandRunner,
) -> None:
    write_run(tmp_path, "before", before)
    write_run(tmp_path, "after", after)

    plain = run_command_here("compare", "before", "after")
    strict = run_command_here("compare", "before", "after", "--fail-if-worse")

    assert plain.code == 0
    assert strict.code == strict_code
    assert re.search(verdict, strict.out, re.MULTILINE), strict.out
