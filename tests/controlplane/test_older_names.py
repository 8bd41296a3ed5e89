"""Flags, settings and files of earlier versions go on working; a line names what replaces a flag or a setting."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from controlplane import TaskHead, TaskStub, Trial, TrialHead, TrialStub
from controlplane.benchmark import SOLVERS, chosen_parts
from controlplane.configuration import run_settings
from controlplane.journal.journal_reader import open_journal
from controlplane.lifecycle.run_resources import parse_gates
from gates.submission import RULE_SET_GATE, GatePolicy, Verdict
from sandbox.interface import InitialCall, OpeningCall, Surface
from tests.support.command import inside
from tests.support.phonebook import PLAYED

OLDER = {"--walls": "language,process", "--rules": "none", "--opening-chars": "900"}
PRESENT = {"isolation": "language,process", "rule_sets": "none", "initial_prompt_chars": 900}


@pytest.fixture(autouse=True)
def _nothing_printed_before() -> None:
    run_settings._print_once.cache_clear()


def settings_of_the_run(folder: Path) -> dict[str, object]:
    (path,) = (folder / "runs").glob("*.jsonl")
    opened = open_journal(path).opened
    return {name: opened.setting(name) for name in PRESENT}


def test_an_older_flag_works_and_a_line_names_the_one_that_replaces_it(tmp_path: Path) -> None:
    ended = inside("run", *PLAYED, *(word for pair in OLDER.items() for word in pair), "--quiet", cwd=tmp_path)
    assert ended.code == 0, ended.err
    for older, present in zip(OLDER, PRESENT, strict=True):
        assert f"{older} is now --{present.replace('_', '-')}" in ended.err
    assert settings_of_the_run(tmp_path) == PRESENT


def test_help_shows_no_older_flag(tmp_path: Path) -> None:
    shown = inside("run", "--help", cwd=tmp_path).out
    assert [flag for flag in OLDER if f"{flag} " in shown] == []


def test_older_settings_of_a_file_and_the_environment_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "controlplane.toml"
    config.write_text('[run]\nwalls = "language,process"\nopening_chars = 900\n')
    monkeypatch.setenv("CONTROLPLANE_CONFIG", str(config))
    monkeypatch.setenv("CONTROLPLANE_RULES", "none")
    resolved = run_settings.resolve({}, {"CONTROLPLANE_CONFIG": str(config), "CONTROLPLANE_RULES": "none"}, tmp_path)
    assert {name: getattr(resolved.settings, name) for name in PRESENT} == PRESENT


def test_an_older_setting_that_needs_trust_needs_it_as_before(tmp_path: Path) -> None:
    (tmp_path / "controlplane.toml").write_text('[run]\nwalls = "none"\nrules = "evil:RULES"\nlimit = 1\n')
    ended = inside("run", *PLAYED, "--quiet", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert "does not set run.isolation, run.rule_sets" in ended.err
    assert settings_of_the_run(tmp_path)["isolation"] == "language,process,kernel"


def test_benchmarks_and_rule_sets_with_older_names_in_their_code_work(tmp_path: Path) -> None:
    (tmp_path / "older_bench.py").write_text(
        "from controlplane import TaskEnvironment, ToolBenchmark\nfrom gates.rules import Pack, Rule\n\n\n"
        "class Older(ToolBenchmark):\n"
        "    def task_ids(self):\n        return ['one']\n\n"
        "    def pose(self, task_id):\n        return 'How many?', TaskEnvironment(files={'/a.txt': '12'})\n\n"
        "    def grade(self, task_id, environment):\n        return environment.answer == '12'\n\n\n"
        "open_benchmark = Older\nPACK = Pack('mine', (Rule('fine', lambda submission, evidence, case: None),))\n"
    )
    shutil.copy(Path(__file__).parents[2] / "docs/examples/wordbook.toml", tmp_path / "replies.toml")
    words = ("--benchmark", "older_bench", "--model", "scripted:replies.toml", "--rules", "older_bench:PACK", "--json")
    ended = inside("run", *words, cwd=tmp_path)
    assert [trial["task_id"] for trial in ended.json["trials"]] == ["one"], ended.err


def test_older_names_of_a_part_and_of_a_rule_mean_the_present_ones() -> None:
    parts = SOLVERS["exoskeleton"].parts
    assert chosen_parts("-ledger", parts, "exoskeleton") == {*parts} - {"evidence-store"}
    policy = GatePolicy(parse_gates("all,ecom/guard=off"))
    assert policy.enforcement(Verdict(RULE_SET_GATE, "ecom/pre-call-check", "pass", enforcement="ask")) == "off"


class OlderDesk:
    surface = Surface(operations=())


def test_an_environment_with_the_older_name_of_its_tool_schema_is_taken() -> None:
    desk: Any = OlderDesk()
    assert Trial("t", "t", "How many?", desk).environment.tool_schema is OlderDesk.surface
    assert (TaskHead, TrialHead, OpeningCall) == (TaskStub, TrialStub, InitialCall)
