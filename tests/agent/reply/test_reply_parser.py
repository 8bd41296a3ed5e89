import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.model import Reply, ToolCall
from agent.reply import Action, Unusable, action_call, action_of

ACTION = {"state": "looking", "plan": ["read", "answer"], "done": False, "code": "print(1)"}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ACTION),
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
    assert (action.state, action.plan, action.done, action.code) == ("looking", ("read", "answer"), False, "print(1)")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", "empty"),
        ("I cannot do that.", "no JSON object"),
        ('{"state": "s"}', "no JSON object|code"),
        ('{"state": "s", "plan": [], "done": false, "code": ""}', "code"),
        ("[1, 2]", "no JSON object"),
        ("{" * 5000, "no JSON object"),
        ("{'state': 's', [1]: 2}", "no JSON object"),
    ],
)
def test_a_reply_without_an_action_is_unusable_and_says_why(text: str, names: str) -> None:
    fault = action_of(text)
    assert isinstance(fault, Unusable)
    assert any(each in fault.reason for each in names.split("|"))


OTHER = {**ACTION, "code": "print(2)"}
PYTHON_WORDS = json.dumps(ACTION).replace("false", "False")
RAW = '{"state": "looking", "plan": ["read", "answer"], "done": False, "code": "print(1)\n"}'


@pytest.mark.parametrize(
    "behind", ["", "\n" + repr(OTHER), " then " + json.dumps(OTHER), " hope {this} helps", " }'\""]
)
@pytest.mark.parametrize(
    "first",
    [
        json.dumps(ACTION),
        repr(ACTION),
        PYTHON_WORDS,
        RAW,
        repr(ACTION).replace("'print(1)'", '"""print(1)"""'),
        repr(ACTION).replace("'print(1)'", "'''print(1)'''"),
        repr({"note": 1}) + repr(ACTION),
        "{it's not} " + json.dumps(ACTION),
    ],
)
def test_of_two_objects_in_a_row_the_first_is_taken_in_every_spelling(first: str, behind: str) -> None:
    action = action_of(first + behind)
    assert isinstance(action, Action)
    assert (action.state, action.plan, action.code.strip()) == ("looking", ("read", "answer"), "print(1)")


@pytest.mark.parametrize(
    "garbled",
    [
        '{"state": "s", "code": "print("hi")"}',
        "{'state': 'it's', 'code': 'x'}",
        '{"state": "s" "code": "x"}',
        '{state: "s", code: "x"}',
        '{"state": "s", "code": "print({\'code\': 1})"',
        '{"state": oops, "inner": {"code": "x"}}',
    ],
)
def test_behind_an_object_with_code_that_cannot_be_read_nothing_is_run(garbled: str) -> None:
    fault = action_of(garbled + "\n" + json.dumps(ACTION))
    assert isinstance(fault, Unusable)
    assert "first object" in fault.reason


@pytest.mark.parametrize(
    "text",
    [
        *("{" * 100_000, '"' * 100_000, "'" * 100_000, "{'" * 50_000, '{"' * 50_000, '{"""' + '\\"""' * 25_000),
        *("{'a':" * 20_000, '{"a":[' * 20_000, "{'a':" + "[" * 100_000, "{'a': " + "-" * 99_000 + "1}"),
        *(
            "{" + " " * 100_000,
            "{a" + " " * 100_000,
            ("{" + " " * 999) * 100,
            "{'code'" + " " * 100_000,
            "{'\\" * 33_000,
        ),
        "{'a': " * 49 + "[" + "1," * 45_000 + "*]" + "}" * 49,
        *("{'a'} " * 16_000, "{'code" * 16_000, "{'a': 'b{' " * 9_000, '{"a' + "\\" * 100_000, '{"a": 1e' * 12_000),
    ],
    ids=lambda each: f"{each[:8]}",
)
def test_hostile_text_takes_no_longer_than_its_length(text: str) -> None:
    started = time.process_time()
    assert isinstance(action_of(text), Unusable)
    assert time.process_time() - started < 4


