"""A folder with the foreign text throughout, which would steer a terminal."""

import json
from pathlib import Path

import pytest

from tests.controlplane.foreign_arguments.foreign_lines import FOREIGN_TEXT
from tests.support.command import run_in_process

# A run whose model replies with the foreign text in every field, and a configuration full of it.
#
# The foreign text has what would steer a terminal: a colour, a link, and marks of direction.

FOREIGN_SCRIPT = f"""print({FOREIGN_TEXT!r})
scratchpad["answer"], scratchpad["outcome"] = {FOREIGN_TEXT!r}, "OUTCOME_OK"
def verify(sp):
    raise ValueError({FOREIGN_TEXT!r})
harness.answer(scratchpad, verify)
"""
"""A model's script that prints, answers and raises the foreign text."""


FOREIGN_CONFIGURATION = (
    f"{json.dumps(FOREIGN_TEXT)} = 1\n"
    f"[profiles.{json.dumps(FOREIGN_TEXT)}]\n"
    f"model = {json.dumps(FOREIGN_TEXT)}\n"
)
"""A `controlplane.toml` with the foreign text as a key, as a profile's name and as a model."""


def record_foreign_run(folder: Path) -> None:
    """Record a run whose model replies twice with the foreign text in every field."""
    reply = (
        "[[reply]]\n"
        "done = true\n"
        f"state = {json.dumps(FOREIGN_TEXT)}\n"
        f"plan = {json.dumps([FOREIGN_TEXT])}\n"
        f"code = {json.dumps(FOREIGN_SCRIPT)}\n"
    )
    (folder / "replies.toml").write_text(reply * 2)
    run_in_process(
        "run",
        "ada",
        "--benchmark",
        "tests.support.phonebook",
        "--model",
        f"scripted:{folder}/replies.toml",
        "--max-steps",
        "2",
        cwd=folder,
    )
    assert list(folder.glob("runs/*.jsonl"))


@pytest.fixture(scope="session")
def foreign_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the foreign text throughout: in a run, in a configuration `hostile.toml`, and as
    name and content of the only file in `files`."""
    folder = tmp_path_factory.mktemp("foreign")
    record_foreign_run(folder)
    (folder / "hostile.toml").write_text(FOREIGN_CONFIGURATION)
    (folder / "files").mkdir()
    file_name = f"{FOREIGN_TEXT.replace('/', '_')}.md"
    (folder / "files" / file_name).write_text(FOREIGN_TEXT)
    return folder
