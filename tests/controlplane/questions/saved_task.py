"""A task that `ask --save-task t` has saved, played by another model."""

from pathlib import Path

from tests.controlplane.questions.asked_question import scripted_model
from tests.support.command import run_in_process


def score_of_saved_task(folder: Path, script: str) -> float:
    """Play the task in the folder `t` with a model that replies with this script, and return the
    score, such as 1.0.

    A check of answers may send an answer back up to twice, so the model has the script three times.
    """
    replies = scripted_model(folder, script, script, script)
    run = ("run", "--benchmark", "folder:t", *replies, "--json")
    played = run_in_process(*run, cwd=folder)
    (trial,) = played.json["trials"]
    score: float = trial["score"]
    return score