@pytest.mark.parametrize(
    ("written", "plan"),
    [
        ("null", ()),
        ('{"first": "read"}', ("{'first': 'read'}",)),
        ('"read"', ("read",)),
        ("[null, true]", ("None", "True")),
        ("('read', 'answer')", ("read", "answer")),
        ("[{1}, b'x', {(1, 2): None}]", ("{1}", "b'x'", "{(1, 2): None}")),
    ],
)
def test_a_plan_in_any_form_never_costs_the_turn(written: str, plan: tuple[str, ...]) -> None:
    action = action_of(f'{{"code": "print(1)", "plan": {written}}}')
    assert isinstance(action, Action), action
    assert action.plan == plan


@given(st.text(min_size=1, max_size=60), st.text(max_size=40), st.sampled_from([json.dumps, repr]), st.booleans())
def test_text_behind_the_first_object_never_counts(
    code: str, behind: str, write: Callable[[object], str], done: bool
) -> None:
    first = {"state": 'it\'s "so"', "plan": ["a"], "done": done, "code": code}
    action = action_of("Now: " + write(first) + behind + write(OTHER) + behind)
    assert isinstance(action, Action)
    assert (action.code, action.state, action.done) == (code, first["state"], done)


@pytest.mark.parametrize(
    "written",
    [
        '{"state": "s" "code": "print(1)"}',
        '{state: "s", "code": "print(1)"}',
        '{"state": s, "code": "print(1)"}',
        '{"state": "s", // so\n "code": "print(1)"}',
        '{"state": "the "best" one", "code": "print(1)"}',
        '{"plan": ["a" "b"], "code": "print(1)", }',
    ],
)
def test_marks_around_the_code_are_mended(written: str) -> None:
    action = action_of(written)
    assert isinstance(action, Action)
    assert action.code == "print(1)"


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


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("print(1)", "print(1)"),
        (["a = 1", "print(a)"], "a = 1\nprint(a)"),
        (["a = 1\n", "print(a)\n"], "a = 1\nprint(a)"),
        ("```python\nprint(1)\n```", "print(1)"),
        ("```\nprint(1)\n```\n", "print(1)"),
        ("a = 1\\nprint(a)", "a = 1\nprint(a)"),
        ('a = \\"x\\"\\nprint(a)', 'a = "x"\nprint(a)'),
        ('a = "x"\\nprint(a)', 'a = "x"\nprint(a)'),
        # A program as it stands is left as it stands, whatever its strings hold.
        ('print("a\\nb")', 'print("a\\nb")'),
        ('a = "```python\\n"\nprint(a)', 'a = "```python\\n"\nprint(a)'),
        # What is a program neither way is run as it was written: the syntax error tells.
        ("a = \\n = b", "a = \\n = b"),
    ],
)
def test_code_is_taken_for_what_it_means(written: object, code: str) -> None:
    assert Action.model_validate({"code": written}).code == code


@pytest.mark.parametrize("name", ["python_code", "script", "python"])
def test_code_may_have_another_name_and_the_asked_for_one_comes_first(name: str) -> None:
    assert Action.model_validate({name: "print(1)"}).code == "print(1)"
    assert Action.model_validate({name: "3.11", "code": "print(1)"}).code == "print(1)"


@pytest.mark.parametrize("state", [None, 7, ["a"], {"a": 1}])
@pytest.mark.parametrize(
    ("done", "is_done"), [(None, False), ("not yet", False), (0.5, False), ("True", True), (1, True)]
)
def test_advisory_fields_cost_no_turn(state: object, done: object, is_done: bool) -> None:
    action = Action.model_validate({"state": state, "plan": None, "done": done, "code": "1"})
    assert (action.plan, action.done) == ((), is_done)


LATER = json.dumps({**ACTION, "code": "print('later')"})
NOW = json.dumps(ACTION)
XML = (
    "<tool_call>\n<function=execute_script>\n<parameter=state>\nlooking\n</parameter>\n"
    "<parameter=code>\nprint(1)\n</parameter>\n</function>\n</tool_call>"
)


