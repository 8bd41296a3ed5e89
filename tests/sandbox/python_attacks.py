"""Attacks on the language layer of the sandbox, which restricts Python.

An attack tries to reach what a script must not have, and prints LEAK if it did. Most attacks are one
script, which runs as one step of a trial. In some, one step leaves something behind, and a later one
uses it: they have a script for each step.
"""

from typing import NamedTuple

from tests.sandbox.script_corpus import CORPUS_FOLDER, CorpusScript, corpus_scripts

LANGUAGE_ATTACK_FILES = (
    "attacks/roads.txt",  # From an allowed module to another one: `json.codecs`
    "attacks/tricks.txt",  # Frames and code objects: `generator.gi_frame.f_back`
    "attacks/handed.txt",  # A class of the script derives from one of the library: `class X(typing.List): ...`
    "attacks/reached.txt",  # Types such as `list[int]`: `type(list[int])(harness, ()).__dict__`
    "attacks/newer.txt",  # Syntax of Python 3.12 and later: `def f[T = f.__globals__](x): ...`
    "attacks/deputies.txt",  # The library reads or sets an attribute that the script only names: "__traceback__"
    "attacks/asked.txt",  # The library hands a class to a method of the script: `isinstance(A, A)`
    "attacks/compared.txt",  # The library hands its objects to a method `__eq__` of the script
    "attacks/memory.txt",  # The script frees a buffer while a function in C reads it
)
"""Files of attacks that are one script each, with an example of what they try."""

_EXPRESSION_ATTACK = """\
try:
    _found = {expression}
    print("LEAK", type(_found))
except Exception as _error:
    print("held", type(_error).__name__)
"""
"""An attack by one expression, such as `().__class__.__base__`. It prints "held" if that is refused."""


def language_attacks() -> list[CorpusScript]:
    """Return every attack on the language layer that is one script."""
    return [*_expression_attacks(), *corpus_scripts(*LANGUAGE_ATTACK_FILES)]


def _expression_attacks() -> list[CorpusScript]:
    """Return the attacks of `attacks/expressions.txt`, which has one expression a line.

    A heading, `# --- classes`, stands above the lines of a kind.
    """
    attacks = []
    heading = ""
    path = CORPUS_FOLDER / "attacks/expressions.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# --- "):
            heading = line.removeprefix("# --- ")
        else:
            script = _EXPRESSION_ATTACK.format(expression=line)
            attacks.append(CorpusScript(f"{heading}: {line}", script))
    return attacks


class Attack(NamedTuple):
    """An attack: the scripts of its steps, of which most have one."""

    title: str
    steps: list[str]


def all_python_attacks() -> list[Attack]:
    """Return every attack on the language layer, also those with several steps.

    In a file, the line `# === next step` divides the steps.
    """
    attacks = [Attack(title, [script]) for title, script in language_attacks()]
    for title, text in corpus_scripts("attacks/steps.txt", "attacks/lasting.txt"):
        attacks.append(Attack(title, text.split("# === next step\n")))
    return attacks
