"""`replay`: what it shows of a trial, and that journals
replay exactly, those of another Python too."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controlplane import open_journal
from controlplane.agent.events import (
    AnswerSent,
    SubmissionJudged,
    event_classes,
    type_of,
    varying_fields,
)
from controlplane.benchmarks.ecom import ecom_benchmark
from controlplane.benchmarks.ecom.tasks.grader import Grade, grade
from controlplane.errors import Interrupted, UsageError
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent, RunOpened
from controlplane.replay.compared_fields import compared_fields
from tests.support.command import (
    ROOT,
    CommandResult,
    CommandRunner,
    check_error_line,
    run_controlplane,
    run_in_process,
)
from tests.support.scored_journal import read_events
from tests.support.strict_rule_set import NAME as STRICT
from tests.support.terminal import CTRL_C, LEFT, RIGHT, Terminal


def walk(
    recorded: tuple[Path, CommandResult],
    columns: int = 80,
    rows: int = 24,
    trial: str = "seat-005",
) -> Terminal:
    """Open a trial of the recorded run "first" in a terminal, to walk through it by keys."""
    folder, _ = recorded
    words = ("replay", "first", "--trial", trial)
    return Terminal(*words, cwd=folder, columns=columns, rows=rows)


def test_each_key_prints_the_page_that_it_names(
    recorded: tuple[Path, CommandResult],
) -> None:
    with walk(recorded, rows=60) as terminal:
        terminal.wait_for(
            "seat-005 · initial prompt · score 0.00 · trial 1 of 25, worst first\nHow many are there"
        )
        for keys, shown in (
            (
                "n",
                r"step 1 of 3 · score 0.00 · trial 1 of 25, worst first\ncount\n  1. count\n  2. answer\n── code",
            ),
            ("p", "initial prompt"),
            (
                "\r",
                r"→ count\(\).*\n── output ─+\n  counted 7\n── scratchpad ─+\n  \+ n = \"7\"",
            ),
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


@pytest.mark.parametrize(
    ("key", "exit_code"), [(CTRL_C, Interrupted.exit_code), ("q", 0)]
)
def test_the_terminal_is_given_back_whatever_ends_the_walk(
    key: str, exit_code: int, recorded: tuple[Path, CommandResult]
) -> None:
    with walk(recorded) as terminal:
        terminal.wait_for("q quit")
        terminal.type(key)
        assert terminal.finish() == exit_code
        assert terminal.is_as_before


PAGE_HEADING = re.compile(r"^── (initial prompt|step \d|the end)", re.MULTILINE)
"""The heading of a page of a trial, such as `── step 2`."""
ALL_PAGES = ["the end", "initial prompt", "step 1", "step 2", "step 3"]


def replay_first(
    recorded: tuple[Path, CommandResult], *options: str, trial: str = "seat-005"
) -> CommandResult:
    """Replay a trial of the recorded run "first" into a pipe."""
    folder, _ = recorded
    return run_in_process("replay", "first", "--trial", trial, *options, cwd=folder)


def test_through_a_pipe_the_end_comes_first_and_long_texts_are_cut(
    recorded: tuple[Path, CommandResult],
) -> None:
    cut = replay_first(recorded)
    whole = replay_first(recorded, "--full")

    assert cut.code == 0
    assert cut.err == ""
    assert PAGE_HEADING.findall(cut.out) == ALL_PAGES
    end_page, _, _ = cut.out.partition("── initial prompt")
    assert "grader: expected 8" in end_page
    assert "You solve one task" not in cut.out  # from the system prompt
    assert len(cut.out.splitlines()) < len(whole.out.splitlines()) / 2


def test_full_prints_the_whole_trial_uncut(
    recorded: tuple[Path, CommandResult],
) -> None:
    whole = replay_first(recorded, "--full")

    assert whole.code == 0
    assert whole.err == ""
    assert PAGE_HEADING.findall(whole.out) == ALL_PAGES
    assert "You solve one task" in whole.out  # from the system prompt
    script_line = (
        'scratchpad["answer"], scratchpad["outcome"] = scratchpad["n"], "OUTCOME_OK"'
    )
    assert f"\n  {script_line}\n" in whole.out
    assert "\n    number: 7\n" in whole.out
    line_lengths = [len(line) for line in whole.out.splitlines()]
    assert max(line_lengths) > 100  # Lines are not wrapped.
    assert "grader: expected 8" in whole.out
    assert "\x1b" not in whole.out  # no colours


@pytest.mark.parametrize(
    ("arguments", "printed_part"),
    [
        (("--trial", "seat-005", "--step", "2"), "sent back OUTCOME_OK"),
        (("--trial", "seat-005", "--step", "0"), "system prompt"),
        ((), "seat-025"),
        (("--verify",), "25 trials, 75 steps: everything is as recorded"),
    ],
)
def test_each_option_prints_its_part(
    arguments: tuple[str, ...], printed_part: str, recorded: tuple[Path, CommandResult]
) -> None:
    folder, _ = recorded
    result = run_in_process("replay", "first", *arguments, cwd=folder)

    assert result.code == 0
    assert printed_part in result.out + result.err


@pytest.mark.parametrize(
    ("arguments", "message_part"),
    [
        (
            ("--trial", "seat-005", "--step", "9"),
            "has no step 9; it has steps 1 to 3",
        ),
        (("--trial", "seat-0"), "fits several trials"),
        (("--trial", "nobody"), "no trial 'nobody'"),
        (("--step", "2"), "--step needs --trial"),
    ],
)
def test_a_trial_or_step_that_is_not_there_is_a_usage_error(
    arguments: tuple[str, ...], message_part: str, recorded: tuple[Path, CommandResult]
) -> None:
    folder, _ = recorded
    result = run_in_process("replay", "first", *arguments, cwd=folder)

    assert result.code == UsageError.exit_code
    assert message_part in result.out + result.err


def test_a_trial_and_a_step_can_be_had_as_json(
    recorded: tuple[Path, CommandResult],
) -> None:
    trial = replay_first(recorded, "--json").json
    step = replay_first(recorded, "--step", "2", "--json").json
    initial_prompt = replay_first(recorded, "--step", "0", "--json").json

    assert trial["task_id"] == "seat-005"
    assert trial["score"] == 0.0
    assert len(trial["steps"]) == 3
    assert step == trial["steps"][1]
    assert initial_prompt["type"] == "conversation_opened"


def test_a_trial_that_was_cut_off_in_a_step_shows_what_is_known_of_it(
    recorded: tuple[Path, CommandResult], tmp_path: Path
) -> None:
    """Cut the journal right before the event that ends the first step of a trial."""
    folder, _ = recorded
    (journal,) = (folder / "runs").glob("*.jsonl")
    kept_lines = []
    for line in journal.read_bytes().splitlines(keepends=True):
        event = json.loads(line)
        if event["type"] == "step":
            trial_id = event["trial_id"]
            break
        kept_lines.append(line)
    cut_journal = tmp_path / "cut.jsonl"
    cut_journal.write_bytes(b"".join(kept_lines))

    result = run_in_process("replay", cut_journal, "--trial", trial_id, cwd=tmp_path)

    assert result.code == 0
    assert "harness.count()" in result.out
    assert "the journal breaks off here" in result.out


PLAYED = (
    "run",
    "calendar-date.1",
    "--model",
    f"scripted:{ROOT}/docs/examples/rejection.toml",
    "--quiet",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of the same replies: with gates the second
    answer counts, which is right; without, the first."""
    folder = tmp_path_factory.mktemp("judged")
    run_in_process(*PLAYED, cwd=folder)
    (path,) = (folder / "runs").glob("*.jsonl")
    path.rename(folder / "runs/gated.jsonl")
    run_in_process(*PLAYED, "--gates", "none", "--rule-sets", "none", cwd=folder)
    next(journal for journal in (folder / "runs").glob("2*.jsonl")).rename(
        folder / "runs/free.jsonl"
    )
    return folder / "runs"


