"""The program that a model means is found in its reply, and nothing else is run.

Forms of many models are read: JSON that is broken or in the syntax of Python, fences, tool calls,
and thinking before the action. Damaged code is repaired only if it is certain. A reply without an
action is refused with the reason. Random and hostile replies take bounded work, and raise nothing.
"""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controlplane.agent.model import Reply, ToolCall
from controlplane.agent.reply.objects import read_object
from controlplane.agent.reply.reply import Action, action_call, action_of
from controlplane.agent.reply.unusable_reply import Fault, Unusable
from tests.support.executed_work import executed_lines

# Replies of a model that have an action: a JSON object with the code of its next step.
#
#     read_action(f"Here is my step: {ACTION}").code     -> "print(1)"
#     code_to_run(ACTION, finish_reason="length")        -> None: the reply was cut off
#     action_with_code("print(2)")                       -> '{"state": ..., "code": "print(2)"}'
#
# `ACTION` is an action as a text.

ACTION = (
    '{"state": "looking", "plan": ["read", "answer"], "done": false, '
    '"code": "print(1)"}'
)
"""The action that the replies in the tests mean, if they mean any."""
OTHER_ACTION = (
    '{"state": "later", "plan": [], "done": false, "code": "print(\'later\')"}'
)
"""An action that must not be run: it is in the model's thinking, or comes second."""
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
"""A call of a tool with the code `print(1)`, as Qwen and other models write it into the text."""


def read_action(text: str) -> Action:
    """Return the action in a reply that must have one."""
    action = action_of(text)
    assert isinstance(action, Action), action
    return action


def code_to_run(text: str, finish_reason: str) -> str | None:
    """Return the code that is run for a reply; None if nothing is run."""
    reading = action_of(text, finish_reason)
    if isinstance(reading, Action):
        return reading.code
    assert isinstance(reading, Unusable)
    return None


def action_with_code(code: str) -> str:
    """Return the text of a reply: an action whose code is `code`."""
    return json.dumps({"state": "looking", "plan": [], "done": False, "code": code})


# Which of the tool calls in a reply is the action.
#
# Models are offered the tool `execute_script`, whose arguments are an action. Some invent another name
# for it, or call other tools as well. `action_call` returns the call with the action; None if there is
# none for certain.

ARGUMENTS = '{"state": "look", "code": "print(1)"}'
"""The arguments of a tool call that are clearly an action."""


@pytest.mark.parametrize(
    "tool_calls",
    [
        pytest.param(
            (ToolCall(name="run_python", arguments=ARGUMENTS),), id="invented name"
        ),
        pytest.param(
            (
                ToolCall(name="execute_script", arguments=ARGUMENTS),
                ToolCall(name="other", arguments=ARGUMENTS),
            ),
            id="right name and another call",
        ),
    ],
)
def test_tool_call_that_is_clearly_the_action_is_used(
    tool_calls: tuple[ToolCall, ...],
) -> None:
    reply = Reply(text="", tool_calls=tool_calls)

    assert action_call(reply) == tool_calls[0]


@pytest.mark.parametrize(
    "tool_calls",
    [
        pytest.param(
            (
                ToolCall(
                    name="run_python",
                    arguments='{"path": "/a", "code": "print(1)", "state": ""}',
                ),
            ),
            id="argument that no action has",
        ),
        pytest.param(
            (
                ToolCall(name="run_python", arguments=ARGUMENTS),
                ToolCall(name="run_python", arguments=ARGUMENTS),
            ),
            id="two calls of an unknown tool",
        ),
    ],
)
def test_tool_call_that_may_mean_something_else_is_not_used(
    tool_calls: tuple[ToolCall, ...],
) -> None:
    """The parser never guesses which program to run."""
    reply = Reply(text="", tool_calls=tool_calls)

    assert action_call(reply) is None


# Code in an object that cannot be parsed is run only if it is certain what the code is.
#
# A model replies with a JSON object, `{"state": ..., "code": "print(1)"}`. Here, the state is `s`, which is
# neither JSON nor Python data. The code may still be found, but code that is guessed must not be run.


