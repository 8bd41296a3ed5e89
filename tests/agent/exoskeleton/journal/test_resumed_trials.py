"""The journal of a trial has all that it needs to be resumed after each of its events.

The conversation with the model can be built again from it, and it has each judged answer. A resumed
trial comes to the same end: it asks only for replies that were lost, makes each step once, and does
not repeat a call that may have been made.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import pytest

from controlplane.agent.events import (
    AnswerSent,
    CallEvent,
    ConversationOpened,
    ModelReplied,
    StepDone,
    TrialEvent,
)
from controlplane.agent.exoskeleton import Part
from controlplane.agent.model import Message
from tests.support.books.attempt_result import (
    FIND_BOOKS_BY_AUSTEN,
    AttemptResult,
    ModelByTurn,
    completion_call,
    tool_call,
)
from tests.support.books.solver_attempts import run_attempt

# A trial of the second solver whose model makes two mistakes before it answers.
#
# The solver lets a model call tools, until the model hands its answer in by a call, the *completion*:
#
# | step | reply of the model                  | what happens                                       |
# | ---- | ----------------------------------- | -------------------------------------------------- |
# | 1    | (it is not asked yet)               | the library checks the request                     |
# | 2    | two calls                           | it reads a book, and finds the two books by Austen |
# | 3    | "I think I know."                   | nothing: the reply has no call                     |
# | 4    | a completion, and a call after it   | a gate rejects the answer: it cites a missing file |
# | 5    | a completion                        | the gates accept the answer, and it is sent        |

READ_EMMA = tool_call("read", path="/books/emma.txt", start_line=0, end_line=0)

CITES_MISSING_FILE = completion_call(
    records=[{"path": "/books/none.txt", "reason": "it names the author"}],
    task_type="other",
)
"""A completion whose only citation is of a file that does not exist."""


def play_trial_with_mistakes(recorded: Sequence[TrialEvent] = ()) -> AttemptResult:
    """Play the trial, or resume it from the events of an earlier attempt.

    Two small models take part: the classifier says what the request wants, and the formatter
    makes "emma, persuasion" of the message "emma and persuasion".
    """
    model = ModelByTurn(
        [
            [READ_EMMA, FIND_BOOKS_BY_AUSTEN],
            "I think I know.",
            [CITES_MISSING_FILE, READ_EMMA],
            [completion_call("emma and persuasion")],
        ],
        other_models={
            "classify": json.dumps({"change": False, "who": ""}),
            "format": json.dumps({"message": "emma, persuasion"}),
        },
    )
    return run_attempt(
        model,
        parts=[Part.CLASSIFIER, Part.PREFLIGHT, Part.FORMATTER],
        recorded=recorded,
    )


@pytest.fixture(scope="session")
def trial() -> AttemptResult:
    """A trial of five steps, played to its end, with its mistakes."""
    return play_trial_with_mistakes()


# A trial that is killed after some of its events, and resumed by another process.
#
#     resumed = ResumedTrial.after(3, trial.events)
#     resumed.recorded     # the three events that were written before
#     resumed.lost         # the events that would have followed
#     resumed.all_events   # the three, and those of the second process
#
# The trial is that of `play_trial_with_mistakes`.


@dataclass(frozen=True)
class ResumedTrial:
    """A trial that was killed after some of its events, and then resumed to its end."""

    recorded: Sequence[TrialEvent]
    lost: Sequence[TrialEvent]
    attempt: AttemptResult
    """What the second process did."""

    @classmethod
    def after(cls, event_count: int, events: Sequence[TrialEvent]) -> Self:
        """Resume the trial after so many of its events."""
        recorded = events[:event_count]
        attempt = play_trial_with_mistakes(recorded)
        return cls(recorded, events[event_count:], attempt)

    @property
    def all_events(self) -> list[TrialEvent]:
        """The events of both processes, which must be those of one trial."""
        return [*self.recorded, *self.attempt.events]

    def count(self, event_type: str) -> int:
        """Return how many events of a type both processes have written together."""
        return [event.type for event in self.all_events].count(event_type)


# The conversation with the model of a trial can be built again from the events of its journal.
#
# | event                | messages                                                        |
# | -------------------- | --------------------------------------------------------------- |
# | `ConversationOpened` | system prompt, calls made in advance and their results, request |
# | `ModelReplied`       | the model's reply                                               |
# | `StepDone`           | the result of each call, and what else the model is told        |
#
# The fixture `trial` is a trial of five steps. In step 1, its request is checked without the model. The
# last request to the model is that of step 5.


def first_messages(opened: ConversationOpened) -> list[Message]:
    """Return the messages before the model's first reply."""
    messages: list[Message] = [{"role": "system", "content": opened.system}]
    calls_in_advance = opened.exchange  # with their results
    for said_message in calls_in_advance:
        messages.append(said_message.message())
    messages.append({"role": "user", "content": "".join(opened.first_message)})
    return messages


