"""How an answer to a task in a folder is graded: by what its `task.toml` expects, or by a model.

Outcome, message, citations and changes are compared, and the grade says why an answer is wrong. A
pattern has to fit the whole message, and the values of an example may have any format. A model's
verdict counts if it quotes the faults, and is asked for once more otherwise.
"""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from controlplane import BenchmarkError
from controlplane.agent.model import Model
from controlplane.benchmarks.folder.folder_benchmark import (
    environment_of,
    expected_grade,
    rubric_grade,
    values_lacking,
)
from controlplane.benchmarks.folder.task_folder import read_folder
from controlplane.sandbox.interface.outcomes import OK
from controlplane.tool_benchmark.environments import SubmittedAnswer
from controlplane.tool_benchmark.local_runs import Grade
from tests.support.single_trial import ModelWithReplies

# Grades of the answer "There are 12 pieces." by a model, which has a rubric.
#
#     grade_by_rubric(ModelWithReplies([verdict(1)]))     # Grade(1.0, ())
#
# The rubric is "The answer names the article A-7." The model replies with a verdict.


def grade_by_rubric(model: Model) -> Grade:
    """Return a model's grade of the answer "There are 12 pieces." by the rubric on article A-7."""
    return rubric_grade(
        model,
        rubric="The answer names the article A-7.",
        instruction="How many are there?",
        submission=SubmittedAnswer("There are 12 pieces.", "OUTCOME_OK", refs=()),
        changes={},
    )


def verdict(score: float, *quotes: str) -> str:
    """Return a verdict with one fault for each quotation.

    `verdict(0.5, "12")` -> `{"faults": [{"quote": "12", "fault": "wrong"}], "score": 0.5}`
    """
    faults = [{"quote": quote, "fault": "wrong"} for quote in quotes]
    return json.dumps({"faults": faults, "score": score})


# Grades of answers to a task, by what its `task.toml` expects.
#
#     graded(folder, 'outcome = "OUTCOME_OK"\nanswer = "[COUNT:2]"\n', "[COUNT:3]")
#     # Grade(0.0, ('Answer should be "[COUNT:2]"',))
#
# An answer scores 1 if it is as expected, and otherwise 0, with a remark for each fault.


def graded(
    folder: Path,
    expected: str,
    message: str,
    *,
    outcome: str = OK,
    cited: tuple[str, ...] = (),
    calls: tuple[tuple[str, dict[str, Any]], ...] = (),
) -> Grade:
    """Return the grade of an answer to a task that expects this, after the calls of the trial.

    `expected` is the text of the table `[expected]` in the `task.toml`. The task has four files,
    /loans/1.json to /loans/4.json.
    """
    files = folder / "tasks/overdue/files/loans"
    files.mkdir(parents=True)
    for number in range(1, 5):
        (files / f"{number}.json").write_text("{}")
    (folder / "tasks/overdue/task.toml").write_text(
        f'instruction = "How many loans are overdue?"\n[expected]\n{expected}'
    )
    task = read_folder(folder / "tasks").tasks["overdue"]
    environment = environment_of(task)
    for operation, arguments in calls:
        environment.call(operation, arguments)
    environment.answer(message, outcome, cited)
    return expected_grade(task, environment)


# A model grades an answer by a rubric: it replies with a verdict, which quotes each fault.
#
#     rubric    "The answer names the article A-7."
#     answer    "There are 12 pieces."
#     verdict   {"faults": [{"quote": "12 pieces", "fault": "no article"}], "score": 0.5}
#
# The verdict counts if each quotation is in the answer or in the rubric.


@pytest.mark.parametrize(
    ("text", "score", "details"),
    [
        pytest.param(verdict(1), 1.0, (), id="no fault"),
        pytest.param(
            verdict(0.5, "there are  12 PIECES"),
            0.5,
            ("wrong: 'there are  12 PIECES'",),
            id="quotes the answer with other blanks and capitals",
        ),
        pytest.param(
            verdict(0, "names the article A-7"),
            0.0,
            ("wrong: 'names the article A-7'",),
            id="quotes the rubric",
        ),
        pytest.param(f"```json\n{verdict(1)}\n```", 1.0, (), id="in Markdown"),
    ],
)
def test_the_score_and_the_faults_are_those_of_the_verdict(
    text: str, score: float, details: tuple[str, ...]
) -> None:
    model = ModelWithReplies([text])

    grade = grade_by_rubric(model)

    assert grade.score == score
    assert grade.details == details
    assert len(model.requests) == 1


