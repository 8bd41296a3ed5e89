from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.benchmark import chosen_parts
from controlplane.errors import UsageError
from controlplane.journal.run_events import tool_schema_from_text
from tests.support.command import ROOT, inside

PARTS = {"classifier": True, "preflight": False}


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("", {"classifier"}),
        ("-classifier", set()),
        (" +preflight , -classifier,", {"preflight"}),
        ("+classifier", {"classifier"}),
    ],
)
def test_a_text_changes_what_the_solver_has_on(text, on):
    assert chosen_parts(text, PARTS, "any") == on


@pytest.mark.parametrize(
    ("text", "declared", "why"),
    [
        ("classifier", PARTS, "write -classifier to switch"),
        ("-clasifier", PARTS, "did you mean"),
        ("-classifier", {}, "known: none"),
    ],
)
def test_an_unknown_part_is_refused(text, declared, why):
    with pytest.raises(UsageError, match=why):
        chosen_parts(text, declared, "any")


@pytest.mark.parametrize(("parts", "offers"), [((), True), (("--parts", "-helpers"), False)])
def test_cited_without_helpers_offers_scripts_no_functions(
    parts: tuple[str, ...], offers: bool, tmp_path: Path
) -> None:
    script = f"scripted:{ROOT}/docs/examples/rejection.toml"
    assert inside("run", "calendar-date.1", "--model", script, *parts, "--quiet", cwd=tmp_path).code == 0
    (path,) = tmp_path.glob("runs/*.jsonl")
    with open_journal(path) as journal:
        (trial,) = journal.trials.values()
        assert trial.record.started is not None
        tool_schema = tool_schema_from_text(trial.record.started.tool_schema)
    assert any(operation.finds for operation in tool_schema.operations) == offers
    assert inside("replay", "last", "--verify", cwd=tmp_path).code == 0
