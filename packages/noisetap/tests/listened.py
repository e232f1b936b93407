"""Small programs of private decisions, sound ones and faulty ones, as somebody else would write them."""

from __future__ import annotations

import math
import random

import numpy as np
from numpy.random import default_rng, laplace

rng = default_rng()


class Batches:
    """Successive elimination in batches that double; each batch's sum is let out once."""

    def __init__(self, arms=2, epsilon=1.0, first=3):
        self.epsilon, self.size = epsilon, first
        self.active = list(range(arms))
        self.estimates = np.full(arms, 2.0)
        self.start()

    def start(self):
        self.at, self.count, self.sum = 0, 0, 0.0

    def choose(self):
        return self.active[self.at]

    def noisy(self, total):
        return total + np.random.laplace(0, 1 / self.epsilon)

    def update(self, arm, reward):
        self.sum += reward
        self.count += 1
        if self.count == self.size:
            self.estimates[arm] = self.noisy(self.sum) / self.size
            self.count, self.sum = 0, 0.0
            self.at += 1
            if self.at == len(self.active):
                self.at = 0
                self.eliminate()
                self.size *= 2

    def eliminate(self):
        top = max(self.estimates[a] for a in self.active)
        self.active = [a for a in self.active if top - self.estimates[a] < 0.3 + 2 / self.size]


class HalfNoise(Batches):
    def noisy(self, total):
        return total + np.random.laplace(0, 0.5 / self.epsilon)


class LocationForScale(Batches):
    """The scale stands where the location is."""

    def noisy(self, total):
        return total + np.random.laplace(1 / self.epsilon)


class ByName(Batches):
    def noisy(self, total):
        return total + laplace(scale=1 / self.epsilon)


class GlobalGenerator(Batches):
    def noisy(self, total):
        return rng.laplace(0, 1 / self.epsilon) + total


class Stretched(Batches):
    def noisy(self, total):
        return total - np.random.laplace() / self.epsilon


class Direct(Batches):
    """The sum is the location."""

    def noisy(self, total):
        return np.random.laplace(total, 1 / self.epsilon)


class Unused(Batches):
    """A release with hardly any noise that nobody reads."""

    def noisy(self, total):
        self.log = total + np.random.laplace(0, 0.01)
        return super().noisy(total)


class TieByRaw(Batches):
    def eliminate(self):
        best = max(self.active, key=lambda a: (round(self.estimates[a] / 3), self.raw[a]))
        self.active = [best]

    def update(self, arm, reward):
        self.raw = getattr(self, "raw", {0: 0.0, 1: 0.0})
        self.raw[arm] += reward
        super().update(arm, reward)


class CloseByRaw(TieByRaw):
    def eliminate(self):
        a, b = (self.estimates[i] for i in self.active[:2]) if len(self.active) > 1 else (0, 9)
        if abs(a - b) < 1.5:
            self.active = [max(self.active, key=lambda i: self.raw[i])]


class GrowsByRaw(Batches):
    def update(self, arm, reward):
        self.earned = getattr(self, "earned", 0.0) + reward
        if self.count + 1 == self.size and self.earned > 2:
            self.earned = 0.0
            self.size += 1
        super().update(arm, reward)


class ScaleByData(Batches):
    def noisy(self, total):
        less = 0.9 if total == self.size else 1.0
        return total + np.random.laplace(0, less / self.epsilon)


class Twice(Batches):
    """The same sum is let out again if the first looks hopeless."""

    def noisy(self, total):
        first = super().noisy(total)
        return first if first > 1 else 0.5 * (first + super().noisy(total))


class RoundsTowardsRaw(Batches):
    def noisy(self, total):
        out = super().noisy(total)
        return math.ceil(out) if out < total else math.floor(out)


class FirstWithoutNoise(Batches):
    def noisy(self, total):
        return total if self.size == 3 else super().noisy(total)


class EndsRaw(Batches):
    def eliminate(self):
        if self.size > 3:
            self.active = [0 if self.last > 3 else self.active[-1]]
        else:
            super().eliminate()

    def noisy(self, total):
        self.last = total
        return super().noisy(total)


