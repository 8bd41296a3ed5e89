"""Hostile scripts gain nothing: not by Python tricks, system calls, or messages they forge.

`attacks/*.txt` are scripts that try to get out of the sandbox. They print LEAK if they reached
what they must not have. Three layers stop them: *language* (restricted Python), *process* (limits
and an audit hook in the child process) and *kernel* (namespaces, seccomp). The first one alone is
no boundary. The scripts run only on a machine on which the kernel layer works.
"""

import json
import os
import socket
import time
from pathlib import Path

import pytest

from controlplane.sandbox import Ending, Layer, Limits, parse_isolation
from tests.sandbox.script_world import (
    ATTACK_IN_NEXT_STEP,
    OPERATION_NAMES,
    SHARED_STATE_CHECK,
    RecordingHost,
    attacks_over_steps,
    corpus_scripts,
    language_attacks,
    memory_growth_below,
    new_sandbox,
)

pytestmark = pytest.mark.second_tier

FOREIGN_ATTACKS = Path(__file__).parents[3] / "shared/sandbox/attacks.jsonl"
"""Attacks by other authors, which are not in this repository."""

SECRET = "SECRET-OF-THE-MACHINE"
"""The content of a file and of an environment variable that no script may print."""

PARENT_GROWTH_MIB = 64
"""How much memory a script may cost the parent process at most."""

ATTACKS_PER_TEST = 40
ATTACKS_PER_TRIAL = 8
"""Attacks share sandboxes, to save time. With `--heavy` each has a sandbox of its own."""

ALL_ATTACKS: list[tuple[str, list[str]]] = []
"""Title and steps of every attack in Python: most consist of one step."""
for attack_title, attack_script in language_attacks():
    ALL_ATTACKS.append((attack_title, [attack_script]))
ALL_ATTACKS += attacks_over_steps()


def test_the_corpus_has_at_least_300_attacks():
    attacks = language_attacks()
    attacks += corpus_scripts("attacks/kernel.txt", "attacks/messages.txt")

    assert len(attacks) >= 300


@pytest.fixture
def canary(tmp_path, monkeypatch, server):
    """A file, an open port and an environment variable that no script may reach.

    Returns Python lines that tell a script where they are: `CANARY = "/tmp/.../canary.txt"` and
    `PORT = 40123`; SOCKET is the descriptor of the script's own connection. Afterwards the file
    must be unchanged, and nobody may have connected to the port.
    Skips the test if any part of the kernel layer does not work on this machine.
    """
    broken_parts = {}
    for part, reason in server.kernel_report().items():
        if reason:
            broken_parts[part] = reason
    if broken_parts:
        pytest.skip(
            f"these attacks are for the whole kernel layer, which does not work here: {broken_parts}"
        )

    monkeypatch.setenv("SANDBOX_SECRET", SECRET)
    path = tmp_path / "canary.txt"
    path.write_text(SECRET)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        port = listener.getsockname()[1]
        yield f"CANARY = {str(path)!r}\nPORT = {port}\nSOCKET = 0\n"
        with pytest.raises(BlockingIOError):  # Nobody waits to be accepted.
            listener.accept()
    assert path.read_text() == SECRET


def attacks_by_trial(attacks, heavy):
    """Return the attacks as lists; those of one list are run in the same sandbox."""
    size = 1 if heavy else ATTACKS_PER_TRIAL
    return [attacks[start : start + size] for start in range(0, len(attacks), size)]


def check_attacks_gain_nothing(attacks, *, server, isolation, canary):
    """Run attacks in a new sandbox, and after each the step in which it would be exploited."""
    host = RecordingHost()
    with new_sandbox(server, host, isolation=isolation) as sandbox:
        for title, steps in attacks:
            results = [sandbox.run(step) for step in steps]
            next_result = sandbox.run(canary + ATTACK_IN_NEXT_STEP)

            for result in (*results, next_result):
                assert SECRET not in result.output, title
                assert SECRET not in result.error, title
            assert "LEAK" not in next_result.output, title
            assert host.tree.changes == {}, title
            assert set(host.called_operations) <= OPERATION_NAMES, title


@pytest.mark.parametrize(
    "isolation", ["process,kernel", pytest.param("all", marks=pytest.mark.heavy)]
)
@pytest.mark.parametrize("start", range(0, len(ALL_ATTACKS), ATTACKS_PER_TEST))
def test_no_attack_harms_the_machine_the_parent_or_another_trial(
    start, isolation, server, canary, heavy
):
    """The process layer and the kernel layer are the boundary.

    An attack may print LEAK in its own step, because what a script does to its own process gains
    it nothing. It must not get anything in the next step, nor change another sandbox that is open
    meanwhile, or one that is opened later.
    """
    attacks = ALL_ATTACKS[start : start + ATTACKS_PER_TEST]
    other_host = RecordingHost()

    with (
        memory_growth_below(PARENT_GROWTH_MIB),
        new_sandbox(server, other_host) as other_sandbox,
    ):
        first_step = other_sandbox.run("scratchpad['kept'] = [1]\nkept = 1")
        assert first_step.ending is Ending.FINISHED

        for trial_attacks in attacks_by_trial(attacks, heavy):
            check_attacks_gain_nothing(
                trial_attacks,
                server=server,
                isolation=parse_isolation(isolation),
                canary=canary,
            )

        assert other_sandbox.run("print(scratchpad)").output == "{'kept': [1]}\n"
        assert other_sandbox.run(SHARED_STATE_CHECK).output == "whole\n"

    # The two calls that SHARED_STATE_CHECK makes.
    assert other_host.called_operations == ["stat", "read"]
    with new_sandbox(server) as later_sandbox:
        assert later_sandbox.run(SHARED_STATE_CHECK).output == "whole\n"


