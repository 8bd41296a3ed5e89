"""`run`, `rerun` and `fork`: what a run imports and asks first, and what is played again."""

import json
import os
import random
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent.evidence import Environment
from benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane import open_journal
from controlplane.journal.journal_reader import RecordedTrial
from controlplane.journal.run_events import tool_schema_from_text
from tests.support.command import ROOT, Result, Type, check_line, inside, python

WATCHFUL = """
import sys

from benchmarks.ecom.ecom_benchmark import EcomBenchmark


class Watchful(EcomBenchmark):
    def start_run(self, request):
        print(*({"openai", "httpx2", "rich", "RestrictedPython"} & set(sys.modules)), "are imported")
        return super().start_run(request)


def open_benchmark(argument, settings, context):
    return Watchful()
"""


def test_a_run_without_a_model_reaches_its_benchmark_without_slow_libraries(tmp_path: Path) -> None:
    (tmp_path / "watchful.py").write_text(WATCHFUL)
    done = python("-m", "controlplane", "run", "calendar-date.1", "--benchmark", "watchful", cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.out.startswith("are imported\n")


def test_the_platform_is_asked_while_the_models_client_is_still_imported(tmp_path: Path) -> None:
    (tmp_path / "openai.py").write_text("import time; time.sleep(60)")
    with socket.create_server(("127.0.0.1", 0)) as platform:
        variables = {
            "BITGN_HOST": f"http://127.0.0.1:{platform.getsockname()[1]}",
            "BITGN_API_KEY": "k",
            "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
            "OPENAI_API_KEY": "none",
            "PYTHONPATH": f"{tmp_path}:{ROOT}",
        }
        command = [sys.executable, "-m", "controlplane", "run", "--benchmark", "bitgn:x", "--model", "m"]
        run = subprocess.Popen([*command, "--rule-sets", "none", "--quiet"], cwd=tmp_path, env=os.environ | variables)
        try:
            platform.settimeout(30)
            visitor, _ = platform.accept()
            with visitor:
                assert b"/GetBenchmark" in visitor.recv(4096)
        finally:
            run.kill()
            run.wait()


FAILING = ["seat-005", "seat-010", "seat-015", "seat-020", "seat-025"]


@pytest.fixture
def runs(recorded: tuple[Path, Result], tmp_path: Path) -> Path:
    """A folder of its own with the recorded run, whose journal it returns."""
    shutil.copytree(recorded[0] / "runs", tmp_path / "runs")
    return next((tmp_path / "runs").glob("*.jsonl"))


@pytest.mark.parametrize(
    ("flags", "tasks"),
    [
        (("--below", "1"), FAILING),
        (("--trials", "seat-003", "--trials", "seat-005-t4"), ["seat-003", "seat-005"]),
        (("--below", "1", "--failed", "--trials", "seat-001"), ["seat-001", *FAILING]),
    ],
)
def test_it_plays_what_it_is_told_to_and_names_its_parent(
    flags: tuple[str, ...], tasks: list[str], type_in: Type, runs: Path
) -> None:
    found = type_in("rerun", "first", *flags, "--name", "again", "--json").json
    assert [trial["task_id"] for trial in found["trials"]] == tasks
    journal = open_journal(Path(found["journal"]))
    assert journal.opened.parent is not None
    assert (journal.opened.parent.run, journal.opened.parent.how) == (runs.stem, "rerun")
    assert journal.opened.name == "again"
    assert type_in("replay", "again", "--verify").code == 0
    compared = type_in("compare", "first", f"{runs.stem}+again", "--json").json
    assert (len(compared["tasks"]), compared["unpaired"]) == (25, [])


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--failed",), "list them with: "),
        (("--trials", "seat-999"), "no trial 'seat-999'"),
        (("--base-url", "ftp://x"), "--base-url"),
    ],
)
def test_a_rerun_that_cannot_be_played_is_one_line(
    flags: tuple[str, ...], says: str, type_in: Type, runs: Path
) -> None:
    check_line(type_in("rerun", "first", *flags), 2, says)
    assert len(list(runs.parent.glob("*.jsonl"))) == 1


LONG = ROOT / "tests/support/long_trial.toml"
TASKS = ("basket-checkout.1", "basket-checkout.2", "calendar-date.1")


def told(trial: RecordedTrial) -> list[Any]:
    """What a trial did and said, without its ids and times."""
    record = trial.record
    steps = [
        [
            *(each.model_dump_json(include=set(SAME)) for each in [step]),
            *(call.model_dump_json(exclude={"elapsed_ms"}) for call in step.calls),
        ]
        for step in record.steps
    ]
    answer = record.answer.model_dump_json(exclude={"at_ms", "trial_id"}) if record.answer else ""
    initial_prompt = (
        record.initial_prompt.model_dump_json(include={"system", "first_message", "rules"})
        if record.initial_prompt
        else ""
    )
    return [initial_prompt, steps, answer, trial.score, trial.summary.details]


SAME = (
    "step",
    "reply",
    "code",
    "output",
    "error",
    "ending",
    "scratchpad",
    "verdicts",
    "citations",
    "feedback",
    "refunded",
)


def replies_of(trial: RecordedTrial, folder: Path) -> str:
    """Write the replies of a trial as a script, and return the model that gives them again."""
    path = folder / "replies.toml"
    texts = (json.dumps(step.reply, ensure_ascii=False) for step in trial.steps)
    path.write_text("".join(f"[[reply]]\ntext = {text}\n" for text in texts), encoding="utf-8")
    return f"scripted:{path}"


def only_trial(result: Result) -> RecordedTrial:
    return next(iter(open_journal(Path(result.json["journal"])).trials.values()))


