"""Replies of a model that calls tools, to the trials of `file_benchmark.py`, which are all alike.

`canned_replies_with_tools()` has a reply that formats the answer, four turns that read, and one that
answers.
"""

import json

from tests.bench.canned_replies import STEPS, Reply


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
