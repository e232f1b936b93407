"""Transcripts, their losses and their composition by hand; cases, findings and draws of an audit at their ends."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from dpbandits.auditing import composition, densities, told
from dpbandits.auditing.composition import delta_of, epsilon_at
from dpbandits.auditing.replay import cases, findings, laws
from dpbandits.auditing.replay.findings import Findings
from dpbandits.auditing.replay.losses import Losses, losses, most_revealing_selection
from dpbandits.auditing.replay.settings import SETTINGS, Pattern
from dpbandits.auditing.replay.witness import Claim, ViolationFound
from dpbandits.auditing.transcript import Fault, NoiseOverride, Rewards, Transcript
from dpbandits.core import recorder as at
from dpbandits.core.mechanisms import DISCRETE_LAPLACE, DISCRETE_NORMAL, RESPONSE
from dpbandits.core.recorder import Recorder

NORMAL = densities.NORMAL


def run_of(*rows: tuple[int, int, int, int, float, float, float], secret: float = 0.0) -> Transcript:
    """Return a transcript of events (kind, which, how, more) with numbers (value, scale, output)."""
    events = np.array([[*row[:4], 0, 0, i] for i, row in enumerate(rows)], dtype=np.int64)
    return Transcript(events, np.array([[*row[4:], secret] for row in rows]), (), np.array([9]))


def played(rounds: int) -> tuple[int, int, int, int, float, float, float]:
    return (at.PLAYED, 0, rounds, 0, 0.0, 0.0, 0.0)


def released(law: int, value: float, scale: float, output: float, which: int = 0, more: int = 0) -> Any:
    return (at.RELEASED, which, law, more, value, scale, output)


def offered(*scores: float, law: int = at.GUMBEL, scale: float = 2.0) -> list[Any]:
    return [(at.OFFERED, i, law, 0, score, scale, 0.0) for i, score in enumerate(scores)]


# --- losses ----------------------------------------------------------------------------------------------


def lost(law: int, one: tuple[float, float], other: tuple[float, float], output: float, more: int = 0) -> Losses:
    """Return the loss of one release of a value with a scale on each input."""
    both = [
        run_of(
            released(law, value, scale, output, 0, more), played(1), released(law, value, scale, output, 1, more)
        )
        for value, scale in (one, other)
    ]
    found = losses(*both)
    # What is released after the last decision decides nothing.
    assert found.rows.tolist() == [0]
    return found


@pytest.mark.parametrize(
    ("law", "one", "other", "output", "loss", "most"),
    [
        # Laplace noise: differences of distances, and the logarithm of a ratio of scales.
        (at.LAPLACE, (1.0, 2.0), (2.0, 2.0), 5.0, -0.5, 0.5),
        (at.LAPLACE, (1.0, 2.0), (2.0, 4.0), 5.0, 3 / 4 - 4 / 2 + math.log(2), 2.0 - 0.75 - math.log(2)),
        (at.LAPLACE, (1.0, 2.0), (1.0, 2.0), 5.0, 0.0, 0.0),
        (at.LAPLACE, (1.0, 0.0), (1.0, 0.0), 5.0, 0.0, 0.0),
        (at.LAPLACE, (1.0, 0.0), (2.0, 0.0), 5.0, math.inf, math.inf),
        # Normal noise, whose loss has no largest value.
        (NORMAL, (1.0, 2.0), (2.0, 2.0), 5.0, (9 / 4 - 16 / 4) / 2, math.inf),
        (NORMAL, (1.0, 2.0), (1.0, 4.0), 5.0, (1.0 - 4.0) / 2 + math.log(2), math.inf),
        (NORMAL, (1.0, 2.0), (1.0, 2.0), 5.0, 0.0, 0.0),
        # Discrete noise leaves a fraction as it is.
        (DISCRETE_LAPLACE, (1.0, 2.0), (2.0, 2.0), 5.0, -0.5, 0.5),
        (DISCRETE_LAPLACE, (1.0, 2.0), (1.5, 2.0), 5.0, math.inf, math.inf),
    ],
)
def test_losses_of_releases(
    law: int, one: tuple[float, float], other: tuple[float, float], output: float, loss: float, most: float
) -> None:
    found = lost(law, one, other, output)
    assert (found.loss[0], found.most[0]) == pytest.approx((loss, most))
    assert found.normal[0] == (law == NORMAL)
    if law == DISCRETE_LAPLACE:
        assert list(found.laws) == ([0] if math.isfinite(most) else [])
    total = found.total(0.0)
    assert total == (math.inf if math.isinf(most) else pytest.approx(abs(loss)))
    if math.isfinite(most) and law == at.LAPLACE and one[1] == other[1] and one[1]:
        assert found.total(1e-3) == epsilon_at(found.shift, 1e-3) and found.shift[0] == (other[0] - one[0]) / one[1]
    assert found.of(np.array([False])).rows.size == 0


def test_losses_of_answers_and_selections() -> None:
    """A truth of 1 among three, told with probability 1/2; scores of which one moves; the same loses nothing."""
    found = lost(RESPONSE, (1.0, 0.5), (0.0, 0.5), 1.0, more=3)
    assert found.loss[0] == pytest.approx(math.log(2)) and found.sides[:, 0] == pytest.approx([math.log(2)] * 2)
    assert found.worst[:, 0].tolist() == [1.0, 0.0] and found.total(0.1) == pytest.approx(math.log(0.4 / 0.25))
    assert lost(RESPONSE, (1.0, 0.5), (1.0, 0.5), 1.0, more=3).most[0] == 0.0
    one, other = (
        run_of(*offered(*scores), (at.SELECTED, 0, at.GUMBEL, 0, 0.0, 2.0, 1.0), played(1))
        for scores in ((0.0, 1.0, 2.0), (1.0, 1.0, 2.0))
    )
    p, q = (np.exp(-np.array(scores) / 2.0) for scores in ((0.0, 1.0, 2.0), (1.0, 1.0, 2.0)))
    ratio = np.log(p / p.sum()) - np.log(q / q.sum())
    selection = losses(one, other)
    assert selection.rows.tolist() == [3] and selection.loss[0] == pytest.approx(ratio[1])
    assert selection.sides[:, 0] == pytest.approx([ratio.max(), -ratio.min()])
    assert selection.worst[:, 0].tolist() == [0.0, 1.0] or selection.worst[0, 0] == 0.0
    assert selection.most[0] == pytest.approx(np.abs(ratio).max()) == pytest.approx(selection.shift[0])
    assert most_revealing_selection(one, other, 3) == int(np.abs(ratio).argmax())
    same = losses(one, one)
    assert same.loss[0] == 0.0 and not same.laws
    # With its gap a selection loses what both do together.
    with_gap = [
        run_of(
            *offered(*scores),
            (at.SELECTED, 0, at.GUMBEL, 0, 0.0, 2.0, 1.0),
            released(at.GAP, 0, 2.0, 0.7, 1),
            played(1),
        )
        for scores in ((0.0, 1.0, 2.0), (1.0, 1.0, 2.0))
    ]
    both = losses(*with_gap)
    joint = [laws.log_gap(at.GUMBEL, np.array(s), 2.0, 1, 0.7) for s in ((0.0, 1.0, 2.0), (1.0, 1.0, 2.0))]
    assert both.loss.sum() == pytest.approx(joint[0] - joint[1]) and both.loss[0] == pytest.approx(ratio[1])
    assert both.sides[:, 1].tolist() == [both.loss[1], -both.loss[1]]


def test_losses_of_comparisons() -> None:
    """Of one secret the answers together: only where a compared value or the secret differs."""

    def run(value: float, secret: float = 1.0) -> Transcript:
        return run_of(
            (at.CONCEALED, 0, 0, 0, secret, 2.0, 0.0),
            (at.COMPARED, 0, 0, 0, value, 4.0, 1.0),
            (at.COMPARED, 1, 0, 0, 2.0, 4.0, 0.0),
            played(1),
        )

    found = losses(run(1.0), run(2.0))
    logs = [
        laws.log_comparisons((1.0, 2.0), np.array([v, 2.0]), np.array([4.0, 4.0]), np.array([1.0, 0.0]))
        for v in (1.0, 2.0)
    ]
    difference = logs[0] - logs[1]
    assert found.loss == pytest.approx([difference[1, 0], difference[0, 1]])
    assert found.most == pytest.approx(np.abs(difference).max(axis=0)) and list(found.laws) == [1, 2]
    assert found.sides[0] == pytest.approx(difference.max(axis=0))
    assert losses(run(1.0), run(1.0)).most.tolist() == [0.0, 0.0]
    assert losses(run(1.0), run(1.0, secret=2.0)).most.min() > 0.0


# --- laws ------------------------------------------------------------------------------------------------


def test_laws_of_answers_and_whole_numbers() -> None:
    """What a truth is told as, and discrete noise on a grid that has the value's fraction."""
    assert np.exp(laws.log_answers(1, 3, 0.5)) == pytest.approx([0.25, 0.5, 0.25])
    assert np.exp(laws.log_answers(0, 1, 1.0)).tolist() == [1.0]
    one, other = laws.log_whole(DISCRETE_LAPLACE, (0.25, 1.0), (2.25, 2.0))
    assert np.exp(one).sum() == pytest.approx(1.0) and np.exp(other).sum() == pytest.approx(1.0)
    assert one.size == other.size and int(other.argmax()) - int(one.argmax()) == 2
    assert one[one.argmax() - 1] - one.max() == pytest.approx(-1.0)
    # Sixty scales beyond both values, rounded outwards: from 0.25 - 2 * 60 to 2.25 + 2 * 60.
    assert one.size == math.ceil(122.25) - math.floor(-117.75) + 1
    assert int(one.argmax()) == 0 - math.floor(-117.75)
    first, second = laws.log_whole(DISCRETE_NORMAL, (0.0, 1.0), (1.0, 1.0))
    assert first[first.argmax() + 2] - first.max() == pytest.approx(-2.0) and first.size == 12 + 13 + 1
    assert int(second.argmax()) - int(first.argmax()) == 1
    assert laws.log_selections(at.LAPLACE, np.array([1.0, 0.0, 0.0]), 0.0).tolist() == [-math.inf, 0.0, 0.0]


