"""What is shown of a run while it plays, and the report
of a stopped one: open trials, and those left out by kind."""

import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import ConsoleDimensions

from controlplane.agent.events import (
    CallEvent,
    CallOutput,
    CallRecord,
    ModelAsked,
    ModelReplied,
    Noticed,
    StepDone,
    TrialStarted,
)
from controlplane.agent.model import Usage
from controlplane.journal.run_events import (
    AllottedTrial,
    RunStarted,
    Scored,
    TrialEnded,
    TrialLeftOpen,
)
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.run_trials import RunTrials
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.view.junit import cases_of_run, write_junit
from controlplane.view.progress.live_display import picture
from controlplane.view.progress.new_notices import NewCauses, NewNotices
from controlplane.view.progress.run_phase import RunPhase
from controlplane.view.tables.run_table import print_run_table
from controlplane.view.trial_pages.page import Page
from controlplane.view.trial_pages.page_text import print_page
from controlplane.view.trial_pages.step_parts import step_parts
from tests.support.command import CommandRunner, run_in_process
from tests.support.scored_journal import RUN_OPENED
from tests.support.terminal import CTRL_C, Terminal

NOW = 1_800_000_000_000
LONG = [f"some-long-task-family.{at}" for at in range(100)]


def begun(names: Sequence[str], running: int = 0) -> RunSummary:
    """Return a run of trials of these names, the first of which are `running`."""
    summary = RunSummary()
    fold_event(
        summary, RUN_OPENED.model_copy(update={"run": "r" * 50, "model": "m" * 60})
    )
    heads = tuple(AllottedTrial(trial_id=name, task_id=name) for name in names)
    fold_event(summary, RunStarted(run_id="x", trials=heads, at_ms=NOW))
    for name in names[:running]:
        start(summary, name)
    return summary


def start(summary: RunSummary, name: str) -> None:
    at = {"trial_id": name, "task_id": name, "now": "2026-01-01", "at_ms": NOW}
    fold_event(summary, TrialStarted(**at, instruction="do", tool_schema=""))


def end(summary: RunSummary, name: str, score: float | None) -> None:
    fold_event(summary, TrialEnded(trial_id=name, how="answered", elapsed_ms=10_000))
    fold_event(summary, Scored(trial_id=name, score=score))


def drawn(summary: RunSummary, *, width: int = 80) -> list[str]:
    lines = picture(summary, RunPhase.WORKING, NOW + 5000, ConsoleDimensions(width, 24))
    return [line.plain for line in lines]


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("height", [3, 10, 24, 60])
@pytest.mark.parametrize("running", [0, 1, 50])
def test_it_never_is_wider_or_higher_than_its_window(
    width: int, height: int, running: int
) -> None:
    summary = begun(LONG, running)
    for name in LONG[:running]:
        path = "/a/very/long/path/漢字" * 9
        fold_event(
            summary,
            CallEvent(
                trial_id=name,
                step=1,
                number=0,
                operation="read",
                arguments={"path": path},
                state="under_way",
            ),
        )
    fold_event(
        summary, Noticed(trial_id=LONG[0], text="the model is away\n" * 20, retry=True)
    )
    for phase in RunPhase:
        lines = picture(summary, phase, NOW, ConsoleDimensions(width, height))
        assert len(lines) < height
        assert all(line.cell_len < width and "\n" not in line.plain for line in lines)
        assert lines[-1].cell_len + len("^C") < width


@pytest.mark.parametrize(
    ("causes", "shown_lines", "last_line"),
    [
        (3, 3, "notice: server 2 is away"),
        (4, 4, "notice: 1 more cause"),
        (5, 4, "notice: 2 more causes"),
    ],
)
def test_three_causes_of_notices_are_shown_and_the_rest_is_counted(
    causes: int, shown_lines: int, last_line: str
) -> None:
    summary = begun(LONG[:1])
    for number in range(causes):
        text = f"server {number} is away"
        fold_event(summary, Noticed(trial_id=LONG[0], text=text))
    lines = NewCauses(NewNotices(0)).lines(summary)

    assert len(lines) == shown_lines
    assert lines[-1] == last_line


