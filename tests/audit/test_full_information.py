"""Audits of RNM-FTNL: tables are played literally, exact losses are right, and every broken twin is caught.

False alarms: seeds are fixed. With fresh ones a sampled audit of a correct algorithm errs with probability at most
1/1000, as its confidence says, and all checks of laws together with 1/1000.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from typing import Any

import literal_full_information as literal
import numpy as np
import pytest
from broken_full_information import FAULTS, KERNELS, breakable, with_fault
from scipy.stats import chi2_contingency
from tiers import FEW_ROUNDS, core
from twins import blamed, registered, wrapped

from dpbandits.auditing.audit import audit
from dpbandits.auditing.replay import replay
from dpbandits.core import declarations, registry
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.errors import BadInput
from dpbandits.runs.job import fill, make_job, prepare, run
from dpbandits.settings.full_information import privacy as selection_privacy
from dpbandits.settings.full_information.noises import NOISES
from dpbandits.settings.full_information.privacy import ARMS, exact, log_selected, search

CORRECT = tuple(KERNELS)
PRINTED = "rnm-ftnl-exponential"
PLACE = registry.environment("loss-vector-table")
LAWS = 8
NOISE_MISMATCH = "is not the declared noise"


def played(name: str, table: list[list[float]], runs: int, B: int, kept: int | None = None) -> Any:
    """Return short runs with their actions."""
    job = make_job(name, {"resampling": B}, {"kind": "loss-vector-table", "losses": table}, 0.7, len(table), 1, 3)
    filled, losses = prepare(job, range(runs), kept=len(table) if kept is None else kept)
    fill(job, filled, losses)
    return filled


# --- what audits run on -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "B"),
    core(
        itertools.product((*CORRECT, PRINTED), (0, 1)),
        lambda case: case[1] == (*CORRECT, PRINTED).index(case[0]) % 2,
    ),
)
def test_a_table_is_played_as_literally(name: str, B: int) -> None:
    """The law of the action sequence is that of the pseudocode, whose losses are the rows of the table."""
    table = [[1.0, 0.2, 0.5], [0.0, 1.0, 0.3], [0.9, 0.0, 0.6], [0.0, 0.0, 1.0]]
    rng = np.random.default_rng(7)
    rows = itertools.cycle(table)

    class Rows(list[literal.Law]):
        """The laws of a round's losses: those of the table's next row, for certain."""

        def __iter__(self) -> Iterator[literal.Law]:
            return iter([([loss], [1.0]) for loss in next(rows)])

    noise = name.removeprefix("rnm-ftnl-").replace("-", "_")
    theirs = np.array([literal.rnm_ftnl(Rows([([], [])] * 3), 4, rng, noise, 0.7, B) for _ in range(4000)])
    ours = played(name, table, 40_000, B).played
    powers = 3 ** np.arange(4)
    counts = np.stack([np.bincount(actions @ powers, minlength=81) for actions in (theirs, ours.astype(np.int64))])
    counts = counts[:, counts.sum(axis=0) > 0]
    assert counts.shape[1] == 27
    assert chi2_contingency(counts).pvalue > 1e-3 / LAWS


def test_actions_are_kept() -> None:
    """As far as there is room, and runs do not notice."""
    table = np.random.default_rng(1).random((11, 3)).tolist()
    whole = played("rnm-ftnl-laplace", table, 50, 1)
    for kept in (0, 5):
        part = played("rnm-ftnl-laplace", table, 50, 1, kept)
        assert np.array_equal(part.played, whole.played[:, :kept])
        assert part.regret.tobytes() == whole.regret.tobytes()
    counts = np.stack([(whole.played == j).sum(axis=1) for j in range(3)], axis=1)
    assert np.array_equal(counts, whole.pulls)
    # Epochs end after rounds 1, 3 and 7.
    assert (np.diff(whole.played, axis=1)[:, [1, 3, 4, 5, 7, 8, 9]] == 0).all()


@pytest.mark.parametrize("name", [*CORRECT, PRINTED])
def test_runs_of_one_call_are_those_of_many(name: str) -> None:
    """`run` simulates few runs piece by piece; all at once must not differ."""
    job = make_job(name, {}, {"kind": "bernoulli-losses", "means": [0.4, 0.5, 0.2]}, 1.0, 1000, 5, 2)
    runs, losses = prepare(job, range(8))
    fill(job, runs, losses)
    assert runs.regret.tobytes() == run(job, range(8)).regret.tobytes()


@pytest.mark.parametrize("size", [(1, 2), (2, 2), (4, 3), (9, 5)])
def test_neighbours_differ_in_one_vector(size: tuple[int, int]) -> None:
    assert PLACE.fixed is not None
    pairs = list(itertools.islice(PLACE.fixed.neighbours(*size, np.random.default_rng(0)), 30))
    for pair in pairs:
        one, other = (np.array(PLACE.check(given)["losses"]) for given in (pair.one, pair.other))
        assert one.shape == size
        assert np.flatnonzero((one != other).any(axis=1)).tolist() == [pair.round - 1]
        assert json.loads(json.dumps(pair.one)) == pair.one


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"losses": [[0.5]]}, "losses.0"),
        ({"losses": []}, "losses"),
        ({"losses": [[0.1, 0.2], [0.3, 1.2]]}, "losses.1.1"),
        ({"losses": [[0.1, 0.2], [0.3, 0.2, 0.1]]}, "losses.1"),
        ({"losses": [[0.1, 0.2]], "more": 1}, "more"),
    ],
)
def test_bad_tables(given: dict[str, Any], where: str) -> None:
    with pytest.raises(BadInput, match=f"environment.{where}"):
        make_job("rnm-ftnl-laplace", {}, {"kind": "loss-vector-table", **given}, 1.0, 1, 1, 0)


def test_a_table_is_as_long_as_the_horizon() -> None:
    with pytest.raises(BadInput, match=r"horizon.*at most 1"):
        prepare(
            make_job("rnm-ftnl-laplace", {}, {"kind": "loss-vector-table", "losses": [[0, 1]]}, 1, 3, 1, 0),
            range(1),
        )


# --- exact --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", core([0.1, 1.0, 4.0], (1.0).__eq__))
def test_exact_losses(epsilon: float) -> None:
    """Each noise at its scale loses epsilon and no more; Exp(1/epsilon) twice that, and its witness is as said."""
    for name in (*CORRECT, PRINTED):
        privacy = registry.algorithm(name).privacy
        assert privacy is not None
        assert privacy.exact is not None
        scale = (1.0 if name == PRINTED else 2.0) / epsilon
        worst = privacy.exact(epsilon, {"scale": scale})
        assert worst.loss == pytest.approx((2.0 if name == PRINTED else 1.0) * epsilon, rel=1e-6)
        assert worst.loss <= (2.0 if name == PRINTED else 1.0) * epsilon * (1 + 1e-12)
        one, other = (np.array(given["accumulated losses"]) for given in (worst.one, worst.other))
        assert np.array_equal(one - other, [1.0, *[-1.0] * (one.size - 1)])
        assert worst.one["rounds"] >= max(one[0], one[1:].max() + 1)
        assert min(one.min(), other.min()) >= 0
        assert math.log(worst.probabilities[1] / worst.probabilities[0]) == pytest.approx(worst.loss)
    # By hand: two rounds, (1, 0) twice against (1, 0) and (0, 1): e^(-2 epsilon)/2 against 1/2.
    worst = exact(NOISES["exponential"].select, epsilon, {"scale": 1.0 / epsilon})
    assert worst.one == {"accumulated losses": [2.0, 0.0], "rounds": 2.0}
    assert worst.probabilities == pytest.approx((0.5 * math.exp(-2.0 * epsilon), 0.5))


@pytest.mark.parametrize("noise", ["laplace", "exponential", "gumbel"])
def test_what_the_search_rests_on(noise: str) -> None:
    """Replacing a round's vector by any other one never moves a probability more than the worst neighbour does."""
    rng = np.random.default_rng(5)
    select = NOISES[noise].select
    for _ in range(200):
        losses = rng.uniform(0.0, 6.0, int(rng.integers(2, 7)))
        before = log_selected(select, losses, 1.5)
        after = log_selected(select, losses + rng.uniform(-1.0, 1.0, losses.size), 1.5)
        for j in range(losses.size):
            worst = losses + 1.0
            worst[j] -= 2.0
            assert after[j] - before[j] <= log_selected(select, worst, 1.5)[j] - before[j] + 1e-12


