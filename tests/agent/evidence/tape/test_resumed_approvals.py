"""A killed or replayed trial repeats its record: nothing is asked, made or written twice.

The journal has each call, and the decisions of the user. A resumed trial takes results, approvals
and refusals from it, and is refused if it does something else. A replay notes where it differs.
Only a call that may be made again is repeated after a kill.
"""

from collections.abc import Sequence
from typing import Self

import pytest

from controlplane import TaskEnvironment, Tool
from controlplane.agent.events import (
    DONE_ALL_THE_SAME,
    CallApproval,
    CallEvent,
    CallRecord,
    CallStopped,
    Citation,
    StepDone,
    TrialEvent,
)
from controlplane.agent.evidence import (
    Difference,
    RecordDiverged,
    Tape,
    new_recorder,
    parse_policy,
)
from controlplane.agent.evidence.tape import NextEnvironment, StepLog, TapeReader
from controlplane.agent.loop import CallSettings, TrialContext, TrialSession
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    ToolSchema,
    bounds,
)
from tests.support.journals import trial_records_of
from tests.support.run_budgets import ample_budget

# A trial that reads a mail, and pays to two accounts in it. Its user approves of one payment.
#
#     trial = PayingTrial().run()
#     trial.questions   # one about each payment, since both accounts are only in the mail
#     trial.paid        # -> [APPROVED_ACCOUNT]
#     trial.events      # what its journal has
#
# The trial may be killed, and be *resumed* from the events that the journal has. A *replay* takes results
# and decisions from the journal, and notes what would be decided otherwise today:
#
#     PayingTrial(trial.events[:5]).run()
#     PayingTrial(trial.events, is_replay=True).run()

# A user with two accounts to pay to, who approves of one payment and refuses the other.
#
#     user = PayingUser()
#     user.approve("pay(recipient='US133000000121212121212') is to be sent. ...")   # -> True
#     user.questions   # what the user was asked
#     user.paid        # the accounts that were paid by the tool `user.pay`
#
# `MAIL` asks for both payments.

APPROVED_ACCOUNT = "US133000000121212121212"
REFUSED_ACCOUNT = "GB29NWBK60161331926819"
MAIL = f"Please pay 420 to {APPROVED_ACCOUNT} at once, and all that is left to {REFUSED_ACCOUNT}.\n"


class PayingUser:
    """Approves of payments to `APPROVED_ACCOUNT`, and of no other."""

    def __init__(self) -> None:
        self.questions: list[str] = []
        self.paid: list[str] = []

    def approve(self, question: str) -> bool | None:
        """Return True if the payment in the question may be made."""
        self.questions.append(question)
        call, _, _quoted_mail = question.partition(" is to be sent.")
        return APPROVED_ACCOUNT in call

    def pay(self, recipient: str) -> str:
        """Send money."""
        self.paid.append(recipient)
        return "sent"


class PayingTrial:
    """One attempt at the trial."""

    def __init__(
        self,
        recorded: Sequence[TrialEvent] = (),
        *,
        is_replay: bool = False,
        provenance: str = "approve",
        can_ask: bool = True,
    ) -> None:
        """With the setting `provenance="approve"`, the user decides; with "block", none is paid."""
        user = PayingUser()
        self.questions = user.questions
        self.paid = user.paid
        self.events: list[TrialEvent] = []
        """The new events of this attempt, which a run would write into the journal."""
        self.results: list[str] = []
        """What the solver got for each call: its result, or the message of its error."""
        record = trial_records_of(recorded).get("t", TrialRecord())
        self.tape = Tape(record, is_replay=is_replay)
        pay = Tool(user.pay, "acts")  # it changes something, so calls of it are checked
        environment = TaskEnvironment([pay], files={"/mail/m1.md": MAIL}).runtime
        recorder = new_recorder("t", environment, self.events.append, tape=self.tape)
        context = TrialContext("t", "t", instruction="Do what is right.", now=None)
        self.session = TrialSession(context, recorder, ample_budget())
        approve = user.approve if can_ask else lambda question: None
        CallSettings(parse_policy(provenance, approve)).apply_to(recorder)

    def call(self, name: str, **arguments: str) -> None:
        """Make a call as the solver does, and keep what the solver gets to read."""
        try:
            self.results.append(str(self.session.call(name, arguments)))
        except CallError as error:
            self.results.append(error.message)

    def run(self) -> Self:
        """Make four calls in one step, end it, and return this trial."""
        too_long_path = "/" + "a" * (bounds.MOST_PATH_CHARS + 1)
        self.call("read", path=too_long_path)  # is refused before it is made
        self.call("read", path="/mail/m1.md")
        self.call("pay", recipient=REFUSED_ACCOUNT)
        self.call("pay", recipient=APPROVED_ACCOUNT)
        self.session.end_step()
        return self


