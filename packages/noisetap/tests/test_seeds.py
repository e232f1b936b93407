"""Seeds: generators of one seed make the same draws, other ones make others, and no seed is made of data."""

import copy
import functools
import random
import time

import numpy as np
import pytest

from noisetap import Records, Rewards, audit

stats = pytest.importorskip("scipy.stats")

AT = (0.2, 0.6)


def counts(data):
    return [np.sum(data > t) for t in AT]


def laplace_of(make):
    """Return a function that adds the noise of two generators, made one after the other, to two counts."""
    return lambda data: [n + make().laplace(0, 2) for n in counts(data)]


def made_first(make):
    """Return a function whose two generators are made before either draws."""

    def told(data):
        made = make(), make()
        return [n + g.laplace(0, 2) for n, g in zip(counts(data), made, strict=True)]

    return told


def exponential(rng):
    return 2 * (rng.expovariate(1) - rng.expovariate(1))


def python_noise(data):
    made = random.Random(0), random.Random(0)
    return [n + exponential(g) for n, g in zip(counts(data), made, strict=True)]


def python_float(data):
    return [n + exponential(random.Random(1.5)) for n in counts(data)]


def scipy_noise(data):
    return [n + stats.laplace.rvs(scale=2, random_state=42) for n in counts(data)]


def scipy_frozen(data):
    law = stats.laplace(scale=2)
    return [n + law.rvs(random_state=1) for n in counts(data)]


def scipy_beside_numpy(data):
    np.random.seed(3)
    first = np.random.laplace(0, 2)
    noises = first, stats.laplace.rvs(scale=2, random_state=3)
    return [n + z for n, z in zip(counts(data), noises, strict=True)]


def seeded_by_a_list(data):
    said = []
    for n in counts(data):
        np.random.seed([1, 2, 3])
        said.append(n + np.random.laplace(0, 2))
    return said


def third_goes_further(data):
    noises = []
    for skipped in (0, 1, 1):
        np.random.seed(0)
        noises.append([np.random.laplace(0, 3) for _ in range(skipped + 1)][-1])
    return [n + z for n, z in zip(counts(data), noises[1:], strict=True)]


def coins_of_one_seed(data):
    lies = [np.random.default_rng(4).integers(3) == 0 for _ in range(2)]
    return bool((data[0] > 0.5) ^ lies[0]), bool(lies[1])


FIRST, SECOND = np.random.default_rng(11), np.random.default_rng(11)


def held_by_the_module(data):
    return [n + g.laplace(0, 2) for n, g in zip(counts(data), (FIRST, SECOND), strict=True)]


ONE_STREAM = {
    "a number": laplace_of(lambda: np.random.default_rng(0)),
    "made first": made_first(lambda: np.random.default_rng(0)),
    "made first, of the old kind": made_first(lambda: np.random.RandomState(42)),
    "a list": laplace_of(lambda: np.random.default_rng([1, 2])),
    "a sequence": laplace_of(lambda: np.random.default_rng(np.random.SeedSequence(5))),
    "bits": laplace_of(lambda: np.random.Generator(np.random.PCG64(0))),
    "bits that jumped": laplace_of(lambda: np.random.Generator(np.random.PCG64(1).jumped())),
    "old bits": laplace_of(lambda: np.random.RandomState(np.random.MT19937(3))),
    "Python's": python_noise,
    "Python's, of a float": python_float,
    "scipy's": scipy_noise,
    "scipy's, frozen": scipy_frozen,
    "scipy's beside NumPy's": scipy_beside_numpy,
    "np.random's, of a list": seeded_by_a_list,
    "np.random's, of which the second goes further": third_goes_further,
    "held by the module": held_by_the_module,
}


@pytest.mark.parametrize("name", ONE_STREAM)
def test_generators_of_one_seed_make_the_same_draws(name):
    verdict = audit(ONE_STREAM[name], data=Records(3), neighbours="add-remove", effort=2)
    assert verdict.word == "violated", str(verdict)


def test_coins_of_one_seed_are_the_same():
    verdict = audit(coins_of_one_seed, data=Records(1), neighbours="replace-one", effort=2)
    assert verdict.word == "violated", str(verdict)


def of_kinds(data):
    np.random.seed(42)
    noises = np.random.laplace(0, 2), np.random.default_rng(42).laplace(0, 2)
    return [n + z for n, z in zip(counts(data), noises, strict=True)]


def of_two_classes(data):
    noises = np.random.RandomState(1).laplace(0, 2), np.random.default_rng(1).laplace(0, 2)
    return [n + z for n, z in zip(counts(data), noises, strict=True)]


