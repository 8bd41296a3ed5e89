r"""A tool may repeat its argument as JSON, which spells a line break as a backslash and an n.

In `the\noon`, which a tool makes of `the`, a line break and `oon`, the word `noon` could be found,
although nobody has passed it. It is no reason to cite the result.
"""

from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Parameter,
    ResultField,
    ToolSchema,
)
from tests.agent.evidence.log.citing_trial import CitingTrial

SAY = Operation(
    name="notes.say",
    parameters=(Parameter("text", "str"),),
    fields=(ResultField("call_path"), ResultField("text")),
    summary="says a text",
    effect=Effect.RETURNS,
    subject="",
)
"""`notes.say(text)` returns its argument as JSON. The result is cited by its `call_path`."""


def trial_with_said_text() -> CitingTrial:
    """Return a trial that has passed `the`, a line break and `oon` to `notes.say`.

    JSON writes the line break as `\\n`, so the result has `the\\noon`.
    """
    trial = CitingTrial(ToolSchema(operations=(SAY,)))
    trial.call(
        "notes.say",
        {"text": "the\noon"},
        {"call_path": "/said/1", "text": '{"said": "the\\noon", "by": 4471}'},
    )
    return trial


def test_an_argument_that_a_tool_repeats_as_json_is_not_a_reason() -> None:
    """In `the\\noon`, the word `noon` could be found, although nobody has passed it."""
    trial = trial_with_said_text()

    assert not trial.has_shown("/said/1", reason="the vault opens at noon")


def test_what_a_tool_adds_to_a_repeated_argument_is_a_reason() -> None:
    """The number 4471 was not in the argument."""
    trial = trial_with_said_text()

    assert trial.has_shown("/said/1", reason="4471 said so")
