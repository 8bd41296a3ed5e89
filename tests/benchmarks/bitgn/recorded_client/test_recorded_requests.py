"""The client sends the real platform (BitGN) no other fields than scripts have sent before.

`recorded_calls` are calls that scripts once made on the platform, with its replies. The client
makes a message of a script's call:

    harness.read("/a.txt", start_line=3)  ->  {"path": "/a.txt", "startLine": 3}
"""

from typing import NamedTuple

from controlplane.benchmarks.bitgn.rpcs import RPCS
from tests.benchmarks.bitgn.recorded_calls import RecordedCall


class FormOfCall(NamedTuple):
    operation: str
    arguments: str
    """The names of the script's arguments: "args path"."""
    reply: str
    """The names of the reply's fields: "exit_code stderr"."""


def test_the_record_has_no_other_forms_of_calls_than_these(
    recorded_calls: list[RecordedCall],
) -> None:
    """The tests in `platform_replies` make a call of each form. A new form needs a test there."""
    forms = set()
    for recorded in recorded_calls:
        argument_names = " ".join(sorted(recorded.arguments))
        field_names = " ".join(sorted(recorded.reply))
        forms.add(FormOfCall(recorded.operation, argument_names, field_names))

    assert forms == {
        FormOfCall("read", arguments="path", reply="content path"),
        FormOfCall(
            "read",
            arguments="end_line number path start_line",
            reply="content path",
        ),
        FormOfCall("exec", arguments="args path", reply="stdout"),
        FormOfCall("exec", arguments="path stdin", reply="stdout"),
        FormOfCall("exec", arguments="args path stdin", reply="stdout"),
        FormOfCall("exec", arguments="args path stdin", reply="exit_code stderr"),
        FormOfCall("stat", arguments="path", reply="contentType kind path"),
        FormOfCall("find", arguments="kind limit name root", reply="paths"),
        FormOfCall("search", arguments="limit pattern root", reply="matches"),
        FormOfCall("list", arguments="path", reply="entries"),
    }


def test_the_client_sends_only_fields_that_the_platform_knows(
    recorded_calls: list[RecordedCall],
) -> None:
    """The platform would refuse a request with another field."""
    known_fields = "path args stdin root name kind limit pattern startLine endLine"

    for recorded in recorded_calls:
        rpc = RPCS[recorded.operation]
        assert rpc is not None

        request = rpc.request_to_wire(recorded.arguments)

        assert request.keys() <= set(known_fields.split())
