"""Replies of a player that knows what to do: a script that makes calls, and one that answers."""

import json
from collections.abc import Mapping, Sequence


def calling(calls: Sequence[tuple[str, Mapping[str, object]]]) -> str:
    """Return a reply whose script makes the calls, those that are held a second time, and prints what they return."""
    made = [(name, json.loads(json.dumps(dict(arguments)))) for name, arguments in calls]
    return _reply(
        f"for name, arguments in {made!r}:\n"
        "    for attempt in range(2):\n"
        "        try:\n"
        "            print(getattr(harness, name)(**arguments))\n"
        "            break\n"
        "        except HarnessError as error:\n"
        "            print(error)\n"
        "            if 'make the same call again' not in str(error):\n"
        "                break",
        done=False,
    )


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
