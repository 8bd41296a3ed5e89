"""The embedded benchmark `ecom`: a simulated shop with tasks, a grader and a rule-based player.

Everything is determined by a seed.
"""
