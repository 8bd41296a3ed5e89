"""Two tasks with a question each about the file /notes.md, and replies of a model to them.

    The fee is 7 euros. We open at 9.

A reply reads the file, or answers "7 euros" or "at 9".
"""

from pathlib import Path

from tests.exoskeleton.response_items import THOUGHT, function_call, response

NOTES = "The fee is 7 euros. We open at 9."


def write_tasks(folder: Path) -> None:
    """Write the tasks `fee` and `hours` of the benchmark `folder`."""
    write_task(folder / "fee", "How high is the fee?", "7 euros")
    write_task(folder / "hours", "When do you open?", "at 9")


def write_task(folder: Path, question: str, answer: str) -> None:
    """Write a task with its question and the right answer."""
    (folder / "files").mkdir(parents=True)
    (folder / "files/notes.md").write_text(f"{NOTES}\n")
    (folder / "task.toml").write_text(
        f'instruction = "{question}"\n[expected]\noutcome = "OUTCOME_OK"\nanswer = "{answer}"\n'
    )


def read_reply(read_id: str, list_id: str) -> bytes:
    """Return a reply that reads /notes.md and lists the files, by calls with these ids."""
    return response(
        THOUGHT,
        function_call(read_id, "read", path="/notes.md"),
        function_call(list_id, "list", path="/"),
    )


def answer_reply(answer: str) -> bytes:
    """Return a reply that ends a trial with this answer, which cites /notes.md."""
    return response(
        function_call(
            "end",
            "report_completion",
            message=answer,
            outcome="OUTCOME_OK",
            records=[{"path": "/notes.md", "reason": NOTES}],
        )
    )