def message_of_reply(reply: ModelReplied) -> Message:
    """Return the model's reply as a message."""
    message: Message = {"role": "assistant", "content": reply.reply}
    if reply.tool_calls:
        message["tool_calls"] = list(reply.tool_calls)
    return message


def messages_after_reply(step: StepDone, reply: ModelReplied) -> list[Message]:
    """Return what the model is told in a step, as messages.

    `step.feedback` has first the results, in the order of the calls, and then all other texts.
    """
    messages: list[Message] = []
    call_count = len(reply.tool_calls)
    results = step.feedback[:call_count]
    for call, result in zip(reply.tool_calls, results, strict=True):
        messages.append({"role": "tool", "content": result, "tool_call_id": call.id})
    other_text = "".join(step.feedback[call_count:])
    if other_text:
        messages.append({"role": "user", "content": other_text})
    return messages


def test_the_journal_has_all_that_the_model_was_sent(trial: AttemptResult) -> None:
    """The last request has the first messages, and those of the steps 2, 3 and 4."""
    (opened,) = [
        event for event in trial.events if isinstance(event, ConversationOpened)
    ]
    main_replies: dict[int, ModelReplied] = {}  # by the number of the step
    for event in trial.events:
        if isinstance(event, ModelReplied) and event.role == "solve":
            main_replies[event.step] = event

    conversation = first_messages(opened)
    _step_1, *steps_2_to_4, _step_5 = trial.steps
    for step in steps_2_to_4:
        reply = main_replies[step.step]
        conversation.append(message_of_reply(reply))
        conversation += messages_after_reply(step, reply)

    assert trial.last_request == conversation


# What the journal records of the steps of a trial, and of its answer.
#
# The fixture `trial` is a trial of five steps, in which the model calls tools:
#
#     1    the library checks the request, before the model is asked
#     2    the model reads a book, and finds two books
#     3    the model replies without a call
#     4    the model hands in an answer that cites a missing file: the gates reject it
#     5    the model hands in "emma and persuasion": the gates, which are checks of answers, accept it


def test_the_answer_that_the_gates_accept_is_sent(trial: AttemptResult) -> None:
    """A small model, the formatter, has put the answer of step 5 into its form."""
    assert trial.reason == ""  # The trial has an answer.
    assert trial.shelf.answers == ["emma, persuasion"]


def test_the_sent_answer_has_the_citations_of_step_5(trial: AttemptResult) -> None:
    (answer,) = [event for event in trial.events if isinstance(event, AnswerSent)]

    assert answer.refs == ("/books/emma.txt", "/books/persuasion.txt")


def test_a_step_records_each_answer_that_the_gates_judged(trial: AttemptResult) -> None:
    judged_counts = [len(step.verdicts) for step in trial.steps]

    assert judged_counts == [0, 0, 0, 1, 1]


def test_the_step_before_the_model_does_not_count_towards_the_limit(
    trial: AttemptResult,
) -> None:
    """The number of steps of a trial is limited. A step that is `refunded` does not count."""
    first_step, *model_steps = trial.steps

    assert first_step.refunded
    for step in model_steps:
        assert not step.refunded


# A call that may have been made before a trial was interrupted is not made again.
#
# The journal announces a call before it is made, and has its result behind that. If only the
# announcement is there, nobody knows whether the call was made.


