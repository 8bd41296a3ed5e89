"""The user's own benchmark without code: `folder:DIR`, a folder of tasks.

Each task is a folder with a `task.toml`, which has the instruction and the required end
of the trial, and with the files that the trial's scripts see.
"""
