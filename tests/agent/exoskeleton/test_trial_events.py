"""What the journal records of a trial of the second solver, the `Exoskeleton`.

The solver lets a model call tools, until it hands its answer in by a call, the completion. Each
event of a trial is written into the journal. In this trial, the model finds two books, replies once
without a call, and hands in two answers, of which the gates reject the first one.
`trial_with_mistakes.py` has a table of its five steps.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from controlplane.agent.events import (
    AnswerSent,
    ConversationOpened,
    ModelReplied,
    StepDone,
    TrialEvent,
)
from controlplane.agent.model import Message
from tests.agent.exoskeleton.trial_with_mistakes import play_trial_with_mistakes
from tests.support.books.attempt_result import AttemptResult


@pytest.fixture(scope="module")
def trial() -> AttemptResult:
    """The trial with its two mistakes, played to its end."""
    return play_trial_with_mistakes()


def only_event(events: Sequence[TrialEvent], kind: type[Any]) -> Any:
    """Return the event of a kind that a trial has once, such as `AnswerSent`."""
    (event,) = [event for event in events if isinstance(event, kind)]
    return event


class TestStepsAndAnswers:
    """The events say what each step has judged, and what was sent at the end.

    A step is a reply of the model with its calls. The gates, which are checks of answers, judge
    those that the model hands in.
    """

    def test_the_answer_that_the_gates_accept_is_sent(
        self, trial: AttemptResult
    ) -> None:
        """The model's message was "emma and persuasion". The formatter has changed its form."""
        assert trial.reason == ""  # The trial has an answer.
        assert trial.shelf.answers == ["emma, persuasion"]

    def test_the_answer_cites_the_books_of_the_completion(
        self, trial: AttemptResult
    ) -> None:
        answer = only_event(trial.events, AnswerSent)

        assert answer.refs == ("/books/emma.txt", "/books/persuasion.txt")

    def test_a_step_records_each_answer_that_the_gates_judged(
        self, trial: AttemptResult
    ) -> None:
        judged_counts = [len(step.verdicts) for step in trial.steps]

        assert judged_counts == [
            0,  # The library checks the request.
            0,  # The model reads a book, and finds books.
            0,  # The model replies without a call.
            1,  # The model hands in an answer that cites a missing file.
            1,  # The model hands in the right answer.
        ]

    def test_the_step_before_the_model_does_not_count_towards_the_limit(
        self, trial: AttemptResult
    ) -> None:
        """The number of steps of a trial is limited. A `refunded` step does not count."""
        first_step, *model_steps = trial.steps

        assert first_step.refunded
        for step in model_steps:
            assert not step.refunded


def first_messages(opened: ConversationOpened) -> list[Message]:
    messages: list[Message] = [{"role": "system", "content": opened.system}]
    for said_message in opened.exchange:  # the calls made in advance
        messages.append(said_message.message())
    messages.append({"role": "user", "content": "".join(opened.first_message)})
    return messages


def message_of_reply(reply: ModelReplied) -> Message:
    message: Message = {"role": "assistant", "content": reply.reply}
    if reply.tool_calls:
        message["tool_calls"] = list(reply.tool_calls)
    return message


def messages_behind_reply(step: StepDone, reply: ModelReplied) -> list[Message]:
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


class TestConversation:
    """The conversation with the model can be built again from the events.

    | event                | messages                                                        |
    | -------------------- | --------------------------------------------------------------- |
    | `ConversationOpened` | system prompt, calls made in advance and their results, request |
    | `ModelReplied`       | the model's reply                                               |
    | `StepDone`           | the result of each call, and what else the model is told        |
    """

    def test_the_journal_has_all_that_the_model_was_sent(
        self, trial: AttemptResult
    ) -> None:
        """The last request is that of step 5. It has the messages of the steps 2, 3 and 4; in step
        1, there was no conversation yet."""
        opened = only_event(trial.events, ConversationOpened)
        main_replies: dict[int, ModelReplied] = {}  # by the number of the step
        for event in trial.events:
            if isinstance(event, ModelReplied) and event.role == "solve":
                main_replies[event.step] = event

        conversation = first_messages(opened)
        _check_of_request, *steps_before_last_request, _last_step = trial.steps
        for step in steps_before_last_request:
            reply = main_replies[step.step]
            conversation.append(message_of_reply(reply))
            conversation += messages_behind_reply(step, reply)

        assert trial.last_request == conversation