def test_code_in_an_object_with_another_broken_field_is_found() -> None:
    action = read_action('{"state": s, "code": "print(1)"}')

    assert action.code == "print(1)"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"state": s, "code": "print("hi")"}', id="quotes not escaped"),
        pytest.param(
            '{"state": s, "code": "print(",", 1)"}',
            id="quotes and a comma in the code",
        ),
        pytest.param('{"state": s, "code": "print(1)" + "2"}', id="sum of strings"),
        pytest.param('{"state": s, "code": "print(1"}', id="incomplete program"),
        pytest.param('{"state": s, "code": \'print(1)\'}', id="mixed quotes"),
        pytest.param('{"state": s, "code": print(1)}', id="code without quotes"),
        pytest.param(
            '{"state": s, "code": "print(1)", "code": "print(2)"}', id="code twice"
        ),
        pytest.param('{"state": s, "code": "  "}', id="blank code"),
        pytest.param(
            '{"state": s, "code": "print(1)", more words}', id="prose in the object"
        ),
        pytest.param(
            '{"state": s, "inner": {"code": "print(1)", "b": 1}, oops}',
            id="code in an inner object",
        ),
        pytest.param(
            '{"state": ' + "[" * 60 + '"code": "print(1)"}',
            id="code in many lists that are not closed",
        ),
    ],
)
def test_code_is_not_guessed(text: str) -> None:
    assert isinstance(action_of(text), Unusable)


# Replies of real models run what the model meant, or nothing.
#
# A quirk is what is unusual about some replies, such as a trailing comma. A person wrote down which
# code each of the replies in `corpus/` meant: `{"quirk": "trailing comma", "text": ..., "code": ...}`.


def corpus_of_replies() -> dict[str, list[dict]]:
    """Return the replies in `corpus/`, grouped by their quirk, such as "trailing comma".

    Each has its `text`, its `finish_reason`, and the `code` that the model meant: None if
    nothing may be run.
    """
    replies_by_quirk: dict[str, list[dict]] = {}
    for file_name in ("open.jsonl", "apart.jsonl"):
        path = Path(__file__).parent / "corpus" / file_name
        for line in path.read_text(encoding="ascii").splitlines():
            reply = json.loads(line)
            replies_by_quirk.setdefault(reply["quirk"], []).append(reply)
    return replies_by_quirk


CORPUS = corpus_of_replies()


@pytest.mark.parametrize("quirk", sorted(CORPUS))
def test_collected_replies_run_what_the_model_meant_or_nothing(quirk: str) -> None:
    for reply in CORPUS[quirk]:
        code = code_to_run(reply["text"], reply["finish_reason"])

        assert code == reply["code"], reply["text"]


# A program that was damaged because a model must write it within a JSON object is repaired.
#
#     as the model means it    {"code": "x = 'a\\n'"}    the program has the escape of a line break
#     as the model writes it   {"code": "x = 'a\n'"}     the program has a line break within a string
#
# Python does not allow the second program. A program is changed only if it is no valid Python before, and
# is valid afterwards. `action_with_code(code)` is a reply with this text as its code.


def test_program_that_was_escaped_twice_is_unescaped() -> None:
    """A quote in JSON is written `\\"`. A model that escapes it twice leaves a backslash."""
    code = 'names = [\\"a\\"]\nprint(names)'

    action = read_action(action_with_code(code))

    assert action.code == 'names = ["a"]\nprint(names)'


@pytest.mark.parametrize(
    ("code", "repaired_code"),
    [
        pytest.param(
            "text = 'a\n'.split('\n')  # don't\n",
            "text = 'a\\n'.split('\\n')  # don't\n",
            id="line breaks in strings",
        ),
        pytest.param(
            "print(f'{1}\n')", "print(f'{1}\\n')", id="line break in an f-string"
        ),
        pytest.param(
            "total = 3\nprint(total)}",
            "total = 3\nprint(total)",
            id="brace at the end",
        ),
        pytest.param('print("a")"}', 'print("a")', id="quote and brace at the end"),
    ],
)
def test_program_that_was_damaged_by_writing_it_as_json_is_repaired(
    code: str, repaired_code: str
) -> None:
    """A string has a line break, or the end of the JSON object stands in the program: `}`, `"}`."""
    action = read_action(action_with_code(code))

    assert action.code == repaired_code


