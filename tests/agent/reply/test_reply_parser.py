import json
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controlplane.agent.model import Reply, ToolCall
from controlplane.agent.reply.action import Action
from controlplane.agent.reply.reply import action_call, action_of
from controlplane.agent.reply.unusable_reply import Fault, Unusable

ACTION = {
    "state": "looking",
    "plan": ["read", "answer"],
    "done": False,
    "code": "print(1)",
}


@pytest.mark.parametrize(
    "text",
    [
        "```json\n" + json.dumps(ACTION, indent=2) + "\n```",
        "Here is my step:\n" + json.dumps(ACTION) + "\nI hope it helps.",
        json.dumps(ACTION) + json.dumps({**ACTION, "code": "print(2)"}),
        json.dumps(ACTION) + "\n" + json.dumps({**ACTION, "code": "print(2)"}),
        "{'state': 'looking', 'plan': ['read', 'answer'], 'done': False, 'code': 'print(1)'}",
        '{"state": "looking", "plan": ["read", "answer"], "done": False, "code": "print(1)"}',
        'thinking {not json} {"note": 1} ' + json.dumps(ACTION),
        '{"current_state": "looking", "plan_remaining_steps_brief": ["read", "answer"], "task_completed": false, '
        '"code": "print(1)"}',
        '{"state": "looking", "plan": "read\\nanswer", "done": false, "code": "print(1)"}',
    ],
)
def test_untidy_replies_give_the_one_action_they_hold(text: str) -> None:
    action = action_of(text)
    assert isinstance(action, Action)
    assert (action.state, action.plan, action.done, action.code) == (
        "looking",
        ("read", "answer"),
        False,
        "print(1)",
    )


@pytest.mark.parametrize(
    "text",
    [
        *(
            "{" * 100_000,
            '"' * 100_000,
            "'" * 100_000,
            "{'" * 50_000,
            '{"' * 50_000,
            '{"""' + '\\"""' * 25_000,
        ),
        *(
            "{'a':" * 20_000,
            '{"a":[' * 20_000,
            "{'a':" + "[" * 100_000,
            "{'a': " + "-" * 99_000 + "1}",
        ),
        *(
            "{" + " " * 100_000,
            "{a" + " " * 100_000,
            ("{" + " " * 999) * 100,
            "{'code'" + " " * 100_000,
            "{'\\" * 33_000,
        ),
        "{'a': " * 49 + "[" + "1," * 45_000 + "*]" + "}" * 49,
        *(
            "{'a'} " * 16_000,
            "{'code" * 16_000,
            "{'a': 'b{' " * 9_000,
            '{"a' + "\\" * 100_000,
            '{"a": 1e' * 12_000,
        ),
    ],
    ids=lambda each: f"{each[:8]}",
)
def test_hostile_text_takes_no_longer_than_its_length(text: str) -> None:
    started = time.process_time()
    assert isinstance(action_of(text), Unusable)
    assert time.process_time() - started < 4


@pytest.mark.parametrize(
    "written",
    [
        '{"state": s, "code": "print("hi")"}',
        '{"state": s, "code": "print(",", 1)"}',
        '{"state": s, "code": "print(1)" + "2"}',
        '{"state": s, "code": "print(1"}',
        '{"state": s, "code": \'print(1)\'}',
        '{"state": s, "code": print(1)}',
        '{"state": s, "code": "print(1)", "code": "print(2)"}',
        '{"state": s, "code": "  "}',
        '{"state": s, "code": "print(1)", more words}',
        '{"state": s, "inner": {"code": "print(1)", "b": 1}, oops}',
        '{"state": ' + "[" * 60 + '"code": "print(1)"}',
    ],
)
def test_code_that_would_be_a_guess_is_not_mended(written: str) -> None:
    assert isinstance(action_of(written), Unusable)


LATER = json.dumps({**ACTION, "code": "print('later')"})
NOW = json.dumps(ACTION)
XML = (
    "<tool_call>\n<function=execute_script>\n<parameter=state>\nlooking\n</parameter>\n"
    "<parameter=code>\nprint(1)\n</parameter>\n</function>\n</tool_call>"
)


