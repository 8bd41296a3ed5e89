import json
from pathlib import Path

import pytest

from controlplane.commands.compare import read_plan
from controlplane.errors import UsageError
from tests.support.command import Type, check_line

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
    return list(read_plan(folder / "s.toml"))


def test_axes_are_combined_and_no_run_is_there_twice(tmp_path: Path) -> None:
    single = ["base", "max_steps=5", "max_steps=9", "gates=none"]
    assert plan_of(tmp_path, TWO_AXES) == [*single, "gates=none, max_steps=5", "gates=none, max_steps=9"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('name = "s"\n[axes]\ngats = ["none"]', r"\[axes\] there is no setting 'gats'; did you mean 'gates'"),
        ('name = "s"\n[base]\nsed = 1\n[axes]\ngates = ["none"]', r"\[base\] there is no setting 'sed'"),
        ('name = "s"\n[axes]\nseed = [1, 2]', "seed is not allowed there: the runs of a sweep share it"),
        ('name = "s"\n[base]\nname = "x"\n[axes]\ngates = ["none"]', "name is not allowed there: the sweep sets it"),
        ('name = "s"\naxis = 1\n[axes]\ngates = ["none"]', "axis: there is no such key; did you mean 'axes'"),
        ('name = "a/b"\n[axes]\ngates = ["none"]', "letters, digits"),
        ('name = "s"', r"a sweep needs variations: give \[axes\] or \[\[runs\]\]"),
        ('name = "s"\n[axes]', "a sweep needs variations"),
        ('name = "s"\n[[runs]]\ngats = "none"', r"\[runs\] there is no setting 'gats'"),
        ('name = "s"\n[[runs]]\nseed = 2', "the runs of a sweep share it"),
        ('name = "s"\n[axes]\nmax_steps = [0]', "s.toml, max_steps=0: --max-steps"),
        ("name = ", "is not TOML"),
    ],
)
def test_a_fault_is_told_with_file_and_key(text: str, says: str, tmp_path: Path) -> None:
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


def test_it_runs_each_compares_it_and_leaves_alone_what_is_over(sweep: Path, type_in: Type, tmp_path: Path) -> None:
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
    worse = [task["task"] for task in told["runs"][1]["tasks"] if task["change"] == "worse"]
    assert worse == ["seat-001", "seat-002", "seat-003"]
    printed = type_in("sweep", "s.toml").out
    assert "gates=none" in printed
    assert printed.count("0 better, 3 worse, 0 equal · difference -1.000") == 1
    before = {path.name: path.read_bytes() for path in (tmp_path / "runs").iterdir()}
    assert type_in("sweep", "s.toml", "--json").json == told
    assert {path.name: path.read_bytes() for path in (tmp_path / "runs").iterdir()} == before


def test_a_run_that_was_cut_off_is_resumed_and_one_that_is_missing_is_played(
    sweep: Path, type_in: Type, tmp_path: Path
) -> None:
    whole = type_in("sweep", "s.toml", "--json").json
    base = tmp_path / "runs/s-base-cae6.jsonl"
    lines = base.read_bytes().splitlines(keepends=True)
    base.write_bytes(b"".join(lines[: len(lines) // 2]))
    (tmp_path / "runs/s-gates-none-42a3.jsonl").unlink()
    again = type_in("sweep", "s.toml", "--quiet", "--json").json
    assert [run["second_mean"] for run in again["runs"]] == [run["second_mean"] for run in whole["runs"]]
    assert type_in("replay", "s-base", "--verify").code == 0


def test_a_run_that_could_not_begin_is_told_before_the_first_one_costs_anything(
    sweep: Path, type_in: Type, tmp_path: Path
) -> None:
    text = sweep.read_text(encoding="utf-8")
    sweep.write_text(text.replace('"none"', '"none", "9"'), encoding="utf-8")
    check_line(type_in("sweep", "s.toml"), 2, "s.toml, gates=9: --gates: '9' is not a gate")
    sweep.write_text(f'{text}parts = ["+evidence-store"]\n', encoding="utf-8")
    check_line(
        type_in("sweep", "s.toml"),
        2,
        "s.toml, parts=+evidence-store: --parts '+evidence-store': the solver 'cited' has",
    )
    assert not (tmp_path / "runs").exists()


def test_the_runs_play_at_the_same_time(sweep: Path, type_in: Type, tmp_path: Path) -> None:
    text = sweep.read_text(encoding="utf-8").replace("[axes]", "set = {seconds = '0.3'}\n[axes]")
    sweep.write_text(text, encoding="utf-8")
    assert type_in("sweep", "s.toml", "--quiet").code == 0
    spans = []
    for name in ("s-base-cae6", "s-gates-none-42a3"):
        events = [json.loads(line) for line in (tmp_path / f"runs/{name}.jsonl").read_text("utf-8").splitlines()]
        trials = [event["at_ms"] for event in events if event["type"] in ("trial_started", "trial_ended")]
        spans.append((min(trials), max(trials)))
    assert max(begun for begun, _ in spans) < min(ended for _, ended in spans)
