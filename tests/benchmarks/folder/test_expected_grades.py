"""Grades by what a task expects: the outcome, the message, the citations and the changes.

    [expected]
    outcome = "OUTCOME_OK"
    answer = "[COUNT:2]"
    references = ["/loans/loan-01.json", "/loans/loan-03.json"]

An answer scores 1 if it is as expected, and otherwise 0, with a remark for each fault.
"""

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controlplane.benchmarks.folder.expected_grader import (
    expected_grade,
    values_lacking,
)
from controlplane.benchmarks.folder.task_folder import read_folder
from controlplane.benchmarks.folder.trial_environment import environment_of
from controlplane.gates.submission import OK, UNSUPPORTED
from tests.support.command import ROOT, run_in_process

pytestmark = pytest.mark.usefixtures("shared_fork_servers")

LIBRARY = ROOT / "docs/examples/library"
"""The sample of the documentation: three tasks about the files of a library."""


OVERDUE_LOANS = ("/loans/loan-01.json", "/loans/loan-03.json")
"""The files that a right answer to the task cites."""


class LoansAnswer(NamedTuple):
    """An answer to `overdue-loans`. The default values are right: two loans are overdue."""

    message: str = "[COUNT:2]"
    outcome: str = OK
    citations: tuple[str, ...] = OVERDUE_LOANS
    changing_code: str = ""
    """Code that changes a file before the answer; the right answer changes none."""


def play_overdue_loans(folder: Path, answer: LoansAnswer) -> dict[str, Any]:
    """Run the task with a script that gives this answer. Return its trial: `{"score": 1.0, ...}`.

    The script reads and cites files, changes one if the answer says so, and submits.
    """
    replies = folder / "replies.toml"
    replies.write_text(f"""
[[reply]]
code = '''
for path in {answer.citations!r}:
    loan = harness.read(path).json()
    scratchpad.cite(path, loan["id"] + " was due on " + loan["due"])
{answer.changing_code}
scratchpad["answer"] = {answer.message!r}
scratchpad["outcome"] = {answer.outcome!r}

def verify(sp):
    return sp["answer"] == {answer.message!r} and bool(sp["refs_why"])

harness.answer(scratchpad, verify)
'''
""")
    run = run_in_process(
        "run",
        "overdue-loans",
        *("--benchmark", f"folder:{LIBRARY}"),
        *("--model", f"scripted:{replies}"),
        *("--gates", "none"),  # The gates would send most of the wrong answers back.
        "--json",
        cwd=folder,
    )
    assert run.json["trials"], run.err
    trial: dict[str, Any] = run.json["trials"][0]
    return trial


class TestSampleTask:
    """The sample task `overdue-loans` asks how many loans of a library are overdue.

    The right answer is "[COUNT:2]", with two files cited and none changed. `LoansAnswer()` is this
    answer, and `LoansAnswer(message="[COUNT:3]")` one that differs in a point.
    """

    def test_a_right_answer_scores_one(self, tmp_path: Path) -> None:
        """The message, the outcome and the citations are as the task expects them."""
        trial = play_overdue_loans(tmp_path, LoansAnswer())

        assert trial["score"] == 1.0

    @pytest.mark.parametrize(
        ("answer", "detail"),
        [
            pytest.param(
                LoansAnswer(message="[COUNT:3]"),
                'Answer should be "[COUNT:2]"',
                id="another message",
            ),
            pytest.param(
                LoansAnswer(outcome=UNSUPPORTED),
                "expected outcome OUTCOME_OK",
                id="another outcome",
            ),
            pytest.param(
                LoansAnswer(citations=OVERDUE_LOANS[:1]),
                "answer missing required reference '/loans/loan-03.json'",
                id="a citation that is missing",
            ),
            pytest.param(
                LoansAnswer(citations=(*OVERDUE_LOANS, "/loans/loan-02.json")),
                "invalid reference '/loans/loan-02.json'",
                id="a citation too many",
            ),
            pytest.param(
                LoansAnswer(changing_code='harness.write("/loans/x", "")'),
                "expected no file changes",
                id="a written file",
            ),
            pytest.param(
                LoansAnswer(changing_code='harness.delete("/loans/loan-04.json")'),
                "expected no file changes",
                id="a deleted file",
            ),
        ],
    )
    def test_each_fault_costs_the_score_and_is_reported(
        self, answer: LoansAnswer, detail: str, tmp_path: Path
    ) -> None:
        """Each answer differs from the right one in one point."""
        trial = play_overdue_loans(tmp_path, answer)

        assert trial["score"] == 0.0
        assert detail in str(trial["details"])


TASK_WITHOUT_REFERENCES = f"""\
instruction = "Until when?"
[expected]
outcome = "{OK}"
contains = ["2027-04-16"]
"""
"""A task that expects a date in the message. It says nothing of citations."""

REPLY_WITH_CITATION = f"""\
[[reply]]
code = '''
harness.read("/loans.md")
scratchpad.cite("/loans.md", "the line on loan-02")
scratchpad["answer"] = "2027-04-16"
scratchpad["outcome"] = "{OK}"
harness.answer(scratchpad, lambda sp: True)
'''
"""
"""The model reads a file, cites it, and answers with the date."""


