"""The parts of the documentation that are made from the code, one module a subject.

`docs/generate.py` writes them into the pages.
"""
