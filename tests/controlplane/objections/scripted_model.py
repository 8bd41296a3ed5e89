"""Models that answer badly, for tests of what the harness does then.

    run = run_ada(tmp_path, LOOK_UP, 'scratchpad["answer"] = ...')

The model is a file of replies, which has a script for each step. The task asks a phone book for the
number of ada, which is 17.
"""

from pathlib import Path

from tests.support.command import CommandResult, run_in_process

LOOK_UP = """
scratchpad["n"] = harness.lookup("ada").number
"""
"""The script of a first step: it looks the number up, and keeps it for the next steps."""


def write_replies(path: Path, *scripts: str) -> None:
    """Write the replies of a model whose steps have these scripts, one after the other."""
    text = ""
    for script in scripts:
        text += f"[[reply]]\ncode = '''\n{script}\n'''\n"
    path.write_text(text, encoding="utf-8")


def run_ada(
    folder: Path, *scripts: str, options: tuple[str, ...] = ()
) -> CommandResult:
    """Run the task ada with a model whose steps have these scripts. Asserts that the run ends well."""
    write_replies(folder / "replies.toml", *scripts)
    run = run_in_process(
        "run",
        "ada",
        "--benchmark",
        "tests.support.phonebook",
        "--model",
        "scripted:replies.toml",
        *options,
        cwd=folder,
        COLUMNS="300",
    )
    assert run.code == 0, run.err
    return run
