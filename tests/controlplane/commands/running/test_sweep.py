"""`sweep` runs what is left, compares it with the base, and stops at its cap."""

from pathlib import Path

import pytest

from controlplane.comparison.compared_trials import ComparedRun, compared_run
from controlplane.sweep.sweep_table import print_rows, sweep_rows
from tests.controlplane.test_spending_limits import playing
from tests.support.command import Type, check_line
from tests.support.endpoints import model_server
from tests.support.in_process_command import inside
from tests.support.scored_journal import Scores, scored_journal

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
    assert type_in("sweep", "s.toml", "--dry-run").out.splitlines() == ["s-base  base", "s-gates-none  gates=none"]
    first = type_in("sweep", "s.toml", "--json")
    told = first.json
    assert [each["label"] for each in told["runs"]] == ["base", "gates=none"]
    assert told["finished"]
    # Without gates the second turn's answer, which is no number, leaves the trial.
    assert [each["mean_score"] for each in told["runs"]] == [1.0, 0.0]
    assert told["runs"][1]["worse"] == ["seat-001", "seat-002", "seat-003"]
    before = {each.name: each.read_bytes() for each in (tmp_path / "runs").iterdir()}
    assert type_in("sweep", "s.toml", "--json").json == told
    assert {each.name: each.read_bytes() for each in (tmp_path / "runs").iterdir()} == before


def test_a_run_that_was_cut_off_is_resumed_and_one_that_is_missing_is_played(
    sweep: Path, type_in: Type, tmp_path: Path
) -> None:
    whole = type_in("sweep", "s.toml", "--json").json
    base = tmp_path / "runs/s-base.jsonl"
    lines = base.read_bytes().splitlines(keepends=True)
    base.write_bytes(b"".join(lines[: len(lines) // 2]))
    (tmp_path / "runs/s-gates-none.jsonl").unlink()
    again = type_in("sweep", "s.toml", "--quiet", "--json").json
    assert [each["mean_score"] for each in again["runs"]] == [each["mean_score"] for each in whole["runs"]]
    assert type_in("replay", "s-base", "--verify").code == 0


def test_a_journal_of_other_settings_is_not_taken_for_its_own(sweep: Path, type_in: Type) -> None:
    type_in("sweep", "s.toml", "--quiet")
    sweep.write_text(sweep.read_text(encoding="utf-8").replace("[axes]", "seed = 7\n[axes]"), encoding="utf-8")
    check_line(type_in("sweep", "s.toml"), 2, "s-base.jsonl is there already, with seed = 0 in place of 7")


def test_a_run_that_could_not_begin_is_told_before_the_first_one_costs_anything(
    sweep: Path, type_in: Type, tmp_path: Path
) -> None:
    text = sweep.read_text(encoding="utf-8")
    sweep.write_text(text.replace('"none"', '"none", "9"'), encoding="utf-8")
    check_line(type_in("sweep", "s.toml"), 2, "s.toml, gates=9: gates: '9' is not a gate")
    sweep.write_text(f'{text}parts = ["+helpers"]\n', encoding="utf-8")
    check_line(
        type_in("sweep", "s.toml"), 2, "s.toml, parts=+helpers: parts '+helpers': the solver 'cited' has no part"
    )
    assert not (tmp_path / "runs").exists()


def test_the_table_cuts_labels_and_leaves_columns_out_before_it_cuts_a_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    label = "reasoning_effort=high, prompt=prompts/of-mine"
    rows = sweep_rows(runs_of(tmp_path, base={"a": [1.0], "b": [0.5]}, **{label: {"a": [1.0], "b": [1.0]}}))
    printed = {}
    for width in (60, 100, 0):
        monkeypatch.setenv("COLUMNS", str(width)) if width else monkeypatch.delenv("COLUMNS")
        print_rows(rows)
        printed[width] = capsys.readouterr().out
        assert all(number in printed[width] for number in ("0.750", "1.000", "+0.250", "$0.02"))
    assert max(map(len, printed[60].splitlines()[:3])) <= 60
    assert "reasoning_ef" in printed[60]
    assert "of-mine" in printed[60]
    assert "time of trials" not in printed[60]
    assert label in printed[0]
    assert "time of trials" in printed[0]


def test_the_cap_on_the_cost_ends_it_before_the_next_run(sweep: Path, type_in: Type, tmp_path: Path) -> None:
    sweep.write_text("max_cost_usd = 0.01\n" + sweep.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "runs").mkdir()
    scored_journal(tmp_path / "runs/s-base.jsonl", {"a": [1.0, 1.0]})
    found = type_in("sweep", "s.toml", "--quiet")
    assert found.code == 4
    assert "the sweep has cost $0.0200 of $0.0100 (max_cost_usd), and 1 of its 2 runs are left" in found.err
    assert "base" in found.out


def test_a_run_is_held_to_what_those_before_it_left_and_goes_on_with_a_higher_cap(tmp_path: Path) -> None:
    text = (
        'name = "s"\nmax_cost_usd = {cap}\n[base]\nbenchmark = "tests.support.phonebook"\nmodel = "m"\n'
        'concurrency = 1\n[base.prices]\ninput = 1\noutput = 10\n[axes]\ngates = ["none"]\n'
    )
    with model_server(playing) as server:
        # A reply costs $0.002, a trial two replies, and there are three trials: the base is $0.012.
        codes, spent, finished = [], [], []
        for cap in (0.017, 0.017, 1.0):
            (tmp_path / "s.toml").write_text(text.format(cap=cap), encoding="utf-8")
            done = inside("sweep", "s.toml", "--json", cwd=tmp_path, OPENAI_BASE_URL=server.url)
            codes.append(done.code)
            finished.append(done.json["finished"])
            spent.append(sum(each["cost_usd"] for each in done.json["runs"]))
    assert codes == [4, 4, 0]
    assert finished == [False, False, True]
    assert 0.012 < spent[0] <= 0.017
    assert spent[1] == spent[0]
    assert spent[2] > 0.017


def runs_of(folder: Path, **scores: Scores) -> dict[str, ComparedRun]:
    return {name: compared_run([scored_journal(folder / f"{name}.jsonl", each)]) for name, each in scores.items()}


def test_the_cheapest_of_those_that_none_is_shown_to_beat_is_marked(tmp_path: Path) -> None:
    good, bad = {f"t{at}": [1.0] for at in range(9)}, {f"t{at}": [0.0] for at in range(9)}
    runs = runs_of(tmp_path, base=good, near={**good, "t0": [0.0]}, worse=bad)
    for each in runs["base"].trials:
        each.summary.spent.known_usd = 1.0
    found = {each.label: (each.is_among_best, each.is_cheapest_of_best) for each in sweep_rows(runs)}
    assert found == {"base": (True, False), "near": (True, True), "worse": (False, False)}


def test_sealed_runs_have_no_best(tmp_path: Path) -> None:
    rows = sweep_rows(runs_of(tmp_path, base={"a": [None]}, other={"a": [None]}))
    assert [(each.mean, each.is_among_best) for each in rows] == [(None, False), (None, False)]
