"""`runs` lists journals quickly, broken ones too, and RUN accepts every name in the list."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.support.command import Result, check_line, inside, write_config


@pytest.fixture
def shelf(recorded: tuple[Path, Result], tmp_path: Path) -> Path:
    """Journals of every kind: killed, torn, damaged, foreign, empty, finished."""
    whole = next((recorded[0] / "runs").glob("*.jsonl")).read_bytes().splitlines(keepends=True)
    runs = tmp_path / "runs"
    runs.mkdir()
    types = [json.loads(each)["type"] for each in whole]
    first_end, step = types.index("trial_ended"), types.index("step")
    changed = whole[step].replace(b'"done":', b'"dont":')
    kinds = {
        "killed": whole[: first_end + 1],
        "torn": [*whole[:first_end], whole[first_end][:100]],
        "damaged": [*whole[:step], changed, *whole[step + 1 :]],
        "foreign": [b"hello\n"],
        "empty": [],
        "whole": whole,
    }
    for day, (name, lines) in enumerate(kinds.items(), start=1):
        (runs / f"2026010{day}-120000-{name}.jsonl").write_bytes(b"".join(lines))
    return tmp_path


def test_each_journal_is_a_line_newest_first_within_80_columns(shelf: Path) -> None:
    done = inside("runs", cwd=shelf, COLUMNS="80")
    assert done.code == 0
    lines = [line.rstrip() for line in done.out.splitlines()]
    assert lines[0].split() == ["run", "benchmark", "model", "trials", "score", "age", "ended"]
    assert max(map(len, lines)) <= 80
    # Several runs have the same name, so the list shows another.
    assert [line.split()[0] for line in lines[1:]] == [f"2026010{day}-120000" for day in range(6, 0, -1)]
    assert [re.split(r"  +", line)[-1] for line in lines[1:]] == [
        "finished",
        "no journal",
        "no journal",
        "damaged",
        "cut off",
        "cut off",
    ]
    assert re.search(r"25 +0.800", lines[1])
    assert re.search(r" 1/25 ", lines[6])
    assert re.search(r"damaged at line \d+", done.err)
    assert done.err.count("is not a journal") == 2


def test_of_many_journals_the_newest_are_listed_and_the_rest_is_counted(
    recorded: tuple[Path, Result], tmp_path: Path
) -> None:
    source = next((recorded[0] / "runs").glob("*.jsonl"))
    (tmp_path / "runs").mkdir()
    for number in range(25):
        shutil.copy(source, tmp_path / "runs" / f"20260101-{number:06}-crowd.jsonl")
    done = inside("runs", cwd=tmp_path)
    assert len(done.out.splitlines()) == 22
    assert re.search(r"and 5 older: .* runs --all$", done.out.strip())
    assert len(inside("runs", "--all", cwd=tmp_path).out.splitlines()) == 26


def test_a_run_is_found_by_its_name_a_beginning_of_its_id_or_last(recorded: tuple[Path, Result]) -> None:
    for word in ("last", "first", "2"):
        assert inside("show", word, "--json", cwd=recorded[0]).json["name"] == "first"
    check_line(inside("show", "frist", cwd=recorded[0]), 2, "did you mean 'first'?")


def test_a_broken_configuration_is_met_only_where_it_is_asked_for_the_folder(
    recorded: tuple[Path, Result], tmp_path: Path
) -> None:
    journal = next((recorded[0] / "runs").glob("*.jsonl"))
    for text, says in (("[run]\nruns_dir = 3\n", "runs_dir"), ("[run\n", "is not TOML")):
        write_config(tmp_path / "controlplane.toml", text)
        for command in (("runs",), ("show", "last")):
            done = inside(*command, cwd=tmp_path)
            assert done.code == 2
            assert says in done.err
        assert f" replay {journal} " in inside("show", journal, cwd=tmp_path).out
        assert inside("runs", "--runs-dir", journal.parent, cwd=tmp_path).code == 0
