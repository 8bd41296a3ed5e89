"""Trials that end without an answer, because the model cannot answer this conversation.

Most conversations are too long for the model. Other trials of the run may have shorter ones, so
the run goes on. The user reads the reason beside the trial: "longer than the model's context".
"""

from tests.controlplane.reported_endpoints.case_checks import (
    check_model_told,
    check_trial_ended,
)
from tests.controlplane.reported_endpoints.played_case import (
    PlayedCase,
    plays,
    plays_each,
)

TOO_LONG = "longer than the model's context"
"""What the product says of a conversation that the model cannot take."""

ENDED_AT_ONCE = {
    # The provider's own words are only in the metadata of the error.
    "a01-openrouter-raw-context": [TOO_LONG, "maximum context length is 32768"],
    # 200 with an error whose code is `context_length_exceeded`.
    "a07-200-context-code": [TOO_LONG],
    # The same as a failed response of the Responses API.
    "c23-resp-failed-context": [TOO_LONG],
    # 413 from a gateway: "exceeded this model context window limit".
    "c34-413": [TOO_LONG],
    # "All target providers failed." The reason is in a list of attempts.
    "c36-all-providers-failed": ["maximum context length of 262144"],
    # The request is larger than the limit of tokens in a minute.
    "d18-413-groq-tpm": ["Requested 7000"],
    "e01-429-request-too-large": ["--initial-prompt-chars", "--max-output-tokens"],
}
"""By case, parts of the reason. The same conversation would be refused again."""


@plays_each(ENDED_AT_ONCE, "words")
def test_a_conversation_that_is_refused_for_good_ends_its_trial(
    played: PlayedCase, words: list[str]
) -> None:
    """After a single request; other trials of the run may have shorter conversations."""
    check_trial_ended(played, *words)


ENDED_AFTER_RETRIES = {
    # The model refuses to answer, and its content is "".
    "a11-refusal-empty-string": ["refusal"],
    # The reply has no choice at all.
    "a20-choices-empty": [],
    "a21-choices-null-error-message": [],
    # The body is invalid JSON: its strings have raw line ends.
    "c43-control-chars": ["given up after 5 such replies"],
}
"""By case, parts of the reason. Another try might have had another reply."""


@plays_each(ENDED_AFTER_RETRIES, "words")
def test_a_trial_ends_if_its_replies_are_unreadable_again_and_again(
    played: PlayedCase, words: list[str]
) -> None:
    """After several requests, at most twelve."""
    check_trial_ended(played, *words, max_requests=12)


@plays("c27-resp-refusal")
def test_a_refusal_is_told_to_the_model_before_the_trial_ends(
    played: PlayedCase,
) -> None:
    """The model replies that it will not answer, as a `refusal` of the Responses API, again and
    again."""
    check_trial_ended(played, "refusal", max_requests=12)
    check_model_told(played, "refusal")
