"""Claims of zCDP and Rényi claims against values by hand, and what several calls spend."""

import json
import math
import random

import numpy as np
import pytest

from noisetap import Claim, Records, Refused, audit
from noisetap.cli import main
from noisetap.data_audit import repeated
from noisetap.data_check import objection

TWO = Records(2)


def normal(deviation, weights=(1.0,)):
    """Return a function that lets out weighted sums of all records, each with noise of its own."""

    def function(data):
        return [w * float(sum(data)) + np.random.normal(0.0, deviation) for w in weights]

    return function


def tree(deviation):
    """Return prefix sums out of noisy nodes: the first record enters nodes 1, 1-2 and 1-4."""

    def function(data):
        first, pair = (sum(data[:n]) + np.random.normal(0.0, deviation) for n in (1, 2))
        third = data[2] + np.random.normal(0.0, deviation)
        whole = sum(data[:4]) + np.random.normal(0.0, deviation)
        return [first, pair, pair + third, whole]

    return function


def response(truth):
    """Return randomised response that says the truth with this probability."""

    def function(data):
        return [bool(v > 0.5) if np.random.random() < truth else not v > 0.5 for v in data]

    return function


def judged(function, claim, records=TWO, relation="replace-one", **more):
    return audit(function, data=records, neighbours=relation, claim=claim, **more)


# By hand: noise of deviation s moved by d has rho = d**2/(2 s**2) and divergence alpha times that. Moves add up as
# squares. One record moves each weighted sum by its weight; in the tree the first record moves three nodes by 1.
CASES = [
    (normal(1.0), TWO, 0.5),
    (normal(2.0), TWO, 0.125),
    (normal(0.5, (1.0, 2.0)), TWO, (1 + 4) / 0.5),
    (normal(3.0, (1.0, 1.0, 0.5)), TWO, 2.25 / 18),
    (tree(2.0), Records(4), 3 / 8),
]


@pytest.mark.parametrize(("function", "records", "rho"), CASES)
@pytest.mark.parametrize("alpha", [None, *[pytest.param(a, marks=pytest.mark.slow) for a in (1.5, 2.0)], 32.0])
def test_normal_noise_has_the_divergence_of_its_shift(function, records, rho, alpha):
    def claim(share):
        return Claim(rho=share * rho) if alpha is None else Claim(share * alpha * rho, alpha=alpha)

    assert judged(function, claim(1.001), records).word == "consistent"
    verdict = judged(function, claim(0.999), records)
    assert verdict.word == "violated", str(verdict)
    assert verdict.loss == pytest.approx(rho * (alpha or 1.0), rel=1e-9)


@pytest.mark.parametrize("seed", [0, 1, *[pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6)]])
def test_linear_releases_have_the_divergence_of_their_covariance(seed):
    rng = random.Random(seed)
    mix = np.array([[rng.gauss(0, 1) for _ in range(3)] for _ in range(3)]) + 3 * np.eye(3)
    move = np.array([rng.gauss(0, 1) for _ in range(3)])

    def function(data):
        # A noise that is shared and taken away again, as a tree does whose nodes come and go.
        noise = np.random.normal(0.0, 1.0, 3)
        return [
            data[0] * m + sum(a * n for a, n in zip(row, noise, strict=True))
            for m, row in zip(move, mix, strict=True)
        ]

    # By hand: the quadratic form of the inverse covariance.
    rho = float(move @ np.linalg.inv(mix @ mix.T) @ move) / 2
    assert judged(function, Claim(rho=rho * 1.001), Records(1)).word == "consistent"
    verdict = judged(function, Claim(rho=rho * 0.999), Records(1))
    assert verdict.loss == pytest.approx(rho, rel=1e-9), str(verdict)


@pytest.mark.parametrize(
    ("alpha", "truth"),
    [
        *[(1.01, 0.6), (2.0, 0.75), (8.0, 0.9)],
        *[
            pytest.param(alpha, truth, marks=pytest.mark.slow)
            for alpha, truth in [(1.01, 0.75), (1.01, 0.9), (2.0, 0.6), (2.0, 0.9), (8.0, 0.6), (8.0, 0.75)]
        ],
    ],
)
def test_randomised_response_has_the_divergence_of_two_bits(alpha, truth):
    lie = 1 - truth
    by_hand = math.log(truth**alpha * lie ** (1 - alpha) + lie**alpha * truth ** (1 - alpha)) / (alpha - 1)
    assert judged(response(truth), Claim(by_hand * 1.001, alpha=alpha)).word == "consistent"
    verdict = judged(response(truth), Claim(by_hand * 0.999, alpha=alpha))
    assert verdict.word == "violated", str(verdict)
    assert verdict.loss == pytest.approx(by_hand, rel=1e-9)


def test_one_draw_on_two_numbers_is_infinite():
    def function(data):
        noise = np.random.normal(0.0, 5.0)
        return [sum(data) + noise, data[0] + noise]

    for claim in (Claim(rho=5.0), Claim(5.0, alpha=2.0)):
        verdict = judged(function, claim)
        assert (verdict.word, verdict.loss) == ("violated", math.inf), str(verdict)


