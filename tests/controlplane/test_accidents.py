"""Accidents and faults around a run: a full disk,
a removed folder, a second process, a platform that fails."""

import asyncio
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from controlplane.agent.events import CallRecord
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.bitgn.server.runs import served_runs
from controlplane.errors import Interrupted, JournalUnwritable, Unreachable, UsageError
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.journal.run_events import JournalEvent, RunClosed
from controlplane.lifecycle.reopened_run import reopen_run
from controlplane.lifecycle.run_end import close_run
from controlplane.lifecycle.run_submission import submit_run
from controlplane.replay.verification import verify
from controlplane.sandbox.interface import bounds
from tests.support.command import (
    ROOT,
    CommandResult,
    CommandRunner,
    check_error_line,
    command,
    run_in_process,
    run_on_full_disk,
    start_controlplane,
    wait_until,
)
from tests.support.effect_counter import RUN_EFFECT_COUNTER, EffectCounterBenchmark
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER as PHONEBOOK
from tests.support.running_server import running_server
from tests.support.server_faults import Faults, FaultyServer, Outage, faulty_server
from tests.support.wire_relay import (
    HTML_PAGE_RESPONSE,
    Relay,
    RelayedCall,
    ReplacedReply,
    Rule,
    injected_response,
    protocol_refusal,
    relay_to,
)

