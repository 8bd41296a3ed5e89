"""Says whether runs differ beyond chance: pairs of trials, intervals, tests, several tries of a task."""
