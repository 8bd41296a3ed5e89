"""`compare` as typed: its text, its JSON, its exit codes, its JUnit file."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.command import ROOT, Type, check_line
from tests.support.in_process_command import inside
from tests.support.scored_journal import Scores, scored_journal

GOOD: Scores = {f"t{at}": [1.0] for at in range(8)}
BAD: Scores = {f"t{at}": [0.0] for at in range(8)}


@pytest.fixture(autouse=True)
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    scored_journal(folder / "good.jsonl", GOOD)
    scored_journal(folder / "bad.jsonl", BAD)
    scored_journal(folder / "near.jsonl", {**GOOD, "t0": [0.0]})
    scored_journal(folder / "lost.jsonl", {**GOOD, "t0": []})
    scored_journal(folder / "sealed.jsonl", {task: [None] for task in GOOD})
    scored_journal(folder / "mended.jsonl", {"t0": [1.0]}, parent="near")
    scored_journal(folder / "often.jsonl", {"t0": [1.0, 0.0], "t1": [1.0, 1.0]})
    return folder


@pytest.mark.parametrize(
    ("first", "second", "code", "says"),
    [
        ("good", "bad", 1, "the second run is worse"),
        ("bad", "good", 0, "the second run is better"),
        ("good", "near", 0, "no difference shown; fewer than 6 tasks changed; about 48 tasks would do$"),
        ("good", "good", 0, "no difference shown$"),
        ("good", "near+mended", 0, "0 better, 0 worse, 8 equal"),
        ("good", "sealed", 1, "scores are sealed: 8 of 8 pairs have the same outcome, 8 also the same answer"),
        ("often", "often", 0, "tries differ: t0"),
        ("often", "often", 0, r"pass@2 1.000 .* pass\^2 0.500"),
    ],
)
def test_it_says_what_it_shows_and_ends_accordingly(
    first: str, second: str, code: int, says: str, type_in: Type
) -> None:
    found = type_in("compare", first, second, "--fail-if-worse")
    assert re.search(says, found.out, re.MULTILINE), found.out
    assert found.code == code
    assert type_in("compare", first, second).code == 0


def test_the_json_object_has_the_documented_fields(type_in: Type) -> None:
    found = type_in("compare", "good", "near", "--json").json
    page = (
        (ROOT / "docs/commands.md").read_text(encoding="utf-8").partition("### Comparisons")[2].partition("\n### ")[0]
    )
    documented = {
        name for row in re.findall(r"^\| (`[^|]*) \|", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }
    assert documented == set(found)


def test_every_task_is_a_case_of_the_junit_file(type_in: Type, tmp_path: Path) -> None:
    type_in("compare", "good", "near", "--junit", "out/result.xml")
    root = ElementTree.parse(tmp_path / "out/result.xml").getroot()
    failed = [case.get("name") for case in root if case.find("failure") is not None]
    assert (root.get("tests"), root.get("failures"), failed) == ("8", "1", ["t0"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("good", "none"), "no run 'none'"),
        (("good", "near+bad"), "bad is not a rerun of near"),
        (("good", "near+"), "no run 'near+'"),
        (("good", "bad", "--junit", "runs"), "cannot write runs"),
    ],
)
def test_runs_that_cannot_be_compared_are_one_line(words: tuple[str, ...], says: str, type_in: Type) -> None:
    check_line(type_in("compare", *words), 2, says)


def test_a_hint_that_was_edited_between_two_runs_is_a_difference(tmp_path: Path) -> None:
    for name in ("before", "after"):
        (tmp_path / "hint.md").write_text(f"This is {name}.")
        words = ("run", "calendar-date.1", "--hints", "hint.md", "--name", name)
        assert inside(*words, cwd=tmp_path).code == 0
    found = inside("compare", "before", "after", cwd=tmp_path)
    assert re.search(r"^settings prompt texts '[0-9a-f]+' → '[0-9a-f]+'$", found.out, re.MULTILINE), found.out