def test_the_language_layer_keeps_scripts_from_names_and_frames_that_are_not_theirs(
    server,
):
    """These attacks must not even print LEAK in their own step."""
    leaks = {}
    for title, script in corpus_scripts("attacks/language.txt"):
        with new_sandbox(server) as sandbox:
            result = sandbox.run(script)
            check = sandbox.run(SHARED_STATE_CHECK)
        if "LEAK" in result.output or check.output != "whole\n":
            leaks[title] = result

    assert leaks == {}


@pytest.mark.skipif(
    not FOREIGN_ATTACKS.exists(), reason="the attacks of others are not here"
)
def test_no_attack_by_other_authors_succeeds(server):
    """Each of their attacks names the text that it prints if it succeeds."""
    successful = []
    for line in FOREIGN_ATTACKS.read_text().splitlines():
        attack = json.loads(line)
        if attack["family"] in ("gate", "forge"):
            continue  # They attack the checks of answers, which are not in the sandbox.
        with new_sandbox(server) as sandbox:
            result = sandbox.run(attack["code"])
        if attack["success_marker"] in result.output:
            successful.append(attack["id"])

    assert successful == []


ENDLESS_FINALIZER = """
def late():
    try:
        yield
    finally:
        while True:
            pass
going = late()
next(going)
circle = [going]
circle.append(circle)
"""
"""Leaves a generator, in a list that refers to itself, whose `finally` block never ends.

Python runs that block when it deletes the generator: after the last line of the script.
"""


def test_an_endless_finalizer_ends_its_step_and_the_next_step_works(server):
    """The script has printed and set a key, and both are kept."""
    limits = Limits(step_cpu_s=0.5)
    with new_sandbox(server, limits=limits) as sandbox:
        endless_step = sandbox.run(
            f"scratchpad['kept'] = 1\nprint('printed')\n{ENDLESS_FINALIZER}"
        )
        next_step = sandbox.run("print(scratchpad)")

    assert endless_step.ending is Ending.LIMIT
    assert endless_step.output == "printed\n"
    assert "more than 0.5 s of CPU" in endless_step.error
    assert next_step.output == "{'kept': 1}\n"


@pytest.mark.parametrize(
    "isolation", ["kernel", pytest.param("process,kernel", marks=pytest.mark.heavy)]
)
def test_no_attack_in_unrestricted_python_gets_through_the_kernel_layer(
    isolation, server, canary
):
    """Without the language layer a script may import anything and call the system."""
    layers = frozenset(Layer(name) for name in isolation.split(","))
    leaks = {}
    for title, script in corpus_scripts("attacks/kernel.txt"):
        with new_sandbox(
            server, isolation=layers, limits=Limits(step_wall_s=1)
        ) as sandbox:
            result = sandbox.run(canary + script)
        if "LEAK" in result.output:
            leaks[title] = result

    assert leaks == {}


SHOW_RIGHTS = """
import os
ids = os.getresuid() + os.getresgid() + tuple(os.getgroups())
print("is root:", 0 in ids)
print("sees /etc:", os.access("/etc", os.F_OK))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")
def test_the_process_layer_takes_rights_and_files_from_a_script_of_root(server):
    with new_sandbox(server, isolation=frozenset({Layer.PROCESS})) as sandbox:
        result = sandbox.run(SHOW_RIGHTS)

    assert result.output == "is root: False\nsees /etc: False\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")
def test_without_isolation_a_script_of_root_is_root(server):
    """The same script shows that the process layer is what takes its rights."""
    with new_sandbox(server, isolation=frozenset()) as sandbox:
        result = sandbox.run(SHOW_RIGHTS)

    assert result.output == "is root: True\nsees /etc: True\n"


FORGER = """
import _socket as socket, gc, json, os, struct, sys
# The scratchpad has a method that talks to the parent, and thereby the socket.
channel = scratchpad._send_to_parent.__self__.channel
wire = channel._reader.connection
def frame(message, length=None):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    wire.sendall(struct.pack("!I", len(body) if length is None else length) + body)
def answer():
    return channel._reader.receive(1 << 30)
"""
"""The first lines of a script that sends what it likes over its socket to the parent.

