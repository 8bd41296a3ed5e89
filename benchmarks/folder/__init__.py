"""The user's own benchmark without code: `folder:DIR`, a folder of tasks in plain files.

Every task is a folder with `task.toml`, which holds the instruction and the required end of the trial, and the files
that the trial's scripts see.
"""
