"""Scripts that send forged messages to the parent process.

A script runs in a child process, which talks to the parent over a socket. Both send *frames*: a
length of four bytes, and a JSON object. `run_forger(sandbox, "frame({})")` runs a script that has
got hold of the socket, and can send what it likes.
"""

from controlplane.sandbox import Layer

FORGER = """
import _socket as socket, gc, json, os, struct, sys  # also for the lines of the test

# The scratchpad has a method that sends it to the parent. The object of this method has the channel
# to the parent, and the channel has the socket. All are private: an attacker finds them.
channel = scratchpad._send_to_parent.__self__.channel
wire = channel._reader.connection

def frame(message, length=None):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    wire.sendall(struct.pack("!I", len(body) if length is None else length) + body)

def answer():
    most_bytes = 1 << 30
    return channel._reader.receive(most_bytes)

def frame_of_call(path):
    call = {"kind": "call", "operation": "stat", "positional": [], "named": {"path": path}}
    frame({"number": 1, "body": call})  # the first request of the script
"""
"""The first lines of a script that forges messages.

`frame(message)` sends any message, or any bytes, with any length in front; `answer()` waits for
the next message of the parent; `frame_of_call(path)` sends the call `harness.stat(path)`.
"""

FORGERS_ISOLATION = frozenset({Layer.KERNEL})
"""Only the kernel layer: the language layer would keep the script from its socket."""


def run_forger(sandbox, script):
    """Run a script that may use the functions of `FORGER`: `run_forger(sandbox, "frame({})")`."""
    return sandbox.run(FORGER + script)