@pytest.mark.parametrize(
    ("text", "others"),
    [
        (f"<|channel>thought\nperhaps {LATER}\n<channel|>{NOW}", 0),
        (f"<|channel>thought\n<channel|>{NOW}<turn|>", 0),
        (f"<analysis>maybe {LATER}</analysis>\n{NOW}", 0),
        (f"<longcat_think>maybe {LATER}</longcat_think>\n{NOW}", 0),
        (f"<|begin_of_thought|>{LATER}<|end_of_thought|>{NOW}", 0),
        (f"{NOW}<|end|>", 0),
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
        ('<minimax:tool_call><invoke name="execute_script"><parameter name="code">print(1)</parameter></invoke>', 0),
        ("I look.\n```python\nprint(1)\n```\nThen I answer.", 0),
        ("Thought: I look.\n<code>\nprint(1)\n</code>", 0),
        (f'{{"name": "execute_script", "arguments": {NOW}}}', 0),
        (json.dumps({**ACTION, "code": "\ufeffprint(1)"}), 0),
    ],
)
def test_the_first_action_outside_of_thoughts_counts_in_every_known_form(text: str, others: int) -> None:
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


def test_a_refusal_is_told_in_its_own_words() -> None:
    fault = action_of("I can't help\nwith that.", "refusal")
    assert isinstance(fault, Unusable)
    assert 'refusal, "I can\'t help with that."' in fault.reason


def test_a_call_carries_the_action_unless_it_is_empty() -> None:
    calls = [ToolCall(name="execute_script", arguments=text) for text in ("", "null", "{}", NOW, LATER)]
    reply = Reply(text=LATER, tool_calls=calls)
    assert action_call(reply) == calls[3]
    assert action_call(Reply(text=NOW, tool_calls=calls[:3])) is None
    assert action_call(Reply(text="", tool_calls=[ToolCall(name="", arguments=NOW)])) is not None
    assert action_call(Reply(text="", tool_calls=[ToolCall(name="look", arguments=NOW)])) is None


LINES = [
    json.loads(line)
    for name in ("open", "apart")
    for line in (Path(__file__).parent / f"corpus/{name}.jsonl").read_text(encoding="ascii").splitlines()
]
QUIRKS = sorted({each["quirk"] for each in LINES})


def code_of(text: str, finish_reason: str = "stop") -> str | None:
    action = action_of(text, finish_reason)
    assert isinstance(action, Action | Unusable)
    return action.code if isinstance(action, Action) else None


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_reply_means_what_it_meant_or_nothing_is_executed(quirk: str) -> None:
    wrong = [
        (each["text"], each["code"], found)
        for each in LINES
        if each["quirk"] == quirk and (found := code_of(each["text"], each["finish_reason"])) != each["code"]
    ]
    assert wrong == []


WHOLE = [each for each in LINES if each["code"] and each["quirk"] in ("fence", "Python", "prose", "call as text")]


@pytest.mark.parametrize("line", WHOLE, ids=range(len(WHOLE)))
def test_cut_off_at_every_length_it_is_the_whole_code_or_none(line: dict[str, str]) -> None:
    text = line["text"]
    for length in range(len(text)):
        assert code_of(text[:length]) in (None, line["code"])
        assert code_of(text[:length], "length") is None


PIECES = [
    *('{"state": "s", ', '"code": "print(1)"', "'code': 'x'", "}", "{", "[", "]", ",", "```python\n", "```", "<think>"),
    *("</think>", '"', "'", "\\", '\\"', "\n", "True", "code:", "print(2)", '"plan": []', "//", "\ud800", "null", "\0"),
]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
    st.sampled_from(["stop", "length", "content_filter", "", "weird"]),
)
def test_no_text_raises_and_none_that_was_cut_is_executed(text: str, finish_reason: str) -> None:
    code = code_of(text, finish_reason)
    assert code is None or finish_reason != "length"
