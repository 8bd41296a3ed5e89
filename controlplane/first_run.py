"""The program of `./start`: plays a recorded model with and without the gates.

It prints one screen about both runs, of at most 23 lines: a terminal of 80 by 24 then
also has room for the prompt. The journal of the run with the gates is kept. The other
run only gives the scores to compare with, of the tasks in which a gate objected.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Final

from rich.text import Text

from controlplane.commands.arguments.options import show_status
from controlplane.configuration.run_names import run_argument
from controlplane.errors import ControlPlaneError
from controlplane.facts.trial_facts import short_outcomes
from controlplane.gate_texts import gate_or_rule_text
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.library import run
from controlplane.program_invocation import invocation
from controlplane.quantity_texts import score_text
from controlplane.run_comparison.comparing import ComparedRun, compare_runs
from controlplane.run_comparison.results import Comparison
from controlplane.score_scale import mean_over_tasks
from controlplane.score_statistics import scores_by_family
from controlplane.terminal_text import one_line, say
from controlplane.view.printed_columns import CleanConsole

_FAMILY_COLUMNS: Final = 3
_FAMILY_WIDTH: Final = 26
"""The width of a column in characters. Three columns and the indent fit into 80 characters."""
_BETWEEN_CALL_AND_REASON: Final = " was not sent. "
"""The words between a call and the reason for which it was held, in an objection of the journal:
"`harness.close(17)` was not sent. 17 is in no record."
"""


def main() -> int:
    """Play both runs, print the screen, and return the exit code. Raises `ControlPlaneError`."""
    with (
        show_status("playing a recorded model") as set_status,
        TemporaryDirectory() as scratch_folder,
    ):
        gated = run("ecom", model="recorded")
        set_status("playing it again without gates")
        # Where the gates let everything pass, the same replies get the same score without them.
        tasks_with_objections = [
            trial.task_id for trial in gated.trials if trial.rejections or trial.stopped
        ]
        ungated = run(
            "ecom",
            *tasks_with_objections,
            model="recorded",
            gates="none",
            runs_dir=scratch_folder,
        )
    error = gated.error or ungated.error
    if error:
        raise ControlPlaneError(error)

    ungated_trials = {trial.task_id: trial for trial in gated.trials}
    ungated_trials |= {trial.task_id: trial for trial in ungated.trials}
    console = CleanConsole(highlight=False)
    with open_journal(gated.journal) as journal:
        for line in _result_lines(journal, ungated_trials):
            console.print(Text(line), no_wrap=True, overflow="ellipsis")
        for command in _next_commands(journal):
            # A command is printed whole, even in a narrow terminal, so that it can be copied.
            console.print(Text(command), no_wrap=True, overflow="ignore", crop=False)
    return gated.exit_code or 0


def _result_lines(
    journal: Journal, ungated_trials: Mapping[str, TrialSummary]
) -> Iterator[str]:
    """Yield the lines of the screen about the run in a journal.

    `ungated_trials` are the trials of the same tasks without the gates, by task.
    """
    trials = list(journal.trials.values())
    ungated_scores = {task_id: trial.score for task_id, trial in ungated_trials.items()}
    improved = []
    for trial in trials:
        if (trial.score or 0) > (ungated_scores[trial.task_id] or 0):
            improved.append(trial)

    # 1. The scores.
    yield f"A recorded model played {len(trials)} tasks of the embedded benchmark. Scores by family:"
    # The families of tasks with their mean scores, one column after the other.
    cells = []
    for family in scores_by_family(journal.summary.trials.values()):
        cell = f"{score_text(family.mean)} {family.name}"
        cells.append(cell.ljust(_FAMILY_WIDTH))
    row_count = math.ceil(len(cells) / _FAMILY_COLUMNS)
    for row in range(row_count):
        # The cells of a column follow one another in `cells`.
        cells_of_row = cells[row::row_count]
        yield f"  {''.join(cells_of_row)}".rstrip()
    yield ""
    with_gates = score_text(journal.summary.trials.mean_score, 3)
    without_gates = score_text(mean_over_tasks(ungated_scores.items()), 3)
    yield (
        f"{len(improved)} of {len(trials)} trials scored more with gates: "
        f"mean score {with_gates}, without them {without_gates};"
    )
    yield _comparison_with_ungated(journal, ungated_trials).conclusion

    # 2. What the gates did, in trials with a better score than without gates: the first
    #    trial with a rejected answer, and all trials with stopped calls.
    with_rejected_answer = [trial for trial in improved if trial.summary.rejections]
    shown = with_rejected_answer[:1]
    for trial in improved:
        if trial.summary.stopped and trial not in shown:
            shown.append(trial)
    for trial in shown:
        # What the gates, which check calls and answers, stopped in a trial.
        gated = score_text(trial.score)
        ungated = score_text(ungated_scores[trial.task_id])
        yield from _stopped_call_lines(trial, gated, ungated)
        yield from _rejected_answer_lines(trial, gated, ungated)

    # 3. The trials that failed all the same.
    for trial in trials:
        if trial.score is not None and trial.score < 1:
            first_detail = next(iter(trial.summary.details), "")
            reason = one_line(short_outcomes(first_detail))
            yield f"{trial.task_id} failed ({score_text(trial.score)}): {reason}"


def _comparison_with_ungated(
    journal: Journal, ungated_trials: Mapping[str, TrialSummary]
) -> Comparison:
    """Return the comparison of the run without gates with the run with gates."""
    gated_trials = tuple(journal.summary.trials.values())
    gated = ComparedRun("with gates", journal.path, journal.opened, gated_trials)
    same_order = tuple(ungated_trials[trial.task_id] for trial in gated_trials)
    return compare_runs(replace(gated, name="without", trials=same_order), gated)


def _next_commands(journal: Journal) -> Iterator[str]:
    """Yield commands that the user may type next, each with its purpose."""
    # The trial with the lowest score is the one that is worth looking at.
    worst = min(journal.trials.values(), key=lambda trial: trial.score or 0)
    replay = invocation("replay", run_argument(journal.path), "--trial", worst.task_id)
    yield f"next  {replay}  # why"
    yield f"      {invocation('run')} --model NAME  # your own model: docs/models.md"
    yield f"      {invocation('run')} --benchmark folder:DIR  # your own task: docs/benchmarks.md"


def _stopped_call_lines(
    trial: RecordedTrial, gated: str, ungated: str
) -> Iterator[str]:
    """Yield each call that was held before it was made, the reason, and what the trial did then.

    `gated` and `ungated` are the trial's scores with and without gates, as texts.
    """
    for step in trial.record.all_steps:
        for stopped in step.held:
            call, _, reason = stopped.objection.partition(_BETWEEN_CALL_AND_REASON)
            yield f"{trial.task_id}: a call was held: {one_line(call).strip('`')}"
            yield f"  {_gist(reason)}"
            yield (
                f"  then: {stopped.then}; score {gated}; without gates the call is sent: {ungated}"
            )


def _rejected_answer_lines(
    trial: RecordedTrial, gated: str, ungated: str
) -> Iterator[str]:
    """Yield the first rejected answer, the first reason of each rejection, and the last answer."""
    rejected = []
    for step in trial.steps:
        for judged in step.verdicts:
            if not judged.accepted:
                rejected.append(judged)
    if not rejected:
        return
    yield f"{trial.task_id} answered {one_line(rejected[0].answer)}, which was sent back:"
    for judged in rejected:
        rejection = judged.rejections[0]
        yield f"  {gate_or_rule_text(rejection.key)}: {_gist(rejection.reason)}"
    yield f"  then: {one_line(trial.summary.answer)}"
    yield f"  score {gated}; without gates the first answer goes out: {ungated}"


def _gist(message: str) -> str:
    """Return a message up to its first colon or bracket, with quoted paths cut to the file's name.

    "The page `/docs/fees.md` is not cited (see
    ...)" -> "The page `fees.md` is not cited"
    """
    beginning = one_line(message).partition(": ")[0].partition(" (")[0]
    # Paths are quoted in backticks, so each is a piece of its own.
    pieces = []
    for piece in beginning.split("`"):
        if piece.startswith("/"):
            piece = piece.rpartition("/")[2]
        pieces.append(piece)
    return "`".join(pieces)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ControlPlaneError as error:
        say(f"start: {error}", err=True)
        sys.exit(error.exit_code)
