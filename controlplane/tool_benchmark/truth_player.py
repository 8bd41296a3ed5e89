"""A player that carries out a benchmark's ground truth in place of a model.

A benchmark declares by `Truth` the right calls of each turn and the right answer. The
player makes these calls as a perfect model would. So a run of it shows whether the
grader, the gates and the provenance policy accept right work.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from controlplane.agent.model import Model, ModelError, ModelRequest, Reply
from controlplane.tool_benchmark.truth import Truth
from controlplane.tool_benchmark.truth_script import truth_script


class TruthPlayer(Model):
    """Replies with a script that carries out the ground truth.

    Each run of the script makes the calls of one turn of the conversation with the user.
    The run after the last turn submits the answer. It is the same script in every reply:
    the trial's scratchpad, which is kept between scripts, tells it how far it has come.
    """

    name = "truth"

    def __init__(self, truth: Callable[[str], Truth | None]) -> None:
        """Create a player. `truth` returns the ground truth of a task; None if it is not known."""
        self._truth = truth

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the script as a model would. Raises `ModelError` if there is no truth."""
        truth = self._truth(request.task_id)
        if truth is None:
            msg = f"the ground truth of {request.task_id!r} is not known"
            raise ModelError(msg)
        # Each message of the assistant is an earlier reply of this player.
        reply_count = 0
        for message in request.messages:
            if message["role"] == "assistant":
                reply_count += 1
        # A trial whose scripts are all the same would count as stuck. So number them.
        script = f"# reply {reply_count + 1}\n{truth_script(truth)}"
        # The form of every reply of a model (see `agent/reply/reply.py`).
        action = {"state": "as planned", "plan": [], "done": False, "code": script}
        return Reply(text=json.dumps(action))
