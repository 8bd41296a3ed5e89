"""An error has a word that only looks like a refused parameter: the trial ends.

"seed", for example, is a parameter of a request, and here the conversation is about seed documents.
`played.requests[-1]` is the last request, which still has the parameter. A case such as `f08-seed-word`
is a file with an endpoint's replies.
"""

from tests.controlplane.reported_endpoints.case_checks import check_trial_ended
from tests.controlplane.reported_endpoints.played_case import PlayedCase, plays


@plays("c38-max-tokens-too-large")
def test_a_limit_beyond_the_context_ends_the_trial_and_changes_no_parameter(
    played: PlayedCase,
) -> None:
    """The error names `max_tokens`, but the endpoint does know it. The notice that it is left
    out "from here on" would be wrong."""
    check_trial_ended(played, "context")
    assert "from here on" not in played.notices


@plays("f06-flagged-url-reasoning")
def test_a_link_about_reasoning_is_not_taken_for_a_refused_parameter(
    played: PlayedCase,
) -> None:
    """One conversation is flagged. The error links to a page whose address has "reasoning"."""
    check_trial_ended(played, "flagged")
    assert "reasoning_effort" in played.requests[-1]


@plays("f08-seed-word")
def test_the_word_seed_in_an_error_is_not_taken_for_a_refused_parameter(
    played: PlayedCase,
) -> None:
    """The conversation is too long, and is about "seed documents"."""
    check_trial_ended(played, "longer than the model's context")
    assert "seed" in played.requests[-1]
