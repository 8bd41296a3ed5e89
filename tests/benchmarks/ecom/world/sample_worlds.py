"""Forty worlds for tests of what holds in every world."""

from __future__ import annotations

from benchmarks.ecom.world.generator import generate

WORLDS = [generate(f"world|{number}") for number in range(40)]