@pytest.mark.parametrize("mechanism", [at.LAPLACE, at.GUMBEL, at.EXPONENTIAL])
def test_densities_of_noise(mechanism: int) -> None:
    """A density is the derivative of its law."""
    z = np.array([-2.0, -0.5, 0.5, 2.0])
    dense, below = laws._noise(mechanism, z)
    step = 1e-6
    assert dense == pytest.approx((laws._noise(mechanism, z + step)[1] - below) / step, abs=1e-5)
    known = {at.LAPLACE: np.where(z < 0, np.exp(z) / 2, 1 - np.exp(-z) / 2), at.GUMBEL: np.exp(-np.exp(-z))}
    assert below == pytest.approx(known.get(mechanism, np.where(z < 0, 0.0, 1 - np.exp(-z))))
    assert laws.log_gap(mechanism, np.array([0.0, 1.0]), 1.0, 0, -0.1) == -math.inf


def test_integrals_are_split_at_kinks() -> None:
    """Panels of at most a scale, sixty scales beyond the outermost kinks."""
    v, weights = laws._panels(np.array([1.0, 4.5]), 2.0)
    assert weights.sum() == pytest.approx(3.5 + 240.0) and v.size == 16 * (60 + 2 + 60)
    assert v.min() > 1.0 - 120.0 and v.max() < 4.5 + 120.0
    assert float((weights * np.exp(-np.abs(v - 1.0))).sum()) == pytest.approx(2.0)
    # Without noise on either a comparison is a step.
    steps = laws.log_comparisons((1.0, 0.0), np.array([1.0, 0.9]), np.zeros(2), np.array([1.0, 0.0]))
    assert np.exp(steps).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    half = laws.log_comparisons((1.0, 2.0), np.array([1.0]), np.array([0.0]), np.array([1.0]))
    assert np.exp(half[:, 0]) == pytest.approx([0.5, 0.5])


