"""The client sends only what the real platform (BitGN) knows, by a record of calls of scripts.

A call `harness.read("/a.txt", start_line=3)` becomes the message `{"path": "/a.txt", "startLine": 3}`.
"""

from controlplane.benchmarks.bitgn.rpcs import RPCS
from tests.benchmarks.bitgn.recorded_calls import RecordedCall


def test_the_record_has_no_other_forms_of_calls_than_these(
    recorded_calls: list[RecordedCall],
) -> None:
    """The tests in `platform_replies` make a call of each form to our server."""
    forms = set()
    for recorded in recorded_calls:
        argument_names = " ".join(sorted(recorded.arguments))
        field_names = " ".join(sorted(recorded.reply))
        forms.add((recorded.operation, argument_names, field_names))

    assert forms == {
        ("read", "path", "content path"),
        ("read", "end_line number path start_line", "content path"),
        ("exec", "args path", "stdout"),
        ("exec", "path stdin", "stdout"),
        ("exec", "args path stdin", "stdout"),
        ("exec", "args path stdin", "exit_code stderr"),
        ("stat", "path", "contentType kind path"),
        ("find", "kind limit name root", "paths"),
        ("search", "limit pattern root", "matches"),
        ("list", "path", "entries"),
    }


def test_the_client_sends_no_other_fields_than_those_recorded(
    recorded_calls: list[RecordedCall],
) -> None:
    """The platform knows these fields; it would refuse a request with others."""
    for recorded in recorded_calls:
        rpc = RPCS[recorded.operation]
        assert rpc is not None

        request = rpc.request_to_wire(recorded.arguments)

        assert request.keys() <= {
            "path",
            "args",
            "stdin",
            "root",
            "name",
            "kind",
            "limit",
            "pattern",
            "startLine",
            "endLine",
        }