@pytest.mark.parametrize(
    ("text", "others"),
    [
        (f"<|channel>thought\n<channel|>{NOW}<turn|>", 0),
        (f"<longcat_think>maybe {LATER}</longcat_think>\n{NOW}", 0),
        (f"<|begin_of_thought|>{LATER}<|end_of_thought|>{NOW}", 0),
        (f"{NOW}<|im_end|>\n<|im_start|>assistant", 0),
        (
            f"<|channel|>analysis<|message|>{LATER}<|end|><|start|>assistant<|channel|>final<|message|>{NOW}<|return|>",
            0,
        ),
        (f"perhaps {LATER}<|start|>assistant<|channel|>final<|message|>{NOW}", 0),
        (f"analysisPerhaps {LATER}assistantfinal{NOW}", 0),
        (f"Here is my thought process: {LATER}\nHere is my response: {NOW}", 0),
        (f"```json\n{NOW}\n```\n```json\n{LATER}\n```", 1),
        (f"[{NOW}, {LATER}, {LATER}]", 2),
        (XML, 0),
        (f"Now:\n{XML}\n{XML.replace('print(1)', 'print(2)')}", 1),
        (
            '<minimax:tool_call><invoke name="execute_script"><parameter name="code">print(1)</parameter></invoke>',
            0,
        ),
        ("I look.\n```python\nprint(1)\n```\nThen I answer.", 0),
        (f'{{"name": "execute_script", "arguments": {NOW}}}', 0),
        (json.dumps({**ACTION, "code": "\ufeffprint(1)"}), 0),
    ],
)
def test_the_first_action_outside_of_thoughts_counts_in_every_known_form(
    text: str, others: int
) -> None:
    action = action_of(text)
    assert isinstance(action, Action), action
    assert (action.code.strip(), action.others) == ("print(1)", others)


@pytest.mark.parametrize(
    "text",
    [
        "The loan ends on 2026-03-01, see docs/loans.md:4. OUTCOME_OK",
        "Thought: I look.\nAction: execute_script\nAction Input: print(1)",
        NOW.replace('"', "&quot;"),
        NOW.replace('"', "\u201d"),
        "Call <code>print(1)</code> first.",
        "```\nprint(1)\n```",
        "```python\nprint(1)\n```\nor\n```python\nprint(2)\n```",
        "```python\nprint(1)",
        XML.replace("</parameter>\n</function>", ""),
        XML.replace("execute_script", "read_file"),
        f"<think>I could run {NOW}",
        f"<|channel>thought\nI could run {NOW}",
        "<code>\n" * 60_000,
        "<parameter" * 40_000,
        "<function=execute_script>" * 15_000,
    ],
    ids=lambda each: each[:20],
)
def test_prose_is_no_action_and_thoughts_are_not_run(text: str) -> None:
    started = time.process_time()
    fault = action_of(text)

    assert isinstance(fault, Unusable)
    assert "\n" not in fault.reason
    assert time.process_time() - started < 4


LINES = [
    json.loads(line)
    for name in ("open", "apart")
    for line in (Path(__file__).parent / f"corpus/{name}.jsonl")
    .read_text(encoding="ascii")
    .splitlines()
]
QUIRKS = sorted({line["quirk"] for line in LINES})


def code_of(text: str, finish_reason: str = "stop") -> str | None:
    action = action_of(text, finish_reason)
    assert isinstance(action, Action | Unusable)
    return action.code if isinstance(action, Action) else None


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_reply_means_what_it_meant_or_nothing_is_executed(quirk: str) -> None:
    wrong = [
        (line["text"], line["code"], found)
        for line in LINES
        if line["quirk"] == quirk
        and (found := code_of(line["text"], line["finish_reason"])) != line["code"]
    ]

    assert wrong == []


PIECES = [
    *(
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
    ),
    *(
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
    ),
]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
    st.sampled_from(["stop", "length", "content_filter", "", "weird"]),
)
def test_no_text_raises_and_none_that_was_cut_is_executed(
    text: str, finish_reason: str
) -> None:
    code = code_of(text, finish_reason)
    assert code is None or finish_reason != "length"


