"""Numbers that a function reads: a loss is proved only if the result tells them, and no draw is read unheard."""

import importlib.util
import json
import math
import random
import secrets
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from noisetap import Claim, Records, audit
from noisetap.affine import Affine
from noisetap.data_check import objection
from noisetap.determined import _one_sided
from noisetap.draws import _names_stats
from noisetap.laws import Law
from noisetap.path import Path
from noisetap.stored_noise import HeardFloat

# One record moves the sum from -0.5 to 0.5, and noise of scale 0.9 on it loses 1.11. An even function of it loses
# nothing, and the remainder by 3.3 loses 0.93 at most.
LOSES = 1 / 0.9


# What the search would say of a function that tells the number.
CERTIFICATE = {
    "format": "noisetap data 1",
    "claim": {"epsilon": 1.0, "delta": 0.0, "rho": None},
    **{"parameters": {}, "relation": "replace-one", "x": [[0.0]], "y": [[1.0]]},
    **{"outputs": [-1.7], "scripts": [[]], "loss": LOSES, "stored": False},
}


def noisy(data):
    return np.sum(data) - 0.5 + np.random.laplace(0, 0.9)


def of_one(function, **more):
    """Judge what a function makes of the noisy number of one record."""
    return audit(lambda data: function(noisy(data)), data=Records(1), neighbours="replace-one", **more)


MANY_TO_ONE = {
    "square": lambda v: v**2,
    "np.square": np.square,
    "fourth power": lambda v: pow(v, 4),
    "times itself": lambda v: v * v,
    "polynomial": lambda v: np.polyval([1, 0, 0], v),
    "cosine": np.cos,
    "cosh": lambda v: math.cosh(v),
    "distance": lambda v: math.hypot(v, 1.0),
    "norm": lambda v: np.linalg.norm([v]),
    "bell": lambda v: math.exp(-(v**2)),
    "remainder": lambda v: v % 3.3,
    "np.mod": lambda v: np.mod(v, 3.3),
    "divmod": lambda v: divmod(v, 3.3)[1],
}
ONE_TO_ONE = {
    "exponential": math.exp,
    "np.exp": np.exp,
    "arc tangent": math.atan,
    "cube": lambda v: v**3,
    "sigmoid": lambda v: 1 / (1 + math.exp(-v / 4)),
    "float": float,
    "text": repr,
    "two of it": lambda v: (math.exp(v / 9), float(v)),
}


@pytest.mark.parametrize("read", MANY_TO_ONE)
def test_a_number_that_another_leads_to_too_proves_nothing(read):
    function = MANY_TO_ONE[read]
    verdict = of_one(function)
    assert verdict.word != "violated", str(verdict)


@pytest.mark.parametrize("read", MANY_TO_ONE)
def test_the_checker_refuses_what_the_search_would_have_said(read):
    function = MANY_TO_ONE[read]
    assert objection(CERTIFICATE, lambda data: function(noisy(data)), Records(1), Claim(1.0)) is not None


def test_the_checker_takes_what_the_result_tells():
    assert objection(CERTIFICATE, lambda data: math.exp(noisy(data)), Records(1), Claim(1.0)) is None


@pytest.mark.parametrize(
    ("function", "told", "runs"),
    [
        (lambda v: v**3, True, 6),
        (lambda v: -v, True, 6),
        (lambda v: v**2, False, 4),
        (lambda v: abs(v - 0.8), False, 3),
        (lambda v: max(v, 0.0), False, 4),
        (lambda v: 0.0 * v, False, 1),
    ],
)
def test_a_side_is_tried_until_it_is_decided(function, told, runs):
    tried = []

    def at(_, value):
        tried.append(value)
        return [function(value)]

    release = SimpleNamespace(value=0.0, affine=None)
    path = SimpleNamespace(releases=[release], value_range=lambda _: (-math.inf, math.inf))
    assert _one_sided(at, 0, path, (0.5, 1.0, 2.0), 1.0, 0, float(function(0.0))) is told
    assert len(tried) == runs


@pytest.mark.parametrize("read", ONE_TO_ONE)
def test_a_number_that_the_result_tells_proves_a_loss(read):
    function = ONE_TO_ONE[read]
    verdict = of_one(function)
    assert (verdict.word, verdict.loss) == ("violated", pytest.approx(LOSES)), str(verdict)


