"""Tasks of Inspect as a benchmark: `inspect:FILE.py@TASK`, or `inspect:PACKAGE/TASK`."""
