"""What is asked of a generator: each argument is honoured or refused, and raises what it raises in NumPy."""

import math
import random

import numpy as np
import pytest

from noisetap import Claim, Records, audit
from noisetap.draws import DataGenerator, listening_to_function
from noisetap.function import real_generator
from noisetap.path import Path
from noisetap.tape import Refused

stats = pytest.importorskip("scipy.stats")

HALF = math.log(1 + 0.5 * (math.e - 1))


def written_into(data):
    rng = np.random.default_rng()
    first, second = np.zeros(len(data)), np.zeros(len(data))
    rng.standard_exponential(out=first)
    rng.standard_exponential(out=second)
    return data + first - second


def normal_written_into(data):
    rng = np.random.default_rng()
    noise = np.zeros(2)
    rng.standard_normal(out=noise)
    return data + 5 * noise


def sampled_by_a_mask(data):
    rng = np.random.default_rng()
    mask = rng.integers(0, 2, size=len(data), dtype=bool)
    return data[mask].sum() + rng.laplace()


def one_in_an_array(data):
    return len(data) + stats.laplace.rvs(size=1)[0]


def single_precision(data):
    return data.sum() + float(np.random.default_rng().standard_normal(dtype=np.float32)) * 0 + np.random.laplace()


SOUND = [
    # Two numbers with two noises each are as dear as five of these; `normal_written_into` has two numbers.
    pytest.param(written_into, Records(2), "replace-one", 1.0, marks=pytest.mark.slow),
    (written_into, Records(1), "replace-one", 1.0),
    (normal_written_into, Records(2), "replace-one", Claim(1.0, 1e-5)),
    (sampled_by_a_mask, Records(3), "add-remove", HALF),
    (one_in_an_array, Records(3), "add-remove", 1.0),
]


@pytest.mark.budget(2)
@pytest.mark.parametrize(
    ("function", "records", "relation", "claim"), SOUND, ids=lambda f: getattr(f, "__name__", "")
)
def test_arguments_are_honoured(function, records, relation, claim):
    verdict = audit(function, data=records, neighbours=relation, claim=claim, effort=4)
    assert verdict.word == "consistent", str(verdict)


def negative_scale(data):
    return 0 * np.random.laplace(0, len(data) - 0.5)


def negative_scale_caught(data):
    try:
        return 0 * np.random.laplace(0, 2 * len(data) - 1)
    except ValueError:
        return None


def probability_above_one(data):
    try:
        return int(np.random.binomial(2, 0.6 + 0.1 * len(data)))
    except ValueError:
        return -1


def shares_that_sum_to_more(data):
    try:
        return int(np.random.choice(2, p=[0.5, 0.5 + data.mean() * 1e-3]))
    except ValueError:
        return 2


def scipy_domain(data):
    try:
        return len(data) * 0 + stats.laplace.rvs(scale=len(data) - 0.5) * 0
    except ValueError:
        return None


def fewer_than_are_chosen(data):
    try:
        return random.sample(range(len(data)), 5)[0] * 0
    except ValueError:
        return None


@pytest.mark.parametrize(
    ("function", "relation"),
    [
        (negative_scale, "add-remove"),
        (negative_scale_caught, "add-remove"),
        (probability_above_one, "add-remove"),
        (shares_that_sum_to_more, "replace-one"),
        (scipy_domain, "add-remove"),
        (fewer_than_are_chosen, "add-remove"),
    ],
)
def test_an_error_that_numpy_raises_tells(function, relation):
    verdict = audit(function, data=Records(5), neighbours=relation, effort=2)
    assert verdict.word == "violated", str(verdict)


def test_counts_of_a_sample_are_honoured():
    def told(data):
        return random.sample([0, 1], counts=[3, len(data) + 1], k=2)

    assert audit(told, neighbours="add-remove", effort=2).word in ("violated", "refused")


def state():
    return np.random.RandomState()


def generator():
    return np.random.default_rng()


