"""The table of tasks that a model has played: a line for each, and the sums over all.

    count.1                  usable 3/4  ran 2/3  steps 4  score 1  step 2: NameError: n

A reply is usable if it has a script that can be run. A line ends with the task's first fault.
"""

from __future__ import annotations

from tests.bench.models.played_task import PlayedTask


def print_table(trials: list[PlayedTask]) -> None:
    """Print a line for each trial, and the sums over all.

    A reply is usable if it has a script that can be run. A trial's line ends with its first fault.
    """
    for trial in trials:
        score = "-" if trial.score is None else f"{trial.score:g}"
        print(
            f"{trial.task_id:24} usable {trial.usable_replies}/{len(trial.steps)}  "
            f"ran {trial.finished_scripts}/{trial.scripts}  steps {len(trial.steps)}  "
            f"score {score}  {trial.first_fault[:160]}"
        )

    replies = sum(len(trial.steps) for trial in trials)
    usable_replies = sum(trial.usable_replies for trial in trials)
    scripts = sum(trial.scripts for trial in trials)
    finished_scripts = sum(trial.finished_scripts for trial in trials)
    submitting_trials = len([trial for trial in trials if trial.submissions])
    total_score = sum(trial.score or 0.0 for trial in trials)
    mean_score = total_score / max(len(trials), 1)
    print(
        f"{len(trials)} tasks: usable {usable_replies}/{replies}, "
        f"ran {finished_scripts}/{scripts}, "
        f"submitted in {submitting_trials}, mean score {mean_score:.3f}"
    )
