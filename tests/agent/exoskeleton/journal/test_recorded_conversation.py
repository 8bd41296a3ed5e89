"""The conversation with the model of a trial can be built again from the events of its journal.

| event                | messages                                                        |
| -------------------- | --------------------------------------------------------------- |
| `ConversationOpened` | system prompt, calls made in advance and their results, request |
| `ModelReplied`       | the model's reply                                               |
| `StepDone`           | the result of each call, and what else the model is told        |

The fixture `trial` is a trial of five steps. In step 1, its request is checked without the model. The
last request to the model is that of step 5.
"""

from controlplane.agent.events import ConversationOpened, ModelReplied, StepDone
from controlplane.agent.model import Message
from tests.support.books.attempt_result import AttemptResult


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