pytestmark = pytest.mark.usefixtures("short_backoff")


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk with room for 32 KiB, less than the journal of `RUN_OF_MANY_TRIALS` needs."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk that is soon full")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def remount(disk: Path, option: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{option}", disk], check=True)


RUN_OF_MANY_TRIALS = ("run", *PHONEBOOK, "ada", "grace", "--repeats", "8", "--quiet")
"""Plays two tasks of the phone book eight times each, all of them rightly."""


def test_a_full_disk_keeps_what_was_recorded(full_disk: Path, tmp_path: Path) -> None:
    """Fill the disk by a run, make the disk larger, and resume the run."""
    stopped = run_in_process(*RUN_OF_MANY_TRIALS, "--runs-dir", full_disk, cwd=tmp_path)
    remount(full_disk, "size=8m")

    check_error_line(
        stopped,
        JournalUnwritable.exit_code,
        "cannot write the journal",
        "No space left on device",
        "resumable",
    )
    (journal,) = full_disk.glob("*.jsonl")
    assert open_journal(journal).length >= 20_000  # most of the 32 KiB
    resumed = run_in_process("resume", journal, "--json", cwd=tmp_path)
    assert resumed.code == 0, resumed.err
    assert all(trial["score"] is not None for trial in resumed.json["trials"])
    assert run_in_process("replay", journal, "--verify", cwd=tmp_path).code == 0


def test_a_journal_that_may_only_be_read_is_told_with_what_to_do(
    full_disk: Path, tmp_path: Path
) -> None:
    # The full disk stops this run, so that there is something to resume.
    run_in_process(*RUN_OF_MANY_TRIALS, "--runs-dir", full_disk, cwd=tmp_path)
    (journal,) = full_disk.glob("*.jsonl")
    remount(full_disk, "ro")

    resumed = run_in_process("resume", journal, cwd=tmp_path)

    check_error_line(
        resumed,
        JournalUnwritable.exit_code,
        "cannot write the journal",
        "Read-only file system",
        "copy it to where you may write",
    )


def ended_trials(journal: Path) -> int:
    return journal.read_bytes().count(b'"type":"trial_ended"')


@contextmanager
def running(
    folder: Path, *, ended_trials_before: int
) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Start a run of a few seconds; yield it and its journal
    once this number of trials has ended; stop it afterwards."""
    runs = folder / "runs"

    def has_come_so_far() -> bool:
        return any(
            ended_trials(path) >= ended_trials_before for path in runs.glob("*.jsonl")
        )

    process = start_controlplane(
        *RUN_OF_MANY_TRIALS, "--set", "delay_s=0.2", cwd=folder
    )
    with process:
        try:
            wait_until(has_come_so_far)
            (journal,) = runs.glob("*.jsonl")
            yield process, journal
        finally:
            process.kill()


def test_a_run_whose_folder_is_removed_ends(tmp_path: Path) -> None:
    with running(tmp_path, ended_trials_before=2) as (process, _):
        # Renamed first, so that nothing is written into the folder while it is removed.
        removed = (tmp_path / "runs").rename(tmp_path / "removed")
        shutil.rmtree(removed)
        out, err = process.communicate(timeout=60)

    check_error_line(
        CommandResult(process.returncode, out, err),
        JournalUnwritable.exit_code,
        "was removed while it was being written",
    )


def test_two_processes_cannot_go_on_with_the_same_run(
    tmp_path: Path, run_command_here: CommandRunner
) -> None:
    """While a run plays, another process resumes, submits and polls it, all in vain."""
    with running(tmp_path, ended_trials_before=1) as (process, journal):
        resumed = run_command_here("resume", str(journal))
        submitted = run_command_here("submit", "--force", str(journal))
        polled = run_command_here("poll", str(journal))
        _, err = process.communicate(timeout=60)

    refused = UsageError.exit_code
    check_error_line(resumed, refused, "another process is writing", "stop it first")
    follow_it = ("follow it with", "show", "--follow")
    check_error_line(submitted, refused, "another process is conducting", *follow_it)
    check_error_line(polled, refused, "another process is conducting", *follow_it)
    assert process.returncode == 0, err
    assert run_in_process("replay", journal, "--verify", cwd=tmp_path).code == 0


COMMANDS_THAT_PRINT = [
    ("benchmarks", "list"),
    ("show", ROOT / "runs/sample.jsonl", "--json"),
    ("--version",),
]
OUTPUT_FAILED = 3
"""The exit code of a command whose result cannot be printed."""


@pytest.mark.parametrize("words", COMMANDS_THAT_PRINT)
def test_a_result_that_cannot_be_printed_is_told_in_one_line(
    words: tuple[str | Path, ...], tmp_path: Path
) -> None:
    result = run_on_full_disk(command(words), tmp_path)

    message = "the result cannot be printed: No space left on device"
    check_error_line(result, OUTPUT_FAILED, message)


@pytest.fixture
def disk_full_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the journal refuse the last event of a run, and take all others."""
    write = JournalWriter.write

    def write_all_but_the_end(journal: JournalWriter, event: JournalEvent) -> None:
        if isinstance(event, RunClosed):
            raise JournalUnwritable("cannot write the journal: No space left on device")
        write(journal, event)

    monkeypatch.setattr(JournalWriter, "write", write_all_but_the_end)


def cut_before_event(event_type: str, journal: Path) -> None:
    """Cut a journal before its first event of this type."""
    event_text = f'"type":"{event_type}"'.encode()
    kept_lines = []
    for line in journal.read_bytes().splitlines(keepends=True):
        if event_text in line:
            break
        kept_lines.append(line)
    journal.write_bytes(b"".join(kept_lines))


@pytest.mark.usefixtures("disk_full_at_the_end")
def test_a_run_whose_end_cannot_be_written_down_is_summed_up_all_the_same(
    run_command_here: CommandRunner,
) -> None:
    """Play a run; take its submission back; submit it."""
    run = run_command_here("run", *PHONEBOOK, "ada", "--quiet")
    (journal,) = Path().glob("runs/*.jsonl")
    cut_before_event("run_submitted", journal)
    submitted = run_command_here("submit", str(journal), "--quiet")

    for result in (run, submitted):
        unwritable = JournalUnwritable.exit_code
        check_error_line(result, unwritable, "No space left on device")
        assert "mean score 1.000 over 1 of 1 trial" in result.out


def wait_for_event(event_type: str, folder: Path) -> None:
    """Wait until a journal of the folder has an event of this type."""
    event_text = f'"type":"{event_type}"'.encode()
    wait_until(
        lambda: any(
            event_text in journal.read_bytes() for journal in folder.glob("runs/*")
        )
    )


def test_a_killed_run_resumes_to_the_scores_of_an_undisturbed_one(
    tmp_path: Path, heavy: bool
) -> None:
    """Play a run undisturbed; play it again, kill it at a random moment, resume it."""
    random_numbers = random.Random(5)
    rounds = 40 if heavy else 1
    tasks = "24" if heavy else "5"
    flags = ("run", "--quiet", "--concurrency", "4", "--limit", tasks)

    for seed in range(rounds):
        folder = tmp_path / str(seed)
        folder.mkdir()
        undisturbed = run_in_process(*flags, "--seed", str(seed), "--json", cwd=folder)
        # Out of the way, so that "last" means the run that is killed.
        (folder / "runs").rename(folder / "undisturbed")

        process = start_controlplane(*flags, "--seed", str(seed), cwd=folder)
        wait_for_event("run_started", folder)
        time.sleep(random_numbers.uniform(0.1, 1.0))
        process.kill()
        process.communicate()
        resumed_run = run_in_process("resume", "last", "--json", cwd=folder)

        assert resumed_run.code == undisturbed.code
        (journal,) = folder.glob("runs/*.jsonl")
        trials = open_journal(journal).summary.trials.values()
        scores = {trial.task_id: trial.score for trial in trials}
        assert scores == {
            trial["task_id"]: trial["score"] for trial in undisturbed.json["trials"]
        }
        assert run_in_process("replay", "last", "--verify", cwd=folder).code == 0


def resume_in_this_process(path: Path) -> Journal:
    """Resume the run of a journal without the command line, and return its journal."""
    with reopen_run(path, plays_trials=True) as run:
        run.work.play_trials(run.summary.trials, run.trial_records)
        submit_run(run)
        close_run(run)
    return open_journal(path)


def steps_of(trial: RecordedTrial) -> list[tuple[object, ...]]:
    """Return script, output and gates' verdicts of each step."""
    return [(step.code, step.output, step.verdicts) for step in trial.steps]


STEPS_OF_ADA = 3
"""The lookup, an answer that a gate rejects, and the right answer."""
STEPS_OF_GRACE = 2
"""The lookup and the answer."""


def test_a_journal_cut_in_any_line_resumes_to_the_same_steps_and_scores(
    tmp_path: Path, heavy: bool
) -> None:
    """Cut a run's journal in the middle of a line, as a crash does; resume; compare."""
    tasks = ("ada", "grace")
    run_in_process("run", *PHONEBOOK, "--concurrency", "1", *tasks, cwd=tmp_path)
    (whole_path,) = tmp_path.glob("runs/*.jsonl")
    whole = open_journal(whole_path)
    lines = whole_path.read_bytes().splitlines(keepends=True)
    (start,) = [
        number for number, line in enumerate(lines) if b'"type":"run_started"' in line
    ]
    distance = 1 if heavy else 12  # every line, or every twelfth to save time

    for cut in range(start + 1, len(lines), distance):
        path = tmp_path / f"cut-{cut}.jsonl"
        half_a_line = lines[cut][: len(lines[cut]) // 2]
        path.write_bytes(b"".join(lines[:cut]) + half_a_line)

        resumed = resume_in_this_process(path)

        assert resumed.summary.trials.scores == whole.summary.trials.scores, cut
        for trial_id, trial in whole.trials.items():
            assert steps_of(resumed.trials[trial_id]) == steps_of(trial), (
                cut,
                trial_id,
            )
        verification = verify(resumed, list(resumed.trials))
        assert verification.steps == STEPS_OF_ADA + STEPS_OF_GRACE


KEY = "sk-canary-1029384756abcdef"
A_TRIAL_FAILED = 1
"""The exit code of a command if a trial did not start, did not end, or has no answer."""


@contextmanager
def served(
    trials: int, faults: Faults, **settings: Any
) -> Iterator[tuple[EffectCounterBenchmark, FaultyServer, dict[str, str]]]:
    """Serve a benchmark that counts its trials' effects, by a server with faults.

    Yields the benchmark, the server, and the environment variables that lead there.
    """
    tally = EffectCounterBenchmark(trials, **settings)
    with faulty_server(tally, ServerOptions(), faults) as server:
        yield tally, server, {"BITGN_HOST": server.url, "BITGN_API_KEY": KEY}


RARE_FAULTS: dict[str, Faults] = {
    "none": Faults(),
    "1 % answer 503": Faults(seed=1, unavailable=0.01),
    "5 % answer 503": Faults(seed=2, unavailable=0.05),
}
"""Faults too rare to happen in five trials; only the heavy test, with 100, plays them."""
FREQUENT_FAULTS: dict[str, Faults] = {
    "20 % answer 503": Faults(seed=3, unavailable=0.2),
    "2 % reset before, 2 % after the effect": Faults(
        seed=4, reset_before=0.02, reset_after=0.02
    ),
    "2 % of bodies stop in the middle": Faults(
        seed=5, stall=0.02, methods=frozenset({"Read", "Write", "Exec"})
    ),
    "429 on a tenth of the calls": Faults(seed=6, too_many=0.1, retry_after_s=0.1),
}


@pytest.mark.second_tier
@pytest.mark.parametrize(
    "faults",
    [
        *[pytest.param(faults, id=name) for name, faults in FREQUENT_FAULTS.items()],
        *[
            pytest.param(faults, id=name, marks=pytest.mark.heavy)
            for name, faults in RARE_FAULTS.items()
        ],
    ],
)
def test_every_effect_is_delivered_once_under_faults(
    faults: Faults, tmp_path: Path, heavy: bool
) -> None:
    trials = 100 if heavy else 5
    deadlines = ("--set", "call_timeout_s=1", "--set", "lifecycle_timeout_s=1")

    with served(trials, faults) as (tally, server, keys):
        result = run_in_process(
            *RUN_EFFECT_COUNTER, *deadlines, "--concurrency", "10", cwd=tmp_path, **keys
        )

        assert result.code == 0, result.err
        tally.check_delivered()
        assert server.faults.too_early == 0, (
            "a call came earlier than Retry-After allowed"
        )

    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0


@pytest.mark.second_tier
def test_trials_that_cannot_start_cost_themselves_alone_and_are_named(
    tmp_path: Path, heavy: bool
) -> None:
    if heavy:
        trials = 100
        failing_numbers = frozenset({3, 17, 40, 41, 99})
    else:
        trials = 8
        failing_numbers = frozenset({1, 4})
    flags = (*RUN_EFFECT_COUNTER, "--json", "--set", "lifecycle_patience_s=2")
    server = served(trials, Faults(), failing_starts=failing_numbers)

    with server as (tally, _, keys):
        result = run_in_process(*flags, cwd=tmp_path, **keys)

        assert result.code == A_TRIAL_FAILED, result.err
        failed_trials = {
            trial["trial_id"]
            for trial in result.json["trials"]
            if trial["state"] == "failed"
        }
        assert len(failed_trials) == len(failing_numbers)
        tally.check_delivered(missing=len(failing_numbers))


@pytest.mark.second_tier
@pytest.mark.parametrize("method", ["EndTrial", "SubmitRun"])
def test_an_outage_of_the_last_calls_is_waited_out(
    method: str, tmp_path: Path, heavy: bool
) -> None:
    outage = Outage(method, 60.0 if heavy else 1.0)
    with served(20 if heavy else 4, Faults(outages=(outage,))) as (tally, _, keys):
        result = run_in_process(*RUN_EFFECT_COUNTER, cwd=tmp_path, **keys)
        assert result.code == 0, result.err
        tally.check_delivered()


@pytest.mark.second_tier
@pytest.mark.parametrize(
    "seed",
    [11, *(pytest.param(seed, marks=pytest.mark.heavy) for seed in (12, 13, 14))],
)
def test_kill_9_at_random_moments_then_resume_loses_nothing_and_doubles_nothing(
    seed: int, tmp_path: Path, heavy: bool
) -> None:
    """Kill a run at a random moment, check what its journal has by then, and resume it."""
    random_numbers = random.Random(seed)
    rounds = 25 if heavy else 1
    trials = 30 if heavy else 5
    for round_number in range(rounds):
        folder = tmp_path / str(round_number)
        folder.mkdir()
        with served(trials, Faults()) as (tally, _, keys):
            process = start_controlplane(
                *RUN_EFFECT_COUNTER, "--concurrency", "4", cwd=folder, **keys
            )
            wait_until(lambda found=folder: any(found.glob("runs/*.jsonl")))
            time.sleep(random_numbers.uniform(0.1, 1.2))
            process.kill()
            process.communicate()

            (journal,) = folder.glob("runs/*.jsonl")
            run_is_recorded = (
                journal.stat().st_size > 0
                and open_journal(journal).summary.run_id != ""
            )
            if run_is_recorded:
                check_killed_journal(journal)
            resumed = run_in_process("resume", "last", cwd=folder, **keys)

            if not run_is_recorded:
                assert resumed.code == UsageError.exit_code, resumed.err
                continue
            assert resumed.code == 0, resumed.err + resumed.out
            tally.check_delivered()
            assert run_in_process("replay", "last", "--verify", cwd=folder).code == 0


def check_killed_journal(path: Path) -> None:
    """Assert that at most the end of one line is lacking, and that all else replays the same."""
    with open_journal(path) as journal:
        unread_rest = path.read_bytes()[journal.length :]
        assert b"\n" not in unread_rest
        begun_trials = [
            trial.trial_id for trial in journal.trials.values() if trial.has_begun
        ]
        assert verify(journal, begun_trials).differences == ()


MISBEHAVING = {
    "hang": "while True:\n    pass",
    "exit": "raise SystemExit(1)",
    "flood": "for number in range(10**6):\n    print('x' * 1000)",
    "swallow memory": "kept = []\nwhile True:\n    kept.append('x' * 10**6 + str(len(kept)))",
    "never answer": "print(1)",
}


@pytest.mark.second_tier
@pytest.mark.parametrize("kind", MISBEHAVING)
def test_every_trial_is_answered_whatever_its_scripts_do(
    kind: str, tmp_path: Path, heavy: bool
) -> None:
    model = tmp_path / "misbehaving.toml"
    reply = f"[[reply]]\ncode = '''\n{MISBEHAVING[kind]}\n'''\n"
    model.write_text(reply * 3)
    run = ("run", "--benchmark", "bitgn:tally", "--model", f"scripted:{model}")
    options = ("--rule-sets", "none", "--json", "--concurrency", "10")
    limits = ("--max-steps", "1", "--trial-time", "1")
    trials = 100 if heavy else 4

    with served(trials, Faults()) as (tally, _, keys):
        result = run_in_process(*run, *options, *limits, cwd=tmp_path, **keys)

        assert result.code == 0, result.err
        assert {trial["state"] for trial in result.json["trials"]} == {"fallback"}
        answers_per_trial = {effects["answer"] for effects in tally.effects.values()}
        assert answers_per_trial == {1}
        assert len(tally.scores) == tally.trials
        assert tally.submits == 1


TRIALS = 4
SHORT_PATIENCE = (
    *("--set", "lifecycle_patience_s=0.5"),
    *("--set", "call_patience_s=4"),
    *("--set", "call_timeout_s=2"),
    *("--set", "contact_patience_s=1"),
)
RUN_OF_SHORT_PATIENCE = (*RUN_EFFECT_COUNTER, *SHORT_PATIENCE)


@contextmanager
def platform(
    rule: Rule, options: ServerOptions | None = None
) -> Iterator[tuple[EffectCounterBenchmark, Relay, dict[str, str]]]:
    """Serve a benchmark of `TRIALS` trials behind a relay, which answers by a rule.

    Yields the benchmark, the relay, and the environment variables that lead to it.
    """
    tally = EffectCounterBenchmark(TRIALS)
    with (
        running_server(tally, options or ServerOptions()) as server,
        relay_to(server.url, rule) as relay,
    ):
        yield tally, relay, {"BITGN_HOST": relay.url, "BITGN_API_KEY": KEY}


def pass_on(method: str, number: int) -> None:
    """The rule of a relay that answers nothing itself."""


def to(*methods: str, reply: bytes, first: int = 1, last: int = 10**9) -> Rule:
    """Return the rule to answer calls of these methods with `reply`.

    `first` and `last` limit it to some of the calls of each method, counted from 1:
    `to("Read", reply=PAGE, last=2)` spoils the first two reads.
    """

    def rule(method: str, number: int) -> bytes | None:
        if method in methods and first <= number <= last:
            return reply
        return None

    return rule


def light(cases: dict[str, Any], *beginnings: str) -> list[ParameterSet]:
    """Return the cases' names; those with none of these beginnings are for heavy tests."""
    parameters = []
    for name in cases:
        marks = () if name.startswith(beginnings) else pytest.mark.heavy
        parameters.append(pytest.param(name, marks=marks))
    return parameters


PASSING_FAULTS = {
    "a page for the start of the run": to("StartRun", reply=HTML_PAGE_RESPONSE, last=1),
    "a page for starts": to("StartTrial", reply=HTML_PAGE_RESPONSE, last=2),
    "a page for ends and the submission": to(
        "EndTrial", "SubmitRun", reply=HTML_PAGE_RESPONSE, last=2
    ),
    "pages for everything that trials do": to(
        "Read", "Stat", "Exec", "Write", "Answer", reply=HTML_PAGE_RESPONSE, last=2
    ),
    "replies of another shape for starts and ends": to(
        *("StartTrial", "EndTrial", "SubmitRun"),
        reply=injected_response(200, '{"trialId": [], "runId": [], "state": {}}'),
        last=2,
    ),
    "two starts refused as no later one is": to(
        "StartTrial", reply=protocol_refusal(404, "not_found"), last=2
    ),
    "not found, by a balancer": to(
        "StartTrial",
        "Read",
        "EndTrial",
        reply=injected_response(404, "no backend"),
        last=2,
    ),
}


@pytest.mark.parametrize(
    "case", light(PASSING_FAULTS, "a page for ends", "pages for", "two starts")
)
def test_a_passing_stand_in_for_the_platform_costs_nothing(
    case: str, run_command_here: CommandRunner
) -> None:
    with platform(PASSING_FAULTS[case]) as (tally, _, keys):
        result = run_command_here(*RUN_OF_SHORT_PATIENCE, **keys)

        assert result.code == 0, result.err
        tally.check_delivered()


NO_SUCH_KEY = protocol_refusal(401, "unauthenticated", f"no such key: {KEY}")
LASTING_FAULTS = {
    "pages for starts": (
        to("StartTrial", reply=HTML_PAGE_RESPONSE),
        "is text/html, not JSON; is the host right?",
    ),
    "pages for starts but the first two": (
        to("StartTrial", reply=HTML_PAGE_RESPONSE, first=3),
        "is the host right?",
    ),
    "starts refused by a gateway": (
        to("StartTrial", reply=injected_response(403, "forbidden")),
        "status 403: forbidden",
    ),
    "starts refused for the key": (
        to("StartTrial", reply=NO_SUCH_KEY),
        "no such key: [secret]",
    ),
    "starts that the platform cannot do": (
        to("StartTrial", reply=protocol_refusal(501, "unimplemented")),
        "unimplemented",
    ),
    "starts that all break": (
        to("StartTrial", reply=protocol_refusal(500, "internal", "a fault")),
        "no trial could be started",
    ),
    "starts of trials that are forgotten": (
        to("StartTrial", reply=protocol_refusal(404, "not_found")),
        "no trial could be",
    ),
    "starts of another shape": (
        to("StartTrial", reply=injected_response(200, "{}")),
        "is not as described: harnessUrl",
    ),
    "answers refused for the key": (
        to("Answer", reply=NO_SUCH_KEY),
        "refuses the calls of trials",
    ),
    "ends refused for the key": (
        to("EndTrial", reply=NO_SUCH_KEY),
        "could not be ended",
    ),
    "the submission refused for the key": (
        to("SubmitRun", reply=NO_SUCH_KEY),
        "could not be submitted",
    ),
}


@pytest.mark.parametrize(
    "case",
    light(LASTING_FAULTS, "pages for starts", "starts refused for", "answers", "ends"),
)
def test_a_lasting_fault_ends_the_run_unsubmitted_and_resume_delivers_all_of_it(
    case: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    rule, message_part = LASTING_FAULTS[case]
    with platform(rule) as (tally, relay, keys):
        stopped = run_command_here(*RUN_OF_SHORT_PATIENCE, **keys)
        assert stopped.code == Unreachable.exit_code, stopped.err
        (line,) = stopped.err.strip().splitlines()
        assert message_part in line
        assert tally.submits == 0

        relay.rule = pass_on
        resumed = run_command_here("resume", "last", "--quiet", **keys)
        assert resumed.code == 0, resumed.err
        tally.check_delivered()

    for result in (stopped, resumed):
        assert KEY not in result.out
        assert KEY not in result.err
    for journal in tmp_path.rglob("*.jsonl"):
        assert KEY not in journal.read_text()


def test_a_journal_that_went_on_elsewhere_learns_the_scores_and_doubles_nothing(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """A run stops at its third trial; resume it, then resume a copy of its older journal."""
    third_start_refused = to(
        "StartTrial", reply=protocol_refusal(401, "unauthenticated"), first=3
    )
    with platform(third_start_refused) as (tally, relay, keys):
        stopped = run_command_here(*RUN_OF_SHORT_PATIENCE, "--concurrency", "1", **keys)
        assert stopped.code == Unreachable.exit_code
        (journal,) = tmp_path.glob("runs/*.jsonl")
        shutil.copy(journal, tmp_path / "copy.jsonl")

        relay.rule = pass_on
        resumed = run_command_here("resume", "last", "--quiet", **keys)
        assert resumed.code == 0
        resumed_copy = run_command_here("resume", "copy.jsonl", "--json", **keys)
        tally.check_delivered()

    assert resumed_copy.code == A_TRIAL_FAILED
    trials = resumed_copy.json["trials"]
    assert [trial["score"] for trial in trials] == [1.0] * TRIALS
    assert "has already ended" in trials[-1]["reason"]


REASON_TO_WAIT = {
    "StartRun": protocol_refusal(503, "unavailable"),
    "StartTrial": protocol_refusal(503, "unavailable"),
    "Read": protocol_refusal(429, "resource_exhausted", retry_after="60"),
    "EndTrial": protocol_refusal(503, "unavailable"),
    "SubmitRun": protocol_refusal(429, "resource_exhausted", retry_after="60"),
}
"""The reply that makes a run call a method again, after pauses that grow, or after a minute."""


def stops() -> list[ParameterSet]:
    """Return each method that a run waits for with each signal; most are for heavy tests."""
    light_stops = {
        ("StartRun", signal.SIGINT),
        ("Read", signal.SIGINT),
        ("SubmitRun", signal.SIGINT),
        ("StartTrial", signal.SIGTERM),
    }
    parameters = []
    for method in REASON_TO_WAIT:
        for stop_signal in (signal.SIGINT, signal.SIGTERM):
            is_light = (method, stop_signal) in light_stops
            marks = () if is_light else pytest.mark.heavy
            parameters.append(pytest.param(method, stop_signal, marks=marks))
    return parameters


@pytest.mark.parametrize(("method", "stop_signal"), stops())
def test_a_run_that_waits_for_the_platform_is_stopped_by_one_signal_and_resumed(
    method: str, stop_signal: int, tmp_path: Path
) -> None:
    words = (*RUN_OF_SHORT_PATIENCE, "--set", "lifecycle_patience_s=60")
    calls_before_the_stop = 2
    if method in ("Read", "SubmitRun"):
        calls_before_the_stop = 1  # The second would come after a minute.

    with platform(to(method, reply=REASON_TO_WAIT[method])) as (tally, relay, keys):
        process = start_controlplane(*words, cwd=tmp_path, **keys)
        wait_until(lambda: relay.calls[method] >= calls_before_the_stop)
        stopped_at = time.monotonic()
        process.send_signal(stop_signal)
        _, err = process.communicate(timeout=30)

        # Far less than the minute that the run would have waited.
        assert time.monotonic() - stopped_at < 12
        assert tally.submits == 0
        assert process.returncode == Interrupted.exit_code, err
        relay.rule = pass_on
        if method == "StartRun":
            assert "interrupted before the run began" in err
            assert not list(tmp_path.rglob("*.jsonl"))
        else:
            resumed = run_in_process("resume", "last", "--quiet", cwd=tmp_path, **keys)
            assert resumed.code == 0, resumed.err
            tally.check_delivered()


def calls_of(trial: TrialRecord) -> list[CallRecord]:
    """Return the calls for a trial's first message and those of its scripts."""
    assert trial.initial_prompt is not None
    calls = list(trial.initial_prompt.calls)
    for step in trial.step_summaries:
        calls += step.calls
    return calls


@pytest.mark.parametrize(
    "subject",
    [pytest.param("/AGENTS.MD", marks=pytest.mark.heavy), "/bin/refund", "/note.txt"],
)
def test_nobody_learns_that_a_call_failed_because_the_run_was_stopped(
    subject: str, tmp_path: Path
) -> None:
    """The first message of a trial shows a document and a tool's help; a script reads the note.

    The platform is unavailable for calls about one of them; stop the run, and resume it.
    """
    refusals = 0

    async def refuse_subject(call: RelayedCall, writer: asyncio.StreamWriter) -> None:
        nonlocal refusals
        if f'"{subject}"'.encode() in call.request:
            refusals += 1
            writer.write(protocol_refusal(503, "unavailable"))
        else:
            writer.write(await call.forward())

    options = ("--concurrency", "1", "--set", "call_patience_s=60")
    with platform(lambda method, number: refuse_subject) as (tally, relay, keys):
        process = start_controlplane(
            *RUN_OF_SHORT_PATIENCE, *options, cwd=tmp_path, **keys
        )
        wait_until(lambda: refusals >= 2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)

        relay.rule = pass_on
        resumed = run_in_process("resume", "last", "--quiet", cwd=tmp_path, **keys)
        assert resumed.code == 0
        tally.check_delivered()

    (journal,) = tmp_path.glob("runs/*.jsonl")
    for trial in open_journal(journal).trials.values():
        for call in calls_of(trial.record):
            assert call.error is None or call.error.code != "unavailable"
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0


LOST_TRIAL = "run1-2"
RUN_OF_NO_PATIENCE = (
    *RUN_EFFECT_COUNTER,
    *("--set", "lifecycle_patience_s=0.5"),
    *("--set", "call_patience_s=0.5"),
    *("--set", "contact_patience_s=0.5"),
    *("--concurrency", "2"),
)
HTTP_STATUS = {"deadline_exceeded": 504, "internal": 500}


def lose_trial(code: str, first_method: str) -> ReplacedReply:
    """Refuse the calls of `LOST_TRIAL`, from its first call of a method on."""
    refusal = protocol_refusal(HTTP_STATUS[code], code, "the trial is gone")
    is_lost = False

    async def act(call: RelayedCall, writer: asyncio.StreamWriter) -> None:
        nonlocal is_lost
        in_path = f"/{LOST_TRIAL}/".encode()
        in_body = f'"{LOST_TRIAL}"'.encode()
        is_of_the_trial = in_path in call.request or in_body in call.request
        if is_of_the_trial and call.method == first_method:
            is_lost = True
        if is_of_the_trial and is_lost:
            writer.write(refusal)
        else:
            writer.write(await call.forward())

    return act


@contextmanager
def losing_platform(
    act: ReplacedReply,
    monkeypatch: pytest.MonkeyPatch,
    options: ServerOptions | None = None,
) -> Iterator[tuple[EffectCounterBenchmark, dict[str, str]]]:
    """Serve a benchmark whose trials are run1-0, run1-1 and so on, behind a relay that acts."""
    monkeypatch.setattr(bounds, "END_RETRY_S", 0.3)
    # The server takes its ids for the run and its trials from here, in place of random ones.
    ids = iter(["tally-1", *TRIAL_IDS])
    monkeypatch.setattr(
        served_runs, "secrets", SimpleNamespace(token_urlsafe=lambda _: next(ids))
    )
    with platform(lambda *_: act, options) as (tally, _, keys):
        yield tally, keys


TRIAL_IDS = [f"run1-{number}" for number in range(TRIALS)]


def suggested_command(result: CommandResult, verb: str) -> list[str]:
    """Return the suggested command with this verb from the line on standard error."""
    (line,) = result.err.strip().splitlines()
    (words,) = re.findall(rf"controlplane ({verb} \S+(?: --force)?)", line)
    return shlex.split(words)


@pytest.mark.parametrize(
    ("code", "first_method"),
    [
        ("deadline_exceeded", "Write"),
        ("internal", "EndTrial"),
        pytest.param("internal", "Write", marks=pytest.mark.heavy),
        pytest.param("deadline_exceeded", "EndTrial", marks=pytest.mark.heavy),
    ],
)
def test_a_lost_trial_costs_itself_alone_and_the_suggested_command_submits_the_run(
    code: str,
    first_method: str,
    run_command_here: CommandRunner,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Run, resume in vain, submit as suggested, and then find nothing left to do."""
    act = lose_trial(code, first_method)
    with losing_platform(act, monkeypatch) as (tally, keys):
        stopped = run_command_here(*RUN_OF_NO_PATIENCE, **keys)
        resume = suggested_command(stopped, "resume")
        submit = suggested_command(stopped, "submit")
        resumed = run_command_here(*resume, "--quiet", **keys)
        assert stopped.code == Unreachable.exit_code, stopped.err
        assert resumed.code == Unreachable.exit_code, resumed.err
        assert suggested_command(resumed, "submit") == submit
        assert len(tally.scores) == TRIALS - 1
        assert tally.submits == 0

        delivered = run_command_here(*submit, "--json", **keys)
        assert delivered.code == 0
        assert delivered.json["submitted"] is True
        assert tally.submits == 1
        scores = {
            trial["trial_id"]: trial["score"] for trial in delivered.json["trials"]
        }
        assert scores == dict.fromkeys(TRIAL_IDS, 1.0) | {LOST_TRIAL: 0.0}

        resumed_again = run_command_here("resume", "last", **keys)
        assert resumed_again.code == 0
        assert "nothing to resume" in resumed_again.out
        submitted_again = run_command_here("submit", "last", **keys)
        assert submitted_again.code == 0
        assert "already submitted" in submitted_again.out
        assert tally.submits == 1


def test_scores_that_come_later_come_although_the_lost_trial_cannot_be_asked_about(
    run_command_here: CommandRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    act = lose_trial("internal", "EndTrial")
    sealed_for_a_while = ServerOptions(policy="blind", reveal_after_s=0.2)
    with losing_platform(act, monkeypatch, sealed_for_a_while) as (_, keys):
        stopped = run_command_here(*RUN_OF_NO_PATIENCE, **keys)
        assert stopped.code == Unreachable.exit_code
        delivered = run_command_here("submit", "last", "--force", "--json", **keys)

    assert delivered.code == 0, delivered.err
    scores = sorted(trial["score"] for trial in delivered.json["trials"])
    assert scores == [0.0] + [1.0] * (TRIALS - 1)
    shown = run_command_here("show", "last")
    assert f"the details of trial {LOST_TRIAL} are missing" in shown.out


def test_sealed_scores_are_no_failure_and_are_fetched_later_into_the_journal(
    tmp_path: Path,
) -> None:
    """Run, poll while the scores are sealed, and poll when they are revealed."""
    sealed = ServerOptions(policy="blind", reveal_after_s=1.5)
    with platform(pass_on, sealed) as (_, _, keys):
        run = run_in_process(
            *RUN_EFFECT_COUNTER, "--poll-time", "0", "--json", cwd=tmp_path, **keys
        )
        assert run.code == 0, run.err
        assert [trial["score"] for trial in run.json["trials"]] == [None] * TRIALS
        assert run.json["score"] is None

        polled_early = run_in_process("poll", "last", cwd=tmp_path, **keys)
        assert polled_early.code == 0

        time.sleep(1.6)  # until the scores are revealed
        polled = run_in_process("poll", "last", "--json", cwd=tmp_path, **keys)
        assert [trial["score"] for trial in polled.json["trials"]] == [1.0] * TRIALS

    (journal,) = tmp_path.glob("runs/*.jsonl")
    assert open_journal(journal).summary.trials.mean_score == 1.0
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0


def interrupt_run(
    *words: str, tally: EffectCounterBenchmark, cwd: Path, **keys: str
) -> None:
    """Start a run, and stop it once a trial has its score."""
    process = start_controlplane(*words, "--concurrency", "1", cwd=cwd, **keys)
    wait_until(lambda: bool(tally.scores))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)


def test_a_run_with_open_trials_is_submitted_only_when_forced(tmp_path: Path) -> None:
    trials = 6
    with served(trials, Faults()) as (tally, _, keys):
        interrupt_run(*RUN_EFFECT_COUNTER, tally=tally, cwd=tmp_path, **keys)
        refused_submission = run_in_process("submit", "last", cwd=tmp_path, **keys)
        assert refused_submission.code == UsageError.exit_code
        assert "--force" in refused_submission.err
        assert tally.submits == 0

        forced = run_in_process(
            "submit", "last", "--force", "--json", cwd=tmp_path, **keys
        )
        assert tally.submits == 1
        assert forced.json["submitted"]
        assert {trial["score"] for trial in forced.json["trials"]} <= {0.0, 1.0}

    scores_of_answered = [
        trial["score"]
        for trial in forced.json["trials"]
        if trial["state"] == "answered"
    ]
    answered = len(scores_of_answered)
    cut_off = trials - answered
    assert 0 < answered < trials
    assert forced.json["trials_scored"] == answered
    assert forced.json["mean_score"] == fmean(scores_of_answered)
    shown = run_in_process("show", "last", cwd=tmp_path)
    assert f"over {answered} of {trials} trials · {cut_off} cut off" in shown.out
    comparison = run_in_process("compare", "last", "last", "--json", cwd=tmp_path).json
    assert len(comparison["tasks"]) == answered
    assert len(comparison["without_score"]) == cut_off


def test_a_run_is_resumed_where_it_was_started_whatever_the_environment_says_later(
    tmp_path: Path,
) -> None:
    """The benchmark's name comes from the environment, which names another host later."""
    words = ["bitgn" if word == "bitgn:tally" else word for word in RUN_EFFECT_COUNTER]
    with served(6, Faults()) as (tally, _, keys):
        interrupt_run(*words, tally=tally, cwd=tmp_path, **keys, BENCH_ID="tally")

        elsewhere = {"BITGN_HOST": "http://127.0.0.1:9", "BITGN_API_KEY": "k"}
        resumed = run_in_process("resume", "last", cwd=tmp_path, **elsewhere)

        assert resumed.code == 0
        assert tally.submits == 1