@pytest.fixture(scope="session")
def recorded_trial() -> PayingTrial:
    """A trial after its four calls: its user has refused one payment, and approved of another one."""
    return PayingTrial().run()


# A trial that reads a mail and pays to an account in it, after its user was asked.
#
#     read_and_pay(PayingTrial(), APPROVED_ACCOUNT).events
#     -> the mail is read, the user approves, the payment is announced, the payment is made
#
# Only the mail names the account, so that the user is asked.


def read_and_pay(trial: PayingTrial, account: str) -> PayingTrial:
    """Make the two calls of the trial, and return it."""
    trial.call("read", path="/mail/m1.md")
    trial.call("pay", recipient=account)
    return trial


# A trial that repeats a step of its record, which has the citations of `/a.md` and `/b.md`.
#
#     recorded in the journal   A, B
#     cited now                 A, and next B
#
#     reader = reader_after(A)
#     reader.take(B)             # -> B: the record has it, too
#     reader.tape.differences    # -> []: nothing differs from the record
#
# The trial was *resumed* after its process was killed, or a *replay* compares it with its record.

A = Citation(path="/a.md", reason="it names the fee", spelling="/a.md")
B = Citation(path="/b.md", reason="it names the fee", spelling="/b.md")

REFUSED_B = Citation(path="/b.md", reason="it names the fee", error="it was not read")
"""The same citation as `B`, with another outcome."""

C = Citation(path="/c.md", reason="it names the fee", spelling="/c.md")
"""A citation that is not in the record."""


def reader_after(
    *cited_now: Citation,
    record_has_end_of_step: bool = False,
    is_replay: bool = False,
) -> TapeReader:
    """Return the reader that compares a trial with its record, once it has cited these files.

    The trial is resumed, or replayed if `is_replay`. The record has the end of the step, or else
    the process was killed before it.
    """
    step = TrialStep(1)
    step.citations.extend((A, B))
    if record_has_end_of_step:
        step.done = StepDone(trial_id="t", step=1)
        record = TrialRecord(whole_steps=[step])
    else:
        record = TrialRecord(open_step=step)
    tape = Tape(record, is_replay)

    step_log = StepLog()
    step_log.begin(1)
    step_log.trial_step.citations.extend(cited_now)
    return TapeReader(tape, step_log)


# A resumed trial that differs from its record: by a limit that was lowered, or by another call.
#
# The record has the calls of a whole trial, and not the end of its step: a read with a path that is too
# long, the read of a mail, a payment that the user has refused, and one that was made.


def test_recorded_calls_may_exceed_a_limit_that_was_lowered_since() -> None:
    """The record has two calls that were made. With the new limit of one call, the second would be
    refused if it were not recorded."""
    whole = PayingTrial().run()
    *events_of_calls, _step_done = whole.events

    resumed = PayingTrial(events_of_calls)
    resumed.session.limits.calls.most = 1
    resumed.run()

    assert resumed.results == whole.results
    assert resumed.paid == []


# A trial that may make one call, and so may not pay after it has read the mail.
#
# Its record has the payments as calls that were refused. Nobody has been asked about them.


def trial_with_one_call() -> PayingTrial:
    """Return the trial whose limit is used up by the read of the mail."""
    trial = PayingTrial()
    trial.session.limits.calls.most = 1
    return trial.run()


def test_the_user_is_not_asked_about_a_call_beyond_the_limit() -> None:
    trial = trial_with_one_call()

    assert trial.questions == []
    assert trial.paid == []
    for result in trial.results[2:]:
        assert "at most 1 calls (--max-calls)" in result


