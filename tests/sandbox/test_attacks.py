"""Attacks get nothing out of the process layer and the kernel layer, nor do forged messages."""

import json
import os
import resource
import socket
import time
from pathlib import Path

import pytest

from controlplane.sandbox import Ending, Layer, Limits, Sandbox, parse_isolation
from tests.sandbox.script_world import (
    ATTACK_IN_NEXT_STEP,
    NOW,
    SHARED_STATE_CHECK,
    TOOL_SCHEMA,
    RecordingHost,
    attacks_over_steps,
    corpus_scripts,
    language_attacks,
)

pytestmark = pytest.mark.second_tier

SHARED = Path(__file__).parents[3] / "shared" / "sandbox" / "attacks.jsonl"
SCRIPTS_PER_TEST = 40
SCRIPTS_PER_TRIAL = 8
"""With `--heavy` each attack has a trial of its own."""


def trials_of(attacks, heavy):
    """Return the attacks that share a trial, trial by trial."""
    size = 1 if heavy else SCRIPTS_PER_TRIAL
    return [attacks[at : at + size] for at in range(0, len(attacks), size)]


def test_the_corpus_of_attacks_is_as_large_as_promised():
    assert (
        len(language_attacks())
        + len(corpus_scripts("attacks/kernel.txt", "attacks/messages.txt"))
        >= 300
    )


@pytest.fixture
def canary(tmp_path, monkeypatch, server):
    """A file, a port and a variable that no script may reach;
    only where the whole kernel layer works."""
    down = {part: reason for part, reason in server.kernel_report().items() if reason}
    if down:
        pytest.skip(
            f"these attacks are for the whole kernel layer, which does not work here: {down}"
        )
    monkeypatch.setenv("SANDBOX_SECRET", "SECRET-OF-THE-MACHINE")
    path = tmp_path / "canary.txt"
    path.write_text("SECRET-OF-THE-MACHINE")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        yield f"CANARY = {str(path)!r}\nPORT = {listener.getsockname()[1]}\nSOCKET = 0\n"
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert path.read_text() == "SECRET-OF-THE-MACHINE"


@pytest.fixture
def machine(canary):
    """What no script may reach, of which a test looks at
    the end whether it is whole: a file, a port, this process."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield canary
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


ALL_ATTACKS = [
    (title, [script]) for title, script in language_attacks()
] + attacks_over_steps()


@pytest.mark.parametrize(
    "isolation", ["process,kernel", pytest.param("all", marks=pytest.mark.heavy)]
)
@pytest.mark.parametrize("start", range(0, len(ALL_ATTACKS), SCRIPTS_PER_TEST))
def test_no_attack_harms_the_machine_the_parent_or_another_trial(
    start, isolation, server, machine, heavy
):
    """The process layer and the kernel layer are the boundary:
    what a script does to its own process gains it nothing."""
    chosen = parse_isolation(isolation)
    other_desk = RecordingHost()
    with Sandbox(TOOL_SCHEMA, other_desk, now=NOW, seed=1, server=server) as other:
        assert other.run("scratchpad['kept'] = [1]\nkept = 1").ending is Ending.FINISHED
        for attacks in trials_of(ALL_ATTACKS[start : start + SCRIPTS_PER_TEST], heavy):
            desk = RecordingHost()
            with Sandbox(
                TOOL_SCHEMA, desk, now=NOW, seed=1, server=server, isolation=chosen
            ) as box:
                for title, steps in attacks:
                    results = [
                        box.run(step)
                        for step in (*steps, machine + ATTACK_IN_NEXT_STEP)
                    ]
                    assert not any(
                        "SECRET-OF-THE-MACHINE" in result.output + result.error
                        for result in results
                    ), title
                    assert "LEAK" not in results[-1].output, title
                    assert desk.tree.changes == {}, title
                    assert {name for name, _, _ in desk.calls} <= {
                        operation.name for operation in TOOL_SCHEMA.operations
                    }, title
        assert other.run("print(scratchpad)").output == "{'kept': [1]}\n"
        assert other.run(SHARED_STATE_CHECK).output == "whole\n"

    assert [name for name, _, _ in other_desk.calls] == ["stat", "read"]
    with Sandbox(TOOL_SCHEMA, RecordingHost(), now=NOW, seed=1, server=server) as new:
        assert new.run(SHARED_STATE_CHECK).output == "whole\n"


def test_the_language_layer_keeps_a_script_from_names_frames_and_globals_that_are_not_its_own(
    server,
):
    leaks = {}
    for title, script in corpus_scripts("attacks/language.txt"):
        with Sandbox(
            TOOL_SCHEMA, RecordingHost(), now=NOW, seed=1, server=server
        ) as box:
            result = box.run(script)
            whole = box.run(SHARED_STATE_CHECK)
        if "LEAK" in result.output or whole.output != "whole\n":
            leaks[title] = result

    assert leaks == {}


@pytest.mark.skipif(not SHARED.exists(), reason="the attacks of others are not here")
def test_no_attack_of_others_prints_its_mark(server):
    attacks = [json.loads(line) for line in SHARED.read_text().splitlines()]
    escaped = []
    for attack in attacks:
        if attack["family"] not in (
            "gate",
            "forge",
        ):
            # These are for the gates, which are not in the sandbox.
            with Sandbox(
                TOOL_SCHEMA, RecordingHost(), now=NOW, seed=1, server=server
            ) as box:
                if attack["success_marker"] in box.run(attack["code"]).output:
                    escaped.append(attack["id"])

    assert escaped == []


_LATE = """
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


