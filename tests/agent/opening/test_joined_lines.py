import json

from agent.opening.joined_lines import joined_lines

RECORD = json.dumps({"id": "b-1", "lines": [{"sku": "X", "quantity": 2}]}, indent=2) + "\n"


def test_the_lines_of_a_record_are_joined_and_all_of_it_is_shown() -> None:
    shown, consumed = joined_lines(RECORD, 500)
    assert json.loads(shown) == json.loads(RECORD)
    assert "\n" not in shown
    assert consumed == len(RECORD)


def test_a_record_is_cut_at_a_line_and_says_how_much_of_the_file_that_is() -> None:
    shown, consumed = joined_lines(RECORD, 20)
    assert len(shown) <= 20
    assert "".join(RECORD[:consumed].split()) == shown
    assert consumed < len(RECORD)


def test_other_texts_stay_as_they_are() -> None:
    assert joined_lines("one\ntwo\n", 5) == ("one\nt", 5)
    assert joined_lines("one\ntwo\n", 50) == ("one\ntwo\n", 8)
