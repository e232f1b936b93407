"""The root seed reaches every instance and every computation: with another one no sampled number stays."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shipped

from dpbandits.core import declarations, registry
from dpbandits.products import catalogue
from dpbandits.publish import texts
from dpbandits.runs import config, job, plan
from dpbandits.runs.models import Config

ROOT = Path(__file__).parents[2]
SEEDS = (20251121, 987654321)
# Computations that draw random numbers: parameters that make them short, and columns that are sampled.
SAMPLED: dict[str, tuple[dict[str, Any], list[str]]] = {
    "noise-by-batch": (
        {"environments": [["mu1", [0.75, 0.7]]], "epsilons": [0.1], "horizon": 1000, "runs": 50},
        ["median"],
    ),
    "conversion-floor": (
        {"bases": ["htinf"], "arms": [2], "horizon": 1000, "taus": [10], "runs": 20},
        ["mean", "mean_low", "mean_high"],
    ),
    "filter-error": (
        {"arms": 20, "dimension": 2, "n": 100, "alphas": [0.1], "ns": [100], "sizes": [10.0], "repetitions": 3},
        ["mean", "low", "high", "median", "maximum", "printed_bound"],
    ),
    "exp3-privacy-loss": ({"etas": [0.01], "enumerated": 3, "horizons": [1000], "runs": 20}, ["loss_low"]),
    "selection-monotonicity": ({"instances": 3}, ["epsilon", "rise"]),
    "drawn-experts": ({"epsilons": [0.1], "horizon": 1000, "instances": 2, "runs": 1}, ["share", "value", "error"]),
}


@functools.cache
def of_seed(root_seed: int) -> tuple[Config, plan.Cells]:
    """Return the shipped configuration with a root seed, and its cells."""
    checked = config.load(config.shipped(ROOT / "config")).model_copy(update={"root_seed": root_seed})
    return checked, plan.all_cells(checked)


def test_no_stream_has_a_seed_of_its_own() -> None:
    """Outside of tests no stream starts from a number that is written in the code."""
    written = re.compile(r"\bstreams\(\s*\d|\bdefault_rng\(\s*\d*\s*\)")
    # Pairs of inputs that an audit looks at, the noise of controls, and planted cases are no results.
    claims = {f"src/dpbandits/claims/{name}.py" for name in ("negative_controls", "planted")}
    own = {"src/dpbandits/auditing/candidates.py", *claims}
    files = {str(file.relative_to(ROOT)): file for file in sorted((ROOT / "src" / "dpbandits").rglob("*.py"))}
    assert {name for name, file in files.items() if written.search(file.read_text("utf-8"))} <= own


def test_another_root_seed_has_other_instances() -> None:
    """Every cell with a random instance has another one, and equal numbers stay equal instances."""
    one, other = (of_seed(seed)[1] for seed in SEEDS)
    shared: dict[str, dict[int, int]] = {}
    for experiment, cells in one.items():
        for labels, cell in cells.items():
            given, again = cell.job.environment, other[experiment][labels].job.environment
            if key := registry.environment(given["kind"]).instance:
                known = shared.setdefault(given["kind"], {})
                assert known.setdefault(given[key], again[key]) == again[key] != given[key]
            else:
                assert given == again
    # A kind with its instances: each of them was met.
    assert len(shared["sphere"]) >= 20
    assert set(shared) == {"sphere", "cube", "one-good-expert", "hardest-expert-gap"}


def test_no_test_of_a_claim_reads_one_drawn_instance_alone() -> None:
    """Where an experiment's environments are random instances, a test's intervals are over these."""
    found = 0
    for paper, stated in shipped.claims().items():
        for test in stated.tests:
            cells = [cell for name in test.experiments for cell in shipped.cells()[paper, name].values()]
            kinds = {cell.job.environment["kind"] for cell in cells}
            if drawn := {registry.environment(kind).instance for kind in kinds} - {""}:
                assert {f"environment.{name}" for name in drawn} == {test.options.get("instances")}, test.effect
                found += 1
    assert found >= 4


def test_a_job_by_hand_has_the_instance_that_it_names() -> None:
    """What a cell's command says is run as it says: a number is not drawn twice."""
    cell = next(iter(of_seed(SEEDS[0])[1]["charisopoulos2022", "arms"].values()))
    again = job.make_job(
        cell.job.algorithm,
        cell.job.parameters,
        cell.job.environment,
        cell.job.epsilon,
        cell.job.horizon,
        1,
        cell.job.root_seed,
    )
    assert again.identity == cell.job.identity


def test_every_computation_with_random_numbers_has_a_seed_of_the_root() -> None:
    """Definitions of all computations that take a seed differ, and those alone."""
    made = [catalogue(config, cells, texts.load(config)) for config, cells in map(of_seed, SEEDS)]
    names = [name for name in made[0] if name[0] == "computation"]
    seeded = {name for name in names if "seed" in made[0][name].rerun_if_changed["parameters"]}
    for name in names:
        one, other = (products[name].rerun_if_changed for products in made)
        assert (one == other) == (name not in seeded)
        assert ("seed" in declarations.computation(one["compute"]).parameters) == (name in seeded)
    assert {made[0][name].rerun_if_changed["compute"] for name in seeded} >= set(SAMPLED)


@pytest.mark.parametrize("name", SAMPLED)
def test_every_sampled_number_differs(name: str) -> None:
    """Two seeds, one short computation: no number of a sampled column is the same."""
    short, columns = SAMPLED[name]
    declared = declarations.computation(name)
    one, other = (declared.compute(**declared.resolve({**short, "seed": seed})) for seed in SEEDS)
    sampled = one[columns].notna().all(axis=1)
    if "part" in one:
        sampled &= one["part"].isin(["sampled", "search"])
    if "round" in one:
        # In the first rounds nothing is random yet.
        sampled &= one["round"] > 2
    assert sampled.any()
    same = np.isclose(one.loc[sampled, columns], other.loc[sampled, columns], rtol=1e-12, atol=0.0)
    assert not same.any()
