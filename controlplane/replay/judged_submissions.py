"""Judges recorded submissions with the current gates, and compares the judgements.

This shows which answers a change of the gates would stop or let through. Scripts of
each trial run again, and their calls get the recorded results. If a submission is the
answer that was graded (same message, outcome and citations), it has the grader's score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from controlplane.agent.evidence import Difference
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.second_reader import AskReader
from controlplane.agent.submission import GateSettings, judging_modules
from controlplane.errors import ReplayDiverged
from controlplane.journal.journal_reader import Journal
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.replay.current_gates import CurrentGates
from controlplane.replay.judgement_comparison import (
    RecordedSubmission,
    Rejudged,
    compared,
)
from controlplane.replay.recording import ENDED_BY_SANDBOX, RerunSettings
from controlplane.replay.rerun import run_again
from controlplane.replay.trial_memory import TrialMemory
from controlplane.replay.verified_recording import recording_of, replay_isolation
from controlplane.sandbox import ForkServer, Layer


def rejudged(
    journal: Journal,
    gates: GateSettings,
    on_diverged: Callable[[ReplayDiverged], None] | None = None,
    *,
    ask: AskReader | None = None,
) -> Iterator[Rejudged]:
    """Yield each submission of a journal with its recorded judgement and that of `gates`.

    If the sandbox ended a step, its submissions are omitted, because how far the step
    got depends on the machine. With `ask`, a second reader checks accepted answers.

    Raises `UsageError` if a layer of the sandbox is missing or a rule set is unknown.
    Raises `ReplayDiverged` if a script makes different calls than in the run. If
    `on_diverged` is given, it is called with that error instead, and the rest of the
    trial is omitted.
    """
    isolation = replay_isolation()
    memory = TrialMemory(journal)
    with ForkServer(judging_modules(gates.rule_sets)) as server:
        for trial in journal.trials.values():
            try:
                yield from _rejudged_trial(trial, server, gates, isolation, ask)
            except ReplayDiverged as error:
                if on_diverged is None:
                    raise
                on_diverged(error)
            memory.free()  # Python would free the objects of this trial much later.


def _rejudged_trial(
    trial: RecordedTrial,
    server: ForkServer,
    gates: GateSettings,
    isolation: frozenset[Layer],
    ask: AskReader | None,
) -> Iterator[Rejudged]:
    """Run a trial again, and yield its submissions, judged anew; none if it never started.

    A submission is an answer that a script proposes. `gates` are the checks that accept or
    reject it, and `ask` asks a second reader about an accepted one. Raises `ReplayDiverged` if a
    step makes different calls than in the run.
    """
    recording = recording_of(trial, server, isolation)
    if recording is None:
        return
    current_gates = CurrentGates(
        gates.policy,
        gates.rule_sets,
        recorded=_submissions_to_judge(recording.record),
        ask=ask,
    )
    # Each round runs one step again. If its script submits an answer, the rerun asks
    # `current_gates`, which keep what they decide.
    settings = RerunSettings(current_gates, isolation=isolation)
    for differences in run_again(recording, server, settings):
        _refuse_other_calls(trial, differences)
        for new in current_gates.take_new_judgements():
            yield compared(trial, new.submission, new.judged)


def _submissions_to_judge(record: TrialRecord) -> Iterator[RecordedSubmission]:
    """Yield the submissions of the steps that run again, in order.

    A step that the sandbox ended, such as one that ran out of time, does not run again.
    """
    number = 0
    for step in record.step_summaries:
        if step.ending in ENDED_BY_SANDBOX:
            continue
        for judged in step.verdicts:
            number += 1
            yield RecordedSubmission(number, step.step, judged)


def _refuse_other_calls(
    trial: RecordedTrial, differences: Sequence[Difference]
) -> None:
    """Raise `ReplayDiverged` if a step made other calls than recorded.

    Its submissions may then differ, too.
    """
    for difference in differences:
        if difference.is_in_calls:
            msg = (
                f"trial {trial.trial_id}, step {difference.step}: "
                f"recorded {difference.recorded}, now {difference.now}"
            )
            raise ReplayDiverged(msg)
