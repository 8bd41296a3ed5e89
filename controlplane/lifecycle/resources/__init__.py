"""What all trials of a run share: the benchmark, models, solver, prompts, gates, limits and the sandbox."""
