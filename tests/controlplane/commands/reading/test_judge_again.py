"""`judge` as typed: what today's gates stop and let through, of one journal and of a folder."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import ROOT, Result, Type, check_line, controlplane
from tests.support.strict_pack import NAME as STRICT

PLAYED = ("run", "calendar-date.1", "--model", f"scripted:{ROOT}/docs/examples/rejection.toml", "--quiet")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of the same replies: with gates the second answer counts, which is right; without, the first."""
    folder = tmp_path_factory.mktemp("judged")
    controlplane(*PLAYED, cwd=folder)
    (path,) = (folder / "runs").glob("*.jsonl")
    path.rename(folder / "runs/gated.jsonl")
    controlplane(*PLAYED, "--gates", "none", "--rules", "none", cwd=folder)
    next(each for each in (folder / "runs").glob("2*.jsonl")).rename(folder / "runs/free.jsonl")
    return folder / "runs"


def effects(result: Result) -> list[tuple[str, float | None]]:
    found: list[dict[str, Any]] = result.json["submissions"]
    return [(each["effect"], each["score"]) for each in found]


def test_the_gates_of_the_run_change_nothing(folder: Path, type_in: Type) -> None:
    before = (folder / "gated.jsonl").read_bytes()
    found = type_in("judge", str(folder / "gated.jsonl"))
    assert found.out.splitlines() == ["2 submissions of 1 trial in 1 run judged: 2 as before"]
    assert found.code == 0
    assert (folder / "gated.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("run", "options", "expected"),
    [
        ("free", ("--json",), [("stopped", 0.0)]),
        ("free", ("--json", "--gates", "none"), [("as before", 0.0)]),
        ("gated", ("--json", "--rules", STRICT), [("other verdicts", None), ("stopped", 1.0)]),
        ("gated", ("--json", "--gates", "none", "--rules", STRICT), [("other verdicts", None), ("stopped", 1.0)]),
        (
            "gated",
            ("--json", "--gates", "2", "--rules", "benchmarks.shop:PACK"),
            [("let through", None), ("as before", 1.0)],
        ),
    ],
)
def test_what_is_stopped_stands_with_the_score_of_that_answer(
    run: str, options: tuple[str, ...], expected: list[tuple[str, float | None]], folder: Path, type_in: Type
) -> None:
    assert effects(type_in("judge", str(folder / f"{run}.jsonl"), *options)) == expected


def test_a_run_with_rules_can_be_judged_without_them(folder: Path, type_in: Type) -> None:
    words = ("judge", str(folder / "gated.jsonl"), "--rules")
    for packs in ("none", "ecom", "ecom=off"):
        assert [each["changes"] for each in type_in(*words, packs, "--json").json["submissions"]] == [[], []]


def test_a_folder_is_judged_whole_and_its_sums_tell_right_from_wrong(folder: Path, type_in: Type) -> None:
    found = type_in("judge", str(folder), "--rules", STRICT)
    assert "3 submissions of 2 trials in 2 runs judged: 2 now stopped (1 right, 1 wrong)" in found.out
    row = next(line.split() for line in found.out.splitlines() if line.startswith("strict/no-2027 "))
    assert row == ["strict/no-2027", "1", "1", "0", "0"]
    table = type_in("judge", str(folder), "--rules", STRICT, "--json").json["gates"]
    assert {each["name"]: (each["stops_right"], each["stops_wrong"]) for each in table}["strict/no-2027"] == (1, 1)


def test_side_by_side_shows_what_was_said_then_and_what_is_said_now(folder: Path, type_in: Type) -> None:
    found = type_in("judge", str(folder / "gated.jsonl"), "--rules", STRICT, "--side-by-side").out
    assert "strict/no-2027" in found
    assert "absent" in found
    assert "No answer names that year." in found


def test_an_answer_whose_verify_was_never_asked_is_let_through_without_it(folder: Path, type_in: Type) -> None:
    found = type_in("judge", str(folder / "gated.jsonl"), "--gates", "2", "--rules", STRICT, "--json").json
    assert found["submissions"][0]["rejected_before"][0] == "4 citations were read"
    free = type_in("judge", str(folder / "gated.jsonl"), "--gates", "none", "--rules", "none", "--json")
    assert effects(free) == [("let through", None), ("as before", 1.0)]


def test_what_cannot_be_read_in_a_folder_is_named_and_left_out(folder: Path, tmp_path: Path, type_in: Type) -> None:
    mixed = tmp_path / "mixed"
    shutil.copytree(folder, mixed)
    damaged = (mixed / "free.jsonl").read_bytes().replace(b"In a week", b"In a wxxk")
    (mixed / "free.jsonl").write_bytes(damaged)
    found = type_in("judge", str(mixed))
    assert found.code == 5
    assert "left out: " in found.err
    assert "2 as before" in found.out
    assert type_in("judge", str(mixed / "free.jsonl")).code == 5


def test_wrong_words_are_told(folder: Path, tmp_path: Path, type_in: Type) -> None:
    (tmp_path / "empty").mkdir()
    check_line(type_in("judge", str(tmp_path / "empty")), 2, "no journals in")
    check_line(type_in("judge", str(folder), "--gates", "9"), 2, "--gates: '9' is not a gate")
    check_line(type_in("judge", str(folder), "--rules", "nosuch"), 2, "no rule pack is called 'nosuch'")
