"""Makes the shipped recording from a run's journal: `python -m controlplane.benchmarks.ecom.record RUN [FILE]`.

Any model may have played RUN. The recording holds its replies, seed and scores. The
command prints the tasks that are different from the recording before.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import click

from controlplane import open_journal
from controlplane.agent.model import ScriptedModel
from controlplane.benchmarks.ecom.ecom_benchmark import RECORDING
from controlplane.journal.journal_reader import RecordedTrial
from controlplane.run_names import find_journal
from controlplane.saved_task import toml_text


@click.command()
@click.argument("run")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), default=RECORDING)
def record(run: str, file: Path) -> None:
    """Record the replies of RUN in FILE."""
    with open_journal(find_journal(run, None)) as journal:
        trials = {trial.task_id: trial for trial in journal.trials.values()}
        if journal.setting("benchmark") != "ecom" or len(trials) < len(journal.trials):
            msg = f"{run} is not a run of ecom with one trial of each task"
            raise click.UsageError(msg)
        if missing := sorted(task for task, trial in trials.items() if trial.score is None):
            msg = f"no score: {', '.join(missing)}; let the run end first"
            raise click.UsageError(msg)
        before = ScriptedModel.from_file(file) if file.exists() else ScriptedModel(())
        file.write_text(
            recording_text(journal.setting("seed"), [trials[task] for task in sorted(trials)]),
            "utf-8",
        )
    after = ScriptedModel.from_file(file)
    for task in sorted({*before.scores, *after.scores}):
        was, now = before.scores.get(task), after.scores.get(task)
        if was != now:
            click.echo(
                f"{task}: {'new' if was is None else was} -> {'gone' if now is None else now}"
            )
        elif [one for one in before.replies if one.task == task] != [
            one for one in after.replies if one.task == task
        ]:
            click.echo(f"{task}: other replies, score {now}")
    mean = fmean(after.scores.values())
    click.echo(f"{len(after.scores)} tasks, {len(after.replies)} replies, mean score {mean:.3f}")


def recording_text(seed: object, trials: Sequence[RecordedTrial]) -> str:
    """Return a recording as TOML: the seed, the scores, and the replies of each trial's steps."""
    scores = "".join(f"{toml_text(trial.task_id)} = {trial.score}\n" for trial in trials)
    parts = [f"seed = {seed}\n\n[scores]\n{scores}"]
    for trial in trials:
        for step in trial.steps:
            reply = f"text = {_block(step.reply)}\n"
            if step.code and not step.fault:
                reply = f"state = {toml_text(step.state)}\nplan = {toml_text(step.plan)}\n"
                reply += "done = true\n" * step.done + f"code = {_block(step.code)}\n"
            parts.append(f"[[reply]]\ntask = {toml_text(trial.task_id)}\n{reply}")
    return "\n".join(parts)


def _block(text: str) -> str:
    """Return a text as a literal of several lines if it can be one."""
    plain = "'''" not in text and not text.endswith("'") and text.replace("\n", "").isprintable()
    return f"'''\n{text}'''" if plain else toml_text(text)


if __name__ == "__main__":
    record()
