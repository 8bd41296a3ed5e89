"""`judge --grader` grades recorded trials again, for which it makes their calls again.

The grader then sees what the calls of tools have changed, and also those that only read or failed.
"""

from pathlib import Path

from tests.support.command import run_in_process

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
