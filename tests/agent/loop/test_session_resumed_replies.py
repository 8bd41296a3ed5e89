"""A trial that is interrupted after any event and resumed does, asks and pays nothing twice.

The model is asked only for replies that are not recorded, and every paid reply counts once for the
limit. A call against the records is stopped once, and sent when it is repeated. A replay finds
where a trial differs from its record.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

import pytest

from controlplane.agent.events import CallStopped, ModelReplied, StepDone, TrialEvent
from controlplane.agent.evidence import Difference, new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.loop import TrialContext, TrialSession
from controlplane.agent.model import (
    Message,
    ModelError,
    ModelRequest,
    OutOfBudget,
    Reply,
    Usage,
)
from controlplane.agent.trial_gates import GateSettings
from controlplane.benchmarks.ecom.world.world import workspace_of
from controlplane.gates.submission import Submission
from controlplane.replay.rerun import Recording, RerunSettings, rerun
from controlplane.sandbox import ForkServer
from controlplane.sandbox.interface import CallError, Plain
from tests.agent.loop.solved_session import TRIAL, events_of
from tests.benchmarks.ecom.solutions.reference_scripts import RecordingEnvironment
from tests.benchmarks.ecom.variants import generate_variant
from tests.support.counting_environment import TOOL_SCHEMA
from tests.support.journals import is_announced_call, trial_records_of
from tests.support.run_budgets import ample_budget
from tests.support.single_trial import with_functions_in_process

# A trial that checks out a basket with more pieces of a product than the store has.
#
#     trial = CheckoutAgainstRecords()
#     trial.check_out()   # Raises `CallError`: the call contradicts the records, so it is not sent.
#     trial.check_out()   # The same call is sent, since the solver has read why it was stopped.
#
# The rule set `ecom`, the rules of a shop, has a function that compares a checkout with the records.

CHECKOUT_AGAINST_RECORDS_TRIAL = TrialContext(
    trial_id="run1-0",
    task_id="basket-checkout.1",
    instruction="Check out.",
    now=datetime(2031, 5, 4, tzinfo=UTC),
)


class CheckoutAgainstRecords:
    """The trial, and how often its checkout has reached the shop."""

    def __init__(self) -> None:
        # A generated shop. Of one line (product) in the basket, the store has too few pieces.
        task = generate_variant("basket-checkout: one line is short", seed="seed 1")
        self.basket_path = task.truth.for_tests["basket"]
        basket_id = task.truth.for_tests["id"]
        self.arguments: dict[str, Plain] = {
            "path": "/bin/checkout",
            "args": [basket_id],
            "stdin": "",
        }
        self.shop = RecordingEnvironment(workspace_of(task.world))
        self.events: list[TrialEvent] = []
        self.recorder = new_recorder(
            CHECKOUT_AGAINST_RECORDS_TRIAL.trial_id,
            self.shop,
            self.events.append,
            tape=Tape(),
        )
        self.session = TrialSession(
            CHECKOUT_AGAINST_RECORDS_TRIAL,
            with_functions_in_process(self.recorder),  # without a sandbox, to be fast
            ample_budget(),
            GateSettings(rule_sets=("ecom",)),
        )

    def check_out(self) -> None:
        """Make the call that the records do not allow. Raises `CallError` if it is stopped."""
        self.session.call("exec", self.arguments)

    @property
    def sent_count(self) -> int:
        """How often the checkout has reached the shop."""
        return self.shop.calls.count(("exec", self.arguments))


# A solver that does in one step all that a solver can do, and a model that it asks.
#
#     solve_in_one_step(session, model=CountingModel())
#
# 1. It reads a file, and asks the model twice.
# 2. It cites a file that it has not read, which is refused, and so is its first submission.
# 3. It runs a program that changes something, cites the file that it has read, and submits again.

MESSAGES: list[Message] = [{"role": "user", "content": "which word?"}]


class CountingModel:
    """A model that counts its requests, and replies to each for a quarter of a dollar."""

    paid_reply = Reply(
        text="the word is heron",
        usage=Usage(prompt_tokens=3, completion_tokens=2),
        cost_usd=0.25,
    )

    def __init__(self) -> None:
        self.request_count = 0

    def reply(self, request: ModelRequest) -> Reply:
        self.request_count += 1
        return self.paid_reply

    def fail_with_price(self, request: ModelRequest) -> Reply:
        """Fail as an endpoint does whose reply has no text but must be paid.

        The session counts what the reply of the error costs.
        """
        self.request_count += 1
        error = ModelError("the reply has no text")
        error.test_reply = self.paid_reply
        raise error


def submission_citing(path: str, reason: str) -> Submission:
    """Return a submission of the right answer that cites one file for this reason."""
    reasons_by_path = {path: reason}
    return Submission(answer="heron", outcome="OUTCOME_OK", refs_why=reasons_by_path)


def solve_in_one_step(session: TrialSession, model: CountingModel) -> None:
    """Make two calls, two citations, two requests to the model, and two submissions.

    The first citation is of a file that was not read, and the first submission is rejected.
    """
    session.call("read", {"path": "/note.txt"})
    with pytest.raises(ValueError, match="not read"):
        session.check_citation("/draft.txt", "the draft of the word")
    for _ in range(2):
        session.ask(model.reply, ModelRequest(MESSAGES, role="parse"))
    rejected = session.submit(submission_citing("/draft.txt", "the draft of the word"))
    assert not rejected.accepted

    session.call("exec", {"path": "/bin/checkout", "args": [], "stdin": ""})
    reason = "the note says that the word is heron"
    path = session.check_citation("/note.txt", reason)
    accepted = session.submit(submission_citing(path, reason))
    assert accepted.accepted


# The events of a trial that was interrupted: its first event, its first two events, and so on.
#
#     whole = whole_trial()
#     types_of(whole)        # ["call", "citation", "model_replied", ...]
#     beginnings_of(whole)   # [whole[:1], whole[:2], ...]
#
# The trial has one step, in which its solver does all that a solver can do: `solve_in_one_step`.


def whole_trial() -> list[TrialEvent]:
    """Return the events of a trial that was not interrupted."""
    return events_of(partial(solve_in_one_step, model=CountingModel()))


def types_of(events: Sequence[TrialEvent]) -> list[str]:
    """Return the types of events, without requests to the model.

    A resumed trial sends a request again if the journal lacks its reply, so both attempts have it.
    """
    return [event.type for event in events if event.type != "model_asked"]


def beginnings_of(whole: Sequence[TrialEvent]) -> list[Sequence[TrialEvent]]:
    """Return the journals of trials that were interrupted: the first event, the first two ...

    Neither the empty journal nor the whole one is among them, nor one that ends with the
    announcement of a call. Such a trial does not go on like the whole one: nobody knows whether the
    call was made, and the solver gets an error.
    """
    beginnings = [whole[:count] for count in range(1, len(whole))]
    return [recorded for recorded in beginnings if not is_announced_call(recorded[-1])]


# A trial of one step, and the replay of it, which finds where it differs from the record.
#
# `replay(recorded_step(), server)` is None, since nothing differs. If the record of the step was changed by
# hand, `replay` returns the first difference.


def solve(session: TrialSession) -> None:
    """Read a note, and answer with its word. A citation of the draft, not read, is refused."""
    session.call("read", {"path": "/note.txt"})
    with pytest.raises(ValueError, match="not read"):
        session.check_citation("/draft.txt", "the draft of the word")
    reason = "the note says that the word is heron"
    session.submit(
        Submission(answer="heron", outcome="OUTCOME_OK", refs_why={"/note.txt": reason})
    )


def recorded_step() -> StepDone:
    """Return the record of the trial's only step."""
    (step,) = [event for event in events_of(solve) if isinstance(event, StepDone)]
    return step


