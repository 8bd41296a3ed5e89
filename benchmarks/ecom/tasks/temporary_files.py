"""Tasks about temporary files: to delete some, or to read a value out of one."""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.ecom.tasks.family import Bar, Family
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.names import DATA
from controlplane.benchmarks.ecom.world.world import World, sign_in_anyone

# The task to delete temporary files: all below a directory, or those of one suffix.
#
# "Delete the `.tmp` files in `/tmp/cleanup-3f`." Beside them are `scan.tmp.keep` and
# `/tmp/cleanup-3f-archive/scan.tmp`, which must stay.

_SUFFIXES: Final = (".tmp", ".part", ".bak")
_SUBFOLDERS: Final = ("", "", "old/", "2/")
"""Where files are below the named directory. Half of them are directly in it."""


def _temporary_files(world: World, case: str) -> TaskTruth:
    """Ask for the deletion of all files below a directory, or of those with one suffix.

    Right: delete exactly these files, and list their paths, sorted, one a line.

    Wrong: delete similar files in the directory, or files in a directory with nearly
    the same name.

    Cases: `every file`, `one suffix`.
    """
    # 1. Draw 4 to 6 files with the suffix: `/tmp/cleanup-3f/old/scan-07.tmp`.
    rng = world.rng
    sign_in_anyone(world)
    suffix = rng.choice(_SUFFIXES)
    directory = f"/tmp/cleanup-{rng.getrandbits(24):06x}"
    stems = DATA["temporary"]
    with_suffix = []
    for stem in rng.sample(stems, rng.randint(4, 6)):
        name = f"{rng.choice(_SUBFOLDERS)}{stem}-{rng.randint(1, 99):02d}{suffix}"
        with_suffix.append(f"{directory}/{name}")

    # 2. Draw files that only look as if they had it, which end in `.tmp.keep`, `.log` and `.TMPx`.
    inside = list(with_suffix)
    for ending in (f"{suffix}.keep", ".log", f"{suffix.upper()}x"):
        name = f"{rng.choice(stems)}-{rng.randint(100, 199)}{ending}"
        inside.append(f"{directory}/{name}")

    # 3. Draw a file in a directory of nearly the same name, and one above. Then write all of them.
    outside = [
        f"{directory}-archive/{rng.choice(stems)}-01{suffix}",
        f"/tmp/{rng.choice(stems)}{suffix}",
    ]
    for path in [*inside, *outside]:
        world.files[path] = f"temporary data {rng.getrandbits(32):08x}\n"

    # 4. Build the truth.

    if case == "every file":
        targets = inside
        wording = "temporary-files-all"
    else:
        targets = with_suffix
        wording = "temporary-files-suffix"
    return truth_with_exact_message(
        world.wording(wording, root=directory, suffix=suffix),
        "\n".join(sorted(targets)),
        may_cite=tuple(inside),
        # Each target must be deleted: `{path: None, ...}`. Nothing else may change.
        changes=dict.fromkeys(targets),
        for_tests={"root": directory, "outside": outside[0]},
    )


# The task to read a value out of a temporary file: "Give me the marker in this file."
#
# The file has a line `marker: cat-marker-3f09c2a1b7de`. An older file with a similar name has
# another marker, so an agent that opens the wrong one answers wrongly.


def _file_marker(world: World, _case: str) -> TaskTruth:
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


FAMILIES: Final = (
    Family(
        "file-marker",
        _file_marker,
        task_count=1,
        about="a value out of a temporary file",
        pages="uploads",
        bar=Bar.NO_GUESTS,
    ),
    Family(
        "temporary-files",
        _temporary_files,
        task_count=2,
        about="a deletion of temporary files",
        cases={"every file": 1, "one suffix": 1},
        bar=Bar.NO_GUESTS,
    ),
)