def test_a_call_beyond_the_limit_is_refused_again_with_a_higher_limit() -> None:
    """The process was killed before the end of the step."""
    whole = trial_with_one_call()
    *events_of_calls, _step_done = whole.events

    resumed = PayingTrial(events_of_calls).run()

    assert resumed.results == whole.results
    assert resumed.questions == []
    assert resumed.paid == []


def test_a_replay_repeats_the_calls_beyond_the_limit() -> None:
    whole = trial_with_one_call()

    replayed = PayingTrial(whole.events, is_replay=True).run()

    assert replayed.results == whole.results
    assert replayed.tape.differences == []


def test_a_recorded_refusal_by_the_user_stays_one_with_a_lower_limit() -> None:
    """The record has no call for it, which could tell that it is not refused by the limit."""
    whole = PayingTrial()
    replayed = PayingTrial(read_and_pay(whole, REFUSED_ACCOUNT).events, is_replay=True)
    replayed.session.limits.calls.most = 1
    read_and_pay(replayed, REFUSED_ACCOUNT)

    assert replayed.results == whole.results
    assert replayed.tape.differences == []


def test_a_resumed_trial_that_makes_another_call_is_refused() -> None:
    """The first recorded call is a read at a path that is too long. The resumed trial reads the
    mail first."""
    whole = PayingTrial().run()
    *events_of_calls, _step_done = whole.events

    resumed = PayingTrial(events_of_calls)
    with pytest.raises(RecordDiverged, match="step 1 does not go as recorded"):
        resumed.call("read", path="/mail/m1.md")

    assert resumed.paid == []


# A trial repeats a recorded step, and makes another citation than the record has.
#
# In the recorded step 1, the script cited `/a.md` and `/b.md` (`A` and `B`). `reader_after(A)` has seen
# the repeated step cite `/a.md`, and compares the next citation with the record: `take(C)`.
#
# A *resumed* trial goes on after its process was killed. There, a difference is an error. A *replay*
# only examines an old trial. It notes the difference, and takes the citation of today.


def test_a_resumed_trial_must_not_cite_more_than_a_finished_step_has() -> None:
    reader = reader_after(A, B, record_has_end_of_step=True)

    with pytest.raises(RecordDiverged, match=r"citations\[2\] was nothing, and is now"):
        reader.take(C)


@pytest.mark.parametrize("record_has_end_of_step", [False, True])
def test_a_resumed_trial_must_not_cite_another_file_than_recorded(
    record_has_end_of_step: bool,
) -> None:
    """If the process was killed within the step, the record has no end of the step."""
    reader = reader_after(A, record_has_end_of_step=record_has_end_of_step)

    with pytest.raises(RecordDiverged, match=r"citations\[1\] was path='/b.md'"):
        reader.take(C)


def test_a_replay_notes_another_citation_than_recorded() -> None:
    reader = reader_after(A, record_has_end_of_step=True, is_replay=True)

    citation = reader.take(C)

    assert citation is C
    assert reader.tape.differences == [
        Difference(step=1, field="citations[1]", recorded=B, now=C)
    ]


def test_a_replay_notes_a_citation_that_is_not_recorded() -> None:
    reader = reader_after(A, B, record_has_end_of_step=True, is_replay=True)

    citation = reader.take(C)

    assert citation is C
    assert reader.tape.differences == [
        Difference(step=1, field="citations[2]", recorded="nothing", now=C)
    ]


# Which calls a trial makes again if its process was killed while they were under way.
#
# Nobody knows if such a call was made. A change must not happen twice, so the next process only makes the
# call again in an environment that surely lacks the change.

TOOL_SCHEMA = ToolSchema(operations=FILE_OPERATIONS, rules_document="")
"""It declares that `read` changes nothing, and `write` does. An undeclared operation may change something."""

READ = CallRecord(operation="read", arguments={"path": "/a.md"}, state="under_way")
WRITE = CallRecord(
    operation="write", arguments={"path": "/a.md", "content": "x"}, state="under_way"
)
EDIT_OF_WIKI = CallRecord(
    operation="wiki.edit", arguments={"page": "fees"}, state="under_way"
)
"""The dot in the name says that this is a tool of an MCP server, outside of the environment."""


@pytest.mark.parametrize("environment", NextEnvironment)
def test_a_read_may_be_made_again_in_every_environment(
    environment: NextEnvironment,
) -> None:
    assert environment.may_make_again(READ.decided_by(TOOL_SCHEMA))


