"""`make mutate` reads a list by hand of modules, tests and changes that mean the same."""

from tests.mutate import LISTS, ROOT


def test_every_module_and_test_of_the_list_exists():
    for pattern, tests in LISTS["tests"].items():
        assert [*ROOT.glob(pattern)], pattern
        assert [test for test in tests if not (ROOT / "tests" / test).exists()] == [], pattern
    for entry in LISTS["equivalent"]:
        assert (ROOT / entry["module"]).exists(), entry
