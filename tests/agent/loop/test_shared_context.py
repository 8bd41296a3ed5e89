"""What a provider's prompt cache can keep: all of the turn before, and the beginnings of other trials' requests."""

import itertools
import json
import os

from sandbox import ForkServer
from tests.bench.shared_prefix import first_requests
from tests.support.phonebook import Phonebook
from tests.support.single_trial import solve, step

MISTAKES = ("print(1", "import os", "not JSON at all", "raise ValueError('no')")


def test_every_request_of_35_steps_begins_with_the_whole_one_before(server: ForkServer) -> None:
    replies = [step(f"print({number})") for number in range(45)]
    for place, each in enumerate(MISTAKES):
        replies[5 + 7 * place] = each if "JSON" in each else step(each)
    requests = solve(Phonebook(0.0), "ada-0", replies, server).model.requests
    assert len(requests) >= 35
    texts = [[json.dumps(each).encode() for each in request] for request in requests]
    kept = [
        len(os.path.commonprefix((b"".join(before), b"".join(after)))) / len(b"".join(before))  # noqa: RUF071
        for before, after in itertools.pairwise(texts)
    ]
    assert kept == [1.0] * (len(requests) - 1)


def test_what_trials_share_stands_before_what_differs() -> None:
    one, other = first_requests(0, tasks=2)
    shared = os.path.commonprefix((one, other))  # noqa: RUF071
    assert '<section title="exec /bin/sql --help">' in shared or '<section title="exec /bin/id --help">' in shared
    assert one.index("--help") < one.index('title="read /AGENTS.MD"') < one.index('title="tree /"')
    assert one.index('title="tree /"') < one.index("<instruction>")