def effects(result: CommandResult) -> list[tuple[str, float | None]]:
    found: list[dict[str, Any]] = result.json["submissions"]
    return [(submission["effect"], submission["score"]) for submission in found]


@pytest.mark.parametrize(
    ("run", "options", "expected"),
    [
        ("free", ("--json",), [("stopped", 0.0)]),
        ("free", ("--json", "--gates", "none"), [("as before", 0.0)]),
        (
            "gated",
            ("--json", "--rule-sets", STRICT),
            [("other verdicts", None), ("stopped", 1.0)],
        ),
        (
            "gated",
            ("--json", "--gates", "none", "--rule-sets", STRICT),
            [("other verdicts", None), ("stopped", 1.0)],
        ),
        (
            "gated",
            (
                "--json",
                "--gates",
                "2",
                "--rule-sets",
                "controlplane.benchmarks.shop.rule_set:RULE_SET",
            ),
            [("let through", None), ("as before", 1.0)],
        ),
    ],
)
def test_a_stopped_answer_stands_with_its_score(
    run: str,
    options: tuple[str, ...],
    expected: list[tuple[str, float | None]],
    folder: Path,
    run_command_here: CommandRunner,
) -> None:
    assert (
        effects(run_command_here("judge", str(folder / f"{run}.jsonl"), *options))
        == expected
    )


