"""The loop of a trial: the model replies, its script runs, and the result goes back to the model.

A trial is solved in steps, each a reply and its script. These tests run whole trials with written
replies, and look at what the next request has: `solved.model.requests` are the messages of each.
"""

from __future__ import annotations

import itertools

from controlplane.agent.events import Noticed
from controlplane.agent.model import Reply, ToolCall
from controlplane.agent.reply.fault import Fault
from controlplane.sandbox import ForkServer
from tests.agent.loop.phonebook_trials import ANSWER, LOOK_UP, solve_for_ada
from tests.support.single_trial import step_reply


class TestNextRequest:
    """Each request repeats the conversation, and is made for what the model does next.

    `LOOK_UP` is a reply whose script looks up Ada's number, and `ANSWER` one whose script submits
    it.
    """

    def test_every_request_of_35_steps_begins_with_the_whole_one_before(
        self, server: ForkServer
    ) -> None:
        """Endpoints cache the beginning of a conversation, so nothing in it may change later."""
        replies = [step_reply(f"print({number})") for number in range(45)]
        # Mistakes in between get feedback of their own kinds.
        replies[5] = step_reply("print(1")
        replies[12] = step_reply("import os")
        replies[19] = "not JSON at all"
        replies[26] = step_reply("raise ValueError('no')")

        requests = solve_for_ada(server, *replies).model.requests

        assert len(requests) >= 35
        for earlier, later in itertools.pairwise(requests):
            assert later[: len(earlier)] == earlier

    def test_after_a_repeated_failure_one_request_has_a_higher_temperature(
        self, server: ForkServer
    ) -> None:
        """The third request comes after the second failure. A higher temperature lets the model try
        something else."""
        fails = step_reply("print(1 / 0)")

        solved = solve_for_ada(server, fails, fails, LOOK_UP, ANSWER)

        raised_temperature = 1.2
        assert solved.model.temperatures == [None, None, raised_temperature, None]

    def test_a_script_that_fails_like_the_one_before_is_left_out_of_the_conversation(
        self, server: ForkServer
    ) -> None:
        """A model that sees the same failure twice is tempted to repeat it."""
        first_failure = step_reply("print(1 / 0)  # as a reply reads")
        same_failure = step_reply("value = 1 / 0")

        solved = solve_for_ada(server, first_failure, same_failure, LOOK_UP, ANSWER)

        last_request = solved.model.requests[-1]
        conversation = [message["content"] for message in last_request]
        assert first_failure in conversation
        assert same_failure not in conversation
        assert LOOK_UP in conversation


class TestUnusualReplies:
    """A reply may have too much, the wrong call, or nothing that can be run.

    `LOOK_UP` is a reply whose script looks up Ada's number, and `ANSWER` one whose script submits
    it.
    """

    def test_the_user_is_told_of_actions_behind_the_one_that_ends_the_trial(
        self, server: ForkServer
    ) -> None:
        """The reply has an action that answers, and another one behind it."""
        two_actions = f"{ANSWER}\n{LOOK_UP}"

        solved = solve_for_ada(server, LOOK_UP, two_actions)

        notices = [event.text for event in solved.events if isinstance(event, Noticed)]
        assert notices == ["The reply held two actions. Only the first was run"]

    def test_a_call_of_an_unknown_tool_is_reported_with_its_name(
        self, server: ForkServer
    ) -> None:
        """The model is to call `execute_script`, or to reply with JSON."""
        call = ToolCall(name="get_weather", arguments='{"city": "Rome"}')
        reply = Reply(text="", tool_calls=(call,))

        solved = solve_for_ada(server, reply, LOOK_UP, ANSWER)

        assert solved.steps[0].fault == Fault.WRONG_TOOL
        assert "'get_weather'" in solved.steps[0].error

    def test_a_reply_of_thoughts_without_text_is_reported_as_such(
        self, server: ForkServer
    ) -> None:
        """Such a reply has no action, but the model has not refused to act either."""
        reply = Reply(text="", reasoning="The files may say it.")

        solved = solve_for_ada(server, reply, LOOK_UP, ANSWER)

        assert solved.steps[0].fault == Fault.ONLY_THOUGHTS
