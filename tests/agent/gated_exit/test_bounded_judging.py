"""Submissions are judged in bounded time, whatever they hold, and whatever a user's rules do.

A submission that is too large is sent back without being judged: 1,001 cited paths -> "1001 paths".
A rule of a user that hangs is stopped, and the others judge. A text that is made to be slow to
search is judged with a bounded number of executed lines.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from controlplane.agent.submission import (
    find_verdicts,
    judging_modules,
)
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.agent.gated_exit.judged_submissions import (
    CASE,
    HANGING,
    calls_of_every_kind,
    submission_with,
)
from tests.support.executed_work import executed_lines


class TestLargeSubmissions:
    """A submission that is too large is sent back without being judged.

    At most 1,000 paths may be cited, and a path may not have 5,000 characters.
    """

    def test_a_submission_with_too_many_citations_is_sent_back_with_their_number(
        self,
    ) -> None:
        citations = {f"/{number}": "why" for number in range(1_001)}
        evidence = calls_of_every_kind().evidence

        (verdict,) = find_verdicts(
            None, submission_with(refs_why=citations), evidence, CASE, rule_sets=()
        )

        assert verdict.result == "reject"
        assert verdict.enforcement == "block"  # until it is corrected
        assert "1001 paths" in verdict.reason

    def test_a_submission_with_too_long_a_path_is_sent_back_with_its_length(
        self,
    ) -> None:
        citations = {"/" * 5_000: "why"}
        evidence = calls_of_every_kind().evidence

        (verdict,) = find_verdicts(
            None, submission_with(refs_why=citations), evidence, CASE, rule_sets=()
        )

        assert verdict.result == "reject"
        assert verdict.enforcement == "block"
        assert "5000" in verdict.reason


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    """Start workers that can judge by this rule, and by the product's rule set `ecom`."""
    with ForkServer(judging_modules(("ecom", HANGING))) as server:
        yield server


class TestHangingRules:
    """A user's rule that never ends is stopped, and the other rules judge.

    The rule set `HANGING` has such a rule, and `ecom` is one of the product. They judge in a
    worker, a process that is stopped when it has used 0.3 s of processor time.
    """

    def test_a_rule_that_hangs_cannot_judge(self, server: ForkServer) -> None:
        """Its verdict says that it is not applicable, and why. So the answer can still be sent."""
        evidence = calls_of_every_kind().evidence
        with Worker(server, limits=WorkerLimits(call_cpu_s=0.3)) as worker:
            verdicts = find_verdicts(
                worker, submission_with(), evidence, CASE, ("ecom", HANGING)
            )

        hanging_verdict = verdicts[-1]
        assert hanging_verdict.name == HANGING
        assert hanging_verdict.result == "not_applicable"
        assert "0.3 s of CPU" in hanging_verdict.reason

    def test_other_rules_judge_as_if_a_rule_that_hangs_were_not_there(
        self, server: ForkServer
    ) -> None:
        evidence = calls_of_every_kind().evidence
        with Worker(server, limits=WorkerLimits(call_cpu_s=0.3)) as worker:
            verdicts = find_verdicts(
                worker, submission_with(), evidence, CASE, ("ecom", HANGING)
            )

        *other_verdicts, _hanging_verdict = verdicts
        verdicts_without_it = find_verdicts(
            None, submission_with(), evidence, CASE, ("ecom",)
        )
        assert other_verdicts == list(verdicts_without_it)


class TestSlowSubmissions:
    """A submission that is made to be slow to judge takes bounded work."""

    def test_a_submission_made_to_be_slow_is_judged_with_bounded_work(self) -> None:
        """A text has 260,000 words such as `bl` and `ft`. It is cited 900 times, each time with a
        reason of 400 words such as `bl-ft`. The text does not have these words, so each is looked
        for in vain. If each word were compared with each word, billions of lines of Python would be
        executed."""
        calls = calls_of_every_kind()
        text_words: list[str] = []
        for first_letter in "bcdfghjk":
            for second_letter in "lmnpqrst":
                text_words.append(first_letter + second_letter)
        calls.read_text("/long.txt", f"w1 {' '.join(text_words)} " * 4_000)

        reason_words: list[str] = []
        for first_half in text_words[:20]:
            for second_half in text_words[30:50]:
                reason_words.append(f"{first_half}-{second_half}")
        citations: dict[str, str] = {}
        for number in range(900):
            citations[f"/long.txt#{number}"] = f"{number} {' '.join(reason_words)}"
        submission = submission_with(refs_why=citations)
        evidence = calls.evidence

        lines = executed_lines(
            lambda: find_verdicts(None, submission, evidence, CASE, ("ecom",))
        )

        assert lines < 20_000_000
