"""What `./start` does: plays the recorded model with the gates and without them, and prints one screen about it.

The journal of the run with the gates is kept; the other one is there for its scores alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from tempfile import TemporaryDirectory
from typing import Final

from controlplane.commands.options import show_status
from controlplane.comparison.run_comparison import scores_by_family
from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_reader import Journal, RecordedTrial, open_journal
from controlplane.library import run
from controlplane.lifecycle.next_commands import invocation, run_argument
from controlplane.terminal_text import say
from controlplane.view.display_text import gate_or_rule_text, one_line, score_text

WIDTH: Final = 79
"""Columns of the screen, at most; it has at most 23 lines, so that 80 by 24 holds it with a prompt."""


def main() -> int:
    """Play, print the screen, and return the exit code."""
    with show_status("playing 18 recorded trials") as tell, TemporaryDirectory() as aside:
        played = run("ecom", model="recorded")
        tell("playing them again without gates")
        ungated = run("ecom", model="recorded", gates="none", runs_dir=aside)
    if error := played.error or ungated.error:
        raise ControlPlaneError(error)
    without = {trial.task_id: trial.score for trial in ungated.trials}
    with open_journal(played.journal) as journal:
        say("\n".join(_cut(line) for line in screen(journal, without, ungated.mean)))
    return played.exit_code or 0


def screen(journal: Journal, without: Mapping[str, float | None], mean: float | None) -> Iterator[str]:
    """Yield the lines about a run; `without` and `mean` are scores of the same trials without gates."""
    trials = list(journal.trials.values())
    yield f"A recorded model played {len(trials)} tasks of the embedded benchmark. Scores by family:"
    families = [f"{score_text(one.mean)}  {one.name}" for one in scores_by_family(journal.summary.trials.values())]
    half = (len(families) + 1) // 2
    yield from (f"  {left:38}{right}" for left, right in zip_longest(families[:half], families[half:], fillvalue=""))
    yield ""
    with_gates, without_gates = score_text(journal.summary.mean_score, 3), score_text(mean, 3)
    yield f"mean score {with_gates}; the same replies without gates: {without_gates}"
    gained = [trial for trial in trials if (trial.score or 0) > (without[trial.task_id] or 0)]
    sent_back = next((trial for trial in gained if trial.summary.rejections), None)
    if sent_back is not None:
        yield from _mended(sent_back, score_text(without[sent_back.task_id]))
    for trial in trials:
        for (_, path, _), then in (*trial.summary.stopped.items(), *trial.summary.held.items()):
            scores = f"{score_text(trial.score)}, without gates {score_text(without[trial.task_id])}"
            yield f"{trial.task_id}: {path} held, then {then}: {scores}"
    for trial in trials:
        if trial.score is not None and trial.score < 1:
            why = next(iter(trial.summary.details), "").replace("OUTCOME_", "")
            yield f"{trial.task_id}: {score_text(trial.score)}, {one_line(why)}"
    yield ""
    shown = sent_back or trials[0]
    replayed = invocation("replay", run_argument(journal.path), "--trial", shown.task_id)
    yield f"next  {replayed}  # see it"
    yield f"      {invocation('run')} --model NAME  # your own model: docs/models.md"
    yield f"      {invocation('run')} --benchmark folder:DIR  # your own task: docs/benchmarks.md"


def _mended(trial: RecordedTrial, without: str) -> Iterator[str]:
    """Yield an answer that a gate sent back, the gate's message, and what became of the answer."""
    judged = next(one for step in trial.steps for one in step.verdicts if not one.accepted)
    key = trial.summary.submissions[0].rejected[0]
    yield f"{trial.task_id} answered {one_line(judged.answer)}; sent back by {gate_or_rule_text(key)}:"
    yield f"  {one_line(judged.rejections[0].reason)}"
    yield f"  then: {one_line(trial.summary.answer)}"
    yield f"  score {score_text(trial.score)}; without gates the first answer goes out: {without}"


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ControlPlaneError as error:
        say(f"start: {error}", err=True)
        sys.exit(error.exit_code)
