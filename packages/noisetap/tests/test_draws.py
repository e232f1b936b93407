"""What functions draw is heard with its law: densities are those of scipy, choices those of their weights."""

import math
import random
import secrets

import numpy as np
import pytest

from noisetap import Claim, Records, Refused, audit
from noisetap.affine import Affine
from noisetap.cli import main
from noisetap.data_check import objection
from noisetap.draws import listening_to_function
from noisetap.formulas import log_discrete_probability
from noisetap.function import Function, real_generator
from noisetap.laws import Law
from noisetap.measure import integrated_log_probability
from noisetap.order import Order
from noisetap.path import Path
from noisetap.remeasure import summed_log_probability

# Name, shape parameters, whether it has a scale.
SCIPY = [
    ("laplace", (), True),
    ("norm", (), True),
    ("gumbel_r", (), True),
    ("expon", (), True),
    ("logistic", (), True),
    ("uniform", (), True),
    ("binom", (7, 0.3), False),
    ("geom", (0.4,), False),
    ("poisson", (2.5,), False),
    ("dlaplace", (0.8,), False),
]


@pytest.mark.parametrize(("name", "shapes", "scaled"), SCIPY)
@pytest.mark.parametrize("frozen", [False, True])
def test_draws_of_scipy_have_its_density(name, shapes, scaled, frozen):
    law = getattr(pytest.importorskip("scipy.stats"), name)
    how = {"loc": 2.0} | ({"scale": 3.0} if scaled else {})
    for seed in range(5):
        path = Path(rng=real_generator(seed))
        with listening_to_function(path):
            value = float(law(*shapes, **how).rvs() if frozen else law.rvs(*shapes, **how))
        expected = (law.logpdf if scaled else law.logpmf)(value, *shapes, **how)
        for measure in (integrated_log_probability, summed_log_probability):
            # The difference of two whole draws is summed: its tail is cut at 1e-15.
            assert measure(path)[0] == pytest.approx(expected, abs=1e-9 if name != "dlaplace" else 1e-7)


@pytest.mark.parametrize("name", ["t", "cauchy", "skellam"])
def test_other_laws_of_scipy_are_refused(name):
    stats = pytest.importorskip("scipy.stats")
    shapes = {"t": (3,), "cauchy": (), "skellam": (1, 1)}[name]
    verdict = audit(lambda data: sum(data) + getattr(stats, name).rvs(*shapes), data=Records(2))
    assert verdict.word == "refused"
    assert f"scipy.stats.{name}" in verdict.why


NUMPY = [
    (lambda: np.random.gumbel(1, 2), lambda v: -(v - 1) / 2 - math.exp(-(v - 1) / 2) - math.log(2)),
    (lambda: np.random.poisson(3.0), lambda v: v * math.log(3) - 3 - math.lgamma(v + 1)),
    (lambda: np.random.binomial(5, 0.2), lambda v: math.log(math.comb(5, int(v)) * 0.2**v * 0.8 ** (5 - v))),
    (lambda: np.random.geometric(0.3), lambda v: math.log(0.3 * 0.7 ** (v - 1))),
    (lambda: np.random.uniform(2, 6), lambda _: -math.log(4)),
    (lambda: random.expovariate(2.0), lambda v: math.log(2) - 2 * v),
    (lambda: random.gauss(1, 2), lambda v: -(((v - 1) / 2) ** 2) / 2 - math.log(2 * math.sqrt(2 * math.pi))),
]


@pytest.mark.parametrize(("draw", "density"), NUMPY)
def test_draws_of_numpy_and_python_have_their_density(draw, density):
    for seed in range(5):
        path = Path(rng=real_generator(seed))
        with listening_to_function(path):
            value = float(draw())
        for measure in (integrated_log_probability, summed_log_probability):
            assert measure(path)[0] == pytest.approx(density(value), abs=1e-9)