def test_a_folder_is_judged_whole_and_its_sums_tell_right_from_wrong(
    folder: Path, run_command_here: CommandRunner
) -> None:
    found = run_command_here("judge", str(folder), "--rule-sets", STRICT)
    assert (
        "3 submissions of 2 trials in 2 runs judged: 2 stopped (1 right, 1 wrong)"
        in found.out
    )
    row = next(
        line.split()
        for line in found.out.splitlines()
        if line.startswith("strict/no-2027 ")
    )
    assert row == ["strict/no-2027", "1", "1", "0", "0"]
    table = run_command_here(
        "judge", str(folder), "--rule-sets", STRICT, "--json"
    ).json["gates"]
    assert {gate["name"]: (gate["stops_right"], gate["stops_wrong"]) for gate in table}[
        "strict/no-2027"
    ] == (1, 1)


def test_an_unreadable_journal_of_a_folder_is_named_and_left_out(
    folder: Path, tmp_path: Path, run_command_here: CommandRunner
) -> None:
    mixed = tmp_path / "mixed"
    shutil.copytree(folder, mixed)
    damaged = (mixed / "free.jsonl").read_bytes().replace(b"In a week", b"In a wxxk")
    (mixed / "free.jsonl").write_bytes(damaged)
    found = run_command_here("judge", str(mixed))

    assert found.code == 5
    assert "left out: " in found.err
    assert "2 as before" in found.out
    assert run_command_here("judge", str(mixed / "free.jsonl")).code == 5


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run with a refund, which changes files, and a look-up."""
    folder = tmp_path_factory.mktemp("played")
    return (
        folder
        / run_controlplane(
            "run",
            "refund-approval.1",
            "calendar-date.1",
            "--model",
            "baseline",
            "--set",
            "wordings=known",
            "--json",
            cwd=folder,
        ).json["journal"]
    )


def test_the_same_grader_gives_the_same_scores(
    played: Path, run_command_here: CommandRunner
) -> None:
    found = run_command_here("judge", "--grader", str(played), "--json").json
    assert [trial["before"] for trial in found["trials"]] == [
        trial["after"] for trial in found["trials"]
    ]
    assert [trial["problem"] for trial in found["trials"]] == ["", ""]
    assert (
        "2 trials graded again, 0 changed"
        in run_command_here("judge", "--grader", str(played)).out
    )
    records = [trial.record for trial in open_journal(played).trials.values()]
    calls = [
        call
        for record in records
        for step in record.step_summaries
        for call in step.calls
    ]
    assert calls, "the refund made no call, so this test shows nothing"


def test_another_grader_is_asked_about_the_same_answers(
    played: Path, run_command_here: CommandRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stricter(truth: object, environment: object) -> Grade:
        graded.append(grade(truth, environment))
        return graded[-1] if len(graded) > 1 else Grade(0.25, ("too short",))

    graded: list[Grade] = []
    monkeypatch.setattr(ecom_benchmark, "grade", stricter)
    before = played.read_bytes()
    found = run_command_here("judge", "--grader", str(played))

    assert "1 changed" in found.out
    assert "too short" in found.out
    assert re.search(r"mean score \d\.\d+ before, \d\.\d+ after", found.out)
    assert played.read_bytes() == before


def test_runs_whose_worlds_cannot_be_rebuilt_are_refused(
    recorded: tuple[Path, CommandResult],
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    of_other_world = altered_journal(
        SAMPLE, tmp_path, lambda event: event, world="another"
    )
    check_error_line(
        run_command_here(
            "judge", "--grader", str(next((recorded[0] / "runs").glob("*.jsonl")))
        ),
        2,
        "cannot rebuild the end state",
    )
    check_error_line(
        run_command_here("judge", "--grader", str(of_other_world), "--trust"),
        2,
        "cannot be graded again",
    )


SAMPLE = ROOT / "runs/sample.jsonl"


def test_the_sample_journal_replays_byte_for_byte(tmp_path: Path) -> None:
    result = run_in_process("replay", SAMPLE, "--verify", cwd=tmp_path)
    assert result.code == 0, result.err
    assert "3 steps: everything is as recorded" in result.out


Change = Callable[[JournalEvent], JournalEvent]


def journal_of(folder: Path, script: str) -> Path:
    """Return the journal of a run of one trial with these replies."""
    (folder / "script.toml").write_text(script, encoding="utf-8")
    words = (
        "run",
        "--benchmark",
        "tests.support.many_trials:1",
        "--model",
        "scripted:script.toml",
    )
    assert run_in_process(*words, cwd=folder).code == 0
    return next((folder / "runs").glob("*.jsonl"))


def altered_journal(
    recorded: Path, folder: Path, change: Change, **versions: str | None
) -> Path:
    """Return a journal of these events, changed, with the given versions in place of its own."""
    altered = folder / "altered.jsonl"
    given = {part: version for part, version in versions.items() if version}
    with JournalWriter(altered, create=True) as journal:
        for event in read_events(recorded):
            if isinstance(event, RunOpened):
                event = event.model_copy(
                    update={"versions": event.versions.model_copy(update=given)}
                )
            journal.write(change(event))
    return altered


def edited(**fields: object) -> Change:
    """Return what gives the events of the type `type` these
    fields, or what a function makes of their old ones."""
    kind = fields.pop("type")

    def change(event: JournalEvent) -> JournalEvent:
        if event.type != kind:
            return event
        given = {
            name: value(getattr(event, name)) if callable(value) else value
            for name, value in fields.items()
        }
        return event.model_copy(update=given)

    return change


FAILING = """
[[reply]]
state = "a verify that raises, and a call that does"
code = '''
scratchpad["answer"], scratchpad["outcome"] = harness.count().number, "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: [sp["nothing"] for _ in "a"])
'''
[[reply]]
state = "mended"
code = '''
print(sp := dict(scratchpad))
harness.answer(scratchpad, lambda sp: sp["answer"] == "7")
'''
"""


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a trial whose first answer had a `verify` that raised."""
    return journal_of(tmp_path_factory.mktemp("failing"), FAILING)


