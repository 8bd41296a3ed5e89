"""Whole trials of the second solver, the `Exoskeleton`, in a library of four books.

The solver lets a model answer a request by calling tools: it asks for the next reply, makes the
calls in it, and shows the results. The call `report_completion` ends the trial, if eight checks,
the gates, accept the answer. These tests play trials with a model whose replies are given; see
`tests/support/exoskeleton_trials.py`. They resume trials after every event of their journals.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from controlplane.agent.events import (
    AnswerSent,
    CallEvent,
    ConversationOpened,
    Judged,
    ModelReplied,
    StepDone,
    TrialEvent,
)
from controlplane.agent.model import Message, Reply, ToolCall
from tests.support.exoskeleton_trials import (
    FIND_BOOKS_BY_AUSTEN,
    AttemptResult,
    ModelByTurn,
    completion_call,
    run_attempt,
    tool_call,
)

# Parts of the solver that a test switches off (`parts_off`), since it is not about them:
#   classifier       a small model tells what a request wants
#   formatter        a small model puts the answer in the requested form
#   references       the paths that an answer cites are corrected
#   evidence-store   paths are added that support the results of functions
REFERENCES = "references evidence-store"
CLASSIFIER_AND_REFERENCES = f"classifier {REFERENCES}"
ALL_BUT_MAIN_MODEL = f"classifier formatter {REFERENCES}"

READ_EMMA = tool_call("read", path="/books/emma.txt", start_line=0, end_line=0)

NO_CHANGE_WANTED = json.dumps({"change": False, "who": ""})
CHANGE_WANTED = json.dumps({"change": True, "who": ""})
ABOUT_AUSTEN = json.dumps({"change": False, "who": "Austen"})
"""Replies of the classifier: whether something is to be changed, and the author in the request."""

CITES_MISSING_FILE = completion_call(
    records=[{"path": "/books/none.txt", "reason": "it says by nobody"}],
    task_type="other",
)
"""A completion that cites a file that does not exist, so that gate 4 rejects it."""


def answering_model(
    completion: ToolCall, *, other_models: Mapping[str, str] | None = None
) -> ModelByTurn:
    """Return a model that finds the books by Austen, and then hands in this completion.

    `other_models` are the replies of other models, by their roles: `{"classify": ABOUT_AUSTEN}`.
    """
    return ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [completion]], other_models or {})


# A trial with a mistake, played at once and after interruptions.


def model_with_a_mistake() -> ModelByTurn:
    """Return a model that finds the books, chats, cites a missing file, and then completes."""
    return ModelByTurn(
        [
            [READ_EMMA, FIND_BOOKS_BY_AUSTEN],
            "I think I know.",
            [CITES_MISSING_FILE, READ_EMMA],
            [completion_call()],
        ],
        other_models={
            "classify": NO_CHANGE_WANTED,
            "format": json.dumps({"message": "emma, persuasion"}),
        },
    )


ANSWERS_JUDGED_IN_STEPS = [
    0,  # Before the model is asked, the checks look at the request.
    0,  # The model reads a book, and finds books.
    0,  # The model writes a text instead of a call.
    1,  # The model hands an answer in that cites a missing file. The gates reject it.
    1,  # The model hands the right answer in. The gates accept it.
]
"""How many answers the gates judge in each of the five steps of the trial with a mistake."""


@pytest.fixture(scope="module")
def whole_trial() -> AttemptResult:
    """The trial of the model with a mistake (`model_with_a_mistake`), without an interruption."""
    return run_attempt(model_with_a_mistake(), parts_off=REFERENCES)


def only_event(events: Sequence[TrialEvent], kind: type[Any]) -> Any:
    """Return the event of a kind that a trial has once, such as `AnswerSent`."""
    (event,) = [event for event in events if isinstance(event, kind)]
    return event


def test_the_answer_that_the_gates_accept_is_sent(whole_trial: AttemptResult) -> None:
    """The library got one answer. The formatter has made "emma, persuasion" of the model's message
    "emma and persuasion", and the answer cites the two books."""
    answer = only_event(whole_trial.events, AnswerSent)
    judged_counts = [len(step.verdicts) for step in whole_trial.steps]

    assert whole_trial.reason == ""  # The trial has an answer.
    assert whole_trial.shelf.answers == ["emma, persuasion"]
    assert answer.refs == ("/books/emma.txt", "/books/persuasion.txt")
    assert judged_counts == ANSWERS_JUDGED_IN_STEPS


def test_the_step_before_the_model_does_not_count_towards_the_limit(
    whole_trial: AttemptResult,
) -> None:
    """The number of steps of a trial is limited. A `refunded` step does not count."""
    first_step, *model_steps = whole_trial.steps

    assert first_step.refunded
    for step in model_steps:
        assert not step.refunded


def solver_replies_by_step(events: Sequence[TrialEvent]) -> dict[int, ModelReplied]:
    """Return the replies of the main model (its role is `solve`), by the number of their step."""
    replies: dict[int, ModelReplied] = {}
    for event in events:
        if isinstance(event, ModelReplied) and event.role == "solve":
            replies[event.step] = event
    return replies


def messages_of_step(step: StepDone, reply: ModelReplied) -> list[Message]:
    """Return the messages that a step adds to the conversation: the model's reply, the result of
    each call, and what else the model is told.

    `step.feedback` has all texts behind the reply: first the results, in the order of the calls.
    """
    reply_message: Message = {"role": "assistant", "content": reply.reply}
    if reply.tool_calls:
        reply_message["tool_calls"] = list(reply.tool_calls)
    messages = [reply_message]

    call_count = len(reply.tool_calls)
    results = step.feedback[:call_count]
    for call, result in zip(reply.tool_calls, results, strict=True):
        messages.append({"role": "tool", "content": result, "tool_call_id": call.id})
    other_feedback = "".join(step.feedback[call_count:])
    if other_feedback:
        messages.append({"role": "user", "content": other_feedback})
    return messages


def first_messages(opened: ConversationOpened) -> list[Message]:
    """Return the messages of the first request to the main model: the system prompt, the calls
    that are made before the model is asked, with their results, and the user's request."""
    messages: list[Message] = [{"role": "system", "content": opened.system}]
    for said_message in opened.exchange:
        messages.append(said_message.message())
    messages.append({"role": "user", "content": "".join(opened.first_message)})
    return messages


