"""Policies of our own, of kinds of a third stranger's set: two dozen sound ones, and a broken twin of each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Pull = Callable[[int], float]
Play = Callable[[Pull], None]


def forever(pull: Pull, arm: int) -> None:
    while True:
        pull(int(arm))


def batches(noise: Callable[[int], float], size: int = 4, keep: bool = False) -> Play:
    """Play batches of both arms in turn; each sum is let out once, and not kept unless it is to be."""

    def play(pull: Pull) -> None:
        seen = [0.0, 0.0]
        while True:
            for arm in (0, 1):
                total = sum(pull(arm) for _ in range(size))
                seen[arm] = (seen[arm] if keep else 0.0) + total
            noisy = [seen[arm] + noise(arm) for arm in (0, 1)]
            for _ in range(2):
                pull(int(noisy[1] > noisy[0]))

    return play


def laplace(scale: float) -> Callable[[int], float]:
    return lambda _: np.random.laplace(0, scale)


def matrix(scale: float) -> Play:
    """Add a matrix of noise to the sums of four batches of both arms."""

    def play(pull: Pull) -> None:
        sums = np.array([[sum(pull(a) for _ in range(2)) for a in (0, 1)] for _ in range(3)])
        noisy = sums + np.random.default_rng().laplace(0.0, scale, size=(3, 2))
        forever(pull, int(np.argmax(noisy.sum(axis=0))))

    return play


def tree(levels: float) -> Play:
    """Let out sums of one arm by a binary tree of three levels, and switch by the last total."""

    def play(pull: Pull) -> None:
        exact, noisy, arm = [0.0] * 3, [0.0] * 3, 0
        for t in range(1, 8):
            reward = pull(arm)
            low = (t & -t).bit_length() - 1
            exact[low] = sum(exact[:low]) + reward
            for i in range(low):
                exact[i] = noisy[i] = 0.0
            noisy[low] = exact[low] + np.random.laplace(scale=levels)
            arm = int(sum(n for i, n in enumerate(noisy) if t >> i & 1) > t / 2)
        forever(pull, arm)

    return play


def local(scale: float, late_clip: bool = True) -> Play:
    """Noise each reward by itself; cut after that, or before it at too wide a range."""

    def play(pull: Pull) -> None:
        sums = np.zeros(2)
        for t in range(8):
            report = pull(t % 2) + np.random.laplace(0, scale)
            sums[t % 2] += np.clip(report, -1, 2) if late_clip else report
        forever(pull, int(np.argmax(np.maximum(np.cumsum(sums), 0.0))))

    return play


def bits(chance: Callable[[float], float]) -> Play:
    """Report a bit by a uniform number below a chance."""

    def play(pull: Pull) -> None:
        ones = [0, 0]
        for t in range(8):
            ones[t % 2] += int(np.random.uniform() < chance(pull(t % 2)))
        forever(pull, int(ones[1] > ones[0]))

    return play


def logistic(epsilon: float) -> Callable[[float], float]:
    e = math.exp(epsilon)
    return lambda reward: (1 + reward * (e - 1)) / (e + 1)


def weights(rate: float) -> Play:
    """Choose by exponential weights of the sums of a batch of each arm."""

    def play(pull: Pull) -> None:
        sums = np.array([sum(pull(a) for _ in range(4)) for a in (0, 1)])
        p = np.exp(rate * (sums - sums.max()))
        forever(pull, int(np.random.choice(2, p=p / p.sum())))

    return play


def gumbel(scale: float, shared: bool = False) -> Play:
    """Choose the larger sum with Gumbel noise, each with its own draw or all with one."""

    def play(pull: Pull) -> None:
        sums = np.array([sum(pull(a) for _ in range(4)) for a in (0, 1)])
        noisy = sums + np.random.gumbel(scale=scale, size=None if shared else 2)
        forever(pull, int(np.argmax(noisy)))

    return play


def schedule(scale: float, by_data: bool = False) -> Play:
    """Play for as many rounds as a coin says; or as the rewards say."""

    def play(pull: Pull) -> None:
        total = 0.0
        rounds = 3 + int(np.random.randint(4))
        for _ in range(rounds):
            total += pull(0)
            if by_data and total > 2.5:
                break
        forever(pull, int(total + np.random.laplace(0, scale) > 2.0))

    return play


def sampled(share: float, scale: float, raw: bool = False) -> Play:
    """Count each reward if a coin says so, and tell the count with noise."""

    def play(pull: Pull) -> None:
        kept = []
        for _ in range(8):
            reward = pull(0)
            if np.random.random() < share:
                kept.append(reward)
        noisy = sum(kept) + np.random.laplace(0, scale)
        forever(pull, int((sum(kept) if raw and len(kept) > 6 else noisy) > 3.0))

    return play


def split(first: float, second: float) -> Play:
    """Tell the same batch twice, at parts of the budget."""

    def play(pull: Pull) -> None:
        total = sum(pull(0) for _ in range(4))
        pull(int(total + np.random.laplace(scale=1 / first) > 2))
        forever(pull, int(total + np.random.laplace(scale=1 / second) > 2))

    return play


def windows(width: int, scale: float) -> Play:
    """Tell sums of windows, which overlap if they are wider than four."""

    def play(pull: Pull) -> None:
        past: list[float] = []
        arm = 0
        for t in range(16):
            past.append(pull(arm))
            if t % 4 == 3:
                arm = int(sum(past[-width:]) + np.random.laplace(0, scale) > width / 2)
        forever(pull, arm)

    return play


def ties(by_raw: bool) -> Play:
    """Break ties of rounded noisy sums by the arm's number, or by raw sums."""

    def play(pull: Pull) -> None:
        raw = [sum(pull(a) for _ in range(4)) for a in (0, 1)]
        noisy = [round((s + np.random.laplace(0, 1.0)) / 3) for s in raw]
        forever(pull, max((0, 1), key=lambda a: (noisy[a], raw[a] if by_raw else -a)))

    return play