def other_verdict(event: JournalEvent) -> JournalEvent:
    if not isinstance(event, SubmissionJudged):
        return event
    text = event.model_dump_json().replace(
        "`verify` did not answer", "`verify` did not reply"
    )
    return SubmissionJudged.model_validate_json(text)


def other_answer(event: JournalEvent) -> JournalEvent:
    if isinstance(event, AnswerSent):
        return event.model_copy(update={"message": "8"})
    if not isinstance(event, SubmissionJudged):
        return event
    return event.model_copy(
        update={"judged": event.judged.model_copy(update={"answer": "8"})}
    )


other_error = edited(
    type="step", error=lambda text: text.replace("KeyError", "LookupError")
)
other_output = edited(type="step", output=lambda text: text.replace("7", "8"))


@pytest.mark.parametrize(
    ("change", "python", "code", "said"),
    [
        (other_error, None, 5, "step 1, error: recorded"),
        (
            other_error,
            "3.99.1",
            0,
            "not compared: error texts (recorded under Python 3.99.1)",
        ),
        (other_verdict, None, 5, "step 1, verdicts: recorded"),
        (
            other_verdict,
            "3.99.1",
            0,
            "not compared: error texts (recorded under Python 3.99.1)",
        ),
        (other_answer, "3.99.1", 5, "step 1, verdicts: recorded"),
        (other_output, None, 5, "step 2, output: recorded"),
        (
            other_output,
            "3.99.1",
            5,
            "it was recorded under Python 3.99.1, and what this one",
        ),
    ],
)
def test_under_another_minor_python_error_texts_may_differ_and_a_difference_names_it(
    change: Callable[[JournalEvent], JournalEvent],
    python: str | None,
    code: int,
    said: str,
    failing: Path,
    tmp_path: Path,
) -> None:
    altered = altered_journal(failing, tmp_path, change, python=python)
    done = run_in_process("replay", altered, "--verify", cwd=tmp_path)

    assert done.code == code, done.out + done.err
    assert said in done.out + done.err
    assert ("recorded under Python" in done.out + done.err) == (python is not None)


