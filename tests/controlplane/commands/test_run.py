"""`run`, `rerun`, `fork` and `sweep`: what a run
imports and asks first, and what is played again."""

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

from controlplane import open_journal
from controlplane.agent.events import varying_fields
from controlplane.agent.evidence import Environment
from controlplane.benchmarks.ecom.player import FAMILIES_WITH_RULES
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.errors import UsageError
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.sweep.sweep_runs import read_sweep
from tests.support.command import ROOT, Result, Type, check_line, inside, python

WATCHFUL = """
import sys

from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark


class Watchful(EcomBenchmark):
    def start_run(self, request):
        print(*({"openai", "httpx2", "rich", "RestrictedPython"} & set(sys.modules)), "are imported")
        return super().start_run(request)


def open_benchmark(argument, settings, context):
    return Watchful()
"""


def test_a_run_without_a_model_reaches_its_benchmark_without_slow_libraries(
    tmp_path: Path,
) -> None:
    (tmp_path / "watchful.py").write_text(WATCHFUL)
    done = python(
        "-m",
        "controlplane",
        "run",
        "calendar-date.1",
        "--benchmark",
        "watchful",
        cwd=tmp_path,
    )

    assert done.code == 0, done.err
    assert done.out.startswith("are imported\n")


def test_without_a_model_a_run_plays_what_the_player_has_rules_for_and_says_so(
    tmp_path: Path,
) -> None:
    done = inside("run", "--limit", "12", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "has rules for 34 of 100 tasks" in done.out
    assert "run --model NAME" in " ".join(done.out.split())
    assert "mean score" in done.out
    with open_journal(next((tmp_path / "runs").glob("*.jsonl"))) as journal:
        families = {
            trial.summary.task_id.rpartition(".")[0]
            for trial in journal.trials.values()
        }
        answers = [trial.summary.answer for trial in journal.trials.values()]
    assert families <= set(FAMILIES_WITH_RULES)
    assert not [
        answer for answer in answers if "Error" in answer or "out of range" in answer
    ]


@pytest.mark.parametrize("name", ["stock-count", "sku-lookup.3", "stock-count.4"])
def test_a_named_task_without_rules_is_refused_with_the_command_for_a_model(
    tmp_path: Path, name: str
) -> None:
    done = inside("run", name, cwd=tmp_path)
    assert done.code == 2
    assert f"run {name} --model NAME" in done.err
    assert not list(tmp_path.glob("runs/*.jsonl"))


def test_the_player_by_rules_plays_every_task_if_it_is_named(tmp_path: Path) -> None:
    done = inside("run", "stock-count.2", "--model", "baseline", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "out of range" not in done.json["trials"][0]["answer"]
    assert "There is no open basket of yours." in done.json["trials"][0]["answer"]


def test_the_platform_is_asked_while_the_models_client_is_still_imported(
    tmp_path: Path,
) -> None:
    (tmp_path / "openai.py").write_text("import time; time.sleep(60)")
    with socket.create_server(("127.0.0.1", 0)) as platform:
        variables = {
            "BITGN_HOST": f"http://127.0.0.1:{platform.getsockname()[1]}",
            "BITGN_API_KEY": "k",
            "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
            "OPENAI_API_KEY": "none",
            "PYTHONPATH": f"{tmp_path}:{ROOT}",
        }
        command = [
            sys.executable,
            "-m",
            "controlplane",
            "run",
            "--benchmark",
            "bitgn:x",
            "--model",
            "m",
        ]
        run = subprocess.Popen(
            [*command, "--rule-sets", "none", "--quiet"],
            cwd=tmp_path,
            env=os.environ | variables,
        )
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
    assert (journal.opened.parent.run, journal.opened.parent.how) == (
        runs.stem,
        "rerun",
    )
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
            *(summary.model_dump_json(include=set(SAME)) for summary in [step]),
            *(call.model_dump_json(exclude=varying_fields()) for call in step.calls),
        ]
        for step in record.step_summaries
    ]
    answer = (
        record.answer.model_dump_json(exclude=varying_fields() | {"trial_id"})
        if record.answer
        else ""
    )
    initial_prompt = (
        record.initial_prompt.model_dump_json(
            include={"system", "first_message", "rules"}
        )
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
    path.write_text(
        "".join(f"[[reply]]\ntext = {text}\n" for text in texts), encoding="utf-8"
    )
    return f"scripted:{path}"


def only_trial(result: Result) -> RecordedTrial:
    return next(iter(open_journal(Path(result.json["journal"])).trials.values()))


def test_forks_with_the_same_replies_equal_the_original(
    type_in: Type, tmp_path: Path, heavy: bool
) -> None:
    chance = random.Random(7)
    played = [
        type_in("run", "calendar-date.1", "--model", f"scripted:{LONG}", "--json")
    ]
    played += [
        type_in("run", *TASKS, "--seed", str(seed), "--json")
        for seed in range(6 if heavy else 0)
    ]
    journals = [open_journal(Path(run.json["journal"])) for run in played]
    long = next(iter(journals[0].trials.values()))

    assert [len(step.verdicts) for step in long.steps] == [0, 0, 1, 0, 0, 1, 1]
    assert long.summary.state == "answered"
    assert set(long.summary.overridden) == {"6/wording"}
    others = [trial for journal in journals for trial in journal.trials.values()]
    for number in range(50 if heavy else 2):
        trial = chance.choice(others) if number % 2 else long
        step = chance.randint(1, len(trial.steps))
        words = (
            "--trial",
            trial.trial_id,
            "--step",
            str(step),
            "--model",
            replies_of(trial, tmp_path),
            "--json",
        )
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
    assert (
        inside(
            "run",
            "calendar-date.1",
            "--model",
            f"scripted:{script}",
            "--name",
            "first",
            cwd=folder,
        ).code
        == 0
    )
    return folder / "runs"


@pytest.fixture
def original(played: Path, tmp_path: Path, type_in: Type) -> RecordedTrial:
    """That trial, in a copy of its journal."""
    shutil.copytree(played, tmp_path / "runs")
    (path,) = Path("runs").glob("*.jsonl")
    return next(iter(open_journal(path).trials.values()))


def test_repeats_tell_how_often_it_succeeds_now(
    original: RecordedTrial, type_in: Type
) -> None:
    right = type_in(
        "fork", "first", "--trial", "calendar", "--step", "3", "--repeats", "3"
    )

    assert (
        "which scored 1.00: 3 of 3 tries right now, 1.000 [0.439, 1.000]" in right.out
    )
    wrong = type_in(
        "fork",
        "first",
        "--trial",
        "calendar",
        "--step",
        "2",
        "--model",
        f"scripted:{LONG}",
        "--json",
    )
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
    pieces = (
        record.initial_prompt.first_message
        if step == 1
        else record.step_summaries[step - 2].feedback
    )
    assert pieces[-1].endswith(note)
    assert [
        reply.cached
        for recorded_step in record.all_steps.whole
        for reply in recorded_step.replies
    ] == [number < step for number in (1, 2, 3)]


def test_another_prompt_stands_before_what_was_said(
    original: RecordedTrial, type_in: Type, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "prompts", tmp_path / "mine")
    system = tmp_path / "mine" / "system.md"
    system.write_text(
        system.read_text("utf-8").replace("# The answer", "# An answer"),
        encoding="utf-8",
    )
    forked = only_trial(
        type_in(
            "fork",
            "first",
            "--trial",
            "cal",
            "--step",
            "2",
            "--prompt",
            "mine",
            "--json",
        )
    )
    before, now = original.record, forked.record

    assert before.initial_prompt is not None
    assert now.initial_prompt is not None
    assert "/bin/sql" not in now.initial_prompt.system, "the tool was down"
    assert now.initial_prompt.system == before.initial_prompt.system.replace(
        "# The answer", "# An answer"
    )
    assert now.initial_prompt.system != before.initial_prompt.system
    assert now.initial_prompt.first_message == before.initial_prompt.first_message
    assert [step.reply for step in now.step_summaries] == [
        step.reply for step in before.step_summaries
    ]
    assert type_in("replay", "last", "--verify").code == 0
    check_line(
        type_in("fork", "first", "--trial", "cal", "--step", "2", "--prompt", "none"),
        2,
        "--prompt",
        "none",
    )


def test_a_fork_at_another_place_is_refused_before_anything_starts(
    original: RecordedTrial, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(original.journal.path.parent.glob("*.jsonl"))
    call = EcomEnvironment.call

    def other(
        self: Environment, operation: str, arguments: dict[str, Any]
    ) -> dict[str, Any]:
        found = call(self, operation, arguments)
        return (
            found | {"stdout": "another time"}
            if "/bin/date" in arguments.values()
            else found
        )

    monkeypatch.setattr(EcomEnvironment, "call", other)
    refused = type_in("fork", "first", "--trial", "cal", "--step", "2")
    check_line(refused, 5, "cannot be rebuilt as it was", "gives another result")

    assert sorted(original.journal.path.parent.glob("*.jsonl")) == before


@pytest.mark.parametrize(
    ("parts", "offers"), [((), True), (("--parts", "-helpers"), False)]
)
def test_cited_without_helpers_offers_scripts_no_functions(
    parts: tuple[str, ...], offers: bool, tmp_path: Path
) -> None:
    script = f"scripted:{ROOT}/docs/examples/rejection.toml"
    assert (
        inside(
            "run", "calendar-date.1", "--model", script, *parts, "--quiet", cwd=tmp_path
        ).code
        == 0
    )
    (path,) = tmp_path.glob("runs/*.jsonl")
    with open_journal(path) as journal:
        (trial,) = journal.trials.values()
        assert trial.record.started is not None
        tool_schema = tool_schema_from_text(trial.record.started.tool_schema)
    assert any(operation.finds for operation in tool_schema.operations) == offers
    assert inside("replay", "last", "--verify", cwd=tmp_path).code == 0


TWO_AXES = """
name = "s"
tasks = ["calendar-date"]
[base]
seed = 3
gates = "all"
[axes]
gates = ["none", "all"]
max_steps = [5, 9]
"""


def plan_of(folder: Path, text: str) -> list[str]:
    (folder / "s.toml").write_text(text, encoding="utf-8")
    return list(read_sweep(folder / "s.toml"))


def test_axes_are_combined_and_no_run_is_there_twice(tmp_path: Path) -> None:
    single = ["base", "max_steps=5", "max_steps=9", "gates=none"]
    assert plan_of(tmp_path, TWO_AXES) == [
        *single,
        "gates=none, max_steps=5",
        "gates=none, max_steps=9",
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            'name = "s"\n[axes]\ngats = ["none"]',
            r"\[axes\] there is no setting 'gats'; did you mean 'gates'",
        ),
        (
            'name = "s"\n[base]\nsed = 1\n[axes]\ngates = ["none"]',
            r"\[base\] there is no setting 'sed'",
        ),
        (
            'name = "s"\n[axes]\nseed = [1, 2]',
            "seed is not allowed there: the runs of a sweep share it",
        ),
        (
            'name = "s"\n[base]\nname = "x"\n[axes]\ngates = ["none"]',
            "name is not allowed there: the sweep sets it",
        ),
        (
            'name = "s"\naxis = 1\n[axes]\ngates = ["none"]',
            "axis: there is no such key; did you mean 'axes'",
        ),
        ('name = "a/b"\n[axes]\ngates = ["none"]', "letters, digits"),
        ('name = "s"', r"a sweep needs variations: give \[axes\] or \[\[runs\]\]"),
        ('name = "s"\n[axes]', "a sweep needs variations"),
        ('name = "s"\n[[runs]]\ngats = "none"', r"\[runs\] there is no setting 'gats'"),
        ('name = "s"\n[[runs]]\nseed = 2', "the runs of a sweep share it"),
        ('name = "s"\n[axes]\nmax_steps = [0]', "s.toml, max_steps=0: --max-steps"),
        ("name = ", "is not TOML"),
    ],
)
def test_a_fault_is_told_with_file_and_key(
    text: str, says: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=says) as told:
        plan_of(tmp_path, text)
    assert "s.toml" in str(told.value)


