"""An endpoint that plays both models of `controlplane improve`: one solves riddles, one proposes prompts.

The solver solves a riddle if its prompt has the sentence that helps with the riddle's kind, or lacks
the one that harms. The proposer reads which riddles failed, and adds the sentence, or removes it.
"""

import hashlib
import json
import re

from tests.support.endpoints import (
    ModelHttpRequest,
    Responder,
    completion_json,
    http_response,
)
from tests.support.riddles import HARMS, HELPS

LOOK_AGAIN = "Look at the record again."
"""A hint that a test may give to a solver whose answer was rejected: it then solves the riddle."""
PROPOSER = "big"
"""The name of the model that proposes prompts; every other model solves riddles."""
RECORD_ID = re.compile(r"^[A-Z]{2}-\d+77$", re.MULTILINE)
"""Finds a line that is the id of a record, such as `AL-777`."""


def endpoint(*, luck: float | None = None, copies_id: bool = True) -> Responder:
    """Return the function that answers the HTTP requests to both models.

    | request | reply |
    |---|---|
    | to the proposer | a better prompt |
    | to the solver | a script with the right answer if its prompt is right for the riddle |
    | to the solver, with the hint `LOOK_AGAIN` | always a script with the right answer |

    With `luck=0.3`, the solver solves three riddles in ten, whatever its prompt says, and equal
    requests get equal replies. With `copies_id`, the proposer cheats at first: its prompt has the
    answer of a riddle it has seen, which `improve` has to refuse.
    """

    def respond(request: ModelHttpRequest, connection: object) -> bytes:
        messages = request.body["messages"]
        assert isinstance(messages, list)
        system_prompt = str(messages[0]["content"])
        user_message = str(messages[1]["content"])
        last_message = str(messages[-1]["content"])
        if LOOK_AGAIN in last_message:
            text = _solver_reply(is_right=True)
        elif request.body["model"] == PROPOSER:
            text = _proposed_prompt(user_message, copies_id=copies_id)
        elif luck is None:
            is_right = _solves(system_prompt, _kind_in(user_message))
            text = _solver_reply(is_right=is_right)
        else:
            is_right = _drawn_number(system_prompt + user_message) < luck
            text = _solver_reply(is_right=is_right)
        return http_response(200, completion_json(text))

    return respond


def _kind_in(user_message: str) -> str:
    """Return the kind of the riddle that a solver is asked, such as `alder`."""
    return str(re.findall(r"kind (\w+), number", user_message)[-1])


def _solves(prompt: str, kind: str) -> bool:
    """Return True if a solver with this prompt solves riddles of a kind."""
    if kind in HELPS:
        return HELPS[kind] in prompt
    if kind in HARMS:
        return HARMS[kind] not in prompt
    return True


def _drawn_number(text: str) -> float:
    """Return a number from 0 to below 1: as if drawn, but always the same for the same text."""
    first_byte = hashlib.sha256(text.encode()).digest()[0]
    return first_byte / 256


def _solver_reply(*, is_right: bool) -> str:
    """Return a reply whose script answers with the id of the record, or with `unknown`."""
    code = (
        "import json\nrecord = json.loads(harness.look().content)\nprint(record['id'])\n"
        f"scratchpad['answer'] = record['id'] if {is_right} else 'unknown'\n"
        "scratchpad['outcome'] = 'OUTCOME_OK'\n"
        "harness.answer(scratchpad, lambda sp: bool(sp['answer']))"
    )
    return json.dumps({"state": "looks", "plan": [], "done": True, "code": code})


def _proposed_prompt(user_message: str, *, copies_id: bool) -> str:
    """Return the proposer's next prompt, made from its request, which has two sections:

        # hints.txt                      the present prompt
        # Trials
        ## alder.1: score 0.00           what happened with it, riddle by riddle

    The request says "refused" if the proposal before was refused, as it had an answer in it.
    """
    files, _, trials = user_message.partition("\n# Trials\n")
    prompt = files.partition("# hints.txt\n")[2].strip("\n")
    record_id = RECORD_ID.search(trials)
    if copies_id and record_id and "refused" not in trials:
        return f"{prompt}\nThe id is {record_id[0]}.\n"

    failed_kinds = re.findall(r"## (\w+)\.1: score 0\.00", trials)
    return _mended_prompt(prompt, failed_kinds[0] if failed_kinds else "nothing")


def _mended_prompt(prompt: str, kind: str) -> str:
    """Return the prompt with which riddles of this kind are solved, too.

    For a kind without a sentence that helps or harms, a useless sentence is added.
    """
    if kind in HELPS:
        return f"{prompt}\n{HELPS[kind]}\n"
    if kind in HARMS:
        return prompt.replace(HARMS[kind], "") + "\n"
    return f"{prompt}\nThink of {kind} again.\n"