def test_whole_noise_modulo_a_number_is_not_told():
    """All remainders are as likely, whatever the datum is."""

    def masked(data):
        return (int(data[0]) + random.getrandbits(32)) % 2**32

    kind = Records(1, columns={"kind": (0, 1, 2)}, form="list")
    assert audit(masked, data=kind, neighbours="replace-one").word == "refused"


def raw_if_seldom(data):
    """Return the raw datum with probability 0.001."""
    return data[0] if math.fsum([np.random.random()]) > 0.999 else 0.0


def test_a_coin_that_is_read_is_not_consistent():
    verdict = audit(raw_if_seldom, data=Records(1), neighbours="replace-one")
    assert verdict.word == "refused"
    assert "read by a function before it is added to data" in verdict.why


def gumbel(u):
    return -math.log(-math.log(u))


@pytest.mark.parametrize(("factor", "word"), [(1.0, "consistent"), (9.0, "violated")])
def test_float_of_a_uniform_draw_keeps_the_draw(factor, word):
    def largest(data):
        counts = [sum(v == kind for v in data) for kind in "xy"]
        return max((0, 1), key=lambda k: counts[k] * factor + gumbel(float(random.uniform(0, 1))))

    kinds = Records(2, columns={"kind": ("x", "y")})
    assert audit(largest, data=kinds, neighbours="add-remove").word == word


def test_the_stand_in_for_float_is_as_float():
    heard = HeardFloat()
    assert heard("2.5") == 2.5 and heard() == 0.0 and heard.fromhex("0x1p-1") == 0.5
    assert isinstance(1.0, heard) and not isinstance(1, heard) and float in (int, heard)
    assert issubclass(np.float64, heard) and heard | None == float | None and {heard: 1}[float] == 1
    assert np.zeros(2, dtype=heard).dtype == float
    assert type("Own", (float,), {}).__mro__[1] is float
    assert heard(np.array([3])) == 3.0


@pytest.mark.parametrize(("deviation", "word"), [(0.5, "consistent"), (0.25, "refused")])
def test_normal_noise_that_is_clipped_keeps_its_divergence(deviation, word):
    """The mean of three moves by 1/3."""

    def clipped(data):
        return min(1.0, max(0.0, np.mean(data) + np.random.normal(0, deviation)))

    claim = Claim(rho=(1 / 3) ** 2 / (2 * 0.5**2))
    verdict = audit(clipped, data=Records(3), neighbours="replace-one", claim=claim)
    assert verdict.word == word, str(verdict)
    assert word == "refused" or verdict.loss == pytest.approx(claim.rho)


def hashed(kind, seed):
    return (int(seed) * 2654435761 + kind * 40503) % 2**32 % 2


@pytest.mark.parametrize(("keep", "word"), [(0.731, "consistent"), (0.9, "violated")])
def test_a_seed_out_of_many_is_a_number_that_is_told(keep, word):
    def local_hash(kind):
        seed = secrets.randbelow(10**9)
        bit = hashed(kind, seed)
        return (bit if random.random() < keep else 1 - bit), seed

    kinds = Records(1, columns={"kind": ("0", "1", "2")}, make=lambda rows: int(rows[0]))
    assert audit(local_hash, data=kinds, neighbours="replace-one").word == word


def test_a_delta_is_not_judged_by_a_part_of_the_seeds():
    """Each of a billion seeds is less probable than what is left out of a sum."""

    def raw(kind):
        seed = secrets.randbelow(2**62)
        return hashed(kind, seed), seed

    kinds = Records(1, columns={"kind": ("0", "1", "2")}, make=lambda rows: int(rows[0]))
    assert audit(raw, data=kinds, neighbours="replace-one", claim=Claim(1.0, 0.1)).word != "consistent"


def test_ranges_of_whole_numbers_are_as_python_has_them():
    for arguments in [(5,), (2, 9), (2, 9, 3), (9, 2, -2), (0, 6, 3)]:
        found = set()

        def drawn(_data, arguments=arguments, found=found):
            found.add(random.randrange(*arguments))
            return 0.0

        audit(drawn, data=Records(1), neighbours="replace-one", effort=1)
        assert found == set(range(*arguments))


