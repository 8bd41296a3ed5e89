"""The two models of a loop over riddles, behind one endpoint: one solves, one proposes hints.

    with model_server(RiddleModels()) as server:

The model "big" proposes: it reads which riddles failed, and adds the sentence that one of them
needs, or removes the one that it must not have. Any other model solves the riddles that its hints
solve.
"""

import re
import socket
from dataclasses import dataclass

from tests.controlplane.improving.riddle_kinds import KINDS_BY_NAME
from tests.controlplane.improving.riddle_players import IsSolved, solved_by_hints
from tests.controlplane.improving.riddle_replies import failing_reply, solving_reply
from tests.support.endpoints import ModelHttpRequest, completion_json, http_response

LOOK_AGAIN = "Look at the record again."
"""The reason of a user's rule against an answer. Whoever reads it solves the riddle."""


@dataclass
class RiddleModels:
    """Responds to the requests to both models."""

    is_solved: IsSolved = solved_by_hints
    copies_id: bool = True
    """True if the proposer cheats at first: its hints have the id of a record that it has seen,
    which `improve` has to refuse."""

    def __call__(self, request: ModelHttpRequest, connection: socket.socket) -> bytes:
        messages = request.body["messages"]
        assert isinstance(messages, list)
        system, user, last = (str(messages[at]["content"]) for at in (0, 1, -1))
        if request.body["model"] == "big":
            reply = self._proposed_hints(user)
        else:
            is_solved = LOOK_AGAIN in last or self.is_solved(system, user)
            reply = solving_reply() if is_solved else failing_reply()
        return http_response(200, completion_json(reply))

    def _proposed_hints(self, user_message: str) -> str:
        """Return the next hints. The message has the present ones, and riddles that failed:

        # hints.txt
        Solve the riddle.
        # Trials
        ## alder.1: score 0.00
        AL-777

        It says "refused" if the proposal before was refused.
        """
        files, _, trials = user_message.partition("\n# Trials\n")
        _, _, hints = files.partition("# hints.txt\n")
        hints = hints.strip("\n")

        record_id = re.search(r"^[A-Z]{2}-\d+77$", trials, re.MULTILINE)
        if self.copies_id and record_id and "refused" not in trials:
            return f"{hints}\nThe id is {record_id[0]}.\n"

        failed_kinds = re.findall(r"## (\w+)\.1: score 0\.00", trials)
        if not failed_kinds:
            return f"{hints}\nThink of nothing again.\n"
        return KINDS_BY_NAME[failed_kinds[0]].mended(hints)
