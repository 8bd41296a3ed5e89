"""The client makes the result of an operation from a reply of the platform.

A field that is 0, empty or false is left out of a message, and names are written in another way there:
`exitCode` for `exit_code`.
"""

from typing import Any

import pytest

from controlplane.benchmarks.bitgn.rpcs import RPCS


@pytest.mark.parametrize(
    ("operation", "reply", "expected_result"),
    [
        (
            "exec",
            {"stdout": "2025-06-22T09:13:19Z\n"},
            {"stdout": "2025-06-22T09:13:19Z\n", "stderr": "", "exit_code": 0},
        ),
        (
            "exec",
            {"stderr": "SQL logic error\n", "exitCode": 1},
            {"stdout": "", "stderr": "SQL logic error\n", "exit_code": 1},
        ),
        (
            "stat",
            {
                "path": "/proc/baskets/basket_148.json",
                "kind": "NODE_KIND_FILE",
                "contentType": "application/json",
            },
            {
                "path": "/proc/baskets/basket_148.json",
                "is_dir": False,
                "content_type": "application/json",
                "writable": False,
            },
        ),
        ("find", {}, {"paths": [], "truncated": False}),
        (
            "find",
            {"paths": ["/docs/checkout.md"]},
            {"paths": ["/docs/checkout.md"], "truncated": False},
        ),
        (
            "search",
            {
                "matches": [
                    {"path": "/docs/a.md", "line": 164, "lineText": "Store: Graz"}
                ]
            },
            {
                "matches": [{"path": "/docs/a.md", "line": 164, "text": "Store: Graz"}],
                "truncated": False,
            },
        ),
        (
            "list",
            {
                "entries": [
                    {"name": "checkout.md", "kind": "NODE_KIND_FILE"},
                    {"name": "payments", "kind": "NODE_KIND_DIR"},
                ]
            },
            {
                "entries": [
                    {"name": "checkout.md", "path": "", "is_dir": False},
                    {"name": "payments", "path": "", "is_dir": True},
                ]
            },
        ),
    ],
)
def test_a_reply_of_the_platform_becomes_the_result_of_an_operation(
    operation: str, reply: dict[str, Any], expected_result: dict[str, Any]
) -> None:
    rpc = RPCS[operation]

    assert rpc is not None
    assert rpc.reply_from_wire(reply) == expected_result
