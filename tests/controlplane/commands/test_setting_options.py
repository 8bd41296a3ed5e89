"""What documents and `--help` say of the fields of models."""

from pydantic import BaseModel

from controlplane.commands.setting_options import field_texts
from controlplane.configuration.run_settings import RunSettings


class Parent(BaseModel):
    first: int = 1
    """How many,
    at most."""
    plain: str = ""


class Child(Parent):
    second: str = ""
    """Its name."""
    first: int = 2
    """How many there are."""


def test_a_field_is_told_by_the_sentence_under_it_on_one_line() -> None:
    assert field_texts(Parent) == {"first": "How many, at most."}


def test_a_model_has_the_sentences_of_its_bases_unless_it_tells_its_own() -> None:
    assert field_texts(Child) == {"first": "How many there are.", "second": "Its name."}


def test_every_setting_is_told() -> None:
    assert {*RunSettings.model_fields} == {*field_texts(RunSettings)}