def attempt_to_lend(recorded: Sequence[TrialEvent] = ()) -> AttemptResult:
    """Play a trial whose model first lends a book by the tool `/bin/lend`, or resume it.

    `shelf.lent` is the number of books that this attempt lends; an earlier one is not counted.
    """
    model = ModelByTurn(
        [
            [tool_call("exec", path="/bin/lend")],
            [FIND_BOOKS_BY_AUSTEN],
            [completion_call()],
        ],
        # The classifier says that the request wants a change, so the model may lend.
        other_models={"classify": '{"change": true, "who": ""}'},
    )
    return run_attempt(
        model,
        instruction="Lend emma, and say which books are by Austen.",
        parts=[Part.CLASSIFIER, Part.PREFLIGHT, Part.EVIDENCE_STORE],
        recorded=recorded,
    )


def events_up_to_announced_lending(attempt: AttemptResult) -> Sequence[TrialEvent]:
    """Return the events up to the one that announces the run of `/bin/lend`."""
    for position, event in enumerate(attempt.events):
        if not isinstance(event, CallEvent):
            continue
        if event.is_under_way and event.operation == "exec":
            return attempt.events[: position + 1]
    raise AssertionError("nothing was lent")


def test_a_call_that_may_have_happened_is_not_made_again() -> None:
    """1. The process announces the lending, and lends the book.
    2. It is killed before it writes the result down.
    3. The resumed trial does not lend a second time, and tells the model why."""
    killed_attempt = attempt_to_lend()
    assert killed_attempt.shelf.lent == 1
    recorded = events_up_to_announced_lending(killed_attempt)

    resumed = attempt_to_lend(recorded)

    assert resumed.shelf.lent == 0
    assert "whether it happened is not known" in resumed.shown_to_model


# A trial is killed after each of its events in turn, and resumed to the same end.
#
# A trial writes its events into a journal: replies of the model, judged answers, the answer that
# is sent. If its process is killed, another one resumes the trial from the events that were
# written, and does only what is missing: two of four replies are recorded -> the model is asked
# for the other two.


@pytest.fixture(scope="module")
def resumed_trials(trial: AttemptResult) -> list[ResumedTrial]:
    """The trial as it is resumed after its first event, after its second event, and so on."""
    event_counts = range(1, len(trial.events))
    return [ResumedTrial.after(count, trial.events) for count in event_counts]


def test_a_resumed_trial_has_an_answer(resumed_trials: list[ResumedTrial]) -> None:
    """`reason` says why a trial has no answer."""
    for resumed in resumed_trials:
        assert resumed.attempt.reason == "", len(resumed.recorded)


def test_only_replies_that_were_lost_are_asked_for_again(
    resumed_trials: list[ResumedTrial],
) -> None:
    for resumed in resumed_trials:
        lost_replies = [
            event for event in resumed.lost if isinstance(event, ModelReplied)
        ]
        requests = resumed.attempt.model.requests
        assert len(requests) == len(lost_replies), len(resumed.recorded)


def test_each_step_is_made_once(resumed_trials: list[ResumedTrial]) -> None:
    for resumed in resumed_trials:
        assert resumed.count("step") == 5, len(resumed.recorded)


def test_each_answer_is_judged_once(resumed_trials: list[ResumedTrial]) -> None:
    """The trial has two: one is rejected, and one accepted."""
    for resumed in resumed_trials:
        assert resumed.count("submission_judged") == 2, len(resumed.recorded)


def test_the_answer_is_sent_once(resumed_trials: list[ResumedTrial]) -> None:
    for resumed in resumed_trials:
        assert resumed.count("answer_sent") == 1, len(resumed.recorded)


def test_the_model_is_told_the_same_as_without_an_interruption(
    trial: AttemptResult, resumed_trials: list[ResumedTrial]
) -> None:
    for resumed in resumed_trials:
        assert feedback_in(resumed.all_events) == feedback_in(trial.events)


def feedback_in(events: Sequence[TrialEvent]) -> list[tuple[str, ...]]:
    """Return what the model was told in each step."""
    return [event.feedback for event in events if isinstance(event, StepDone)]
