"""The calls in the replies of a model, native or written as JSON."""
