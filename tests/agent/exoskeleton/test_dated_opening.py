"""The second solver's initial prompt says which notices of a workspace have begun.

The names of notices start with a date: `2031-05-01-calls.md`. A trial takes place at a time in the
world of its workspace, so a notice may apply already, or not yet.
"""

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.exoskeleton import SolverBindings
from controlplane.agent.exoskeleton.opening import build_opening
from controlplane.agent.loop import LoopSettings, TrialContext
from tests.agent.loop.initial_prompt.dated_shop import DATED_NOW, DatedShop


def first_message_in_dated_shop(request: str) -> str:
    """Return the first message of a trial on 10 May 2031, in a shop with notices.

    The one on calls is of 1 May, and the one on carts of 20 May.
    """
    events: list[TrialEvent] = []
    recorder = new_recorder("t", DatedShop(), events.append, tape=Tape())
    recorder.step_log.begin(0)  # calls before the first step have the number 0
    trial = TrialContext("t", "dated", request, DATED_NOW)
    opened = build_opening(trial, recorder, LoopSettings(), SolverBindings())
    return "".join(opened.first_message)


def test_a_notice_of_an_earlier_date_has_begun() -> None:
    message = first_message_in_dated_shop("Check out cart-1.")

    assert "read /docs/news/2031-05-01-calls.md (begun)\n" in message


def test_a_notice_of_a_later_date_has_not_begun() -> None:
    message = first_message_in_dated_shop("Check out cart-1.")

    assert "/docs/news/2031-05-20-carts.md (not begun)" in message


def test_notices_stand_before_the_request() -> None:
    message = first_message_in_dated_shop("Check out cart-1.")

    assert message.index("(begun)") < message.index("Check out cart-1.")
