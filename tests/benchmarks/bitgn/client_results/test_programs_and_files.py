r"""Replies of the platform (BitGN) about programs and files become the results of a script's calls.

The platform is a server that offers tasks to agents. A field that is 0, empty or false is left out
of a reply, and its name is written in another way: `exitCode` for `exit_code`. So
`{"stdout": "x\n"}` becomes `{"stdout": "x\n", "stderr": "", "exit_code": 0}`.
"""

from controlplane.benchmarks.bitgn.rpcs import RPCS


def test_a_program_that_succeeds_has_the_exit_code_0() -> None:
    rpc = RPCS["exec"]
    assert rpc is not None

    result = rpc.reply_from_wire({"stdout": "2025-06-22T09:13:19Z\n"})

    assert result == {
        "stdout": "2025-06-22T09:13:19Z\n",
        "stderr": "",
        "exit_code": 0,
    }


def test_a_program_that_fails_has_an_exit_code_and_errors() -> None:
    rpc = RPCS["exec"]
    assert rpc is not None

    result = rpc.reply_from_wire({"stderr": "SQL logic error\n", "exitCode": 1})

    assert result == {"stdout": "", "stderr": "SQL logic error\n", "exit_code": 1}


def test_a_file_has_its_kind_and_whether_it_may_be_written() -> None:
    rpc = RPCS["stat"]
    assert rpc is not None

    result = rpc.reply_from_wire(
        {
            "path": "/proc/baskets/basket_148.json",
            "kind": "NODE_KIND_FILE",
            "contentType": "application/json",
        }
    )

    assert result == {
        "path": "/proc/baskets/basket_148.json",
        "is_dir": False,
        "content_type": "application/json",
        "writable": False,
    }