NO_BREAK = "\u00a0"
"""The no-break blank, by which editors and web pages indent code."""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            action_with_code(f"if a:\n{NO_BREAK}{NO_BREAK}print(1)"), id="action"
        ),
        pytest.param(
            f"state: look\n```\nif a:\n{NO_BREAK}{NO_BREAK}print(1)\n```", id="fence"
        ),
        pytest.param(
            action_with_code(
                f"It's this:\n```\nif a:\n{NO_BREAK}{NO_BREAK}print(1)\n```\n"
            ),
            id="fence in prose",
        ),
        pytest.param(
            f'{{"state": fee read, "code": "if a:\\n{NO_BREAK} print(1)"}}',
            id="object without quotes",
        ),
    ],
)
def test_no_break_blanks_in_code_are_read_as_blanks(text: str) -> None:
    action = read_action(text)

    assert action.code.strip() == "if a:\n  print(1)"


def test_no_break_blanks_in_strings_and_comments_are_kept() -> None:
    code = f"x{NO_BREAK}= 'a{NO_BREAK}b'  # c{NO_BREAK}'\ny ={NO_BREAK}\"{NO_BREAK}\""

    action = read_action(action_with_code(code))

    kept = f"x = 'a{NO_BREAK}b'  # c{NO_BREAK}'\ny = \"{NO_BREAK}\""
    assert action.code == kept


def test_code_with_no_break_blanks_and_an_error_keeps_only_the_error() -> None:
    """The model is told of its error, and not of a character that it does not see."""
    action = read_action(action_with_code(f"x{NO_BREAK}= 'a"))

    assert action.code == "x = 'a"


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("x = '''a\nb'''", id="line break in triple quotes"),
        pytest.param("d = {1: 2}", id="brace of the program at the end"),
        pytest.param("x = 'a", id="error that JSON does not explain"),
        # A first line with the word `python` alone would be removed.
        pytest.param("python = 3\nprint(python)", id="variable named python"),
    ],
)
def test_code_without_a_known_damage_is_not_changed(code: str) -> None:
    action = read_action(action_with_code(code))

    assert action.code == code


# An object of a model with a number that is too long for the journal is not read.
#
# Python writes an integer with up to 4,300 decimal digits, and raises an error for a longer one. But it reads
# a longer one in hexadecimal, such as `0xfff...`, so that the journal could not record what was read.

TOO_LONG_NUMBER = "0x" + "f" * 4_000
"""An integer of about 4,800 decimal digits."""


def test_an_object_with_a_short_hexadecimal_number_is_read() -> None:
    assert read_object("{'limit': 0xff}") == {"limit": 255}


@pytest.mark.parametrize("number", [TOO_LONG_NUMBER, f"-{TOO_LONG_NUMBER}"])
def test_an_object_with_a_too_long_number_is_not_read(number: str) -> None:
    assert read_object(f"{{'limit': {number}}}") is None


# Forms in which models write their program, though they were asked for a JSON object.
#
# Some write a call of the tool `execute_script`, others a fence of Python in prose. Each of these
# replies is read as one action with the code `print(1)`.


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(XML_CALL, id="call as XML"),
        pytest.param(
            '<minimax:tool_call><invoke name="execute_script">'
            '<parameter name="code">print(1)</parameter></invoke>',
            id="call of MiniMax",
        ),
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
def test_program_is_read_in_the_form_of_each_model(text: str) -> None:
    action = read_action(text)

    assert action.code.strip() == "print(1)"
    assert action.further_actions == 0


# A model's reply may be written as a Python dictionary, though it was asked for a JSON object.
#
# The object is an *action*, with the Python code of the model's next step. Each of these replies is
# read as `{"state": "looking", "plan": ["read", "answer"], "done": false, "code": "print(1)"}`.


@pytest.mark.parametrize(
    "text",
    [
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
    ],
)
def test_action_in_the_syntax_of_python_is_read(text: str) -> None:
    action = read_action(text)

    assert action.state == "looking"
    assert action.plan == ("read", "answer")
    assert not action.done
    assert action.code == "print(1)"


# Random replies of a model, most of them broken in some way, are read without an error.
#
# `code_to_run(text, finish_reason)` looks in a reply for an action, a JSON object with the code to run. It
# returns the code, or None if nothing is run. `finish_reason` says why the reply ended.

