"""A run from its plan to its submission. Its story, in the order in which modules tell it:

1. `run_plan`: what a run plays: tasks from the start, tries of a recorded run again, or a fork.
2. `resources`: what all trials share: the benchmark, the models, the solver, the gates, the sandbox.
3. `run_beginnings`: it is opened, checked and begun, or opened again from its journal.
4. `run_lifecycle`: the open run: its journal, its totals, its trials side by side, how it is stopped.
5. `trial_lifecycle`: one trial, from its start to its score, in its `watched_environment`.
6. `run_submission`: it is submitted, and its scores are asked for.

`conducting` calls these in turn, and ends the run with its exit code. `run_controls` is what a run and
its trials tell each other meanwhile.
"""
