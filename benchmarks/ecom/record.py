"""Makes the shipped recording from a run's journal: `python -m benchmarks.ecom.record RUN [FILE]`.

Any model may have played RUN. The recording holds its replies, seed and scores. The
command prints the tasks that are different from the recording before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from agent.events import StepDone
from agent.model import ScriptedModel
from benchmarks.ecom.ecom_benchmark import RECORDING
from controlplane import open_journal
from controlplane.commands.options import find_journal


@click.command()
@click.argument("run")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), default=RECORDING)
def record(run: str, file: Path) -> None:
    """Record the replies of RUN in FILE."""
    with open_journal(find_journal(run, None)) as journal:
        tasks = {one.task_id: (one.score, one.steps) for one in journal.trials.values()}
        seed = journal.setting("seed")
        if journal.setting("benchmark") != "ecom" or len(tasks) < len(journal.trials):
            msg = f"{run} is not a run of ecom with one trial of each task"
            raise click.UsageError(msg)
    if missing := sorted(task for task, (score, _) in tasks.items() if score is None):
        msg = f"no score: {', '.join(missing)}; let the run end first"
        raise click.UsageError(msg)
    before = ScriptedModel.from_file(file) if file.exists() else ScriptedModel(())
    scores = {task: score for task, (score, _) in sorted(tasks.items()) if score is not None}
    file.write_text(recording_text(seed, scores, {task: tasks[task][1] for task in scores}), "utf-8")
    after = ScriptedModel.from_file(file)
    for task in sorted({*before.scores, *after.scores}):
        was, now = before.scores.get(task), after.scores.get(task)
        if was != now:
            click.echo(f"{task}: {'new' if was is None else was} -> {'gone' if now is None else now}")
        elif [one for one in before.replies if one.task == task] != [one for one in after.replies if one.task == task]:
            click.echo(f"{task}: other replies, score {now}")
    click.echo(
        f"{len(scores)} tasks, {len(after.replies)} replies, mean score {sum(scores.values()) / len(scores):.3f}"
    )


def recording_text(seed: object, scores: Mapping[str, float], steps: Mapping[str, Iterable[StepDone]]) -> str:
    """Return a recording as TOML: the seed, the scores, and the replies of each task's steps."""
    parts = [f"seed = {seed}\n\n[scores]\n" + "".join(f"{_quoted(task)} = {score}\n" for task, score in scores.items())]
    for task, played in steps.items():
        for step in played:
            head = f"[[reply]]\ntask = {_quoted(task)}\n"
            if step.code and not step.fault:
                plan = ", ".join(map(_quoted, step.plan))
                done = "done = true\n" if step.done else ""
                parts.append(
                    f"{head}state = {_quoted(step.state)}\nplan = [{plan}]\n{done}code = {_block(step.code)}\n"
                )
            else:
                parts.append(f"{head}text = {_block(step.reply)}\n")
    return "\n".join(parts)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _block(text: str) -> str:
    """Return a text as a literal of several lines if it can be one."""
    plain = "'''" not in text and not text.endswith("'") and text.replace("\n", "").isprintable()
    return f"'''\n{text}'''" if plain else _quoted(text)


if __name__ == "__main__":
    record()
