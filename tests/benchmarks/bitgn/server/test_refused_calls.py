"""Wrong requests to the server get a status, and an error that names the fault by a code.

    POST /bitgn.harness.HarnessService/GetRun    {"runId": "none"}
    404                                          {"code": "not_found", "message": "..."}

`HARNESS` is the path of the service for runs and trials, `ECOM` that for the files and tools of a trial.
"""

import httpx2
import pytest

from tests.benchmarks.bitgn.raw_client import ECOM, HARNESS
from tests.benchmarks.bitgn.server.wire_calls import (
    JSON_HEADERS,
    PROTOBUF_HEADERS,
    assert_is_error,
    call,
)


class TestRequestsThatAreNoCalls:
    """A request is refused by its path, verb or type alone, and the reply has no message."""

    @pytest.mark.parametrize(
        "path",
        [
            pytest.param(HARNESS + "Nothing", id="unknown method"),
            pytest.param("/", id="no service"),
            pytest.param("/bitgn.vm.pcm.PcmRuntime/Read", id="another service"),
        ],
    )
    def test_an_unknown_path_is_not_found(self, http: httpx2.Client, path: str) -> None:
        assert call(http, path).status_code == 404

    def test_another_verb_than_post_is_not_allowed(self, http: httpx2.Client) -> None:
        assert http.get(HARNESS + "Status").status_code == 405

    @pytest.mark.parametrize(
        "headers",
        [
            pytest.param({}, id="no type"),
            pytest.param({"content-type": "text/html"}, id="wrong type"),
        ],
    )
    def test_a_message_of_another_type_is_not_supported(
        self, http: httpx2.Client, headers: dict[str, str]
    ) -> None:
        reply = http.post(HARNESS + "Status", content=b"{}", headers=headers)

        assert reply.status_code == 415


class TestUnreadableMessages:
    @pytest.mark.parametrize(
        "body",
        [
            pytest.param(b"no json", id="not JSON"),
            pytest.param(b"\xff\xfe", id="not text"),
            pytest.param(b"[]", id="list"),
            pytest.param(b'""', id="text"),
            pytest.param(b"[" * 50_000, id="deep JSON"),
        ],
    )
    def test_a_body_that_is_no_object_in_json_is_invalid(
        self, http: httpx2.Client, body: bytes
    ) -> None:
        reply = http.post(HARNESS + "Status", content=body, headers=JSON_HEADERS)

        assert_is_error(reply, 400, "invalid_argument")

    def test_a_character_that_is_not_text_is_invalid(self, http: httpx2.Client) -> None:
        body = b'{"name": "\\ud800"}'

        reply = http.post(HARNESS + "StartRun", content=body, headers=JSON_HEADERS)

        assert_is_error(reply, 400, "invalid_argument")

    def test_a_body_that_is_no_protobuf_is_invalid(self, http: httpx2.Client) -> None:
        reply = http.post(
            HARNESS + "GetRun", content=b"\xff\xff", headers=PROTOBUF_HEADERS
        )

        assert_is_error(reply, 400, "invalid_argument")

    def test_a_timeout_that_is_no_number_is_invalid(self, http: httpx2.Client) -> None:
        reply = call(http, HARNESS + "Status", **{"connect-timeout-ms": "soon"})

        assert_is_error(reply, 400, "invalid_argument")


class TestUnknownIds:
    """A call that names what does not exist: a run, a trial or a benchmark."""

    @pytest.mark.parametrize(
        ("method", "message"),
        [
            ("GetRun", {"runId": "none"}),
            ("GetRun", {"runId": 7}),
            ("GetTrial", {"trialId": "none"}),
            ("StartTrial", {}),
            ("EndTrial", {}),
            ("SubmitRun", {}),
            ("GetBenchmark", {"benchmarkId": "none"}),
        ],
    )
    def test_an_unknown_id_is_not_found(
        self, http: httpx2.Client, method: str, message: dict[str, object]
    ) -> None:
        assert_is_error(call(http, HARNESS + method, message), 404, "not_found")

    def test_a_file_of_an_unknown_trial_is_not_found(self, http: httpx2.Client) -> None:
        reply = call(http, f"/trials/none{ECOM}Read", {"path": "/AGENTS.MD"})

        assert_is_error(reply, 404, "not_found")


class TestRefusedMethods:
    @pytest.mark.parametrize(
        "message",
        [
            pytest.param({"benchmarkId": "shelf", "apiKey": "wrong"}, id="wrong key"),
            pytest.param({"benchmarkId": "shelf"}, id="no key"),
        ],
    )
    def test_a_run_needs_the_key_of_the_server(
        self, http: httpx2.Client, message: dict[str, object]
    ) -> None:
        reply = call(http, HARNESS + "StartRun", message)

        assert_is_error(reply, 401, "unauthenticated")

    def test_a_method_that_the_server_does_not_have_is_unimplemented(
        self, http: httpx2.Client
    ) -> None:
        reply = call(http, HARNESS + "StartPlayground")

        assert_is_error(reply, 501, "unimplemented")