class RawBonus(Batches):
    """Alternations of raw rewards widen the interval."""

    def update(self, arm, reward):
        self.turns = getattr(self, "turns", 0) + (reward != getattr(self, "before", 0))
        self.before = reward
        super().update(arm, reward)

    def eliminate(self):
        top = max(self.estimates[a] for a in self.active)
        self.active = [a for a in self.active if top - self.estimates[a] <= 0.1 * self.turns]


class SharedNoise(Batches):
    """One draw for two arms: it cancels."""

    def noisy(self, total):
        if self.at == 0 or not hasattr(self, "draw"):
            self.draw = np.random.laplace(0, 1 / self.epsilon)
        return total + self.draw


class SameSeed(Batches):
    def noisy(self, total):
        np.random.seed(1)
        return super().noisy(total)


class CleanSometimes(Batches):
    """With a coin, look at raw sums."""

    def noisy(self, total):
        return total if np.random.random() < 0.2 else super().noisy(total)


class Cut(Batches):
    def noisy(self, total):
        return total + np.clip(np.random.laplace(0, 1 / self.epsilon), -3, 3)


class ByHand(Batches):
    """Laplace noise from a uniform draw."""

    def noisy(self, total):
        u = np.random.rand() - 0.5
        return total - np.sign(u) * np.log(1 - 2 * abs(u)) / self.epsilon


class Standard(Batches):
    """Noise from another library's generator."""

    def noisy(self, total):
        return total + random.expovariate(1.0) - random.expovariate(1.0)


class OwnRandom(Batches):
    def __init__(self):
        super().__init__()
        self.random = random.Random(3)

    def noisy(self, total):
        return total + self.random.gauss(0, 1)


class TwoNoises(Batches):
    def noisy(self, total):
        return total + (np.random.laplace(0, 1) + np.random.laplace(0, 1))


class Stored(Batches):
    """Noise goes into an array of numbers first."""

    def noisy(self, total):
        pad = np.zeros(1)
        pad[0] = np.random.laplace(0, 1 / self.epsilon)
        return total + pad[0]


class Remembers(Batches):
    """The class keeps a memory of the run before."""

    seen = 0

    def choose(self):
        Remembers.seen += 1
        return super().choose() if Remembers.seen % 7 else 0


class Explores(Batches):
    """Coins say when to look elsewhere, and where."""

    def choose(self):
        self.aside = np.random.random() < 0.2
        return int(np.random.randint(2)) if self.aside else super().choose()

    def update(self, arm, reward):
        if not self.aside:
            super().update(arm, reward)


class Schedule(Batches):
    """Lengths are drawn, and depend on no data."""

    def eliminate(self):
        super().eliminate()
        self.size += rng.integers(0, 3)


class Thins(Batches):
    """A coin for each reward 1 says whether it counts."""

    def update(self, arm, reward):
        super().update(arm, reward if reward < 0.5 or np.random.random() < 0.5 else 0.0)


class Throws(Batches):
    """As many coins as rewards are thrown away before a release."""

    def noisy(self, total):
        for _ in range(int(total)):
            np.random.random()
        return super().noisy(total)


class Tree:
    """Means by a binary tree of noisy sums; the larger plus bonus is played."""

    def __init__(self, epsilon=1.0, levels=5, arms=2):
        self.scale, self.levels, self.arms = levels / epsilon, levels, arms
        self.time = [0] * arms
        self.exact = [[0.0] * 7 for _ in range(arms)]
        self.noisy = [[0.0] * 7 for _ in range(arms)]

    def choose(self):
        if 0 in self.time:
            return self.time.index(0)
        t = sum(self.time)
        return int(
            np.argmax([self.total(a) / self.time[a] + math.sqrt(math.log(t) / self.time[a]) for a in range(2)])
        )

    def total(self, arm):
        return sum(n for i, n in enumerate(self.noisy[arm]) if self.time[arm] >> i & 1)

    def update(self, arm, reward):
        self.time[arm] += 1
        low = (self.time[arm] & -self.time[arm]).bit_length() - 1
        self.exact[arm][low] = sum(self.exact[arm][:low]) + reward
        for i in range(low):
            self.exact[arm][i] = self.noisy[arm][i] = 0.0
        self.noisy[arm][low] = self.exact[arm][low] + np.random.laplace(0, self.scale)


