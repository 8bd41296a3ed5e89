import shlex
from pathlib import Path

import pytest

from controlplane.journal.journal_content import Journal, open_journal
from controlplane.view.walker import ALL, Walk, key_line
from tests.support.command import Result, command
from tests.support.terminal import Terminal


@pytest.mark.parametrize("width", [30, 60, 80, 120])
@pytest.mark.parametrize("says", ["", "no further rejection in this trial", "there is no step 9999 in this trial"])
def test_what_is_said_pushes_out_keys_but_never_the_ways_to_help_and_out(says: str, width: int) -> None:
    line = key_line(says, width, is_folded=True)
    assert line.cell_len < width
    assert line.plain.endswith("? keys  q quit")
    assert ("scroll" in line.plain) == (width == 120)
    if width > 60:
        assert line.plain.startswith(says)


@pytest.fixture(scope="module")
def content(recorded: tuple[Path, Result]) -> Journal:
    return open_journal(next((recorded[0] / "runs").glob("*.jsonl")))


def begun(content: Journal) -> Walk:
    trial_ids = [each.trial_id for each in content.summary.worst_first]
    return Walk(content, trial_ids, trial_ids[0])


@pytest.mark.parametrize(
    ("keys", "title", "said"),
    [
        ([], "turn one", ""),
        (["right"], "step 1", ""),
        (["n", "enter"], "step 2", ""),
        (["n", " ", "p"], "step 1", ""),
        (["n", "n", "left", "backspace"], "turn one", ""),
        (["n", "n", "n", "n"], "the end", ""),
        (["n", "n", "n", "n", "n"], "the end", "this is the end; t goes to the next trial"),
        (["p"], "turn one", "this is the beginning"),
        (["g", "3", "enter"], "step 3", ""),
        (["n", "g", "0", "enter"], "turn one", ""),
        (["g", "2", "escape"], "turn one", ""),
        (["g", "enter"], "turn one", ""),
        (["g", "e"], "the end", ""),
        (["g", "2", "e", "n"], "step 1", ""),
        (["g", "2", "x", "n"], "step 1", ""),
        (["g", "4", "backspace", "3", "enter"], "step 3", ""),
        (["g", "9", "9", "9", "9", "9", "enter"], "turn one", "there is no step 9999 in this trial"),
        (["g", "\u00b2", "enter", "n"], "step 2", ""),
        (["r"], "step 2", ""),
        (["r", "r"], "step 2", "no further rejection in this trial"),
        (["x", "tab", "unknown"], "turn one", ""),
        (["?", "n"], "turn one", ""),
        (["?", "q", "n"], "step 1", ""),
    ],
)
def test_keys_lead_to_pages(keys: list[str], title: str, said: str, content: Journal) -> None:
    walk = begun(content)
    for each in keys:
        walk.press(each, lines=10, window=20)
    assert (walk.page.title, walk.message, walk.is_over) == (title, said, False)


def test_trials_follow_each_other_worst_first_and_stop_at_both_ends(content: Journal) -> None:
    walk = begun(content)
    walk.press("T", lines=10, window=20)
    assert walk.message == "this is the first trial"
    walk.press("n", lines=10, window=20)
    tasks = [content.summary.trials[walk.trial_id].task_id]
    while True:
        walk.press("t", lines=10, window=20)
        if walk.message:
            break
        tasks.append(content.summary.trials[walk.trial_id].task_id)
        assert walk.page.title == "turn one"
    assert walk.message == "this is the last trial"
    for key in "gen":
        walk.press(key, lines=10, window=20)
    assert walk.message == "this is the end of the last trial"
    assert tasks[:6] == ["seat-005", "seat-010", "seat-015", "seat-020", "seat-025", "seat-001"]
    assert len(set(tasks)) == len(tasks) == 25


@pytest.mark.parametrize(
    ("keys", "top"),
    [
        (["down", "j"], 2),
        (["up"], 0),
        (["down", "up", "k"], 0),
        (["page down"], 9),
        (["page down", "page down", "page down"], 15),
        (["end"], 15),
        (["end", "page up"], 6),
        (["end", "home"], 0),
        ([" "], 9),
        (["end", "f"], 0),
        (["end", "n"], 0),
    ],
)
def test_long_pages_scroll_within_their_bounds(keys: list[str], top: int, content: Journal) -> None:
    walk = begun(content)
    for each in keys:
        walk.press(each, lines=25, window=10)
    assert walk.top == top


def test_a_blank_goes_down_a_long_page_and_then_to_the_next(content: Journal) -> None:
    walk = begun(content)
    seen = []
    for _ in range(3):
        walk.press(" ", lines=25, window=10)
        seen.append((walk.page.title, walk.top))
    assert seen == [("turn one", 9), ("turn one", 15), ("step 1", 0)]


def test_every_key_is_listed_uncut_in_narrow_and_wide_windows(recorded: tuple[Path, Result]) -> None:
    with Terminal("replay", "first", "--trial", "seat-005", cwd=recorded[0], columns=60) as terminal:
        for columns in (60, 80, 120):
            terminal.resize(columns, 24)
            terminal.wait_for(rf"^[^\n]*\n─[^\n]{{{columns - 1}}}\n")
            shown = terminal.press("?", "any key goes back")
            assert all(f"  {meaning}" in shown for _, meaning in ALL)
            assert "…" not in "\n".join(terminal.lines[2:])
            terminal.press("?", r"\? keys  q quit")
            assert terminal.lines[2] == "How many are there? Number only."


def test_a_walk_that_comes_back_to_the_foreground_is_drawn_anew(recorded: tuple[Path, Result]) -> None:
    walking = shlex.join(command(("replay", "first", "--trial", "seat-005")))
    shell = ("bash", "--norc", "-c", f"set -m; {walking}; clear; echo stopped; read go; fg")
    with Terminal(cwd=recorded[0], argv=shell) as terminal:
        terminal.wait_for(r"\? keys  q quit")
        terminal.press("\x1a", "stopped")
        assert "keys" not in terminal.text
        terminal.type("\r")
        terminal.wait_for(r"How many are there\? Number only\.\n(.*\n)*.*\? keys  q quit")
        terminal.type("q")
        assert terminal.finish() == 0
        assert terminal.is_as_before
