"""The scratchpad keeps at most 5,000 lists and mappings for the next steps, itself included.

A script keeps values in the mapping `scratchpad`, and each part of them costs the parent process
memory. A step that exceeds the limit fails, and its error names the largest key.
"""

from controlplane.sandbox import Ending


def test_a_scratchpad_of_too_many_lists_is_refused_and_the_earlier_one_kept(
    open_sandbox,
):
    sandbox = open_sandbox()
    sandbox.run("scratchpad['a'] = 1")

    result = sandbox.run("scratchpad['big'] = [[] for _ in range(5_000)]")

    assert result.ending is Ending.RAISED
    assert (
        "ValueError: the scratchpad has more than 5000 lists and mappings; "
        "its largest key is 'big'"
    ) in result.error
    assert result.scratchpad == {"a": 1}


def test_the_key_with_most_lists_is_named_and_not_the_longest_text(open_sandbox):
    """Brackets within a text are no lists."""
    result = open_sandbox().run("""
scratchpad["few"] = ["[" * 9_000, [1]]
scratchpad["big"] = [[] for _ in range(5_000)]
""")

    assert result.ending is Ending.RAISED
    assert "its largest key is 'big'" in result.error


def test_dates_count_because_they_are_kept_as_mappings(open_sandbox):
    """A date is kept as `{"$": "date", ...}`."""
    sandbox = open_sandbox()
    sandbox.run("scratchpad['a'] = 1")

    result = sandbox.run("""
from datetime import datetime
scratchpad["big"] = [datetime(2026, 1, 1)] * 5_000
""")

    assert result.ending is Ending.RAISED
    assert (
        "ValueError: the scratchpad has more than 5000 lists and mappings"
        in result.error
    )
    assert result.scratchpad == {"a": 1}


def test_brackets_within_a_text_do_not_count(open_sandbox):
    result = open_sandbox().run("scratchpad['few'] = ['[' * 9_000, [1]]")

    assert result.error == ""
