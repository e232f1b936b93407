"""Sound programs are never *violated*; classical mistakes are found: with each of twenty seeds.

No verdict here is statistical: a certificate is accepted or it is not. Seeds choose inputs and draws.
"""

import listened
import pytest

from noisetap import Claim, Rewards, audit

SEEDS = range(20)
OF_TIER = pytest.mark.parametrize("seeds", [SEEDS[:1], pytest.param(SEEDS[1:], marks=pytest.mark.slow)], ids=str)
# As dear as all others together; what they are made of, cheaper programs have too.
DEAR = ("AddsUp", "Pad", "Response", "ResponseOfNumbers")
ROUNDS = Rewards(30, 2)
ROWS = Rewards(12, 3, row=True)
DELTA = Claim(1.0, 0.01)

CONSISTENT = [
    "Batches",
    "ByName",
    "GlobalGenerator",
    "Stretched",
    "Direct",
    "Unused",
    "Explores",
    "Schedule",
    "Thins",
    "Throws",
    "Tree",
    "Hybrid",
    "Local",
    "Bits",
    "BinomialBits",
    "Softmax",
    "Exponential",
    "Selects",
    "SelectsGumbel",
    "SelectsExponential",
    "Vector",
    "Sparse",
    "Gauss",
]
# What cannot be judged is said, with the line: hidden coins, noises that add up, noise out of hearing.
UNJUDGED = [
    "Response",
    "Pad",
    "NoisyThreshold",
    "Sorted",
    "Rejects",
    "AddsUp",
    "SelectsWithGap",
    "ByHand",
    "Cut",
    "Standard",
    "OwnRandom",
    "TwoNoises",
    "Stored",
    "Remembers",
]
VIOLATED = [
    "HalfNoise",
    "LocationForScale",
    "TieByRaw",
    "CloseByRaw",
    "GrowsByRaw",
    "ScaleByData",
    "Twice",
    "RoundsTowardsRaw",
    "FirstWithoutNoise",
    "EndsRaw",
    "RawBonus",
    "SharedNoise",
    "SameSeed",
    "ShortTree",
    "LocalTooMuch",
    "ResponseOfNumbers",
    "BitsTooSure",
    "BinomialTooSure",
    "ExponentialTooSure",
    "SelectsHalf",
    "SelectsGumbelHalf",
    "SelectsOneDraw",
    "SelectsByLargest",
    "VectorTooLittle",
    "SparseWithoutQueryNoise",
    "SparseWithoutEnd",
    "SparseTellsNumber",
    "GaussTooLittle",
    "Nothing",
    "RawStop",
    "LateClip",
    "Differences",
    "ReusedStart",
    "OneDrawForAll",
]


def of_tier(names):
    return [pytest.param(name, marks=pytest.mark.slow) if name in DEAR else name for name in names]


def judged(name, seed, effort):
    rewards = ROWS if name.startswith(("Selects", "Vector")) else ROUNDS
    if name == "LateClip":
        rewards = Rewards(30, 2, high=2.0)
    claim = DELTA if name.startswith("Gauss") else Claim(0.5 if name == "LocationForScale" else 1.0)
    return audit(getattr(listened, name), rewards=rewards, claim=claim, seed=seed, effort=effort)


@OF_TIER
@pytest.mark.parametrize("name", CONSISTENT)
def test_sound_programs_are_consistent(name, seeds):
    for seed in seeds:
        verdict = judged(name, seed, effort=2)
        assert verdict.word == "consistent", (seed, str(verdict))


@OF_TIER
@pytest.mark.parametrize("name", UNJUDGED)
def test_what_cannot_be_judged_is_not_condemned(name, seeds):
    for seed in seeds:
        verdict = judged(name, seed, effort=1)
        assert verdict.word in ("refused", "suspicious", "consistent"), (seed, str(verdict))


@pytest.mark.parametrize("name", of_tier(UNJUDGED))
def test_what_cannot_be_judged_is_said_with_its_line(name):
    verdict = judged(name, 0, effort=6)
    assert verdict.word in ("refused", "suspicious")
    assert "listened.py:" in verdict.why or name == "Remembers"


# A coin says whether data are told. Of 19 further seeds 2 are suspicious alone: the checker accepts no certificate.
SUSPICIOUS_ALONE = {("ResponseOfNumbers", 1), ("ResponseOfNumbers", 14)}


@OF_TIER
@pytest.mark.parametrize("name", of_tier(VIOLATED))
def test_classical_mistakes_are_found(name, seeds):
    for seed in seeds:
        verdict = judged(name, seed, effort=18)
        if (name, seed) in SUSPICIOUS_ALONE:
            assert verdict.word == "suspicious", (seed, str(verdict))
            continue
        assert verdict.word == "violated", (seed, str(verdict))
        assert verdict.line is not None and verdict.line.startswith("listened.py:")
        assert verdict.certificate is not None


@OF_TIER
def test_a_hidden_coin_before_raw_data_is_suspicious(seeds):
    for seed in seeds:
        assert judged("CleanSometimes", seed, effort=4).word == "suspicious"
