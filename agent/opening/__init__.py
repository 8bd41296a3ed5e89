"""What happens before a model is asked: initial calls, the
files that fit the request, and the first message with them."""
