"""A question of `ask` is answered by a solver whose model calls tools instead of writing scripts.

    controlplane ask "Until when may loan-02 be kept?" docs --agent exoskeleton

A solver is the agent that lets a model work on a task.
"""

from pathlib import Path

from tests.controlplane.questions.asked_question import QUESTION, write_files
from tests.support.command import run_in_process


def test_a_question_is_answered_by_the_solver_with_tool_calls(tmp_path: Path) -> None:
    """The model of the solver "exoskeleton" calls tools instead of writing scripts.

    Its first reply reads the file, and its second one reports the answer with the source.
    """
    write_files(tmp_path, {"docs/loans.md": "- loan-02: kept until 2026-03-01.\n"})
    (tmp_path / "calls.toml").write_text(
        """
[[reply]]
[[reply.calls]]
name = "read"
arguments = { path = "/loans.md" }

[[reply]]
[[reply.calls]]
name = "report_completion"
[reply.calls.arguments]
message = "Until 2026-03-01."
outcome = "OUTCOME_OK"
records = [{ path = "/loans.md", reason = "loan-02 is kept until 2026-03-01", quote = "until 2026-03-01" }]
# arguments that the tool needs and that do not matter here
documents = []
notes = ""
protected = false
task_type = "other"
"""
    )

    asked = run_in_process(
        "ask",
        QUESTION,
        "docs",
        "--agent=exoskeleton",
        "--model=scripted:calls.toml",
        "--json",
        cwd=tmp_path,
    )

    assert asked.code == 0, asked.err + asked.out
    assert asked.json["answer"] == "Until 2026-03-01."
    (citation,) = asked.json["citations"]
    assert citation["path"] == "docs/loans.md"
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0
