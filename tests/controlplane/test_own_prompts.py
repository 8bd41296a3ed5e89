"""Prompt texts of the owner's: what the model is told, what the journal keeps, and what resume and rerun go on with."""

import shutil
from pathlib import Path

import pytest

from agent.loop import default_prompts
from agent.loop.initial_prompt import FOLDER
from controlplane import open_journal
from controlplane.lifecycle.run_resources import recorded_prompts
from tests.controlplane.test_outage import PLAY, paid
from tests.support.command import Type
from tests.support.endpoints import model_server
from tests.support.phonebook import PLAYED

MARK = "You are the clerk of a telephone exchange."
HINT = "Numbers have {{two}} digits.\n"
OWN = ("--prompt", "mine", "--hints", "hints.txt")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A folder of prompts with a system prompt of its own, and hints beside it."""
    shutil.copytree(FOLDER, tmp_path / "mine")
    (tmp_path / "mine/system.md").write_text(f"{MARK}\n\n{{{{harness}}}}\n", encoding="utf-8")
    (tmp_path / "hints.txt").write_text(HINT, encoding="utf-8")
    return tmp_path / "mine"


def newest(folder: Path) -> Path:
    return max(folder.glob("runs/*.jsonl"), key=lambda each: each.stat().st_mtime_ns)


def systems(folder: Path) -> list[str]:
    """The system prompts of the newest run's trials."""
    with open_journal(newest(folder)) as journal:
        return [trial.initial_prompt.system for trial in journal.trials.values() if trial.initial_prompt is not None]


def test_the_model_is_told_them_and_the_journal_keeps_them(mine: Path, type_in: Type, tmp_path: Path) -> None:
    assert type_in("run", *PLAYED, *OWN, "--quiet").code == 0
    assert [system.startswith(MARK) and system.endswith(f"\n{HINT}") for system in systems(tmp_path)] == [True] * 3
    with open_journal(newest(tmp_path)) as journal:
        recorded = recorded_prompts(journal)
        kept = recorded.texts | {"hints": recorded.hints}
        digests = {version.prompts for version in journal.versions}
    assert kept == default_prompts().texts | {"system": (mine / "system.md").read_text(), "hints": HINT}
    assert default_prompts().digest not in digests
    assert type_in("replay", "last", "--verify").code == 0


@pytest.mark.usefixtures("mine")
def test_a_run_is_resumed_and_rerun_with_the_texts_of_its_journal(type_in: Type, tmp_path: Path) -> None:
    with model_server(paid) as server:
        where = {"OPENAI_BASE_URL": server.url}
        assert type_in("run", *PLAY, *OWN, "--max-tokens-run", "3500", **where).code == 4
        shutil.rmtree(tmp_path / "mine")
        (tmp_path / "hints.txt").write_text("Something else.")
        begun = len(systems(tmp_path))
        assert type_in("resume", "last", "--max-tokens-run", "1000000", "--json", **where).code == 0
        told = systems(tmp_path)
        rerun = type_in("rerun", "last", "--trials", "ada-0", "--json", **where)
    assert (begun, len(told)) == (2, 6)
    assert len(set(told)) == 1
    assert rerun.code == 0, rerun.err
    assert systems(tmp_path) == told[:1]
    assert type_in("replay", "last", "--verify").code == 0
