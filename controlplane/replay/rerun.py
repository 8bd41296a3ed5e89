"""Runs a recorded trial again, and yields where it differs from the record.

The scripts of the trial run again. If its solver wrote no scripts, the recorded calls,
citations and submissions are repeated in their order. Calls get their recorded
results. Each step begins with the recorded state, so that a difference in one
step does not cause others.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.agent.events import StepDone
from controlplane.agent.evidence import Difference, Tape
from controlplane.agent.loop import TrialSession, sandbox_of
from controlplane.agent.loop.session.earlier_attempt import restore_step
from controlplane.agent.record.trial_step import TrialStep
from controlplane.replay.error_texts import first_difference
from controlplane.replay.recorded_actions import repeat_actions, repeat_left_answer
from controlplane.replay.recorded_session import session_on
from controlplane.replay.recording import ENDED_BY_SANDBOX, Recording, RerunSettings
from controlplane.sandbox import (
    ForkServer,
    Sandbox,
    Worker,
)


def rerun(
    recording: Recording, server: ForkServer, settings: RerunSettings
) -> Iterator[Difference | None]:
    """Run each recorded step again, and yield its first difference; None if there is none."""
    for differences in run_again(recording, server, settings):
        yield first_difference(differences, compare_errors=settings.compare_errors)


def run_again(
    recording: Recording, server: ForkServer, settings: RerunSettings
) -> Iterator[tuple[Difference, ...]]:
    """Run each recorded step again, and yield all its differences from the record, in order."""
    # The tape plays the record: it gives calls their recorded results, and notes where
    # the rerun differs.
    tape = Tape(recording.record, is_replay=True)
    with Worker(server, isolation=settings.isolation) as worker:
        session = session_on(tape, recording, worker, settings.gates)
        with sandbox_of(session, server, settings.limits, settings.isolation) as box:
            for step in recording.record.whole_steps:
                tape.differences.clear()
                _run_step_again(step, session, box)
                # Restore the recorded scratchpad, since this step may have left a different one.
                box.restore(dict(step.summary.scratchpad))
                yield tuple(tape.differences)


def _run_step_again(step: TrialStep, session: TrialSession, box: Sandbox) -> None:
    """Run a step's script again or, without a script, repeat the step's recorded actions.

    At the end of the step, the session compares it with the record.
    """
    recorded = step.summary
    if recorded.ending in ENDED_BY_SANDBOX:
        restore_step(session, step)  # Use the recorded step without running it.
        return
    with session.step() as step_again:
        if not recorded.code:
            repeat_actions(step, session)
            # A step without a script has nothing more to compare than its actions.
            step_again.done = recorded
            return
        result = box.run(recorded.code, step=recorded.step)
        repeat_left_answer(step, session)
        step_again.done = StepDone(
            trial_id=recorded.trial_id,
            step=recorded.step,
            code=recorded.code,
            output=result.output,
            error=result.error,
            ending=str(result.ending),
            scratchpad=result.scratchpad,
        )
