"""A task whose answer must be in German, a model, and a second reader, with replies from files.

1. The model answers in English: "Until May." The gates, which check answers, accept the answer.
2. The second reader, if there is one, quotes "Answer in German." So the answer is sent back.
3. The model answers "Bis Mai." The second reader is not asked again, and the answer is sent.

`run_task(folder, "--role", "review=reader")` runs the task with the second reader.
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
state = "working"
code = '''
text = harness.read("/a.md").content
scratchpad.cite("/a.md", reason="the line on loan-02 names May", quote="until May")
scratchpad["answer"] = "Until May."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "May" in sp["answer"])
'''

[[reply]]
state = "working"
code = '''
scratchpad["answer"] = "Bis Mai."
harness.answer(scratchpad, lambda sp: "Mai" in sp["answer"])
'''
"""

# The second reader always gives this reply. No text has the second quotation, so it is dropped.
SECOND_READER_FILE = """
[[reply]]
role = "reviewer"
text = '{"against": ["Answer in German.", "made up by the reader"]}'
"""


def write_german_task(folder: Path) -> None:
    """Write the task and both models into a folder, and a configuration with the model `reader`."""
    world = folder / "tasks" / "loan" / "world"
    world.mkdir(parents=True)
    (world / "a.md").write_text("loan-02 may be kept until May, and loan-03 never.\n")
    (world.parent / "task.toml").write_text(TASK_FILE)
    (folder / "model.toml").write_text(MODEL_FILE)
    (folder / "reader.toml").write_text(SECOND_READER_FILE)
    configuration = '[profiles.reader]\nmodel = "scripted:reader.toml"\n'
    (folder / "controlplane.toml").write_text(configuration)
    # A configuration file counts only after the user has confirmed it.
    assert run_in_process("trust", cwd=folder).code == 0


def run_task(folder: Path, *options: str) -> CommandResult:
    """Run the task of the folder with these further options. Its result is JSON, in `.json`."""
    run = ("run", "--benchmark", "folder:tasks", "--model", "scripted:model.toml")
    return run_in_process(*run, *options, "--json", cwd=folder)