def scaled(by_data: bool) -> Play:
    """Take a scale from the number of rewards, or from their largest."""

    def play(pull: Pull) -> None:
        rewards = [pull(0) for _ in range(5)]
        width = max(*rewards, 0.1) if by_data else 1.0
        forever(pull, int(sum(rewards) + np.random.laplace(0, width) > 2.5))

    return play


def given(generator: Callable[[], Any], scale: float) -> Play:
    """Draw from a generator that is handed in."""

    def play(pull: Pull) -> None:
        rng = generator()
        total = sum(pull(1) for _ in range(5))
        forever(pull, int(total - rng.laplace(0.0, scale) > 2.5))

    return play


def reseeded(seeds: tuple[int, int]) -> Play:
    """Make a generator for each release; of one seed twice."""

    def play(pull: Pull) -> None:
        first = sum(pull(0) for _ in range(4)) + np.random.default_rng(seeds[0]).laplace()
        pull(int(first > 2))
        second = sum(pull(0) for _ in range(4)) + np.random.default_rng(seeds[1]).laplace()
        pull(int(second > 2))
        forever(pull, int(second - first > 0.0))

    return play


def normal(deviation: float) -> Play:
    """Tell one sum with normal noise."""

    def play(pull: Pull) -> None:
        total = sum(pull(0) for _ in range(6))
        forever(pull, int(total + np.random.normal(0, deviation) > 3))

    return play


def eliminating(noisy_stop: bool) -> Play:
    """Stop a batch when a noisy mean, or the raw one, is large."""

    def play(pull: Pull) -> None:
        for _ in range(3):
            total = sum(pull(0) for _ in range(4))
            seen = total + np.random.laplace(0, 1.0) if noisy_stop else total
            if seen > 3.2:
                forever(pull, 0)
        forever(pull, 1)

    return play


def exponential(scale: float) -> Play:
    """Choose the larger sum with exponential noise."""

    def play(pull: Pull) -> None:
        sums = np.array([sum(pull(a) for _ in range(4)) for a in (0, 1)])
        forever(pull, int(np.argmax(sums + np.random.exponential(scale, size=2))))

    return play


def counted(p: float) -> Play:
    """Add a binomial count to a sum of bits, of one trial."""

    def play(pull: Pull) -> None:
        ones = sum(int(np.random.binomial(1, p if pull(0) > 0.5 else 1 - p)) for _ in range(6))
        forever(pull, int(ones > 3))

    return play


E1 = math.e
# Name, sound, broken; the claim is epsilon = 1, of normal noise with delta = 0.01.
TWINS: list[tuple[str, Play, Play]] = [
    ("batches", batches(laplace(1.0)), batches(laplace(0.5))),
    ("batches that are kept", batches(laplace(1.0)), batches(laplace(1.0), keep=True)),
    ("matrix of draws", matrix(1.0), matrix(0.6)),
    ("tree", tree(3.0), tree(1.5)),
    ("local noise", local(1.0), local(0.7)),
    ("local noise without a cut", local(1.0, late_clip=False), local(0.5, late_clip=False)),
    ("bits", bits(logistic(1.0)), bits(logistic(1.6))),
    ("exponential weights", weights(0.5), weights(3.0)),
    ("Gumbel", gumbel(2.0), gumbel(0.5)),
    ("one draw for all", gumbel(2.0), gumbel(2.0, shared=True)),
    ("schedule", schedule(1.0), schedule(1.0, by_data=True)),
    ("subsampling", sampled(0.5, 1.0), sampled(0.5, 0.3)),
    ("subsampling, told raw", sampled(0.5, 1.0), sampled(0.5, 1.0, raw=True)),
    ("budget split", split(0.5, 0.5), split(1.0, 0.5)),
    ("windows", windows(4, 1.0), windows(8, 1.0)),
    ("ties", ties(False), ties(True)),
    ("scale by data", scaled(False), scaled(True)),
    ("a generator", given(np.random.default_rng, 1.0), given(np.random.default_rng, 0.4)),
    ("old generator", given(np.random.RandomState, 1.0), given(np.random.RandomState, 0.7)),
    ("one seed twice", reseeded((3, 4)), reseeded((3, 3))),
    ("normal noise", normal(2.7), normal(0.8)),
    ("stop", eliminating(True), eliminating(False)),
    ("exponential noise", exponential(2.0), exponential(0.6)),
    ("binomial bits", counted(E1 / (1 + E1)), counted(0.9)),
]
