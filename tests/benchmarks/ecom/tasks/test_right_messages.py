"""Right messages in many wordings and three languages, which the shop's grader has to accept.

"basket-0412 does not belong to your branch." is a right message if a discount is refused for this reason.
`phrasings.txt` has many, as people wrote them, so a few may be misjudged.
"""

from collections import Counter

from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED
from tests.benchmarks.ecom.tasks.message_trials import score_of_message
from tests.benchmarks.ecom.tasks.phrasings import read_sections


def test_at_most_one_right_message_in_200_is_refused() -> None:
    refused: list[str] = []
    graded_count = 0
    for section in read_sections():
        for trial in section.trials():
            for phrasing in section.phrasings:
                message = phrasing.format(t=trial)
                graded_count += 1
                if score_of_message(trial, message) < 1.0:
                    refused.append(message)

    assert len(refused) <= graded_count / 200, refused


def test_each_outcome_has_at_least_forty_phrasings() -> None:
    """Otherwise the share of refused messages would say little about denials, for example."""
    phrasings_by_outcome = Counter[str]()
    for section in read_sections():
        first_trial = section.trials()[0]
        phrasings_by_outcome[first_trial.truth.outcome] += len(section.phrasings)

    assert set(phrasings_by_outcome) == {OK, DENIED, UNSUPPORTED, CLARIFICATION}
    assert min(phrasings_by_outcome.values()) >= 40
