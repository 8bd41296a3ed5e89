"""A benchmark of riddles in kinds, with a world for each seed, and a player and a proposer that a chat endpoint plays.

The player obeys its system prompt: a kind is solved if the prompt holds the kind's sentence, and fails if it holds a
sentence that misleads about the kind. The proposer mends the text for the first failed kind that it sees.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence

from agent.model import Model
from controlplane import (
    Benchmark,
    BenchmarkContext,
    Description,
    RunRequest,
    RunResult,
    RunState,
    StartedRun,
    TaskHead,
    Trial,
    TrialHead,
    TrialScore,
)
from sandbox.interface import Operation, Plain, ResultField, Surface
from tests.support.endpoints import Answer, Asked, completion, response

LOOK = Operation("look", (), (ResultField("content"),), "the record")
HELPS = {"alder": "Read the record twice.", "birch": "Name the code alone.", "cedar": "Keep the letter case."}
HARMS = {"dogwood": "Answer before you look.", "elm": "Shorten every code."}
LOOK_AGAIN = "Look at the record again."
"""What a rule may say, after which every kind is solved."""
KINDS = (*HELPS, *HARMS, "fir")


class Riddle:
    surface = Surface(operations=(LOOK,))

    def __init__(self, code: str) -> None:
        self.code, self.given = code, ""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        return {"content": json.dumps({"id": self.code})}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.given = message

    def now(self) -> None:
        return None


class Riddles:
    def __init__(self) -> None:
        self.riddles: dict[str, Riddle] = {}

    def describe(self, preview_seed: int | None = None) -> Description:
        return Description("riddles", "codes of records", tuple(TaskHead(f"{kind}.1") for kind in KINDS))

    def start_run(self, request: RunRequest) -> StartedRun:
        heads = (TrialHead(f"{each.task_id}-{request.seed}-{each.number}", each.task_id) for each in request.tries)
        return StartedRun("riddles", tuple(heads))

    def start_trial(self, trial_id: str) -> Trial:
        task, seed, _ = trial_id.split("-")
        kind = task.partition(".")[0]
        riddle = self.riddles.setdefault(trial_id, Riddle(f"{kind[:2].upper()}-{seed}77"))
        text = f"Riddle of the kind {kind}, number {seed}: what is the id of its record?"
        return Trial(trial_id, task, text, riddle)

    def end_trial(self, trial_id: str) -> TrialScore:
        riddle = self.riddles[trial_id]
        is_right = riddle.given == riddle.code
        return TrialScore(trial_id, float(is_right), () if is_right else (f"expected {riddle.code}",))

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        return RunResult(run_id, RunState.EVALUATED, None, tuple(map(self.end_trial, self.riddles)))

    def get_run(self, run_id: str) -> RunResult:
        return self.submit_run(run_id, force=False)

    def player(self) -> Model | None:
        return None

    def close(self) -> None:
        pass


def open_benchmark(argument: str, settings: Mapping[str, str], context: BenchmarkContext) -> Benchmark:
    return Riddles()


def endpoint(*, luck: float | None = None, copies_id: bool = True) -> Answer:
    """Return an endpoint that plays (`small`) and proposes (`big`). With `luck`, a trial succeeds by that chance, drawn
    from prompt and request, whatever they say."""

    def answer(asked: Asked, connection: object) -> bytes:
        del connection
        messages = asked.body["messages"]
        assert isinstance(messages, list)
        system, user = str(messages[0]["content"]), str(messages[1]["content"])
        if LOOK_AGAIN in str(messages[-1]["content"]):
            return response(200, completion(played(system, user, 1.0)))
        text = proposed(user, copies_id=copies_id) if asked.body["model"] == "big" else played(system, user, luck)
        return response(200, completion(text))

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
    text = files.partition("===\n")[2].strip("\n")
    failed = next(iter(re.findall(r"## (\w+)\.1: score 0\.00", trials)), "")
    if copies_id and "refused" not in trials and (code := re.search(r"^[A-Z]{2}-\d+77$", trials, re.M)):
        return f"=== hints.txt ===\n{text}\nThe id is {code[0]}.\n"
    if failed in HELPS:
        text += f"\n{HELPS[failed]}"
    elif failed in HARMS:
        text = text.replace(HARMS[failed], "")
    else:
        text += f"\nThink of {failed or 'nothing'} again."
    return f"=== hints.txt ===\n{text}\n"