@pytest.mark.parametrize(
    ("environment", "may_make_again"),
    [
        pytest.param(
            NextEnvironment.SAME, False, id="a container that still runs has the change"
        ),
        pytest.param(
            NextEnvironment.NEW, False, id="a platform may have kept the change"
        ),
        pytest.param(
            NextEnvironment.REBUILT, True, id="a rebuilt container lacks the change"
        ),
    ],
)
def test_a_change_is_only_made_again_in_a_rebuilt_environment(
    environment: NextEnvironment, may_make_again: bool
) -> None:
    assert environment.may_make_again(WRITE.decided_by(TOOL_SCHEMA)) == may_make_again


@pytest.mark.parametrize("environment", NextEnvironment)
def test_a_change_outside_of_the_environment_may_not_be_made_again(
    environment: NextEnvironment,
) -> None:
    assert not environment.may_make_again(EDIT_OF_WIKI.decided_by(TOOL_SCHEMA))


# What the journal records of each call of a trial.
#
# The trial makes four calls: one is invalid, one reads a mail, and two pay. The user refuses the first
# payment, and approves of the second one. The journal has an event for each thing that happens to a call:
#
#     CallApproval    the user was asked about a payment, and refused or approved
#     CallStopped     a payment was not made, or it is known what the model did instead
#     CallEvent       a call is announced, was made, or was invalid


def test_the_journal_has_the_events_of_each_call_in_their_order(
    recorded_trial: PayingTrial,
) -> None:
    event_types = [type(event).__name__ for event in recorded_trial.events]

    assert event_types == [
        "CallEvent",  # the invalid call
        "CallEvent",  # the mail is read
        "CallApproval",  # the user refuses the first payment
        "CallStopped",  # the first payment is not made
        "CallApproval",  # the user approves of the second payment
        "CallStopped",  # the first payment: the model makes the second one instead
        "CallEvent",  # the second payment is announced
        "CallEvent",  # the second payment is made
        "StepDone",
    ]


def test_the_journal_records_what_became_of_each_call(
    recorded_trial: PayingTrial,
) -> None:
    """A call that changes something is announced before it is made (`under_way`), so that a
    killed process does not make it twice. The refused payment has no `CallEvent`."""
    states = [
        event.state for event in recorded_trial.events if isinstance(event, CallEvent)
    ]

    assert states == [
        "not_made",  # the invalid call
        "made",  # reading the mail
        "under_way",  # the payment that the user approves
        "made",  # the same payment
    ]


def test_only_the_approved_payment_is_made(recorded_trial: PayingTrial) -> None:
    assert recorded_trial.paid == [APPROVED_ACCOUNT]


# What the journal records of the decisions of a trial's user.
#
# The user is asked about two payments. He refuses the first one, to `REFUSED_ACCOUNT`, which is stopped,
# and approves of the second one, to `APPROVED_ACCOUNT`.


def approvals_in(trial: PayingTrial) -> list[CallApproval]:
    """Return the events that record what the user was asked and decided."""
    return [event for event in trial.events if isinstance(event, CallApproval)]


def test_the_journal_records_what_the_user_decided(recorded_trial: PayingTrial) -> None:
    refused, approved = approvals_in(recorded_trial)

    assert refused.arguments["recipient"] == REFUSED_ACCOUNT
    assert refused.answer == "refused"
    assert approved.arguments["recipient"] == APPROVED_ACCOUNT
    assert approved.answer == "approved"


def test_the_journal_records_that_nobody_could_be_asked() -> None:
    """As without a terminal. The payment is not made, and no user has refused it."""
    trial = PayingTrial(can_ask=False)

    read_and_pay(trial, APPROVED_ACCOUNT)

    (unasked,) = approvals_in(trial)
    assert unasked.answer == "unasked"
    assert trial.paid == []


def test_the_journal_records_what_the_user_was_asked(
    recorded_trial: PayingTrial,
) -> None:
    recorded_questions = [approval.text for approval in approvals_in(recorded_trial)]

    assert recorded_questions == recorded_trial.questions


