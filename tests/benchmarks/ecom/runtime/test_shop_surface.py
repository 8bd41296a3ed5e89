"""What turn one reads depends on where a world keeps its rules on access and its uploads; nothing else does."""

from __future__ import annotations

from benchmarks.ecom.runtime.shop_environment import SURFACE, surface_of


def test_the_surface_follows_the_paths_of_a_world() -> None:
    found = surface_of("/docs/who.md", "/scans")
    read = [each.arguments["path"] for each in found.opening if each.operation == "read" and each.arguments]
    assert read == ["/AGENTS.MD", "/docs/who.md"]
    assert found.named_files is not None
    assert found.named_files.roots == ("/proc", "/scans")
    assert (found.operations, found.executables) == (SURFACE.operations, SURFACE.executables)
    assert surface_of("/docs/who.md", "/scans") is found
    assert surface_of("/docs/who.md", "/uploads") is not found
