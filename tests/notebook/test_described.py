"""An algorithm is described where it is called: every parameter, and an example that runs."""

from __future__ import annotations

import pytest

import dpbandits
from dpbandits.core import registry
from dpbandits.core.errors import BadInput
from dpbandits.notebook.described import EXAMPLE_ENVIRONMENTS


def test_every_parameter_is_described() -> None:
    """Its name, range, default and meaning, in the table and in the text."""
    for name in registry.importable("algorithm"):
        found = dpbandits.algorithm(name)
        rows = found.parameters
        assert {parameter.name for parameter in found.declared.parameters} <= set(rows.index)
        assert rows.map(lambda text: isinstance(text, str)).all(axis=None)
        for parameter, row in rows.iterrows():
            assert f"{parameter}={row['default']}: " in str(found)
        assert found.declared.source in str(found)
        assert ("privacy: none" in str(found)) == (found.declared.privacy is None)


@pytest.mark.parametrize("setting", sorted(EXAMPLE_ENVIRONMENTS))
def test_the_example_runs(setting: str) -> None:
    """Of the cheapest algorithm of each setting, as it is printed."""
    name = next(
        name
        for name in registry.modules("algorithm")
        if registry.setting("algorithm", name) == setting and registry.algorithm(name).decides == "batches"
    )
    runs = eval(dpbandits.algorithm(name).example, {"dpbandits": dpbandits})
    assert runs.regret.shape[0] == 20


def test_an_unknown_name_is_refused() -> None:
    """With the nearest one."""
    with pytest.raises(BadInput, match="did you mean 'dp-imed'"):
        dpbandits.algorithm("dp-imd")
