"""Which texts of a result are data, and which are running text."""

import json

import pytest

from controlplane.agent.evidence.texts.result_texts import (
    texts_of_data,
    texts_of_file,
    texts_of_result,
)

LONG = (
    "Dear Ann, the parcel arrives on Friday, and somebody has to be there to take it."
)


def data_in(value: object) -> list[str]:
    """Return the texts that are data in what a tool returned."""
    return [
        text.text
        for text in texts_of_result({"value": json.dumps(value)})
        if text.is_data
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Ann Miller", ["Ann Miller"]),
        (1810.5, ["1810.5"]),
        ("id,name\n1,Ann\n2,Bob", ["id", "name", "1", "Ann", "2", "Bob"]),
        (
            "- id: 1\n  name: Ann\n- id: 2\n  name: Bob\n",
            ["id", "name", "1", "Ann", "2", "Bob"],
        ),
        ('{"name": "Ann"}', ["name", "Ann"]),
        ("- general\n- External_0\n", ["general", "External_0"]),
        (
            "{'Luxury Palace': '1 Rue de la Paix'}",
            ["Luxury Palace", "1 Rue de la Paix"],
        ),
        ("id_: '26'\nshared_with: {}\n", ["id_", "26", "shared_with"]),
        (f"- {LONG}\n- general", []),
        ("to: Ann\niban: DE89370400440532013000\nnote: [see below]\n", []),
        (LONG, []),
        ("name: Ann\niban: DE89370400440532013000\n", []),
        ("Ann\nMiller", []),
        ("- &a [*b]\n- *a", []),
    ],
)
def test_a_result_is_data_by_its_form_as_a_whole(
    value: object, expected: list[str]
) -> None:
    assert sorted(set(data_in(value))) == sorted(set(expected))


def test_a_long_value_of_data_is_running_text_and_not_parsed_again() -> None:
    mail = "iban: DE89370400440532013000\namount: 5"
    for body in (LONG, mail, '{"iban":\n"DE89370400440532013000"}'):
        texts = {
            text.text: text.is_data
            for text in texts_of_data([{"id": "7", "body": body}])
        }
        assert texts == {"id": True, "7": True, "body": True, body: False}


@pytest.mark.parametrize(
    ("path", "text", "is_data"),
    [
        ("/carts/b7.json", '{"id": "b7"}', True),
        ("/carts/rows.csv", "id,name\n7,Ann", True),
        ("/mail/m1.md", "iban: DE89370400440532013000\namount: 5", False),
        ("/mail/m1.md", '{"id": "b7"}', False),
        ("/carts/note.json", LONG, False),
    ],
)
def test_a_file_is_data_by_its_name_and_form(
    path: str, text: str, is_data: bool
) -> None:
    assert {part.is_data for part in texts_of_file(path, text)} == {is_data}


def test_lines_that_a_search_shows_are_texts_of_their_file() -> None:
    matches = [
        {"path": "/mail/m1.md", "line": 3, "text": "iban: DE89370400440532013000"}
    ]
    found = [
        text
        for text in texts_of_data({"matches": matches})
        if text.path == "/mail/m1.md"
    ]

    assert [(text.text, text.is_data) for text in found] == [
        (matches[0]["text"], False)
    ]


def test_a_program_prints_keys_and_values_as_data() -> None:
    printed = {"stdout": "user: emp-007\nroles: clerk\n"}
    assert all(
        text.is_data for text in texts_of_result(printed, is_program_output=True)
    )
    assert not any(text.is_data for text in texts_of_result(printed))
