import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from benchmarks.ecom import ecom_benchmark
from benchmarks.ecom.tasks.grader import Grade, grade
from controlplane import open_journal
from tests.support.command import ROOT, Result, Type, check_line, controlplane, inside
from tests.support.strict_rule_set import NAME as STRICT
from tests.support.terminal import CTRL_C, LEFT, RIGHT, Terminal


def walk(recorded: tuple[Path, Result], columns: int = 80, rows: int = 24, trial: str = "seat-005") -> Terminal:
    return Terminal("replay", "first", "--trial", trial, cwd=recorded[0], columns=columns, rows=rows)


def test_each_key_prints_the_page_that_it_names(recorded: tuple[Path, Result]) -> None:
    with walk(recorded, rows=60) as terminal:
        terminal.wait_for("seat-005 · initial prompt · score 0.00 · trial 1 of 25, worst first\nHow many are there")
        for keys, shown in (
            ("n", r"step 1 of 3 · score 0.00 · trial 1 of 25, worst first\ncount\n  1. count\n  2. answer\n── code"),
            ("p", "initial prompt"),
            ("\r", r"→ count\(\).*\n── output ─+\n  counted 7\n── scratchpad ─+\n  \+ n = \"7\""),
            (
                RIGHT,
                r"step 2 of 3[\s\S]*gates ✓ · · · · ✓ - ·  sent back OUTCOME_OK\n  ✗ gate 6 \(wording\)",
            ),
            (LEFT, "step 1 of 3"),
            ("r", "step 2 of 3"),
            (" ", r"step 3 of 3[\s\S]*~ answer: \"OUTCOME_OK\"\n +→ \"7\""),
            ("r", "no further rejection in this trial"),
            ("n", "the end .*score 0.00"),
            ("n", "this is the end; t: the next trial"),
            ("t", "seat-010 · initial prompt .* trial 2 of 25"),
            ("p", "this is the beginning"),
        ):
            terminal.wait_for(r"q quit\s*$")
            terminal.screen.reset()
            terminal.press(keys, shown)
        terminal.type("q")
        assert terminal.finish() == 0
        assert terminal.is_as_before


@pytest.mark.parametrize("key", [CTRL_C, "q"])
def test_the_terminal_is_given_back_whatever_ends_the_walk(key: str, recorded: tuple[Path, Result]) -> None:
    with walk(recorded) as terminal:
        terminal.wait_for("q quit")
        terminal.type(key)
        assert terminal.finish() == (130 if key == CTRL_C else 0)
        assert terminal.is_as_before


def test_through_a_pipe_the_whole_trial_is_printed_uncut(recorded: tuple[Path, Result]) -> None:
    done = inside("replay", "last", "--trial", "seat-005", cwd=recorded[0])
    assert (done.code, done.err) == (0, "")
    assert re.findall(r"^── (initial prompt|step \d|the end)", done.out, re.MULTILINE) == [
        "initial prompt",
        "step 1",
        "step 2",
        "step 3",
        "the end",
    ]
    assert "You solve one task" in done.out
    assert '\n  scratchpad["answer"], scratchpad["outcome"] = scratchpad["n"], "OUTCOME_OK"\n' in done.out
    assert "\n    number: 7\n" in done.out
    assert max(map(len, done.out.splitlines())) > 100  # lines are not wrapped
    assert "grader: expected 8" in done.out
    assert "\x1b" not in done.out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--trial", "seat-005", "--step", "2"), 0, "sent back OUTCOME_OK"),
        (("--trial", "seat-005", "--step", "0"), 0, "system prompt"),
        (("--trial", "seat-005", "--step", "9"), 2, "has no step 9; it has steps 1 to 3"),
        (("--trial", "seat-0"), 2, "fits several trials"),
        (("--trial", "nobody"), 2, "no trial 'nobody'"),
        (("--step", "2"), 2, "--step needs --trial"),
        ((), 0, "seat-025"),
        (("--verify",), 0, "25 trials, 75 steps: everything is as recorded"),
    ],
)
def test_each_option_prints_its_part(
    arguments: tuple[str, ...], code: int, said: str, recorded: tuple[Path, Result]
) -> None:
    done = inside("replay", "first", *arguments, cwd=recorded[0])
    assert done.code == code
    assert said in done.out + done.err


def test_a_trial_and_a_step_can_be_had_as_json(recorded: tuple[Path, Result]) -> None:
    trial = inside("replay", "first", "--trial", "seat-005", "--json", cwd=recorded[0]).json
    assert (trial["task_id"], trial["score"], len(trial["steps"])) == ("seat-005", 0.0, 3)
    step = inside("replay", "first", "--trial", "seat-005", "--step", "2", "--json", cwd=recorded[0]).json
    assert step == trial["steps"][1]
    initial_prompt = inside("replay", "first", "--trial", "seat-005", "--step", "0", "--json", cwd=recorded[0]).json
    assert initial_prompt["type"] == "conversation_opened"


def test_a_trial_that_was_cut_off_in_a_step_shows_what_is_known_of_it(
    recorded: tuple[Path, Result], tmp_path: Path
) -> None:
    lines = next((recorded[0] / "runs").glob("*.jsonl")).read_bytes().splitlines(keepends=True)
    steps = [at for at, each in enumerate(lines) if json.loads(each)["type"] == "step"]
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(lines[: steps[0]]))
    trial = json.loads(lines[steps[0]])["trial_id"]
    done = inside("replay", cut, "--trial", trial, cwd=tmp_path)
    assert done.code == 0
    assert "harness.count()" in done.out
    assert "the journal breaks off here" in done.out


