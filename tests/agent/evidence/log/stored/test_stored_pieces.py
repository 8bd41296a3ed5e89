"""Words that a program may put together from a script's pieces prove nothing where they are read.

`/bin/ship` is declared to change something, so it may write what it is given into any file. The script
passes halves of words, a number in another format, or more words than the log can keep.
"""

from controlplane.sandbox.interface import bounds
from tests.agent.evidence.log.citing_trial import CitingTrial


def test_a_word_that_was_stored_in_two_halves_proves_nothing() -> None:
    """The program could put the pieces together again. `va` and `ult` are passed in two runs,
    `no` and `on` in two arguments of one run."""
    trial = CitingTrial()
    trial.run("/bin/ship", "the va")
    trial.run("/bin/ship", "ult opens at no", "on")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_stored_number_in_another_format_proves_nothing() -> None:
    """`4471.00`, which the script passed, and `4,471.00` in the file are the same number."""
    trial = CitingTrial()
    trial.run("/bin/ship", "4471.00")
    trial.read("/docs/Secret.md", "4,471.00")

    assert not trial.can_cite("/docs/Secret.md", reason="4,471 were counted")


def test_a_text_proves_nothing_once_more_words_were_passed_than_are_kept() -> None:
    """The log keeps at most `MOST_OWN_WORDS` words that the script passed. Beyond that, every
    text may be the script's own, so it proves nothing."""
    trial = CitingTrial()
    too_many_words = " ".join(
        f"w{number}" for number in range(bounds.MOST_OWN_WORDS + 1)
    )
    trial.run("/bin/ship", stdin=too_many_words)
    trial.run("/bin/ship", "the vault opens at noon")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")
