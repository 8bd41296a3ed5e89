"""Texts that cannot be encoded, or that steer a terminal, and a model's script that reads one.

A model, a script or a grader may write half of a surrogate pair, which has no UTF-8, or an escape
sequence that clears the screen: `EVIL_TEXTS["byte of a file name"]` is "caf\\udce9".
"""

import re

EVIL_TEXTS = {
    "high half of a pair": "a\ud83d!",
    "low half of a pair": "\udc00b",
    "halves in the wrong order": "\udc00\ud83d",
    "byte of a file name": "caf\udce9",
    "controls": "\x00\x1b[31m\u202e\ufeff\u2028",
}
"""Texts that cannot be encoded in UTF-8, or that steer a terminal, by what they are."""

STEERING_CHARACTERS = re.compile("[\x00-\x08\x0b-\x1f\u202a-\u202e\ud800-\udfff]")
"""Finds control characters except tab and line feed, marks that turn the direction of a line, and
halves of surrogate pairs."""

READS_A_FILE = """
[[reply]]
code = '''
print(harness.read("/a.txt").content)
scratchpad["answer"], scratchpad["outcome"] = "done", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "done")
'''
"""
"""The model: a script that reads a file and answers."""
