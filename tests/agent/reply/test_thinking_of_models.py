"""Replies in which a model thinks before it acts, each vendor with marks of its own.

The action is `ACTION`, a JSON object with the code `print(1)`. `OTHER_ACTION`, with the code
`print('later')`, is only thought about, and must not be run:
`<longcat_think>maybe {OTHER_ACTION}</longcat_think> {ACTION}` -> `print(1)`.
"""

import pytest

from tests.agent.reply.written_actions import ACTION, OTHER_ACTION, read_action


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            f"<|channel>thought\n<channel|>{ACTION}<turn|>",
            id="empty thinking of Gemma",
        ),
        pytest.param(
            f"<longcat_think>maybe {OTHER_ACTION}</longcat_think>\n{ACTION}",
            id="thinking of LongCat",
        ),
        pytest.param(
            f"<|begin_of_thought|>{OTHER_ACTION}<|end_of_thought|>{ACTION}",
            id="thinking of Sky-T1",
        ),
        pytest.param(
            f"{ACTION}<|im_end|>\n<|im_start|>assistant",
            id="marks of the next turn",
        ),
        pytest.param(
            f"<|channel|>analysis<|message|>{OTHER_ACTION}<|end|>"
            f"<|start|>assistant<|channel|>final<|message|>{ACTION}<|return|>",
            id="channels of OpenAI's harmony format",
        ),
        pytest.param(
            f"perhaps {OTHER_ACTION}"
            f"<|start|>assistant<|channel|>final<|message|>{ACTION}",
            id="harmony format without its first mark",
        ),
        pytest.param(
            f"analysisPerhaps {OTHER_ACTION}assistantfinal{ACTION}",
            id="harmony format without marks",
        ),
        pytest.param(
            f"Here is my thought process: {OTHER_ACTION}\n"
            f"Here is my response: {ACTION}",
            id="thinking of Granite",
        ),
    ],
)
def test_action_outside_of_the_thinking_is_read_in_the_form_of_each_model(
    text: str,
) -> None:
    action = read_action(text)

    assert action.code.strip() == "print(1)"
    assert action.further_actions == 0
