"""The two models of a loop of `improve` over riddles, which one endpoint serves.

    with model_server(RiddleModels()) as server:

One model plays riddles. It finds an answer if its hints solve the riddle, and otherwise answers
"unknown". The other model, "big", proposes better hints.
"""

import socket
from dataclasses import dataclass

from tests.controlplane.improving.proposed_hints import (
    better_hints,
    copying_hints,
    was_refused,
)
from tests.controlplane.improving.riddle_players import IsSolved, solved_by_hints
from tests.controlplane.improving.riddle_replies import failing_reply, solving_reply
from tests.support.endpoints import ModelHttpRequest, completion_json, http_response

LOOK_AGAIN = "Look at the record again."
"""What a rule of the user says when it sends an answer back. The player then solves the riddle."""


@dataclass
class RiddleModels:
    """Responds to the requests to both models."""

    is_solved: IsSolved = solved_by_hints
    copies_id: bool = True
    """True if the proposer cheats until it is refused: its hints have an id that it has seen."""

    def __call__(self, request: ModelHttpRequest, connection: socket.socket) -> bytes:
        messages = request.body["messages"]
        assert isinstance(messages, list)
        contents = [str(message["content"]) for message in messages]
        if request.body["model"] == "big":
            reply = self._reply_of_proposer(contents)
        else:
            reply = self._reply_of_player(contents)
        return http_response(200, completion_json(reply))

    def _reply_of_player(self, contents: list[str]) -> str:
        """Return a script. The first message has the hints, the last may send an answer back."""
        system_message, riddle, *_ = contents
        if LOOK_AGAIN in contents[-1] or self.is_solved(system_message, riddle):
            return solving_reply()
        return failing_reply()

    def _reply_of_proposer(self, contents: list[str]) -> str:
        """Return new hints. The user message has the present ones, and riddles that failed."""
        _system_message, user_message, *_ = contents
        if self.copies_id and not was_refused(user_message):
            return copying_hints(user_message) or better_hints(user_message)
        return better_hints(user_message)
