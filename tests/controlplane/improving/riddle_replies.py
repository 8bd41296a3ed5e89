"""Replies of the two models of a loop over riddles: better hints, and scripts that answer.

    hints_for("alder", "Solve it.")    ->    "Solve it.\\nRead the record twice.\\n"

A script answers with the id of the riddle's record, or with "unknown".
"""

import json

from tests.controlplane.improving.riddle_kinds import KINDS

KINDS_BY_NAME = {kind.name: kind for kind in KINDS}


def hints_for(kind_name: str, hints: str) -> str:
    """Return the hints with which riddles of this kind are solved, too.

    `hints_for("alder", "Solve it.")` -> "Solve it.\\nRead the record twice.\\n"
    """
    kind = KINDS_BY_NAME[kind_name]
    if kind.forbidden:
        return hints.replace(kind.forbidden, "") + "\n"
    if kind.needed:
        return f"{hints}\n{kind.needed}\n"
    return f"{hints}\nThink of {kind_name} again.\n"


def solving_reply() -> str:
    """Return a reply whose script answers with the id of the record."""
    return reply_with("record['id']")


def failing_reply() -> str:
    """Return a reply whose script answers "unknown"."""
    return reply_with("'unknown'")


def reply_with(answer: str) -> str:
    """Return a reply whose script reads and prints the record, and gives this answer."""
    script = (
        "import json\n"
        "record = json.loads(harness.look().content)\n"
        "print(record['id'])\n"
        f"scratchpad['answer'] = {answer}\n"
        "scratchpad['outcome'] = 'OUTCOME_OK'\n"
        "harness.answer(scratchpad, lambda sp: bool(sp['answer']))"
    )
    return json.dumps({"state": "looks", "plan": [], "done": True, "code": script})