class TestCitations:
    """A citation is graded only if the task says which are allowed.

    The task expects the date 2027-04-16, and the model answers with it after it
    has read and cited a file.
    """

    @pytest.mark.parametrize(
        ("allowed_citations", "score"),
        [
            pytest.param("", 1.0, id="the task says nothing of citations"),
            pytest.param("tolerated = []\n", 0.0, id="no citation is tolerated"),
            pytest.param(
                'free = ["/l"]\n', 1.0, id="files that begin with /l are allowed"
            ),
        ],
    )
    def test_a_citation_is_graded_only_if_the_task_says_which_are_allowed(
        self, allowed_citations: str, score: float, tmp_path: Path
    ) -> None:
        """The answer cites `/loans.md`, and has the expected date.

        In a task's table `[expected]`, `tolerated` and `free` say which files may be cited.
        """
        files = tmp_path / "tasks/one/files"
        files.mkdir(parents=True)
        (files / "loans.md").write_text("loan-02: kept until 2027-04-16\n")
        (tmp_path / "tasks/one/task.toml").write_text(
            TASK_WITHOUT_REFERENCES + allowed_citations
        )
        (tmp_path / "replies.toml").write_text(REPLY_WITH_CITATION)

        run = run_in_process(
            "run",
            *("--benchmark", "folder:tasks"),
            *("--model", "scripted:replies.toml"),
            *("--gates", "none"),
            "--json",
            cwd=tmp_path,
        )

        assert run.json["score"] == score


def faults_by_pattern(folder: Path, *, pattern: str, message: str) -> tuple[str, ...]:
    """Grade a message by a task that expects one which fits this pattern, and return its faults."""
    files = folder / "tasks/one/files"
    files.mkdir(parents=True)
    (files / "loans.md").write_text("loan-02\nloan-04\n")
    (folder / "tasks/one/task.toml").write_text(
        f"instruction = 'x'\n[expected]\noutcome = '{OK}'\npattern = '{pattern}'\n"
    )
    task = read_folder(folder / "tasks").tasks["one"]
    environment = environment_of(task)
    no_citations = ()
    environment.answer(message, OK, no_citations)
    return expected_grade(task, environment).details


class TestPatterns:
    """A task may expect a message that fits a pattern, which has to fit all of it.

    `faults_by_pattern` grades a message by a task with this pattern, and returns its faults.
    """

    def test_a_message_that_fits_the_expected_pattern_has_no_fault(
        self, tmp_path: Path
    ) -> None:
        """Blanks around the message do not count."""
        faults = faults_by_pattern(tmp_path, pattern=r"\d+ loans", message=" 2 loans\n")

        assert faults == ()

    @pytest.mark.parametrize(
        ("pattern", "message"),
        [
            pytest.param(r"\d+ loans", "2 loans!", id="a sign too many"),
            pytest.param(
                "(a+)+b",
                "a" * 60,
                id="a pattern that takes ages in an engine that backtracks",
            ),
        ],
    )
    def test_a_message_that_does_not_fit_the_expected_pattern_is_a_fault(
        self, pattern: str, message: str, tmp_path: Path
    ) -> None:
        """The pattern has to fit the whole message: `2 loans!` has a sign too many.

        Patterns are run by RE2, an engine that never takes long.
        """
        faults = faults_by_pattern(tmp_path, pattern=pattern, message=message)

        assert faults[0].startswith("answer should fit the pattern")


class TestValues:
    """A task may give an example of a right answer, such as "EUR 1,250.00 by 3 May 2026.".

    A message needs its values, in any format, unless the question has them already. If there are
    none, it needs the names, or the yes or no.
    """

    @pytest.mark.parametrize(
        ("right_answer", "message", "missing_values"),
        [
            pytest.param(
                "EUR 1,250.00 by 3 May 2026, says Ada Lovelace.",
                "Ada Lovelace wants 1250 EUR until 2026-05-03",
                [],
                id="the same values in other formats",
            ),
            pytest.param(
                "EUR 1,250.00 by 3 May 2026.",
                "EUR 1,520.00 by 3 May 2026",
                ["1,250.00"],
                id="another amount",
            ),
            pytest.param(
                "loan-02 is kept 14 days.",
                "two weeks: 14 days",
                [],
                id="an id that the question has already",
            ),
            pytest.param(
                "Helvetia.", "The insurer is HELVETIA", [], id="the name in capitals"
            ),
            pytest.param(
                "Helvetia.", "The insurer is Allianz", ["helvetia"], id="another name"
            ),
            pytest.param("No.", "Yes, of course", ["no"], id="yes instead of no"),
            pytest.param(
                "The tenant has to have the heating serviced every year.",
                "A yearly service, by the tenant",
                [],
                id="no values at all",
            ),
        ],
    )
    def test_a_message_must_have_the_values_of_the_right_answer(
        self, right_answer: str, message: str, missing_values: list[str]
    ) -> None:
        """The question names loan-02, so that no answer needs to have this id."""
        question = "What about loan-02, and who is the insurer?"

        assert values_lacking(message, right_answer, question) == missing_values
