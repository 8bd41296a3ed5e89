"""A task whose answer must be in German, and two models whose replies are given in files.

1. The model answers in English: "Until May." The gates, which check answers, accept it.
2. The second reader, if there is one, quotes "Answer in German." So the answer is sent back.
3. The model answers "Bis Mai." The reader is not asked a second time, and the answer is sent.
"""

from pathlib import Path

from tests.support.command import CommandResult, run_in_process

TASK_FILE = """
instruction = "Until when may loan-02 be kept? Answer in German."
trees = ["world"]  # the folder with the files of the task
[expected]
outcome = "OUTCOME_OK"
contains = ["Mai"]  # the answer must have this word
free = ["/"]  # any file may be cited
"""

# Each reply is a script, which hands the answer in, with a function that checks it.
MODEL_FILE = """
[[reply]]
state = "s"
code = '''
text = harness.read("/a.md").content
scratchpad.cite("/a.md", "the line on loan-02 names May", "until May")
scratchpad["answer"] = "Until May."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "May" in sp["answer"])
'''

[[reply]]
state = "s"
code = '''
scratchpad["answer"] = "Bis Mai."
harness.answer(scratchpad, lambda sp: "Mai" in sp["answer"])
'''
"""

# It always gives this reply. The second quotation is in no text.
READER_FILE = """
[[reply]]
role = "reviewer"
text = '{"against": ["Answer in German.", "made up by the reader"]}'
"""


def write_german_task(folder: Path) -> None:
    """Write the task and both models into a folder, and let commands there name the `reader`."""
    world = folder / "tasks" / "loan" / "world"
    world.mkdir(parents=True)
    (world / "a.md").write_text("loan-02 may be kept until May, and loan-03 never.\n")
    (world.parent / "task.toml").write_text(TASK_FILE)
    (folder / "model.toml").write_text(MODEL_FILE)
    (folder / "reader.toml").write_text(READER_FILE)
    configuration = '[profiles.reader]\nmodel = "scripted:reader.toml"\n'
    (folder / "controlplane.toml").write_text(configuration)
    # A configuration file counts only after the user has confirmed it.
    assert run_in_process("trust", cwd=folder).code == 0


def run_task(folder: Path, *options: str) -> CommandResult:
    """Run the task of the folder with these further options. Its result is JSON, in `.json`."""
    run = ("run", "--benchmark", "folder:tasks", "--model", "scripted:model.toml")
    return run_in_process(*run, *options, "--json", cwd=folder)
