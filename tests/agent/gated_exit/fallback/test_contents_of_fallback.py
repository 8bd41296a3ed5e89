"""An answer that is sent although it was rejected has only what something supports.

Such a *fallback* is sent if a trial ends without an accepted answer. The submission "42" cites
`/books/dune.txt`, which was read, and `/never/read.txt`, which was not.
"""

from controlplane.agent.gated_exit import fallback_answer
from tests.agent.gated_exit.fallback.trial_without_answer import TrialWithoutAnswer


def test_the_fallback_does_not_cite_a_file_that_was_not_read() -> None:
    trial = TrialWithoutAnswer()
    trial.submit_in_vain("42")

    sent = fallback_answer(trial.gated_exit, "the time is up")

    assert sent.refs == ("/books/dune.txt",)


def test_the_record_says_which_gate_had_rejected_the_fallback() -> None:
    """It is gate 4, which rejects citations of files that were not read."""
    trial = TrialWithoutAnswer()
    trial.submit_in_vain("42")

    sent = fallback_answer(trial.gated_exit, "the time is up")

    assert sent.failed == ("4",)


def test_the_user_may_want_an_error_instead_of_a_rejected_answer() -> None:
    """With `--fallback internal`, no submission is repeated. The answer says that there is
    none, and why."""
    trial = TrialWithoutAnswer()
    trial.submit_in_vain("42")

    sent = fallback_answer(trial.gated_exit, "the time is up", repeats_last=False)

    assert sent.fallback
    assert sent.message == "No answer was reached: the time is up."
    assert sent.outcome == "OUTCOME_ERR_INTERNAL"
    assert sent.refs == ()
    assert sent.failed == ()
