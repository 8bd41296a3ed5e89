"""The objects in a reply, written as JSON, as Python, or as something between."""
