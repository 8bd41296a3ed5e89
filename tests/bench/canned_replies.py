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
    from tests.bench.play_scripts import ANSWER, STEP

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