PLAYED = ("run", "calendar-date.1", "--model", f"scripted:{ROOT}/docs/examples/rejection.toml", "--quiet")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of the same replies: with gates the second answer counts, which is right; without, the first."""
    folder = tmp_path_factory.mktemp("judged")
    inside(*PLAYED, cwd=folder)
    (path,) = (folder / "runs").glob("*.jsonl")
    path.rename(folder / "runs/gated.jsonl")
    inside(*PLAYED, "--gates", "none", "--rule-sets", "none", cwd=folder)
    next(each for each in (folder / "runs").glob("2*.jsonl")).rename(folder / "runs/free.jsonl")
    return folder / "runs"


def effects(result: Result) -> list[tuple[str, float | None]]:
    found: list[dict[str, Any]] = result.json["submissions"]
    return [(one["effect"], one["score"]) for one in found]


@pytest.mark.parametrize(
    ("run", "options", "expected"),
    [
        ("free", ("--json",), [("stopped", 0.0)]),
        ("free", ("--json", "--gates", "none"), [("as before", 0.0)]),
        ("gated", ("--json", "--rule-sets", STRICT), [("other verdicts", None), ("stopped", 1.0)]),
        ("gated", ("--json", "--gates", "none", "--rule-sets", STRICT), [("other verdicts", None), ("stopped", 1.0)]),
        (
            "gated",
            ("--json", "--gates", "2", "--rule-sets", "benchmarks.shop.rule_set:RULE_SET"),
            [("let through", None), ("as before", 1.0)],
        ),
    ],
)
def test_a_stopped_answer_stands_with_its_score(
    run: str, options: tuple[str, ...], expected: list[tuple[str, float | None]], folder: Path, type_in: Type
) -> None:
    assert effects(type_in("judge", str(folder / f"{run}.jsonl"), *options)) == expected


def test_a_folder_is_judged_whole_and_its_sums_tell_right_from_wrong(folder: Path, type_in: Type) -> None:
    found = type_in("judge", str(folder), "--rule-sets", STRICT)
    assert "3 submissions of 2 trials in 2 runs judged: 2 stopped (1 right, 1 wrong)" in found.out
    row = next(line.split() for line in found.out.splitlines() if line.startswith("strict/no-2027 "))
    assert row == ["strict/no-2027", "1", "1", "0", "0"]
    table = type_in("judge", str(folder), "--rule-sets", STRICT, "--json").json["gates"]
    assert {each["name"]: (each["stops_right"], each["stops_wrong"]) for each in table}["strict/no-2027"] == (1, 1)


def test_an_unreadable_journal_of_a_folder_is_named_and_left_out(folder: Path, tmp_path: Path, type_in: Type) -> None:
    mixed = tmp_path / "mixed"
    shutil.copytree(folder, mixed)
    damaged = (mixed / "free.jsonl").read_bytes().replace(b"In a week", b"In a wxxk")
    (mixed / "free.jsonl").write_bytes(damaged)
    found = type_in("judge", str(mixed))
    assert found.code == 5
    assert "left out: " in found.err
    assert "2 as before" in found.out
    assert type_in("judge", str(mixed / "free.jsonl")).code == 5


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run with a refund, which changes files, and a look-up."""
    folder = tmp_path_factory.mktemp("played")
    return (
        folder
        / controlplane(
            "run", "refund-approval.1", "calendar-date.1", "--set", "wordings=known", "--json", cwd=folder
        ).json["journal"]
    )


def test_the_same_grader_gives_the_same_scores(played: Path, type_in: Type) -> None:
    found = type_in("judge", "--grader", str(played), "--json").json
    assert [trial["before"] for trial in found["trials"]] == [trial["after"] for trial in found["trials"]]
    assert [trial["problem"] for trial in found["trials"]] == ["", ""]
    assert "2 trials graded again, 0 changed" in type_in("judge", "--grader", str(played)).out
    records = [trial.record for trial in open_journal(played).trials.values()]
    calls = [call for record in records for step in record.steps for call in step.calls]
    assert calls, "the refund made no call, so this test shows nothing"


def test_another_grader_is_asked_about_the_same_answers(
    played: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stricter(truth: object, environment: object) -> Grade:
        graded.append(grade(truth, environment))
        return graded[-1] if len(graded) > 1 else Grade(0.25, ("too short",))

    graded: list[Grade] = []
    monkeypatch.setattr(ecom_benchmark, "grade", stricter)
    before = played.read_bytes()
    found = type_in("judge", "--grader", str(played))
    assert "1 changed" in found.out
    assert "too short" in found.out
    assert re.search(r"mean score \d\.\d+ before, \d\.\d+ after", found.out)
    assert played.read_bytes() == before


def test_runs_whose_worlds_cannot_be_rebuilt_are_refused(recorded: tuple[Path, Result], type_in: Type) -> None:
    check_line(
        type_in("judge", "--grader", str(next((recorded[0] / "runs").glob("*.jsonl")))),
        2,
        "cannot rebuild the end state",
    )
    check_line(type_in("judge", "--grader", str(ROOT / "runs/sample.jsonl"), "--trust"), 2, "cannot be graded again")
