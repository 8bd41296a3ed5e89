"""A benchmark of riddles, and an endpoint that plays both models of `controlplane improve`.

`improve` lets one model solve tasks with a prompt, and another propose better prompts. Here the
right prompt is known. There are six kinds of riddles, each with one task:

- alder, birch and cedar are solved only if the prompt has the sentence that `HELPS` has for them;
- dogwood and elm are solved unless the prompt has the sentence that `HARMS` has for them;
- fir is always solved.
"""

import hashlib
import json
import re
from collections.abc import Mapping

from controlplane import Benchmark, BenchmarkContext, RunRequest
from controlplane.sandbox.interface import Effect, Operation, Plain, ResultField
from tests.support.endpoints import (
    ModelHttpRequest,
    Responder,
    completion_json,
    http_response,
)
from tests.support.small_benchmark import OneToolEnvironment, SmallBenchmark

LOOK = Operation("look", (), (ResultField("content"),), "the record", Effect.RETURNS)
"""The only operation of a riddle: `harness.look()` returns its record, `{"id": "AL-777"}`."""

HELPS = {
    "alder": "Read the record twice.",
    "birch": "Name the code alone.",
    "cedar": "Keep the letter case.",
}
"""The sentence that a prompt needs for each of these kinds."""

HARMS = {"dogwood": "Answer before you look.", "elm": "Shorten every code."}
"""The sentence that a prompt must not have, for each of these kinds."""

KINDS = (*HELPS, *HARMS, "fir")
"""All kinds; nothing in a prompt matters for `fir`."""

LOOK_AGAIN = "Look at the record again."
"""A hint that a test may give to a solver whose answer was rejected: it then solves the riddle."""

PROPOSER = "big"
"""The name of the model that proposes prompts; every other model solves riddles."""


# The benchmark.


class Riddles(SmallBenchmark):
    """The benchmark. The trial `alder.1-7` plays the task `alder.1` in its world number 7."""

    name = "riddles"

    def trial_id(self, request: RunRequest, at: int) -> str:
        attempt = request.tries[at]
        return f"{attempt.task_id}-{attempt.number}"

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, OneToolEnvironment]:
        kind = task_id.removesuffix(".1")
        number = _world_number(trial_id)
        instruction = (
            f"Riddle of the kind {kind}, number {number}: what is the id of its record?"
        )
        # A trial that is started again keeps its world, and the answer given there.
        if trial_id in self.worlds:
            return instruction, self.worlds[trial_id]

        record = json.dumps({"id": self.expected(task_id, trial_id)})

        def look(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
            return {"content": record}

        return instruction, OneToolEnvironment(LOOK, look)

    def expected(self, task_id: str, trial_id: str) -> str:
        """Return the id in the record of a trial: `AL-777` for `alder.1-7`."""
        return f"{task_id[:2].upper()}-{_world_number(trial_id)}77"


def _world_number(trial_id: str) -> str:
    """Return the number of a trial's world: `7` for `alder.1-7`."""
    return trial_id.rpartition("-")[2]


RECORD_ID = re.compile(r"^[A-Z]{2}-\d+77$", re.MULTILINE)
"""Finds a line that is the id of a record, such as `AL-777`."""


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    """Return the benchmark for a run; the product finds this function by its name."""
    return Riddles([f"{kind}.1" for kind in KINDS])


# The two models.


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