def test_it_tells_progress_score_tokens_cost_retries_and_rejections() -> None:
    summary = begun(LONG[:10], 4)
    fold_event(summary, ModelAsked(trial_id=LONG[0], step=3, messages=2))
    usage = Usage(prompt_tokens=40_000, completion_tokens=5_200)
    fold_event(
        summary,
        ModelReplied(trial_id=LONG[0], step=3, reply="", usage=usage, cost_usd=0.25),
    )
    fold_event(
        summary,
        Noticed(trial_id=LONG[1], text="HTTP 503; asking again in 1.0 s", retry=True),
    )
    summary.rejections = Counter({"4": 2, "8": 1, "ecom/checklist": 3})
    end(summary, LONG[2], 0.5)
    text = "\n".join(drawn(summary))
    for part in (
        "1 of 10",
        "0:05",
        "left",
        "mean score 0.500",
        "3 running",
        "45.2k tokens",
        "$0.2500",
        "1 retry",
    ):
        assert part in text

    assert (
        "sent back by gate 4 (citations were read) ×2, gate 8 (literal tokens) ×"
        in text
    )
    assert "step  3   0:05  running" in text
    assert "asking again in 1.0 s" in text


def test_it_shows_the_last_line_that_a_running_call_printed() -> None:
    summary = begun(LONG[:1], 1)
    fold_event(summary, CallOutput(trial_id=LONG[0], text="configuring\nCC main.o\n"))

    assert "CC main.o" in "\n".join(drawn(summary))

    fold_event(summary, CallOutput(trial_id=LONG[0], text=""))
    assert "CC main.o" not in "\n".join(drawn(summary))


CROWD = "tests.support.many_trials"


def arguments(script: Path, trials: int, seconds: float, *more: str) -> Sequence[str]:
    model = f"scripted:{script}"
    return (
        "run",
        "--benchmark",
        f"{CROWD}:{trials}",
        "--model",
        model,
        "--set",
        f"seconds={seconds}",
        *more,
    )


def journal(folder: Path) -> list[dict[str, object]]:
    path = next((folder / "runs").glob("*.jsonl"))
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_run_shows_its_progress_and_leaves_nothing_of_it_behind(
    script: Path, tmp_path: Path
) -> None:
    with Terminal(
        *arguments(script, 12, 0.2, "--concurrency", "4", "--name", "seen"),
        cwd=tmp_path,
    ) as terminal:
        shown = terminal.wait_for(r"[1-9] of 12")
        for pattern in (
            rf"seen · {CROWD}:12 · scripted:crowd.toml",
            r"0:0\d",
            r"seat-\d+ +step +\d",
            "Ctrl-C: stop",
        ):
            assert re.search(pattern, shown), shown
        terminal.wait_for(r"mean score .*\n.*sent back by gate 6 \(wording\) ×\d+")
        assert terminal.screen.cursor.hidden
        assert terminal.finish() == 0
        assert terminal.is_as_before
        text = terminal.everything
        assert "Ctrl-C" not in text
        assert text.startswith("seen · tests.support.many_trials")
        rows = [line.split()[0] for line in terminal.lines if line.startswith("seat-")]
        assert rows == ["seat-005", "seat-010", "seat-001", "seat-002"]
        assert "mean score 0.833 over 12 of 12 trials" in text
        assert re.search(
            r"next .* replay ?\S+? ?--trial ?seat-005", text.replace("\n", "")
        )


