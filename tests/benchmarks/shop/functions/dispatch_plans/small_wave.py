"""The files of a shop that sends one package, a *wave* of one, from its branch in Graz to Linz.

The package is due at 7, and the shop earns 1200 cents by it.

    files_of_wave(lane("fast", arrives_at=4, cost_cents=700))
    # {"/wave.md": ..., "/packages.tsv": ..., "/lanes.tsv": ...}: a page and its two tables
"""

WAVE_PAGE = """\
Follow /docs/dispatch.md.
Packages: /packages.tsv
Lanes: /lanes.tsv
"""
PACKAGES = (
    "package_id\tfrom_store_id\tto_store_id\tdue_time\tmargin_cents\n"
    "package-1\tgraz\tlinz\t7\t1200\n"
)
LANE_HEADER = "lane_id\tfrom\tto\tcapacity\teta\tcost_cents\tdelay_hint\n"


def lane(
    lane_id: str,
    *,
    arrives_at: int,
    cost_cents: int,
    delays: str = "delays unlikely; short when delayed",
) -> str:
    """Return the row of a lane, a connection from Graz to Linz with room for one package."""
    return f"{lane_id}\tgraz\tlinz\t1\t{arrives_at}\t{cost_cents}\t{delays}"


def files_of_wave(*lanes: str) -> dict[str, str]:
    """Return the files of the wave, with these rows of lanes."""
    return {
        "/wave.md": WAVE_PAGE,
        "/packages.tsv": PACKAGES,
        "/lanes.tsv": LANE_HEADER + "\n".join(lanes),
    }