def test_the_journal_records_why_a_call_was_stopped(
    recorded_trial: PayingTrial,
) -> None:
    """An event of this type without an objection says later what became of a stopped call."""
    stopped_accounts: list[object] = []
    for event in recorded_trial.events:
        if isinstance(event, CallStopped) and event.objection:
            stopped_accounts.append(event.arguments["recipient"])

    assert stopped_accounts == [REFUSED_ACCOUNT]


# If a trial repeats a recorded step, its actions end as the record says.
#
# The record has the citations `A` of `/a.md` and `B` of `/b.md`; then the process was killed. The trial is
# resumed or replayed. `reader_after(A)` has repeated the first citation. `take` gets the next one, and
# returns the recorded one, or None if the citation is new.

RESUMED_AND_REPLAYED = pytest.mark.parametrize(
    "is_replay", [pytest.param(False, id="resumed"), pytest.param(True, id="replayed")]
)


@RESUMED_AND_REPLAYED
def test_the_same_action_is_recorded(is_replay: bool) -> None:
    reader = reader_after(A, is_replay=is_replay)

    assert reader.take(B) is B
    assert reader.tape.differences == []


@RESUMED_AND_REPLAYED
def test_of_two_outcomes_the_recorded_one_counts(is_replay: bool) -> None:
    """`/b.md` is refused now, and was accepted in the record. The difference is noted."""
    reader = reader_after(A, is_replay=is_replay)

    assert reader.take(REFUSED_B) is B
    assert reader.tape.differences == [Difference(1, "citations[1]", B, REFUSED_B)]


def test_after_the_last_recorded_action_an_action_is_new() -> None:
    """The process was killed after `B`, so nobody knows what it would have cited next."""
    reader = reader_after(A, B)

    assert reader.take(C) is None
    assert reader.tape.differences == []


def test_in_the_next_step_everything_is_new() -> None:
    """The record has step 1 only."""
    reader = reader_after()
    reader.step_log.begin(2)

    assert reader.take(A) is None
    assert reader.tape.differences == []


# A replay of a recorded trial notes what would be decided otherwise than in the record.
#
# In `recorded_trial`, the user refused a payment, which was stopped. Then the user approved of a payment to
# another account, which was sent.


def test_a_replay_notes_the_objection_to_a_call_that_was_sent(
    recorded_trial: PayingTrial,
) -> None:
    """The user approved of one payment, so it was sent. With the setting `block`, it would be stopped
    today. The note has the message that the model would read."""
    replay = PayingTrial(recorded_trial.events, is_replay=True, provenance="block")

    replay.run()

    (difference,) = replay.tape.differences
    message_of_today = str(difference.now)
    assert difference.field == "stopped"
    assert difference.recorded is None
    assert message_of_today.startswith("pay was not sent. ")
    assert APPROVED_ACCOUNT in message_of_today


# Positions of events in the journal. The events 0 and 1 are of calls before the payments.
USER_REFUSES_FIRST_PAYMENT = 2
FIRST_PAYMENT_IS_STOPPED = 3
SECOND_PAYMENT_IS_MADE_INSTEAD = 5  # after event 4: the user approves of it


@pytest.mark.parametrize(
    ("position", "changed_fields", "field_with_difference"),
    [
        pytest.param(
            USER_REFUSES_FIRST_PAYMENT,
            {"operation": "refund"},
            "approvals",
            id="the call about which the user was asked",
        ),
        pytest.param(
            FIRST_PAYMENT_IS_STOPPED,
            {"by": "check"},
            "stopped",
            id="the check that stopped the call",
        ),
        pytest.param(
            SECOND_PAYMENT_IS_MADE_INSTEAD,
            {"then": DONE_ALL_THE_SAME},
            "stopped",
            id="what became of the stopped call",
        ),
    ],
)
def test_a_replay_notes_a_record_that_says_something_else_of_a_stopped_call(
    recorded_trial: PayingTrial,
    position: int,
    changed_fields: dict[str, str],
    field_with_difference: str,
) -> None:
    """One event in the journal was changed, in a field that a replay computes again."""
    events = list(recorded_trial.events)
    events[position] = events[position].model_copy(update=changed_fields)
    replay = PayingTrial(events, is_replay=True)

    replay.run()

    fields = [difference.field for difference in replay.tape.differences]
    assert field_with_difference in fields


