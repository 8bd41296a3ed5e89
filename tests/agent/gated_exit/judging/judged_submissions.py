"""Submissions of a trial, and the calls by which rules judge them.

    submission_with(answer="8")       # the answer 8 instead of 7, which cites /docs/Loans.md
    calls_of_every_kind().evidence    # what the trial has read, so that the answer may cite the file

`CASE` is what the submissions answer: "How many loans are open?"
"""

from controlplane.agent.judging import find_verdicts
from controlplane.gates.submission import Case, Probe, Submission
from controlplane.sandbox import Worker
from tests.gates.judged_scratchpads import CallsOfTrial

BOOK = "/docs/Loans.md"
CASE = Case(
    # The answer is to have the form `<COUNT:7>`.
    instruction="How many loans are open? Answer with the number only, <COUNT:%d>.",
    rules="Cite what you read.",
    rules_path="/AGENTS.MD",
    internal_errors_before=1,  # The trial has given up before, so it may give up now.
)


def calls_of_every_kind() -> CallsOfTrial:
    """Return the calls of a trial that read, listed, wrote, ran a tool, and failed once."""
    calls = CallsOfTrial()
    calls.read(BOOK, "/docs/Other.md")
    calls.list_folder("/docs", BOOK)
    calls.write("/new.txt", "a new text")
    calls.run("/bin/show", BOOK, stdout="shown")
    calls.fail("read", "/gone", "internal")
    return calls


def refuse_to_verify(is_blank_copy: bool) -> tuple[bool, str]:
    """Stand for the call of a script's `verify`, which the rules here must not make."""
    raise AssertionError("only gate 7 may call verify")


VERIFY = Probe(is_callable=True, takes_one_argument=True, ask=refuse_to_verify)
"""What is known of `verify`, the function by which a script checks its own answer."""


def submission_with(verify: Probe = VERIFY, **changed: object) -> Submission:
    """Return a submission of a script that answers 7, with some keys of its scratchpad changed.

    `submission_with(outcome="OUTCOME_ERR_INTERNAL")` gives up instead.
    """
    scratchpad: dict[str, object] = {
        "answer": "7",
        "outcome": "OUTCOME_OK",
        "refs_why": {BOOK: "the book of loans"},
    }
    scratchpad.update(changed)
    return Submission.from_scratchpad(scratchpad, verify)


def assert_same_verdicts(
    worker: Worker,
    submission: Submission,
    calls: CallsOfTrial,
    rule_sets: tuple[str, ...],
) -> None:
    """Assert that rules come to the same verdicts in the worker as in this process."""
    judged = (submission, calls.evidence, CASE, rule_sets)
    verdicts_in_worker = find_verdicts(worker, *judged)
    verdicts_here = find_verdicts(None, *judged)  # without a worker
    assert verdicts_in_worker == verdicts_here
