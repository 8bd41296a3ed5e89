"""`ask --save-task` turns a question and its answer into a task for a benchmark.

`ask "Until when may loan-02 be kept?" docs --save-task t` writes the folder t: in `files/` the files
of the question, and in `task.toml` the question and its answer. `run --benchmark folder:t` lets any
model answer it again, and gives 1 to an answer with the same values, or to the same changes of files.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.controlplane.questions.asked_changes import REQUEST, script_with_changes
from tests.controlplane.questions.asked_question import QUESTION, ask, scripted_model
from tests.support.command import check_error_line, run_in_process


def played_scores(folder: Path, *scripts: str) -> list[float]:
    """Play the task that was saved as `t` with a model that replies with these scripts in turn.

    Return the score of each trial, here of one: `[1.0]`.
    """
    replies = scripted_model(folder, *scripts)
    words = ("run", "--benchmark", "folder:t", *replies, "--json")
    played = run_in_process(*words, cwd=folder)
    return [trial["score"] for trial in played.json["trials"]]


def script_with_answer(answer: str) -> str:
    """Return a script that cites the line on loan-02, and answers."""
    return f"""
found = harness.read(harness.search("loan-02").matches[0].path)
scratchpad.cite(found.path, "the line on loan-02 names 2026-03-01", "Kept  until 2026-03-01")
scratchpad["answer"] = "{answer}"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: len(sp["answer"]) > 3)
"""


CALL_EVERYTHING_THAT_READS = """
assert harness.search("nothing", files="*.md").matches
assert "loan-02" in harness.passages("loan").shown
assert harness.table("/docs/fees.csv").rows[0]["fee"] == 3
"""
FIND_NOTHING_THAT_CHANGES = """
assert not any(hasattr(harness, name) for name in ("write", "delete", "exec"))
"""


class TestSavedQuestions:
    """The question "Until when may loan-02 be kept?" is saved as the task `t`.

    The saved answer is "Until 2026-03-01.". Another model plays the task, and its answer is
    graded by the values in it. The files of the question are those of `loan_folder`:
    docs/loans.md, notes.md and an image. `QUESTION` is its text.
    """

    @pytest.mark.parametrize(
        ("answer", "score"),
        [
            pytest.param("Until 2026-03-01.", 1.0, id="the saved answer"),
            pytest.param(
                "loan-02 goes back on 1 March 2026 at the latest.",
                1.0,
                id="the same date in other words",
            ),
            pytest.param("Until 2026-03-02.", 0.0, id="another date"),
        ],
    )
    def test_an_answer_to_a_saved_question_is_graded_by_its_values(
        self, loan_folder: Path, answer: str, score: float
    ) -> None:
        """The saved answer is "Until 2026-03-01."

        A check of submitted answers may send the other model's answer back up to twice, so that
        model has the same script three times."""
        saved_script = script_with_answer("Until 2026-03-01.")
        saved = ask(loan_folder, "--save-task", "t", script=saved_script)
        assert saved.code == 0, saved.err

        script = script_with_answer(answer)
        scores = played_scores(loan_folder, script, script, script)

        assert scores == [score]

    def test_a_saved_question_has_all_files_that_it_was_asked_about(
        self, loan_folder: Path
    ) -> None:
        """The question is asked about the working folder ".", which has the file notes.md."""
        ask(loan_folder, "--save-task", "t", sources=(".",))

        assert (loan_folder / "t/files/notes.md").read_text() == "nothing\n"

    def test_a_saved_question_is_played_with_the_functions_of_the_question(
        self, loan_folder: Path
    ) -> None:
        """Scripts can search and read in both, and change nothing. The files are loans.md, notes.md
        with the text "nothing", and fees.csv."""
        (loan_folder / "docs/fees.csv").write_text("loan,fee\nL-1,3\n")
        check_functions = CALL_EVERYTHING_THAT_READS + FIND_NOTHING_THAT_CHANGES
        script = check_functions + script_with_answer("Until 2026-03-01.")

        saved = ask(loan_folder, "--save-task", "t", script=script, sources=(".",))
        scores = played_scores(loan_folder, script)

        assert saved.code == 0, saved.err
        assert scores == [1.0]

    def test_a_question_is_not_saved_over_another(self, loan_folder: Path) -> None:
        """The folder t has a saved question already."""
        assert ask(loan_folder, "--save-task", "t").code == 0

        refused = run_in_process("ask", QUESTION, "--save-task", "t", cwd=loan_folder)

        message = "--save-task t: it is not an empty folder"
        check_error_line(refused, UsageError.exit_code, message)


class TestSavedChanges:
    """A request that changed files is saved as a task: the changes are to be the same.

    The saved changes replace a date in loans.md, write new/a.md, and delete old.md. They are
    made in `changeable_folder`. `REQUEST` asks for them.
    """

    @pytest.mark.parametrize(
        ("new_file", "score"),
        [
            pytest.param("/new/a.md", 1.0, id="the same changes"),
            pytest.param("/b.md", 0.0, id="another file is written"),
        ],
    )
    def test_a_saved_change_is_a_task_that_is_graded_by_the_files(
        self, new_file: str, score: float, changeable_folder: Path
    ) -> None:
        """Another model's changes get a score of 1 only if all files are the same in the end."""
        options = ("--write", "docs", "--apply", "--save-task", "t")
        script = script_with_changes("/new/a.md")
        saved = ask(changeable_folder, *options, script=script, question=REQUEST)
        assert saved.code == 0

        scores = played_scores(changeable_folder, script_with_changes(new_file))

        assert scores == [score]
