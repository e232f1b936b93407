"""The names that `dpbandits.authoring` promises are there, are said in its docstring, and cost no cell a rerun."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dpbandits.core import provenance

SOURCE = Path(__file__).parents[2] / "src" / "dpbandits"
SETTINGS = sorted(path.parent.name for path in SOURCE.glob("settings/*/authoring.py"))
MODULES = ("dpbandits.authoring", *(f"dpbandits.settings.{setting}.authoring" for setting in SETTINGS))
# A promise is kept: a name is added here, and none is taken off but with a new major version.
PROMISED = {
    "dpbandits.authoring": """
        DISCRETE_LAPLACE DISCRETE_NORMAL EXPONENTIAL GUMBEL LAPLACE START Algorithm BadInput Clock Environment
        Fixed Neighbours Parameter Parameters Privacy Probe Recorder Runs State Tuning Values Worst Wrapping
        above argmax argmin beta binomial bits categorical cbrt choice complete conceal cos deviation_for
        discrete_laplace discrete_normal exp expm1 first_rows inner integer integer_below keep kernel laplace
        log log1p neighbouring normal number numbers offer one_over_horizon permute power pull read read_between
        record record_play release release_normal release_whole respond select select_gap shuffle sin table
        uniform""",
    "adversarial": "Bandit Losses make_losses play worst",
    "experts": "Bandit Followed make_bandit of_losses_and_advice play worst",
    "full_information": """
        Losses accumulate bernoulli environment exact play select_exponential select_gumbel select_laplace""",
    "linear": "CLIP CLIPPED NEIGHBOURS Bandit Clocks Floats environment mean_reports play single_reports start",
    "stochastic": """
        Bandit Schedule collect cumulative_pulls first_batches make_bandit next_batch play schedule start worst""",
}


def promised(module: str) -> set[str]:
    """Return the promised names of a module; a setting's has the common ones too."""
    common = set(PROMISED["dpbandits.authoring"].split())
    return common if module == "dpbandits.authoring" else common | set(PROMISED[module.split(".")[2]].split())


@pytest.mark.parametrize("module", MODULES)
def test_promised_names_are_there(module: str) -> None:
    loaded = importlib.import_module(module)
    assert set(loaded.__all__) == promised(module)
    assert len(loaded.__all__) == len(set(loaded.__all__))
    for name in loaded.__all__:
        getattr(loaded, name)


def test_the_docstring_explains_every_common_name() -> None:
    told = importlib.import_module("dpbandits.authoring").__doc__ or ""
    missing = promised("dpbandits.authoring") - set(re.findall(r"`(\w+)`", told))
    assert missing == set()


@pytest.mark.parametrize("module", MODULES)
def test_sources_depend_on_what_defines_a_name(module: str) -> None:
    """Every name leads to a module that defines it; the module that re-exports is no source of anything."""
    for name in importlib.import_module(module).__all__:
        defining = provenance._defining(f"{module}.{name}")
        assert not defining.endswith("authoring")
        assert provenance.module_path(defining).is_file()


def test_one_name_is_one_dependency(tmp_path: Path) -> None:
    """Who imports `kernel` does not depend on normal noise; who imports all of it depends on all of it."""
    imports = provenance._Sources(tmp_path / "sources.json")

    def needed(source: bytes) -> set[str]:
        return {provenance._defining(name) for name in imports.of(source).imports}

    assert needed(b"from dpbandits.settings.linear.authoring import kernel, play") == {
        "dpbandits.core.compiled",
        "dpbandits.settings.linear.problem",
    }
    assert needed(b"from dpbandits.authoring import release_normal") == {"dpbandits.core.gaussian"}
    assert needed(b"from dpbandits.authoring import *") == {"dpbandits.authoring"}
    assert needed(b"import dpbandits.authoring") == {"dpbandits.authoring"}


def test_it_is_light() -> None:
    """Neither what plans nor what draws is loaded with it."""
    heavy = {"pandas", "pydantic", "matplotlib", "snakemake"}
    code = f"import sys, {', '.join(MODULES)}; print(*{heavy} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == ""
