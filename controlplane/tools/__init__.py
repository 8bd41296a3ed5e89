"""Python functions as tools that scripts call: their parameters, their results, their names."""
