"""Takes over from an earlier attempt at a trial what the journal has recorded of it.

For example, the process of a trial was killed in its third step. The trial is resumed, and its
solver begins like that of a new trial:

    open_prompt(session, build)    -> the recorded prompt; `build` is not called
    restore_steps(session)         -> step 1, step 2; nothing is executed again
    with session.step():           the solver does step 3 again

In a new trial, nothing is recorded: `build` makes the prompt, and there are no steps to restore.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from controlplane.agent.events import ConversationOpened
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.record.trial_step import TrialStep


def open_prompt(
    session: TrialSession, build: Callable[[Recorder], ConversationOpened]
) -> ConversationOpened:
    """Return the initial prompt: that of an earlier attempt, or else a new one from `build`.

    `build` makes the calls whose results the prompt shows. They belong to step 0.
    """
    recorder = session.recorder
    recorder.step_log.begin(0)
    opened = recorder.tape.record.initial_prompt
    if opened is None:
        opened = build(recorder)
        recorder.emit(opened)
    else:
        # The calls are not made again, but the answer may cite what they have read.
        for call in opened.calls:
            recorder.restored_calls.add(call)
    # Answers are judged by the workspace's rules as they were at the start, whatever later
    # calls read.
    session.gated_exit.rules.keep_initial(opened.rules)
    return opened


def restore_steps(session: TrialSession) -> Iterator[TrialStep]:
    """Restore the recorded steps one by one, and yield each of them.

    A step that was cut off, and so has no recorded end, is left out.
    """
    for step in session.recorder.tape.record.whole_steps:
        restore_step(session, step)
        yield step


def restore_step(session: TrialSession, step: TrialStep) -> None:
    """Make a recorded step the current one, and take all that happened in it.

    Nothing is executed again.
    """
    # 1. Its script, calls, citations and replies
    session.recorder.restored_steps.restore(step)
    # 2. Its submissions and answers
    session.gated_exit.restore(step)
    # 3. It counts in the limits.
    session.completed_steps.add(session.recorder.current_step, step.summary)
