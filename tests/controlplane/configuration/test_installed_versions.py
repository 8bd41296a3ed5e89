from controlplane.configuration.installed_versions import source_digest


def test_the_source_of_the_benchmark_counts_and_its_argument_does_not() -> None:
    assert source_digest("ecom") == source_digest("ecom")
    assert source_digest("tests.support.many_trials:3") == source_digest("tests.support.many_trials:4")
    assert source_digest("ecom") != source_digest("tests.support.many_trials")


def test_a_benchmark_that_is_not_installed_has_no_source() -> None:
    assert source_digest("nowhere.at_all") == source_digest("nowhere_either")