def replay(step: StepDone, server: ForkServer) -> Difference | None:
    """Replay a recorded step, and return the first difference from the record."""
    record = trial_records_of([step])[TRIAL.trial_id]
    recording = Recording(TRIAL, TOOL_SCHEMA, record)
    (difference,) = rerun(recording, server, RerunSettings())
    return difference


# A solver that asks its model two questions in each of two steps. The model replies with the question.
#
#     solver = TwoStepSolver()
#     events_of(solver)   # the events of a trial
#     solver.asked        # -> ["1.a", "1.b", "2.a", "2.b"]
#
# A resumed trial, `events_of(TwoStepSolver(), recorded)`, asks only for replies that are not recorded.


class TwoStepSolver:
    """Asks its model two questions in each of two steps. The model replies with the question."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        """The questions for which the model was asked: `["1.a", "1.b", "2.a", "2.b"]`."""

    def __call__(self, session: TrialSession) -> None:
        for number in (1, 2):
            with session.step() as step:
                first_reply = self.reply_to(session, f"{number}.a")
                second_reply = self.reply_to(session, f"{number}.b")
                step.done = StepDone(
                    trial_id=TRIAL.trial_id,
                    step=step.number,
                    output=f"{first_reply} {second_reply}",
                )

    def reply_to(self, session: TrialSession, question: str) -> str:
        def ask_model(request: ModelRequest) -> Reply:
            self.asked.append(question)
            return Reply(text=question)

        request = ModelRequest([{"role": "user", "content": question}])
        return session.ask(ask_model, request).reply


# A changing call that contradicts the records is stopped once, before it reaches the environment.
#
# A check reads the records before each changing call. A checkout of a basket with more pieces than the
# store has fails with an error that names the basket's record and the page with the rule. If the solver
# makes the same call again, it is sent.


def test_a_call_against_the_records_is_stopped_once_and_sent_when_repeated() -> None:
    """The error names the record and the page with the rule. A solver that makes the same call
    again has read it, and may know better."""
    trial = CheckoutAgainstRecords()

    with pytest.raises(CallError, match=r"make the same call again") as stopped:
        trial.check_out()
    assert f"{trial.basket_path} and /docs/" in stopped.value.message
    assert trial.sent_count == 0

    trial.check_out()
    assert trial.sent_count == 1


def test_a_stopped_call_and_its_repetition_are_journalled() -> None:
    """The second event says what became of the first call."""
    trial = CheckoutAgainstRecords()
    with pytest.raises(CallError) as stopped:
        trial.check_out()
    trial.check_out()
    trial.session.end_step()

    first_stop, repetition = [
        event for event in trial.events if isinstance(event, CallStopped)
    ]
    assert first_stop.arguments["path"] == "/bin/checkout"
    assert first_stop.then == "not done"
    assert first_stop.objection == stopped.value.message
    assert repetition.arguments["path"] == "/bin/checkout"
    assert repetition.then == "repeated and sent"
    assert repetition.objection == ""


def test_a_record_that_only_the_check_has_read_does_not_count_as_read() -> None:
    """The check reads the record of the basket. The solver has not seen it, so it cannot cite
    it."""
    trial = CheckoutAgainstRecords()
    with pytest.raises(CallError):
        trial.check_out()
    trial.check_out()
    trial.session.end_step()

    read_paths = trial.recorder.evidence_log.view().accesses

    assert trial.basket_path not in read_paths


# A replay runs the steps of a recorded trial again, and finds where they differ from the record.
#
# Calls get their recorded results. Verdicts of the gates, which check answers, and checks of citations are
# made anew, and compared with the record. Here, the record of a step was changed by hand.


def test_a_record_that_nobody_changed_has_no_difference(server: ForkServer) -> None:
    assert replay(recorded_step(), server) is None


def test_another_verdict_than_the_recorded_one_is_a_difference(
    server: ForkServer,
) -> None:
    """The gates accept the submission. The record says that they rejected it."""
    step = recorded_step()
    (verdict,) = step.verdicts
    rejection = verdict.model_copy(update={"accepted": False})
    altered_step = step.model_copy(update={"verdicts": (rejection,)})

    difference = replay(altered_step, server)

    assert difference is not None
    assert difference.field == "verdicts"
    assert difference.recorded == rejection
    assert difference.now == verdict


def test_another_citation_than_the_recorded_one_is_a_difference(
    server: ForkServer,
) -> None:
    """The draft was not read. The record says that it could be cited."""
    step = recorded_step()
    (refused,) = step.citations
    accepted = refused.model_copy(update={"error": "", "spelling": "/draft.txt"})
    altered_step = step.model_copy(update={"citations": (accepted,)})

    difference = replay(altered_step, server)

    assert difference is not None
    assert difference.field == "citations[0]"
    assert difference.recorded == accepted
    assert difference.now == refused


# A trial that was interrupted asks its model again only for the replies that are not recorded.
#
# The whole trial asks 1.a and 1.b in step 1, and 2.a and 2.b in step 2. If it was interrupted after reply
# 1.a, it asks 1.b, 2.a and 2.b.


def recorded_replies(events: Sequence[TrialEvent]) -> list[str]:
    """Return the replies of the model that these events have: `["1.a", "1.b"]`."""
    return [event.reply for event in events if isinstance(event, ModelReplied)]


def outputs(events: Sequence[TrialEvent]) -> list[str]:
    """Return the outputs of the steps that these events end: `["1.a 1.b"]`."""
    return [event.output for event in events if isinstance(event, StepDone)]


def test_a_trial_asks_the_model_all_questions_of_its_solver() -> None:
    solver = TwoStepSolver()

    events = events_of(solver)

    assert solver.asked == ["1.a", "1.b", "2.a", "2.b"]
    assert outputs(events) == ["1.a 1.b", "2.a 2.b"]


def test_a_trial_that_is_resumed_after_its_first_reply_asks_for_the_other_three() -> (
    None
):
    whole = events_of(TwoStepSolver())
    first_reply = [isinstance(event, ModelReplied) for event in whole].index(True)
    solver = TwoStepSolver()

    events_of(solver, whole[: first_reply + 1])

    assert solver.asked == ["1.b", "2.a", "2.b"]


def test_a_trial_that_is_resumed_after_any_event_asks_only_for_what_is_not_recorded() -> (
    None
):
    whole = events_of(TwoStepSolver())

    for event_count in range(1, len(whole)):
        recorded = whole[:event_count]
        solver = TwoStepSolver()

        events_of(solver, recorded)

        replies = [*recorded_replies(recorded), *solver.asked]
        assert replies == ["1.a", "1.b", "2.a", "2.b"], event_count


def test_a_trial_that_is_resumed_after_any_event_has_the_same_steps() -> None:
    whole = events_of(TwoStepSolver())

    for event_count in range(1, len(whole)):
        recorded = whole[:event_count]

        further = events_of(TwoStepSolver(), recorded)

        all_outputs = outputs([*recorded, *further])
        assert all_outputs == ["1.a 1.b", "2.a 2.b"], event_count


# A step that was interrupted after any event, and is resumed, does nothing twice.
#
# `solve_in_one_step` works on the trial by calls, citations, requests to a model and submissions. It runs
# again from the start. What the journal has is not done again: the solver gets the recorded results.

WHOLE_TRIAL = [
    "call",  # A file is read.
    "citation",  # The citation of another file is refused.
    "model_replied",
    "model_replied",
    "submission_judged",  # The answer is rejected.
    "call",  # A checkout, which changes something, is announced.
    "call",  # The checkout has its result.
    "citation",  # The file that was read is cited.
    "submission_judged",  # The answer is accepted.
    "answer_sent",  # It is about to be sent.
    "answer_done",  # The environment has taken it.
    "step",  # The step has ended.
]


def test_a_trial_that_was_not_interrupted_has_these_events() -> None:
    assert types_of(whole_trial()) == WHOLE_TRIAL


def test_a_trial_that_is_resumed_after_any_event_does_nothing_twice() -> None:
    """The recorded and the new events are together those of a trial without interruption."""
    solver = partial(solve_in_one_step, model=CountingModel())

    for recorded in beginnings_of(whole_trial()):
        further = events_of(solver, recorded)

        assert types_of([*recorded, *further]) == WHOLE_TRIAL, len(recorded)


def test_a_resumed_trial_makes_only_the_requests_without_a_recorded_reply() -> None:
    """A trial makes two requests. If one reply is recorded, one request is left."""
    for recorded in beginnings_of(whole_trial()):
        model = CountingModel()

        events_of(partial(solve_in_one_step, model=model), recorded)

        recorded_replies = types_of(recorded).count("model_replied")
        assert model.request_count == 2 - recorded_replies, len(recorded)


def test_the_step_of_a_resumed_trial_has_the_recorded_and_the_new_calls() -> None:
    """The step reads a file and checks out: two calls, wherever it was interrupted. Its end is among
    the new events, since `beginnings_of` leaves the whole journal out."""
    solver = partial(solve_in_one_step, model=CountingModel())

    for recorded in beginnings_of(whole_trial()):
        further = events_of(solver, recorded)

        (step,) = [event for event in further if isinstance(event, StepDone)]
        assert len(step.calls) == 2, len(recorded)


# What a trial spends on its models, and the limit for it (`--trial-cost`).
#
# Every reply that must be paid counts once, even if it cannot be used, and even if the trial is
# interrupted and resumed. No request is sent that could exceed the limit.
#
# `events_of(solver, recorded_events)` lets a solver work on a trial, and returns its new events. A
# reply of `CountingModel` costs $0.25.


def test_every_paid_reply_counts_once_however_often_the_trial_is_resumed() -> None:
    """The solver pays for three replies, together $0.75. The trial is interrupted after each of its
    events in turn. A resumed trial runs its solver from the start, with the recorded replies."""
    model = CountingModel()
    reasons_against_next_request: list[str] = []

    def pay_for_three_replies(session: TrialSession) -> None:
        # 1. A reply to the solver
        session.ask(model.reply, ModelRequest(MESSAGES, role="parse"))
        # 2. A reply to somebody else, here of a model that plays the user
        play_user = ModelRequest(MESSAGES, role="user")
        session.ask_for_others(model.reply, play_user)
        # 3. A reply that cannot be used
        with pytest.raises(ModelError):
            session.ask(model.fail_with_price, ModelRequest(MESSAGES, role="parse"))
        reasons_against_next_request.append(session.limits.cost.reason)

    limit_usd = 0.8  # enough for three replies, and not for a fourth one
    whole = events_of(pay_for_three_replies, max_cost_usd=limit_usd)
    assert model.request_count == 3

    for event_count in range(len(whole) + 1):
        recorded = whole[:event_count]
        events_of(pay_for_three_replies, recorded, max_cost_usd=limit_usd)

        assert reasons_against_next_request[-1] == (
            "the trial has spent $0.75, and its next reply may pass its limit of $0.8"
            " (--trial-cost)"
        ), event_count


def test_a_trial_that_could_exceed_its_cost_limit_asks_no_model() -> None:
    """The second reply would probably cost as much as the first, and exceed the limit of $0.30."""
    model = CountingModel()

    def ask_twice(session: TrialSession) -> None:
        session.ask(model.reply, ModelRequest(MESSAGES, role="parse"))
        assert "--trial-cost" in session.limits.cost.reason
        with pytest.raises(OutOfBudget, match="--trial-cost"):
            session.ask(model.reply, ModelRequest(MESSAGES, role="parse"))

    events_of(ask_twice, max_cost_usd=0.3)

    assert model.request_count == 1
