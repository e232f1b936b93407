"""What is heard, what is refused, and that NumPy is left as it was."""

import math
import random
import subprocess
import sys
import zlib
from contextlib import nullcontext
from random import choices

import heap
import listened
import numpy as np
import pytest

from noisetap import Records, Rewards, assert_consistent, audit, load
from noisetap.check import check
from noisetap.cli import main
from noisetap.laws import Law
from noisetap.stand_ins import listening
from noisetap.tape import Refused, Tape


def test_a_draw_is_that_of_its_seed_place_and_number():
    """Whatever was drawn before, and whether it was drawn before."""

    def drawn(seed, fresh=None):
        tape = Tape(seed, redraws=fresh)
        for law in (Law("laplace"), Law("integer", 0.0, 3.0)):
            for _ in range(2):
                # Two of 32 bits are halves of one of 64, whose second half a generator keeps for later.
                yield tape.draw(law, lambda g: (g.integers(3, dtype=np.uint32), g.laplace()))

    first = [draw.key for draw in drawn(3)]
    for seed, fresh in ((3, 0), (3, 0), (4, 0), (2**40, 0), (3, 1), (3, 0)):
        for draw in drawn(seed, dict.fromkeys(first, fresh)):
            words = [seed, zlib.crc32(draw.key[0].encode()), draw.key[1], fresh]
            alone = np.random.Generator(np.random.PCG64(words))
            assert draw.value == (alone.integers(3, dtype=np.uint32), alone.laplace())


def heard(expression, **names):
    tape = Tape(3)
    with listening(tape):
        value = eval(expression, {"np": np, **names})
    return tape, value


@pytest.mark.parametrize(
    "expression",
    [
        "x + np.random.laplace(0, 2.0)",
        "np.random.laplace(0, 2.0) + x",
        "x - np.random.laplace(0, 2.0)",
        "np.add(x, np.random.laplace(scale=2.0))",
        "x + 2 * np.random.default_rng().laplace()",
        "np.float64(x) + np.random.RandomState(5).laplace(0, 4.0) / 2",
        "np.array([x, x])[0] + np.random.laplace(0, 2.0, size=1)[0]",
        "(np.array([x, x]) + np.random.laplace(0, 2.0, size=2))[0]",
        "sum([x / 2, x / 2]) + np.random.laplace(0, 2.0)",
    ],
)
def test_an_addition_is_heard(expression):
    tape, value = heard(expression, x=5.0)
    draw = next(iter(tape.draws.values()))
    assert draw.role == "out"
    assert (draw.output_law.location, abs(draw.output_law.scale)) == (5.0, 2.0)
    assert value == draw.output


def test_an_output_is_forced():
    first, _ = heard("x + np.random.laplace(0, 2.0)", x=5.0)
    plan = dict.fromkeys(first.draws, ("out", 7.25))
    tape = Tape(3, plan)
    with listening(tape):
        value = eval("x + np.random.laplace(0, 2.0)", {"np": np, "x": 1.0})
    assert value == 7.25


@pytest.mark.parametrize(
    "expression",
    [
        "np.exp(np.random.normal())",
        "np.random.normal() + np.random.normal()",
        "np.clip(np.random.laplace(), -1, 1)",
        "np.random.gamma(2.0)",
        "np.random.geometric(0.5)",
        "np.random.laplace(size=3).sum()",
        "np.array(np.random.laplace(size=3))",
        "abs(np.random.laplace())",
        "random.gauss(0, 1)",
        "random.Random(1).random()",
        "subprocess.Popen(['true'])",
        "np.random.default_rng().bit_generator",
    ],
)
def test_what_is_not_heard_is_refused_with_its_line(expression):
    with pytest.raises(Refused, match=r"<string>:1|\(\w+"):
        heard(expression, random=random, subprocess=subprocess)


def test_numpy_is_left_as_it_was():
    before = dict(vars(np.random)), dict(vars(random)), dict(vars(random.Random))
    with pytest.raises(Refused):
        heard("np.random.gamma(2.0)")
    assert (dict(vars(np.random)), dict(vars(random)), dict(vars(random.Random))) == before


OLD = np.random.default_rng(5)


@pytest.mark.parametrize("whose", ["young", "old", "frozen"])
def test_a_generator_that_escaped_is_noticed(whose):
    """That of a process which froze its objects, as those that fork do, is in no list of objects."""
    hidden = [OLD if whose == "old" else np.random.default_rng(5)]

    class Escapes(listened.Batches):
        def noisy(self, total):
            return total + hidden[0].laplace()

    with heap.unknown() if whose == "frozen" else nullcontext():
        verdict = audit(Escapes, rewards=Rewards(20, 2))
    assert verdict.word == "refused"
    assert "generator" in verdict.why


def test_a_verdict_is_a_function_of_its_seed():
    one, two = (audit(listened.ShortTree, rewards=Rewards(30, 2), seed=4) for _ in range(2))
    assert (one.why, one.line, one.certificate) == (two.why, two.line, two.certificate)


def test_the_helper_fails_a_test():
    assert_consistent(listened.Batches, rewards=Rewards(20, 2), effort=1)
    with pytest.raises(AssertionError, match="violated at"):
        assert_consistent(listened.HalfNoise, rewards=Rewards(20, 2))