def test_a_finalizer_that_runs_on_is_ended_with_its_step_and_the_next_step_runs(server):
    limits = Limits(step_cpu_s=0.5)
    with Sandbox(
        TOOL_SCHEMA, RecordingHost(), now=NOW, seed=1, server=server, limits=limits
    ) as box:
        late = box.run(f"scratchpad['kept'] = 1\nprint('printed')\n{_LATE}")
        assert (late.ending, late.output) == (Ending.LIMIT, "printed\n")
        assert "more than 0.5 s of CPU" in late.error
        assert box.run("print(scratchpad)").output == "{'kept': 1}\n"


@pytest.mark.parametrize(
    "isolation", ["kernel", pytest.param("process,kernel", marks=pytest.mark.heavy)]
)
def test_no_attack_in_plain_python_gets_through_the_kernel_layer(
    isolation, server, canary
):
    leaks = {}
    chosen = frozenset(Layer(layer) for layer in isolation.split(","))
    for title, script in corpus_scripts("attacks/kernel.txt"):
        limits = Limits(step_wall_s=1)
        with Sandbox(
            TOOL_SCHEMA,
            RecordingHost(),
            now=NOW,
            seed=1,
            server=server,
            isolation=chosen,
            limits=limits,
        ) as box:
            result = box.run(canary + script)
        if "LEAK" in result.output:
            leaks[title] = result

    assert leaks == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")
def test_the_process_layer_alone_makes_root_a_nobody_in_an_empty_directory(server):
    script = "import os\nprint(0 in os.getresuid() + os.getresgid() + tuple(os.getgroups()), os.access('/etc', 0))"
    with Sandbox(
        TOOL_SCHEMA,
        RecordingHost(),
        now=NOW,
        seed=1,
        server=server,
        isolation=frozenset({Layer.PROCESS}),
    ) as box:
        assert box.run(script).output == "False False\n"
    with Sandbox(
        TOOL_SCHEMA,
        RecordingHost(),
        now=NOW,
        seed=1,
        server=server,
        isolation=frozenset(),
    ) as box:
        assert box.run(script).output == "True True\n"


