"""Replies of a model that is asked to solve a riddle: a right one and a wrong one.

A riddle is solved by the id of its record. A reply is a JSON object with a Python script, its
`code`, which submits an answer:

    solving_reply()    ->    '{..., "code": "... scratchpad['answer'] = record['id'] ..."}'
"""

import json


def solving_reply() -> str:
    """Return a reply whose script answers with the id of the record."""
    return reply_with("record['id']")


def failing_reply() -> str:
    """Return a reply whose script answers "unknown"."""
    return reply_with("'unknown'")


def reply_with(answer: str) -> str:
    """Return a reply whose script prints the record's id, and submits this Python expression."""
    script = (
        "import json\n"
        "record = json.loads(harness.look().content)\n"
        "print(record['id'])\n"
        f"scratchpad['answer'] = {answer}\n"
        "scratchpad['outcome'] = 'OUTCOME_OK'\n"
        "harness.answer(scratchpad, lambda sp: bool(sp['answer']))"
    )
    # Besides the code, a reply says what the model sees, what it will do next, and that it is done.
    return json.dumps({"state": "looks", "plan": [], "done": True, "code": script})