PIECES = [
    '{"state": "s", ',
    '"code": "print(1)"',
    "'code': 'x'",
    "}",
    "{",
    "[",
    "]",
    ",",
    "```python\n",
    "```",
    "<think>",
    "</think>",
    '"',
    "'",
    "\\",
    '\\"',
    "\n",
    "True",
    "code:",
    "print(2)",
    '"plan": []',
    "//",
    "\ud800",
    "null",
    "\0",
]
"""Pieces of replies."""

RANDOM_TEXTS = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
"""Random sequences of pieces, such as `{"state": "s", ]<think>`."""


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    text=RANDOM_TEXTS,
    finish_reason=st.sampled_from(["stop", "content_filter", "", "weird"]),
)
def test_random_text_never_raises(text: str, finish_reason: str) -> None:
    code_to_run(text, finish_reason)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(text=RANDOM_TEXTS)
def test_reply_that_was_cut_at_the_length_limit_is_never_run(text: str) -> None:
    """The missing part might change what the code does, even if the rest is valid."""
    assert code_to_run(text, finish_reason="length") is None


# A reply without an action is unusable, and the model is told the reason, to reply again.
#
# `action_of` accepts only what is certain: prose, thinking and calls that are cut off are never run.
# `"Call <code>print(1)</code> first."` -> `Unusable`, with a reason of one line.


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


# Of several actions in one reply, the first is run, and the others are counted.
#
# The count is for the model, which is told that its other actions were not run:
# `[{"code": "print(1)", ...}, {"code": "print(2)", ...}]` -> runs `print(1)`, one further action.


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
            f"Now:\n{XML_CALL}\n{XML_CALL.replace('print(1)', 'print(2)')}",
            1,
            id="two calls as XML",
        ),
    ],
)
def test_first_of_several_actions_is_run_and_the_others_are_counted(
    text: str, further_actions: int
) -> None:
    action = read_action(text)

    assert action.code.strip() == "print(1)"
    assert action.further_actions == further_actions


@pytest.mark.parametrize("name_of_code", ["code", "script", "python"])
def test_an_action_with_empty_code_is_passed_over(name_of_code: str) -> None:
    """Models write `script` for `code`, and some write an empty action before the one they mean."""
    empty_action = f'{{"state": "", "{name_of_code}": ""}}'

    action = read_action(f"{empty_action}\n{ACTION}")

    assert action.code.strip() == "print(1)"
    assert action.further_actions == 0


# A reply may be an action without JSON: a *state line*, and a fence with the code below it.
#
#     state: reading the rules
#     ```
#     print(1)
#     ```
#
# The state is what the model is doing. A fence of Python counts without this line, but a fence that names no
# language does not: it may hold any text.


@pytest.mark.parametrize("fence", ["```python", "```"])
def test_state_line_and_a_fence_are_an_action(fence: str) -> None:
    action = read_action(f"state: reading the rules\n{fence}\nprint('a \"b\"')\n```")

    assert action.state == "reading the rules"
    assert action.code.strip() == "print('a \"b\"')"


def test_object_with_a_state_may_stand_in_place_of_the_state_line() -> None:
    """The object is an action, too, but its code is empty, so the code of the fence counts."""
    object_without_code = '{"action": {"state": "looking", "code": ""}}'

    action = read_action(f"{object_without_code}\n```python\nprint(1)\n```")

    assert action.state == "looking"
    assert action.code.strip() == "print(1)"


@pytest.mark.parametrize(
    "reply",
    [
        "```python\nstate: int = 4\nprint(state)\n```",
        "<code>\nstate: int = 4\nprint(state)\n</code>",
    ],
)
def test_line_of_the_code_is_not_taken_for_the_state(reply: str) -> None:
    """A program may annotate a variable `state`. A state line stands before the code."""
    action = read_action(reply)

    assert action.state == ""
    assert action.code.strip() == "state: int = 4\nprint(state)"


def test_fence_that_names_no_language_is_not_run_without_a_state_line() -> None:
    reading = action_of("I have read this in a file.\n```\nopen\n```")

    assert isinstance(reading, Unusable)


