"""For which requests a reply in the file of a scripted model is.

    [[reply]]
    when = "overdue"          # a regular expression of RE2 for the trial's first message
    task = "loans.4"
    code = "print(1)"

This reply is for the task `loans.4`, if its first message has the word `overdue`.
"""

from __future__ import annotations

from controlplane.agent.model.immutable_data import Frozen
from controlplane.agent.model.model_request import ModelRequest
from controlplane.agent.model.scripted.pattern import Pattern, is_in
from controlplane.agent.model.scripted.scripted_conversation import ScriptedConversation


class ReplyCondition(Frozen):
    """The requests for which a reply is: those that fit all of these fields."""

    when: Pattern = ""
    """Must match somewhere in the trial's first message."""
    system: Pattern = ""
    """Must match somewhere in the trial's system prompt."""
    task: str = ""
    """The id of the task; empty for every task."""
    role: str = "solve"
    """What the reply is for: `solve` for the next step of a solver, `grade` for a grader."""

    def is_for(self, request: ModelRequest, conversation: ScriptedConversation) -> bool:
        """Return True if the reply is for a request, in one of the turns of its conversation.

        The turn does not matter here: a trial gets all replies that are for it, one a turn.
        """
        if self.role != request.role:
            return False
        if self.task not in ("", request.task_id):
            return False
        if not is_in(self.when, conversation.first_message):
            return False
        return is_in(self.system, conversation.system_prompt)
