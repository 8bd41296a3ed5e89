"""Which text of a call counts as seen."""

import pytest

from agent.evidence.returned_call import ReturnedCall, has_words, words_given
from sandbox.interface import FILE_OPERATIONS

DECLARED = {each.name: each for each in FILE_OPERATIONS}


def call(operation: str, arguments: dict, result: dict, shown_chars: int | None = None) -> ReturnedCall:
    return ReturnedCall(DECLARED[operation], str(arguments.get("path", "")), arguments, result, shown_chars)


@pytest.mark.parametrize(
    ("shown_chars", "shown"), [(None, ("four", True)), (9, ("four", True)), (2, ("fo", False)), (-1, ("", False))]
)
def test_what_was_cut_is_not_shown(shown_chars: int | None, shown: tuple[str, bool]) -> None:
    assert call("read", {"path": "/a"}, {"content": "four"}, shown_chars).shown_text("content") == shown


def test_a_result_without_a_content_shows_every_text_and_number_but_its_bookkeeping() -> None:
    result = {"stdout": "out", "exit_code": 0, "rows": [{"path": "/a", "sku": "X"}, [1, "two"], None], "note": None}
    assert call("exec", {"path": "/bin/q"}, result).shown_text() == ("out\nX\n1\ntwo", True)


def test_an_argument_that_is_the_default_is_not_given() -> None:
    assert call("read", {"path": "/a", "start_line": 0, "end_line": 7}, {}).given == {"end_line"}


@pytest.mark.parametrize(
    ("result", "code", "complaint"),
    [
        ({"stdout": "rows"}, 0, ""),
        ({"stdout": "rows", "exit_code": 0}, 0, ""),
        ({"stdout": "rows", "stderr": " bad \n", "exit_code": 3}, 3, "bad"),
        ({"stdout": "rows", "stderr": "", "exit_code": 3}, 3, "rows"),
        ({"stdout": "rows", "exit_code": "?"}, 1, "rows"),
    ],
)
def test_a_tool_complains_if_it_did_not_end_well(result: dict, code: int, complaint: str) -> None:
    made = call("exec", {"path": "/bin/q"}, result)
    assert (made.exit_code, made.complaint) == (code, complaint)


def test_the_lines_that_a_search_shows_stand_by_their_file() -> None:
    hits = [{"path": "/a", "text": "1"}, {"path": "/b", "text": "2"}, {"path": "/a", "text": "3"}]
    odd = [{"path": "a", "text": "relative"}, {"path": "/c"}, "/d", {"path": "/" + "e" * 2_000, "text": "long"}]
    assert call("search", {}, {"matches": hits + odd}).lines_by_path() == {"/a": "1\n3", "/b": "2"}
    assert call("search", {}, {"matches": hits}, 0).lines_by_path() == {}


def test_what_a_call_writes_is_all_its_texts_but_the_path() -> None:
    assert call("write", {"path": "/a", "content": "text", "if_match_sha256": ""}, {}).written_text() == "text\n"


def test_the_words_of_a_tool_are_texts() -> None:
    assert words_given({"args": ["-n", 3, None]}) == ("-n", "3", "None")
    assert words_given({"args": "not a list"}) == ()


def test_marks_alone_are_no_words() -> None:
    assert [has_words(each) for each in ("", " \n", "--- {}", "x", "é", "7")] == [False, False, False, True, True, True]
