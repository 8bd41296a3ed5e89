"""One trial as its solver works with it: its calls,
citations, submissions and requests to models, all recorded."""
