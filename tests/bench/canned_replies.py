"""Replies of a model to the trials of `file_benchmark.py`, which are all alike.

`canned_replies()` has five texts of JSON with a script each; `canned_replies_with_tools()` has
messages with calls of tools instead.
"""

import json

STEPS = 5
"""How many replies of the model a trial takes."""


Reply = str | dict[str, object]
"""The text of a model's reply, or a whole message with tool calls."""


def canned_replies() -> list[str]:
    """Return the replies of one trial: four steps that read, and one that answers.

    Each is JSON with a script, such as `{"state": "step 0", ..., "code": "listing = ..."}`.
    """
    from tests.bench.file_benchmark import ANSWER, STEP

    scripts = [STEP.format(number, number + 1) for number in range(STEPS - 1)]
    scripts.append(ANSWER)
    replies = []
    for number, script in enumerate(scripts):
        action = {
            "state": f"step {number}",
            "plan": ["read", "answer"],
            "done": False,
            "code": script,
        }
        replies.append(json.dumps(action))
    return replies


def tool_call(number: int, name: str, **arguments: object) -> dict[str, object]:
    """Return a call of a tool as the OpenAI API has it in a model's message."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": f"call_{number}", "type": "function", "function": function}


def message_with_calls(*calls: dict[str, object]) -> Reply:
    """Return a message of the model that only calls tools."""
    return {"content": None, "tool_calls": list(calls)}


def canned_replies_with_tools() -> list[Reply]:
    """Return the replies of one trial of the second solver, which calls tools.

    The model server chooses a reply by how many messages of the model a request already has:

    | request | messages of the model | reply |
    |---|---|---|
    | to format the answer | 0 | the formatted answer |
    | the first turn | 1, which the solver itself has written | a turn that reads |
    | three further turns | 2, 3 and 4 | a turn that reads |
    | the last turn | 5 | the turn that answers |
    """
    formatting = '{"message": "7"}'

    reading_turns = [
        message_with_calls(
            tool_call(1, "list", path="/records"),
            tool_call(2, "read", path=f"/records/{number}.json"),
            tool_call(3, "read", path=f"/records/{number + 1}.json"),
        )
        for number in range(STEPS - 1)
    ]

    record = {"path": "/records/7.json", "reason": "record r-7 holds the count 7"}
    answering_turn = message_with_calls(
        tool_call(1, "read", path="/records/7.json"),
        tool_call(2, "stat", path="/records/8.json"),
        tool_call(
            3,
            "report_completion",
            message="7",
            outcome="OUTCOME_OK",
            documents=[],
            records=[record],
        ),
    )

    return [formatting, *reading_turns, answering_turn]