def test_the_journal_has_all_that_the_model_was_sent(
    whole_trial: AttemptResult,
) -> None:
    """The last request to the main model can be built from the events of the journal.

    The trial has five steps. The first one checks the request, before there is a conversation, and
    the last one follows the last request. The three between add messages to the conversation.
    """
    opened = only_event(whole_trial.events, ConversationOpened)
    replies = solver_replies_by_step(whole_trial.events)
    _check_of_request, *steps_before_last_request, _last_step = whole_trial.steps

    conversation = first_messages(opened)
    for step in steps_before_last_request:
        conversation += messages_of_step(step, replies[step.step])

    assert whole_trial.last_request == conversation


def test_a_trial_resumes_after_any_event_without_doing_anything_twice(
    whole_trial: AttemptResult,
) -> None:
    """The journal is cut after each event in turn, as if the process had been killed there.

    The recorded and the new events together must be those of one trial: all its steps once, the
    two answers that the gates judged, and one answer that was sent.
    """
    judged_count = sum(ANSWERS_JUDGED_IN_STEPS)

    for cut in range(1, len(whole_trial.events)):
        recorded = whole_trial.events[:cut]
        lost = whole_trial.events[cut:]

        resumed = run_attempt(
            model_with_a_mistake(), parts_off=REFERENCES, recorded=recorded
        )

        assert resumed.reason == "", cut  # The trial has an answer.
        # Only the replies that the journal does not have are asked for again.
        lost_replies = [event for event in lost if isinstance(event, ModelReplied)]
        assert len(resumed.model.requests) == len(lost_replies), cut
        all_events = [*recorded, *resumed.events]
        event_types = [event.type for event in all_events]
        assert event_types.count("step") == len(whole_trial.steps), cut
        assert event_types.count("submission_judged") == judged_count, cut
        assert event_types.count("answer_sent") == 1, cut
        assert feedback_in(all_events) == feedback_in(whole_trial.events), cut


def feedback_in(events: Sequence[TrialEvent]) -> list[tuple[str, ...]]:
    """Return what the model was told in each step."""
    return [event.feedback for event in events if isinstance(event, StepDone)]


