"""A run without a model is played by fixed rules, which answer every trial, and many rightly.

With `wordings=known`, requests are worded as they were when the rules were written.
"""

from pathlib import Path

import pytest

from tests.support.command import run_in_process

pytestmark = pytest.mark.usefixtures("shared_fork_servers")


@pytest.mark.parametrize(
    ("seed", "trial_count"),
    [
        pytest.param(4, 10, id="10 trials"),
        pytest.param(11, 100, id="100 trials", marks=pytest.mark.heavy),
        pytest.param(3, 100, id="100 others", marks=pytest.mark.heavy),
    ],
)
def test_the_rule_based_player_answers_every_trial_and_many_rightly(
    seed: int, trial_count: int, tmp_path: Path
) -> None:
    run = run_in_process(
        "run",
        f"--seed={seed}",
        f"--limit={trial_count}",
        "--concurrency=2",
        "--set=wordings=known",
        "--json",
        cwd=tmp_path,
    )

    assert run.code == 0, run.err
    assert {trial["state"] for trial in run.json["trials"]} == {"answered"}
    assert run.json["score"] >= 0.4
