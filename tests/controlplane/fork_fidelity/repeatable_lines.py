"""What a fork of a recorded trial has to repeat, as lines of JSON, without its ids, times and costs.

For example:

    repeatable_lines(trial)    ->    ['{"system": ...}', '{"step": 1, ...}', ..., 'score 1.0, ()']
"""

from controlplane.agent.events import varying_fields
from controlplane.journal.trial_reader import RecordedTrial

REPEATED_FIELDS_OF_PROMPT = {"system", "first_message", "rules"}


REPEATED_FIELDS_OF_STEP = {
    "step",
    "reply",
    "code",
    "output",
    "error",
    "ending",
    "scratchpad",
    "verdicts",
    "citations",
    "feedback",
    "refunded",
}
"""The fields that a fork has to repeat; the others are ids, times and costs. `refunded` is True if
a step does not count towards the limit of steps."""


def repeatable_lines(trial: RecordedTrial) -> list[str]:
    """Return what a trial did and said as lines of JSON, without its ids, times and costs.

    They are its prompt, each step with its calls below, its answer and its score:
    `['{"system": ...}', '{"step": 1, ...}', '{"operation": "read", ...}', ..., 'score 1.0, ()']`.
    """
    prompt = trial.record.initial_prompt
    answer = trial.record.answer
    assert prompt is not None
    assert answer is not None
    different_in_every_run = varying_fields()  # names such as "elapsed_ms" and "at_ms"

    lines = [prompt.model_dump_json(include=REPEATED_FIELDS_OF_PROMPT)]
    for step in trial.record.step_summaries:
        lines.append(step.model_dump_json(include=REPEATED_FIELDS_OF_STEP))
        for call in step.calls:
            lines.append(call.model_dump_json(exclude=different_in_every_run))
    lines.append(answer.model_dump_json(exclude=different_in_every_run | {"trial_id"}))
    lines.append(f"score {trial.score!r}, {trial.summary.details!r}")
    return lines