# --- composition -----------------------------------------------------------------------------------------


def test_laws_of_losses_on_a_grid() -> None:
    """Rounded down; of Laplace noise half of the mass is at the largest loss, e^-s/2 at the smallest."""
    masses, first = composition._law(1.0, 0.25)
    assert first == -4 and masses.size == 9 and masses.sum() == pytest.approx(1.0)
    assert masses[-1] == pytest.approx(0.5) and masses[:8].sum() == pytest.approx(0.5)
    assert masses[0] == pytest.approx(math.exp(-0.875) / 2)
    masses, first = composition._law(1.1, 0.25)
    assert first == -5 and masses.size == 10 and masses[-1] == pytest.approx(1 - math.exp(-0.05) / 2)
    masses, first = composition._normal_law(2.0, 0.5)
    losses_ = (first + np.arange(masses.size)) * 0.5
    assert first == -32 and losses_[-1] == 20.0 and masses.sum() == pytest.approx(1.0)
    assert float(masses @ losses_) == pytest.approx(2.0 - 0.25, abs=0.01)
    p, q = np.log([0.5, 0.3, 0.2]), np.array([math.log(0.25), math.log(0.75), -math.inf])
    masses, first, never = composition._finite_law((p, q), 0.5)
    # log 2 is 1.39 steps, log 0.4 is -1.83.
    assert first == -2 and masses == pytest.approx([0.3, 0.0, 0.0, 0.5]) and never == pytest.approx(0.2)
    assert delta_of((p, q), math.log(2)) == pytest.approx(0.2) and delta_of((p, q), 0.0) == pytest.approx(0.45)


