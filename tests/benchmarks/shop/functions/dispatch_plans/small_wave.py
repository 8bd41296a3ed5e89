r"""A wave of one package, which a shop sends from its branch in Graz to Linz, where it is due at 7.

files_of_wave("fast\tgraz\tlinz\t1\t4\t700\tdelays unlikely; short when delayed")["/lanes.tsv"]
# the table of lanes, with this row: name, start, end, room, arrival, cents, delays
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


def files_of_wave(*lanes: str) -> dict[str, str]:
    """Return the files of the wave, with these lanes (connections between branches) as rows."""
    return {
        "/wave.md": WAVE_PAGE,
        "/packages.tsv": PACKAGES,
        "/lanes.tsv": LANE_HEADER + "\n".join(lanes),
    }
