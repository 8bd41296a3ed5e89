"""`replay --verify` gives the same error for a wrong argument as the run did.

The replay runs the scripts again with the results of the journal. It has the schema of a tool's
arguments from the journal, and not the class by which the tool describes them.
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
