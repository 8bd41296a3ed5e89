"""Where the values of a changing call come
from: the request, the rules, data or running text."""
