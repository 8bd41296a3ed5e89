r"""A tool repeats its argument as JSON, in which a line break is written as a backslash and an n.

    the argument        the<line break>oon
    in the result       {"said": "the\noon", "by": 4471}
    a misread word      noon

A script may cite the result because of what the tool has added, the number 4471. The misread word is
no such reason, since it comes from the script's own argument.
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
"""The tool, which changes nothing. Its result is cited by the path `call_path`."""


def trial_with_said_text() -> CitingTrial:
    """Return a trial that has called the tool, whose result can be cited as `/said/1`."""
    trial = CitingTrial(ToolSchema(operations=(SAY,)))
    arguments = {"text": "the\noon"}
    result = {"call_path": "/said/1", "text": r'{"said": "the\noon", "by": 4471}'}
    trial.call("notes.say", arguments, result)
    return trial


def test_a_word_misread_in_the_repeated_argument_is_not_a_reason() -> None:
    trial = trial_with_said_text()

    assert not trial.has_shown("/said/1", reason="the vault opens at noon")


def test_what_the_tool_adds_to_the_repeated_argument_is_a_reason() -> None:
    trial = trial_with_said_text()

    assert trial.has_shown("/said/1", reason="4471 said so")
