"""What `serve` says where it cannot listen."""

import socket

from tests.support.command import Type


def test_a_port_that_is_taken_is_told(type_in: Type) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = type_in("serve", "--benchmark", "tests.support.phonebook", "--port", str(port))
    assert result.code in (2, 3)
    assert str(port) in result.err
    assert "Traceback" not in result.err
