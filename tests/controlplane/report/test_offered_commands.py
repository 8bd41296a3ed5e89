"""The commands beside a group of failures, pasted into a shell as a page shows them."""

import json
from pathlib import Path

import pytest

from controlplane.journal.journal_reader import open_journal
from controlplane.report.run_pages import failure_groups, run_facts
from tests.support.command import controlplane, ran
from tests.support.endpoints import completion, model_server, response

CODE = """
scratchpad["answer"], scratchpad["outcome"], scratchpad["refs_why"] = "It cannot be said.", "OUTCOME_OK", {}
harness.answer(scratchpad, lambda sp: sp["answer"].startswith("It"))
"""
WRONG = completion(json.dumps({"state": "guess", "plan": [], "done": True, "code": CODE}))
FEW_WORLDS = {"improve": " --train 1 --check 101 --final 201 --proposals 1 --batch 1"}
"""Added to what is pasted: a loop over its own number of worlds takes minutes."""


def test_each_command_beside_a_failure_works_in_a_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with model_server(response(200, WRONG)) as server:
        asked = ("--model", "some/model", "--base-url", server.url, "--api", "chat")
        played = controlplane(
            "run",
            "sku-lookup",
            "price-count.1",
            *asked,
            "--max-steps",
            "2",
            "--quiet",
            cwd=tmp_path,
            OPENAI_API_KEY="k",
        )
        assert played.code == 0, played.err
        (path,) = tmp_path.glob("runs/*.jsonl")
        with open_journal(path) as journal:
            facts = run_facts(journal, 0, (), is_running=False)
            group = failure_groups(facts.trials, 1)[0]
            offered = [command for command, _ in facts.commands([trial for trial, _ in group.failures])]
        kinds = ["rerun", "fork", "judge", "improve"]
        assert [next(kind for kind in kinds if f" {kind} " in command) for command in offered] == kinds
        for kind, command in zip(kinds, offered, strict=True):
            done = ran(["sh", "-c", command + FEW_WORLDS.get(kind, "")], tmp_path, OPENAI_API_KEY="k")
            assert done.code == (1 if kind == "improve" else 0), (command, done.err)
    assert len(list(tmp_path.glob("runs/*.jsonl"))) == 3
    assert len(list(tmp_path.glob("runs/*improve*"))) == 1