SWEEP = """
name = "s"
[base]
benchmark = "tests.support.many_trials:3"
model = "scripted:{script}"
[axes]
gates = ["none"]
"""


@pytest.fixture
def sweep(tmp_path: Path, script: Path) -> Path:
    path = tmp_path / "s.toml"
    path.write_text(SWEEP.format(script=script), encoding="utf-8")
    return path


def test_it_runs_each_compares_it_and_leaves_alone_what_is_over(
    sweep: Path, type_in: Type, tmp_path: Path
) -> None:
    assert type_in("sweep", "s.toml", "--dry-run").out.splitlines() == [
        "s-base-cae6  base",
        "s-gates-none-42a3  gates=none",
    ]
    first = type_in("sweep", "s.toml", "--json")
    told = first.json
    assert [run["label"] for run in told["runs"]] == ["base", "gates=none"]
    assert told["finished"]
    # Without gates the second turn's answer, which is not a number, leaves the trial.
    assert [run["second_mean"]["mean"] for run in told["runs"]] == [1.0, 0.0]
    worse = [
        task["task"] for task in told["runs"][1]["tasks"] if task["change"] == "worse"
    ]
    assert worse == ["seat-001", "seat-002", "seat-003"]
    printed = type_in("sweep", "s.toml").out
    assert "gates=none" in printed
    assert printed.count("0 better, 3 worse, 0 equal · difference -1.000") == 1
    before = {path.name: path.read_bytes() for path in (tmp_path / "runs").iterdir()}
    assert type_in("sweep", "s.toml", "--json").json == told
    assert {
        path.name: path.read_bytes() for path in (tmp_path / "runs").iterdir()
    } == before


