"""The recorded model, the screen of the first run, and how a recording is made anew."""

from pathlib import Path

import pytest

import controlplane
from agent.model import ScriptedModel
from benchmarks.ecom.ecom_benchmark import RECORDING
from benchmarks.ecom.record import record
from controlplane.errors import UsageError
from tests.support.command import inside, python

ROOT = Path(__file__).parents[3]
RECORDED = ScriptedModel.from_file(RECORDING)
MENDED, CALLED = "stock-count.1", "discount-limit.1"


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    return controlplane.run("ecom", model="recorded", runs_dir=str(tmp_path_factory.mktemp("runs")))


def test_the_recorded_replies_get_the_recorded_scores(played):
    assert {trial.task_id: trial.score for trial in played.trials} == RECORDED.scores
    assert len({task.rpartition(".")[0] for task in RECORDED.scores}) >= 16
    assert sorted(RECORDED.scores.values())[:3] == [0, 0, 1]
    assert {trial.state for trial in played.trials} == {"answered"}


def test_gates_and_the_pre_call_check_make_a_difference(tmp_path):
    without = controlplane.run("ecom", MENDED, CALLED, model="recorded", gates="none", runs_dir=str(tmp_path))
    assert [RECORDED.scores[task] for task in (MENDED, CALLED)] == [1, 1]
    assert {trial.task_id: trial.score for trial in without.trials} == {MENDED: 0, CALLED: 0}


def test_the_walk_shows_the_held_call_and_what_became_of_it(played, tmp_path):
    shown = inside("replay", str(played.journal), "--trial", CALLED, "--step", "1", cwd=tmp_path).out
    assert "\nheld by the pre-call check, then not done: `/bin/discount basket-0829 8" in shown


@pytest.mark.parametrize(
    ("tasks", "settings", "says"),
    [(("crosslist",), {}, "the recorded model played no 'crosslist'"), ((), {"worlds": 2}, "leave out --worlds")],
)
def test_what_was_not_recorded_is_refused_before_the_run(tmp_path, tasks, settings, says):
    with pytest.raises(UsageError, match=says):
        controlplane.run("ecom", *tasks, model="recorded", runs_dir=str(tmp_path), **settings)
    assert not list(tmp_path.iterdir())


def test_a_recording_made_from_its_own_run_is_the_same(played, tmp_path, capsys):
    again = tmp_path / "recorded.toml"
    again.write_bytes(RECORDING.read_bytes())
    record([str(played.journal), str(again)], standalone_mode=False)
    assert again.read_bytes() == RECORDING.read_bytes()
    assert capsys.readouterr().out == "18 tasks, 34 replies, mean score 0.889\n"
    text = RECORDING.read_text()
    again.write_text(text.replace('"open-branches.1" = 0.0', '"open-branches.1" = 1.0').replace("tomorrow", "then"))
    record([str(played.journal), str(again)], standalone_mode=False)
    assert capsys.readouterr().out.splitlines()[:2] == [
        "calendar-date.1: other replies, score 1.0",
        "open-branches.1: 1.0 -> 0.0",
    ]


def test_the_first_run_ends_with_one_screen(tmp_path):
    settings = {"CONTROLPLANE_RUNS_DIR": str(tmp_path), "CONTROLPLANE_CALLED_AS": "./start", "COLUMNS": "80"}
    lines = python("-m", "controlplane.first_run", **settings).out.splitlines()
    assert len(lines) <= 23
    assert max(map(len, lines)) <= 80
    assert "mean score 0.889 with gates that check each answer and call; without them 0.778" in lines
    assert sum(line.count(".00 ") for line in lines[1:7]) == len(RECORDED.scores)
    mended = lines.index(f"{MENDED} answered <COUNT:5>, which was sent back:")
    assert lines[mended + 1].startswith("  gate 4 (citations were read): ")
    assert lines[mended + 4] == "  score 1.00; without gates the first answer goes out: 0.00"
    held = next(at for at, line in enumerate(lines) if line.startswith(f"{CALLED}: a call was held: /bin/discount "))
    assert lines[held + 2] == "  then: not done; score 1.00; without gates the call is sent: 0.00"
    assert sum(" failed (0.00): expected outcome" in line for line in lines) == 2
    assert [line.partition("# ")[2] for line in lines[-3:]] == [
        "why",
        "your own model: docs/models.md",
        "your own task: docs/benchmarks.md",
    ]
    assert len(list(tmp_path.glob("*.jsonl"))) == 1
    readme = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert [line for line in lines if line not in readme] == [lines[-3]]  # it names the run
