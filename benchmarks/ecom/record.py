"""Create the recording that `--model recorded` plays, from the journal of a run.

    python -m controlplane.benchmarks.ecom.record RUN [FILE]

Any model may have played RUN. The recording has the model's replies, the seed and the
scores. The command prints the tasks whose score or replies differ from the previous
content of FILE.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import click

from controlplane import open_journal
from controlplane.agent.model import ScriptedModel
from controlplane.benchmarks.ecom.ecom_benchmark import RECORDING
from controlplane.configuration.run_names import find_journal
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.questions import toml_text


@click.command()
@click.argument("run")
@click.argument(
    "file", type=click.Path(dir_okay=False, path_type=Path), default=RECORDING
)
def record(run: str, file: Path) -> None:
    """Record the replies of RUN in FILE."""
    # Read the previous recording before it is overwritten. It is compared at the end.
    recording_before = ScriptedModel(())
    if file.exists():
        recording_before = ScriptedModel.from_file(file)
    with open_journal(find_journal(run, None)) as journal:
        trials = {trial.task_id: trial for trial in journal.trials.values()}
        # The recording has one score and one list of replies for each task.
        has_one_trial_a_task = len(trials) == len(journal.trials)
        if journal.setting("benchmark") != "ecom" or not has_one_trial_a_task:
            msg = f"{run} is not a run of ecom with one trial of each task"
            raise click.UsageError(msg)
        ungraded = sorted(
            task_id for task_id, trial in trials.items() if trial.score is None
        )
        if ungraded:
            msg = f"no score: {', '.join(ungraded)}; let the run end first"
            raise click.UsageError(msg)
        trials_in_order = [trials[task_id] for task_id in sorted(trials)]
        file.write_text(
            _recording_text(journal.setting("seed"), trials_in_order), "utf-8"
        )

    recording = ScriptedModel.from_file(file)
    for task_id in sorted({*recording_before.scores, *recording.scores}):
        change = _change_of_task(task_id, recording_before, recording)
        if change:
            click.echo(f"{task_id}: {change}")
    mean = fmean(recording.scores.values())
    click.echo(
        f"{len(recording.scores)} tasks, {len(recording.replies)} replies, mean score {mean:.3f}"
    )


def _change_of_task(task_id: str, before: ScriptedModel, after: ScriptedModel) -> str:
    """Return how a task differs between two recordings: `0.0 -> 1.0`. Empty if it does not."""
    score_before = before.scores.get(task_id)
    score = after.scores.get(task_id)
    if score_before != score:
        shown_before = "new" if score_before is None else score_before
        shown = "gone" if score is None else score
        return f"{shown_before} -> {shown}"
    replies_before = [reply for reply in before.replies if reply.task == task_id]
    replies = [reply for reply in after.replies if reply.task == task_id]
    if replies_before != replies:
        return f"other replies, score {score}"
    return ""


def _recording_text(seed: object, trials: Sequence[RecordedTrial]) -> str:
    """Return a recording as TOML: the seed, the scores, and the replies of each trial's steps."""
    lines = [f"seed = {seed}", "", "[scores]"]
    for trial in trials:
        lines.append(f"{toml_text(trial.task_id)} = {trial.score}")
    for trial in trials:
        for step in trial.steps:
            lines += ["", "[[reply]]", f"task = {toml_text(trial.task_id)}"]
            # A reply has a state, a plan and code, each recorded for itself. If it was not
            # understood, its parts are not known, so record its text as it was.
            was_understood = bool(step.code) and not step.fault
            if was_understood:
                lines.append(f"state = {toml_text(step.state)}")
                lines.append(f"plan = {toml_text(step.plan)}")
                if step.done:
                    lines.append("done = true")
                lines.append(f"code = {_block(step.code)}")
            else:
                lines.append(f"text = {_block(step.reply)}")
    return "\n".join(lines) + "\n"


def _block(text: str) -> str:
    """Return a text as a TOML string, if possible as lines without escapes between `'''`."""
    holds_quotes = "'''" in text or text.endswith("'")
    is_printable = text.replace("\n", "").isprintable()
    if holds_quotes or not is_printable:
        return toml_text(text)
    return f"'''\n{text}'''"


if __name__ == "__main__":
    record()