# A replay runs a recorded trial again, and notes where it goes otherwise.
#
# It takes all results of calls, and all decisions of the user, from the record. Nothing happens because
# of it: nobody is asked, nothing is paid, and no events are written. `recorded_trial` has paid to one
# account, after its user had refused another payment.


def test_a_replay_neither_asks_nor_pays_nor_writes_events(
    recorded_trial: PayingTrial,
) -> None:
    replay = PayingTrial(recorded_trial.events, is_replay=True)

    replay.run()

    assert replay.questions == []
    assert replay.paid == []
    assert replay.events == []


def test_a_replay_of_the_same_calls_gets_their_results_and_finds_no_difference(
    recorded_trial: PayingTrial,
) -> None:
    replay = PayingTrial(recorded_trial.events, is_replay=True)

    replay.run()

    assert replay.results == recorded_trial.results
    assert replay.tape.differences == []


def test_a_replay_notes_a_call_that_is_not_the_recorded_one(
    recorded_trial: PayingTrial,
) -> None:
    """The first call in the record has a path that is too long. The replay reads the mail first."""
    replay = PayingTrial(recorded_trial.events, is_replay=True)

    replay.call("read", path="/mail/m1.md")

    (difference,) = replay.tape.differences
    assert difference.field == "calls[0]"


def test_a_replay_goes_on_after_a_difference(recorded_trial: PayingTrial) -> None:
    """It makes a call that is not in the record, and then all of the recorded ones."""
    replay = PayingTrial(recorded_trial.events, is_replay=True)
    replay.call("read", path="/mail/m1.md")

    replay.run()

    _result_of_other_call, *later_results = replay.results
    assert later_results == recorded_trial.results


# A killed trial, whose user has refused a payment, is resumed from the events in its journal.
#
# The trial reads a mail, and wants to pay to an account in it. The user is asked, and says no. So the
# payment is stopped, and its result is the message why. The resumed trial does not ask again.


def test_a_trial_that_was_killed_before_the_question_asks() -> None:
    first = read_and_pay(PayingTrial(), REFUSED_ACCOUNT)
    mail_read, _refusal, _stop = first.events

    resumed = read_and_pay(PayingTrial([mail_read]), REFUSED_ACCOUNT)

    assert len(resumed.questions) == 1
    assert resumed.questions == first.questions
    assert resumed.paid == []


def test_a_trial_that_was_killed_after_the_refusal_does_not_ask_again() -> None:
    first = read_and_pay(PayingTrial(), REFUSED_ACCOUNT)
    mail_read, refusal, _stop = first.events

    resumed = read_and_pay(PayingTrial([mail_read, refusal]), REFUSED_ACCOUNT)

    assert resumed.questions == []
    assert resumed.paid == []
    assert resumed.results == first.results


def test_a_payment_that_was_stopped_is_stopped_again() -> None:
    first = read_and_pay(PayingTrial(), REFUSED_ACCOUNT)

    resumed = read_and_pay(PayingTrial(first.events), REFUSED_ACCOUNT)

    assert resumed.questions == []
    assert resumed.paid == []
    assert resumed.results == first.results


def test_a_resumed_trial_that_stops_another_payment_is_refused() -> None:
    """The resumed trial pays to the other account, which the setting `block` stops without a
    question."""
    first = read_and_pay(PayingTrial(), REFUSED_ACCOUNT)

    resumed = PayingTrial(first.events, provenance="block")
    resumed.call("read", path="/mail/m1.md")
    with pytest.raises(RecordDiverged, match="stopped was pay was not sent"):
        resumed.call("pay", recipient=APPROVED_ACCOUNT)

    assert resumed.paid == []


# A resumed trial makes the calls of its step again, and comes to the same end.
#
# The whole trial writes nine events into its journal:
#
#     1  a read is refused: its path is too long       6  the model went on without the stopped call
#     2  the mail is read                              7  the second payment is announced
#     3  the user refuses the first payment            8  the second payment is made
#     4  the first payment is stopped                  9  the step ends
#     5  the user approves of the second payment
#
# The process is killed after one of them. The next process *resumes* the trial from the events.


# A killed trial, whose user has approved of a payment, is resumed from the events in its journal.
#
# The trial reads a mail, and pays to an account in it. The user is asked, and says yes. So the
# payment is announced in the journal, and then made. The resumed trial neither asks nor pays for
# what is recorded.