def test_names_of_a_module_of_a_module_are_heard(tmp_path, monkeypatch):
    """A third module took its function by name before anybody listened."""
    (tmp_path / "third_of_three.py").write_text(
        "from random import gauss\nclass Noise:\n    def one(self): return gauss(0, 1)\n"
    )
    (tmp_path / "second_of_three.py").write_text("from third_of_three import Noise\nNOISE = Noise()\n")
    (tmp_path / "first_of_three.py").write_text(
        "import second_of_three\ndef total(values): return sum(values) + second_of_three.NOISE.one()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    try:
        module = importlib.import_module("first_of_three")
        verdict = audit(module.total, data=Records(2), neighbours="replace-one", claim=Claim(rho=0.5))
        assert verdict.word == "consistent", str(verdict)
    finally:
        for name in ("first", "second", "third"):
            sys.modules.pop(f"{name}_of_three", None)


def test_a_module_that_names_scipys_laws_is_known(tmp_path):
    """They are imported before the function runs: what it imported itself would draw unheard."""
    (tmp_path / "a.py").write_text("import scipy\ndef f(x): return x + scipy.stats.laplace.rvs()\n")
    (tmp_path / "b.py").write_text("import numpy\n")
    assert _names_stats(str(tmp_path / "a.py"))
    assert not _names_stats(str(tmp_path / "b.py"))
    assert not _names_stats(None)


class Copied:
    """Has a sampler as diffprivlib has it."""

    @staticmethod
    def _laplace_sampler(unif1, unif2, unif3, unif4):
        return np.log(1 - unif1) * np.cos(np.pi * unif2) + np.log(1 - unif3) * np.cos(np.pi * unif4)


class Halved:
    """Has one of half the scale."""

    @staticmethod
    def _laplace_sampler(unif1, unif2, unif3, unif4):
        return Copied._laplace_sampler(unif1, unif2, unif3, unif4) / 2


@pytest.mark.parametrize(("sampler", "word"), [(Copied, "consistent"), (Halved, "violated")])
def test_a_copied_sampler_of_four_draws_is_heard(sampler, word):
    def total(data):
        return sum(data) - sampler._laplace_sampler(*(random.random() for _ in range(4)))

    assert audit(total, data=Records(2), neighbours="replace-one").word == word


def folded(part):
    """Return diffprivlib's folded geometric mechanism on a count, with a part of its noise."""

    def count(data, epsilon):
        rate = epsilon / part
        draw = (np.random.random() - 0.5) * (1 + np.exp(-rate))
        sign = -1 if draw < 0 else 1
        noisy = int(np.round(sum(v > 0.5 for v in data) + sign * np.floor(np.log(sign * draw) / -rate)))
        while not 0 <= noisy <= 2:
            noisy = -noisy if noisy < 0 else 4 - noisy
        return noisy

    return count


@pytest.mark.parametrize("part", [pytest.param(1.0, marks=pytest.mark.slow), 0.5])
def test_rounding_lets_no_whole_number_out(part):
    """What is folded tells no number before it, so that a number let out by rounding could not be judged."""
    ratio = math.exp(-1 / part)
    chances = {k: ratio ** abs(k) * (1 - ratio) / (1 + ratio) for k in range(-200, 201)}
    ends = [{0: (0,), 1: (1, 3), 2: (2,)}[k] for k in range(3)]
    told = [[sum(p for k, p in chances.items() if (c + k) % 4 in e) for e in ends] for c in range(3)]
    by_hand = max(math.log(told[a][k] / told[b][k]) for a, b in ((0, 1), (1, 0), (1, 2), (2, 1)) for k in range(3))
    verdict = audit(folded(part), data=Records(2), neighbours="replace-one")
    assert verdict.word == ("consistent" if part == 1.0 else "violated"), str(verdict)
    assert verdict.loss == pytest.approx(by_hand, abs=1e-6)


def test_a_half_is_rounded_by_what_it_is_added_to():
    """NumPy rounds 0.5 and 1.5 to even numbers, so that two whole numbers lead to one: none is kept hidden."""
    path = Path()
    path.keeps_rounded_hidden = True
    draw = path.draw(Law("poisson", params=(2.0,)))
    assert path.rounded_down(Affine(3.0, {draw: 1.0}), 1.0, 0.5).terms == {draw: 1.0}
    assert path.rounded_down(Affine(3.5, {draw: 1.0}), 1.0, 0.0) == Affine(3.0, {draw: 1.0})
    assert path.rounded_down(Affine(3.5, {draw: 1.0}), 1.0, 0.5).terms == {}


def _inverse(v):
    return math.exp(v) if v > 0 else 1 / math.exp(v)


def _root(v):
    return math.sqrt(v) if v > 0 else math.sqrt(-1.0 * float(v))


def _by_coin(v):
    return math.exp(v) if random.random() < 0.5 else 1 / math.exp(v)


def _or_else(v):
    """Return noise of no record in half of all runs, whose tail is longer than that of the rest."""
    return float(v) / 2 if random.random() < 0.5 else np.random.laplace(0, 0.9)


def _thrown_away(v):
    """Read a number on one branch that the result does not tell."""
    if v > 0:
        return math.exp(v)
    return 1 / math.exp(v) if math.exp(np.random.laplace()) > 0 else 0.0


# A number and its opposite lead to one result, each on a branch of its own; it is as likely on both inputs.
TWO_WAYS = {
    "inverse": _inverse,
    "in a list": lambda v: [_inverse(v), "sign"],
    "after float": lambda v: _inverse(float(v)),
    "root": _root,
    "by a coin": _by_coin,
    "or else": _or_else,
    "thrown away": _thrown_away,
}
# Branches whose results lie apart: these lose what the number loses.
APART = {
    "sign": lambda v: math.exp(v) if v > 0 else -1 / math.exp(v),
    "place": lambda v: [math.exp(v), 0.0] if v > 0 else [0.0, 1 / math.exp(v)],
    "name": lambda v: ("up", math.exp(v)) if v > 0 else ("down", 1 / math.exp(v)),
    "cut": lambda v: math.exp(v) if v > 0 else 1.0,
}


# The dear ones differ from "in a list" and "by a coin" in how a branch is left.
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n in ("or else", "thrown away") else n for n in TWO_WAYS],
)
def test_a_result_of_two_branches_is_no_violation(name):
    verdict = of_one(TWO_WAYS[name], effort=2)
    assert verdict.word in ("refused", "consistent"), str(verdict)