def resampled(select: Any, table: np.ndarray, scale: float) -> np.ndarray:
    """Return selection probabilities with B = 1: the mean over all binary tables."""
    total = np.zeros(table.shape[1])
    for bits in itertools.product((0.0, 1.0), repeat=table.size):
        binary = np.reshape(bits, table.shape)
        weight = np.prod(np.where(binary == 1.0, table, 1.0 - table))
        if weight > 0.0:
            total += weight * np.exp(log_selected(select, binary.sum(axis=0), scale))
    return total


@pytest.mark.parametrize("noise", ["laplace", "exponential", "gumbel"])
def test_resampled_losses_are_worst_where_they_are_binary(noise: str) -> None:
    """With B = 1 fractional losses never lose more than the best of their binary neighbours."""
    rng = np.random.default_rng(2)
    select, scale, n = NOISES[noise].select, 1.3, 2
    binary = [np.reshape(bits, (n, 2)) for bits in itertools.product((0.0, 1.0), repeat=2 * n)]
    laws = {table.tobytes(): np.log(np.exp(log_selected(select, table.sum(axis=0), scale))) for table in binary}
    worst = max(
        np.abs(laws[one.tobytes()] - laws[other.tobytes()]).max()
        for one, other in itertools.product(binary, binary)
        if np.array_equal(one[1], other[1])
    )
    assert worst <= search(select, scale, 2, 10, 1).loss + 1e-12
    for _ in range(40):
        one = rng.random((n, 2))
        other = one.copy()
        other[0] = rng.random(2)
        change = np.abs(np.log(resampled(select, one, scale) / resampled(select, other, scale))).max()
        assert change <= worst + 1e-12


