import unittest

from prices import with_tax


class PricesTest(unittest.TestCase):
    def test_tax_is_rounded_to_the_nearest_cent(self):
        assert with_tax(199, 20) == 239
        assert with_tax(1000, 19) == 1190


if __name__ == "__main__":
    unittest.main()