CHOICES = {
    "secrets.choice": (lambda: secrets.choice("abcd"), dict.fromkeys("abcd", 0.25)),
    "secrets.randbelow": (lambda: secrets.randbelow(3), {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}),
    "secrets.randbits": (lambda: secrets.randbits(1), {0: 0.5, 1: 0.5}),
    "SystemRandom": (lambda: secrets.SystemRandom().randrange(0, 6, 3), {0: 0.5, 3: 0.5}),
    "choice of two": (
        lambda: "".join(np.random.choice(["a", "b"], size=2, p=[0.3, 0.7])),
        {"aa": 0.09, "ab": 0.21, "ba": 0.21, "bb": 0.49},
    ),
    "without replacement": (
        lambda: "".join(
            np.random.default_rng().choice(["a", "b", "c"], size=2, replace=False, p=[0.5, 0.25, 0.25])
        ),
        {"ab": 0.25, "ac": 0.25, "ba": 1 / 6, "ca": 1 / 6, "bc": 1 / 12, "cb": 1 / 12},
    ),
    "choices": (lambda: random.choices("ab", cum_weights=[1, 4])[0], {"a": 0.25, "b": 0.75}),
    "sample": (lambda: "".join(random.sample("abc", 2)), {a + b: 1 / 6 for a in "abc" for b in "abc" if a != b}),
    "randint": (lambda: np.random.randint(2, size=2).sum(), {0: 0.25, 1: 0.5, 2: 0.25}),
}


@pytest.mark.parametrize("how", CHOICES)
def test_choices_have_their_probabilities(how):
    draw, expected = CHOICES[how]
    found: dict = {}
    with Function(lambda _: draw(), Records(1), {}) as function:
        for path, result in function.paths(((0.0,),)):
            found[result] = found.get(result, 0.0) + math.exp(integrated_log_probability(path)[0])
    found = {result: p for result, p in found.items() if p}
    assert found == pytest.approx(expected)


FORMS = {
    "array": lambda d: isinstance(d, np.ndarray) and d.shape == (2, 2),
    "list": lambda d: d == [(0.0, "f"), (90.0, "m")],
    "tuple": lambda d: d == ((0.0, "f"), (90.0, "m")),
    "dict": lambda d: d == {"age": [0.0, 90.0], "sex": ["f", "m"]},
    "frame": lambda d: list(d.columns) == ["age", "sex"] and d["age"].tolist() == [0.0, 90.0],
}
COLUMNS = {"age": (0.0, 90.0), "sex": ("f", "m")}


@pytest.mark.parametrize("form", FORMS)
def test_records_are_handed_over_in_each_form(form):
    if form == "frame":
        pytest.importorskip("pandas")
    records = Records(2, columns=COLUMNS)
    assert FORMS[form](records.as_argument(((0.0, "f"), (90.0, "m")), form))


def test_columns_have_their_ranges():
    def oldest_bound(data: list):
        return sum(age for age, _ in data) + np.random.laplace(0, 90)

    def forgot_the_range(data: list):
        return sum(age for age, _ in data) + np.random.laplace(0, 1)

    records = Records(2, columns=COLUMNS)
    assert audit(oldest_bound, data=records, neighbours="replace-one").word == "consistent"
    assert audit(forgot_the_range, data=records, neighbours="replace-one").loss == pytest.approx(90.0)
    assert not records.contains((91.0, "f"))
    assert not records.contains((1.0, "x"))


def test_an_unknown_relation_is_refused():
    records, data = Records(2), ((0.0,), (1.0,))
    for pairs in (records.neighbours(data, "nonsense"), records.further_pairs(real_generator(0), "nonsense")):
        with pytest.raises(Refused, match="neighbours 'nonsense': allowed are add-remove"):
            next(pairs)
    assert "nonsense" in str(audit(len, data=records, neighbours="nonsense"))


