"""Gate cases: files that keep a submission with its verdicts, and the pytest table of a folder of them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from gates import Case, Submission, judge
from gates.__main__ import main
from gates.evaluation.gate_cases import (
    CaseError,
    GateCase,
    case_of,
    changed_verdicts,
    judge_case,
    read_case,
    verify_data,
    write_case,
)
from gates.types import Evidence
from tests.gates.evaluation.own_cases import CASES, ROOT
from tests.gates.sample_trials import Calls, Reply, Verify, pad


def cases_in(folder: Path) -> list[GateCase]:
    return [read_case(path) for path in sorted(folder.glob("*.json"))]


@pytest.mark.parametrize("case", cases_in(CASES), ids=lambda case: case.id)
def test_every_case_of_our_own_keeps_its_verdicts(case: object) -> None:
    assert changed_verdicts(case) == []


def test_our_own_cases_reject_by_every_gate_that_can() -> None:
    rejected = {each.gate for case in cases_in(CASES) for each in case.expected if each.result == "reject"}
    assert rejected == {2, 3, 4, 5, 6, 7, 8}


def test_a_case_judges_as_the_submission_it_was_made_of() -> None:
    calls = Calls()
    calls.list("/docs", "/docs/Loans.md")
    calls.read("/DOCS/loans.md", "/shelves/north side/b-104.json")
    calls.run("/bin/odd", "x")
    calls.run("/bin/stock", "/shelves/store.json", "b-104", stdout="b-104\t3")
    calls.write("/desk/order.json")
    calls.fail("read", "/x")
    scratchpad = pad(
        refs_why={"/docs/loans.md": "the rule of 21 days", "/no.md": "no idea"}, facts={"a": {}}, tokens=["x"]
    )
    verify = Verify(blanked=Reply(True))
    submission, about = Submission.from_scratchpad(scratchpad, verify), Case("Delete it.", "rules", "/RULES.md", 2)
    case = case_of("x", submission, calls.evidence, about)
    case = case.model_copy(update={"verify": verify_data(verify, {False: verify.ask(False), True: verify.ask(True)})})
    assert judge_case(case) == judge(submission, calls.evidence, about)
    assert case.evidence
    kept = GateCase.model_validate_json(case.model_dump_json()).evidence
    assert kept == case.evidence
    assert [each.echoed for touch in kept.touches for each in touch.seen] == ["", "b-104", ""]


@pytest.mark.parametrize(
    "answer", ["half a \ud83d pair", {"\udfff": ["\ud800"]}, float("nan"), float("inf"), "ü 🙂 \x00"]
)
def test_what_no_file_can_hold_as_it_stands_is_kept_in_a_case_all_the_same(answer: object, tmp_path: Path) -> None:
    calls = Calls()
    calls.read("/a\ud800.md", "text of half a \ud83d pair")
    submission, about = Submission.from_scratchpad(pad(answer=answer), Verify()), Case("Half a \ud83d pair?")
    case = case_of("x", submission, calls.evidence, about)
    write_case(tmp_path / "x.json", case.model_copy(update={"verify": verify_data(Verify(), {})}))
    assert judge_case(read_case(tmp_path / "x.json")) == judge(submission, calls.evidence, about)


def test_a_case_without_a_trace_has_none() -> None:
    submission = Submission(answer="x", outcome="OUTCOME_OK", refs=("/a.md",))
    case = case_of("x", submission, Evidence(), Case("How long?"))
    assert case.evidence is None
    assert judge_case(case) == judge(submission, Evidence(), Case("How long?"))


def test_a_verify_that_was_not_asked_is_taken_to_pass() -> None:
    data = verify_data(Verify(as_submitted=Reply(False)), {})
    assert data is not None
    assert (data.says_yes, data.says_yes_when_blanked) == (True, False)
    assert verify_data(None, {}) is None


def test_a_file_that_is_no_case_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"id": "x", "instruction": "y", "submission": {}, "stray": 1}', encoding="utf-8")
    with pytest.raises(CaseError, match=r"x\.json: stray"):
        read_case(path)


def test_the_submissions_of_a_journal_become_cases_with_the_verdicts_of_the_run(tmp_path: Path) -> None:
    run = [sys.executable, "-m", "controlplane", "run", "calendar-date", "--runs-dir", str(tmp_path), "--name", "x"]
    subprocess.run(run, cwd=ROOT, check=True, capture_output=True)
    journal = next(tmp_path.glob("*.jsonl"))
    recorded = CliRunner().invoke(main, ["record", str(journal), "--out", str(tmp_path / "cases")])
    assert recorded.exit_code == 0, recorded.output
    cases = cases_in(tmp_path / "cases")
    assert len(cases) == 1
    assert cases[0].packs == ("ecom",)
    assert changed_verdicts(cases[0]) == []
    judged = [
        json.loads(line) for line in CliRunner().invoke(main, ["check", str(journal), "--json"]).output.splitlines()
    ]
    assert [(each["id"], each["rejected"]) for each in judged] == [(cases[0].id, False)]
    assert cases[0].id.startswith("calendar-date.1-r0-")


def test_two_runs_of_one_seed_are_compared_by_one_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, gates in (("on", "all"), ("off", "none")):
        run = ["run", "calendar-date", "--runs-dir", str(tmp_path), "--name", name, "--gates", gates]
        subprocess.run([sys.executable, "-m", "controlplane", *run], cwd=ROOT, check=True, capture_output=True)
    result = CliRunner().invoke(main, ["compare", "on", "off", "--runs-dir", str(tmp_path)])
    assert result.output.splitlines()[0] == "off → on: 1 task paired by task and world"
    monkeypatch.setenv("CONTROLPLANE_RUNS_DIR", str(tmp_path))
    found = json.loads(CliRunner().invoke(main, ["compare", "on", "off", "--json"]).output)
    assert (len(found["comparison"]["tasks"]), found["by_gate"]) == (1, {})


def test_what_is_no_journal_is_refused_with_the_exit_code_of_the_control_plane(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("{}\n", encoding="utf-8")
    result = CliRunner().invoke(main, ["record", str(path), "--out", str(tmp_path / "cases")])
    assert result.exit_code == 2
    assert "no journal" in result.output
