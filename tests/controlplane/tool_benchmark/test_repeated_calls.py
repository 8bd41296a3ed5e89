"""A later command makes the recorded calls of a trial again, and finds the same.

`replay --verify` runs the scripts again with the results of the journal. `judge --grader` calls the
tools themselves, so that the grader can grade what they have changed.
"""

from pathlib import Path

from pydantic import BaseModel

import controlplane
from controlplane import Task, Tool
from tests.support.command import run_in_process


class Place(BaseModel):
    z: int
    a: int


def go(place: Place) -> int:
    """Go to a place."""
    return place.z


def test_a_replay_gives_the_same_error_text_for_a_wrong_argument(
    tmp_path: Path,
) -> None:
    """5 is no place. The error names the fields of a place in their order, "z" before "a". The replay
    has it from the schema in the journal, because it does not have the class."""
    replies = tmp_path / "replies.toml"
    replies.write_text("[[reply]]\ncode = 'harness.go(place=5)'\n")
    task = Task("go.1", "Go.", tools=[Tool(go, "returns")])
    run = controlplane.run([task], model=f"scripted:{replies}", runs_dir=str(tmp_path))

    replay = run_in_process("replay", str(run.journal), "--verify", cwd=tmp_path)

    assert replay.code == 0, replay.out


BENCHMARK = """
from controlplane import TaskEnvironment, Tool, ToolBenchmark

def look(name: str) -> str:
    if name == "c":
        raise LookupError("no c")
    return name

class Looks(ToolBenchmark):
    citations = "none"

    def task_ids(self):
        return ["look.1"]

    def generate(self, task_id):
        return "Look.", TaskEnvironment([Tool(look, "returns")])

    def grade(self, task_id, environment):
        names = [call.arguments["name"] for call in environment.calls]
        return names == ["a", "c", "b"], [str(names)]

open_benchmark = Looks
"""

REPLY = """
[[reply]]
code = '''
for name in "acb":
    try:
        harness.look(name)
    except HarnessError as error:
        print(error)
scratchpad["answer"], scratchpad["outcome"] = "", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["outcome"] == "OUTCOME_OK")
'''
"""


def test_a_grader_that_grades_again_sees_calls_that_only_read_or_failed(
    tmp_path: Path,
) -> None:
    """All three calls only read, and look("c") fails. The score is 1 if the grader sees all three."""
    (tmp_path / "looks.py").write_text(BENCHMARK)
    (tmp_path / "looks.toml").write_text(REPLY)
    model = "scripted:looks.toml"
    played = run_in_process(
        "run", "--benchmark", "looks", "--model", model, "--json", cwd=tmp_path
    )
    assert played.json["score"] == 1.0, played.json["trials"]

    judged = run_in_process("judge", "last", "--grader", cwd=tmp_path)

    assert "1 trial graded again, 0 changed" in judged.out, judged.out + judged.err
