"""Asks for the marker that a file holds, read with one of the tools."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import sign_in_anyone
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings

VARIANTS: Final = (Variant("one value among several lines"),)
WORDINGS: Final = Wordings(
    (
        "Use `{tool} {path}` and return the exact marker value from that file. Answer with only the marker value, and "
        "cite "
        "the file you read.",
        "Read {path} with `{tool}`. What is its marker? The value alone, please, with the file as a reference.",
    ),
    ("Please run `{tool}` on {path} and tell me the value of the marker in it, nothing else. Cite the file.",),
)


def pose(world: World, variant: int) -> Truth:
    """Ask for the marker of one file."""
    rng = world.rng
    sign_in_anyone(world)
    path = f"/tmp/cat-check-{rng.getrandbits(32):08x}.txt"
    marker = f"cat-marker-{rng.getrandbits(48):012x}"
    older = f"cat-marker-{rng.getrandbits(48):012x}"
    world.files[path] = f"runtime tool check\nmarker: {marker}\n"
    world.files[path.replace("check", "check-old")] = f"runtime tool check\nmarker: {older}\n"
    return Truth(
        instruction=world.say(WORDINGS).format(tool=world.names.tool("cat"), path=path),
        message=marker,
        is_exact=True,
        records={path: f"the file with marker: {marker}"},
        inputs={"path": path},
    )
