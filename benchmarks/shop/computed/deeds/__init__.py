"""What records and policies make of a request to do something with a basket, a payment or a return."""

from benchmarks.shop.computed.deeds.requested_deed import expected_of_deed as expected_of_deed
