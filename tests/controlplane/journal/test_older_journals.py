"""Journals of the schema version before this one: they are read, shown and replayed as when they were new."""

from pathlib import Path

import pytest

from agent.loop.initial_prompt import read_prompts
from controlplane.journal.journal_reader import glance_at, open_journal
from controlplane.lifecycle.run_resources import recorded_prompts
from tests.support.command import ROOT, inside

FIXTURES = Path(__file__).parent / "fixtures"
JOURNALS = {
    FIXTURES / "run.jsonl": {
        "ada-0": ("answered", 1.0, 0, [(1, 3, []), (2, 0, [False]), (3, 0, [True])]),
        "grace-1": ("answered", 1.0, 0, [(1, 3, []), (2, 0, [True])]),
        "edsger-2": ("fallback", 0.0, 0, [(1, 3, [])]),
    },
    FIXTURES / "direct-solver.jsonl": {
        "ada-0": ("answered", 1.0, None, [(1, 1, [True])]),
        "grace-1": ("answered", 1.0, None, [(1, 1, [True])]),
        "edsger-2": ("answered", 1.0, None, [(1, 1, [True])]),
    },
    FIXTURES / "held.jsonl": {
        "bill.1-r0-e86ed785": ("answered", 1.0, 1, [(1, 1, []), (2, 1, [False]), (3, 0, [False]), (4, 0, [True])]),
    },
}


@pytest.fixture(params=JOURNALS, ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def test_an_older_journal_is_read(path: Path) -> None:
    content = open_journal(path)
    for trial_id, (state, score, initial_calls, steps) in JOURNALS[path].items():
        summary, record = content.summary.trials[trial_id], content.trials[trial_id].record
        assert (summary.state, summary.score) == (state, score)
        assert (len(record.initial_prompt.calls) if record.initial_prompt else None) == initial_calls
        found = [(step.step, len(step.calls), [one.accepted for one in step.verdicts]) for step in record.steps]
        assert found == steps
        assert all(call.result or call.error for step in record.steps for call in step.calls)
    assert glance_at(path).trials.keys() == content.summary.trials.keys()


def test_an_older_journal_has_its_held_calls_objections_and_settings(tmp_path: Path) -> None:
    content = open_journal(FIXTURES / "held.jsonl")
    shown = inside("show", FIXTURES / "held.jsonl", cwd=tmp_path)
    assert "held for values from read text alone: 1 call; repeated and sent" in shown.out
    assert "accepted over objections: gate 6 (wording) ×1" in shown.out
    walked = inside("replay", FIXTURES / "held.jsonl", "--trial", "bill.1", cwd=tmp_path)
    told = "held for values from read text alone, then repeated and sent: pay was not sent. account 'NL91"
    assert told in walked.out
    assert content.setting("isolation") == "language,process"
    assert content.setting("initial_prompt_chars") == 90_000
    assert content.setting("rule_sets") == "ecom,ecom/guard=off"
    assert content.opened.rule_sets == ("ecom",)
    prompts = recorded_prompts(content)
    assert prompts is not None
    assert prompts.texts.keys() - read_prompts().texts.keys() == {"parse", "parse_request"}


def test_an_older_journal_replays(path: Path, tmp_path: Path) -> None:
    result = inside("replay", path, "--verify", cwd=tmp_path)
    assert result.code == 0, result.err
    steps = sum(len(journal[3]) for journal in JOURNALS[path].values())
    assert f"{steps} step" in result.out


def test_an_older_journal_that_breaks_off_is_resumed(tmp_path: Path, heavy: bool) -> None:
    (tmp_path / "phonebook.toml").write_bytes((ROOT / "tests/support/phonebook.toml").read_bytes())
    lines = (FIXTURES / "run.jsonl").read_bytes().splitlines(keepends=True)
    whole = open_journal(FIXTURES / "run.jsonl")
    began = next(at for at, line in enumerate(lines) if b'"type":"run_started"' in line)
    for cut in range(began + 1, len(lines) - 2, 1 if heavy else 20):
        path = tmp_path / f"cut-{cut}.jsonl"
        path.write_bytes(b"".join(lines[:cut]))
        begun = open_journal(path).trials
        result = inside("resume", path, "--trust", cwd=tmp_path)
        assert result.code == 0, result.err
        content = open_journal(path)
        # The first answer of ada-0 was sent back by a rule that is gone; the trial ends with it if it is judged anew.
        assert content.summary.scores[1:] == whole.summary.scores[1:], cut
        for trial_id, before in begun.items():
            assert content.trials[trial_id].steps[: len(before.steps)] == before.steps, cut
        assert inside("replay", path, "--verify", cwd=tmp_path).code == 0
