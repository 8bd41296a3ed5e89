"""The task to read a value out of a temporary file: "Give me the marker in this file."

The file has a line `marker: cat-marker-3f09c2a1b7de`. An older file with a similar name has
another marker, so an agent that opens the wrong one answers wrongly.
"""

from __future__ import annotations

from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone
from controlplane.benchmarks.ecom.world.world import World


def file_marker(world: World, _case: str) -> Truth:
    """Ask for the marker in a temporary file: the text after `marker:`.

    Right: give the marker in this file.

    Wrong: give that of an older file with a similar name.
    """
    rng = world.rng
    sign_in_anyone(world)
    # 1. Draw the file and its marker, and an older file beside it.
    path = f"/tmp/cat-check-{rng.getrandbits(32):08x}.txt"
    marker = f"cat-marker-{rng.getrandbits(48):012x}"
    older_marker = f"cat-marker-{rng.getrandbits(48):012x}"
    older_path = path.replace("check", "check-old")
    world.files[path] = f"runtime tool check\nmarker: {marker}\n"
    world.files[older_path] = f"runtime tool check\nmarker: {older_marker}\n"

    # 2. Build the truth. The request names the file and a tool to read it with.
    return truth_with_exact_message(
        world.wording("file-marker", tool="/bin/cat", path=path),
        marker,
        must_cite=(path,),
        for_tests={"path": path},
    )
