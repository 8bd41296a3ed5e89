"""Wrong answers to a request to delete temporary files, and to list them.

temporary_files_mistakes(truth)  # {"one file left": ..., "the neighbour deleted too": ...}
"""

from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from tests.benchmarks.ecom.solutions.careless_solutions import (
    Answer,
    Mistakes,
    ReferenceClient,
    Solution,
    right_except,
)


def temporary_files_mistakes(truth: TaskTruth) -> Mistakes:
    """Return wrong answers to a request to delete the files of a folder, and to list them.

    The right message has a path in each line. `truth.for_tests` has a file of another folder,
    whose name begins alike: `{"outside": "/tmp/cleanup-archive/a.tmp"}`.
    """
    right_paths = truth.message.split("\n")
    outside_path = truth.for_tests["outside"]
    reversed_message = "\n".join(reversed(right_paths))

    def deletes(*paths: str) -> Solution:
        """Return a solution that deletes these files, and says that it deleted the right ones."""

        def solution(client: ReferenceClient, truth: TaskTruth) -> Answer:
            for path in paths:
                client.delete(path)
            return client.answer(truth, truth.message)

        return solution

    return {
        "the neighbour deleted too": deletes(*right_paths, outside_path),
        "one file left": deletes(*right_paths[1:]),
        "another order": right_except(message=reversed_message),
    }
