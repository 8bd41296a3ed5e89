"""Attacks on the language layer of the sandbox, which restricts Python.

An attack tries to reach what a script must not have, such as `().__class__.__base__`, and prints
LEAK if it did. Most attacks are one script. Some have several, the steps of a trial: one leaves
something behind that a later one uses.
"""

from typing import NamedTuple

from tests.sandbox.script_corpus import CORPUS_FOLDER, CorpusScript, corpus_scripts

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


class Attack(NamedTuple):
    """An attack in restricted Python: the scripts of its steps, of which most have one."""

    title: str
    steps: list[str]


def all_python_attacks() -> list[Attack]:
    """Return every attack on the language layer, also those by which one step tries to influence
    a later one. A line `# === next step` divides the steps of such an attack."""
    attacks = [Attack(title, [script]) for title, script in language_attacks()]
    for title, text in corpus_scripts("attacks/steps.txt", "attacks/lasting.txt"):
        attacks.append(Attack(title, text.split("# === next step\n")))
    return attacks
