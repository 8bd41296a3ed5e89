"""The results of runs as `--json`, exports and Python tables show them."""
