"""Finding the program to run in a reply of a model that is untidy around the program.

A model is asked for one JSON object, an *action*, with the Python code of its next step:
`{"state": "looking", "plan": ["read", "answer"], "done": false, "code": "print(1)"}`.
Real models put prose around it, or name its fields otherwise. All replies here mean `ACTION`, which
is this object. `OTHER_ACTION` stands behind it in some, and is not run.
"""

import pytest

from tests.agent.reply.written_actions import ACTION, OTHER_ACTION, read_action


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            '```json\n{\n  "state": "looking",\n  "plan": [\n    "read",\n'
            '    "answer"\n  ],\n  "done": false,\n  "code": "print(1)"\n}\n```',
            id="indented in a fence",
        ),
        pytest.param(
            f"Here is my step:\n{ACTION}\nI hope it helps.", id="inside prose"
        ),
        pytest.param(ACTION + OTHER_ACTION, id="two objects, glued"),
        pytest.param(f"{ACTION}\n{OTHER_ACTION}", id="two objects on two lines"),
        pytest.param(
            f'thinking {{not json}} {{"note": 1}} {ACTION}',
            id="other braces before it",
        ),
        pytest.param(
            '{"current_state": "looking", '
            '"plan_remaining_steps_brief": ["read", "answer"], '
            '"task_completed": false, "code": "print(1)"}',
            id="other names of fields",
        ),
        pytest.param(
            '{"state": "looking", "plan": "read\\nanswer", "done": false, '
            '"code": "print(1)"}',
            id="plan as lines of text",
        ),
    ],
)
def test_action_is_found_in_an_untidy_reply(text: str) -> None:
    action = read_action(text)

    assert action.state == "looking"
    assert action.plan == ("read", "answer")
    assert not action.done
    assert action.code == "print(1)"
