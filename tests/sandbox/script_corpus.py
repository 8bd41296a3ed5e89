"""Hundreds of scripts in `ordinary/*.txt` and `attacks/*.txt`, and what reads them.

An ordinary script is one as models write it. An attack tries to reach what a script must not have,
and prints LEAK if it did. A line with a title begins each script of a file:

    # --- generator frame
    print("LEAK", (x for x in ()).gi_frame)
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

CORPUS_FOLDER = Path(__file__).parent


class CorpusScript(NamedTuple):
    """A script of a corpus file, such as the one above: `tricks: generator frame`."""

    title: str
    source: str


class Attack(NamedTuple):
    """An attack in restricted Python: the scripts of its steps, of which most have one."""

    title: str
    steps: list[str]


ORDINARY_SCRIPT_FILES = (
    "ordinary/constructs.txt",
    "ordinary/modules.txt",
    "ordinary/classes.txt",
    "ordinary/harness.txt",
    "ordinary/agents.txt",
    "ordinary/functions.txt",
    "ordinary/newer.txt",
    "ordinary/library.txt",
    "ordinary/objects.txt",
    "ordinary/idioms.txt",
    "ordinary/work.txt",
    "ordinary/corners.txt",
    "ordinary/makers.txt",
    "ordinary/everyday.txt",
    "ordinary/documented.txt",
)
"""The files with ordinary scripts, which must run as in plain Python."""

LANGUAGE_ATTACK_FILES = (
    "attacks/roads.txt",  # From an allowed module to others: `json.codecs`
    "attacks/tricks.txt",  # Frames, code objects and forbidden names
    "attacks/handed.txt",  # Objects that the library hands to a script's own classes
    "attacks/reached.txt",  # Expressions over type aliases and generics
    "attacks/newer.txt",  # Syntax of Python 3.12 and later
    "attacks/deputies.txt",  # Library functions that read or set attributes for a script
    "attacks/asked.txt",  # Methods of the library that are asked for classes
    "attacks/compared.txt",  # The library's own objects in a script's `__eq__`
    "attacks/memory.txt",  # Buffers that are freed while C code reads them
)
"""The files with attacks by one step, on the language layer, which restricts Python."""

_NEEDED_PYTHON = re.compile(r"\(Python 3\.(\d+)\)$")
"""Finds the minor version in a title such as `type parameters (Python 3.12)`."""


def runs_here(title: str) -> bool:
    """Return whether this Python is new enough for a script with this title."""
    needed = _NEEDED_PYTHON.search(title)
    if needed is None:
        return True
    return sys.version_info >= (3, int(needed[1]))


def corpus_scripts(*names: str) -> list[CorpusScript]:
    """Return every script in these corpus files that this Python can run.

    The title gets the name of the file: in `attacks/tricks.txt`, the line `# --- generator frame`
    begins the script `tricks: generator frame`.
    """
    scripts: list[CorpusScript] = []
    for name in names:
        path = CORPUS_FOLDER / name
        _, *blocks = re.split(r"(?m)^# --- ", path.read_text(encoding="utf-8"))
        for block in blocks:
            title, _, source = block.partition("\n")
            if runs_here(title):
                scripts.append(CorpusScript(f"{path.stem}: {title}", source))
    return scripts


SHARED_STATE_CHECK = """
import json, calendar, textwrap, re, collections.abc, html.entities, hashlib, math, decimal, sys
assert json.dumps({"a": [1, 2]}) == '{"a": [1, 2]}'
assert json.loads("[1]") == [1]
assert json.JSONEncoder.item_separator == ", "
assert not hasattr(HarnessError, "evil")
assert calendar.HTMLCalendar.cssclasses[0] == "mon"
assert textwrap.fill("a b", 3) == "a b"
assert "LEAK" not in hashlib.algorithms_guaranteed
assert "LEAK" not in html.entities.html5
assert math.pi > 3
assert len(sys.argv) == 1
assert decimal.Decimal(1) / 3 == decimal.Decimal("0." + "3" * 28)
class A: pass
assert not isinstance(A(), collections.abc.Mapping)
assert re.sub("a", "b", "a") == "b"
assert harness.stat("/docs").is_dir
assert harness.read("/AGENTS.MD").content.startswith("Answer")
print("whole")
"""
"""A script that prints "whole" if no earlier step altered what all steps share.

Shared are the modules of the standard library, the harness and its exceptions. Each `assert` is
about something that an attack of `attacks/*.txt` tries to change. The script makes two calls,
`stat` and `read`.
"""

SECRET = "SECRET-OF-THE-MACHINE"
"""The content of a file and of an environment variable that no attack may print.

Both are made by the fixture `canary`.
"""

ATTACK_IN_NEXT_STEP = """
import _socket, os
def outside():
    return open(CANARY).read()
def secret():
    return os.environ["SANDBOX_SECRET"]
def network():
    return _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM).connect(("127.0.0.1", PORT))
def program():
    return os.waitpid(os.posix_spawn("/usr/bin/id", ["id"], {}), 0)
def parent():
    return os.listdir(f"/proc/{os.getppid()}/fd")
for each in (outside, secret, network, program, parent):
    try:
        print("LEAK", each())
    except Exception as error:
        print(each.__name__, type(error).__name__, error)
"""
"""What an attacker goes on to do in the next step, whatever the attack left behind.

It tries to reach a file, an environment variable, a port, another program and the parent
process, and prints LEAK for each that it reached. The test puts a line above it for the file and
the port: `CANARY = "/tmp/canary.txt"` and `PORT = 40123`. The child cannot load modules, so that
the script imports two that are loaded.
"""


_EXPRESSION_ATTACK = """\
try:
    _found = {expression}
    print("LEAK", type(_found))
except Exception as _error:
    print("held", type(_error).__name__)
"""
"""A script that tries one expression, such as `().__class__.__base__`."""


def language_attacks() -> list[CorpusScript]:
    """Return every attack on the language layer that is one script.

    `attacks/expressions.txt` has one attack a line, below a heading for each kind; the other
    files have whole scripts.
    """
    attacks: list[CorpusScript] = []
    heading = ""
    path = CORPUS_FOLDER / "attacks/expressions.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# --- "):
            heading = line.removeprefix("# --- ")
        else:
            script = _EXPRESSION_ATTACK.format(expression=line)
            attacks.append(CorpusScript(f"{heading}: {line}", script))
    attacks += corpus_scripts(*LANGUAGE_ATTACK_FILES)
    return attacks


def all_python_attacks() -> list[Attack]:
    """Return every attack on the language layer, also those by which one step tries to influence
    a later one. A line `# === next step` divides the steps of such an attack."""
    attacks = [Attack(title, [script]) for title, script in language_attacks()]
    for title, text in corpus_scripts("attacks/steps.txt", "attacks/lasting.txt"):
        attacks.append(Attack(title, text.split("# === next step\n")))
    return attacks
