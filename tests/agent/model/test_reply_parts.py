"""A program that makes a reply itself is told which fields it takes."""

import pytest

from controlplane.agent.model import Reply


def test_a_misspelt_field_is_told_with_the_fields_there_are() -> None:
    with pytest.raises(
        TypeError, match=r"Reply needs text, and has no txt. Its fields are .*text"
    ):
        Reply(txt="Done.")


def test_a_value_without_a_name_is_told_with_the_fields_there_are() -> None:
    with pytest.raises(
        TypeError,
        match=r"Reply takes its values by name, and needs text. Its fields are .*text",
    ):
        Reply("Done.")
