"""Runs whose calls a proxy, a load balancer or the platform itself answers with a refusal.

A relay stands between the run and the platform. Its rule says which calls it answers in the
platform's place: `reply_to("StartTrial", reply=SIGN_IN_PAGE, last=2)` answers the first two starts of
trials. A run makes calls again after faults that pass, and stops, to be resumed, if they last.
"""

import shutil
from pathlib import Path

import pytest

from controlplane.errors import Unreachable
from tests.controlplane.platform_faults.platform_commands import (
    A_TRIAL_FAILED,
    OK,
    PLATFORM_KEY,
    scores_by_trial,
)
from tests.controlplane.platform_faults.relayed_platforms import (
    SHORT_PATIENCE_RUN,
    TRIALS_BEHIND_RELAY,
    relayed_platform,
)
from tests.controlplane.platform_faults.reply_rules import reply_to
from tests.support.relay.relayed_calls import (
    HTML_PAGE_RESPONSE,
    Rule,
    injected_response,
    protocol_refusal,
)

pytestmark = pytest.mark.usefixtures("short_backoff")


SIGN_IN_PAGE = HTML_PAGE_RESPONSE
"""The HTML page of a proxy that wants somebody to sign in."""
NO_BACKEND = injected_response(404, "no backend")
"""The reply of a load balancer whose servers are all down."""
UNEXPECTED_SHAPE = injected_response(200, '{"trialId": [], "runId": [], "state": {}}')
"""A reply whose fields have other types than the protocol says."""


class TestFaultsThatPass:
    """A proxy or a load balancer answers the first calls of some methods, and then lets calls pass.

    The relay's rule `reply_to("StartTrial", reply=SIGN_IN_PAGE, last=2)` answers the first two
    starts of trials by an HTML page. The run makes the calls again. `SHORT_PATIENCE_RUN` tries
    a call again for some seconds.
    """

    @pytest.mark.parametrize(
        "rule",
        [
            pytest.param(
                reply_to("EndTrial", "SubmitRun", reply=SIGN_IN_PAGE, last=2),
                id="an HTML page for the ends of trials and the submission",
            ),
            pytest.param(
                reply_to(
                    "Read",
                    "Stat",
                    "Exec",
                    "Write",
                    "Answer",
                    reply=SIGN_IN_PAGE,
                    last=2,
                ),
                id="an HTML page for everything that trials do",
            ),
            pytest.param(
                reply_to(
                    "StartTrial", reply=protocol_refusal(404, "not_found"), last=2
                ),
                id="two starts refused",
            ),
            pytest.param(
                reply_to("StartRun", reply=SIGN_IN_PAGE, last=1),
                id="an HTML page for the start of the run",
                marks=pytest.mark.heavy,
            ),
            pytest.param(
                reply_to("StartTrial", reply=SIGN_IN_PAGE, last=2),
                id="an HTML page for the starts of trials",
                marks=pytest.mark.heavy,
            ),
            pytest.param(
                reply_to(
                    "StartTrial",
                    "EndTrial",
                    "SubmitRun",
                    reply=UNEXPECTED_SHAPE,
                    last=2,
                ),
                id="replies of another shape for starts and ends",
                marks=pytest.mark.heavy,
            ),
            pytest.param(
                reply_to("StartTrial", "Read", "EndTrial", reply=NO_BACKEND, last=2),
                id="not found, by a load balancer",
                marks=pytest.mark.heavy,
            ),
        ],
    )
    def test_a_fault_that_passes_costs_nothing(
        self, rule: Rule, tmp_path: Path
    ) -> None:
        """The relay answers the first calls of some methods. The run makes these calls again."""
        with relayed_platform(tmp_path, rule) as platform:
            result = platform.command(*SHORT_PATIENCE_RUN)

            assert result.code == OK, result.err
            platform.benchmark.check_each_effect_happened_once()


NO_SUCH_KEY = protocol_refusal(401, "unauthenticated", f"no such key: {PLATFORM_KEY}")
"""The platform refuses the key, and repeats it in its message."""