# A call that may have happened before an interruption.
#
# The journal announces a call before it is made, and has its result behind that. If only the
# announcement is there, nobody knows whether the call was made.


def position_of_announced_exec(events: Sequence[TrialEvent]) -> int:
    """Return the position of the event that announces the run of a tool (the call `exec`)."""
    for position, event in enumerate(events):
        if not isinstance(event, CallEvent):
            continue
        if event.is_announcement and event.operation == "exec":
            return position
    raise AssertionError("no tool was run")


def attempt_to_lend(recorded: Sequence[TrialEvent] = ()) -> AttemptResult:
    """Play a trial whose model lends a book by the tool `/bin/lend`, or resume it.

    `shelf.lent` is the number of books that this attempt lends; an earlier one is not counted.
    """
    lend = tool_call("exec", path="/bin/lend")
    model = ModelByTurn(
        [[lend], [FIND_BOOKS_BY_AUSTEN], [completion_call()]],
        other_models={"classify": CHANGE_WANTED},
    )
    return run_attempt(
        model,
        instruction="Lend emma, and say which books are by Austen.",
        parts_off="references formatter",
        recorded=recorded,
    )


def test_a_call_that_may_have_happened_is_not_made_again() -> None:
    """The process is killed after it announced a lending, before it wrote down the result."""
    whole_attempt = attempt_to_lend()
    position = position_of_announced_exec(whole_attempt.events)

    resumed = attempt_to_lend(recorded=whole_attempt.events[: position + 1])

    assert whole_attempt.shelf.lent == 1
    assert resumed.shelf.lent == 0
    assert "whether it happened is not known" in resumed.shown_to_model


# An answer that a gate objects to and the model repeats.

COUNT_QUESTION = 'How many books are by Austen? Answer exactly in the format "%d".'

WORDY_ANSWER = "OUTCOME_OK: 2"
"""An answer to that question to which a gate objects: only `2` was asked for. The gate may be
wrong, so the model can insist: the third time, the same answer is accepted."""


def attempt_to_insist(recorded: Sequence[TrialEvent] = ()) -> AttemptResult:
    """Play a trial whose model gives the wordy answer three times, or resume it."""
    wordy_completion = [completion_call(WORDY_ANSWER)]
    model = ModelByTurn(
        [[FIND_BOOKS_BY_AUSTEN], wordy_completion, wordy_completion, wordy_completion]
    )
    return run_attempt(
        model,
        instruction=COUNT_QUESTION,
        parts_off=ALL_BUT_MAIN_MODEL,
        recorded=recorded,
    )


def test_an_answer_is_accepted_when_it_is_given_for_the_third_time() -> None:
    """A gate objects to the answer twice. The third time, it counts as overridden by the model."""
    solved = attempt_to_insist()

    assert solved.reason == ""  # The trial has an answer.
    assert solved.shelf.answers == [WORDY_ANSWER]
    first, second, third = solved.judged_answers
    assert not first.accepted
    assert len(first.overridden) == 0
    assert not second.accepted
    assert len(second.overridden) == 0
    assert third.accepted
    assert len(third.overridden) == 1


def test_a_resumed_trial_remembers_how_often_an_answer_was_given() -> None:
    """The journal is cut after each event before the answer is sent. However often the answer was
    given before the cut, it is accepted in the same step as without an interruption."""
    whole_attempt = attempt_to_insist()
    event_types = [type(event) for event in whole_attempt.events]

    for cut in range(1, event_types.index(AnswerSent)):
        resumed = attempt_to_insist(recorded=whole_attempt.events[:cut])

        last_step = resumed.steps[-1]
        (judged,) = last_step.verdicts
        assert judged.accepted, cut
        assert len(judged.overridden) == 1, cut
        assert last_step.step == whole_attempt.steps[-1].step, cut


# What the model is told after each kind of reply.

CALLS_AS_TEXT = '{"calls": [{"name": "books_by", "arguments": {"author": "Austen"}}]}'
CALLS_IN_A_CODE_BLOCK = (
    '```json\n[{"name": "books_by", "arguments": {"author": "Austen"}}]\n```'
)
CALLS_WITH_AN_UNKNOWN_TOOL = '{"calls": [{"name": "books_by", "arguments": {}}, {"name": "fly", "arguments": {}}]}'
CALL_WITH_A_SET = "{'name': 'books_by', 'arguments': {'author': {'Austen', 'Eliot'}}}"
"""Replies of models that write their calls into the text, where the API has a field for them.

The last one is a dictionary of Python with a set in it, which JSON does not have."""

