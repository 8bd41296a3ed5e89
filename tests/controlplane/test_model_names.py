"""A wrong model id ends a run before it begins; where none has replied yet, `resume` takes another."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.controlplane.test_spending_limits import playing
from tests.support.command import check_line, write_config
from tests.support.endpoints import model_server, refusal
from tests.support.in_process_command import inside

PLAY = ("run", "--benchmark", "tests.support.phonebook", "--limit", "1", "--json")


@pytest.fixture
def listing() -> Iterator[str]:
    """The address of an endpoint that lists two models."""

    class Lists(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps({"data": [{"id": "small-1"}, {"id": "large-1"}]}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Lists) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def test_a_model_that_its_endpoint_does_not_list_is_refused_before_the_run(listing: str, tmp_path: Path) -> None:
    done = inside(*PLAY, "--model", "smal-1", cwd=tmp_path, OPENAI_BASE_URL=listing)
    check_line(
        done, 2, "the endpoint has no model 'smal-1'; did you mean 'small-1'?; name one of its models with --model"
    )
    assert not (tmp_path / "runs").exists()


def test_another_model_is_asked_at_the_endpoint_of_the_run(tmp_path: Path) -> None:
    with model_server(refusal(404, "the model `m` does not exist", code="model_not_found")) as server:
        priced = ("--name", "first", "--temperature", "0.5", "--prices", '{"input": 1, "output": 1}')
        play = ("run", "calendar-date.1", "--max-steps", "1")  # a benchmark that rebuilds trials
        inside(*play, "--model", "m", "--base-url", server.url, *priced, cwd=tmp_path)
        server.answer = playing
        again = inside("resume", "last", "--model", "other", "--json", cwd=tmp_path)
        fork = ("fork", "first", "--trial", "calendar", "--step", "1", "--json")
        assert again.json["cost_usd"] is not None
        third = inside(*fork, "--model", "third", cwd=tmp_path)
        assert third.json["cost_usd"] is None  # the run's prices are those of the other model
        profile = '[profiles.small]\nmodel = "fourth"\ntemperature = 1\nprices = { input = 2, output = 2 }\n'
        write_config(tmp_path / "controlplane.toml", profile)
        fourth = inside(*fork, "--model", "small", cwd=tmp_path)
        assert fourth.json["cost_usd"] == pytest.approx(2 * again.json["cost_usd"])
    told = dict.fromkeys((asked.body["model"], asked.body["temperature"]) for asked in server.asked)
    assert list(told) == [("m", 0.5), ("other", 0.5), ("third", 0.5), ("fourth", 1)]
