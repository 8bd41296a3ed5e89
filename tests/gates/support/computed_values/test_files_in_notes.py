"""The note beside a computed value of an answer names files in the same order in each run.

The note `= sum(fees), from /south.csv; /north.csv` says how a script computed the value, and which
files the script read for it. The gates find both in the script's source, without running it. If
they took the files from a Python set, the order would differ from process to process.
"""

from __future__ import annotations

import re

from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial import ScriptRun

SCRIPT = """\
regions = harness.read('/regions.json').json()
north = regions['north']
north.append(int(harness.read('/north.csv').content))
south = regions['south']
south.append(int(harness.read('/south.csv').content))
east = regions['east']
east.append(int(harness.read('/east.csv').content))
west = regions['west']
west.append(int(harness.read('/west.csv').content))
hills = regions['hills']
hills.append(int(harness.read('/hills.csv').content))
print(sum(sum(fees) for fees in regions.values()))
"""
"""Adds a number of each of five files to a list of `/regions.json`: the sum is from all six."""


def test_a_note_names_files_in_the_same_order_in_each_run() -> None:
    """The lists that the script changes come first, from z to a, and then what they belong to."""
    run = ScriptRun(SCRIPT, printed="1070\n")
    marker = ValueMarker(sources=[], script_runs=[run])

    (mark,) = marker.marks("All cost 1,070 EUR.")

    file_names = re.findall(r"/(\w+)\.", mark.note)
    assert file_names == ["west", "south", "north", "hills", "east", "regions"]
