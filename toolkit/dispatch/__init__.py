"""Plans which lanes the packages of a dispatch wave take."""

from toolkit.dispatch.dispatch_tables import read_lanes, read_packages
from toolkit.dispatch.profit_plan import ProfitPlan, plan_for_profit
from toolkit.dispatch.wave import Lane, Package
from toolkit.dispatch.wave_files import wave_path
from toolkit.dispatch.wave_plan import Assignment, WavePlan, plan_wave

__all__ = [
    "Assignment",
    "Lane",
    "Package",
    "ProfitPlan",
    "WavePlan",
    "plan_for_profit",
    "plan_wave",
    "read_lanes",
    "read_packages",
    "wave_path",
]