class ShortTree(Tree):
    """The budget is split by ln T, and there are log2 T levels."""

    def __init__(self):
        super().__init__(levels=math.log(31))


class Hybrid(Tree):
    """Half the budget for powers of two, half for a tree between them."""

    def __init__(self):
        super().__init__(epsilon=0.5, levels=5)
        self.base = [0.0, 0.0]
        self.since = [0.0, 0.0]
        self.pulls = [0, 0]

    def total(self, arm):
        return self.base[arm] + super().total(arm)

    def choose(self):
        if 0 in self.pulls:
            return self.pulls.index(0)
        return int(np.argmax([self.total(a) / self.pulls[a] + 1 / math.sqrt(self.pulls[a]) for a in range(2)]))

    def update(self, arm, reward):
        self.pulls[arm] += 1
        self.since[arm] += reward
        if self.pulls[arm] & (self.pulls[arm] - 1) == 0:
            self.base[arm] += self.since[arm] + np.random.laplace(0, 2.0)
            self.since[arm], self.time[arm] = 0.0, 0
            self.exact[arm], self.noisy[arm] = [0.0] * 7, [0.0] * 7
        else:
            super().update(arm, reward)


class Local:
    """Each reward is noised by itself, and cut after that."""

    def __init__(self, scale=1.0):
        self.scale, self.sums, self.counts = scale, np.zeros(2), np.zeros(2)

    def report(self, reward):
        return float(np.clip(reward + rng.laplace(0, self.scale), 0, 1))

    def choose(self):
        if (self.counts == 0).any():
            return int(np.argmin(self.counts))
        return int(np.argmax(self.sums / self.counts + 1 / np.sqrt(self.counts)))

    def update(self, arm, reward):
        self.sums[arm] += self.report(reward)
        self.counts[arm] += 1


class LocalTooMuch(Local):
    def __init__(self):
        super().__init__(0.6)


class Bits(Local):
    """A bit whose chance depends on the reward, by a uniform draw."""

    def __init__(self, epsilon=1.0):
        super().__init__()
        self.epsilon = epsilon

    def report(self, reward):
        e = math.exp(self.epsilon)
        return float(np.random.random() < (reward * (e - 1) + 1) / (e + 1))


class BinomialBits(Bits):
    def report(self, reward):
        e = math.exp(self.epsilon)
        return float(np.random.binomial(1, (reward * (e - 1) + 1) / (e + 1)) > 0)


class BitsTooSure(Bits):
    def __init__(self):
        super().__init__(1.4)


class BinomialTooSure(BinomialBits):
    def __init__(self):
        super().__init__(1.4)


class ResponseOfNumbers(Local):
    """A coin says whether to tell the truth: of a number that is no bit, both answers say what it was."""

    def report(self, reward):
        return reward if np.random.random() < math.e / (1 + math.e) else 1 - reward


class Response(ResponseOfNumbers):
    """Randomised response of a bit."""

    def report(self, reward):
        return super().report(float(reward >= 0.5))


class TwoCoins:
    """The first reward says what is played, unless two rare coins together say the opposite."""

    def __init__(self):
        self.played = 0

    def choose(self):
        return self.played

    def update(self, arm, reward):
        first, second = np.random.random() < 0.1, np.random.random() < 0.1
        self.played = int((reward >= 0.5) ^ (first and second))


class Softmax(Batches):
    """A choice by weights that were let out: post-processing."""

    def choose(self):
        e = np.exp(np.clip(self.estimates, -5, 5))
        return int(np.random.choice(2, p=e / e.sum()))

    def update(self, arm, reward):
        self.at = 0
        super().update(arm, reward)

    def eliminate(self):
        pass


class Exponential:
    """The exponential mechanism by np.random.choice, once after ten rounds."""

    def __init__(self, epsilon=1.0):
        self.epsilon, self.sums, self.t, self.best = epsilon, np.zeros(2), 0, 0

    def choose(self):
        return self.t % 2 if self.t < 10 else self.best

    def update(self, arm, reward):
        self.t += 1
        if self.t <= 10:
            self.sums[arm] += reward
        if self.t == 10:
            w = np.exp(self.epsilon * self.sums / 2)
            self.best = int(np.random.choice(2, p=w / w.sum()))