@pytest.mark.parametrize(
    ("title", "script"),
    corpus_scripts("attacks/messages.txt"),
    ids=lambda part: str(part)[:40],
)
def test_a_forged_message_costs_its_own_step(title, script, server, canary):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    desk = RecordingHost()
    # Without the process layer, so that the child can do as it likes.
    isolation = frozenset({Layer.KERNEL})
    limits = Limits(step_wall_s=2.0)
    with Sandbox(
        TOOL_SCHEMA,
        desk,
        now=NOW,
        seed=1,
        server=server,
        isolation=isolation,
        limits=limits,
    ) as box:
        box.run("scratchpad['kept'] = 1")
        result = box.run(FORGER + script)
        assert (
            result.ending in (Ending.KILLED, Ending.LIMIT) or result.output == "held\n"
        ), (
            title,
            result,
        )
        assert box.run("print('next', scratchpad.get('kept'))").output == "next 1\n"

    assert desk.answers == []
    assert all(
        name in {operation.name for operation in TOOL_SCHEMA.operations}
        for name, _, _ in desk.calls
    )
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


FORGER = """
import _socket as socket, gc, json, os, struct, sys
channel = scratchpad._send_to_parent.__self__.channel
wire = channel._reader.connection
def frame(message, length=None):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    wire.sendall(struct.pack("!I", len(body) if length is None else length) + body)
def answer():
    return channel._reader.receive(1 << 30)
"""


def test_a_scratchpad_that_cannot_be_read_back_is_empty_in_the_next_step(
    server, canary
):
    with Sandbox(
        TOOL_SCHEMA,
        RecordingHost(),
        now=NOW,
        seed=1,
        server=server,
        isolation=frozenset({Layer.KERNEL}),
    ) as box:
        box.run(FORGER + "frame({'scratchpad': {'s': {'$': 'set', 'v': [[1]]}}})")
        result = box.run("print(len(scratchpad))\nscratchpad['a'] = 1")
        assert result.output.startswith(
            "(the scratchpad cannot be read back and is empty now"
        )
        assert result.output.endswith("\n0\n")
        assert box.run("print(scratchpad)").output == "{'a': 1}\n"


def test_the_parent_refuses_to_grow_with_a_flood_of_frames(server, canary):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    isolation = frozenset({Layer.PROCESS, Layer.KERNEL})
    limits = Limits(step_wall_s=1.0)
    with Sandbox(
        TOOL_SCHEMA,
        RecordingHost(),
        now=NOW,
        seed=1,
        server=server,
        isolation=isolation,
        limits=limits,
    ) as box:
        result = box.run(FORGER + "while True: frame({'printed': 'x' * 500_000})")

    assert result.ending in (Ending.LIMIT, Ending.KILLED)
    assert len(result.output) < 40_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


def test_a_message_after_the_end_of_a_step_belongs_to_no_step(server, canary):
    desk = RecordingHost()
    late = """
def end(printed):
    report = {"kind": "end", "ending": "finished", "error": "", "end_of_output": "", "is_spent": False}
    frame({"printed": printed, "body": report})
end("")
call = {"kind": "call", "operation": "stat", "positional": [], "named": {"path": "/late"}}
frame({"number": 1, "body": call})
end("late")
while True: answer()
"""
    with Sandbox(
        TOOL_SCHEMA,
        desk,
        now=NOW,
        seed=1,
        server=server,
        isolation=frozenset({Layer.KERNEL}),
    ) as box:
        assert box.run(FORGER + late).ending is Ending.FINISHED
        time.sleep(0.05)
        assert box.run("print('next')").output == "next\n"

    assert desk.calls == []


def test_a_child_that_reads_no_answer_is_waited_for_until_the_deadline_only(
    server, canary
):
    class Slow(RecordingHost):
        def call(self, operation, arguments, *, in_verify):
            time.sleep(0.8)
            return {"content": "x" * 1_900_000}

    limits = Limits(step_wall_s=1.0)
    isolation = frozenset({Layer.KERNEL})
    with Sandbox(
        TOOL_SCHEMA,
        Slow(),
        now=NOW,
        seed=1,
        server=server,
        isolation=isolation,
        limits=limits,
    ) as box:
        result = box.run(
            FORGER
            + "call = {'kind': 'call', 'operation': 'stat', 'positional': [], 'named': {'path': '/'}}\n"
            + "frame({'number': 1, 'body': call})\nwhile True: pass"
        )

    assert result.ending is Ending.LIMIT
