"""Attacks get nothing out: the corpus against the language wall, against the kernel wall alone, and forged messages."""

from __future__ import annotations

import resource
import socket

import pytest

from sandbox import Ending, Limits, Sandbox, Wall
from tests.sandbox.attacking import language_attacks
from tests.sandbox.world import NOW, SURFACE, Desk, blocks

SCRIPTS_PER_TRIAL = 40
STILL_WHOLE = """
import json, calendar, textwrap, re, collections.abc, html.entities, hashlib, math, decimal, sys
assert json.dumps({"a": [1, 2]}) == '{"a": [1, 2]}' and json.loads("[1]") == [1]
assert json.JSONEncoder.item_separator == ", " and not hasattr(HarnessError, "evil")
assert calendar.HTMLCalendar.cssclasses[0] == "mon" and textwrap.fill("a b", 3) == "a b"
assert "LEAK" not in hashlib.algorithms_guaranteed and "LEAK" not in html.entities.html5
assert math.pi > 3 and len(sys.argv) == 1 and decimal.Decimal(1) / 3 == decimal.Decimal("0." + "3" * 28)
class A: pass
assert not isinstance(A(), collections.abc.Mapping) and re.sub("a", "b", "a") == "b"
assert harness.stat("/docs").is_dir and harness.read("/AGENTS.MD").content.startswith("Answer")
print("whole")
"""


def test_the_corpus_of_attacks_is_as_large_as_promised():
    assert len(language_attacks()) + len(blocks("attacks/kernel.txt", "attacks/messages.txt")) >= 300


@pytest.mark.parametrize("start", range(0, len(language_attacks()), SCRIPTS_PER_TRIAL))
def test_no_attack_gets_through_the_language_wall(start, server):
    leaks = {}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    desk = Desk()
    with Sandbox(SURFACE, desk, now=NOW, seed=1, server=server, walls=frozenset({Wall.LANGUAGE})) as box:
        for title, script in language_attacks()[start : start + SCRIPTS_PER_TRIAL]:
            box._trial.answered = False
            result = box.run(script)
            if "LEAK" in result.output or result.ending is Ending.KILLED:
                leaks[title] = result
        assert box.run(STILL_WHOLE).output == "whole\n"
    assert leaks == {}
    assert desk.tree.changes == {}
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


@pytest.fixture
def canary(tmp_path, monkeypatch, server):
    """A file, a port and a variable that no script may reach; only where the whole kernel wall stands."""
    down = {part: reason for part, reason in server.kernel_report().items() if reason}
    if down:
        pytest.skip(f"these attacks are for the whole kernel wall, which does not stand here: {down}")
    monkeypatch.setenv("SANDBOX_SECRET", "SECRET")
    path = tmp_path / "canary.txt"
    path.write_text("SECRET")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"CANARY = {str(path)!r}\nPORT = {listener.getsockname()[1]}\nSOCKET = 3\n"
    assert path.read_text() == "SECRET"


@pytest.mark.parametrize("walls", ["kernel", "process,kernel"])
def test_no_attack_in_plain_python_gets_through_the_kernel_wall(walls, server, canary):
    leaks = {}
    chosen = frozenset(Wall(each) for each in walls.split(","))
    for title, script in blocks("attacks/kernel.txt"):
        limits = Limits(step_wall_s=2)
        with Sandbox(SURFACE, Desk(), now=NOW, seed=1, server=server, walls=chosen, limits=limits) as box:
            result = box.run(canary + script)
        if "LEAK" in result.output or result.elapsed_ms > 3_000:
            leaks[title] = result
    assert leaks == {}


@pytest.mark.parametrize(("title", "script"), blocks("attacks/messages.txt"), ids=lambda part: str(part)[:40])
def test_a_forged_message_costs_its_own_step(title, script, server, canary):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    desk = Desk()
    walls = frozenset({Wall.PROCESS, Wall.KERNEL})
    limits = Limits(step_wall_s=0.5)
    with Sandbox(SURFACE, desk, now=NOW, seed=1, server=server, walls=walls, limits=limits) as box:
        box.run("scratchpad['kept'] = 1")
        result = box.run(FORGER + script)
        assert result.elapsed_ms < 1_500
        assert result.ending in (Ending.KILLED, Ending.LIMIT) or result.output == "held\n", (title, result)
        assert box.run("print('next', scratchpad.get('kept'))").output == "next 1\n"
    assert desk.answers == []
    assert all(name in {each.name for each in SURFACE.operations} for name, _, _ in desk.calls)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


FORGER = """
import gc, json, os, socket, struct, sys
from sandbox.scripting import _LENT
channel = next(iter(_LENT.values())).ask.__self__._channel
wire = channel._connection
def frame(message, length=None):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    wire.sendall(struct.pack("!I", len(body) if length is None else length) + body)
def answer():
    return channel.receive()
"""


def test_the_parent_refuses_to_grow_with_a_flood_of_frames(server, canary):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    walls = frozenset({Wall.PROCESS, Wall.KERNEL})
    limits = Limits(step_wall_s=1.0)
    with Sandbox(SURFACE, Desk(), now=NOW, seed=1, server=server, walls=walls, limits=limits) as box:
        result = box.run(FORGER + "while True: frame(['out', 'x' * 500_000])")
    assert result.ending in (Ending.LIMIT, Ending.KILLED)
    assert len(result.output) < 40_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024
