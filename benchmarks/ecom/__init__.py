"""The embedded benchmark `ecom`: a simulated shop workspace, its tasks, its grader, and a rule-based player.

Everything is deterministic from a seed.
"""