@pytest.mark.parametrize(
    ("changes", "is_live", "is_coloured"),
    [
        ({}, True, True),
        ({"NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, False, False),
    ],
)
def test_no_color_and_dumb_terminals_are_honoured(
    changes: dict[str, str],
    is_live: bool,
    is_coloured: bool,
    script: Path,
    tmp_path: Path,
) -> None:
    with Terminal(*arguments(script, 4, 0.1), cwd=tmp_path, **changes) as terminal:
        assert terminal.finish() == 0
        assert (b"\x1b[?25l" in terminal.written) == is_live
        assert bool(re.search(rb"\x1b\[[\d;]*3\dm", terminal.written)) == is_coloured
        assert ("of 4 trials over after" in terminal.everything) == (not is_live)
        assert is_live or b"\x1b" not in terminal.written


def test_ctrl_c_leaves_trials_open_and_names_what_to_do(
    script: Path, tmp_path: Path
) -> None:
    with Terminal(
        *arguments(script, 6, 0.8, "--concurrency", "3"), cwd=tmp_path
    ) as terminal:
        terminal.wait_for(r"step +1 .* running")
        terminal.press(CTRL_C, "stopping after the running steps")
        assert terminal.finish() == 130
        assert terminal.is_as_before
        text = terminal.everything.replace("\n", "")
        assert re.search(r"resume 2\S+ .*submit 2\S+ --force", text)
        assert "3 not started" in text
        assert "Traceback" not in text
    types = [event["type"] for event in journal(tmp_path)]

    # Three of the six trials had started.
    assert types.count("step") == 3
    assert types.count("trial_left_open") == 3
    for type_of_an_end in ("run_submitted", "trial_ended", "score"):
        assert type_of_an_end not in types

    resumed = run_in_process("resume", "last", "--json", cwd=tmp_path)
    assert resumed.code == 0
    assert resumed.json["mean_score"] == pytest.approx(5 / 6)
    assert resumed.json["trials_over"] == 6
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0


def test_a_second_ctrl_c_ends_at_once_and_gives_the_terminal_back(
    script: Path, tmp_path: Path
) -> None:
    with Terminal(
        *arguments(script, 6, 30, "--concurrency", "3"), cwd=tmp_path
    ) as terminal:
        terminal.wait_for(r"step +1 .* running")
        terminal.press(CTRL_C, "stopping after the running steps")
        terminal.type(CTRL_C)
        assert terminal.finish(timeout_s=5) == 130
        assert terminal.is_as_before
        assert re.search(
            "stopped at once; .* resume ?2", terminal.everything.replace("\n", "")
        )

    assert run_in_process("runs", cwd=tmp_path).out.split()[-1] == "off"  # cut off


def test_a_run_whose_terminal_closes_is_left_to_be_resumed(
    script: Path, tmp_path: Path
) -> None:
    with Terminal(*arguments(script, 30, 0.4), cwd=tmp_path) as terminal:
        terminal.wait_for(r"step +1 .* running")
        terminal.hang_up()
        assert terminal.wait() == 130

    assert {
        name: journal(tmp_path)[-1][name] for name in ("type", "how", "exit_code")
    } == {
        "type": "run_closed",
        "how": "interrupted",
        "exit_code": 130,
    }
    assert run_in_process("resume", "last", "--quiet", cwd=tmp_path).code == 0


def test_the_result_goes_to_a_file_while_the_terminal_shows_the_run(
    script: Path, tmp_path: Path
) -> None:
    flags = " ".join(arguments(script, 6, 0.2, "--json"))
    launch = ("sh", "-c", f"{sys.executable} -m controlplane {flags} > result.json")
    with Terminal(cwd=tmp_path, argv=launch) as terminal:
        terminal.wait_for(r"seat-\d+ +step")
        assert terminal.finish() == 0
        assert not terminal.text.strip()

    assert json.loads((tmp_path / "result.json").read_text())["trials_over"] == 6


def stopped(
    right: int, half: int, left_open: int, waiting: int, *, sealed: int = 0
) -> RunSummary:
    """Return a stopped run with so many trials of each kind."""
    kinds = {
        "right": right,
        "half": half,
        "open": left_open,
        "sealed": sealed,
        "waiting": waiting,
    }
    names = [f"{kind}-{at}" for kind, count in kinds.items() for at in range(count)]
    summary = begun(names, len(names) - waiting)
    for name in names[: len(names) - waiting]:
        kind = name.partition("-")[0]
        if kind == "open":
            fold_event(summary, TrialLeftOpen(trial_id=name, reason="interrupted"))
        else:
            end(summary, name, {"right": 1.0, "half": 0.5}.get(kind))
    return summary


@pytest.mark.parametrize(
    ("summary", "shown", "said"),
    [
        (
            stopped(56, 0, 2, 162),
            ["open-0", "open-1"],
            "38 more trials, 162 not started",
        ),
        (stopped(20, 2, 0, 0), ["half-0", "half-1"], "2 more trials"),
        (
            stopped(0, 0, 2, 3, sealed=19),
            ["open-0", "open-1"],
            "1 more trial, 3 not started",
        ),
        (stopped(0, 0, 2, 3), ["open-0", "open-1"], "3 not started"),
    ],
)
def test_open_trials_are_shown_and_the_rest_is_counted(
    summary: RunSummary,
    shown: list[str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_run_table(summary, tmp_path / "id.jsonl")
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]

    assert [line.split()[0] for line in lines[2:] if not line.startswith(" ")][
        : len(shown)
    ] == shown
    assert said in lines


LEAF = {"name": "a", "is_dir": False, "children": []}


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        ({"name": "docs", "is_dir": True, "children": [LEAF]}, ["docs/", "  a"]),
        (
            {"name": "ada", "is_dir": True, "children": ["bob"]},
            ["name: ada", "is_dir: true", "children: bob"],
        ),
        (
            {"name": "ada", "is_dir": True, "children": None},
            ["name: ada", "is_dir: true", "children: null"],
        ),
        (
            {"paths": ["/a", "/b"], "truncated": False},
            ["paths:", "/a", "/b", "truncated: false"],
        ),
        ({"entries": [{"n": 1}, {"n": 2}]}, ["entries:", '{"n": 1}', '{"n": 2}']),
        ({"paths": []}, ["paths: []"]),
        ({}, ["(nothing)"]),
    ],
)
def test_a_result_of_a_call_is_shown_for_reading(
    result: dict[str, object], shown: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    call = CallRecord(operation="look", arguments={}, result=result, elapsed_ms=1)
    step = StepDone(trial_id="t", step=1, reply="", calls=(call,))
    print_page(Page("step 1", 1, tuple(step_parts(step, {})), "end"))
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    call_at = next(at for at, line in enumerate(lines) if "→ look()" in line)

    assert lines[call_at + 1 : -1] == [f"    {each}" for each in shown]


def test_trials_pass_fail_err_or_are_skipped(tmp_path: Path) -> None:
    hostile = "\x00\x1b[31m <b>&\ud800"
    trials = [
        TrialSummary("right", state="answered", score=1.0),
        TrialSummary("wrong", state="answered", score=0.5, details=(hostile,)),
        TrialSummary("sealed", state="answered"),
        TrialSummary("lost", state="fallback", score=0.0, reason="no steps left"),
        TrialSummary("never", state="failed", reason="refused"),
    ]
    path = tmp_path / "r.xml"
    write_junit(
        path,
        "run",
        cases_of_run(
            RunSummary(trials=RunTrials({trial.trial_id: trial for trial in trials}))
        ),
    )
    root = ElementTree.parse(path).getroot()
    kinds = {case.get("name"): [element.tag for element in case] for case in root}

    assert kinds == {
        "right": [],
        "wrong": ["failure"],
        "sealed": ["skipped"],
        "lost": ["error"],
        "never": ["error"],
    }
    assert [root.get(name) for name in ("tests", "failures", "errors", "skipped")] == [
        "5",
        "1",
        "2",
        "1",
    ]
    assert "score 0.500" in path.read_text(encoding="utf-8")


def test_run_writes_the_file_and_fails_under_a_score(
    script: Path, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    crowd = (
        "run",
        "--benchmark",
        "tests.support.many_trials:5",
        "--model",
        f"scripted:{script}",
        "--quiet",
    )

    assert run_command_here(*crowd, "--fail-under", "0.8").code == 0
    assert run_command_here(*crowd, "--fail-under", "nan").code == 1
    low = run_command_here(*crowd, "--fail-under", "0.9", "--junit", "r.xml")
    assert low.code == 1
    assert low.err == "--fail-under: the mean score 0.800 is lower than 0.9\n"
    assert ElementTree.parse(tmp_path / "r.xml").getroot().get("failures") == "1"
