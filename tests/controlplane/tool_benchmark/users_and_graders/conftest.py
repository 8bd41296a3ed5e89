"""The benchmark `talk`, in which the agent, the user and the grader are models, with their replies."""

import sys
from pathlib import Path

import pytest

REPLIES = """
[[reply]]
role = "solve"
code = "print(harness.say('hello').reply)"
[[reply]]
role = "user"
text = "a hat please"

[[reply]]
role = "solve"
code = "print(harness.say('in blue?').reply)"
[[reply]]
role = "user"
text = "yes"

[[reply]]
role = "solve"
code = "print(harness.say('done'))"
[[reply]]
role = "user"
text = "STOP"

[[reply]]
role = "grade"
text = "0.5"
"""
"""The replies of the agent (role "solve"), the user and the grader."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the benchmark `talk.py`, and with the replies of all three models."""
    monkeypatch.delitem(sys.modules, "talk", raising=False)
    program = Path(__file__).with_name("talk.py")
    (tmp_path / "talk.py").write_text(program.read_text())
    (tmp_path / "replies.toml").write_text(REPLIES)
    return tmp_path
