"""Models that a benchmark asks: a simulated user and a grader, journalled, counted, resumed from the record."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from controlplane.journal.journal_reader import open_journal

REPLIES = "".join(
    f"[[reply]]\nrole = {role!r}\n{key} = {text!r}\n"
    for role, key, text in (
        ("solve", "code", "print(harness.say('hello').reply)"),
        ("solve", "code", "print(harness.say('in blue?').reply)"),
        ("solve", "code", "print(harness.say('done'))"),
        ("user", "text", "a hat please"),
        ("user", "text", "yes"),
        ("user", "text", "STOP"),
        ("grade", "text", "0.5"),
    )
)


def command(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Return what a command says in the folder that holds the benchmark."""
    return subprocess.run(
        [sys.executable, "-m", "controlplane", *words], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "talk.py").write_text(Path(__file__).with_name("talk.py").read_text())
    (tmp_path / "replies.toml").write_text(REPLIES)
    return tmp_path


RUN = ("run", "--benchmark", "talk", "--model", "scripted:replies.toml", "--json", "--quiet")


def test_user_and_grader_are_asked_counted_and_replayed(folder: Path) -> None:
    done = command(*RUN, folder=folder)
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)
    (trial,) = run["trials"]
    assert (trial["score"], trial["state"], trial["answer"]) == (0.5, "answered", "")
    assert trial["details"][1:] == ["hello", "a hat please", "in blue?", "yes", "done", "STOP"]
    assert {role: spent["replies"] for role, spent in run["roles"].items()} == {"grade": 1, "solve": 3, "user": 3}
    verified = command("replay", run["journal"], "--verify", folder=folder)
    assert verified.returncode == 0, verified.stderr
    judged = command("judge", run["journal"], "--grader", folder=folder)
    assert judged.returncode == 0, judged.stderr


def test_an_interrupted_conversation_goes_on_from_its_record(folder: Path) -> None:
    program = folder / "talk.py"
    program.write_text(
        program.read_text()
        .replace('"play" in sys.argv', 'not os.path.exists("once")')
        .replace("os.kill(", 'open("once", "w").close(); os.kill(')
    )
    first = command(*RUN, folder=folder)
    assert first.returncode == 130, first.stderr
    run = json.loads(first.stdout)
    assert run["roles"]["user"]["replies"] == 2
    second = command("resume", run["journal"], "--json", folder=folder)
    assert second.returncode == 0, second.stderr
    run = json.loads(second.stdout)
    assert run["roles"]["user"]["replies"] == 3
    assert run["trials"][0]["details"][1:] == ["hello", "a hat please", "in blue?", "yes", "done", "STOP"]
    with open_journal(folder / run["journal"]) as journal:
        (trial,) = journal.trials.values()
        assert sorted(len(replies) for replies in trial.record.asides.values()) == [1, 1, 1, 1]


def test_a_fork_repeats_the_conversation_from_the_record(folder: Path) -> None:
    run = json.loads(command(*RUN, folder=folder).stdout)
    forked = command("fork", run["journal"], "--step", "3", "--trial", "talk.1", "--json", folder=folder)
    assert forked.returncode == 0, forked.stderr
    assert json.loads(forked.stdout)["trials"][0]["details"][1:3] == ["hello", "a hat please"]


def test_a_role_without_a_model_is_asked_for(folder: Path) -> None:
    program = folder / "talk.py"
    player = """
    def player(self):
        from controlplane.library import open_run
        from agent.model import ScriptedModel
        from pathlib import Path
        return ScriptedModel.from_file(Path("replies.toml"))
"""
    program.write_text(program.read_text().replace("\n    def task_ids", player + "\n    def task_ids"))
    done = command("run", "--benchmark", "talk", folder=folder)
    assert done.returncode == 2
    assert "the benchmark asks a model (user): name one with --role user=PROFILE" in done.stderr


def test_a_grader_of_traces_sees_every_call_again_when_it_grades_anew(folder: Path) -> None:
    program = """
from controlplane import TaskEnvironment, Tool, ToolBenchmark

class Looks(ToolBenchmark):
    citations = "none"
    def task_ids(self):
        return ["look.1"]
    def generate(self, task_id):
        def look(name: str) -> str:
            if name == "c":
                raise LookupError("no c")
            return name
        return "Look.", TaskEnvironment([Tool(look, "returns")])
    def grade(self, task_id, environment):
        names = [call.arguments["name"] for call in environment.calls]
        return names == ["a", "c", "b"], [str(names)]

open_benchmark = Looks
"""
    (folder / "looks.py").write_text(program)
    (folder / "looks.toml").write_text("""
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
""")
    done = command("run", "--benchmark", "looks", "--model", "scripted:looks.toml", "--json", folder=folder)
    run = json.loads(done.stdout)
    assert run["score"] == 1.0, run["trials"]
    judged = command("judge", run["journal"], "--grader", folder=folder)
    assert "1 trial graded again, 0 changed" in judged.stdout, judged.stdout + judged.stderr
