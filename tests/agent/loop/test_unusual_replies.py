"""A reply of the model may have too much, the wrong call, or nothing that can be run.

The trial asks for Ada's phone number. The reply `LOOK_UP` looks it up, and `ANSWER` submits it.
"""

from controlplane.agent.events import Noticed
from controlplane.agent.model import Reply, ToolCall
from controlplane.agent.reply.unusable_reply import Fault
from controlplane.sandbox import ForkServer
from tests.agent.loop.phonebook_trials import ANSWER, LOOK_UP, solve_for_ada


def test_the_user_is_told_of_actions_behind_the_one_that_ends_the_trial(
    server: ForkServer,
) -> None:
    """The second reply has an action that answers, and another one behind it."""
    solved = solve_for_ada(server, LOOK_UP, f"{ANSWER}\n{LOOK_UP}")

    notices = [event.text for event in solved.events if isinstance(event, Noticed)]
    assert notices == ["The reply held two actions. Only the first was run"]


def test_a_call_of_an_unknown_tool_is_reported_with_its_name(
    server: ForkServer,
) -> None:
    """The model is to call `execute_script`, or to reply with JSON."""
    call = ToolCall(name="get_weather", arguments='{"city": "Rome"}')

    solved = solve_for_ada(server, Reply(text="", tool_calls=(call,)), LOOK_UP, ANSWER)

    first_step, *_later_steps = solved.steps
    assert first_step.fault == Fault.WRONG_TOOL
    assert "'get_weather'" in first_step.error


def test_a_reply_of_thoughts_without_text_is_reported_as_such(
    server: ForkServer,
) -> None:
    """Such a reply has no action, but the model has not refused to act either."""
    thoughts = Reply(text="", reasoning="The files may say it.")

    solved = solve_for_ada(server, thoughts, LOOK_UP, ANSWER)

    first_step, *_later_steps = solved.steps
    assert first_step.fault == Fault.ONLY_THOUGHTS
