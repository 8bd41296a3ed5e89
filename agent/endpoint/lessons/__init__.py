"""What the refusal of a request shows about an endpoint: a part that it does not support."""
