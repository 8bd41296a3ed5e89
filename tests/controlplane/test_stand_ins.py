"""No trial is lost if something else answers in place of the platform, or if the platform refuses everybody."""

import asyncio
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from benchmarks.bitgn.server import ServerOptions
from controlplane.journal.journal_reader import open_journal
from tests.support.command import Result, Type, inside, started, wait_until
from tests.support.effect_counter import RUN, Tally
from tests.support.running_server import running_server
from tests.support.wire_relay import PAGE, Passing, Relay, Rule, in_place, refused, relayed

pytestmark = pytest.mark.usefixtures("short_backoff")

KEY = "sk-canary-1029384756abcdef"
TRIALS = 4
FLAGS = (
    *(*RUN, "--set", "lifecycle_patience_s=0.5", "--set", "call_patience_s=4", "--set", "call_timeout_s=2"),
    *("--set", "contact_patience_s=1"),
)


@contextmanager
def platform(rule: Rule) -> Iterator[tuple[Tally, Relay, dict[str, str]]]:
    """Serve a benchmark behind a relay; yield both with the environment variables that lead there."""
    tally = Tally(TRIALS)
    with running_server(tally, ServerOptions()) as server, relayed(server.url, rule) as relay:
        yield tally, relay, {"BITGN_HOST": relay.url, "BITGN_API_KEY": KEY}


def check_nowhere(key: str, folder: Path, *results: Result) -> None:
    assert all(key not in result.out + result.err for result in results)
    assert all(key not in path.read_text() for path in folder.rglob("*.jsonl"))


def to(*methods: str, reply: bytes, first: int = 1, last: int = 10**9) -> Rule:
    """Answer calls of these methods with `reply`, from the `first` to the `last` of each."""
    return lambda method, number: reply if method in methods and first <= number <= last else None


def light(cases: dict[str, Any], *beginnings: str) -> list[ParameterSet]:
    """Mark as heavy the cases whose names have none of these beginnings."""
    return [pytest.param(name, marks=() if name.startswith(beginnings) else pytest.mark.heavy) for name in cases]


IN_PASSING = {
    "a page for the start of the run": to("StartRun", reply=PAGE, last=1),
    "a page for starts": to("StartTrial", reply=PAGE, last=2),
    "a page for ends and the submission": to("EndTrial", "SubmitRun", reply=PAGE, last=2),
    "pages for everything that trials do": to("Read", "Stat", "Exec", "Write", "Answer", reply=PAGE, last=2),
    "replies of another shape for starts and ends": to(
        *("StartTrial", "EndTrial", "SubmitRun"),
        reply=in_place(200, '{"trialId": [], "runId": [], "state": {}}'),
        last=2,
    ),
    "two starts refused as no later one is": to("StartTrial", reply=refused(404, "not_found"), last=2),
    "not found, by a balancer": to("StartTrial", "Read", "EndTrial", reply=in_place(404, "no backend"), last=2),
}


@pytest.mark.parametrize("case", light(IN_PASSING, "a page for ends", "pages for", "two starts"))
def test_a_passing_stand_in_for_the_platform_costs_nothing(case: str, type_in: Type) -> None:
    with platform(IN_PASSING[case]) as (tally, _, keys):
        result = type_in(*FLAGS, **keys)
        assert result.code == 0, result.err
        tally.check_delivered()


FOR_GOOD = {
    "pages for starts": (to("StartTrial", reply=PAGE), "is text/html, not JSON; is the host right?"),
    "pages for starts but the first two": (to("StartTrial", reply=PAGE, first=3), "is the host right?"),
    "starts refused by a gateway": (to("StartTrial", reply=in_place(403, "forbidden")), "status 403: forbidden"),
    "starts refused for the key": (
        to("StartTrial", reply=refused(401, "unauthenticated", f"no such key: {KEY}")),
        "no such key: [secret]",
    ),
    "starts that the platform cannot do": (to("StartTrial", reply=refused(501, "unimplemented")), "unimplemented"),
    "starts that all break": (to("StartTrial", reply=refused(500, "internal", "a fault")), "no trial could be started"),
    "starts of trials that are forgotten": (to("StartTrial", reply=refused(404, "not_found")), "no trial could be"),
    "starts of another shape": (to("StartTrial", reply=in_place(200, "{}")), "is not as described: harnessUrl"),
    "answers refused for the key": (
        to("Answer", reply=refused(401, "unauthenticated", f"no such key: {KEY}")),
        "refuses the calls of trials",
    ),
    "ends refused for the key": (
        to("EndTrial", reply=refused(401, "unauthenticated", f"no such key: {KEY}")),
        "could not be ended",
    ),
    "the submission refused for the key": (
        to("SubmitRun", reply=refused(401, "unauthenticated", f"no such key: {KEY}")),
        "could not be submitted",
    ),
}


