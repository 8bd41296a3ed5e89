"""`dispatch_plan` plans the recorded waves of the public shop benchmark well.

A *wave* is a set of packages that branches send each other by lanes. A plan that earns as much as the
best known one scores 1.
"""

import pytest

from controlplane.benchmarks.ecom.tasks.dispatch import DispatchMeasure
from controlplane.benchmarks.ecom.tasks.truth import Measured
from tests.benchmarks.ecom.tasks.graded_plans import SAMPLES, sample_text
from tests.benchmarks.ecom.tasks.public_waves import PUBLIC_RATES, public_wave
from tests.benchmarks.shop.functions.functions_on_files import run_table_function

every_public_wave = pytest.mark.parametrize(
    ("packages_file", "lanes_file"),
    [
        ("dispatch_packages.tsv", "dispatch_lanes.tsv"),
        ("dispatch_packages_wave2.tsv", "dispatch_lanes_wave2.tsv"),
        ("dispatch_packages_wave3.tsv", "dispatch_lanes_wave3.tsv"),
    ],
)
pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="no recorded waves here")
PAGE = "/ops/dispatch/wave-BD2bv3HB/dispatch.md"


def files_of_public_wave(packages_file: str, lanes_file: str) -> dict[str, str]:
    """Return the files of a wave: its tables, and the one page that was recorded, which fits all."""
    return {
        PAGE: sample_text("dispatch_wave_file.txt"),
        "/ops/dispatch/wave-BD2bv3HB/packages.tsv": sample_text(packages_file),
        "/ops/dispatch/wave-BD2bv3HB/lanes.tsv": sample_text(lanes_file),
    }


@every_public_wave
def test_a_plan_with_known_rates_scores_at_least_nine_tenths(
    packages_file: str, lanes_file: str
) -> None:
    """The call says how often and how long lanes are delayed: `{"often": 20, "short": (1, 2)}`."""
    files = files_of_public_wave(packages_file, lanes_file)
    delays = {**PUBLIC_RATES.delayed_percent, **PUBLIC_RATES.delay_units}
    result = run_table_function(
        "dispatch_plan",
        files,
        path=PAGE,
        late_cents=PUBLIC_RATES.late_cents,
        delays=delays,
    )

    measured = measure_plan(result["value"]["answer"], packages_file, lanes_file)
    assert measured.score >= 0.9, measured.explanation
    assert [ref["path"] for ref in result["refs"]] == list(files)
    assert result["notes"] == []


@every_public_wave
def test_a_plan_without_known_rates_has_notes_on_what_is_missing(
    packages_file: str, lanes_file: str
) -> None:
    """Neither the call nor a page says how often lanes are late, or what that costs."""
    files = files_of_public_wave(packages_file, lanes_file)

    result = run_table_function("dispatch_plan", files, path=PAGE)

    measured = measure_plan(result["value"]["answer"], packages_file, lanes_file)
    assert measured.score > 0, measured.explanation
    assert "no page gives the rates" in result["notes"][0]
    assert "no page gives the price" in result["notes"][1]


def measure_plan(plan: str, packages_file: str, lanes_file: str) -> Measured:
    wave = public_wave("w", packages_file=packages_file, lanes_file=lanes_file)
    # The citations, `refs`, do not count for the score.
    return DispatchMeasure(wave).measure(plan, refs=())
