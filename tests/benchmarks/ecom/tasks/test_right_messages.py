"""Right messages in many wordings and three languages, which the shop's grader has to accept.

The file `phrasings.txt` has them by subject: what was asked for, and in which case. `{t...}` stands
for a value of the trial `t`, in which the message is graded:

    @ basket-checkout: possible
    Basket {t.basket.id} is checked out now.
    Der Warenkorb {t.basket.id} ist jetzt ausgecheckt.
"""

from collections import Counter
from pathlib import Path

from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED
from tests.benchmarks.ecom.tasks.message_trials import grade_of_message, trials_of

MAX_TRIALS_OF_A_SUBJECT = 3
"""In how many trials, at most, the messages about a subject are graded."""


def read_phrasings() -> dict[str, list[str]]:
    """Return the lines of the file by subject.

    `{"basket-checkout: possible": ["Basket {t.basket.id} is checked out now.", ...], ...}`
    """
    text = Path(__file__).with_name("phrasings.txt").read_text("utf-8")
    phrasings = {}
    for section in text.split("@ ")[1:]:
        subject, *messages = section.strip("\n").split("\n")
        phrasings[subject] = messages
    return phrasings


def test_at_most_one_right_message_in_200_is_refused() -> None:
    """The messages are as people wrote them, so a few may be misjudged."""
    refused: list[str] = []
    graded_count = 0
    for subject, phrasings in read_phrasings().items():
        for trial in trials_of(subject)[:MAX_TRIALS_OF_A_SUBJECT]:
            for phrasing in phrasings:
                message = phrasing.format(t=trial)
                graded_count += 1
                if grade_of_message(trial, message).score < 1.0:
                    refused.append(message)

    assert len(refused) <= graded_count / 200, refused


def test_each_outcome_has_at_least_forty_phrasings() -> None:
    """Otherwise the share of refused messages would say little about denials, for example."""
    phrasings_by_outcome = Counter[str]()
    for subject, phrasings in read_phrasings().items():
        first_trial = trials_of(subject)[0]
        phrasings_by_outcome[first_trial.truth.outcome] += len(phrasings)

    assert set(phrasings_by_outcome) == {OK, DENIED, UNSUPPORTED, CLARIFICATION}
    assert min(phrasings_by_outcome.values()) >= 40