@pytest.mark.parametrize(
    ("recorded_count", "answered_questions", "paid_now"),
    [
        pytest.param(1, 0, [APPROVED_ACCOUNT], id="before the mail is read"),
        pytest.param(2, 0, [APPROVED_ACCOUNT], id="before the first question"),
        pytest.param(3, 1, [APPROVED_ACCOUNT], id="after the refusal"),
        pytest.param(4, 1, [APPROVED_ACCOUNT], id="after the first payment is stopped"),
        pytest.param(5, 2, [APPROVED_ACCOUNT], id="after the approval"),
        pytest.param(6, 2, [APPROVED_ACCOUNT], id="before the payment is announced"),
        # Seven events leave open whether the payment was made: see the next test.
        pytest.param(8, 2, [], id="after the payment is made"),
    ],
)
def test_a_trial_that_is_killed_and_resumed_comes_to_the_same_end(
    recorded_count: int, answered_questions: int, paid_now: list[str]
) -> None:
    """Neither a question nor a payment of the record comes a second time."""
    whole = PayingTrial().run()
    recorded = whole.events[:recorded_count]

    resumed = PayingTrial(recorded).run()

    assert resumed.results == whole.results
    assert resumed.paid == paid_now
    assert len(whole.questions) == 2
    assert resumed.questions == whole.questions[answered_questions:]
    # The events of both attempts together are those of one trial.
    types_of_both = [event.type for event in [*recorded, *resumed.events]]
    assert types_of_both == [event.type for event in whole.events]


def test_a_payment_that_was_under_way_is_neither_asked_about_nor_made_again() -> None:
    """The process is killed after the announcement, so the payment may have been made."""
    whole = PayingTrial().run()
    until_announcement = whole.events[:7]

    resumed = PayingTrial(until_announcement).run()

    assert resumed.questions == []
    assert resumed.paid == []


def test_a_trial_that_was_killed_before_the_question_asks_and_pays() -> None:
    first = read_and_pay(PayingTrial(), APPROVED_ACCOUNT)
    mail_read, _approval, _announcement, _payment = first.events

    resumed = read_and_pay(PayingTrial([mail_read]), APPROVED_ACCOUNT)

    assert len(resumed.questions) == 1
    assert resumed.questions == first.questions
    assert resumed.paid == [APPROVED_ACCOUNT]


def test_a_trial_that_was_killed_after_the_approval_pays_without_a_question() -> None:
    first = read_and_pay(PayingTrial(), APPROVED_ACCOUNT)
    mail_read, approval, _announcement, _payment = first.events

    resumed = read_and_pay(PayingTrial([mail_read, approval]), APPROVED_ACCOUNT)

    assert resumed.questions == []
    assert resumed.paid == [APPROVED_ACCOUNT]


def test_a_payment_that_was_under_way_is_not_made_again() -> None:
    """It may have been made, although its result is not in the journal."""
    first = read_and_pay(PayingTrial(), APPROVED_ACCOUNT)
    mail_read, approval, announcement, _payment = first.events

    recorded = [mail_read, approval, announcement]
    resumed = read_and_pay(PayingTrial(recorded), APPROVED_ACCOUNT)

    assert resumed.questions == []
    assert resumed.paid == []
    _mail, result_of_payment = resumed.results
    assert result_of_payment == (
        "the call was interrupted; whether it happened is not known"
    )


def test_a_trial_that_was_killed_after_the_payment_gets_its_result() -> None:
    first = read_and_pay(PayingTrial(), APPROVED_ACCOUNT)

    resumed = read_and_pay(PayingTrial(first.events), APPROVED_ACCOUNT)

    assert resumed.questions == []
    assert resumed.paid == []
    assert resumed.results == first.results


def test_an_approval_does_not_count_for_another_payment() -> None:
    """The resumed trial, whose solver does not do the same twice, pays to another account."""
    first = read_and_pay(PayingTrial(), APPROVED_ACCOUNT)
    mail_read, approval, _announcement, _payment = first.events

    resumed = PayingTrial([mail_read, approval])
    resumed.call("read", path="/mail/m1.md")
    with pytest.raises(RecordDiverged, match="approvals was pay"):
        resumed.call("pay", recipient=REFUSED_ACCOUNT)

    assert resumed.paid == []
