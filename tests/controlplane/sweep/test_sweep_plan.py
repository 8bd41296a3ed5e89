"""The file of a sweep says which runs there are; a fault in it is told with file and key."""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.sweep.sweep_plan import read_plan

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
    return [each.label for each in read_plan(folder / "s.toml", {}).runs]


@pytest.mark.parametrize(
    ("head", "labels"),
    [
        (
            "",
            [
                "base",
                "max_steps=5",
                "max_steps=9",
                "gates=none",
                "gates=none, max_steps=5",
                "gates=none, max_steps=9",
            ],
        ),
        ("one_at_a_time = true\n", ["base", "gates=none", "max_steps=5", "max_steps=9"]),
    ],
)
def test_axes_are_combined_or_taken_one_at_a_time_and_no_run_is_there_twice(
    head: str, labels: list[str], tmp_path: Path
) -> None:
    assert plan_of(tmp_path, head + TWO_AXES) == labels


def test_all_runs_have_the_settings_of_the_base_and_journals_of_their_own(tmp_path: Path) -> None:
    plan_of(tmp_path, TWO_AXES)
    runs = read_plan(tmp_path / "s.toml", {}).runs
    assert {each.resolved.settings.seed for each in runs} == {3}
    assert len({each.run_id for each in runs}) == len(runs)
    assert runs[3].run_id == "s-gates-none"
    assert runs[3].resolved.settings.name == "s gates=none"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('name = "s"\n[axes]\ngats = ["none"]', r"\[axes\] there is no setting 'gats'; did you mean 'gates'"),
        ('name = "s"\n[base]\nsed = 1\n[axes]\ngates = ["none"]', r"\[base\] there is no setting 'sed'"),
        ('name = "s"\n[axes]\nseed = [1, 2]', "seed cannot stand there: the runs of a sweep share it"),
        ('name = "s"\n[base]\nname = "x"\n[axes]\ngates = ["none"]', "name cannot stand there: the sweep sets it"),
        ('name = "s"\naxis = 1\n[axes]\ngates = ["none"]', "axis: there is no such key; did you mean 'axes'"),
        ('name = "a/b"\n[axes]\ngates = ["none"]', "letters, digits"),
        ('name = "s"', r"a sweep varies something: give \[axes\], or \[\[runs\]\]"),
        ('name = "s"\n[axes]', "a sweep varies something"),
        ('name = "s"\n[[runs]]\ngats = "none"', r"\[runs\] there is no setting 'gats'"),
        ('name = "s"\n[[runs]]\nseed = 2', "the runs of a sweep share it"),
        ('name = "s"\n[axes]\nmax_steps = [0]', "s.toml, max_steps=0: max-steps"),
        ('name = "s"\nmax_cost_usd = -1\n[axes]\ngates = ["none"]', "max_cost_usd"),
        ("name = ", "is no TOML"),
    ],
)
def test_a_fault_is_told_with_file_and_key(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=says) as told:
        plan_of(tmp_path, text)
    assert "s.toml" in str(told.value)


def test_runs_whose_labels_read_alike_have_journals_of_their_own(tmp_path: Path) -> None:
    parts = ["+helpers", "-helpers", "-helpers,-ledger"]
    plan_of(tmp_path, f'name = "s"\n[base]\nagent = "exoskeleton"\n[axes]\nparts = {parts}')
    ids = [each.run_id for each in read_plan(tmp_path / "s.toml", {}).runs]
    assert len(set(ids)) == 4
    assert ids[0] == "s-base"
    assert ids[3] == "s-parts-helpers-ledger"


def test_a_sweep_of_thousands_is_refused(tmp_path: Path) -> None:
    numbers = list(range(1, 40))
    with pytest.raises(UsageError, match="more than 500"):
        plan_of(tmp_path, f'name = "s"\n[axes]\nmax_steps = {numbers}\nopening_chars = {numbers}')


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        read_plan(tmp_path / "none.toml", {})


def test_runs_of_their_own_stand_beside_the_axes(tmp_path: Path) -> None:
    text = 'name = "s"\n[axes]\ngates = ["none"]\n[[runs]]\nagent = "exoskeleton"\nparts = "-helpers"'
    assert plan_of(tmp_path, text) == [
        "base",
        "gates=none",
        "agent=exoskeleton, parts=-helpers",
    ]
