"""A run with a platform changes each thing exactly once, whatever fails or is killed.

A passing fault, an outage or the page of a proxy costs nothing. A lasting one stops the run, which
`resume` completes. Trials that cannot start are named, and do not harm others. Every trial is
answered. A killed run, and an old copy of a journal, go on without repeating an effect.
"""

import shutil
import signal
from pathlib import Path

import pytest

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.errors import Unreachable, UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.replay.verification import verify
from tests.controlplane.platform_faults.faulty_platforms import (
    A_TRIAL_FAILED,
    OK,
    PLATFORM_KEY,
    SHORT_PATIENCE_RUN,
    UNAVAILABLE,
    faulty_platform,
    relayed_platform,
    reply_to,
    scores_by_trial,
)
from tests.support.command import run_in_process, wait_for_exit, wait_until
from tests.support.effect_counter import RUN_EFFECT_COUNTER
from tests.support.relay import (
    HTML_PAGE_RESPONSE,
    Faults,
    Outage,
    RelayedCall,
    Rule,
    injected_response,
    protocol_refusal,
)
from tests.support.relay import (
    HTML_PAGE_RESPONSE as HTML_PAGE,
)

# A reply that does not come from the platform stops a run, and `resume` completes the run later.
#
# A network may reply with a page on which somebody has to sign in, and a gateway may refuse all
# calls. Here a relay between the run and the platform does so when the run starts a trial:
#
#     <html>...    ->    ... is text/html, not JSON; is the host right?


