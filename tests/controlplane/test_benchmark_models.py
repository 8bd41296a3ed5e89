"""Models that a benchmark asks: a simulated user and a grader, journalled, counted, resumed from the record."""

from pathlib import Path

import pytest

from controlplane.journal.journal_reader import open_journal
from tests.support.command import controlplane

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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "talk.py").write_text(Path(__file__).with_name("talk.py").read_text())
    (tmp_path / "replies.toml").write_text(REPLIES)
    return tmp_path


RUN = ("run", "--benchmark", "talk", "--model", "scripted:replies.toml", "--json", "--quiet")


def test_user_and_grader_are_asked_counted_and_replayed(folder: Path) -> None:
    done = controlplane(*RUN, cwd=folder)
    assert done.code == 0, done.err
    run = done.json
    (trial,) = run["trials"]
    assert (trial["score"], trial["state"], trial["answer"]) == (0.5, "answered", "")
    assert trial["details"][1:] == ["hello", "a hat please", "in blue?", "yes", "done", "STOP"]
    assert {role: spent["replies"] for role, spent in run["roles"].items()} == {"grade": 1, "solve": 3, "user": 3}
    verified = controlplane("replay", run["journal"], "--verify", cwd=folder)
    assert verified.code == 0, verified.err
    judged = controlplane("judge", run["journal"], "--grader", cwd=folder)
    assert judged.code == 0, judged.err


def test_an_interrupted_conversation_goes_on_from_its_record(folder: Path) -> None:
    program = folder / "talk.py"
    program.write_text(
        program.read_text()
        .replace('"play" in sys.argv', 'not os.path.exists("once")')
        .replace("os.kill(", 'open("once", "w").close(); os.kill(')
    )
    first = controlplane(*RUN, cwd=folder)
    assert first.code == 130, first.err
    run = first.json
    assert run["roles"]["user"]["replies"] == 2
    second = controlplane("resume", run["journal"], "--json", cwd=folder)
    assert second.code == 0, second.err
    run = second.json
    assert run["roles"]["user"]["replies"] == 3
    assert run["trials"][0]["details"][1:] == ["hello", "a hat please", "in blue?", "yes", "done", "STOP"]
    with open_journal(folder / run["journal"]) as journal:
        (trial,) = journal.trials.values()
        assert sorted(len(replies) for replies in trial.record.asides.values()) == [1, 1, 1, 1]


def test_a_fork_repeats_the_conversation_from_the_record(folder: Path) -> None:
    run = controlplane(*RUN, cwd=folder).json
    forked = controlplane("fork", run["journal"], "--step", "3", "--trial", "talk.1", "--json", cwd=folder)
    assert forked.code == 0, forked.err
    assert forked.json["trials"][0]["details"][1:3] == ["hello", "a hat please"]


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
    done = controlplane("run", "--benchmark", "talk", cwd=folder)
    assert done.code == 2
    assert "the benchmark asks a model (user): name one with --role user=PROFILE" in done.err


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
    done = controlplane("run", "--benchmark", "looks", "--model", "scripted:looks.toml", "--json", cwd=folder)
    run = done.json
    assert run["score"] == 1.0, run["trials"]
    judged = controlplane("judge", run["journal"], "--grader", cwd=folder)
    assert "1 trial graded again, 0 changed" in judged.out, judged.out + judged.err