def test_a_certificate_names_the_relation_of_its_caller():
    def nearby(data):
        yield (*data[:1], (min(data[1][0] + 0.5, 1.0),))

    def count(data):
        return sum(data) + np.random.laplace(0, 0.25)

    found = audit(count, data=Records(2), neighbours=nearby)
    assert found.loss == pytest.approx(2.0)
    assert objection(found.certificate, count, Records(2), Claim(1.0), neighbours=nearby) is None
    assert "another relation" in objection(found.certificate, count, Records(2), Claim(1.0), neighbours="user")
    assert "has to be named" in objection(found.certificate, count, Records(2), Claim(1.0))
    with pytest.raises(Refused):
        Records(0)


def test_the_command_takes_columns_and_a_relation(tmp_path, capsys):
    program = tmp_path / "mine.py"
    program.write_text(
        "import random\n"
        "def spent(data: list, eps):\n"
        "    return sum(x for _, x in data) + random.expovariate(eps) - random.expovariate(eps)\n"
        "def near(data):\n"
        "    yield data[1:]\n"
    )
    columns = ["--records", "2", "--columns", "user:a|b,spent:0:1"]
    assert main([f"{program}:spent", *columns, "--neighbours", "add-remove"]) == 0
    assert main([f"{program}:spent", *columns, "--neighbours", "user"]) == 1
    assert main([f"{program}:spent", *columns, "--neighbours", "near"]) == 0
    assert "consistent" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["laplace", "normal", "gumbel", "logistic", "exponential"])
@pytest.mark.parametrize(("offset", "factor"), [(0.0, 1.0), (0.37, 2.5), (-4.2, -0.6)])
def test_rounded_draws_have_the_same_masses_for_both(kind, offset, factor):
    law = Law(f"whole {kind}", params=(offset, factor))
    values = law.probabilities()
    assert sum(m for _, m in values) == pytest.approx(1.0, abs=1e-9)
    for k, mass in values[:: max(len(values) // 12, 1)]:
        if mass > 1e-14:
            assert log_discrete_probability(law.kind, law.params, k) == pytest.approx(math.log(mass), abs=1e-6)


def test_what_comparisons_have_said_decides_others():
    order = Order()
    order.add(Affine(0.0, {0: 1.0, 1: -1.0}), True)
    order.add(Affine(-2.0, {1: 1.0, 2: -1.0}), True)
    assert order.is_positive(Affine(-1.5, {0: 1.0, 2: -1.0}), True, False) is True
    assert order.is_positive(Affine(1.5, {2: 1.0, 0: -1.0}), True, False) is False
    assert order.is_positive(Affine(-2.5, {0: 1.0, 2: -1.0}), True, False) is None
    # Three of the same scale in a circle; of other scales nothing follows.
    assert order.is_positive(Affine(0.0, {0: 2.0, 2: -1.0}), True, False) is None


@pytest.mark.parametrize("name", ["gamma_shares", "mean_of_four_draws", "a_little_more", "two_uniform", "weighted"])
def test_a_sum_of_noises_has_the_same_density_for_both(name):
    pytest.importorskip("scipy")
    pytest.importorskip("pandas")
    import unseen_functions

    subject = Function(getattr(unseen_functions, name), Records(3), {})
    subject = subject.with_budget(1.0) or subject
    for value in (0.3, 1.7, 3.1):
        path, _ = subject.run(((0.2,), (0.9,), (0.4,)), (), [value] * 3)
        assert summed_log_probability(path)[0] == pytest.approx(integrated_log_probability(path)[0], abs=2e-3)


def test_compiled_code_gets_arrays_of_floats_where_noise_can_be_stored():
    # NumPy's generators ask for empty arrays by name, and write doubles into them: into an array of objects they
    # would write addresses that nothing is at, and the process would die.
    real = real_generator(5)
    with listening_to_function(Path(), stores_noise=True):
        assert 0 <= real.choice(2, p=(0.5, 0.5)) < 2
        assert np.empty(2).dtype == object
