"""How the answer to a question may end, and what `ask` prints of it: by the kind of its outcome.

scratchpad["outcome"] = "OUTCOME_NOT_FOUND"    ->    The sources do not say.
"""

from pathlib import Path

import pytest

from controlplane.benchmark import BenchmarkContext
from controlplane.benchmarks.files.files_benchmark import open_benchmark
from controlplane.journal.journal_reader import open_journal
from controlplane.mcp.serving.calls import question_tools
from controlplane.sandbox.interface.outcomes import PLATFORM_OUTCOMES
from tests.controlplane.questions.asked_question import ask, write_files


def ending(outcome: str) -> str:
    """Return the script of a model that ends a question in this outcome."""
    return f"""
harness.search("zeppelin")
scratchpad["answer"] = "It is not known which file is meant, nor what it says."
scratchpad["outcome"] = {outcome!r}
harness.answer(scratchpad, lambda sp: "not" in sp["answer"])
"""


@pytest.mark.parametrize(
    ("outcome", "journalled", "status", "first_line"),
    [
        pytest.param(
            "OUTCOME_NOT_FOUND",
            "OUTCOME_NOT_FOUND",
            "not_in_sources",
            "The sources do not say.",
            id="not found",
        ),
        pytest.param(
            "OUTCOME_NONE_UNSUPPORTED",
            "OUTCOME_NOT_FOUND",
            "not_in_sources",
            "The sources do not say.",
            id="not found, by the name of the platform",
        ),
        pytest.param(
            "OUTCOME_UNCLEAR",
            "OUTCOME_UNCLEAR",
            "not_in_sources",
            "The sources do not say.",
            id="unclear",
        ),
        pytest.param(
            "OUTCOME_REFUSED", "OUTCOME_REFUSED", "refused", "Refused.", id="refused"
        ),
        pytest.param(
            "OUTCOME_DENIED_SECURITY",
            "OUTCOME_REFUSED",
            "refused",
            "Refused.",
            id="refused, by the name of the platform",
        ),
    ],
)
def test_an_outcome_is_told_by_its_kind(
    outcome: str, journalled: str, status: str, first_line: str, tmp_path: Path
) -> None:
    write_files(tmp_path, {"docs/a.md": "fee: 7\n"})

    printed = ask(tmp_path, script=ending(outcome))
    as_json = ask(tmp_path, "--json", script=ending(outcome))

    assert (printed.code, as_json.code) == (0, 0), printed.err
    assert printed.out.startswith(first_line)
    assert as_json.json["status"] == status
    assert as_json.json["outcome"] == journalled


def test_a_model_is_told_the_general_outcomes(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs/a.md": "fee: 7\n"})

    ask(tmp_path, script=ending("OUTCOME_NOT_FOUND"))

    (path,) = (tmp_path / "runs").glob("*.jsonl")
    (trial,) = open_journal(path).trials.values()
    assert trial.record.initial_prompt is not None
    system = trial.record.initial_prompt.system
    assert "`OUTCOME_NOT_FOUND`: the material does not say" in system
    assert "NONE_UNSUPPORTED" not in system


def test_a_question_that_is_served_has_the_outcomes_of_the_platform(
    tmp_path: Path,
) -> None:
    write_files(tmp_path, {"docs/a.md": "fee: 7\n"})
    settings = {"question": "What is the fee?", "outcomes": "platform"}

    opened = open_benchmark(str(tmp_path / "docs"), settings, BenchmarkContext())

    assert opened.tool_schemas is not None
    (tool_schema,) = opened.tool_schemas(["ask"])
    assert tool_schema.outcomes == PLATFORM_OUTCOMES
    _begin, _execute, submit = question_tools(tool_schema)
    offered = submit.parameters["properties"]["outcome"]
    assert offered["enum"] == list(PLATFORM_OUTCOMES.names)