@pytest.mark.parametrize(
    "code",
    [
        "python\nprint(1)",
        "```python\nprint(1)\n```",
        "```\nprint(1)",
        "Here it is:\n```python\nprint(1)\n```\nThat reads it.",
    ],
)
def test_what_surrounds_a_program_in_code_is_not_run(code: str) -> None:
    action = action_of(json.dumps({**ACTION, "code": code}))
    assert isinstance(action, Action)
    assert action.code.strip() == "print(1)"


def test_code_that_was_escaped_twice_is_run_as_it_was_meant() -> None:
    written = 'names = [\\"a\\"]\nprint(names)'
    action = action_of(json.dumps({**ACTION, "code": written}))

    assert isinstance(action, Action)
    assert action.code == 'names = ["a"]\nprint(names)'


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (
            "text = 'a\n'.split('\n')  # don't\n",
            "text = 'a\\n'.split('\\n')  # don't\n",
        ),
        ("print(f'{1}\n')", "print(f'{1}\\n')"),
        ("total = 3\nprint(total)}", "total = 3\nprint(total)"),
        ('print("a")"}', 'print("a")'),
    ],
)
def test_what_json_did_to_a_program_is_undone(written: str, meant: str) -> None:
    action = action_of(json.dumps({**ACTION, "code": written}))
    assert isinstance(action, Action)
    assert action.code == meant


@pytest.mark.parametrize("code", ["x = '''a\nb'''", "d = {1: 2}", "x = 'a"])
def test_code_without_such_a_fault_stays_as_it_is(code: str) -> None:
    action = action_of(json.dumps({**ACTION, "code": code}))
    assert isinstance(action, Action)
    assert action.code == code


def test_a_program_that_names_a_variable_python_is_left_alone() -> None:
    code = "python = 3\nprint(python)"
    action = action_of(json.dumps({**ACTION, "code": code}))

    assert isinstance(action, Action)
    assert action.code == code


@pytest.mark.parametrize("fence", ["```python", "```"])
def test_a_line_of_state_and_a_fence_are_an_action(fence: str) -> None:
    action = action_of(f"state: reading the rules\n{fence}\nprint('a \"b\"')\n```")
    assert isinstance(action, Action)
    assert (action.state, action.code.strip()) == (
        "reading the rules",
        "print('a \"b\"')",
    )


def test_a_fence_without_language_and_state_is_prose() -> None:
    assert isinstance(action_of("The file holds:\n```\nopen\n```"), Unusable)


def test_an_object_of_another_shape_is_told_as_that() -> None:
    unusable = action_of('{"answer": 7, "reason": "counted"}')
    assert isinstance(unusable, Unusable)
    assert unusable.fault is Fault.WRONG_SHAPE
    assert "'answer', 'reason'" in unusable.reason


CALLED = '{"state": "look", "code": "print(1)"}'


@pytest.mark.parametrize(
    ("calls", "is_read"),
    [
        ([("run_python", CALLED)], True),
        ([("run_python", '{"path": "/a", "code": "print(1)", "state": ""}')], False),
        ([("run_python", CALLED), ("run_python", CALLED)], False),
        ([("execute_script", CALLED), ("other", CALLED)], True),
    ],
)
def test_the_only_call_of_another_tool_is_read_if_its_arguments_are_an_action(
    calls: list[tuple[str, str]], is_read: bool
) -> None:
    tool_calls = tuple(
        ToolCall(name=name, arguments=arguments) for name, arguments in calls
    )
    call = action_call(Reply(text="", tool_calls=tool_calls))

    assert (call is not None) == is_read


def test_a_program_in_a_fence_keeps_its_own_escapes() -> None:
    program = "print(r'''a\\nb''')\n"
    code = f"This prints it:\n```python\n{program}```\n"
    action = action_of(json.dumps({"state": "", "code": code}))
    assert isinstance(action, Action)
    assert action.code == program