def test_epsilons_of_several_releases() -> None:
    """Without a delta shifts add up; normal noise has none; of two Laplace releases by their exact law."""
    shifts = np.array([0.5, -0.25, 0.0])
    assert epsilon_at(shifts, 0.0) == 0.75 and epsilon_at(np.zeros(2), 0.1) == 0.0
    assert epsilon_at(shifts, 0.0, np.array([True, False, False])) == math.inf
    assert epsilon_at(np.array([math.inf]), 0.1) == math.inf
    # One release: delta = 1 - e^((epsilon - s)/2).
    delta = 1 - math.exp(-0.2)
    found = epsilon_at(np.array([1.0]), delta)
    assert 0.6 - 1 / composition.CELLS <= found <= 0.6
    # A normal release of mu: delta = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu).
    phi = lambda z: 0.5 * math.erfc(-z / math.sqrt(2))  # noqa: E731
    need = phi(0.5 - 0.7) - math.exp(0.7) * phi(-0.5 - 0.7)
    assert epsilon_at(np.array([0.6, 0.8]), need, np.ones(2, dtype=bool)) == pytest.approx(0.7, rel=1e-6)
    mixed = epsilon_at(np.array([0.6, 1e-9]), 1e-3, np.array([True, False]))
    assert mixed == pytest.approx(epsilon_at(np.array([0.6]), 1e-3, np.array([True])), rel=0.02)
    assert composition._bisected(lambda epsilon: 1.0 - epsilon, 1.0, 0.25) == pytest.approx(0.75)
    assert composition._bisected(lambda _: 0.25, 1.0, 0.25) == 0.0


# --- the checker's densities -----------------------------------------------------------------------------


def recorded(*rows: Any) -> Recorder:
    """Return a recorder with the events of a transcript."""
    made = run_of(*rows)
    empty = np.empty(0)
    run = Recorder(*([empty] * 4), made.events, made.numbers, *([empty] * 7))
    return run._replace(events=made.events, numbers=made.numbers)


