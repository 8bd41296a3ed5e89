"""The kinds and wordings kept apart. Who writes or changes a gate or a rule does not read this folder.

`python -m tests.spoiled --part apart` prints figures alone, never a text.
"""