MOST_CALLS_OF_REPLY = 32


@pytest.mark.parametrize(
    ("turn", "feedback"),
    [
        pytest.param(
            [FIND_BOOKS_BY_AUSTEN],
            '"/books/emma.txt","/books/persuasion.txt"',
            id="a function with a result",
        ),
        pytest.param(
            [tool_call("books_by", author="nobody")],
            "error: failed_precondition: nobody is no author",
            id="a function that declines",
        ),
        pytest.param(
            [tool_call("read", path="/books/none.txt")],
            "error: not_found: there is no /books/none.txt",
            id="a missing file",
        ),
        pytest.param(
            [tool_call("fly", to="the moon")],
            "error: there is no tool 'fly'; there are books_by, exec, find",
            id="an unknown tool",
        ),
        pytest.param([tool_call("read")], "needs 'path'", id="a missing argument"),
        pytest.param(
            [tool_call("read", path=7)],
            "path is str, not int 7",
            id="an argument of a wrong type",
        ),
        pytest.param(
            [tool_call("read", path="/x", colour="red")],
            "has no argument 'colour'",
            id="an unknown argument",
        ),
        pytest.param(
            [ToolCall(name="read", arguments="[1]")],
            "error: its arguments are no JSON object: [1]",
            id="arguments in a list",
        ),
        pytest.param(
            [ToolCall(name="read", arguments="{")],
            "error: its arguments are no JSON",
            id="arguments that are cut off",
        ),
        pytest.param(
            [ToolCall(name="read", arguments="{'path': {'/books/emma.txt'}}")],
            "error: its arguments are no JSON object",
            id="a set as an argument",
        ),
        pytest.param(
            [completion_call(outcome="FINE")],
            "gate 6",
            id="an outcome that does not exist",
        ),
        pytest.param(
            [CITES_MISSING_FILE], "gate 4", id="a reference to a missing file"
        ),
        pytest.param(
            [tool_call("report_completion", outcome="OK")],
            "the completion does not fit: message: Field required",
            id="a completion without a message",
        ),
        pytest.param(
            [completion_call(records="all")],
            "the completion does not fit: records",
            id="a completion with a wrong field",
        ),
        pytest.param(
            [CITES_MISSING_FILE, FIND_BOOKS_BY_AUSTEN],
            "not run: it stands behind a completion",
            id="a call behind a completion",
        ),
        pytest.param(
            [FIND_BOOKS_BY_AUSTEN] * (MOST_CALLS_OF_REPLY + 1),
            "not run: a reply makes at most 32 calls",
            id="too many calls",
        ),
        pytest.param(
            "The books are emma and persuasion.",
            "That reply called no tool",
            id="a text without a call",
        ),
        pytest.param(
            CALLS_AS_TEXT, '<result of="books_by">', id="a call written as text"
        ),
        pytest.param(
            CALLS_IN_A_CODE_BLOCK,
            '<result of="books_by">',
            id="a call in a code block",
        ),
        pytest.param(
            CALLS_WITH_AN_UNKNOWN_TOOL,
            "no tool 'fly'",
            id="an unknown tool written as text",
        ),
        pytest.param(
            CALL_WITH_A_SET,
            "That reply called no tool",
            id="a call written as text with a set",
        ),
        pytest.param(
            Reply(text="", tool_calls=(FIND_BOOKS_BY_AUSTEN,), finish_reason="length"),
            "That reply called no tool",
            id="a reply cut off by the length limit",
        ),
    ],
)
def test_the_model_is_told_what_its_reply_led_to(
    turn: Sequence[ToolCall] | str | Reply, feedback: str
) -> None:
    """Whatever the first reply was, the model can go on and answer."""
    solved = run_attempt(
        ModelByTurn([turn, [FIND_BOOKS_BY_AUSTEN], [completion_call()]]),
        parts_off=ALL_BUT_MAIN_MODEL,
    )

    assert feedback in solved.shown_to_model
    assert solved.shelf.answers == ["emma and persuasion"]


