"""A reply without an action is unusable, and the model is told the reason, to reply again.

`action_of` accepts only what is certain: prose, thinking and calls that are cut off are never run.
`"Call <code>print(1)</code> first."` -> `Unusable`, with a reason of one line.
"""

import pytest

from controlplane.agent.reply.reply import action_of
from controlplane.agent.reply.unusable_reply import Fault, Unusable
from tests.agent.reply.written_actions import ACTION, XML_CALL


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "The loan ends on 2026-03-01, see docs/loans.md:4. OUTCOME_OK",
            id="answer in prose",
        ),
        pytest.param(
            "Thought: I look.\nAction: execute_script\nAction Input: print(1)",
            id="ReAct form",
        ),
        pytest.param(ACTION.replace('"', "&quot;"), id="HTML quotes"),
        pytest.param(ACTION.replace('"', "\u201d"), id="curly quotes"),
        pytest.param("Call <code>print(1)</code> first.", id="code in HTML"),
        pytest.param("```\nprint(1)\n```", id="fence without a language"),
        pytest.param(
            "```python\nprint(1)\n```\nor\n```python\nprint(2)\n```",
            id="two programs to choose from",
        ),
        pytest.param("```python\nprint(1)", id="fence without its end"),
        pytest.param(
            XML_CALL.replace("</parameter>\n</function>", ""),
            id="XML without its end",
        ),
        pytest.param(
            XML_CALL.replace("execute_script", "read_file"),
            id="call of another tool",
        ),
        pytest.param(f"<think>I could run {ACTION}", id="thinking that never ends"),
        pytest.param(
            f"<|channel>thought\nI could run {ACTION}",
            id="thinking of Gemma that never ends",
        ),
    ],
)
def test_prose_thinking_and_incomplete_calls_are_not_run(text: str) -> None:
    reading = action_of(text)

    assert isinstance(reading, Unusable)
    assert "\n" not in reading.reason


def test_object_without_code_is_refused_with_the_names_of_its_fields() -> None:
    reading = action_of('{"answer": 7, "reason": "counted"}')

    assert isinstance(reading, Unusable)
    assert reading.fault is Fault.WRONG_SHAPE
    assert "'answer', 'reason'" in reading.reason


def test_object_whose_key_is_a_number_is_refused_with_this_key() -> None:
    """Python's dictionaries may have such keys, and JSON's objects may not."""
    reading = action_of("fees = {1: 20}")

    assert isinstance(reading, Unusable)
    assert reading.fault is Fault.WRONG_SHAPE
    assert "'1'" in reading.reason