@pytest.mark.parametrize("part", ["gates", "evidence", "sandbox"])
@pytest.mark.parametrize(
    ("change", "differing"), [(other_answer, 2), (other_output, 1)]
)
def test_under_another_version_the_steps_that_differ_are_reported(
    change: Change, differing: int, part: str, failing: Path, tmp_path: Path
) -> None:
    altered = altered_journal(failing, tmp_path, change, **{part: "another"})
    done = run_in_process("replay", altered, "--verify", "--json", cwd=tmp_path)

    assert done.code == 0, done.err
    assert (
        run_in_process("replay", altered, "--verify", "--strict", cwd=tmp_path).code
        == 5
    )
    told = done.json
    if (part, differing) == ("gates", 2):
        assert (
            f"under another version of {part}"
            in run_in_process("replay", altered, "--verify", cwd=tmp_path).out
        )
    assert (told["agrees"], told["other_versions"], len(told["differences"])) == (
        False,
        [part],
        differing,
    )
    assert all(
        ", step " in difference and ": recorded " in difference
        for difference in told["differences"]
    )


CONTRADICTIONS = [
    (
        edited(type="answer_sent", message="8"),
        "step 2, message: recorded '8', and its other lines imply '7'",
    ),
    (
        edited(type="answer_sent", outcome="OUTCOME_DENIED_SECURITY"),
        "step 2, outcome: recorded",
    ),
    (edited(type="answer_sent", refs=("/other",)), "step 2, refs: recorded"),
    (
        edited(type="answer_sent", fallback=True),
        "end: recorded 'answered', and its other lines imply 'fallback'",
    ),
    (edited(type="answer_sent", failed=("4",)), "step 2, failed: recorded"),
    (
        edited(type="trial_ended", how="fallback"),
        "end: recorded 'fallback', and its other lines imply 'answered'",
    ),
    (edited(type="trial_ended", how="unanswered"), "end: recorded 'unanswered'"),
]


@pytest.mark.parametrize(
    ("change", "said", "version"),
    [(*case, ("", "another")[at % 2]) for at, case in enumerate(CONTRADICTIONS)],
)
def test_lines_that_contradict_each_other_are_found_under_any_version(
    change: Change, said: str, version: str, failing: Path, tmp_path: Path
) -> None:
    done = run_in_process(
        "replay",
        altered_journal(failing, tmp_path, change, gates=version),
        "--verify",
        cwd=tmp_path,
    )

    assert (done.code, said in done.err) == (5, True), done.err


def test_a_verification_accounts_for_every_field_of_every_event(tmp_path: Path) -> None:
    verified = run_in_process("replay", SAMPLE, "--verify", "--json", cwd=tmp_path).json
    assert verified["compared"] == {
        kind: [*names] for kind, names in compared_fields().items()
    }
    assert "first_message" in verified["only_marked"]["conversation_opened"]
    places = {"type", "at_ms", "trial_id", "step", "number"}
    for event in event_classes():
        kind = type_of(event)
        compared, marked = (
            verified[part].get(kind, []) for part in ("compared", "only_marked")
        )
        assert sorted([*compared, *marked]) == sorted(
            event.model_fields.keys() - places
        ), kind


def test_no_field_that_varies_from_run_to_run_is_compared() -> None:
    compared = {name for names in compared_fields().values() for name in names}
    assert not compared & varying_fields()


FORGED: dict[str, Change] = {
    "call.arguments": edited(type="call", arguments={"forged": 1}),
    "step.calls": edited(type="step", calls=()),
}
"""Forgeries of compared fields that no other test makes."""


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_field_that_is_compared_is_a_difference(
    name: str, failing: Path, tmp_path: Path
) -> None:
    done = run_in_process(
        "replay",
        altered_journal(failing, tmp_path, FORGED[name]),
        "--verify",
        cwd=tmp_path,
    )

    assert done.code == 5, done.out