def test_a_request_without_a_change_runs_no_changing_tool() -> None:
    """A benchmark's function decides from the request whether a trial may change anything. Here it
    may not: the model is not offered calls that change files, so `delete` is an unknown tool. It is
    offered `exec`, by which it may run some tools, but not `/bin/lend`."""
    lend = tool_call("exec", path="/bin/lend", args=[], stdin="")
    delete = tool_call("delete", path="/books/emma.txt")

    solved = run_attempt(
        ModelByTurn([[lend, delete], [FIND_BOOKS_BY_AUSTEN], [completion_call()]]),
        parts_off=ALL_BUT_MAIN_MODEL,
    )

    assert solved.shelf.lent == 0
    assert "not run: the request asks for no such change" in solved.shown_to_model
    assert "there is no tool 'delete'" in solved.shown_to_model
    tools_of_first_request = solved.model.main_requests[0].tools
    offered_tools = {tool.name for tool in tools_of_first_request}
    assert "write" not in offered_tools
    assert "delete" not in offered_tools


# The formatter: a small model that puts a message into the form that was asked for.


@pytest.mark.parametrize(
    ("message", "formatter_message", "submitted"),
    [
        pytest.param(
            "emma and persuasion",
            "emma, persuasion",
            "emma, persuasion",
            id="another form",
        ),
        pytest.param("emma", "OUTCOME_OK: emma", "emma", id="an outcome is added"),
        pytest.param(
            "there are 2", "there are 3", "there are 2", id="a number is changed"
        ),
        pytest.param("yes, emma", "no", "yes, emma", id="the meaning is changed"),
        pytest.param("emma", "", "emma", id="the formatter fails"),
        pytest.param("x" * 9_000, "7", "x" * 9_000, id="too long for the formatter"),
    ],
)
def test_the_formatter_changes_the_form_alone(
    message: str, formatter_message: str, submitted: str
) -> None:
    """The formatter makes `formatter_message` of the model's `message`. If it changes numbers or
    words, or fails, the model's own message is submitted."""
    judged = judged_completion(
        message=message, outcome="OUTCOME_OK", formatter_message=formatter_message
    )

    assert judged.answer == submitted


def test_a_question_to_the_user_is_not_formatted() -> None:
    """The formatter could turn a question into an answer."""
    question = "Which one, emma or persuasion?"

    judged = judged_completion(
        message=question,
        outcome="OUTCOME_NONE_CLARIFICATION",
        formatter_message="emma",
    )

    assert judged.answer == question


def judged_completion(*, message: str, outcome: str, formatter_message: str) -> Judged:
    """Return the answer that the gates judge if the model hands in this message and outcome.

    The formatter makes `formatter_message` of the message. If that is empty, it fails.
    """
    other_models: dict[str, str] = {}
    if formatter_message:
        other_models["format"] = json.dumps({"message": formatter_message})
    completion = completion_call(
        message=message,
        outcome=outcome,
        records=[{"path": "/books/emma.txt", "reason": "says by Austen"}],
    )
    solved = run_attempt(
        answering_model(completion, other_models=other_models),
        parts_off=CLASSIFIER_AND_REFERENCES,
    )
    return solved.judged_answers[-1]


# Reviews of a draft: the shop's conventions for payments and discounts.
#
# A customer asks for a payment to be tried again. That is not possible if it was paid already, or is
# blocked. Models often ask the customer a question instead of saying so.

QUESTION_ABOUT_PAYMENT = "Is pay-7 meant?"
"""The draft of an answer: a question to the customer."""
NOTED_TIME = "2031-05-04T10:00:00Z"
"""The time from which the payment may be tried again, as the model has noted it."""