def spawned(data):
    made = map(np.random.default_rng, np.random.SeedSequence(1).spawn(2))
    return [n + g.laplace(0, 2) for n, g in zip(counts(data), made, strict=True)]


def on_one_bit_generator(data):
    bits = np.random.PCG64()
    return [n + np.random.Generator(bits).laplace(0, 2) for n in counts(data)]


def by_the_time(data):
    return data.sum() + np.random.default_rng(time.time_ns()).laplace()


def by_entropy(data):
    return data.sum() + np.random.default_rng(np.random.SeedSequence()).laplace()


def unseeded(data):
    return [n + np.random.default_rng().laplace(0, 2) for n in counts(data)]


@pytest.mark.parametrize(
    "function", [of_kinds, of_two_classes, spawned, on_one_bit_generator, by_the_time, by_entropy, unseeded]
)
def test_streams_of_other_seeds_kinds_or_places_are_independent(function):
    verdict = audit(function, data=Records(3), neighbours="add-remove", effort=2)
    assert verdict.word == "consistent", str(verdict)


def sticky(data):
    return np.sum(data > 0.5) + np.random.default_rng(int(1000 * data.sum())).laplace()


def seed_alone(data):
    np.random.seed(int(100 * data.sum()))
    return np.random.random()


@pytest.mark.parametrize("function", [sticky, seed_alone])
def test_a_seed_made_of_data_is_refused(function):
    verdict = audit(function, data=Records(3), neighbours="add-remove", effort=2)
    assert (verdict.word, "seed of a generator depends on data" in verdict.why) == ("refused", True), str(verdict)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_of_a_generator_is_refused_by_its_name(copied):
    def told(data):
        rng = np.random.default_rng()
        try:
            return data.sum() + copied(rng).laplace()
        except TypeError:
            return None

    verdict = audit(told, data=Records(2), neighbours="add-remove", effort=2)
    assert (verdict.word, "a generator is copied" in verdict.why) == ("refused", True), str(verdict)


class Held:
    rng = np.random.default_rng()


def from_a_class(data):
    return len(data) + Held.rng.laplace()


def test_a_refusal_of_a_generator_in_a_class_says_what_to_do():
    verdict = audit(from_a_class, data=Records(2), neighbours="add-remove", effort=2)
    assert (verdict.word, "as a parameter rng=" in verdict.why) == ("refused", True), str(verdict)


class Best:
    """Plays each of two arms five times, and then the one with the larger noisy sum."""

    def __init__(self, *noises):
        self.noises, self.sums, self.time, self.best = noises, np.zeros(2), 0, 0

    def choose(self):
        return self.time % 2 if self.time < 10 else self.best

    def update(self, arm, reward):
        self.time += 1
        if self.time <= 10:
            self.sums[arm] += reward
        if self.time == 10:
            self.best = int(np.argmax([self.sums[a] + self.noises[a](self.sums) for a in (0, 1)]))


def noise_of(make):
    return lambda _: make().laplace(0, 1.0)


def by_numpys_seed(_):
    np.random.seed(7)
    return np.random.laplace(0, 1.0)


def scaled(scale):
    return lambda _: scale * np.random.default_rng(3).laplace(0, 1 / scale)


POLICIES = {
    "a list": (noise_of(lambda: np.random.default_rng([1, 2])), "violated"),
    "a sequence": (noise_of(lambda: np.random.default_rng(np.random.SeedSequence(3))), "violated"),
    "bits": (noise_of(lambda: np.random.Generator(np.random.PCG64(3))), "violated"),
    "kinds": ((by_numpys_seed, noise_of(lambda: np.random.default_rng(7))), "consistent"),
    "scales": ((scaled(1.0), scaled(2.0)), "violated"),
    "of rewards": (lambda sums: np.random.default_rng(int(10 * sums.sum())).laplace(), "refused"),
    "by the time": (lambda _: np.random.default_rng(time.time_ns()).laplace(), "consistent"),
}


@pytest.mark.parametrize("name", POLICIES)
def test_seeds_of_policies(name):
    noises, word = POLICIES[name]
    noises = noises if isinstance(noises, tuple) else (noises, noises)
    verdict = audit(functools.partial(Best, *noises), rewards=Rewards(12, 2), claim=1.0, effort=2)
    assert verdict.word == word, str(verdict)


def test_generators_of_a_policy_that_are_made_first_make_the_same_draws():
    def make():
        made = np.random.default_rng(7), np.random.default_rng(7)
        return Best(*(lambda _, g=g: g.laplace(0, 1.0) for g in made))

    assert audit(make, rewards=Rewards(12, 2), claim=1.0, effort=2).word == "violated"