def test_forks_with_the_same_replies_equal_the_original(type_in: Type, tmp_path: Path, heavy: bool) -> None:
    chance = random.Random(7)
    played = [type_in("run", "calendar-date.1", "--model", f"scripted:{LONG}", "--json")]
    played += [type_in("run", *TASKS, "--seed", str(seed), "--json") for seed in range(6 if heavy else 0)]
    journals = [open_journal(Path(each.json["journal"])) for each in played]
    long = next(iter(journals[0].trials.values()))
    assert [len(step.verdicts) for step in long.steps] == [0, 0, 1, 0, 0, 1, 1]
    assert long.summary.state == "answered"
    assert set(long.summary.overridden) == {"6/wording"}
    others = [trial for journal in journals for trial in journal.trials.values()]
    for number in range(50 if heavy else 2):
        trial = chance.choice(others) if number % 2 else long
        step = chance.randint(1, len(trial.steps))
        words = ("--trial", trial.trial_id, "--step", str(step), "--model", replies_of(trial, tmp_path), "--json")
        forked = type_in("fork", str(trial.journal.path), *words)
        assert forked.code == 0, forked.err
        assert told(only_trial(forked)) == told(trial), (trial.trial_id, step)
        parent = open_journal(Path(forked.json["journal"])).opened.parent
        assert parent is not None
        assert (parent.run, parent.how, parent.trial_id, parent.step) == (
            trial.journal.run,
            "fork",
            trial.trial_id,
            step,
        )
        if number == 0 or heavy:
            assert type_in("replay", "last", "--verify").code == 0


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run whose one trial is rejected once and right in its third step."""
    folder = tmp_path_factory.mktemp("played")
    script = ROOT / "docs/examples/rejection.toml"
    assert inside("run", "calendar-date.1", "--model", f"scripted:{script}", "--name", "first", cwd=folder).code == 0
    return folder / "runs"


@pytest.fixture
def original(played: Path, tmp_path: Path, type_in: Type) -> RecordedTrial:
    """That trial, in a copy of its journal."""
    shutil.copytree(played, tmp_path / "runs")
    (path,) = Path("runs").glob("*.jsonl")
    return next(iter(open_journal(path).trials.values()))


def test_repeats_tell_how_often_it_succeeds_now(original: RecordedTrial, type_in: Type) -> None:
    right = type_in("fork", "first", "--trial", "calendar", "--step", "3", "--repeats", "3")
    assert "which scored 1.00: 3 of 3 tries right now, 1.000 [0.439, 1.000]" in right.out
    wrong = type_in("fork", "first", "--trial", "calendar", "--step", "2", "--model", f"scripted:{LONG}", "--json")
    assert wrong.json["success"]["mean"] == 0.0
    assert wrong.json["parent"] == {
        "run": original.journal.run,
        "trial": original.trial_id,
        "step": 2,
        "score": 1.0,
    }
    check_line(type_in("rerun", "last"), 2, "is a fork")
    check_line(type_in("fork", "last", "--trial", "cal", "--step", "1"), 2, "is a fork")
    assert type_in("show", "last").code == 0


@pytest.mark.parametrize("step", [1, 3])
def test_a_note_is_added_to_the_last_message_and_costs_of_the_parent_are_not_counted_again(
    step: int, original: RecordedTrial, type_in: Type
) -> None:
    note = "Answer with the date alone."
    words = ("--trial", "cal", "--step", str(step), "--note", note, "--json")
    record = only_trial(type_in("fork", "first", *words)).record
    assert record.initial_prompt is not None
    pieces = record.initial_prompt.first_message if step == 1 else record.steps[step - 2].feedback
    assert pieces[-1].endswith(note)
    assert [reply.cached for number in sorted(record.replies) for reply in record.replies[number]] == [
        number < step for number in (1, 2, 3)
    ]


def test_another_prompt_stands_before_what_was_said(original: RecordedTrial, type_in: Type, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "prompts", tmp_path / "mine")
    system = tmp_path / "mine" / "system.md"
    system.write_text(system.read_text("utf-8").replace("# The answer", "# An answer"), encoding="utf-8")
    forked = only_trial(type_in("fork", "first", "--trial", "cal", "--step", "2", "--prompt", "mine", "--json"))
    before, now = original.record, forked.record
    assert before.initial_prompt is not None
    assert now.initial_prompt is not None
    assert "/bin/sql" not in now.initial_prompt.system, "the tool was down"
    assert now.initial_prompt.system == before.initial_prompt.system.replace("# The answer", "# An answer")
    assert now.initial_prompt.system != before.initial_prompt.system
    assert now.initial_prompt.first_message == before.initial_prompt.first_message
    assert [step.reply for step in now.steps] == [step.reply for step in before.steps]
    assert type_in("replay", "last", "--verify").code == 0
    check_line(type_in("fork", "first", "--trial", "cal", "--step", "2", "--prompt", "none"), 2, "--prompt", "none")


def test_a_fork_at_another_place_is_refused_before_anything_starts(
    original: RecordedTrial, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(original.journal.path.parent.glob("*.jsonl"))
    call = EcomEnvironment.call

    def other(self: Environment, operation: str, arguments: dict[str, Any]) -> dict[str, Any]:
        found = call(self, operation, arguments)
        return found | {"stdout": "another time"} if "/bin/date" in arguments.values() else found

    monkeypatch.setattr(EcomEnvironment, "call", other)
    refused = type_in("fork", "first", "--trial", "cal", "--step", "2")
    check_line(refused, 5, "cannot be rebuilt as it was", "gives another result")
    assert sorted(original.journal.path.parent.glob("*.jsonl")) == before


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