@pytest.mark.parametrize(
    ("review", "outcome", "message"),
    [
        pytest.param(
            {"paid": True, "blocked": False, "until": ""},
            "OUTCOME_NONE_UNSUPPORTED",
            QUESTION_ABOUT_PAYMENT,
            id="paid already",
        ),
        pytest.param(
            {"paid": False, "blocked": False, "until": ""},
            "OUTCOME_NONE_CLARIFICATION",
            QUESTION_ABOUT_PAYMENT,
            id="neither paid nor blocked",
        ),
        pytest.param(
            {"paid": False, "blocked": True, "until": NOTED_TIME},
            "OUTCOME_NONE_UNSUPPORTED",
            f"{QUESTION_ABOUT_PAYMENT} It is blocked until {NOTED_TIME}.",
            id="blocked until a time in the notes",
        ),
        pytest.param(
            {"paid": False, "blocked": True, "until": "2099-01-01T00:00:00Z"},
            "OUTCOME_NONE_UNSUPPORTED",
            QUESTION_ABOUT_PAYMENT,
            id="blocked until a time that nobody noted",
        ),
        pytest.param(
            {},
            "OUTCOME_NONE_CLARIFICATION",
            QUESTION_ABOUT_PAYMENT,
            id="no review",
        ),
    ],
)
def test_nobody_is_asked_about_a_payment_that_is_paid_or_blocked(
    review: dict[str, object], outcome: str, message: str
) -> None:
    """A second model, the reviewer, reads the draft with the model's notes, and says whether the
    payment is paid or blocked, and until when. A draft that asks the customer then becomes an answer
    with the outcome UNSUPPORTED. It names the time only if the model's notes have it."""
    draft = completion_call(
        message=QUESTION_ABOUT_PAYMENT,
        outcome="OUTCOME_NONE_CLARIFICATION",
        task_type="verification",
        notes=f"retry_at {NOTED_TIME}",
    )

    solved = run_attempt(
        answering_model(draft, other_models={"check_draft": json.dumps(review)}),
        parts_off=CLASSIFIER_AND_REFERENCES,
    )

    judged = solved.judged_answers[-1]
    assert judged.outcome == outcome
    assert judged.answer == message


def test_a_refused_discount_names_the_largest_one_that_the_notes_have() -> None:
    """The model notes what it finds out. The note that has the maximum is put behind its message."""
    refusal = completion_call(
        message="That is not possible.",
        outcome="OUTCOME_NONE_UNSUPPORTED",
        task_type="discount",
        notes=["basket-1 is open", "the maximum is 15 %"],
    )

    solved = run_attempt(
        answering_model(refusal),
        parts_off=CLASSIFIER_AND_REFERENCES,
    )

    judged = solved.judged_answers[-1]
    assert judged.answer == "That is not possible. the maximum is 15 %"


# Checks before the model: functions of the benchmark that may answer a request at once.
#
#   may_change   decides from the classifier's reply whether the trial may change anything
#   theft        refuses a request that says "steal"
#   newest       adds "The newest is of AUTHOR." to the prompt, for the author that the classifier
#                names; raises an error for a request that says "unreadable"


def attempt_with_checks(
    instruction: str, classification: str = ABOUT_AUSTEN
) -> AttemptResult:
    """Play a trial in which the library's checks look at the request before the model does.

    `classification` is the reply of the classifier.
    """
    return run_attempt(
        answering_model(completion_call(), other_models={"classify": classification}),
        instruction=instruction,
        parts_off="formatter references",
    )


def test_a_check_answers_before_the_main_model_is_asked() -> None:
    """The check `theft` refuses the request. For that it reads, and cites, `/books/notes.txt`. Only
    the classifier was asked, and the check `newest` was not called any more."""
    solved = attempt_with_checks("I want to steal emma.")

    assert solved.shelf.answers == ["Books are lent, not stolen."]
    roles_asked = [request.role for request in solved.model.requests]
    assert roles_asked == ["classify"]
    (step,) = solved.steps
    assert step.state == "answered by theft"
    (judged,) = step.verdicts
    assert judged.refs == ("/books/notes.txt",)
    # The call `read` was made by a check, which is its `outer` call.
    checks = [call.operation for call in step.calls if call.outer is None]
    assert checks == ["may_change", "theft"]


@pytest.mark.parametrize(
    "classification",
    [
        pytest.param("", id="the classifier's reply is empty"),
        pytest.param(ABOUT_AUSTEN, id="the check fails"),
    ],
)
def test_a_check_that_knows_nothing_leaves_the_request_to_the_model(
    classification: str,
) -> None:
    """The check `newest` would add the sentence "The newest is of Austen." to the prompt. It fails,
    since the request says "unreadable", or has no author to name."""
    solved = attempt_with_checks("an unreadable question", classification)

    *_first_messages, instruction, _call, _result = solved.last_request
    assert "The newest" not in instruction["content"]
    assert solved.shelf.answers == ["emma and persuasion"]
