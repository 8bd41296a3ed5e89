"""Replies of a player that knows what to do: a script that makes calls, and one that answers."""

import json
from collections.abc import Mapping, Sequence


def calling(calls: Sequence[tuple[str, Mapping[str, object]]]) -> str:
    """Return a reply whose script makes the calls, and prints what they return."""
    lines = []
    for name, arguments in calls:
        given = ", ".join(f"{key}={json.loads(json.dumps(value))!r}" for key, value in arguments.items())
        lines += ["try:", f"    print(harness.{name}({given}))", "except HarnessError as error:", "    print(error)"]
    return _reply("\n".join(lines), done=False)


def answering(answer: str) -> str:
    """Return a reply whose script answers."""
    return _reply(
        f"ANSWER = {answer!r}\n"
        "scratchpad['answer'], scratchpad['outcome'] = ANSWER, 'OUTCOME_OK'\n"
        "harness.answer(scratchpad, lambda sp: (sp['answer'], sp['outcome']) == (ANSWER, 'OUTCOME_OK'))",
        done=True,
    )


def _reply(code: str, *, done: bool) -> str:
    return json.dumps({"state": "as planned", "plan": [], "done": done, "code": code})