@pytest.mark.parametrize("name", APART)
def test_a_result_of_one_branch_is_proved(name):
    verdict = of_one(APART[name], effort=2)
    assert verdict.word == "violated", str(verdict)
    assert verdict.loss == pytest.approx(LOSES)


# A text without its sign is as likely on both inputs; one with it tells the number.
UNSIGNED = {
    "text": lambda v: str(float(v)).lstrip("-"),
    "two digits": lambda v: f"{v:.2f}".lstrip("-"),
    "JSON": lambda v: json.dumps({"v": float(v)}).replace("-", ""),
    "bytes": lambda v: bytes(str(float(v)).lstrip("-"), "ascii"),
    "hexadecimal": lambda v: float(v).hex().lstrip("-"),
    "letters": lambda v: "".join(chr(65 + int(c)) for c in str(float(v)) if c.isdigit()),
}
SIGNED = {
    "text": lambda v: f"mean = {float(v)}",
    "two digits": lambda v: f"{v:.2f}",
    "JSON": lambda v: json.dumps({"v": float(v)}),
    "hexadecimal": lambda v: float(v).hex(),
}


@pytest.mark.parametrize("name", UNSIGNED)
def test_a_text_tells_a_number_by_the_numbers_in_it(name):
    verdict = of_one(UNSIGNED[name], effort=2)
    assert verdict.word in ("refused", "consistent"), str(verdict)


@pytest.mark.parametrize("name", SIGNED)
def test_a_text_with_a_number_is_proved(name):
    verdict = of_one(SIGNED[name], effort=2)
    assert (verdict.word, verdict.loss) == ("violated", pytest.approx(LOSES)), str(verdict)


@pytest.mark.slow
def test_a_delta_of_branches_that_are_read_is_no_violation():
    """Held at a number that no path has, the search had no path to look at, and ended by an error."""
    claim = Claim(0.5, 1e-6)
    verdict = of_one(_inverse, claim=claim)
    assert verdict.word == "refused", str(verdict)


@pytest.mark.parametrize("blind", ["data_search", "data_check"])
def test_search_and_checker_each_look_at_branches(blind, monkeypatch):
    monkeypatch.setattr(f"noisetap.{blind}.alternative_line", lambda *_: None)
    verdict = of_one(_inverse, effort=2)
    assert verdict.word == "refused", str(verdict)
    monkeypatch.setattr("noisetap.data_search.alternative_line", lambda *_: None)
    monkeypatch.setattr("noisetap.data_check.alternative_line", lambda *_: None)
    verdict = of_one(_inverse, effort=2)
    assert verdict.word == "violated", str(verdict)
