"""A corpus of untidy replies: what must be recovered is, and what must not be executed never is.

`corpus/open.jsonl` was looked at while the parser was written, `corpus/apart.jsonl`, a third, was not. A line holds the
reply, how it ended, its quirk, and the code that it means; null for a reply of which nothing may be executed. Those of
the small model were drawn at temperatures of 0.3 to 1.0.
"""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.reply import Action, Unusable, action_of

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
