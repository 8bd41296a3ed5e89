"""What a run needs is looked at before the run begins."""

from pathlib import Path

import pytest

from tests.support.command import Type, check_line
from tests.support.endpoints import model_server, refusal, response
from tests.support.phonebook import PLAYED as PHONEBOOK
from tests.support.typed_mistakes import KEY

WRONG_ENDPOINTS = [
    (refusal(401, f"Incorrect API key provided: {KEY}"), "the key is refused (401", "OPENAI_API_KEY"),
    (refusal(404, "The model `m` does not exist"), "there is no model 'm' (404", "--model", "/v1"),
    (response(200, "<html><title>Log in</title></html>"), "than a chat completion", "'Log in'", "OPENAI_BASE_URL"),
    (refusal(429, "You exceeded your current quota", code="insufficient_quota"), "no credit is left", "OPENAI_API_KEY"),
    (refusal(500, "out of memory"), "500: out of memory"),
    (None, "cannot be reached", "Connection refused", "is the server running", "OPENAI_BASE_URL"),
]


@pytest.mark.parametrize(("answer", "says"), [(endpoint[0], endpoint[1:]) for endpoint in WRONG_ENDPOINTS])
def test_an_endpoint_that_gives_no_reply_pauses_the_run_at_its_first_request(
    answer: bytes | None, says: tuple[str, ...], type_in: Type
) -> None:
    with model_server(answer or b"") as server:
        if answer is None:
            server.close()
        where = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        result = type_in("run", *PHONEBOOK[:2], "--model", "m", "--model-patience", "0", "--concurrency", "1", **where)
    assert result.code == 3, result.err
    assert not [say for say in ("the run is paused", server.url, "resume", *says) if say not in result.err]
    assert KEY not in result.err
    assert len(server.asked) <= 1


@pytest.mark.parametrize("folder", ["taken", "taken/runs"])
def test_a_file_where_the_runs_folder_should_be(folder: str, type_in: Type, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    result = type_in("run", *PHONEBOOK, "--runs-dir", folder)
    check_line(result, 3, f"cannot write the journal {folder}/", "that is not a folder", "--runs-dir")
    assert (tmp_path / "taken").read_text() == "mine"