def test_a_function_of_pull_is_a_program():
    def play(pull):
        total = sum(pull(t % 2) for t in range(10))
        best = int(total + np.random.laplace(0, 0.5) > 5)
        while True:
            pull(best)

    def plays(pull=None):  # noqa: ARG001
        return play

    class Plays:
        def __init__(self, pull=None):
            self.t, self.total, self.best = 0, 0.0, 0

        def choose(self):
            return self.t % 2 if self.t < 10 else self.best

        def update(self, arm, reward):
            self.t, self.total = self.t + 1, self.total + reward * (self.t < 10)
            if self.t == 10:
                self.best = int(self.total + np.random.laplace(0, 0.5) > 5)

    # A maker may have a parameter of this name.
    for program in (lambda: play, play, plays, Plays):
        verdict = audit(program, rewards=Rewards(14, 2))
        assert (verdict.word, verdict.loss) == ("violated", pytest.approx(2.0))
        assert check(verdict.certificate, program)


def test_the_command_says_the_line_and_writes_a_certificate(tmp_path, capsys):
    program = tmp_path / "mine.py"
    program.write_text(
        "import numpy as np\n"
        "rng = np.random.default_rng(7)\n"
        "class Mine:\n"
        "    def __init__(self): self.t, self.sum, self.best = 0, 0.0, 0\n"
        "    def choose(self): return self.best\n"
        "    def update(self, arm, reward):\n"
        "        self.t += 1; self.sum += reward\n"
        "        if self.t == 8: self.best = int(self.sum + rng.laplace(0, 0.5) > 4)\n"
    )
    witness = tmp_path / "witness.json"
    assert main([f"{program}:Mine", "--rounds", "12", "--save", str(witness)]) == 1
    assert "violated at mine.py:8" in capsys.readouterr().out
    assert main([f"{program}:Mine", "--check", str(witness)]) == 1
    assert main([f"{program}:Mine", "--rounds", "12", "--epsilon", "2"]) == 0


def test_it_stands_on_numpy_alone():
    code = "import sys, noisetap; print([m for m in ('scipy', 'numba', 'dpbandits', 'pandas') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


@pytest.mark.parametrize(
    "how", ["laplace(0, 1)", "rng.laplace()", "held.state.laplace()", "TABLE['l']()", "drawn()"]
)
def test_generators_that_a_file_took_while_it_was_loaded_are_heard_in_both_kinds(tmp_path, how):
    file = tmp_path / "taken.py"
    file.write_text(f"""import numpy as np
from numpy.random import geometric, laplace
rng, TABLE = np.random.default_rng(3), {{"l": np.random.laplace}}
class Held:
    def __init__(self): self.state = np.random.RandomState(2)
held = Held()
def drawn(draw=np.random.laplace): return draw()
def function(data): return sum(data) + {how}
def whole(data): return sum(v > 0.5 for v in data) + geometric(0.3)
class Policy:
    def __init__(self): self.sum, self.t, self.best = 0.0, 0, 0
    def choose(self): return self.best
    def update(self, arm, reward):
        self.t, self.sum = self.t + 1, self.sum + reward
        if self.t == 10: self.best = int(self.sum + {how} > 5)
""")
    module = load(str(file))
    verdict = audit(module.function, data=Records(3), neighbours="add-remove")
    assert (verdict.word, verdict.loss) == ("consistent", pytest.approx(1.0)), str(verdict)
    assert audit(module.function, data=Records(3), neighbours="add-remove", claim=0.9).word == "violated"
    # A geometric number is at least 1, so that one value tells the count.
    assert audit(module.whole, data=Records(3), neighbours="add-remove").word == "violated"
    assert audit(module.Policy, rewards=Rewards(20, 2), claim=0.9, effort=4).word == "violated"
    assert audit(module.Policy, rewards=Rewards(20, 2), effort=4).word == "consistent"


class ByWeights:
    """Choose by weights that grow with rewards: a private choice for small rates."""

    rate, hidden = 0.1, True

    def __init__(self):
        self.weights, self.chosen = [1.0, 1.0], 0

    def choose(self):
        draw = choices if self.hidden else random.choices
        self.chosen = draw(range(2), self.weights)[0]
        return self.chosen

    def update(self, arm, reward):
        self.weights[arm] *= math.exp(self.rate * reward)


class ByName(ByWeights):
    hidden = False


class TooFast(ByWeights):
    rate = 1.0


class Explores:
    """Explore by Python's coins, and decide once by a noisy maximum of sums."""

    def __init__(self):
        self.sums, self.t, self.best = [0.0, 0.0], 0, 0

    def choose(self):
        if self.t < 10 or random.random() < 0.2:
            return random.choice([0, 1])
        return self.best

    def update(self, arm, reward):
        self.t += 1
        if self.t <= 10:
            self.sums[arm] += reward
        if self.t == 10:
            noisy = [s + random.expovariate(1.0) for s in self.sums]
            self.best = noisy.index(max(noisy))


def test_python_s_random_is_heard_in_policies():
    before = dict(vars(random))
    short = Rewards(12, 2)
    for policy in (ByWeights, ByName):
        verdict = audit(policy, rewards=short, effort=2)
        # By hand: a reward moves the odds of each of 11 later choices by 0.1, a probability by half of that.
        assert verdict.word == "consistent", str(verdict)
        assert 0.5 < verdict.loss <= 11 * 0.1
    assert audit(TooFast, rewards=short, effort=2).word == "violated"
    later = Rewards(14, 2)
    found = audit(Explores, rewards=later, effort=2)
    # The first table has the whole loss already.
    assert (found.word, found.loss) == ("consistent", pytest.approx(1.0))
    found = audit(Explores, rewards=later, effort=2, claim=0.4)
    assert (found.word, found.loss > 0.45) == ("violated", True), str(found)
    assert dict(vars(random)) == before


def test_a_file_that_is_not_there_leaves_nothing_behind(tmp_path):
    folders, modules = [*sys.path], set(sys.modules)
    with pytest.raises(FileNotFoundError):
        load(str(tmp_path / "missing.py"), stubs={"stub_of_nothing": sys})
    assert (sys.path, set(sys.modules)) == (folders, modules)