def test_the_search_finds_what_is_off_the_beaten_track() -> None:
    """A law whose loss is large at one pattern of three actions alone, which ascent has to find."""

    def select(excess: np.ndarray, multiplicities: np.ndarray) -> np.ndarray:
        values = np.repeat(excess, multiplicities.astype(int))
        # Best where two others lead by 7 and 3; unimodal around it.
        return np.full(excess.size, -abs(values[-1] - 9.0) - abs(values[0] if values.size < 3 else values[1] - 4.0))

    found = search(select, 1.0, 3, 20, 1)
    assert found.loss == pytest.approx(4.0)
    assert found.pairs > 100


def test_many_actions_are_searched() -> None:
    assert max(ARMS) == 100
    assert search(NOISES["laplace"].select, 2.0, 100, 5, 1).loss == pytest.approx(1.0, rel=1e-6)
    table = declarations.computation("selection-privacy").compute([1.0], [2, 100], 5, 1)
    assert (table["pairs"] > 60).all()
    assert (table.loc[table["arms"] == 100, "pairs"] > 1000).all()
    assert selection_privacy.DRAWN >= 100


# --- sampled ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "effort", "share"),
    [
        ("rnm-ftnl-laplace", 100_000, 0.65),
        # Among Gumbel's events the best is hard to tell from others.
        *(
            pytest.param(name, 3_000_000 if name == "rnm-ftnl-gumbel" else 600_000, 0.9, marks=pytest.mark.slow)
            for name in CORRECT
        ),
    ],
)
def test_correct_variants_are_consistent_and_tight(name: str, effort: int, share: float) -> None:
    found = audit(name, 1.0, effort=effort, replay_horizon=FEW_ROUNDS)
    assert found.verdict == "consistent"
    assert found.exact is not None
    assert found.sampled.bound > share * found.exact.loss


@pytest.mark.parametrize(("effort", "least"), [(20_000, 1.5), pytest.param(200_000, 1.8, marks=pytest.mark.slow)])
def test_printed_exponential_noise_is_caught(effort: int, least: float) -> None:
    """It loses more than it claims, exactly and by sampling; with the scale doubled it does not."""
    found = audit(PRINTED, 1.0, effort=effort, replay_horizon=FEW_ROUNDS)
    assert found.verdict == "violated"
    assert found.sampled.bound > least
    assert found.audited == pytest.approx(2.0)
    repaired = audit(PRINTED, 1.0, parameters={"scale": 2.0}, effort=effort, replay_horizon=FEW_ROUNDS)
    assert repaired.verdict == "consistent"


@pytest.mark.parametrize("name", CORRECT)
def test_half_the_noise_is_caught(name: str) -> None:
    with wrapped(name, scale=lambda scale: 0.5 * scale) as twin:
        assert blamed(twin)


@pytest.fixture(scope="module", params=core(CORRECT, lambda name: name == "rnm-ftnl-gumbel"))
def broken(request: pytest.FixtureRequest) -> tuple[str, Algorithm]:
    """Return a variant and its twin that can be broken, compiled once for all faults."""
    return request.param, breakable(request.param)


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_caught(broken: tuple[str, Algorithm], fault: str) -> None:
    name, twin = broken
    with registered(name, with_fault(twin, fault)) as other:
        assert blamed(other)


# Of replays one is fast: samples, above, catch every fault there.
@pytest.mark.parametrize("fault", core(FAULTS, lambda fault: fault == next(iter(FAULTS))))
@pytest.mark.parametrize("seed", core(range(3), lambda seed: seed == 0))
def test_a_replay_catches_every_fault(broken: tuple[str, Algorithm], fault: str, seed: int) -> None:
    name, twin = broken
    with registered(name, with_fault(twin, fault)) as other:
        found = replay(other, 1.0, seeds=range(seed, seed + 1))
        assert found.loss > 1.0 + 1e-9 or NOISE_MISMATCH in found.refused


@pytest.mark.slow
@pytest.mark.parametrize(("effort", "rounds"), [(20_000, 200), (100_000, None)])
def test_a_twin_without_a_fault_is_consistent(
    broken: tuple[str, Algorithm], effort: int, rounds: int | None
) -> None:
    """So what is caught above is the fault."""
    name, twin = broken
    with registered(name, with_fault(twin, "none")) as other:
        assert audit(other, 1.0, effort=effort, replay_horizon=rounds).verdict == "consistent"
