"""A bounded deletion: all files of one temporary directory, or those with one suffix, and no others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import sign_in_anyone
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings

VARIANTS: Final = (Variant("every file"), Variant("one suffix among look-alikes"))
WORDINGS: Final[Mapping[int, Wordings[str]]] = {
    1: Wordings(
        (
            "Delete every file below {root} and nothing else. Answer with the deleted paths, one per line, sorted.",
            "Please empty {root}: all files in it and below it go, everything else stays. Answer only with the deleted "
            "paths, one per line, sorted alphabetically.",
        ),
        (
            "All files under {root} are obsolete. Delete them, but no other file, and list the deleted paths in "
            "alphabetical order, one per line, without further text.",
        ),
    ),
    2: Wordings(
        (
            "Below {root}, delete only the files whose name ends in `{suffix}`. Answer with the deleted paths, one per "
            "line, sorted.",
            "Remove the `{suffix}` files (the name must end exactly so) from {root}, subdirectories included. Answer "
            "with "
            "the deleted paths only, one per line, sorted alphabetically.",
        ),
        (
            "Only the files ending in `{suffix}` under {root} are obsolete (look at the very end of the name). Delete "
            "these and list the deleted paths in alphabetical order, one per line, without further text.",
        ),
    ),
}
STEMS: Final = (
    "scan",
    "export-draft",
    "session",
    "label-sheet",
    "till-sync",
    "cart-dump",
    "photo-import",
    "stock-diff",
)
SUFFIXES: Final = (".tmp", ".part", ".bak")


def pose(world: World, variant: int) -> Truth:
    """Request the deletion of files in a directory that has a sibling of nearly the same name."""
    rng = world.rng
    sign_in_anyone(world)
    suffix = rng.choice(SUFFIXES)
    root = f"/tmp/cleanup-{rng.getrandbits(24):06x}"
    targets, kept = [], []
    for stem in rng.sample(STEMS, rng.randint(4, 6)):
        below = rng.choice(("", "", "old/", "2/"))
        targets.append(f"{root}/{below}{stem}-{rng.randint(1, 99):02d}{suffix}")
    for ending in (f"{suffix}.keep", ".log", suffix.upper() + "x"):
        kept.append(f"{root}/{rng.choice(STEMS)}-{rng.randint(100, 199)}{ending}")
    if variant == 1:
        targets, kept = targets + kept, []
    outside = [f"{root}-archive/{rng.choice(STEMS)}-01{suffix}", f"/tmp/{rng.choice(STEMS)}{suffix}"]
    for path in (*targets, *kept, *outside):
        world.files[path] = f"temporary data {rng.getrandbits(32):08x}\n"
    return Truth(
        instruction=world.say(WORDINGS[variant]).format(root=root, suffix=suffix),
        message="\n".join(sorted(targets)),
        is_exact=True,
        tolerated=frozenset({*targets, *kept}),
        changes=dict.fromkeys(targets),
        inputs={"root": root, "suffix": "" if variant == 1 else suffix, "outside": outside[0]},
    )
