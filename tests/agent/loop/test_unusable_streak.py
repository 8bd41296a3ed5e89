"""Three replies with the same fault switch the mode, ten unusable ones end the trial; also in a resumed one."""

import json

import pytest

from agent.loop import ResumeState
from agent.loop.unusable_streak import UnusableStreak
from agent.model import Reply
from controlplane.journal.journal_content import records_of
from sandbox import ForkServer
from tests.support.phonebook import Phonebook
from tests.support.single_trial import Solved, solve, step

ANSWER = step(
    'scratchpad["answer"], scratchpad["outcome"] = harness.lookup("ada").number, "OUTCOME_OK"\n'
    'harness.answer(scratchpad, lambda sp: sp["answer"] == "17")'
)


def asked_in(mode: str, text: str = "no JSON") -> Reply:
    return Reply(text=text, reply_mode=mode)


def play(server: ForkServer, *replies: Reply | str, resume_state: ResumeState | None = None) -> Solved:
    return solve(Phonebook(0.0), "ada-0", replies, server, resume_state=resume_state)


def test_the_mode_changes_rung_by_rung_after_three_of_the_same_fault() -> None:
    streak = UnusableStreak()
    assert [streak.note("no_object", "schema") for _ in range(3)] == ["", "", "tool"]
    assert streak.form["tool_choice"] == "execute_script"
    assert [streak.note("no_object", "tool") for _ in range(3)] == ["", "", "json"]
    assert streak.form == {"schema": {}}
    assert [streak.note("no_object", "json") for _ in range(3)] == ["", "", "text"]
    assert streak.form == {"schema": None}
    assert streak.note("no_object", "text") == ""
    assert streak.reason == "every reply lacked the JSON object"


def test_another_fault_or_a_usable_reply_begins_anew() -> None:
    streak = UnusableStreak()
    for fault in ("garbled", "garbled", "empty", "garbled", "garbled", "", "garbled", "garbled"):
        assert streak.note(fault, "schema") == ""
    assert streak.reason == ""
    assert streak.cause == "each of the last 2 replies held JSON that cannot be read"
    streak.note("empty", "schema")
    assert streak.cause == "each of the last 3 replies was unusable: 2 held JSON that cannot be read, 1 was empty"


@pytest.mark.parametrize(("switches", "mode"), [(False, "schema"), (True, "")])
def test_a_mode_that_was_chosen_or_that_does_not_exist_stays(switches: bool, mode: str) -> None:
    streak = UnusableStreak(switches)
    assert {streak.note("garbled", mode) for _ in range(9)} == {""}


def test_a_trial_says_that_it_asks_in_another_mode(server: ForkServer) -> None:
    solved = play(server, *[asked_in("schema")] * 3, ANSWER)
    told = [each.text for each in solved.events if each.type == "notice"]
    assert told == ["the same fault three times in a row; asking in reply mode tool from here on"]
    assert [each.fault for each in solved.steps] == ["no_object"] * 3 + [""]


def test_ten_in_a_row_end_the_trial_with_that_reason_and_a_resumed_one_counts_on(server: ForkServer) -> None:
    whole = play(server, *[asked_in("schema")] * 12)
    assert whole.reason == "every reply lacked the JSON object"
    assert len(whole.steps) == 10
    cut = [each for each in whole.events if getattr(each, "step", 0) <= 7]
    state = records_of(cut)["ada-0"].resume_state()
    resumed = play(server, *[asked_in("schema")] * 12, resume_state=state)
    assert (resumed.reason, len(resumed.steps)) == (whole.reason, 3)


def test_one_short_message_names_the_fault_and_shows_the_shape(server: ForkServer) -> None:
    shape = json.loads('{"state": "...", "plan": ["..."], "done": false, "code": "..."}')
    replies = ["no JSON", '{"state": "s" "code": "x"} {"code": "y"}', '{"state": "s"}', "<think>hm", ANSWER]
    solved = play(server, *replies)
    told = [each[-1]["content"] for each in solved.model.requests[1:5]]
    for message, named in zip(told, ["no JSON object", "delimiter", "code", "thinking alone"], strict=True):
        assert named in message
        assert len(message) < 500
        assert any(json.loads(line) == shape for line in message.splitlines() if line.startswith("{"))