# Replies in which a model thinks before it acts, each vendor with marks of its own.
#
# The action is `ACTION`, a JSON object with the code `print(1)`. `OTHER_ACTION`, with the code
# `print('later')`, is only thought about, and must not be run:
# `<longcat_think>maybe {OTHER_ACTION}</longcat_think> {ACTION}` -> `print(1)`.


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


# Finding the program to run in a reply of a model that is untidy around the program.
#
# A model is asked for one JSON object, an *action*, with the Python code of its next step:
# `{"state": "looking", "plan": ["read", "answer"], "done": false, "code": "print(1)"}`.
# Real models put prose around it, or name its fields otherwise. All replies here mean `ACTION`, which
# is this object. `OTHER_ACTION` stands behind it in some, and is not run.


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


# What a model puts around its program is removed, and the program stays as it is.
#
# A model replies with a JSON object whose field `code` should be a program. Models also put a fence or
# prose into it: `{"code": "```python\nprint(1)\n```"}` -> `print(1)`.


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("python\nprint(1)", id="name of the language"),
        pytest.param("```python\nprint(1)\n```", id="fence"),
        pytest.param("```\nprint(1)", id="fence without its end"),
        pytest.param(
            "Here it is:\n```python\nprint(1)\n```\nThat reads it.",
            id="fence in prose",
        ),
    ],
)
def test_wrapping_around_the_program_is_removed(code: str) -> None:
    action = read_action(action_with_code(code))

    assert action.code.strip() == "print(1)"


def test_program_in_a_fence_keeps_its_backslashes() -> None:
    """In a raw string, a backslash is a character: unescaping would change the program."""
    program = "print(r'''a\\nb''')\n"
    code = f"This prints it:\n```python\n{program}```\n"

    action = read_action(json.dumps({"state": "", "code": code}))

    assert action.code == program


# A reply that would keep a naive parser busy is refused with bounded work.
#
# `action_of` looks in a model's reply for an *action*, a JSON object with the code to run. A reply
# of 100,000 open braces must not take minutes. `executed_lines` counts the lines of Python that
# are executed, which does not depend on how fast the machine is.


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{" * 100_000, id="open braces"),
        pytest.param('"' * 100_000, id="double quotes"),
        pytest.param("'" * 100_000, id="single quotes"),
        pytest.param("{'" * 50_000, id="braces and single quotes"),
        pytest.param('{"' * 50_000, id="braces and double quotes"),
        pytest.param('{"""' + '\\"""' * 25_000, id="escaped triple quotes"),
        pytest.param("{'a':" * 20_000, id="deep objects"),
        pytest.param('{"a":[' * 20_000, id="deep objects and lists"),
        pytest.param("{'a':" + "[" * 100_000, id="deep lists"),
        pytest.param("{'a': " + "-" * 99_000 + "1}", id="many minus signs"),
        pytest.param("{" + " " * 100_000, id="blanks after a brace"),
        pytest.param("{a" + " " * 100_000, id="blanks after a bare key"),
        pytest.param(("{" + " " * 999) * 100, id="blanks after many braces"),
        pytest.param("{'code'" + " " * 100_000, id="blanks after the key of the code"),
        pytest.param("{'\\" * 33_000, id="open escapes"),
        pytest.param(
            "{'a': " * 49 + "[" + "1," * 45_000 + "*]" + "}" * 49,
            id="long list with an error at its end",
        ),
        pytest.param("{'a'} " * 16_000, id="many sets"),
        pytest.param("{'code" * 16_000, id="many open keys"),
        pytest.param("{'a': 'b{' " * 9_000, id="many broken objects"),
        pytest.param('{"a' + "\\" * 100_000, id="backslashes"),
        pytest.param('{"a": 1e' * 12_000, id="broken numbers"),
        pytest.param("<code>\n" * 60_000, id="many code tags"),
        pytest.param("<parameter" * 40_000, id="many open tags"),
        pytest.param("<function=execute_script>" * 15_000, id="many open calls"),
    ],
)
def test_hostile_reply_is_refused_with_bounded_work(text: str) -> None:
    """Each text has some 100,000 characters, and none has an action. A parser that goes back
    again and again would execute billions of lines."""
    results = []

    work = executed_lines(lambda: results.append(action_of(text)))

    assert isinstance(results[0], Unusable)
    assert work < 2_000_000