def test_log_densities_by_hand() -> None:
    """Of Laplace, normal and discrete noise, answers and what has no noise; decisions have none."""
    run = recorded(
        released(at.LAPLACE, 1.0, 2.0, 4.0),
        released(NORMAL, 1.0, 2.0, 4.0),
        released(densities.WHOLE, 1.0, 2.0, 4.0),
        released(RESPONSE, 1.0, 0.5, 2.0, more=3),
        released(RESPONSE, 1.0, 0.5, 1.0, more=3),
        released(at.LAPLACE, 1.0, 0.0, 1.0),
        released(at.LAPLACE, 1.0, 0.0, 1.1),
        played(3),
    )
    found = densities.log_density(run, np.arange(8))
    whole = math.log(math.tanh(0.25)) - 1.5
    expected = [
        -1.5 - math.log(4),
        -1.125 - math.log(2 * math.sqrt(2 * math.pi)),
        whole,
        math.log(0.25),
        math.log(0.5),
    ]
    assert found.tolist() == pytest.approx([*expected, 0.0, -math.inf, 0.0])
    laws_ = densities.laws_of(run, recorded(*[released(RESPONSE, 2.0, 0.5, 2.0, more=3)] * 8), 3, (0.0, 0.0))
    assert [list(side) for side in laws_] == [pytest.approx([0.25, 0.5, 0.25]), pytest.approx([0.25, 0.25, 0.5])]
    p, q = densities.laws_of(run, recorded(*[released(densities.WHOLE, 2.0, 2.0, 4.0)] * 8), 2, (0.0, 0.0))
    assert p.sum() == pytest.approx(1.0) and int(q.argmax()) - int(p.argmax()) == 1 and p.size % 2 == 1
    compared = recorded((at.COMPARED, 0, 0, 0, 1.0, 1.0, 1.0))
    p, q = densities.laws_of(compared, compared, 0, (math.log(0.75), math.log(0.5)))
    assert p.tolist() == pytest.approx([0.75, 0.25]) and q.tolist() == pytest.approx([0.5, 0.5])


# --- transcripts -----------------------------------------------------------------------------------------

READ = (at.READ, 1, 0, 4, 0.0, math.nan, 0.0)


def test_rounds_epochs_and_what_is_seen() -> None:
    """A new epoch begins at the first reading after an output; rounds are counted before each event."""
    run = run_of(
        READ, READ, released(at.LAPLACE, 1, 2, 3), played(4), READ, played(2), released(at.LAPLACE, 1, 2, 3), READ
    )
    assert run.epochs.tolist() == [0, 0, 0, 0, 1, 1, 1, 2]
    assert run.played.tolist() == [0, 0, 0, 0, 4, 4, 6, 6, 6]
    assert (run.last_decision, run.outputs.tolist(), run.tape.tolist()) == (5, [2, 6], [3.0, 3.0])
    assert [run.seen(row) for row in range(8)] == [0, 0, 1, 2, 2, 3, 4, 4]
    assert run.name(6) == "release 2" and run.name(5) == "decision 2" and run.name(8) == "the end"
    assert run.describe(3) == "arm 1 is played 4 times after round 0"
    assert run.describe(4) == "pulls 1 to 4 of arm 2 are read after round 4"
    assert (
        run.describe(6) == "release 1 after round 6 of 1 with noise of scale 2"
        and run.describe(8) == "nothing more"
    )
    secret = run_of((at.CONCEALED, 1, 0, 0, 1.5, 2.0, 0.0), (at.SELECTED, 2, 0, 0, 0, 0, 0), *offered(1.0))
    assert (
        secret.describe(0).startswith("secret 2 after round 0 of 1.5")
        and secret.describe(1) == "selection 3 after round 0"
    )
    assert secret.describe(2) == "selection 1 after round 0" and secret.name(1) == "selection 1"
    gap = run_of(released(at.GAP, 1, 2, 3), released(NORMAL, 1, 2, 3), (at.CONCEALED, 0, at.GAP, 0, 1, 2, 3))
    assert "with a gap of scale 2" in gap.describe(0) and "normal noise of deviation 2" in gap.describe(1)
    assert "with noise of scale 2" in gap.describe(2)
    assert run_of(READ).last_decision == 0


def test_first_divergences() -> None:
    """Another event or another scale; values may differ, and NaN is a scale of nothing."""
    one = run_of(READ, released(at.LAPLACE, 1, 2, 3), played(4))
    assert one.first_divergence(run_of(READ, released(at.LAPLACE, 9, 2, 8), played(4))) is None
    assert one.first_divergence(run_of(READ, released(at.LAPLACE, 1, 2.5, 3), played(4))) == 1
    assert one.first_divergence(run_of(READ, released(at.LAPLACE, 1, 2, 3), played(5))) == 2
    assert one.first_divergence(run_of(READ, released(at.LAPLACE, 1, 2, 3))) == 2
    assert run_of(READ).first_divergence(one) == 1