def test_other_noise_and_adaptive_noise_are_refused():
    def laplace(data):
        return sum(data) + np.random.laplace()

    def adaptive(data):
        first = sum(data) + np.random.normal()
        return [first, (2.0 if float(first) > 1.0 else 1.0) * data[0] + np.random.normal()]

    for function in (laplace, adaptive):
        for claim in (Claim(rho=100.0), Claim(100.0, alpha=2.0)):
            assert judged(function, claim).word == "refused"


@pytest.mark.parametrize(
    "bad", [{"alpha": 1.0}, {"alpha": 0.5}, {"alpha": 2.0, "delta": 0.1}, {"alpha": 2.0, "rho": 1.0}]
)
def test_claims_without_meaning_are_refused(bad):
    with pytest.raises(Refused):
        Claim(**bad)


def test_divergences_are_not_judged_of_policies():
    class Policy:
        def choose(self):
            return 0

        def update(self, arm, reward):
            pass

    with pytest.raises(Refused, match="functions of data"):
        audit(Policy, claim=Claim(rho=1.0))
    with pytest.raises(Refused, match="rounds"):
        audit(Policy, calls=2)


def test_calls_spend_what_they_add_up_to():
    def function(data):
        return sum(data) + np.random.laplace(0.0, 4.0)

    # One input of each kind: each call is judged alone and with those before it.
    verdict = judged(function, 0.75, calls=3, effort=2)
    assert verdict.word == "consistent", str(verdict)
    assert verdict.spent == pytest.approx([0.25, 0.5, 0.75])
    over = judged(function, 0.4, calls=3, effort=2)
    assert over.word == "violated"
    assert over.spent == pytest.approx([0.25, 0.5])
    assert "after 2 of 3 calls" in over.notes
    # rho of normal noise adds up too.
    assert judged(normal(1.0), Claim(rho=1.6), calls=3, effort=2).spent == pytest.approx([0.5, 1.0, 1.5])


def test_an_answer_that_is_kept_is_paid_for_once():
    class Kept:
        def __call__(self, data):
            noise = np.random.default_rng(4).laplace(0.0, 2.0)
            return sum(data) + noise

    # The same seed in each call: the same noise, so that a second call tells nothing new.
    assert judged(Kept(), 0.5, calls=2).spent == pytest.approx([0.5, 0.5])


def test_forged_divergences_are_not_accepted():
    claim = Claim(0.9, alpha=2.0)
    found = json.loads(json.dumps(judged(normal(1.0), claim).certificate))
    assert objection(found, normal(1.0), TWO, claim, neighbours="replace-one") is None
    # A weaker claim that the loss keeps, stated there too.
    weaker = {**found, "claim": {**found["claim"], "epsilon": 1.1}}
    assert objection(weaker, normal(1.0), TWO, Claim(1.1, alpha=2.0), neighbours="replace-one") is not None
    # Another function, order, bound, output or loss: each refused.
    assert objection(found, normal(1.1), TWO, claim, neighbours="replace-one") is not None
    assert objection(found, normal(1.0), TWO, Claim(0.9, alpha=1.7), neighbours="replace-one") is not None
    assert objection(found, normal(1.0), TWO, Claim(1.1, alpha=2.0), neighbours="replace-one") is not None
    for change in ({"loss": 2.0}, {"loss": None}, {"loss": "infinite"}, {"outputs": []}, {"scripts": [[0]]}):
        assert objection({**found, **change}, normal(1.0), TWO, claim, neighbours="replace-one") is not None, change


def test_calls_of_the_command(tmp_path, capsys):
    file = tmp_path / "plain.py"
    file.write_text("import numpy as np\ndef f(data): return sum(data) + np.random.laplace(0, 2)\n")
    witness = tmp_path / "witness.json"
    asked = [f"{file}:f", "--neighbours", "add-remove", "--calls", "3"]
    assert main([*asked, "--save", str(witness)]) == 1
    assert "spent after each call: 0.5, 1, 1.5" in capsys.readouterr().out
    assert main([*asked, "--check", str(witness)]) == 1
    assert main([*asked[:-2], "--check", str(witness)]) == 0
    normal_file = tmp_path / "other.py"
    normal_file.write_text("import numpy as np\ndef f(data): return sum(data) + np.random.normal(0, 2)\n")
    capsys.readouterr()
    assert (
        main([f"{normal_file}:f", "--neighbours", "add-remove", "--alpha", "8", "--epsilon", "0.9", "--json"]) == 1
    )
    told = json.loads(capsys.readouterr().out)
    assert (told["loss"], told["spent"]) == (pytest.approx(1.0), [])


def test_a_call_keeps_the_parameters_of_its_function():
    def function(data, epsilon):
        return sum(data) + np.random.laplace(0.0, 1.0 / epsilon)

    assert judged(function, 1.0, parameters={"epsilon": 0.5}, calls=2).spent == pytest.approx([0.5, 1.0])
    assert repeated(function, 1) is function
