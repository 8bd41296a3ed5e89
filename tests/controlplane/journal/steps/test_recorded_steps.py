"""The reader of a journal puts each step of a trial together from several lines.

A step is a reply of the model, the calls of its script, and perhaps an answer with the verdict of the
checks on it. The journal has a line for each of these, when it happens, and refers to a long text as
`@text:HASH`. The run looks ada's number up, answers, is rejected, and answers again.
"""

from pathlib import Path

import pytest

from controlplane.journal.journal_reader import glance_at
from tests.controlplane.journal.steps.recorded_lines import lines_of_type, steps_in
from tests.support.command import run_in_process
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER


@pytest.fixture(scope="module")
def ada_journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run of one trial. The model looks a number up, gives an answer that a check
    of the harness rejects, and then the right answer."""
    folder = tmp_path_factory.mktemp("ada")
    run_in_process("run", *PHONEBOOK_WITH_PLAYER, "ada", "--json", cwd=folder)
    (path,) = folder.glob("runs/*.jsonl")
    return path


def test_every_finished_call_is_in_exactly_one_step(ada_journal: Path) -> None:
    """A call has two lines: one when it is under way, and one with its result."""
    finished_calls = 0
    for line in lines_of_type(ada_journal, "call"):
        if line["state"] != "under_way":
            finished_calls += 1

    calls_of_steps = sum(len(step.calls) for step in steps_in(ada_journal))

    assert calls_of_steps == finished_calls


def test_every_verdict_on_an_answer_is_in_exactly_one_step(ada_journal: Path) -> None:
    """The first answer was rejected, the second accepted."""
    verdicts_of_lines: list[bool] = []
    for line in lines_of_type(ada_journal, "submission_judged"):
        verdicts_of_lines.append(line["judged"]["accepted"])
    verdicts_of_steps: list[bool] = []
    for step in steps_in(ada_journal):
        for verdict in step.verdicts:
            verdicts_of_steps.append(verdict.accepted)

    assert verdicts_of_lines == [False, True]
    assert verdicts_of_steps == [False, True]


def test_every_step_has_the_whole_reply_of_the_model(ada_journal: Path) -> None:
    """A line refers to a long reply as `@text:HASH`; the text is in a line of its own."""
    texts: dict[str, str] = {}
    for line in lines_of_type(ada_journal, "text"):
        texts[f"@text:{line['key']}"] = line["text"]
    replies: list[str] = []
    for line in lines_of_type(ada_journal, "model_replied"):
        reply = line["reply"]
        replies.append(texts.get(reply, reply))

    assert [step.reply for step in steps_in(ada_journal)] == replies


def test_a_glance_counts_the_rejection(ada_journal: Path) -> None:
    """The answer was rejected by the rule "wording" of check group 6."""
    (trial,) = glance_at(ada_journal).trials.values()

    assert trial.rejections == {"6/wording": 1}
