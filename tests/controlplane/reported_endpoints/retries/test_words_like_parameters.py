"""No parameter of a request is left out because an error has a word that only looks like it.

If an endpoint refuses a parameter, such as "seed", a run leaves it out in all further requests, and
a notice says "takes no seed; leaving it out from here on". In these errors, the word means
something else: the run leaves nothing out, and only the trial ends.
"""

from tests.controlplane.reported_endpoints.case_checks import check_trial_ended
from tests.controlplane.reported_endpoints.played_case import PlayedCase, plays


@plays("c38-max-tokens-too-large")
def test_a_limit_beyond_the_context_ends_the_trial_and_changes_no_parameter(
    played: PlayedCase,
) -> None:
    """The error says that `max_tokens` is too large for the model's context."""
    check_trial_ended(played, "context")
    assert "from here on" not in played.notices


@plays("f06-flagged-url-reasoning")
def test_a_link_about_reasoning_is_not_taken_for_a_refused_parameter(
    played: PlayedCase,
) -> None:
    """One conversation is flagged. The error links to a page whose address has "reasoning".

    `played.requests[-1]` is the last request, which still has the parameter."""
    check_trial_ended(played, "flagged")
    assert "reasoning_effort" in played.requests[-1]


@plays("f08-seed-word")
def test_the_word_seed_in_an_error_is_not_taken_for_a_refused_parameter(
    played: PlayedCase,
) -> None:
    """The conversation is too long, and is about "seed documents"."""
    check_trial_ended(played, "longer than the model's context")
    assert "seed" in played.requests[-1]
