"""What `./start` does: plays the recorded model with the gates and without them, and prints one screen about it.

It has at most 23 lines, so that 80 by 24 holds it with a prompt. The journal of the run with the gates is kept; the
other one is there for its scores alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from tempfile import TemporaryDirectory

from rich.text import Text

from controlplane.commands.options import show_status
from controlplane.configuration.config_file import run_argument
from controlplane.errors import ControlPlaneError, invocation
from controlplane.journal.journal_reader import Journal, RecordedTrial, open_journal
from controlplane.library import run
from controlplane.score_statistics import scores_by_family
from controlplane.terminal_text import gate_or_rule_text, one_line, say, score_text
from controlplane.view.clean_console import CleanConsole
from controlplane.view.run_table import short_outcomes


def main() -> int:
    """Play, print the screen, and return the exit code."""
    with show_status("playing a recorded model") as tell, TemporaryDirectory() as aside:
        played = run("ecom", model="recorded")
        tell("playing it again without gates")
        ungated = run("ecom", model="recorded", gates="none", runs_dir=aside)
    if error := played.error or ungated.error:
        raise ControlPlaneError(error)
    without = {trial.task_id: trial.score for trial in ungated.trials}
    with open_journal(played.journal) as journal:
        console = CleanConsole(highlight=False)
        for line in screen(journal, without, ungated.mean):
            is_whole = "  # " in line  # a command, with its purpose
            console.print(
                Text(line),
                no_wrap=True,
                overflow="ignore" if is_whole else "ellipsis",
                crop=not is_whole,
            )
    return played.exit_code or 0


def screen(
    journal: Journal, without: Mapping[str, float | None], mean: float | None
) -> Iterator[str]:
    """Yield the lines about a run; `without` and `mean` are scores of the same trials without gates."""
    trials = list(journal.trials.values())
    yield f"A recorded model played {len(trials)} tasks of the embedded benchmark. Scores by family:"
    families = [
        f"{score_text(one.mean)} {one.name}"
        for one in scores_by_family(journal.summary.trials.values())
    ]
    rows = -(-len(families) // 3)
    for row in range(rows):
        yield f"  {''.join(f'{family:26}' for family in families[row::rows])}".rstrip()
    yield ""
    with_gates, without_gates = score_text(journal.summary.mean_score, 3), score_text(mean, 3)
    yield f"mean score {with_gates} with gates that check each answer and call; without them {without_gates}"
    gained = [trial for trial in trials if (trial.score or 0) > (without[trial.task_id] or 0)]
    sent_back = next((trial for trial in gained if trial.summary.rejections), trials[0])
    for trial in sorted(gained, key=lambda trial: trial is not sent_back):
        if trial is sent_back or trial.summary.stopped:
            yield from _mended(trial, score_text(without[trial.task_id]))
    for trial in trials:
        if trial.score is not None and trial.score < 1:
            why = short_outcomes(next(iter(trial.summary.details), ""))
            yield f"{trial.task_id} failed ({score_text(trial.score)}): {one_line(why)}"
    yield ""
    failed = min(trials, key=lambda trial: trial.score or 0)
    yield f"next  {invocation('replay', run_argument(journal.path), '--trial', failed.task_id)}  # why"
    yield f"      {invocation('run')} --model NAME  # your own model: docs/models.md"
    yield f"      {invocation('run')} --benchmark folder:DIR  # your own task: docs/benchmarks.md"


def _mended(trial: RecordedTrial, without: str) -> Iterator[str]:
    """Yield an answer that was sent back or a call that was held, what was said against it, and what became of it."""
    score = f"score {score_text(trial.score)}; without gates"
    for event in (event for events in trial.record.stopped.values() for event in events):
        call, _, objection = event.objection.partition(" was not sent. ")
        yield f"{trial.task_id}: a call was held: {one_line(call).strip('`')}"
        yield f"  {_brief(objection)}"
        yield f"  then: {event.then}; {score} the call is sent: {without}"
    if judged := [one for step in trial.steps for one in step.verdicts if not one.accepted]:
        yield f"{trial.task_id} answered {one_line(judged[0].answer)}, which was sent back:"
        for rejection in (one.rejections[0] for one in judged):
            yield f"  {gate_or_rule_text(rejection.key)}: {_brief(rejection.reason)}"
        yield f"  then: {one_line(trial.summary.answer)}"
        yield f"  {score} the first answer goes out: {without}"


def _brief(message: str) -> str:
    """Return what a message says before its first colon or bracket, with the last name of each quoted path."""
    parts = one_line(message).partition(": ")[0].partition(" (")[0].split("`")
    return "`".join(part.rpartition("/")[2] if part.startswith("/") else part for part in parts)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ControlPlaneError as error:
        say(f"start: {error}", err=True)
        sys.exit(error.exit_code)