# A model's verdict on an answer that does not count. The model is asked once more, and told why.
#
# The answer is "There are 12 pieces.", and the rubric "The answer names the article A-7.". A verdict
# counts if its score is from 0 to 1, and below 1 exactly if it has a fault, and if each quotation is
# in the answer or in the rubric.


@pytest.mark.parametrize(
    ("first_verdict", "objection"),
    [
        pytest.param(
            verdict(0, "13 pieces"),
            "'13 pieces' stands neither in the answer nor in the rubric",
            id="quotes 13 pieces, but the answer is 12",
        ),
        pytest.param(
            verdict(0.2),
            "a score is below 1 if there is a fault",
            id="lowers the score without a fault",
        ),
        pytest.param(
            verdict(1, "12 pieces"),
            "a score is below 1 if there is a fault",
            id="has a fault and the full score",
        ),
        pytest.param(
            verdict(5, "12 pieces"),
            "Reply with one JSON object",
            id="has a score above 1",
        ),
        pytest.param(
            verdict(math.nan), "Reply with one JSON object", id="has no number"
        ),
    ],
)
def test_after_a_verdict_that_does_not_count_a_second_one_is_asked_for(
    first_verdict: str, objection: str
) -> None:
    model = ModelWithReplies([first_verdict, verdict(0.5, "12 pieces")])

    grade = grade_by_rubric(model)

    assert grade.score == 0.5
    assert grade.details == ("wrong: '12 pieces'",)
    _, second_request = model.requests
    assert objection in str(second_request[-1]["content"])


def test_after_two_verdicts_that_do_not_count_there_is_no_grade() -> None:
    model = ModelWithReplies([verdict(0, "13 pieces"), verdict(0, "14 pieces")])

    with pytest.raises(BenchmarkError, match="'14 pieces' stands neither"):
        grade_by_rubric(model)

    assert len(model.requests) == 2


# A change of files is a fault of an answer if its task expects none.
#
# `graded(...)` makes the calls of a trial, gives the answer, and returns its grade: 1 if all is as
# expected, and otherwise 0, with a remark for each fault.


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(
            ("write", {"path": "/loans/9.json", "content": ""}), id="a new file"
        ),
        pytest.param(("delete", {"path": "/loans/4.json"}), id="a deleted file"),
    ],
)
def test_a_change_is_a_fault(call: tuple[str, dict[str, Any]], tmp_path: Path) -> None:
    grade = graded(
        tmp_path,
        'outcome = "OUTCOME_OK"\nanswer = "[COUNT:2]"\n',
        "[COUNT:2]",
        calls=(call,),
    )

    assert grade.score == 0.0
    assert "expected no file changes" in str(grade.details)


# A citation of an answer is graded only if the task says by one of two keys which are allowed.
#
#     tolerated = ["/loans/2.json"]    these files may be cited
#     free = ["/l"]                    files whose path begins like this may be cited
#
# If a task has one of the keys, citations that no key allows are faults.


@pytest.mark.parametrize(
    ("allowed_citations", "score"),
    [
        pytest.param("", 1.0, id="the task says nothing of citations"),
        pytest.param("tolerated = []\n", 0.0, id="the task allows no file"),
        pytest.param('free = ["/l"]\n', 1.0, id="the task allows /l..."),
    ],
)
def test_a_citation_is_graded_only_if_the_task_says_which_are_allowed(
    allowed_citations: str, score: float, tmp_path: Path
) -> None:
    """The answer has the expected date, and cites /loans/2.json."""
    expected = 'outcome = "OUTCOME_OK"\ncontains = ["2027-04-16"]\n'

    grade = graded(
        tmp_path,
        expected + allowed_citations,
        message="Until 2027-04-16.",
        cited=("/loans/2.json",),
    )

    assert grade.score == score


