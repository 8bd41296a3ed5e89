"""One HTML file about runs, to read offline: scores,
failures, gates, costs, and every step of every trial."""
