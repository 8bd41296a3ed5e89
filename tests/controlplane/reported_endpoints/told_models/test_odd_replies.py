"""A reply has scripts or calls in a form that cannot be used, and the run goes on.

Nothing of such a reply may be submitted as an answer. A case such as `b47-nul` is a file with replies
that users of public projects have reported. `played` is the run of one trial with these replies.
"""

from tests.controlplane.reported_endpoints.case_checks import check_no_prose_submitted
from tests.controlplane.reported_endpoints.played_case import PlayedCase, plays


@plays("c01-qwen-xml-two-steps", "c02-code-tags-two-steps")
def test_scripts_in_an_unknown_form_are_not_taken_for_an_answer(
    played: PlayedCase,
) -> None:
    """The reply has two scripts, as XML or in <code> tags. Neither of them answers."""
    check_no_prose_submitted(played)


@plays("b47-nul", "b50-nbsp-code")
def test_code_that_is_not_python_does_not_end_the_run(played: PlayedCase) -> None:
    """It has a NUL character, or is indented with no-break spaces."""
    assert played.result.code == 0, played.summary
    check_no_prose_submitted(played)


@plays("e08-long-name")
def test_a_call_of_an_endless_tool_name_is_told_as_unknown(played: PlayedCase) -> None:
    """The name has 200 characters, half of them line ends."""
    assert played.result.code == 0, played.summary
    assert "there is no tool" in str(played.requests[1:])


@plays("e06-duplicate-ids")
def test_two_tool_calls_with_the_same_id_do_not_end_the_run(played: PlayedCase) -> None:
    """Both calls have the id ""."""
    assert played.result.code == 0, played.summary