class ExponentialTooSure(Exponential):
    def __init__(self):
        super().__init__(2.5)


class Selects:
    """After eight rounds of all arms' rewards, the noisy maximum is played for ever."""

    kind, scale = "laplace", 2.0

    def __init__(self):
        self.sums, self.t, self.best = np.zeros(3), 0, 0

    def choose(self):
        return self.best

    def update(self, arm, rewards):
        self.t += 1
        self.sums += rewards
        if self.t == 8:
            self.best = self.pick()

    def pick(self):
        return int(np.argmax(self.sums + getattr(np.random, self.kind)(scale=self.scale, size=3)))


class SelectsGumbel(Selects):
    kind = "gumbel"


class SelectsExponential(Selects):
    """Report-noisy-max with exponential noise: permute-and-flip."""

    kind = "exponential"


class SelectsHalf(Selects):
    scale = 0.4


class SelectsGumbelHalf(Selects):
    kind, scale = "gumbel", 0.5


class SelectsOneDraw(Selects):
    """One draw for the whole vector."""

    def pick(self):
        return int(np.argmax(self.sums + np.random.laplace(scale=2.0)))


class SelectsByLargest(Selects):
    """Less noise once an arm has earned much."""

    def pick(self):
        return int(np.argmax(self.sums + np.random.laplace(scale=2.0 if self.sums.max() < 4 else 0.3, size=3)))


class SelectsWithGap(Selects):
    """Report-noisy-max with its free gap."""

    def pick(self):
        noisy = np.sort(self.sums + np.random.laplace(scale=2.0, size=3))
        self.best = int(noisy[-1] - noisy[-2] > 3)
        return self.best


class Vector(Selects):
    """Three sums let out together."""

    scale = 3.0

    def pick(self):
        return int(sum(self.sums + np.random.laplace(scale=self.scale, size=3)) > 9) + int(
            (self.sums + 0.0).size > 9
        )


class VectorTooLittle(Vector):
    scale = 1.0

    def pick(self):
        noisy = [s + np.random.laplace(scale=self.scale) for s in self.sums]
        return int(noisy[0] > 4) + 2 * int(noisy[1] > 4) + 4 * int(noisy[2] > 4)


class Sparse:
    """Above threshold: is the sum so far above? Asked in each round after the first, until it says yes."""

    threshold_scale, query_scale, stops = 2.0, 4.0, True

    def __init__(self):
        self.good = self.bad = 0.0
        self.t = self.said = 0
        self.bar = 1.5 + np.random.laplace(0, self.threshold_scale)
        self.done = False

    def choose(self):
        return self.said

    def update(self, arm, reward):
        self.t += 1
        if self.t <= 2:
            self.good += reward
            self.bad += 1 - reward
        elif not self.done and self.t <= 14:
            query = self.good if self.t % 2 else self.bad
            noise = np.random.laplace(0, self.query_scale) if self.query_scale else 0.0
            self.said = int(query + noise >= self.bar)
            self.done = self.stops and bool(self.said)


class SparseWithoutQueryNoise(Sparse):
    """Variant 5 of Lyu, Su and Li (2017): no noise on queries, no end."""

    query_scale, stops = 0.0, False


class SparseWithoutEnd(Sparse):
    """Variant 6 of Lyu, Su and Li (2017): it answers for ever."""

    query_scale, threshold_scale, stops = 2.0, 2.0, False


class SparseTellsNumber(Sparse):
    """Variant 3: the noisy answer itself is let out, against the same threshold noise."""

    def update(self, arm, reward):
        self.t += 1
        if self.t <= 2:
            self.good += reward
        elif self.t <= 14:
            noisy = self.good + np.random.laplace(0, 2.0)
            self.said = int(np.clip(round(noisy), 0, 5)) if noisy >= self.bar else 0


class NoisyThreshold(Sparse):
    """One raw sum against a noisy threshold: sound, the noise lies on the other side."""

    threshold_scale, query_scale = 1.0, 0.0

    def update(self, arm, reward):
        self.t += 1
        self.good += reward
        if self.t == 5:
            self.said = int(self.good > self.bar)


