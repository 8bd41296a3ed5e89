"""A trial that is asked to pay to two accounts, and whose user approves of one of them.

Both accounts are only in a mail, so the user is asked about each payment. The trial makes four calls in
one step: a read whose path is too long, which cannot be made at all, the read of the mail, a payment to
`REFUSED_ACCOUNT`, and one to `APPROVED_ACCOUNT`. `PayingTrial().run().paid == [APPROVED_ACCOUNT]`
"""

from collections.abc import Sequence
from typing import Self

from controlplane import TaskEnvironment, Tool
from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import Tape, new_recorder, parse_policy
from controlplane.agent.loop import CallSettings, TrialContext, TrialSession
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.sandbox.interface import CallError, bounds
from tests.support.journals.read_events import trial_records_of

APPROVED_ACCOUNT = "US133000000121212121212"
REFUSED_ACCOUNT = "GB29NWBK60161331926819"
MAIL = f"Please pay 420 to {APPROVED_ACCOUNT} at once, and all that is left to {REFUSED_ACCOUNT}.\n"


class PayingTrial:
    """One attempt at the trial. A later attempt takes results and decisions from the events of an
    earlier one, its *tape*: it resumes the trial, or replays it."""

    def __init__(
        self, recorded: Sequence[TrialEvent] = (), *, is_replay: bool = False
    ) -> None:
        self.events: list[TrialEvent] = []
        """The new events of this attempt, which a run would write into the journal."""
        self.questions: list[str] = []
        """What the user was asked in this attempt."""
        self.paid: list[str] = []
        """The accounts that were paid in this attempt."""
        self.results: list[str] = []
        """What the solver got for each call: its result, or the message of its error."""
        record = trial_records_of(recorded).get("t", TrialRecord())
        self.tape = Tape(record, is_replay=is_replay)
        tools = [Tool(self.pay, "acts")]
        environment = TaskEnvironment(tools, files={"/mail/m1.md": MAIL}).runtime
        recorder = new_recorder("t", environment, self.events.append, tape=self.tape)
        context = TrialContext("t", "t", "Read the mail and do what is right.", None)
        self.session = TrialSession(context, recorder)
        CallSettings(parse_policy("approve", self.approve)).apply_to(recorder)

    def pay(self, recipient: str) -> str:
        """Pay."""  # what the model would read of this tool
        self.paid.append(recipient)
        return "sent"

    def approve(self, question: str) -> bool:
        """Decide as the user: `pay(recipient='US13...') is to be sent. (a quotation of the mail)`"""
        self.questions.append(question)
        call, _, _quoted_mail = question.partition(" is to be sent.")
        return APPROVED_ACCOUNT in call

    def call(self, name: str, **arguments: str) -> None:
        """Make a call as the solver does, and keep what the solver gets to read."""
        try:
            self.results.append(str(self.session.call(name, arguments)))
        except CallError as error:
            self.results.append(error.message)

    def run(self) -> Self:
        """Make the four calls of the trial, end its only step, and return this object."""
        self.call("read", path="/" + "a" * (bounds.MOST_PATH_CHARS + 1))
        self.call("read", path="/mail/m1.md")
        self.call("pay", recipient=REFUSED_ACCOUNT)
        self.call("pay", recipient=APPROVED_ACCOUNT)
        self.session.steps.end()
        return self
