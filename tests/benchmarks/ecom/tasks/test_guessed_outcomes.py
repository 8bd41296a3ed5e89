"""The words of a request to the shop hardly tell the right outcome of its answer.

The outcome is done, denied, not supported, or a question. It could be guessed if, say, every
request with "please" had to be denied. `NaiveBayes` guesses by how often each word of the request
came with an outcome before: `guesser.guess(["please", "refund"])` is "OUTCOME_OK", say.
"""

from collections import Counter

import pytest

from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task, task_ids
from controlplane.benchmarks.ecom.world.names import WorldSettings
from tests.benchmarks.ecom.tasks.outcome_guesser import (
    LabelledRequest,
    NaiveBayes,
    words_and_pairs,
)


def labelled_requests(worlds_of_task: int) -> list[LabelledRequest]:
    """Return a request of each task in so many worlds, with its outcome.

    The requests have wordings that no solver was made for.
    """
    requests = []
    for number in range(worlds_of_task):
        for task_id in task_ids():
            seed = f"{number}|{task_id}|0"
            task = generate_task(task_id, seed, WorldSettings(wordings="unseen"))
            words = words_and_pairs(task.instruction)
            requests.append(LabelledRequest(words, task.truth.outcome))
    return requests


@pytest.mark.second_tier
def test_the_words_of_a_request_do_not_tell_the_outcome(heavy: bool) -> None:
    """A guesser learns from half of the requests, and guesses the outcomes of the others.

    It may be right a little more often than one who always says the most frequent outcome.
    """
    requests = labelled_requests(worlds_of_task=20 if heavy else 10)
    half = len(requests) // 2
    test_requests = requests[half:]

    guesser = NaiveBayes(requests[:half])
    right_guesses = 0
    for request in test_requests:
        if guesser.guess(request.words) == request.outcome:
            right_guesses += 1
    accuracy = right_guesses / len(test_requests)

    outcomes = Counter(request.outcome for request in test_requests)
    share_of_usual_outcome = max(outcomes.values()) / len(test_requests)
    assert accuracy <= share_of_usual_outcome + 0.10
