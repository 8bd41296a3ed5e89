"""The second solver's initial prompt says which notices of a workspace have begun.

The names of notices start with a date: `2031-05-01-calls.md`. A trial takes place at a time in the
world of its workspace, so a notice may apply already, or not yet.
"""

from dataclasses import replace
from datetime import UTC, datetime

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.exoskeleton import SolverBindings
from controlplane.agent.exoskeleton.opening import build_opening
from controlplane.agent.loop import LoopSettings, TrialContext
from controlplane.sandbox.interface import DocumentDates
from tests.agent.loop.initial_prompt.prompt_shop import SHOP_SCHEMA, Shop


def message_with_notice(notice: str) -> str:
    """Return the first message of a trial on 2031-05-10, in a workspace with one notice.

    The request is "Check out the cart.".
    """
    files = {
        "/RULES.md": "Carts: /docs/carts.md. Notices in `/docs/news` win.\n",
        "/docs/carts.md": "A cart is checked out once.",
        notice: "Instead of `/docs/carts.md`: twice.",
    }
    dates = DocumentDates(zone="Z", in_names=True)
    shop = Shop(replace(SHOP_SCHEMA, document_dates=dates), files=files)
    events: list[TrialEvent] = []
    recorder = new_recorder("t", shop, events.append, tape=Tape())
    recorder.step_log.begin(0)  # calls before the first step have the number 0
    now = datetime(2031, 5, 10, 12, tzinfo=UTC)
    trial = TrialContext("t", "dated", "Check out the cart.", now)
    opened = build_opening(trial, recorder, LoopSettings(), SolverBindings())
    return "".join(opened.first_message)


def test_a_notice_of_an_earlier_date_has_begun() -> None:
    message = message_with_notice("/docs/news/2031-05-01-carts.md")

    assert "read /docs/news/2031-05-01-carts.md (begun)\n" in message


def test_a_notice_of_a_later_date_has_not_begun() -> None:
    message = message_with_notice("/docs/news/2031-05-20-carts.md")

    assert "/docs/news/2031-05-20-carts.md (not begun)" in message


def test_notices_stand_before_the_request() -> None:
    message = message_with_notice("/docs/news/2031-05-01-carts.md")

    assert message.index("(begun)") < message.index("Check out the cart.")