# Each raises the same, with the real generators and with ours.
ERRORS = {
    "scale": lambda: np.random.laplace(0, -1),
    "scale of none": lambda: np.random.laplace(0, -1, size=0),
    "scales": lambda: generator().normal(0, [1, -1]),
    "exponential": lambda: generator().exponential(-2.0),
    "range": lambda: generator().uniform(1, 0),
    "endless range": lambda: state().uniform(0, math.inf),
    "chances": lambda: generator().binomial(2, [0.5, 1.5]),
    "trials": lambda: state().binomial(-1, 0.5),
    "no chance": lambda: generator().geometric(0),
    "nan": lambda: generator().poisson(math.nan),
    "size": lambda: np.random.laplace(size=-1),
    "size of a float": lambda: generator().laplace(size=1.5),
    "dtype": lambda: generator().standard_normal(dtype=np.float16),
    "of the old kind": lambda: state().standard_normal(dtype=np.float32),
    "name": lambda: generator().randint(3),
    "name of the new kind": lambda: state().integers(3),
    "no whole number": lambda: generator().integers(3, 3),
    "among bools": lambda: generator().integers(0, 3, dtype=bool),
    "sum": lambda: generator().choice(2, p=[0.5, 0.51]),
    "share": lambda: generator().choice(2, p=[1.5, -0.5]),
    "number of shares": lambda: np.random.choice(2, p=[1.0]),
    "nothing": lambda: np.random.choice([]),
    "more than there are": lambda: generator().choice(3, 4, replace=False),
    "seed": lambda: np.random.default_rng(-1),
    "seed of a float": lambda: np.random.default_rng(1.5),
    "old seed": lambda: np.random.RandomState(2**40),
    "scipy's scale": lambda: stats.norm.rvs(scale=-1),
    "scipy's parameter": lambda: stats.bernoulli.rvs(2.0),
    "scipy's argument": lambda: stats.norm.rvs(scales=1),
    "scipy's missing argument": lambda: stats.binom.rvs(3),
    "Python's seed": lambda: random.Random([1]),
    "Python's range": lambda: random.randrange(3, 3),
    "Python's choice": lambda: random.choice([]),
    "Python's weights": lambda: random.choices([1, 2], [0, 0]),
    "Python's sample": lambda: random.sample([1, 2], 3),
    "Python's sample of a set": lambda: random.sample({1, 2}, 1),
    "Python's gamma": lambda: random.gammavariate(-1, 1),
    "Python's rate": lambda: random.expovariate(0),
}


def error_of(call):
    try:
        call()
    except Exception as error:
        return type(error)
    return None


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_those_of_the_real_generators(name):
    real = error_of(ERRORS[name])
    with listening_to_function(Path(rng=real_generator(1))):
        ours = error_of(ERRORS[name])
    assert real is not None
    assert ours is real


NONE_HEARD = {
    "axis": lambda: generator().permutation(np.eye(2), axis=1),
    "axis of a choice": lambda: generator().choice(np.eye(2), axis=1),
    "unshuffled": lambda: generator().choice(4, 2, replace=False, shuffle=False),
    "small numbers among many": lambda: generator().integers(0, 10**6, dtype=np.uint32),
}


@pytest.mark.parametrize("name", NONE_HEARD)
def test_arguments_that_are_not_heard_are_refused_by_name(name):
    with listening_to_function(Path(rng=real_generator(1))), pytest.raises(Refused):
        NONE_HEARD[name]()


HARMLESS = {
    "single precision": lambda: generator().standard_normal(2, dtype=np.float32),
    "method": lambda: generator().standard_exponential(method="inv"),
    "an end": lambda: generator().integers(1, 2, endpoint=True),
    "shuffled after all": lambda: generator().choice(3, 2, shuffle=False),
    "covariance": lambda: generator().multivariate_normal(
        [0, 0], np.eye(2), check_valid="raise", method="cholesky"
    ),
    "bools": lambda: generator().integers(0, 2, size=3, dtype=bool),
    "bytes": lambda: np.random.randint(0, 2, size=3, dtype=np.uint8),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_arguments_are_taken(name):
    real = HARMLESS[name]()
    with listening_to_function(Path(rng=real_generator(1))):
        ours = HARMLESS[name]()
    assert np.shape(real) == np.shape(ours)
    if np.asarray(real).dtype.kind in "bu":
        assert np.asarray(real).dtype == np.asarray(ours).dtype


def test_generators_say_which_of_two_kinds_they_are():
    with listening_to_function(Path(rng=real_generator(1))):
        new, old = np.random.default_rng(), np.random.RandomState()
        assert isinstance(new, np.random.Generator)
        assert not isinstance(new, np.random.RandomState)
        assert isinstance(old, np.random.RandomState)
        assert not isinstance(old, np.random.Generator)
        assert isinstance(old, DataGenerator)
