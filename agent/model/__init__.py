"""Models: the protocol, OpenAI-compatible endpoints, scripted replies, and what a reply means."""
