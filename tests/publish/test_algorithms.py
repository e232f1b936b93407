"""What pages tell of an algorithm comes from its file, and a file that tells less is told too."""

from __future__ import annotations

import pytest

from dpbandits.core import registry
from dpbandits.publish import algorithms


@pytest.mark.parametrize("docstring", ["", "Play anything.", "Play anything.\n\nPrivacy: none."])
def test_a_docstring_may_tell_less(docstring: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A newcomer's first file has a line at most: title and source are then those that it declares."""
    declared = registry.algorithm("kl-ucb")
    monkeypatch.setattr(algorithms.inspect, "getdoc", lambda _: docstring)
    told = algorithms.describe_algorithm("kl-ucb")
    assert told.source == declared.source
    assert told.summary == (docstring.partition("\n")[0] or declared.title)


def test_a_page_has_the_names_that_commands_take() -> None:
    """Docstrings name modules, by underscores; privacy is said once; a list of deviations is one."""
    told = algorithms.describe_algorithm("rnm-ftnl-exponential")
    assert "`rnm-ftnl-permute-and-flip`" in told.privacy
    assert told.privacy.lower().count("neighbours") == 1
    assert algorithms.describe_algorithm("robust-elimination-m1").deviations.startswith(
        "The register explains each:\n\n- "
    )
    assert algorithms.describe_algorithm("bandit-to-experts-advice").privacy.startswith("As stated: ")
    assert (
        told.example_call[0]
        == 'policy = dpbandits.policy("rnm-ftnl-exponential", arms=5, epsilon=0.5, horizon=10**6)'
    )
