"""Replies of a model that calls tools, to the trials of `file_benchmark.py`, which are all alike.

`canned_replies_with_tools()` has a reply that formats the answer, four turns that read, and one that
answers.
"""

import json

# Replies of a model to the trials of `file_benchmark.py`, which are all alike.
#
# `canned_replies()` has five texts of JSON with a script each; `canned_replies_with_tools()` has
# messages with calls of tools instead.

STEPS = 5
"""How many replies of the model a trial takes."""


Reply = str | dict[str, object]
"""The text of a model's reply, or a whole message with tool calls."""


def canned_replies() -> list[str]:
    """Return the replies of one trial: four steps that read, and one that answers.

    Each is JSON with a script, such as `{"state": "step 0", ..., "code": "listing = ..."}`.
    """

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


# Scripts with which a scripted model plays a trial of `file_benchmark.py`.
#
# `STEP.format(0, 1)` is a script that reads the records 0 and 1, and `ANSWER` one that submits the right
# answer, 7.

STEP = """
listing = harness.list("/records")
first = harness.read("/records/{0}.json").json()
second = harness.read("/records/{1}.json").json()
totals = {{}}
for record in (first, second):
    totals[record["id"]] = totals.get(record["id"], 0) + record["count"]
scratchpad["totals"] = totals
print(len(listing.entries), sorted(totals.items()))
"""
"""A script that reads two records. `STEP.format(0, 1)` fills in their numbers, and makes `{{}}` to `{}`."""


ANSWER = """
record = harness.read("/records/7.json").json()
harness.stat("/records/8.json")
scratchpad["answer"] = str(record["count"])
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/records/7.json", "record r-7 holds the count 7")
def verify(sp):
    return sp["answer"] == "7" and sp["outcome"] == "OUTCOME_OK"
harness.answer(scratchpad, verify)
"""
"""A script that submits the right answer. It is used as it is, without `format`."""


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