# Faults of an answer by what its task expects: its outcome, message, citations and changes.
#
# Two loans are overdue, which are to be cited. Nothing is to be changed. `graded(...)` is the grade of
# an answer: 1 if it is as expected, and otherwise 0, with a remark for each fault.

EXPECTED = """
outcome = "OUTCOME_OK"
answer = "[COUNT:2]"
references = ["/loans/1.json", "/loans/3.json"]
"""


def test_a_right_answer_scores_one(tmp_path: Path) -> None:
    grade = graded(
        tmp_path,
        EXPECTED,
        "[COUNT:2]",
        cited=("/loans/1.json", "/loans/3.json"),
    )

    assert grade == Grade(1.0, ())


@pytest.mark.parametrize(
    ("message", "outcome", "cited", "fault"),
    [
        pytest.param(
            "[COUNT:3]",
            "OUTCOME_OK",
            ("/loans/1.json", "/loans/3.json"),
            'Answer should be "[COUNT:2]"',
            id="another message",
        ),
        pytest.param(
            "[COUNT:2]",
            "OUTCOME_NONE_UNSUPPORTED",
            ("/loans/1.json", "/loans/3.json"),
            "expected outcome OUTCOME_OK, got OUTCOME_NONE_UNSUPPORTED",
            id="another outcome",
        ),
        pytest.param(
            "[COUNT:2]",
            "OUTCOME_OK",
            ("/loans/1.json",),
            "answer missing required reference '/loans/3.json'",
            id="a missing citation",
        ),
        pytest.param(
            "[COUNT:2]",
            "OUTCOME_OK",
            ("/loans/1.json", "/loans/2.json", "/loans/3.json"),
            "answer contains invalid reference '/loans/2.json'",
            id="a citation too many",
        ),
    ],
)
def test_a_wrong_answer_scores_zero_and_the_grade_says_why(
    message: str, outcome: str, cited: tuple[str, ...], fault: str, tmp_path: Path
) -> None:
    grade = graded(tmp_path, EXPECTED, message, outcome=outcome, cited=cited)

    assert grade.score == 0.0
    assert grade.details == (fault,)


# A task may expect an answer that fits a pattern, which has to fit all of it: `pattern = '\d+ loans'`.
#
# `graded(...)` is the grade of an answer: 1 if it is as expected, and otherwise 0, with a remark for
# each fault.


def test_a_message_that_fits_the_pattern_has_no_fault(tmp_path: Path) -> None:
    """Blanks around the message do not count."""
    grade = graded(
        tmp_path,
        "outcome = 'OUTCOME_OK'\npattern = '\\d+ loans'\n",
        " 2 loans\n",
    )

    assert grade == Grade(1.0, ())


def test_a_message_that_fits_only_in_part_is_a_fault(tmp_path: Path) -> None:
    grade = graded(
        tmp_path,
        "outcome = 'OUTCOME_OK'\npattern = '\\d+ loans'\n",
        "2 loans!",
    )

    assert grade.score == 0.0
    assert grade.details == (r"answer should fit the pattern '\\d+ loans'",)


def test_no_pattern_takes_long(tmp_path: Path) -> None:
    """This one takes ages in an engine that backtracks. RE2 runs it."""
    grade = graded(
        tmp_path,
        "outcome = 'OUTCOME_OK'\npattern = '(a+)+b'\n",
        "a" * 60,
    )

    assert grade.details == ("answer should fit the pattern '(a+)+b'",)


# A task may give an example of a right answer: `states = "EUR 1,250.00 by 3 May 2026."`.
#
# A message needs its values, in any format, unless the question has them already. If there are
# none, it needs the names, or the yes or no.


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
    right_answer: str, message: str, missing_values: list[str]
) -> None:
    """The question names loan-02, so that no answer needs to have this id."""
    question = "What about loan-02, and who is the insurer?"

    assert values_lacking(message, right_answer, question) == missing_values
