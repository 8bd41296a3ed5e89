"""The note beside a computed value of an answer names files in the same order in each run.

A note such as `= sum(fees), from /north.csv, /south.csv` says how a script computed the value, and
from which files. If it took the files from a Python set, their order would differ from process to
process.
"""

from __future__ import annotations

import re

from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial.script_runs import ScriptRun


def test_a_note_names_files_in_the_same_order_in_each_run() -> None:
    # The script is only analysed here, and not run.
    """What five files state is added to lists of a sixth one, so the sum depends on all."""
    run = ScriptRun(
        """\
regions = harness.read('/regions.json').json()
north = regions['north']
north.append(harness.read('/north.csv').content)
south = regions['south']
south.append(harness.read('/south.csv').content)
east = regions['east']
east.append(harness.read('/east.csv').content)
west = regions['west']
west.append(harness.read('/west.csv').content)
hills = regions['hills']
hills.append(harness.read('/hills.csv').content)
print(sum(regions))
""",
        printed="1070\n",
    )

    (mark,) = ValueMarker([], script_runs=[run]).marks("All cost 1,070 EUR.")

    # Five in reverse alphabetical order, and then the one that they are added to
    file_names = re.findall(r"/(\w+)\.", mark.note)
    assert file_names == ["west", "south", "north", "hills", "east", "regions"]
