"""A trial that is asked to pay to two accounts, and whose user approves of one of them.

Both accounts are only in a mail, so the user is asked about each payment. The trial makes four calls
in one step: a read whose path is too long, as an example of a call that cannot be made at all, the read
of the mail, and the two payments. Its journal then has these events:

| event          | call                       | what it says                                |
| -------------- | -------------------------- | ------------------------------------------- |
| `CallEvent`    | `read("/aaaaaaaaaaa...")`  | `not_made`, because the path is too long    |
| `CallEvent`    | `read("/mail/m1.md")`      | `made`                                      |
| `CallApproval` | `pay(REFUSED_ACCOUNT)`     | the user `refused`                          |
| `CallStopped`  | `pay(REFUSED_ACCOUNT)`     | why the call was stopped                    |
| `CallApproval` | `pay(APPROVED_ACCOUNT)`    | the user `approved`                         |
| `CallStopped`  | `pay(REFUSED_ACCOUNT)`     | its outcome: another `pay` is sent instead  |
| `CallEvent`    | `pay(APPROVED_ACCOUNT)`    | `under_way`: the payment is made next       |
| `CallEvent`    | `pay(APPROVED_ACCOUNT)`    | `made`                                      |
| `StepDone`     |                            | the step is over                            |

A stopped call gets its outcome, a second `CallStopped`, when a similar call is sent later.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane import TaskEnvironment, Tool
from controlplane.agent.events import CallApproval, TrialEvent
from controlplane.agent.evidence import Tape, new_recorder, parse_policy
from controlplane.agent.loop import CallSettings, TrialContext, TrialSession
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.sandbox.interface import CallError, bounds
from tests.support.journals.read_events import trial_records_of

APPROVED_ACCOUNT = "US133000000121212121212"
REFUSED_ACCOUNT = "GB29NWBK60161331926819"
MAIL = (
    "Dear Ada, it was lovely to see all of you last week. Please pay 420 to "
    f"{APPROVED_ACCOUNT} at once, and after that, as you promised, all that is left to "
    f"{REFUSED_ACCOUNT} or we will be rather sad about it.\n"
)


class PayingTrial:
    """One attempt at the trial.

    A later attempt gets the events of an earlier one, and takes the results of recorded calls, and
    decisions of the user, from them: they are its *tape*.
    """

    def __init__(
        self, recorded: Sequence[TrialEvent] = (), *, is_replay: bool = False
    ) -> None:
        """Begin the trial, resume it from the events `recorded`, or replay all of them."""
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
        policy = parse_policy("approve", self.approve)
        context = TrialContext("t", "t", "Read the mail and do what is right.", None)
        self.session = TrialSession(context, recorder)
        CallSettings(policy).apply_to(recorder)

    def pay(self, recipient: str) -> str:
        """Pay."""  # what the model would read of this tool
        self.paid.append(recipient)
        return "sent"

    def approve(self, question: str) -> bool:
        """Decide as the user. The question quotes the mail, too, so only its beginning counts:
        `pay(recipient='US133000000121212121212') is to be sent. ...`"""
        self.questions.append(question)
        call, _, _quoted_mail = question.partition(" is to be sent.")
        return APPROVED_ACCOUNT in call

    def call(self, name: str, **arguments: str) -> None:
        """Make a call as the solver does, and keep what the solver gets to read."""
        try:
            result = self.session.call(name, arguments)
        except CallError as error:
            self.results.append(error.message)
        else:
            self.results.append(str(result))

    def run(self) -> PayingTrial:
        """Make the four calls of the trial, end its only step, and return this object."""
        too_long_path = "/" + "a" * (bounds.MOST_PATH_CHARS + 1)
        self.call("read", path=too_long_path)
        self.call("read", path="/mail/m1.md")
        self.call("pay", recipient=REFUSED_ACCOUNT)
        self.call("pay", recipient=APPROVED_ACCOUNT)
        self.session.steps.end()
        return self


def approvals_in(events: Sequence[TrialEvent]) -> list[CallApproval]:
    """Return the events that record what the user was asked and decided."""
    return [event for event in events if isinstance(event, CallApproval)]