Child and parent exchange *frames*: a length of four bytes, and a JSON object such as
`{"number": 1, "body": {"kind": "call", "operation": "stat", ...}}`. `frame(...)` sends one, and
`answer()` receives one.
"""

FORGERS_ISOLATION = frozenset({Layer.KERNEL})
"""Only the kernel layer, so that the script can reach its socket."""

FORGED_MESSAGES = [
    pytest.param(script, id=title[:40])
    for title, script in corpus_scripts("attacks/messages.txt")
]


@pytest.mark.parametrize("script", FORGED_MESSAGES)
@pytest.mark.usefixtures("canary")
def test_a_forged_message_costs_at_most_the_step_of_its_script(script, server):
    """The parent ends the step, or refuses the message, after which the script prints "held"."""
    host = RecordingHost()
    with (
        memory_growth_below(PARENT_GROWTH_MIB),
        new_sandbox(
            server, host, isolation=FORGERS_ISOLATION, limits=Limits(step_wall_s=2.0)
        ) as sandbox,
    ):
        sandbox.run("scratchpad['kept'] = 1")
        result = sandbox.run(FORGER + script)
        next_step = sandbox.run("print('next', scratchpad.get('kept'))")

    was_ended = result.ending in (Ending.KILLED, Ending.LIMIT)
    assert was_ended or result.output == "held\n", result
    assert next_step.output == "next 1\n"
    assert host.answers == []
    assert set(host.called_operations) <= OPERATION_NAMES


@pytest.mark.usefixtures("canary")
def test_a_forged_scratchpad_that_cannot_be_decoded_is_replaced_by_an_empty_one(server):
    """A set is sent as `{"$": "set", "v": [...]}`; the forged one would contain a list."""
    with new_sandbox(server, isolation=FORGERS_ISOLATION) as sandbox:
        sandbox.run(FORGER + "frame({'scratchpad': {'s': {'$': 'set', 'v': [[1]]}}})")
        result = sandbox.run("print(len(scratchpad))\nscratchpad['a'] = 1")
        next_step = sandbox.run("print(scratchpad)")

    assert result.output.startswith(
        "(the scratchpad cannot be read back and is empty now"
    )
    assert result.output.endswith("\n0\n")
    assert next_step.output == "{'a': 1}\n"


@pytest.mark.usefixtures("canary")
def test_a_flood_of_frames_does_not_let_the_parent_grow(server):
    """The script sends half a megabyte of printed text again and again. The parent keeps a part."""
    flood = "while True: frame({'printed': 'x' * 500_000})"
    with (
        memory_growth_below(PARENT_GROWTH_MIB),
        new_sandbox(
            server,
            isolation=frozenset({Layer.PROCESS, Layer.KERNEL}),
            limits=Limits(step_wall_s=1.0),
        ) as sandbox,
    ):
        result = sandbox.run(FORGER + flood)

    assert result.ending in (Ending.LIMIT, Ending.KILLED)
    assert len(result.output) < 40_000


@pytest.mark.usefixtures("canary")
def test_a_message_after_the_end_of_a_step_is_ignored(server):
    """The script reports the end of its step, then sends a call and a second end.

    The sleep lets them arrive before the next step begins.
    """
    messages_after_end = """
def end(printed):
    report = {"kind": "end", "ending": "finished", "error": "", "end_of_output": "", "is_spent": False}
    frame({"printed": printed, "body": report})
end("")
call = {"kind": "call", "operation": "stat", "positional": [], "named": {"path": "/late"}}
frame({"number": 1, "body": call})
end("late")
while True: answer()
"""
    host = RecordingHost()
    with new_sandbox(server, host, isolation=FORGERS_ISOLATION) as sandbox:
        result = sandbox.run(FORGER + messages_after_end)
        time.sleep(0.05)
        next_step = sandbox.run("print('next')")

    assert result.ending is Ending.FINISHED
    assert next_step.output == "next\n"
    assert host.calls == []


class SlowHost(RecordingHost):  # The host is the parent's side, which answers calls.
    """Answers a call after 0.8 s, with more bytes than the buffer of a socket takes."""

    def call(self, operation, arguments, *, in_verify):
        time.sleep(0.8)
        return {"content": "x" * 1_900_000}


@pytest.mark.usefixtures("canary")
def test_a_child_that_does_not_read_its_result_is_waited_for_until_the_deadline(server):
    """The script makes a call and loops, so that the parent cannot send the whole result."""
    call_and_loop = """
call = {'kind': 'call', 'operation': 'stat', 'positional': [], 'named': {'path': '/'}}
frame({'number': 1, 'body': call})
while True: pass
"""
    with new_sandbox(
        server,
        SlowHost(),
        isolation=FORGERS_ISOLATION,
        limits=Limits(step_wall_s=1.0),
    ) as sandbox:
        result = sandbox.run(FORGER + call_and_loop)

    assert result.ending is Ending.LIMIT
