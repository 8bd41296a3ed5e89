"""Plans which lanes the packages of a dispatch wave take."""

from toolkit.dispatch.wave import Lane, Package
from toolkit.dispatch.wave_plan import Assignment, WavePlan, plan_wave

__all__ = ["Assignment", "Lane", "Package", "WavePlan", "plan_wave"]
