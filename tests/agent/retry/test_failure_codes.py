"""What a code means, for everybody who retries, pauses or judges."""

import re
from pathlib import Path

import pytest

from agent.retry import failure_of, may_yet_succeed

ALL = {
    *("unavailable", "resource_exhausted", "deadline_exceeded", "aborted", "internal", "canceled", "unknown"),
    *("data_loss", "unauthenticated", "permission_denied", "unimplemented", "not_found", "invalid_argument"),
    *("failed_precondition", "already_exists", "out_of_range", "of another protocol"),
}
TRANSIENT = {"unavailable", "resource_exhausted", "deadline_exceeded", "aborted", "internal", "canceled"}
IN_DOUBT = {"deadline_exceeded", "internal", "canceled", "unknown", "data_loss"}
UNREACHABLE = {"unavailable", "resource_exhausted", "deadline_exceeded"}
FAILS_ALL = UNREACHABLE | {"unauthenticated", "permission_denied", "unimplemented"}


@pytest.mark.parametrize("code", sorted(ALL))
def test_a_code_says_whether_it_is_transient_in_doubt_and_everybodys(code: str) -> None:
    failure = failure_of(code)
    assert failure.transient == (code in TRANSIENT)
    assert failure.in_doubt == (code in IN_DOUBT)
    assert failure.fails_all == (code in FAILS_ALL)
    assert failure.is_unreachable == (code in UNREACHABLE)
    assert failure.is_tooling == (code in TRANSIENT | IN_DOUBT)
    assert may_yet_succeed(code) == (code in TRANSIENT | IN_DOUBT | {"unauthenticated"})


def test_the_documentation_shows_the_same_table() -> None:
    page = (Path(__file__).parents[3] / "docs" / "remote.md").read_text()
    rows = [line for line in page.splitlines() if re.match(r"\| `[a-z_`, ]+( \| (yes|no)[^|]*){3}\|", line)]
    shown = set()
    for row in rows:
        codes, *said = (each.strip() for each in row.strip("| ").split("|"))
        for code in re.findall(r"[a-z_]+", codes):
            failure = failure_of(code)
            known = (failure.transient, failure.in_doubt, failure.fails_all)
            assert tuple(each.startswith("yes") for each in said) == known, code
            shown.add(code)
    assert shown == TRANSIENT | IN_DOUBT | FAILS_ALL