def test_a_run_that_was_cut_off_is_resumed_and_one_that_is_missing_is_played(
    sweep: Path, type_in: Type, tmp_path: Path
) -> None:
    whole = type_in("sweep", "s.toml", "--json").json
    base = tmp_path / "runs/s-base-cae6.jsonl"
    lines = base.read_bytes().splitlines(keepends=True)
    base.write_bytes(b"".join(lines[: len(lines) // 2]))
    (tmp_path / "runs/s-gates-none-42a3.jsonl").unlink()
    again = type_in("sweep", "s.toml", "--quiet", "--json").json

    assert [run["second_mean"] for run in again["runs"]] == [
        run["second_mean"] for run in whole["runs"]
    ]
    assert type_in("replay", "s-base", "--verify").code == 0


def test_a_run_that_could_not_begin_is_told_before_the_first_one_costs_anything(
    sweep: Path, type_in: Type, tmp_path: Path
) -> None:
    text = sweep.read_text(encoding="utf-8")
    sweep.write_text(text.replace('"none"', '"none", "9"'), encoding="utf-8")
    check_line(
        type_in("sweep", "s.toml"), 2, "s.toml, gates=9: --gates: '9' is not a gate"
    )
    sweep.write_text(f'{text}parts = ["+evidence-store"]\n', encoding="utf-8")
    check_line(
        type_in("sweep", "s.toml"),
        2,
        "s.toml, parts=+evidence-store: --parts '+evidence-store': the solver 'cited' has",
    )

    assert not (tmp_path / "runs").exists()


def test_the_runs_play_at_the_same_time(
    sweep: Path, type_in: Type, tmp_path: Path
) -> None:
    text = sweep.read_text(encoding="utf-8").replace(
        "[axes]", "set = {seconds = '0.3'}\n[axes]"
    )
    sweep.write_text(text, encoding="utf-8")

    assert type_in("sweep", "s.toml", "--quiet").code == 0
    spans = []
    for name in ("s-base-cae6", "s-gates-none-42a3"):
        events = [
            json.loads(line)
            for line in (tmp_path / f"runs/{name}.jsonl")
            .read_text("utf-8")
            .splitlines()
        ]
        trials = [
            event["at_ms"]
            for event in events
            if event["type"] in ("trial_started", "trial_ended")
        ]
        spans.append((min(trials), max(trials)))
    assert max(begun for begun, _ in spans) < min(ended for _, ended in spans)