@pytest.mark.parametrize("case", light(FOR_GOOD, "pages for starts", "starts refused for", "answers", "ends"))
def test_a_lasting_fault_ends_the_run_unsubmitted_and_resume_delivers_all_of_it(
    case: str, type_in: Type, tmp_path: Path
) -> None:
    rule, says = FOR_GOOD[case]
    with platform(rule) as (tally, relay, keys):
        stopped = type_in(*FLAGS, **keys)
        assert stopped.code == 3, stopped.err
        (line,) = stopped.err.strip().splitlines()
        assert says in line
        assert tally.submits == 0
        relay.rule = lambda method, number: None
        resumed = type_in("resume", "last", "--quiet", **keys)
        assert resumed.code == 0, resumed.err
        tally.check_delivered()
    check_nowhere(KEY, tmp_path, stopped, resumed)


def test_a_journal_that_went_on_elsewhere_learns_the_scores_and_doubles_nothing(type_in: Type, tmp_path: Path) -> None:
    with platform(to("StartTrial", reply=refused(401, "unauthenticated"), first=3)) as (tally, relay, keys):
        assert type_in(*FLAGS, "--concurrency", "1", **keys).code == 3
        (journal,) = tmp_path.glob("runs/*.jsonl")
        shutil.copy(journal, tmp_path / "copy.jsonl")
        relay.rule = lambda method, number: None
        assert type_in("resume", "last", "--quiet", **keys).code == 0
        stale = type_in("resume", "copy.jsonl", "--json", **keys)
        tally.check_delivered()
    assert stale.code == 1
    assert [trial["score"] for trial in stale.json["trials"]] == [1.0] * TRIALS
    assert "has already ended" in stale.json["trials"][-1]["reason"]


WAITING = {
    "StartRun": refused(503, "unavailable"),
    "StartTrial": refused(503, "unavailable"),
    "Read": refused(429, "resource_exhausted", retry_after="60"),
    "EndTrial": refused(503, "unavailable"),
    "SubmitRun": refused(429, "resource_exhausted", retry_after="60"),
}


LIGHT_STOPS = (
    *((method, signal.SIGINT) for method in ("StartRun", "Read", "SubmitRun")),
    ("StartTrial", signal.SIGTERM),
)


@pytest.mark.parametrize(
    ("method", "number"),
    [
        *LIGHT_STOPS,
        *(
            pytest.param(method, number, marks=pytest.mark.heavy)
            for method in WAITING
            for number in (signal.SIGINT, signal.SIGTERM)
            if (method, number) not in LIGHT_STOPS
        ),
    ],
)
def test_a_run_that_waits_for_the_platform_is_stopped_by_one_signal_and_resumed(
    method: str, number: int, tmp_path: Path
) -> None:
    with platform(to(method, reply=WAITING[method])) as (tally, relay, keys):
        process = started(*FLAGS, "--set", "lifecycle_patience_s=60", cwd=tmp_path, **keys)
        wait_until(lambda: relay.calls[method] >= 2 or (method in ("Read", "SubmitRun") and relay.calls[method] >= 1))
        began = time.monotonic()
        process.send_signal(number)
        _, err = process.communicate(timeout=30)
        assert time.monotonic() - began < 12
        assert tally.submits == 0
        relay.rule = lambda method, number: None
        assert process.returncode == 130, err
        if method == "StartRun":
            assert "interrupted before the run began" in err
            assert not list(tmp_path.rglob("*.jsonl"))
            return
        resumed = inside("resume", "last", "--quiet", cwd=tmp_path, **keys)
        assert resumed.code == 0, resumed.err
        tally.check_delivered()


@pytest.mark.parametrize("subject", [pytest.param("/AGENTS.MD", marks=pytest.mark.heavy), "/bin/refund", "/note.txt"])
def test_nobody_learns_that_a_call_failed_because_the_run_was_stopped(subject: str, tmp_path: Path) -> None:
    """The first message of a trial shows a document and a tool's help; a script reads the note."""
    refusals = 0

    async def act(call: Passing, writer: asyncio.StreamWriter) -> None:
        nonlocal refusals
        is_hit = f'"{subject}"'.encode() in call.request
        refusals += is_hit
        writer.write(refused(503, "unavailable") if is_hit else await call.forward())

    with platform(lambda method, number: act) as (tally, relay, keys):
        process = started(*FLAGS, "--concurrency", "1", "--set", "call_patience_s=60", cwd=tmp_path, **keys)
        wait_until(lambda: refusals >= 2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        relay.rule = lambda method, number: None
        assert inside("resume", "last", "--quiet", cwd=tmp_path, **keys).code == 0
        tally.check_delivered()
    (journal,) = tmp_path.glob("runs/*.jsonl")
    for record in [trial.record for trial in open_journal(journal).trials.values()]:
        assert record.initial_prompt is not None
        calls = [*record.initial_prompt.calls, *(each for step in record.steps for each in step.calls)]
        assert not [each for each in calls if each.error and each.error.code == "unavailable"]
    assert inside("replay", "last", "--verify", cwd=tmp_path).code == 0
