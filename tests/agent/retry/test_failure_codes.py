"""What the error code of a failed call says: whether to repeat it, and whose fault it is.

A call of a model or a platform that failed has a code, such as `unavailable`: the server is down,
so a retry may help. After `invalid_argument`, it does not: the call itself is wrong.
"""

from typing import NamedTuple

import pytest

from controlplane.agent.failure_codes import failure_of, may_yet_succeed


class CodeMeaning(NamedTuple):
    """What the error code of a failed call means."""

    code: str
    transient: bool
    """A retry in the next minutes may succeed."""
    in_doubt: bool
    """The call may have had its effect although it failed."""
    fails_all: bool
    """The calls of all other trials are expected to fail, too."""
    is_outage: bool
    """The server serves nobody for now."""
    is_environment_fault: bool
    """The environment failed. Otherwise, the request was wrong."""
    succeeds_later: bool
    """The call may succeed in a resumed run, after a repair or with another key."""


YES, NO = True, False
CODE_MEANINGS = [
    #           code                   transient, in doubt, fails all, outage, environment, succeeds later
    CodeMeaning("unavailable",         YES,      NO,       YES,       YES,    YES,               YES),
    CodeMeaning("resource_exhausted",  YES,      NO,       YES,       YES,    YES,               YES),
    CodeMeaning("deadline_exceeded",   YES,      YES,      YES,       YES,    YES,               YES),
    CodeMeaning("aborted",             YES,      NO,       NO,        NO,     YES,               YES),
    CodeMeaning("internal",            YES,      YES,      NO,        NO,     YES,               YES),
    CodeMeaning("canceled",            YES,      YES,      NO,        NO,     YES,               YES),
    CodeMeaning("unknown",             NO,       YES,      NO,        NO,     YES,               YES),
    CodeMeaning("data_loss",           NO,       YES,      NO,        NO,     YES,               YES),
    CodeMeaning("unauthenticated",     NO,       NO,       YES,       NO,     NO,                YES),
    CodeMeaning("permission_denied",   NO,       NO,       YES,       NO,     NO,                NO),
    CodeMeaning("unimplemented",       NO,       NO,       YES,       NO,     NO,                NO),
    CodeMeaning("not_found",           NO,       NO,       NO,        NO,     NO,                NO),
    CodeMeaning("invalid_argument",    NO,       NO,       NO,        NO,     NO,                NO),
    CodeMeaning("failed_precondition", NO,       NO,       NO,        NO,     NO,                NO),
    CodeMeaning("already_exists",      NO,       NO,       NO,        NO,     NO,                NO),
    CodeMeaning("out_of_range",        NO,       NO,       NO,        NO,     NO,                NO),
    CodeMeaning("of another protocol", NO,       NO,       NO,        NO,     NO,                NO),
]  # fmt: skip


@pytest.mark.parametrize(
    "meaning", CODE_MEANINGS, ids=[meaning.code for meaning in CODE_MEANINGS]
)
def test_error_code_says_what_a_failed_call_means(meaning: CodeMeaning) -> None:
    """The retries of a call, and the end of its trial, follow from these facts."""
    failure = failure_of(meaning.code)

    assert failure.transient == meaning.transient
    assert failure.in_doubt == meaning.in_doubt
    assert failure.fails_all == meaning.fails_all
    assert failure.is_outage == meaning.is_outage
    assert failure.is_environment_fault == meaning.is_environment_fault
    assert may_yet_succeed(meaning.code) == meaning.succeeds_later
