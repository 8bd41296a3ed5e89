"""Which texts of a call's result are fields of data, and which are running text.

Running text, such as the body of a mail, may be by an attacker, so it is not trusted. A field of
data, such as an id in a table, is trusted.

| text                                             | is data?                            |
| ------------------------------------------------ | ----------------------------------- |
| `{"id": "7", "name": "Ann"}`, or CSV             | yes, each key and each value        |
| `Ann Miller`: at most eight words in a line      | yes                                 |
| `Dear Ann, the parcel arrives on Friday, ...`    | no                                  |
| `to: Ann` and `iban: DE12`, in two lines         | no: anybody can write a mail so     |
"""

from __future__ import annotations

import json

import pytest

from controlplane.agent.evidence.texts.result_texts import texts_of_result


def data_in(value: object) -> set[str]:
    """Return the texts that are data in the result `value` of a tool."""
    data_texts: set[str] = set()
    for text in texts_of_result({"value": json.dumps(value)}):
        if text.is_data:
            data_texts.add(text.text)
    return data_texts


RUNNING_TEXT = (
    "Dear Ann, the parcel arrives on Friday, and somebody has to be there to take it."
)


class TestForms:
    """A result is data if its form is one of JSON, a table, a YAML list or a short text.

    `data_in(value)` returns the texts in the result of a tool that are fields of data.
    """

    @pytest.mark.parametrize(
        ("value", "data"),
        [
            pytest.param("Ann Miller", {"Ann Miller"}, id="short text"),
            pytest.param(1810.5, {"1810.5"}, id="number"),
            pytest.param(
                "id,name\n1,Ann\n2,Bob",
                {"id", "name", "1", "Ann", "2", "Bob"},
                id="table",
            ),
            pytest.param(
                "- id: 1\n  name: Ann\n- id: 2\n  name: Bob\n",
                {"id", "name", "1", "Ann", "2", "Bob"},
                id="YAML list of records",
            ),
            pytest.param('{"name": "Ann"}', {"name", "Ann"}, id="JSON"),
            pytest.param(
                "- general\n- External_0\n",
                {"general", "External_0"},
                id="YAML list of short texts",
            ),
            pytest.param(
                "{'Luxury Palace': '1 Rue de la Paix'}",
                {"Luxury Palace", "1 Rue de la Paix"},
                id="Python dictionary",
            ),
            pytest.param(
                "id_: '26'\nshared_with: {}\n",
                {"id_", "26", "shared_with"},
                id="YAML with nested entries",
            ),
        ],
    )
    def test_a_result_in_a_form_of_data_is_split_into_its_fields(
        self, value: object, data: set[str]
    ) -> None:
        """Keys and values are fields of data, each by itself. Such a result is trusted."""
        assert data_in(value) == data

    @pytest.mark.parametrize(
        "value",
        [
            pytest.param(RUNNING_TEXT, id="sentence"),
            pytest.param(
                f"- {RUNNING_TEXT}\n- general", id="YAML list with a sentence"
            ),
            pytest.param(
                "to: Ann\niban: DE89370400440532013000\nnote: [see below]\n",
                id="lines of keys and values, and a list",
            ),
            pytest.param(
                "name: Ann\niban: DE89370400440532013000\n",
                id="lines of keys and values",
            ),
            pytest.param("Ann\nMiller", id="two lines"),
            pytest.param("- &a [*b]\n- *a", id="YAML with references"),
        ],
    )
    def test_a_result_in_another_form_is_running_text(self, value: object) -> None:
        """Anybody may write such a text in a mail, also one of keys and values. So nothing in it is
        a field of data, which would be trusted."""
        assert data_in(value) == set()


class TestPrintedKeysAndValues:
    """Lines of keys and values are data if a program of the environment printed them.

    `roles: clerk` is such a line. The programs are the environment's own, and anybody may write a
    mail.
    """

    def test_keys_and_values_that_a_program_prints_are_data(self) -> None:
        """The programs of an environment are its own, such as `/bin/id`."""
        printed = {"stdout": "user: emp-007\nroles: clerk\n"}

        for text in texts_of_result(printed, is_program_output=True):
            assert text.is_data

    def test_keys_and_values_that_a_tool_returns_are_running_text(self) -> None:
        """A tool may return a mail that consists of keys and values."""
        returned = {"stdout": "user: emp-007\nroles: clerk\n"}

        for text in texts_of_result(returned):
            assert not text.is_data


class TestHalfCharacters:
    """A result may have half a character, and is read all the same."""

    def test_a_result_in_the_form_of_yaml_may_have_half_a_character(self) -> None:
        """An emoji takes two escapes in JSON. The first one alone is half a character, which UTF-8
        and the parser of YAML refuse."""
        value = json.dumps("- \ud83d")  # '"- \\ud83d"'

        (text,) = texts_of_result({"value": value})

        assert text.text == "- \ud83d"