class Gauss(Batches):
    """Normal noise, for (1, 0.01)."""

    sigma = 2.2

    def noisy(self, total):
        return total + np.random.normal(0, self.sigma)


class GaussTooLittle(Gauss):
    sigma = 0.5


class Nothing(Batches):
    def noisy(self, total):
        return total


class RawStop(Batches):
    def choose(self):
        return 1 if getattr(self, "all", 0) > 9 else super().choose()

    def update(self, arm, reward):
        self.all = getattr(self, "all", 0.0) + reward
        super().update(arm, reward)


class LateClip(Batches):
    """Rewards lie in [0, 2]; the sum is cut after the noise, not each reward before it."""

    def noisy(self, total):
        return float(np.clip(super().noisy(total), 0, self.size))

    def eliminate(self):
        top = max(self.estimates[a] for a in self.active)
        self.active = [a for a in self.active if top - self.estimates[a] < 0.4]


class Differences(Batches):
    """Differences of successive rewards enter: each reward enters twice."""

    def update(self, arm, reward):
        change = abs(reward - getattr(self, "before", 0.0)) + reward
        self.before = reward
        super().update(arm, change)


class Rejects(Batches):
    """Noise at twice the scale, drawn until the sum is possible: sound, and what is rejected stays hidden."""

    def noisy(self, total):
        out = total + np.random.laplace(0, 2 / self.epsilon)
        while not -1 <= out <= self.size + 1:
            out = total + np.random.laplace(0, 2 / self.epsilon)
        return out


class Sorted:
    """Both sums are let out at once, in the order of their raw values; nobody sees the order."""

    def __init__(self):
        self.sums, self.t, self.best = np.zeros(2), 0, 0

    def choose(self):
        return self.t % 2 if self.t < 8 else self.best

    def update(self, arm, reward):
        self.t += 1
        if self.t <= 8:
            self.sums[arm] += reward
        if self.t == 8:
            noisy = {a: self.sums[a] + np.random.laplace() for a in sorted((0, 1), key=lambda a: self.sums[a])}
            self.best = max(noisy, key=noisy.get)


class AddsUp(Batches):
    """Each reward carries a share of the noise; only the sum is read."""

    def update(self, arm, reward):
        super().update(arm, reward + np.random.normal(0, 3.0))

    def noisy(self, total):
        return total + np.random.normal(0, 3.0)


class Pad(Local):
    """A one-time pad: the report is a fair coin, whatever the reward."""

    def report(self, reward):
        return float((reward > 0.5) ^ (np.random.random() < 0.5))


class ReusedStart(Local):
    """Four first rewards of an arm are kept, and each of its episodes starts from them again."""

    def __init__(self):
        self.first, self.kept, self.size = np.zeros(2), np.zeros(2), np.ones(2, int)
        self.estimates, self.t, self.arm, self.left = np.zeros(2), 0, 0, 0

    def choose(self):
        if self.t < 8:
            return self.t % 2
        if self.left == 0:
            self.arm, self.sum = int(np.argmax(self.estimates + 1 / self.size)), 0.0
            self.left = int(self.size[self.arm])
        return self.arm

    def update(self, arm, reward):
        self.t += 1
        if self.t <= 8:
            self.kept[arm] += reward
            return
        self.sum += reward
        self.left -= 1
        if self.left == 0:
            total = self.kept[arm] + self.sum + np.random.laplace(0, 1.0)
            self.estimates[arm] = np.clip(total / (4 + self.size[arm]), 0, 1)
            self.size[arm] *= 2


class OneDrawForAll(Local):
    """All sums are let out together, with one draw of noise."""

    def __init__(self):
        self.sums, self.t, self.best = np.zeros(2), 0, 0

    def choose(self):
        return self.t % 2 if self.t < 10 else self.best

    def update(self, arm, reward):
        self.t += 1
        if self.t <= 10:
            self.sums[arm] += reward
        if self.t == 10:
            noisy = self.sums + np.random.laplace(0, 1.0)
            self.best = int(noisy[0] - noisy[1] < 0.5)
