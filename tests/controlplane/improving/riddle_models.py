"""The two models of a loop over riddles, behind one endpoint: one solves, one proposes hints.

    with model_server(RiddleModels()) as server:

The model "big" proposes: it reads which riddles failed, and adds the sentence that one of them needs,
or removes the one that it must not have. Any other model solves the riddles that its hints solve.
"""

import hashlib
import json
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass

from tests.controlplane.improving.riddles import KINDS
from tests.support.endpoints import ModelHttpRequest, completion_json, http_response

LOOK_AGAIN = "Look at the record again."
"""The reason of a user's rule against an answer. Whoever reads it solves the riddle."""

KINDS_BY_NAME = {kind.name: kind for kind in KINDS}

IsSolved = Callable[[str, str], bool]
"""Tells from the hints and the riddle's text whether a player solves it."""


def solved_by_hints(hints: str, riddle: str) -> bool:
    """`solved_by_hints("Read the record twice.", "Riddle of the kind alder, ...")` -> True"""
    kind = re.findall(r"kind (\w+), number", riddle)[-1]
    return KINDS_BY_NAME[kind].is_solved_with(hints)


def solved_by_chance(hints: str, riddle: str) -> bool:
    """Return True for half of all hints and riddles, but always the same for equal ones."""
    digest = hashlib.sha256((hints + riddle).encode()).digest()
    return digest[0] < 128


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
        return hints_for(failed_kinds[0], hints)


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
