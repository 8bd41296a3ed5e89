"""A question of `ask` is recorded as a run of one trial, named `ask`.

So it can be replayed, forked and reported like any run: `controlplane replay last --verify`.
"""

from pathlib import Path

from tests.controlplane.questions.asked_question import (
    ANSWER,
    ANSWER_THAT_FILES_DO_NOT_SAY,
    QUESTION,
    ask,
    scripted_model,
    write_files,
)
from tests.support.command import run_in_process


def test_a_question_can_be_replayed(tmp_path: Path) -> None:
    """`ask` prints the command for it."""
    write_files(tmp_path, {"docs/loans.md": "- loan-02: kept until 2026-03-01.\n"})
    asked = ask(tmp_path)

    replayed = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert "replay" in asked.err
    assert replayed.code == 0, replayed.out


def test_a_question_can_be_forked(tmp_path: Path) -> None:
    """A fork goes on with a recorded question at a step, here with another second reply."""
    write_files(tmp_path, {"docs/loans.md": "- loan-02: kept until 2026-03-01.\n"})
    replies = scripted_model(tmp_path, "print(1)", ANSWER)
    asked = run_in_process("ask", QUESTION, "docs", "--json", *replies, cwd=tmp_path)

    other_replies = scripted_model(tmp_path, "print(1)", ANSWER_THAT_FILES_DO_NOT_SAY)
    forked = run_in_process(
        "fork",
        asked.json["journal"],
        "--trial=ask",
        "--step=2",
        "--json",
        *other_replies,
        cwd=tmp_path,
    )

    assert forked.code == 0, forked.err
    (trial,) = forked.json["trials"]
    assert trial["state"] == "answered"
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0


def test_a_question_has_a_report(tmp_path: Path) -> None:
    """The report is the HTML page that every recorded run can have."""
    write_files(tmp_path, {"docs/loans.md": "- loan-02: kept until 2026-03-01.\n"})
    asked = ask(tmp_path, "--json")

    reported = run_in_process(
        "report", asked.json["journal"], "--output=page.html", cwd=tmp_path
    )

    assert reported.code == 0, reported.err
    assert "Until 2026-03-01." in (tmp_path / "page.html").read_text()
