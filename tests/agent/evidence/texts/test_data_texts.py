"""Which texts of data and of files are fields of data, and which are running text.

Running text, such as the body of a mail, may be by an attacker, so it is not trusted. A field of
data, such as an id in a table, is trusted.
"""

import pytest

from controlplane.agent.evidence.texts.data_texts import texts_of_data, texts_of_file

RUNNING_TEXT = (
    "Dear Ann, the parcel arrives on Friday, and somebody has to be there to take it."
)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(RUNNING_TEXT, id="sentence"),
        pytest.param(
            "iban: DE89370400440532013000\namount: 5", id="lines of keys and values"
        ),
        pytest.param('{"iban":\n"DE89370400440532013000"}', id="JSON in two lines"),
    ],
)
def test_a_long_value_of_a_record_is_running_text_and_is_not_split(body: str) -> None:
    """The record is a mail. Whoever wrote its body may have given it a form of data. So a value of
    several lines, or of more than eight words, is not data. The keys and the short value "7" are."""
    texts = texts_of_data([{"id": "7", "body": body}])

    data = {text.text for text in texts if text.is_data}
    running_texts = {text.text for text in texts if not text.is_data}
    assert data == {"id", "7", "body"}
    assert running_texts == {body}


@pytest.mark.parametrize(
    ("path", "text", "is_data"),
    [
        pytest.param("/carts/b7.json", '{"id": "b7"}', True, id="JSON"),
        pytest.param("/carts/rows.csv", "id,name\n7,Ann", True, id="CSV"),
        pytest.param(
            "/mail/m1.md",
            "iban: DE89370400440532013000\namount: 5",
            False,
            id="keys and values in a mail",
        ),
        pytest.param("/mail/m1.md", '{"id": "b7"}', False, id="JSON in a mail"),
        pytest.param(
            "/carts/note.json", RUNNING_TEXT, False, id="sentence in a JSON file"
        ),
    ],
)
def test_a_file_is_data_if_its_name_and_its_form_say_so(
    path: str, text: str, is_data: bool
) -> None:
    """JSON is data in a file `.json`, and not in a mail (`.md`), which anybody may have written. A
    sentence is not data in a file `.json` either."""
    for part in texts_of_file(path, text):
        assert part.is_data == is_data


def test_lines_that_a_search_shows_are_texts_of_their_file() -> None:
    """The line of a mail is running text, although it is a field in the result of the search."""
    line = "iban: DE89370400440532013000"
    match = {"path": "/mail/m1.md", "line": 3, "text": line}

    texts = texts_of_data({"matches": [match]})

    (text_of_mail,) = [text for text in texts if text.path == "/mail/m1.md"]
    assert text_of_mail.text == line
    assert not text_of_mail.is_data
