"""The embedded benchmark: a simulated commerce workspace, its tasks, its grader and its player."""