def test_noise_that_is_drawn_twice() -> None:
    """The first two rows of one position; a selection draws once, and a gap not at all."""
    rows = [
        released(at.LAPLACE, 1, 2, 3),
        *offered(1, 2),
        released(at.GAP, 1, 2, 3),
        released(at.LAPLACE, 1, 2, 3),
        READ,
    ]
    run = run_of(*rows)
    run.events[:, at.POSITION] = [5, 7, 7, 7, 9, 5]
    assert run.reused_noise() is None
    run.events[4, at.POSITION] = 7
    assert run.reused_noise() == (1, 4)
    more = run_of(*[released(at.LAPLACE, 1, 2, 3)] * 4)
    more.events[:, at.POSITION] = [3, 8, 8, 8]
    assert more.reused_noise() == (1, 2)


def test_flips_of_rewards() -> None:
    """Ranges from the first pull on, and single pulls in order, each once."""
    rewards = Rewards.at_rates(np.array([[0.5, 0.0], [1.0, 0.0], [0.0, 0.0]]))
    assert rewards.with_first_flipped(np.array([2, 0, 1])).flipped_ranges.tolist() == [[0, 2], [0, 0], [0, 1]]
    far = np.iinfo(np.int64).max
    flipped = rewards.with_pulls_flipped(np.array([[0, 5], [2, 1], [0, 3], [0, 5]])).flipped_pulls
    assert flipped[:, :2].tolist() == [[3, 5], [far, far], [1, far]] and (flipped[:, 2:] == far).all()
    assert rewards.with_pulls_flipped(np.zeros((0, 2), dtype=np.int64)).flipped_pulls.shape == (3, 0)


# --- draws of the checker --------------------------------------------------------------------------------


def test_how_often_a_coin_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """As often as it takes to miss it once in 10^5 times; at most so often as a run of that length allows."""
    monkeypatch.setattr(told, "log_missed", lambda epsilon: -0.01 / epsilon)
    assert told.tries(1.0, 10) == 1152 and told.tries(2.0, 10) == 1200
    assert told.tries(1.0, told.LONG - 1) == 1152
    assert told.tries(1.0, told.LONG) == 150 and told.tries(1.0, 5 * told.LONG - 1) == 150
    assert told.tries(1.0, 5 * told.LONG) == 100 and told.tries(0.0, 10) == told.TIMES == told.tries(0.001, 10)


def test_moved_outputs() -> None:
    """Answers to another one, comparisons to the other side, gaps to a positive number, numbers to either side."""
    run = recorded(
        (at.COMPARED, 0, 0, 0, 1.0, 1.0, 1.0),
        released(RESPONSE, 1.0, 0.5, 2.0, 1, more=3),
        released(at.GAP, 1.0, 2.0, 0.5, 2),
        released(at.LAPLACE, 1.0, 4.0, 0.5, 3),
        released(at.LAPLACE, 1.0, 0.25, 0.5, 4),
    )
    rng: Any = SimpleNamespace(
        integers=lambda _, high: high - 1, random=lambda: 0.25, choice=lambda sides: sides[0]
    )
    tape = np.array([1.0, 2.0, 0.5, 0.5, 0.5])
    assert told._moved(run, tape, np.arange(5), 3.0, rng).tolist() == [0.0, 1.0, 0.75, -11.5, -2.5]
    assert told._moved(run, tape, np.array([3]), 3.0, rng).tolist() == [1.0, 2.0, 0.5, -11.5, 0.5]
    runs = [recorded(*[released(at.LAPLACE, float(x), 1, 0)] * 3) for x in (0, 1)]
    runs[0].numbers[:2, 0] = 1.0
    assert told._near(runs, [0, 1, 2, 7]) == [2, 1, 0, 7] and told._near([runs[0]] * 2, [0, 1]) == [1, 0]
    runs[0].events[:, at.DRAWS], runs[1].events[:, at.DRAWS] = [1, 5, 0], [2, 3, 0]
    assert told.draws_after(runs) == {0: 2, 1: 5, 2: 0}