@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    ("rule", "message_part"),
    [
        pytest.param(
            reply_to("StartTrial", reply=HTML_PAGE),
            "is text/html, not JSON; is the host right?",
            id="an HTML page for every start",
        ),
        pytest.param(
            reply_to("StartTrial", reply=HTML_PAGE, first_call=3),
            "is the host right?",
            id="an HTML page for all starts from the third on",
        ),
        pytest.param(
            reply_to("StartTrial", reply=injected_response(403, "forbidden")),
            "status 403: forbidden",
            id="starts refused by a gateway",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            reply_to("StartTrial", reply=injected_response(200, "{}")),
            "is not as described: harnessUrl",
            id="starts whose reply has another shape",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_a_lasting_fault_stops_the_run_and_resume_completes_it(
    rule: Rule, message_part: str, tmp_path: Path
) -> None:
    """The stopped run is not submitted, so that no trial counts as failed. When the platform can be
    reached again, the resumed run makes each change once. Nowhere does the user's key appear."""
    with relayed_platform(tmp_path, rule, trials=4) as platform:
        stopped = platform.command(*SHORT_PATIENCE_RUN)
        assert stopped.code == Unreachable.exit_code, stopped.err
        (error_line,) = stopped.err.strip().splitlines()
        assert message_part in error_line
        assert platform.benchmark.submits == 0

        platform.recover()  # From now on, the relay passes all calls on.
        resumed = platform.command("resume", "last", "--quiet")
        assert resumed.code == 0, resumed.err
        platform.benchmark.check_each_effect_happened_once()

    for result in (stopped, resumed):
        assert PLATFORM_KEY not in result.out
        assert PLATFORM_KEY not in result.err
    for journal in tmp_path.rglob("*.jsonl"):
        assert PLATFORM_KEY not in journal.read_text()


# A refusal that is soon over costs a run nothing: the run makes the call again.
#
# A relay, which stands between the run and the platform, answers the first two calls of some methods,
# for example as a load balancer whose servers are all down. In the end, each change that the run
# makes has happened once.

NO_BACKEND = injected_response(404, "no backend")
"""The reply of a load balancer whose servers are all down: it has the status of a refusal by the
platform (`protocol_refusal(404, ...)`), but not the form."""

UNEXPECTED_SHAPE = injected_response(200, '{"trialId": [], "runId": [], "state": {}}')
"""A reply whose fields have other types than the protocol says."""


@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(
            reply_to(
                "StartTrial", reply=protocol_refusal(404, "not_found"), last_call=2
            ),
            id="starts refused by the platform",
        ),
        pytest.param(
            reply_to(
                "StartTrial",
                "EndTrial",
                "SubmitRun",
                reply=UNEXPECTED_SHAPE,
                last_call=2,
            ),
            id="replies of another shape for starts and ends",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            reply_to("StartTrial", "Read", "EndTrial", reply=NO_BACKEND, last_call=2),
            id="starts, reads and ends refused by a load balancer",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_a_refusal_that_is_soon_over_costs_nothing(rule: Rule, tmp_path: Path) -> None:
    with relayed_platform(tmp_path, rule, trials=4) as platform:
        result = platform.command(*SHORT_PATIENCE_RUN)

        assert result.code == 0, result.err
        platform.benchmark.check_each_effect_happened_once()


# A run makes a call to the platform again if it gets the page of a proxy in place of the reply.
#
# A proxy may want somebody to sign in. A relay, which stands between the run and the platform,
# answers the first calls of each named method by such a page:
#
#     reply_to("Read", "Write", reply=HTML_PAGE_RESPONSE, last_call=2)    two reads and two writes


@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(
            reply_to("EndTrial", "SubmitRun", reply=HTML_PAGE_RESPONSE, last_call=2),
            id="an HTML page for the ends of trials and the submission",
        ),
        pytest.param(
            reply_to(
                "Read",
                "Stat",
                "Exec",
                "Write",
                "Answer",
                reply=HTML_PAGE_RESPONSE,
                last_call=2,
            ),
            id="an HTML page for everything that trials do",
        ),
        pytest.param(
            reply_to("StartRun", reply=HTML_PAGE_RESPONSE, last_call=1),
            id="an HTML page for the start of the run",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            reply_to("StartTrial", reply=HTML_PAGE_RESPONSE, last_call=2),
            id="an HTML page for the starts of trials",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_a_run_does_everything_once_although_some_replies_are_pages(
    rule: Rule, tmp_path: Path
) -> None:
    with relayed_platform(tmp_path, rule, trials=4) as platform:
        result = platform.command(*SHORT_PATIENCE_RUN)

        assert result.code == 0, result.err
        platform.benchmark.check_each_effect_happened_once()


# Trials that cannot be started count as failed, and the other trials of the run are played.
#
# The tasks are tally.0, tally.1 and so on. In each trial, the agent writes a file, deletes another one,
# runs the tool `checkout`, and answers. The platform counts these effects.


@pytest.mark.second_tier
@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    ("trials", "failing_starts"),
    [
        pytest.param(8, {1, 4}, id="2 of 8 trials"),
        pytest.param(
            100, {3, 17, 40, 41, 99}, id="5 of 100 trials", marks=pytest.mark.heavy
        ),
    ],
)
def test_trials_that_cannot_start_do_not_harm_others_and_are_named(
    trials: int, failing_starts: set[int], tmp_path: Path
) -> None:
    """`failing_starts` has the numbers of tasks: 4 for `tally.4`. The run tries to start a trial
    for 2 s."""
    with faulty_platform(
        tmp_path, trials=trials, failing_starts=frozenset(failing_starts)
    ) as platform:
        played = platform.command(
            *RUN_EFFECT_COUNTER, "--json", "--set", "lifecycle_patience_s=2"
        )

    assert played.code == A_TRIAL_FAILED, played.err
    failed_tasks: set[str] = set()
    for trial in played.json["trials"]:
        if trial["state"] == "failed":
            failed_tasks.add(trial["task_id"])
    assert failed_tasks == {f"tally.{number}" for number in failing_starts}

    benchmark = platform.benchmark
    played_trials = trials - len(failing_starts)
    each_effect_once = {"write": 1, "delete": 1, "checkout": 1, "answer": 1}
    assert list(benchmark.effects.values()) == [each_effect_once] * played_trials
    scores = [score.score for score in benchmark.scores.values()]
    assert scores == [1.0] * played_trials
    assert benchmark.submits == 1


# A run waits until its platform is back, if the platform is away when trials or the run end.
#
# The scripts of each trial write a report, delete a draft, check out, and answer. The platform counts how
# often each of these effects happens in each trial. None is lost, and none happens twice.


@pytest.mark.second_tier
@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    ("trials", "seconds"),
    [
        pytest.param(4, 1.0, id="4 trials, a second"),
        pytest.param(20, 60.0, id="20 trials, a minute", marks=pytest.mark.heavy),
    ],
)
@pytest.mark.parametrize(
    "method",
    [
        pytest.param("EndTrial", id="ends of trials"),
        pytest.param("SubmitRun", id="the submission of the run"),
    ],
)
def test_an_outage_of_the_last_calls_is_waited_out(
    method: str, trials: int, seconds: float, tmp_path: Path
) -> None:
    """The outage begins with the first call of the method. For so many seconds, calls get a 503."""
    outage = Faults(outages=(Outage(method, duration_s=seconds),))

    with faulty_platform(tmp_path, trials=trials, faults=outage) as platform:
        played = platform.command(*RUN_EFFECT_COUNTER)

    assert played.code == OK, played.err
    benchmark = platform.benchmark
    each_effect_once = {"write": 1, "delete": 1, "checkout": 1, "answer": 1}
    assert list(benchmark.effects.values()) == [each_effect_once] * trials
    assert [score.score for score in benchmark.scores.values()] == [1.0] * trials
    assert benchmark.submits == 1


# A run changes each thing exactly once, although its platform fails at random.
#
# The scripts of each trial write a report, delete a draft, check out, and answer. The platform counts:
#
#     platform.benchmark.effects == {"run1-0": {"write": 1, "delete": 1, "checkout": 1, "answer": 1}, ...}


@pytest.mark.second_tier
@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    "faults",
    [
        pytest.param(Faults(seed=3, unavailable=0.2), id="20 % answer 503"),
        pytest.param(
            Faults(seed=4, reset_before=0.02, reset_after=0.02),
            id="4 % reset the connection, before or after the effect",
        ),
        pytest.param(
            Faults(seed=5, stall=0.02, methods=frozenset({"Read", "Write", "Exec"})),
            id="2 % of replies stop in the middle",
        ),
        pytest.param(
            Faults(seed=6, too_many=0.1, retry_after_s=0.1),
            id="10 % answer 429: call again after 0.1 s",
        ),
        # Faults that are so rare may hit none of five trials.
        pytest.param(Faults(), id="no faults", marks=pytest.mark.heavy),
        pytest.param(
            Faults(seed=1, unavailable=0.01),
            id="1 % answer 503",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            Faults(seed=2, unavailable=0.05),
            id="5 % answer 503",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_every_effect_happens_once_under_faults(
    faults: Faults, tmp_path: Path, heavy: bool
) -> None:
    trials = 100 if heavy else 5

    with faulty_platform(tmp_path, trials=trials, faults=faults) as platform:
        played = platform.command(
            *RUN_EFFECT_COUNTER,
            "--set=call_timeout_s=1",
            "--set=lifecycle_timeout_s=1",
            "--concurrency=10",
        )
    replayed = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert played.code == 0, played.err
    benchmark = platform.benchmark
    once = {"write": 1, "delete": 1, "checkout": 1, "answer": 1}
    assert list(benchmark.effects.values()) == [once] * trials
    assert [score.score for score in benchmark.scores.values()] == [1.0] * trials
    assert benchmark.submits == 1
    # After a 429, the run waits for as long as the reply says.
    assert platform.faults.calls_too_early == 0
    assert replayed.code == 0


# A journal is copied in the middle of its run. When the run is over, the old copy is resumed, too.
#
# The copy does not record what has happened since. Still, no effect of a trial may happen twice.


@pytest.mark.usefixtures("short_backoff")
def test_resuming_a_copy_of_an_older_journal_repeats_no_effect(tmp_path: Path) -> None:
    refusal = protocol_refusal(401, "unauthenticated")
    only_two_trials_start = reply_to("StartTrial", reply=refusal, first_call=3)

    with relayed_platform(tmp_path, only_two_trials_start, trials=4) as platform:
        # 1. A run of four trials stops when its third trial cannot start. Its journal is copied.
        stopped = platform.command(*SHORT_PATIENCE_RUN, "--concurrency", "1")
        assert stopped.code == Unreachable.exit_code
        shutil.copy(platform.journal, tmp_path / "copy.jsonl")

        # 2. The run is resumed to its end: trials 3 and 4 are played.
        platform.recover()
        resumed = platform.command("resume", "last", "--quiet")
        assert resumed.code == OK

        # 3. The copy is resumed, in which trials 3 and 4 have not started.
        resumed_copy = platform.command("resume", "copy.jsonl", "--json")
        platform.benchmark.check_each_effect_happened_once()

    # The platform has played all four trials, and tells the copy their scores.
    scores = list(scores_by_trial(resumed_copy).values())
    assert scores == [1.0, 1.0, 1.0, 1.0]
    # Trials 3 and 4 cannot start again, so the copy has no answers of theirs: they failed.
    assert resumed_copy.code == A_TRIAL_FAILED
    first, second, third, fourth = resumed_copy.json["trials"]
    assert [first["state"], second["state"]] == ["answered", "answered"]
    assert "has already ended" in third["reason"]
    assert "has already ended" in fourth["reason"]


# A trial whose script gives no answer is answered by the harness itself, with a fallback.

FLOOD = """
for number in range(10**6):
    print("x" * 1000)
"""

ALL_MEMORY = """
parts = []
while True:
    parts.append("x" * 10**6 + str(len(parts)))
"""


@pytest.mark.second_tier
@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    "script",
    [
        pytest.param("while True: pass", id="hangs"),
        pytest.param("raise SystemExit(1)", id="exits"),
        pytest.param(FLOOD, id="floods its output"),
        pytest.param(ALL_MEMORY, id="takes all memory"),
        pytest.param("print(1)", id="never answers"),
    ],
)
def test_every_trial_is_answered_whatever_its_scripts_do(
    script: str, tmp_path: Path, heavy: bool
) -> None:
    """Each trial has one step, in which the model replies with the script, and one second."""
    trials = 100 if heavy else 4
    (tmp_path / "replies.toml").write_text(f"[[reply]]\ncode = '''\n{script}\n'''\n")

    with faulty_platform(tmp_path, trials=trials) as platform:
        played = platform.command(
            "run",
            "--benchmark",
            "bitgn:tally",
            "--model",
            "scripted:replies.toml",
            "--rule-sets",
            "none",
            "--json",
            "--concurrency",
            "10",
            "--max-steps",
            "1",
            "--trial-time",
            "1",
        )

    assert played.code == OK, played.err
    states = [trial["state"] for trial in played.json["trials"]]
    assert states == ["fallback"] * trials
    benchmark = platform.benchmark
    answers = [effects["answer"] for effects in benchmark.effects.values()]
    assert answers == [1] * trials
    assert len(benchmark.scores) == trials  # Each trial was ended.
    assert benchmark.submits == 1


# A call that fails because its run is stopped is not recorded, and made again by `resume`.
#
# 1. The platform is unavailable for one path, and the run calls again and again.
# 2. Ctrl-C ends the run. The journal must not have "unavailable" as the result of the call: the model
#    would take that for an answer of its world.
# 3. The platform answers again, and the resumed run makes the call again.


def recorded_error_codes(trial: TrialRecord) -> set[str]:
    """Return the codes of the errors of a trial's calls, such as `{"not_found"}`.

    They are the calls whose results the first message shows, and those of scripts.
    """
    assert trial.initial_prompt is not None
    calls = list(trial.initial_prompt.calls)
    for step in trial.step_summaries:
        calls += step.calls
    return {call.error.code for call in calls if call.error is not None}


@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/note.txt", id="a file that a script reads"),
        pytest.param("/bin/refund", id="a program whose help the first message shows"),
        pytest.param(
            "/AGENTS.MD",
            id="a document that the first message shows",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_a_call_that_fails_because_the_run_is_stopped_is_not_recorded(
    path: str, tmp_path: Path
) -> None:
    refused_calls: list[RelayedCall] = []

    def refuse_path(call: RelayedCall) -> bytes | None:
        if f'"{path}"'.encode() not in call.request:
            return None
        refused_calls.append(call)
        return UNAVAILABLE

    with relayed_platform(tmp_path, refuse_path) as platform:
        process = platform.start_command(*RUN_EFFECT_COUNTER, "--concurrency", "1")
        # The second refusal shows that the run has begun to call again.
        wait_until(lambda: len(refused_calls) >= 2)
        process.send_signal(signal.SIGINT)
        wait_for_exit(process)

        platform.recover()
        resumed = platform.command("resume", "last", "--quiet")
        assert resumed.code == OK
        platform.benchmark.check_each_effect_happened_once()

    for trial in open_journal(platform.journal).trials.values():
        assert "unavailable" not in recorded_error_codes(trial.record)
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == OK


# A run is killed while its trials are played, and resumed. Each change must have happened once
# then.
#
# In each trial, the agent writes a file, deletes another one, runs the tool `checkout`, and
# answers. The platform counts these effects. The run records in its journal, line by line, what it
# does. `resume` continues from there, and must not make a change again that the platform has seen.


def count_of_lines(folder: Path) -> int:
    """Return how many lines the journal of the folder's run has; 0 if it does not exist yet."""
    return sum(path.read_bytes().count(b"\n") for path in folder.glob("runs/*.jsonl"))


@pytest.mark.second_tier
@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    ("trials", "line_count"),
    [
        pytest.param(5, 20, id="5 trials, killed after 20 lines"),
        *[
            pytest.param(
                30,
                line_count,
                id=f"30 trials, killed after {line_count} lines",
                marks=pytest.mark.heavy,
            )
            for line_count in range(1, 601, 6)
        ],
    ],
)
def test_every_effect_of_a_killed_and_resumed_run_happens_once(
    trials: int, line_count: int, tmp_path: Path
) -> None:
    with faulty_platform(tmp_path, trials=trials) as platform:
        # 1. The run is killed, unless it has ended before its journal has so many lines.
        run = platform.start_command(*RUN_EFFECT_COUNTER, "--concurrency", "4")
        wait_until(
            lambda: count_of_lines(tmp_path) >= line_count or run.poll() is not None
        )
        run.kill()
        run.communicate()

        with open_journal(platform.journal) as journal:
            # 2. If it was killed before it could record its start, there is nothing to resume.
            if journal.summary.run_id == "":
                refused = platform.command("resume", "last")
                assert refused.code == UsageError.exit_code, refused.err
                return

            # 3. All lines can be read, except for a last one that was cut off.
            readable_bytes = journal.length
            assert b"\n" not in platform.journal.read_bytes()[readable_bytes:]
            # 4. Recorded scripts, run again with the recorded results of their calls, print what
            #    they have printed before.
            begun = [trial for trial in journal.trials.values() if trial.has_begun]
            trial_ids = [trial.trial_id for trial in begun]
            assert verify(journal, trial_ids).differences == ()

        # 5. The run is resumed.
        resumed = platform.command("resume", "last")
        assert resumed.code == OK, resumed.err + resumed.out
        platform.benchmark.check_each_effect_happened_once()
        assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == OK
