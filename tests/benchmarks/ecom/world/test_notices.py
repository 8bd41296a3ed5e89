"""Where notices override pages, the pages state what held before and a notice what holds today."""

from __future__ import annotations

import pytest
from benchmarks.ecom.world.documents import DISCOUNTS, euros

from benchmarks.ecom.world.generator import World, generate
from benchmarks.ecom.world.profiles import WorldSettings

WORLDS = [generate(f"notices|{number}", WorldSettings(profile=("dev", "hard")[number % 2])) for number in range(8)]


def dated_notices(world: World) -> list[tuple[str, str]]:
    """Return the path and the date, from which it holds, of each notice."""
    paths = [path for path in world.workspace().files if path.startswith(world.names.notices)]
    return [(path, path.rsplit("/", 1)[1][: len("2027-01-04")]) for path in paths]


@pytest.mark.parametrize("world", WORLDS)
def test_a_notice_in_force_states_what_holds_today(world: World) -> None:
    files = {path: " ".join(text.split()) for path, text in world.workspace().files.items()}  # Pages wrap their lines.
    policy, stated = world.policy, world.notices.stated
    assert stated.threshold_cents != policy.threshold_cents
    assert euros(stated.threshold_cents) in files[world.names.document(DISCOUNTS)]
    assert world.names.notices in files["/AGENTS.MD"]
    in_force = [path for path, day in dated_notices(world) if day <= world.clock.date().isoformat()]
    assert in_force
    assert any(euros(policy.threshold_cents) in files[path] for path in in_force)


@pytest.mark.parametrize("world", WORLDS[1::2])
def test_decoys_do_not_hold_today(world: World) -> None:
    files = world.workspace().files
    later = [path for path, day in dated_notices(world) if day > world.clock.date().isoformat()]
    assert len(later) == 1
    assert [path for path in files if path.startswith("/docs/archive/")]


def test_a_default_world_has_no_notice() -> None:
    world = generate("no notice")
    assert world.notices.stated == world.policy
    assert not world.notices.files
