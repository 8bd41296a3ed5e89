"""The first message of a trial says which notices of a workspace have begun.

A notice is a document with a date in its name: `2031-05-01-calls.md`. A trial takes place at a time in the
world of its workspace, 2031-05-10 here. A notice of a later date does not apply yet. The message is that
of the second solver, the *exoskeleton*, which lets its model call tools.
"""

from dataclasses import replace
from datetime import UTC, datetime

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.exoskeleton import SolverBindings
from controlplane.agent.exoskeleton.exoskeleton import build_opening
from controlplane.agent.loop import LoopSettings, TrialContext
from controlplane.sandbox.interface import DocumentDates
from tests.agent.loop.initial_prompt.prompt_shop import SHOP_SCHEMA, Shop

SCHEMA = replace(
    SHOP_SCHEMA,
    # Names of documents begin with dates, in the time zone UTC (Z).
    document_dates=DocumentDates(zone="Z", in_names=True),
)

TRIAL = TrialContext(
    trial_id="t",
    task_id="dated",
    instruction="Check out the cart.",
    now=datetime(2031, 5, 10, 12, tzinfo=UTC),
)


def message_with_notice(path: str) -> str:
    """Return the first message of the trial, in a workspace with a notice at this path."""
    files = {
        "/RULES.md": "Carts: /docs/carts.md. A notice in `/docs/news` replaces it.\n",
        "/docs/carts.md": "A cart is checked out once.",
        path: "`/docs/carts.md` is wrong: a cart is checked out twice.",
    }
    events: list[TrialEvent] = []
    shop = Shop(SCHEMA, files=files)
    recorder = new_recorder("t", shop, emit=events.append, tape=Tape())
    recorder.step_log.begin(0)  # calls before the first step have the number 0
    opened = build_opening(TRIAL, recorder, LoopSettings(), SolverBindings())
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
