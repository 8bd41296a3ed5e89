"""Submissions are judged in bounded time, whatever they hold, and whatever a user's rules do.

A submission is an answer with the files that it cites. One that is too large is sent back without
being judged. A rule of a user that hangs is stopped, and the others judge.
"""

from __future__ import annotations

from controlplane.agent.submission import find_verdicts, judging_modules
from controlplane.gates.submission import Case, Submission
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.agent.gated_exit.hanging_rule import HANGING
from tests.gates.recorded_calls import CallsOfTrial
from tests.support.executed_work import executed_lines


def answer_citing(reasons: dict[str, str]) -> Submission:
    """Return the answer "7" that cites files: `answer_citing({"/docs/Loans.md": "its 7 loans"})`."""
    return Submission(answer="7", outcome="OUTCOME_OK", refs_why=reasons)


HOW_MANY = Case(instruction="How many loans are open?")


class TestLargeSubmissions:
    """At most 1,000 paths may be cited, and a path may not have 5,000 characters."""

    def test_1001_citations_are_sent_back_with_their_number(self) -> None:
        citations = {f"/{number}": "why" for number in range(1_001)}
        nothing_read = CallsOfTrial().evidence

        (verdict,) = find_verdicts(
            None, answer_citing(citations), nothing_read, HOW_MANY, rule_sets=()
        )

        assert verdict.result == "reject"
        assert verdict.enforcement == "block"  # until it is corrected
        assert "1001 paths" in verdict.reason

    def test_a_path_of_5000_characters_is_sent_back_with_its_length(self) -> None:
        citations = {"/" * 5_000: "why"}
        nothing_read = CallsOfTrial().evidence

        (verdict,) = find_verdicts(
            None, answer_citing(citations), nothing_read, HOW_MANY, rule_sets=()
        )

        assert verdict.result == "reject"
        assert verdict.enforcement == "block"
        assert "5000" in verdict.reason


def test_a_rule_that_hangs_is_stopped_and_the_others_judge() -> None:
    """The rules judge in a worker, a process that may use 0.3 s of processor time for each."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    submission = answer_citing({"/docs/Loans.md": "its 7 loans"})

    with (
        ForkServer(judging_modules(("ecom", HANGING))) as server,
        Worker(server, limits=WorkerLimits(call_cpu_s=0.3)) as worker,
    ):
        verdicts = find_verdicts(
            worker, submission, calls.evidence, HOW_MANY, ("ecom", HANGING)
        )

    # The answer can still be sent: the verdict of a rule that hangs says only why it has none.
    *other_verdicts, hanging_verdict = verdicts
    assert hanging_verdict.name == HANGING
    assert hanging_verdict.result == "not_applicable"
    assert "0.3 s of CPU" in hanging_verdict.reason

    # The others judge as if that rule were not there.
    verdicts_without_it = find_verdicts(
        None, submission, calls.evidence, HOW_MANY, ("ecom",)
    )
    assert other_verdicts == list(verdicts_without_it)


def test_a_submission_made_to_be_slow_is_judged_with_bounded_work() -> None:
    """A text of 260,000 words is cited 900 times, each time with 400 words that it does not have.

    If each word were compared with each word, billions of lines of Python would be executed.
    """
    # The 64 words "bl", "bm", ..., "kt"
    text_words = [first + second for first in "bcdfghjk" for second in "lmnpqrst"]
    calls = CallsOfTrial()
    calls.read_text("/long.txt", f"w1 {' '.join(text_words)} " * 4_000)

    # The 400 words "bl-fs", "bl-ft", ...: the text has their halves only.
    first_halves = text_words[:20]
    second_halves = text_words[30:50]
    reason_words = [
        f"{half}-{other}" for half in first_halves for other in second_halves
    ]
    reason = " ".join(reason_words)
    citations = {f"/long.txt#{number}": f"{number} {reason}" for number in range(900)}
    evidence = calls.evidence

    lines = executed_lines(
        lambda: find_verdicts(
            None, answer_citing(citations), evidence, HOW_MANY, ("ecom",)
        )
    )

    assert lines < 20_000_000
