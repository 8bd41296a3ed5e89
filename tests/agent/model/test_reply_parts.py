"""The mistakes that a user's own model can make when it creates a `Reply`.

A user may plug in a model by returning `Reply(text="...")`. A wrong call, such as
`Reply("...")`, must say which fields a reply has, so that the user can correct it.
"""

import pytest

from controlplane.agent.model import Reply


def test_misspelt_field_is_refused_with_a_list_of_all_fields() -> None:
    expected_message = r"Reply needs text, and has no txt. Its fields are .*text"

    with pytest.raises(TypeError, match=expected_message):
        Reply(txt="Done.")


def test_positional_value_is_refused_with_a_list_of_all_fields() -> None:
    expected_message = (
        r"Reply takes its values by name, and needs text. Its fields are .*text"
    )

    with pytest.raises(TypeError, match=expected_message):
        Reply("Done.")