class TestLastingFaults:
    """All calls of a method are refused, or all from the third on, until the platform recovers.

    The run stops with one line that says why, and `resume` completes it. A refusal may repeat
    the user's key, which is never shown or recorded. `SHORT_PATIENCE_RUN` gives up a call
    after some seconds, and `PLATFORM_KEY` is the key.
    """

    @pytest.mark.parametrize(
        ("rule", "message_part"),
        [
            pytest.param(
                reply_to("StartTrial", reply=SIGN_IN_PAGE),
                "is text/html, not JSON; is the host right?",
                id="an HTML page for every start",
            ),
            pytest.param(
                reply_to("StartTrial", reply=SIGN_IN_PAGE, first=3),
                "is the host right?",
                id="an HTML page for all starts but the first two",
            ),
            pytest.param(
                reply_to("StartTrial", reply=NO_SUCH_KEY),
                "no such key: [secret]",
                id="starts refused for the key",
            ),
            pytest.param(
                reply_to("Answer", reply=NO_SUCH_KEY),
                "refuses the calls of trials",
                id="answers refused for the key",
            ),
            pytest.param(
                reply_to("EndTrial", reply=NO_SUCH_KEY),
                "could not be ended",
                id="ends refused for the key",
            ),
            pytest.param(
                reply_to("SubmitRun", reply=NO_SUCH_KEY),
                "could not be submitted",
                id="the submission refused for the key",
                marks=pytest.mark.heavy,
            ),
            pytest.param(
                reply_to("StartTrial", reply=injected_response(403, "forbidden")),
                "status 403: forbidden",
                id="starts refused by a gateway",
                marks=pytest.mark.heavy,
            ),
            pytest.param(
                reply_to("StartTrial", reply=protocol_refusal(501, "unimplemented")),
                "unimplemented",
                id="starts that the platform cannot do",
                marks=pytest.mark.heavy,
            ),
            pytest.param(
                reply_to(
                    "StartTrial", reply=protocol_refusal(500, "internal", "a fault")
                ),
                "no trial could be started",
                id="starts that all break",
                marks=pytest.mark.heavy,
            ),
            pytest.param(
                reply_to("StartTrial", reply=protocol_refusal(404, "not_found")),
                "no trial could be",
                id="starts of trials that the platform has forgotten",
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
        self, rule: Rule, message_part: str, tmp_path: Path
    ) -> None:
        """The stopped run is not submitted, so that no trial counts as failed. It is resumed when
        the platform has recovered."""
        with relayed_platform(tmp_path, rule) as platform:
            stopped = platform.command(*SHORT_PATIENCE_RUN)
            assert stopped.code == Unreachable.exit_code, stopped.err
            (error_line,) = stopped.err.strip().splitlines()
            assert message_part in error_line
            assert platform.benchmark.submits == 0

            platform.recover()
            resumed = platform.command("resume", "last", "--quiet")
            assert resumed.code == OK, resumed.err
            platform.benchmark.check_each_effect_happened_once()

        # The key that some refusals repeat is not printed or recorded.
        for result in (stopped, resumed):
            assert PLATFORM_KEY not in result.out
            assert PLATFORM_KEY not in result.err
        for journal in tmp_path.rglob("*.jsonl"):
            assert PLATFORM_KEY not in journal.read_text()


class TestResumedCopies:
    """A copy of a journal is resumed after the journal itself, by which the run has ended.

    1. A run stops at its third trial, and its journal is copied.
    2. The run is resumed to its end.
    3. The copy is resumed, which does not know that all trials have ended.
    """

    def test_resuming_a_copy_of_an_older_journal_repeats_no_effect(
        self, tmp_path: Path
    ) -> None:
        """The platform has the scores of all trials, and starts none of them again."""
        third_start_refused = reply_to(
            "StartTrial", reply=protocol_refusal(401, "unauthenticated"), first=3
        )
        with relayed_platform(tmp_path, third_start_refused) as platform:
            stopped = platform.command(*SHORT_PATIENCE_RUN, "--concurrency", "1")
            assert stopped.code == Unreachable.exit_code
            shutil.copy(platform.journal, tmp_path / "copy.jsonl")

            platform.recover()
            resumed = platform.command("resume", "last", "--quiet")
            assert resumed.code == OK

            resumed_copy = platform.command("resume", "copy.jsonl", "--json")
            platform.benchmark.check_each_effect_happened_once()

        # The platform tells the copy the scores of all trials, but does not start a trial again
        # that has ended. So the last trial counts as failed in the copy: it has a score and no
        # answer.
        assert resumed_copy.code == A_TRIAL_FAILED
        scores = list(scores_by_trial(resumed_copy).values())
        assert scores == [1.0] * TRIALS_BEHIND_RELAY
        last_trial = resumed_copy.json["trials"][-1]
        assert "has already ended" in last_trial["reason"]