def test_paths_that_outsiders_see() -> None:
    """Decisions, outputs and secrets; the density of noise is largest at its value; idle outputs tell nothing."""
    run = recorded(READ, released(at.LAPLACE, 1, 2, 4, 0), played(3), released(RESPONSE, 1, 0.5, 1, 1, more=3))
    found = told.path(run, 3)
    assert found.events[:, 0].tolist() == [at.RELEASED, at.PLAYED, at.RELEASED]
    assert found.peaks.tolist() == pytest.approx([-math.log(4), 0.0, 0.0])
    assert found.logs.tolist() == pytest.approx([-1.5 - math.log(4), 0.0, math.log(0.5)])
    idle = told.path(run, 3, idle=[0])
    assert idle.logs[0] == idle.peaks[0] == 0.0 and idle.logs[2] == found.logs[2] and idle.agrees(found)
    assert len(told.path(run, 2).events) == 2


# --- cases and findings ----------------------------------------------------------------------------------


def test_sizes_of_cases() -> None:
    """Rounded numbers of short cases up to the horizon, and at least one long case for each number of arms."""
    pace = SETTINGS.rounds
    found = cases.sizes(pace, 0.5, 100, None)
    assert [(size.arms, size.horizon, size.cases, size.far_noise_cases) for size in found] == [
        *[(2, 24, 5, 2), (3, 100, 5, 2)],
        *[(3, 100, 1, 0), (12, 100, 1, 0)],
    ]
    one = cases.sizes(SETTINGS.batches, 2.0, 10**6, 7)
    assert [(size.arms, size.cases) for size in one] == [(2, 20), (3, 20), (8, 20), (7, 16)]
    assert cases.sizes(pace, 0.01, 10**6, 7)[-1].cases == 1
    assert SETTINGS.is_long(401) and not SETTINGS.is_long(400)


def test_rates_of_patterns() -> None:
    """One arm apart, all alike, or spread evenly over [0, 1]; where all are 0 or 1 there is no phase."""
    rng: Any = SimpleNamespace(
        random=lambda n: np.full(n, 0.25), integers=lambda n: n - 1, permutation=lambda n: np.arange(n)[::-1]
    )
    found = {pattern: cases.random_rates(4, rng, pattern, 5).T.tolist() for pattern in Pattern}
    phases = [0.25] * 4
    assert found == {
        Pattern.ONE_GOOD: [[0.1, 0.1, 0.1, 0.9], phases],
        Pattern.ONE_BAD: [[0.9, 0.1, 0.9, 0.9], phases],
        Pattern.ALL_ZERO: [[0.0] * 4, [0.0] * 4],
        Pattern.ALL_ONE: [[1.0] * 4, [0.0] * 4],
        Pattern.RANDOM: [[0.25] * 4, phases],
    }
    assert cases.spread_rates(4, rng).T.tolist() == [[3.25 / 4, 2.25 / 4, 1.25 / 4, 0.25 / 4], phases]
    assert cases.spread_rates(2, rng, halves=True).T.tolist() == [[0.5, 0.5], [0.25, 0.25]]


def test_noise_of_cases() -> None:
    """None in the first turn; then each size and choice of parameters meets each override; far ones at the end."""
    size = cases.CaseSize(2, 24, 8, 3, ())
    numbers = [SETTINGS.noises.index(cases._noise(turn, 1, size)) for turn in range(8)]
    assert numbers == [0, 2, 3, 5, 0, 1, 3, 4]
    assert cases._noise(0, 2, size) == NoiseOverride()
    assert [SETTINGS.far_noises.index(cases._noise(turn, 1, size)) for turn in (8, 9, 10)] == [1, 0, 1]


class Named(NamedTuple):
    """A parameter, as far as a case asks."""

    name: str


