"""Reading the program to run from the reply of a model, however untidy the reply is.

A model is asked for one JSON object, an *action*, with the Python code of its next step:
`{"state": "looking", "plan": ["read", "answer"], "done": false, "code": "print(1)"}`.
Real models wrap it in prose, fences, thinking or XML. `action_of` accepts what is certain,
and otherwise returns `Unusable` with the reason: it never guesses, and never runs prose.
"""

import pytest

from controlplane.agent.reply.fault import Fault
from controlplane.agent.reply.reply import action_of
from controlplane.agent.reply.unusable_reply import Unusable
from tests.agent.reply.written_actions import (
    ACTION,
    OTHER_ACTION,
    action_with_code,
    read_action,
)


class TestUntidyReplies:
    """An action is found in a reply whatever is around it, and however it is spelled.

    Each of these replies means the same action, `ACTION`.
    """

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
                "{'state': 'looking', 'plan': ['read', 'answer'], 'done': False, "
                "'code': 'print(1)'}",
                id="Python syntax",
            ),
            pytest.param(
                '{"state": "looking", "plan": ["read", "answer"], "done": False, '
                '"code": "print(1)"}',
                id="JSON with a Python boolean",
            ),
            pytest.param(
                "{'state': 'looking', 'plan': ('read', 'answer'), "
                "'done': false,  # it's the first step\n"
                "'code': 'print(1)'}",
                id="Python with a JSON boolean, a tuple and a comment",
            ),
            pytest.param(
                "{'state': 'looking', 'plan': 'read\nanswer', 'done': false, "
                "'code': 'print(1)'}",
                id="Python with a raw newline in a string",
            ),
            pytest.param(
                "{'state': 'looking', 'plan': ['read', 'answer'], 'done': false, "
                "'code': 'print(1)', 'change': +2, 'rows': {-1: 'last'}}",
                id="Python with a plus sign, and a negative number as a key",
            ),
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
    def test_action_is_found_in_an_untidy_reply(self, text: str) -> None:
        action = read_action(text)

        assert action.state == "looking"
        assert action.plan == ("read", "answer")
        assert not action.done
        assert action.code == "print(1)"


class TestThinkingOfModels:
    """Models put their thoughts in front of the action, each between marks of its own.

    The action is `ACTION`, with the code `print(1)`. `OTHER_ACTION`, which the model only thinks
    about, must not be run.
    """

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
        self, text: str
    ) -> None:
        action = read_action(text)

        assert action.code.strip() == "print(1)"
        assert action.further_actions == 0


XML_CALL = """\
<tool_call>
<function=execute_script>
<parameter=state>
looking
</parameter>
<parameter=code>
print(1)
</parameter>
</function>
</tool_call>"""
"""A tool call as Qwen and other models write it into the text."""

MINIMAX_CALL = (
    '<minimax:tool_call><invoke name="execute_script">'
    '<parameter name="code">print(1)</parameter></invoke>'
)


class TestProgramsOfModels:
    """Models write their program as a call of the tool `execute_script`, in a fence, or otherwise.

    Each of these replies has one action, with the code `print(1)`.
    """

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param(XML_CALL, id="call as XML"),
            pytest.param(MINIMAX_CALL, id="call of MiniMax"),
            pytest.param(
                "I look.\n```python\nprint(1)\n```\nThen I answer.",
                id="fence of Python",
            ),
            pytest.param(
                f'{{"name": "execute_script", "arguments": {ACTION}}}',
                id="call as JSON",
            ),
            pytest.param(action_with_code("\ufeffprint(1)"), id="byte order mark"),
        ],
    )
    def test_program_is_read_in_the_form_of_each_model(self, text: str) -> None:
        action = read_action(text)

        assert action.code.strip() == "print(1)"
        assert action.further_actions == 0


OTHER_XML_CALL = """\
<tool_call>
<function=execute_script>
<parameter=code>
print(2)
</parameter>
</function>
</tool_call>"""


class TestSeveralActions:
    """Of several actions in a reply, the first is run, and the others are counted.

    The model is told that its other actions were not run.
    """

    @pytest.mark.parametrize(
        ("text", "further_actions"),
        [
            pytest.param(
                f"```json\n{ACTION}\n```\n```json\n{OTHER_ACTION}\n```",
                1,
                id="two fences",
            ),
            pytest.param(f"[{ACTION}, {OTHER_ACTION}, {OTHER_ACTION}]", 2, id="list"),
            pytest.param(
                f"Now:\n{XML_CALL}\n{OTHER_XML_CALL}", 1, id="two calls as XML"
            ),
        ],
    )
    def test_first_of_several_actions_is_run_and_the_others_are_counted(
        self, text: str, further_actions: int
    ) -> None:
        """The count is for the model, which is told that its other actions were not run."""
        action = read_action(text)

        assert action.code.strip() == "print(1)"
        assert action.further_actions == further_actions


class TestStateLines:
    """A line `state: ...` and a fence with the code are an action, too.

    This form is offered to models that fail at JSON.
    """

    @pytest.mark.parametrize("fence", ["```python", "```"])
    def test_state_line_and_a_fence_are_an_action(self, fence: str) -> None:
        """The form `state: ...` and a fence is offered to models that fail at JSON."""
        action = read_action(
            f"state: reading the rules\n{fence}\nprint('a \"b\"')\n```"
        )

        assert action.state == "reading the rules"
        assert action.code.strip() == "print('a \"b\"')"

    def test_wrapped_object_without_code_and_a_fence_are_an_action(self) -> None:
        remarks = '{"action": {"state": "looking", "code": ""}}'

        action = read_action(f"{remarks}\n```python\nprint(1)\n```")

        assert action.state == "looking"
        assert action.code.strip() == "print(1)"

    @pytest.mark.parametrize(
        "reply",
        [
            "```python\nstate: int = 4\nprint(state)\n```",
            "<code>\nstate: int = 4\nprint(state)\n</code>",
        ],
    )
    def test_line_of_the_code_is_not_taken_for_the_state(self, reply: str) -> None:
        """A program may annotate a variable `state`. The state stands in front of the code."""
        action = read_action(reply)

        assert action.state == ""
        assert action.code.strip() == "state: int = 4\nprint(state)"

    def test_fence_without_a_language_and_a_state_line_is_prose(self) -> None:
        reading = action_of("The file holds:\n```\nopen\n```")

        assert isinstance(reading, Unusable)


class TestRepliesWithoutAction:
    """A reply without an action is unusable, and the reason is told to the model.

    The reason is one line, and the model can reply again.
    """

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
    def test_prose_thinking_and_incomplete_calls_are_not_run(self, text: str) -> None:
        reading = action_of(text)

        assert isinstance(reading, Unusable)
        assert "\n" not in reading.reason

    def test_object_without_code_is_refused_with_the_names_of_its_fields(self) -> None:
        reading = action_of('{"answer": 7, "reason": "counted"}')

        assert isinstance(reading, Unusable)
        assert reading.fault is Fault.WRONG_SHAPE
        assert "'answer', 'reason'" in reading.reason

    def test_object_whose_key_is_a_number_is_refused_with_this_key(self) -> None:
        """Python's dictionaries may have such keys, and JSON's objects may not."""
        reading = action_of("fees = {1: 20}")

        assert isinstance(reading, Unusable)
        assert reading.fault is Fault.WRONG_SHAPE
        assert "'1'" in reading.reason
