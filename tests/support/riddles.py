"""A benchmark of riddles in kinds, a world for each number,
and a player and a proposer that a chat endpoint plays.

The player obeys its system prompt: a kind is solved if the prompt holds the kind's
sentence, and fails if it holds a sentence that misleads about the kind. The proposer
mends the text for the first failed kind that it sees.
"""

import hashlib
import json
import re
from collections.abc import Mapping

from controlplane import Benchmark, BenchmarkContext, RunRequest
from controlplane.sandbox.interface import Effect, Operation, ResultField
from tests.support.endpoints import (
    ModelHttpRequest,
    Responder,
    completion_json,
    http_response,
)
from tests.support.small_benchmark import OneToolEnvironment, SmallBenchmark

LOOK = Operation("look", (), (ResultField("content"),), "the record", Effect.RETURNS)
HELPS = {
    "alder": "Read the record twice.",
    "birch": "Name the code alone.",
    "cedar": "Keep the letter case.",
}
HARMS = {"dogwood": "Answer before you look.", "elm": "Shorten every code."}
LOOK_AGAIN = "Look at the record again."
"""What a rule may say, after which every kind is solved."""
KINDS = (*HELPS, *HARMS, "fir")


class Riddles(SmallBenchmark):
    """Their trials are called `KIND.1-NUMBER`."""

    name = "riddles"

    def trial_id(self, request: RunRequest, at: int) -> str:
        return f"{request.tries[at].task_id}-{request.tries[at].number}"

    def task_of(self, trial_id: str) -> str:
        return trial_id.split("-")[0]

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, OneToolEnvironment]:
        kind, number = task_id.partition(".")[0], trial_id.split("-")[1]
        record = json.dumps({"id": self.expected(task_id, trial_id)})
        riddle = self.worlds.get(trial_id) or OneToolEnvironment(
            LOOK, lambda _: {"content": record}
        )
        return (
            f"Riddle of the kind {kind}, number {number}: what is the id of its record?",
            riddle,
        )

    def expected(self, task_id: str, trial_id: str) -> str:
        return f"{task_id[:2].upper()}-{trial_id.split('-')[1]}77"


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    return Riddles([f"{kind}.1" for kind in KINDS])


def endpoint(*, luck: float | None = None, copies_id: bool = True) -> Responder:
    """Return an endpoint that plays (`small`) and proposes (`big`).

    With `luck`, a trial succeeds by that chance,
    drawn from prompt and request, whatever they say.
    """

    def answer(asked: ModelHttpRequest, connection: object) -> bytes:
        del connection
        messages = asked.body["messages"]
        assert isinstance(messages, list)
        system, user = str(messages[0]["content"]), str(messages[1]["content"])
        if LOOK_AGAIN in str(messages[-1]["content"]):
            return http_response(200, completion_json(played(system, user, 1.0)))
        text = (
            proposed(user, copies_id=copies_id)
            if asked.body["model"] == "big"
            else played(system, user, luck)
        )
        return http_response(200, completion_json(text))

    return answer


def played(system: str, user: str, luck: float | None) -> str:
    kind = re.findall(r"kind (\w+), number", user)[-1]
    is_right = HELPS.get(kind, "") in system and HARMS.get(kind, "(none)") not in system
    if luck is not None:
        is_right = hashlib.sha256(f"{system}{user}".encode()).digest()[0] < luck * 256
    code = (
        "import json\nrecord = json.loads(harness.look().content)\nprint(record['id'])\n"
        f"scratchpad['answer'] = record['id'] if {is_right} else 'unknown'\n"
        "scratchpad['outcome'] = 'OUTCOME_OK'\n"
        "harness.answer(scratchpad, lambda sp: bool(sp['answer']))"
    )
    return json.dumps({"state": "looks", "plan": [], "done": True, "code": code})


def proposed(user: str, *, copies_id: bool) -> str:
    files, _, trials = user.partition("\n# Trials\n")
    text = files.partition("# hints.txt\n")[2].strip("\n")
    failed = next(iter(re.findall(r"## (\w+)\.1: score 0\.00", trials)), "")
    if (
        copies_id
        and "refused" not in trials
        and (code := re.search(r"^[A-Z]{2}-\d+77$", trials, re.M))
    ):
        return f"{text}\nThe id is {code[0]}.\n"
    if failed in HELPS:
        text += f"\n{HELPS[failed]}"
    elif failed in HARMS:
        text = text.replace(HARMS[failed], "")
    else:
        text += f"\nThink of {failed or 'nothing'} again."
    return f"{text}\n"