def test_parameters_of_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Defaults, those of a probe, random ones: in turn."""
    monkeypatch.setattr(cases, "free_parameters", lambda *_: {Named("tau"): 3, Named("eta"): 0.5})
    monkeypatch.setattr(cases, "draw", lambda _, default, __, ___: 10 * default)
    values = [0.69, 0.7, 0.1, 0.1]
    rng: Any = SimpleNamespace(random=lambda: values.pop(0))
    probe: Any = SimpleNamespace(parameters={"tau": 7, "other": 1})
    declared: Any = None
    tuning: Any = None
    found = [cases._parameters(declared, {"k": 1}, tuning, probe, turn, rng) for turn in range(4)]
    assert found == [{"k": 1}, {"k": 1, "tau": 7}, {"k": 1, "tau": 30.0}, {"k": 1}]


def test_a_shortened_case_ends_soon_after_its_last_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fiftieth of the rounds later, and one more; never later than the case itself."""
    asked: list[int] = []
    monkeypatch.setattr(cases, "make_job", lambda *call: asked.append(call[4]))
    job: Any = SimpleNamespace(algorithm="a", parameters={}, environment={}, epsilon=1.0, root_seed=1, horizon=1000)
    case = cases.ReplayCase(job, job, 1, np.zeros((1, 2)), NoiseOverride())
    for last in (500, 49, 50, 990):
        case.shortened(last)
    assert asked[::2] == [511, 50, 52, 1000]


def witness(loss: float, certificate: Any = None) -> Any:
    return SimpleNamespace(witness=SimpleNamespace(loss=loss, certificate=certificate, details="d", violation="v"))


def test_what_a_search_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the checker excuses is dropped; what it does not accept is kept with its words, at most so often."""
    ruling = SimpleNamespace(accepted=False, excused=True, words="w")
    monkeypatch.setattr(findings, "check", lambda *_: ruling)
    monkeypatch.setattr(findings, "explain", lambda _: "")
    kept = Findings(Claim(1.0, 0.0))
    kept.judge(witness(2.0, {}))
    assert not kept.suspicious
    kept.judge(witness(2.0))
    ruling.excused = False
    kept.judge(witness(3.0, {}))
    assert [words for _, words in kept.suspicious] == ["no two neighbours were found that show it", "w"]
    for loss in (1.0, 1.5):
        kept.judge(witness(loss, {}))
    assert len(kept.suspicious) == SETTINGS.rejected
    kept.judge(witness(3.0, {}))
    assert len(kept.suspicious) == SETTINGS.rejected
    kept.judge(witness(3.1, {}))
    assert len(kept.suspicious) == SETTINGS.rejected + 1
    assert kept.stopped(0) and not kept.stopped(1)
    kept.coverage.cases = 1
    assert kept.stopped(1)
    assert not kept.proved and not kept.proved_infinite
    kept.worst = witness(math.inf).witness
    assert kept.proved and kept.proved_infinite
    kept.worst = witness(9.0).witness
    assert kept.proved and not kept.proved_infinite
    fresh = Findings(Claim(1.0, 0.5))
    assert fresh.approximate and not fresh.stopped(0)
    fresh.unrecorded = True
    assert fresh.stopped(0)
    fresh.seen = True
    assert not fresh.stopped(0)
    fresh.refuse(Fault("first", 3))
    fresh.refuse(Fault("second", 4))
    assert fresh.refused == "first (after round 3)"
    ruling.accepted = True
    monkeypatch.setattr(findings, "dataclasses", SimpleNamespace(replace=lambda witness, **_: witness))
    with pytest.raises(ViolationFound):
        fresh.judge(witness(2.0, {}))


def test_what_a_run_has_released() -> None:
    """Mechanisms by name; noise on the value 0 alone is told apart."""
    fresh = Findings(Claim(1.0, 0.0))
    fresh.add_run(run_of(released(at.LAPLACE, 0.0, 2, 3), played(1)))
    assert fresh.noise_alone and fresh.seen and fresh.coverage.outputs == 1
    assert fresh.coverage.mechanisms == {"Laplace noise"}
    fresh.add_run(run_of(*offered(1.0), (at.SELECTED, 0, 0, 0, 0, 0, 0), (at.CONCEALED, 0, 0, 0, 0, 0, 0)))
    assert not fresh.noise_alone and "sparse vector" in fresh.coverage.mechanisms and fresh.coverage.outputs == 2
    other = Findings(Claim(1.0, 0.0))
    other.add_run(run_of(released(NORMAL, 1.0, 2, 3)))
    assert not other.noise_alone
    none = Findings(Claim(1.0, 0.0))
    none.add_run(run_of(played(1)))
    assert not none.seen and none.noise_alone
