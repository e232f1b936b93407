"""A second planted set: functions of data of the kinds that a third stranger tried, written before reading a rule.

Whoever wrote them had not read how noisetap decides, so that the first count is out of sample; rules were mended
after it. Truth was worked out by hand. Records lie in [0, 1] and the claim is epsilon = 1, if nothing else is said.
"""

import math
import random

import numpy as np
import pandas as pd
from planted_functions import AR, KINDS, RO, Plant
from scipy import stats

from noisetap import Claim, Records

UNSEEN: list[Plant] = []
PAIRS = Records(3, columns={"a": (0.0, 1.0), "b": (0.0, 1.0)})
FOUR = Records(4)
AROUND = Records(3, -1.0, 1.0)
LITTLE = Claim(1.0, 1e-5)


def case(kind, sound, relation=RO, **how):
    """Register a function under its kind; `relation` may be a tuple of both."""

    def keep(function):
        for each in relation if isinstance(relation, tuple) else (relation,):
            name = f"{kind}: {function.__name__}, {each}"
            UNSEEN.append(Plant(name, function, sound, relation=each, **how))
        return function

    return keep


def sound(kind, relation=RO, **how):
    return case(kind, True, relation, **how)


def broken(kind, relation=RO, **how):
    return case(kind, False, relation, **how)


def lap(scale):
    return np.random.laplace(0.0, scale)


def counted(data):
    return [int(np.sum(data == k)) for k in "xyz"]


# Sparse vector. Counts above a level move by 1; a bar of Lap(2) and questions of Lap(4) are enough for one "above".
SVT = "sparse vector"
LEVELS = (0.8, 0.5, 0.2)


@sound(SVT, (AR, RO))
def above_then_measured(data, epsilon):
    bar = 1 + lap(3 / epsilon)
    for level in LEVELS:
        count = np.sum(data > level)
        if count + lap(6 / epsilon) > bar:
            return level, count + lap(3 / epsilon)
    return None


@sound(SVT, AR)
def above_of_counts_that_grow_together(data, epsilon):
    bar = 2 + lap(2 / epsilon)
    for i, level in enumerate(LEVELS):
        if (data > level).sum() + lap(2 / epsilon) >= bar:
            return i
    return -1


@sound(SVT)
def two_above(data, epsilon):
    bar, left, said = 1 + lap(2 / epsilon), 2, []
    for level in LEVELS:
        said.append(bool(np.sum(data > level) + lap(8 / epsilon) >= bar))
        left -= said[-1]
        if left == 0:
            break
    return said


@sound(SVT)
def two_above_with_bars_of_their_own(data, epsilon):
    bar, said = 1 + lap(4 / epsilon), ""
    for level in LEVELS:
        if np.sum(data > level) + lap(8 / epsilon) >= bar:
            said += "T"
            if len(said.replace("F", "")) == 2:
                break
            bar = 1 + lap(4 / epsilon)
        else:
            said += "F"
    return said


@sound(SVT)
def first_above_of_a_vector(data, epsilon):
    counts = np.array([np.sum(data > level) for level in LEVELS])
    bar = 2 + lap(2 / epsilon)
    above = counts + np.random.laplace(0, 4 / epsilon, size=3) > bar
    return int(np.argmax(above)) if above.any() else None


@sound(SVT)
def gap_above_the_bar(data, epsilon):
    # Wang, Ding, Xiao, Kifer & Zhang (2019): the gap to the bar is free.
    bar = 1 + lap(2 / epsilon)
    for level in LEVELS:
        gap = np.sum(data > level) + lap(4 / epsilon) - bar
        if gap >= 0:
            return level, gap
    return None


@broken(SVT)
def the_noise_of_the_question_is_told(data):
    # Seven times below, then a very small number: each adds a quarter.
    bar = 1 + lap(2)
    said = []
    for _ in range(8):
        noisy = np.sum(data > 0.5) + lap(4)
        if noisy >= bar:
            said.append(noisy)
            break
        said.append(None)
    return said


@broken(SVT)
def a_quarter_of_all_noise(data):
    bar = 2 + lap(0.5)
    for level in LEVELS:
        if np.sum(data > level) + lap(0.5) >= bar:
            return level
    return None


@broken(SVT, (AR, RO))
def exact_after_above(data, epsilon):
    bar = 1 + lap(2 / epsilon)
    for level in LEVELS:
        if np.sum(data > level) + lap(4 / epsilon) >= bar:
            return int(np.sum(data > level))
    return -1


@broken(SVT)
def one_noise_for_all_questions(data, epsilon):
    bar, noise = 1 + lap(2 / epsilon), lap(4 / epsilon)
    return [bool(np.sum(data > level) + noise >= bar) for level in LEVELS]


@broken(SVT)
def where_it_stopped_at_a_bar_without_noise(data):
    # Two counts go up, one goes down: half of epsilon each.
    for i, count in enumerate((np.sum(data > 0.3), np.sum(data > 0.6), np.sum(data <= 0.3))):
        if count + lap(2) >= 1:
            return i
    return None


@broken(SVT)
def raw_bar(data, epsilon):
    bar = np.sum(data)
    return [bool(np.sum(data > level) + lap(0.5 / epsilon) >= bar + 0.5) for level in LEVELS]


# Trees: three levels over four records.
TREE = "tree"


def nodes(data):
    return [data[0], data[1], data[2], data[3], data[0] + data[1], data[2] + data[3], np.sum(data)]


@sound(TREE, records=FOUR)
def tree_nodes(data, epsilon):
    return [node + lap(3 / epsilon) for node in nodes(data)]


@sound(TREE, records=FOUR)
def tree_prefixes(data, epsilon):
    noisy = [node + lap(3 / epsilon) for node in nodes(data)]
    return [noisy[0], noisy[4], noisy[4] + noisy[2], noisy[6]]


@sound(TREE, records=FOUR)
def tree_by_levels(data, epsilon):
    out, level = [], np.asarray(data)
    while True:
        out.append(level + np.random.laplace(scale=3 / epsilon, size=level.shape))
        if len(level) == 1:
            return out
        level = level.reshape(-1, 2).sum(axis=1)


@sound(TREE, records=FOUR)
def blocks_and_within(data, epsilon):
    blocks = [data[:2].sum() + lap(2 / epsilon), data[2:].sum() + lap(2 / epsilon)]
    return np.array(blocks + [x + lap(2 / epsilon) for x in data])


@broken(TREE, records=FOUR)
def tree_nodes_two_thirds(data, epsilon):
    return [node + lap(2 / epsilon) for node in nodes(data)]


@broken(TREE, records=FOUR)
def tree_with_exact_root(data, epsilon):
    noisy = [node + lap(3 / epsilon) for node in nodes(data)[:-1]]
    return [*noisy, nodes(data)[-1]]


@broken(TREE, records=FOUR)
def tree_the_last_leaf_is_raw(data, epsilon):
    left = data[:2].sum() + lap(2 / epsilon)
    return [left, left + data[2] + lap(2 / epsilon), left + data[2] + lap(2 / epsilon) + data[3], data[3]]


@broken(TREE, records=FOUR)
def tree_of_one_draw_a_level(data, epsilon):
    leaves, pairs = lap(3 / epsilon), lap(3 / epsilon)
    return [*(x + leaves for x in data), data[0] + data[1] + pairs, data[2] + data[3] + pairs]


# The k largest of counts that move both ways.
TOP = "top-k"


@sound(TOP, records=KINDS)
def two_largest_at_once(data, epsilon):
    noisy = np.array(counted(data)) + np.random.laplace(0, 4 / epsilon, 3)
    return list(np.argsort(-noisy)[:2])


@sound(TOP, records=KINDS)
def two_largest_one_by_one(data, epsilon):
    left, chosen = dict(zip("xyz", counted(data), strict=True)), []
    for _ in range(2):
        noisy = {k: n + lap(4 / epsilon) for k, n in left.items()}
        chosen.append(max(noisy, key=noisy.get))
        del left[chosen[-1]]
    return chosen


@sound(TOP, records=KINDS)
def two_by_weights(data, epsilon):
    left, chosen = ["x", "y", "z"], []
    for _ in range(2):
        weights = np.exp([epsilon / 4 * np.sum(data == k) for k in left])
        chosen.append(left.pop(int(np.random.choice(len(left), p=weights / weights.sum()))))
    return chosen


@sound(TOP, records=KINDS)
def two_largest_with_values(data, epsilon):
    noisy = sorted(((n + lap(2 / epsilon), k) for k, n in zip("xyz", counted(data), strict=True)), reverse=True)
    return noisy[:2]


@broken(TOP, records=KINDS)
def two_largest_of_little_noise(data):
    noisy = np.array(counted(data)) + np.random.laplace(0, 0.5, 3)
    return list(np.argsort(-noisy)[:2])


@broken(TOP, records=KINDS)
def two_largest_values_of_half_noise(data, epsilon):
    noisy = [(n + lap(1 / epsilon), k) for k, n in zip("xyz", counted(data), strict=True)]
    return sorted(noisy, reverse=True)[:2]


@broken(TOP, records=KINDS)
def ties_alone_are_random(data):
    noisy = np.array(counted(data)) + np.random.uniform(0, 0.5, 3)
    return [int(i) for i in np.argsort(noisy)[::-1][:2]]


@broken(TOP, records=KINDS)
def sorted_raw_and_noise_on_values(data, epsilon):
    order = sorted("xyz", key=lambda k: -np.sum(data == k))
    return [(k, np.sum(data == k) + lap(2 / epsilon)) for k in order]


# Discrete noise.
WHOLE = "whole noise"


def geometric_by_hand(alpha):
    return math.floor(math.log(1.0 - random.random()) / math.log(alpha))


@sound(WHOLE, (AR, RO))
def two_geometrics_by_hand(data, epsilon):
    alpha = math.exp(-epsilon)
    return int(np.sum(data > 0.5)) + geometric_by_hand(alpha) - geometric_by_hand(alpha)


@sound(WHOLE, (AR, RO))
def count_and_rounded_noise(data, epsilon):
    return int((data > 0.5).sum()) + round(lap(1 / epsilon))


@sound(WHOLE, (AR, RO))
def rounded_values_and_whole_noise(data, epsilon):
    return int(np.round(data).sum()) + int(stats.dlaplace.rvs(epsilon))


@sound(WHOLE, claim=LITTLE)
def rounded_normal_noise(data):
    return np.round(np.sum(data) + np.random.normal(0, 4.84))


@broken(WHOLE, (AR, RO))
def values_that_are_not_whole(data, epsilon):
    return np.sum(data) + stats.dlaplace.rvs(epsilon)


@broken(WHOLE, (AR, RO))
def a_sign_and_a_geometric(data, epsilon):
    # It is never 0, so that the count itself is never told.
    sign = np.random.choice([-1, 1])
    return int(np.sum(data > 0.5)) + sign * np.random.geometric(1 - math.exp(-epsilon))


@broken(WHOLE)
def one_sided(data, epsilon):
    return int(np.sum(data > 0.5)) + np.random.geometric(1 - math.exp(-epsilon))


@broken(WHOLE, claim=LITTLE)
def rounded_normal_noise_of_half(data):
    return np.round(np.sum(data) + np.random.normal(0, 2.0))


# Randomised response.
RR = "response"


@sound(RR, records=KINDS)
def one_hot_bits(data, epsilon):
    flip, out = 1 / (1 + math.exp(epsilon / 2)), []
    for value in data:
        bits = np.array([value == k for k in "xyz"])
        out.append(np.where(np.random.rand(3) < flip, ~bits, bits))
    return out


@broken(RR, records=KINDS)
def one_hot_bits_whole_budget_each(data, epsilon):
    flip, out = 1 / (1 + math.exp(epsilon)), []
    for value in data:
        bits = np.array([value == k for k in "xyz"])
        out.append(np.where(np.random.rand(3) < flip, ~bits, bits))
    return out


def two_coins(data):
    return [(d > 0.5) if random.random() < 0.5 else random.random() < 0.5 for d in data.tolist()]


UNSEEN.append(Plant(f"{RR}: two coins, 1.1", two_coins, True, claim=Claim(1.1)))
UNSEEN.append(Plant(f"{RR}: two coins, 1", two_coins, False))


@sound(RR, records=KINDS)
def else_any_of_three(data: list, epsilon):
    truth = (math.exp(epsilon) - 1) / (math.exp(epsilon) + 2)
    return [d if random.random() < truth else random.choice("xyz") for d in data]


@broken(RR, records=KINDS)
def else_any_of_three_too_seldom(data: list):
    return [d if random.random() < 0.6 else random.choice("xyz") for d in data]


@sound(RR)
def how_many_said_yes(data, epsilon):
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    said = [(d > 0.5) == (random.random() < keep) for d in data.tolist()]
    estimate = (sum(said) - len(said) * (1 - keep)) / (2 * keep - 1)
    return estimate / len(said)


@broken(RR)
def one_coin_for_all(data):
    turn = random.random() < 0.4
    return [bool(d > 0.5) != turn for d in data.tolist()]


@sound(RR, records=AROUND)
def one_bit_of_a_number(data, epsilon):
    # Duchi, Jordan & Wainwright (2018).
    e = math.exp(epsilon)
    return [1 if random.random() < 0.5 + x * (e - 1) / (2 * (e + 1)) else -1 for x in data.tolist()]


@broken(RR)
def the_number_is_the_probability(data):
    return [int(np.random.rand() < x) for x in data]


@broken(RR, records=AROUND)
def nearly_the_probability(data):
    return np.array([np.random.random() < 0.5 + 0.45 * x for x in data])


# Normal noise with delta. At epsilon = 1 and delta = 1e-5 a number needs 3.731 sensitivities.
NORMAL = "normal, delta"


@sound(NORMAL, (AR, RO), claim=LITTLE)
def just_enough(data):
    return data.sum() + np.random.normal(scale=3.75)


@sound(NORMAL, records=PAIRS, claim=LITTLE)
def two_columns(data):
    return np.asarray(data).sum(axis=0) + np.random.normal(0, 3.75 * math.sqrt(2), size=2)


@broken(NORMAL, records=PAIRS, claim=LITTLE)
def two_columns_of_one(data):
    return np.asarray(data).sum(axis=0) + np.random.normal(0, 3.75, size=2)


@sound(NORMAL, claim=LITTLE)
def told_twice(data):
    return [np.sum(data) + random.gauss(0, 5.4) for _ in range(2)]


@broken(NORMAL, claim=LITTLE)
def told_twice_for_once(data):
    return [np.sum(data) + random.gauss(0, 3.8) for _ in range(2)]


@broken(NORMAL, claim=LITTLE)
def root_of_the_deviation(data):
    sigma = math.sqrt(2 * math.log(1.25 / 1e-5))
    return np.sum(data) + np.random.normal(0, sigma**0.5)


@broken(NORMAL, records=AROUND, claim=LITTLE)
def twice_the_range(data):
    return np.sum(data) + np.random.default_rng().normal(0, 3.75)


@sound(NORMAL, records=KINDS, claim=LITTLE)
def multivariate(data):
    return np.random.multivariate_normal(counted(data), 30.0 * np.eye(3))


@broken(NORMAL, records=KINDS, claim=LITTLE)
def multivariate_of_little(data):
    return np.random.multivariate_normal(counted(data), 6.0 * np.eye(3))


@sound(NORMAL, claim=Claim(rho=0.5))
def concentrated_twice(data):
    return tuple(np.mean(data) * 3 + np.random.randn() * 1.45 for _ in range(2))


@broken(NORMAL, claim=Claim(rho=0.5))
def concentrated_twice_little(data):
    return tuple(np.mean(data) * 3 + np.random.randn() * 1.1 for _ in range(2))


# Subsampling with a secret sample: log(1 + q(e^inner - 1)).
SAMPLE = "subsampling"


def kept_by_coins(inner):
    def counted_by_coins(data):
        mask = np.random.rand(len(data)) < 0.5
        return np.sum(data[mask]) + lap(1 / inner)

    return counted_by_coins


UNSEEN.append(Plant(f"{SAMPLE}: kept by coins, 1.45", kept_by_coins(1.45), True, relation=AR))
UNSEEN.append(Plant(f"{SAMPLE}: kept by coins, 2", kept_by_coins(2.0), False, relation=AR))


@sound(SAMPLE)
def one_of_three(data):
    return np.random.choice(data, size=1, replace=False)[0] + lap(1 / 1.6)


@broken(SAMPLE)
def one_of_three_with_a_third_of_noise(data):
    return random.choice(list(data)) + lap(1 / 3)


@sound(SAMPLE)
def first_after_shuffling(data: list):
    random.shuffle(data)
    return data[0] + lap(1 / 1.6)


@broken(SAMPLE)
def somebody(data):
    return data[np.random.randint(len(data))]


@broken(SAMPLE, AR)
def the_sample_is_told(data):
    mask = np.random.rand(len(data)) < 0.5
    return mask.tolist(), np.sum(data[mask]) + lap(1 / 1.45)


@sound(SAMPLE, AR)
def each_is_kept_by_a_coin(data: list):
    return sum(x for x in data if random.random() < 0.25) + lap(1 / 1.9)


# Noise used over windows.
WINDOW = "windows"


@sound(WINDOW)
def windows_of_noisy(data, epsilon):
    noisy = [x + lap(1 / epsilon) for x in data]
    return [noisy[i] + noisy[i + 1] for i in range(len(noisy) - 1)]


@sound(WINDOW)
def windows_with_half_each(data, epsilon):
    return [sum(data[i : i + 2]) + lap(2 / epsilon) for i in range(len(data) - 1)]


@broken(WINDOW)
def windows_with_all_each(data, epsilon):
    return [sum(data[i : i + 2]) + lap(1 / epsilon) for i in range(len(data) - 1)]


@broken(WINDOW)
def one_noise_for_windows(data, epsilon):
    noise = lap(3 / epsilon)
    return [sum(data[i : i + 2]) + noise for i in range(len(data) - 1)]


@broken(WINDOW)
def rolled_on(data, epsilon):
    window = data[0] + data[1] + lap(3 / epsilon)
    out = [window]
    for i in range(2, len(data)):
        window = window + data[i] - data[i - 2]
        out.append(window)
    return out


@sound(WINDOW)
def running_with_fresh_noise(data, epsilon):
    total, out = 0.0, []
    for x in data:
        total = total + x + lap(1 / epsilon)
        out.append(total)
    return out


@broken(WINDOW)
def noise_at_every_second(data, epsilon):
    total, out = 0.0, []
    for i, x in enumerate(data):
        total += x + (lap(1 / epsilon) if i % 2 == 0 else 0.0)
        out.append(total)
    return out


@sound(WINDOW)
def convolved(data, epsilon):
    return np.convolve(data + np.random.laplace(0, 1 / epsilon, len(data)), [0.5, 0.5], mode="valid")


# Schedules and scales by data.
BY_DATA = "by data"


@sound(BY_DATA)
def scale_by_what_was_told(data, epsilon):
    first = np.sum(data) + lap(2 / epsilon)
    return first, np.sum(data) + lap((2 if first > 1 else 4) / epsilon)


@broken(BY_DATA)
def scale_by_the_raw_sum(data, epsilon):
    return np.sum(data) + lap((2 if np.sum(data) > 1.5 else 1) / epsilon)


@broken(BY_DATA)
def scale_by_spread(data, epsilon):
    return np.mean(data) + lap((0.1 + np.std(data)) / epsilon)


@broken(BY_DATA, (AR, RO))
def as_many_numbers_as_positive(data, epsilon):
    return [1 + lap(1 / epsilon) for x in data if x > 0.5]


@sound(BY_DATA, AR)
def second_if_the_first_is_large(data, epsilon):
    out = [len(data) + lap(2 / epsilon)]
    if out[0] > 2:
        out.append(np.sum(data) + lap(2 / epsilon))
    return out


@broken(BY_DATA)
def rounds_until_the_raw_sum_is_large(data, epsilon):
    told = []
    for i in range(len(data)):
        told.append(data[i] + lap(1 / epsilon))
        if np.sum(data[: i + 1]) > 1:
            break
    return told


@sound(BY_DATA, AR)
def rounds_until_the_noisy_sum_is_large(data: list, epsilon):
    total, asked = 0.0, 0
    for step in (1, 2):
        asked += 1
        total += sum(data) / 2**step + lap(1 / epsilon)
        if total > 2:
            break
    return asked, total


# Split budgets.
SPLIT = "split"


@sound(SPLIT, AR)
def half_quarter_quarter(data, epsilon):
    return {f"q{i}": np.sum(data) + lap(s / epsilon) for i, s in enumerate((2, 4, 4))}


@broken(SPLIT, AR)
def half_third_quarter(data, epsilon):
    return {f"q{i}": np.sum(data) + lap(s / epsilon) for i, s in enumerate((2, 3, 4))}


@sound(SPLIT)
def halves_of_halves(data, epsilon):
    out, left = [], epsilon
    for _ in range(5):
        left /= 2
        out.append(np.sum(data) + lap(1 / left))
    return out


@sound(SPLIT)
def groups_that_are_apart(data, epsilon):
    return data[0::2].sum() + lap(1 / epsilon), data[1::2].sum() + lap(1 / epsilon)


@broken(SPLIT, AR)
def groups_that_move_on(data, epsilon):
    return data[0::2].sum() + lap(1 / epsilon), data[1::2].sum() + lap(1 / epsilon)


@broken(SPLIT)
def groups_that_overlap(data, epsilon):
    return data[:2].sum() + lap(1 / epsilon), data[1:].sum() + lap(1 / epsilon)


@broken(SPLIT, records=PAIRS)
def columns_for_one_price(data: pd.DataFrame, epsilon):
    return {c: data[c].sum() + lap(1 / epsilon) for c in data.columns}


@sound(SPLIT, records=PAIRS)
def columns_for_half_each(data: pd.DataFrame, epsilon):
    return {c: data[c].sum() + lap(2 / epsilon) for c in data.columns}


# Memory between runs.
MEMORY = "memory"
SEEN: list[float] = []


@sound(MEMORY)
def a_log_of_what_was_told(data, epsilon):
    SEEN.append(float(np.sum(data) + lap(1 / epsilon)))
    return SEEN[-1]


class Counted:
    """Noise in the first three calls only."""

    def __init__(self):
        self.calls = 0

    def __call__(self, data):
        self.calls += 1
        return np.sum(data) + (lap(1.0) if self.calls <= 3 else 0.0)


UNSEEN.append(Plant(f"{MEMORY}: noise in three calls", Counted(), False))
STORE: dict[str, float] = {}


@broken(MEMORY)
def the_last_sum_is_told(data, epsilon):
    STORE["sum"] = float(np.sum(data))
    return STORE["sum"] + lap(1 / epsilon), STORE["sum"] * 2


# Clipping after noise.
CLIP = "clipping"


@sound(CLIP, (AR, RO))
def clipped_to_what_it_may_be(data, epsilon):
    return float(np.clip(np.sum(data > 0.5) + lap(1 / epsilon), 0, 10))


@sound(CLIP, records=KINDS)
def no_negative_counts(data, epsilon):
    return np.maximum(np.array(counted(data)) + np.random.laplace(0, 2 / epsilon, size=3), 0)


@broken(CLIP)
def clipped_to_near_the_truth(data, epsilon):
    raw = np.sum(data)
    return np.clip(raw + lap(1 / epsilon), raw - 1, raw + 1)


@broken(CLIP)
def clipped_to_the_range_of_data(data, epsilon):
    return min(max(np.mean(data) + lap(1 / (3 * epsilon)), np.min(data)), np.max(data))


@broken(CLIP)
def noise_is_clipped(data, epsilon):
    return np.sum(data) + np.clip(lap(1 / epsilon), -2, 2)


@broken(CLIP, AR)
def not_above_the_raw(data, epsilon):
    return np.minimum(len(data) + lap(1 / epsilon), len(data) + 1)


@sound(CLIP)
def share_between_0_and_1(data, epsilon):
    share = max(0.0, min(1.0, np.mean(data) + lap(1 / (len(data) * epsilon))))
    return {"share": share, "percent": f"{100 * share:.1f} %"}


# Leaks by a tie, a number of rounds, an exception.
LEAK = "leaks"


@broken(LEAK)
def near_ones_by_raw(data, epsilon):
    a, b = np.sum(data > 0.5), np.sum(data <= 0.5)
    x, y = a + lap(2 / epsilon), b + lap(2 / epsilon)
    if abs(x - y) < 3:
        return "a" if a > b else "b"
    return "a" if x > y else "b"


@broken(LEAK)
def an_exception(data, epsilon):
    if np.sum(data) > 1.5:
        raise ValueError("too many")
    return np.sum(data) + lap(1 / epsilon)


@broken(LEAK, AR)
def nobody_gets_none(data, epsilon):
    if len(data) == 0:
        return None
    return len(data) + lap(1 / epsilon)


@sound(LEAK, AR)
def nobody_gets_a_number(data, epsilon):
    total = np.sum(data) if len(data) else 0.0
    return total + lap(1 / epsilon)


@sound(LEAK, AR, records=KINDS, claim=Claim(1.0, 0.05))
def kinds_that_are_often_there(data):
    # A kind of one record appears with probability e^-3 / 2 = 0.025.
    noisy = {k: n + lap(1) for k, n in zip("xyz", counted(data), strict=True) if n}
    return {k: v for k, v in noisy.items() if v > 4}


@broken(LEAK, AR, records=KINDS, claim=Claim(1.0, 0.05))
def kinds_that_are_there(data):
    # It appears with probability e^-1 / 2 = 0.18.
    noisy = {k: n + lap(1) for k, n in zip("xyz", counted(data), strict=True) if n}
    return {k: v for k, v in noisy.items() if v > 2}


@sound(LEAK, AR, records=KINDS)
def kinds_of_the_domain(data):
    noisy = {k: n + lap(1) for k, n in zip("xyz", counted(data), strict=True)}
    return sorted(k for k, v in noisy.items() if v > 1)


@broken(LEAK)
def attempts(data):
    for i in range(8):
        if np.sum(data) + lap(0.5) > 1:
            return i
    return 8


# Draws at once.
VECTOR = "vectors"


@sound(VECTOR)
def histogram_of_numbers(data, epsilon):
    counts, _ = np.histogram(data, bins=[0.0, 0.3, 0.6, 1.0])
    return counts + np.random.laplace(0, 2 / epsilon, size=counts.shape)


@sound(VECTOR, AR)
def histogram_of_numbers_add(data, epsilon):
    counts, _ = np.histogram(data, bins=2, range=(0, 1))
    return (counts + np.random.laplace(0, 1 / epsilon, size=2)).tolist()


@broken(VECTOR)
def histogram_for_one_move(data, epsilon):
    counts, _ = np.histogram(data, bins=[0.0, 0.5, 1.0])
    return counts + np.random.laplace(0, 1 / epsilon, size=counts.shape)


@sound(VECTOR, records=PAIRS)
def each_number_by_itself(data, epsilon):
    table = np.asarray(data, float)
    return table + np.random.laplace(scale=2 / epsilon, size=table.shape)


@broken(VECTOR, records=PAIRS)
def each_number_as_if_alone(data, epsilon):
    table = np.asarray(data, float)
    return table + np.random.laplace(scale=1 / epsilon, size=table.shape)


@broken(VECTOR, records=KINDS)
def one_draw_for_a_vector(data, epsilon):
    return np.array(counted(data)) + np.random.laplace(0, 2 / epsilon)


@sound(VECTOR, records=KINDS)
def filled_one_by_one(data, epsilon):
    out = np.zeros(3)
    for i, k in enumerate("xyz"):
        out[i] = np.sum(data == k) + np.random.laplace(0, 2 / epsilon)
    return out


@sound(VECTOR, records=KINDS)
def noise_is_stored_first(data, epsilon):
    noise = np.zeros(3)
    for i in range(3):
        noise[i] = np.random.laplace(0, 2 / epsilon)
    return np.array(counted(data)) + noise


@broken(VECTOR, records=KINDS)
def half_of_stored_noise(data, epsilon):
    noise = np.empty(3)
    for i in range(3):
        noise[i] = np.random.laplace(0, 1 / epsilon)
    return np.array(counted(data)) + noise


@sound(VECTOR, records=KINDS)
def locations(data, epsilon):
    return np.random.laplace(loc=counted(data), scale=2 / epsilon)


@broken(VECTOR, records=KINDS)
def scales_of_which_one_is_small(data, epsilon):
    return np.array(counted(data)) + np.random.laplace(0, np.array([2.0, 2.0, 0.2]) / epsilon)


# Generators that are handed over.
GIVEN = "generators"


@sound(GIVEN, (AR, RO))
def by_default_none(data, epsilon, rng=None):
    rng = rng or np.random.default_rng()
    return data.sum() + rng.laplace(0, 1 / epsilon)


@broken(GIVEN, (AR, RO))
def by_default_none_half(data, epsilon, rng=None):
    rng = np.random.default_rng() if rng is None else rng
    return data.sum() + rng.laplace(0, 0.5 / epsilon)


@sound(GIVEN)
def by_default_one(data, epsilon, rng=np.random.default_rng(7)):  # noqa: B008
    return rng.laplace(np.mean(data), 1 / (len(data) * epsilon))


@broken(GIVEN)
def by_default_old(data, epsilon, rng=np.random.RandomState(3)):  # noqa: B008
    return rng.laplace(np.mean(data), 1 / (2 * len(data) * epsilon))


class Mechanism:
    """Holds a generator, as libraries do."""

    def __init__(self, factor):
        self.factor, self.rng = factor, np.random.default_rng()

    def release(self, data, epsilon):
        return np.sum(data) + self.rng.exponential(self.factor / epsilon) * self.rng.choice([-1.0, 1.0])


UNSEEN.append(Plant(f"{GIVEN}: a method", Mechanism(1.0).release, True))
UNSEEN.append(Plant(f"{GIVEN}: a method of half", Mechanism(0.5).release, False))


@broken(GIVEN)
def the_same_seed_twice(data, epsilon):
    a = np.sum(data) + np.random.default_rng(0).laplace(0, 2 / epsilon)
    return a, np.sum(data > 0.5) + np.random.default_rng(0).laplace(0, 2 / epsilon)


# Matrices.
MATRIX = "matrices"


def gram(scale):
    def noisy_gram(data, epsilon):
        x = np.asarray(data, float)
        noise = np.random.laplace(0, scale / epsilon, (2, 2))
        return x.T @ x + np.triu(noise) + np.triu(noise, 1).T

    return noisy_gram


UNSEEN.append(Plant(f"{MATRIX}: gram, 3", gram(3.0), True, records=PAIRS))
UNSEEN.append(Plant(f"{MATRIX}: gram, 1", gram(1.0), False, records=PAIRS))
ASKED = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])


@sound(MATRIX, AR, records=KINDS)
def asked_of_noisy_counts(data, epsilon):
    return ASKED @ (np.array(counted(data)) + np.random.laplace(0, 1 / epsilon, 3))


@sound(MATRIX, AR, records=KINDS)
def asked_with_noise_each(data, epsilon):
    return ASKED @ np.array(counted(data)) + np.random.laplace(0, 2 / epsilon, 2)


@broken(MATRIX, AR, records=KINDS)
def asked_with_noise_of_one(data, epsilon):
    return ASKED @ np.array(counted(data)) + np.random.laplace(0, 1 / epsilon, 2)


@broken(MATRIX, AR, records=KINDS)
def noise_of_rank_one(data, epsilon):
    return ASKED @ np.array(counted(data)) + np.ones((2, 1)) @ np.random.laplace(0, 5 / epsilon, 1)


@sound(MATRIX, records=PAIRS)
def solved(data, epsilon):
    x = np.asarray(data, float)
    g = x.T @ x + np.random.laplace(0, 8 / epsilon, (2, 2)) + 10 * np.eye(2)
    b = x.T @ np.ones(len(x)) + np.random.laplace(0, 4 / epsilon, 2)
    return np.linalg.solve(g, b)


@broken(MATRIX, records=PAIRS)
def outer_product_beside(data, epsilon):
    x = np.asarray(data, float)
    noisy = x.sum(axis=0) + np.random.laplace(0, 2 / epsilon, 2)
    return noisy, np.outer(noisy, x.sum(axis=0))


# Sums of noises.
SHARES = "sums of noises"


@sound(SHARES, claim=LITTLE)
def normal_shares(data):
    return sum(x + np.random.normal(0, 3.8 / math.sqrt(len(data))) for x in data)


@broken(SHARES, claim=LITTLE)
def normal_shares_of_a_third(data):
    return sum(x + np.random.normal(0, 3.8 / len(data)) for x in data)


@sound(SHARES)
def gamma_shares(data, epsilon):
    n = len(data)
    return sum(x + np.random.gamma(1 / n, 1 / epsilon) - np.random.gamma(1 / n, 1 / epsilon) for x in data)


@broken(SHARES)
def gamma_shares_of_half(data, epsilon):
    n = len(data)
    return sum(x + np.random.gamma(1 / n, 0.5 / epsilon) - np.random.gamma(1 / n, 0.5 / epsilon) for x in data)


@sound(SHARES)
def two_draws(data, epsilon):
    return np.sum(data) + np.sum(np.random.laplace(0, 1 / epsilon, size=2))


@broken(SHARES)
def mean_of_four_draws(data, epsilon):
    return np.sum(data) + np.mean(np.random.laplace(0, 1 / epsilon, size=4))


@sound(SHARES)
def a_little_more(data, epsilon):
    return np.sum(data) + (lap(1 / epsilon) + random.uniform(-0.1, 0.1))


@broken(SHARES)
def two_uniform(data):
    return np.sum(data) + np.random.uniform(-3, 3) + np.random.uniform(-3, 3)


# Hidden coins.
COIN = "hidden coins"


@sound(COIN)
def much_noise_or_more(data, epsilon):
    return np.sum(data) + lap((1 if random.random() < 0.5 else 2) / epsilon)


@broken(COIN)
def noise_or_none(data, epsilon):
    return np.sum(data) + (lap(1 / epsilon) if np.random.rand() < 0.5 else 0.0)


@broken(COIN)
def seldom_little(data):
    return np.sum(data) + lap(1.0 if np.random.rand() < 0.9 else 0.1)


@sound(COIN, records=FOUR)
def one_half_of_the_records(data, epsilon):
    return data[np.random.randint(2) :: 2].sum() + lap(1 / epsilon)


@sound(COIN)
def coin_of_the_mean(data):
    return bool(np.random.rand() < 0.25 + 0.5 * np.mean(data))


@broken(COIN)
def coin_is_the_mean(data):
    return "yes" if random.random() < np.mean(data) else "no"


@sound(COIN, records=KINDS)
def a_random_kind(data, epsilon):
    k = "xyz"[np.random.randint(3)]
    return k, np.sum(data == k) + lap(1 / epsilon)


@sound(COIN)
def sign_and_size(data, epsilon):
    sign = 1 if random.random() < 0.5 else -1
    return np.sum(data) + sign * random.expovariate(epsilon)


@broken(COIN)
def sign_by_the_data(data, epsilon):
    sign = 1 if np.sum(data) > 1 else -1
    return np.sum(data) + sign * random.expovariate(epsilon)


# What NumPy does afterwards.
AFTER = "numpy"


def noisy_records(data, epsilon):
    return data + np.random.laplace(0, 1 / epsilon, size=len(data))


@sound(AFTER)
def highest_so_far(data, epsilon):
    return np.maximum.accumulate(noisy_records(data, epsilon))


@sound(AFTER)
def sorted_noisy(data, epsilon):
    return np.sort(noisy_records(data, epsilon))


@sound(AFTER)
def small_ones_are_dropped(data, epsilon):
    noisy = noisy_records(data, epsilon)
    return np.where(noisy > 1, noisy, 0.0)


@sound(AFTER)
def two_cumsums(data, epsilon):
    return np.cumsum(data) + np.cumsum(np.random.laplace(0, 1 / epsilon, size=len(data)))


@sound(AFTER)
def summary(data, epsilon):
    noisy = noisy_records(data, epsilon)
    return {"mean": np.mean(noisy), "median": np.median(noisy), "most": np.max(noisy)}


@sound(AFTER)
def softmax(data, epsilon):
    w = np.exp(noisy_records(data, epsilon))
    return w / w.sum()


@sound(AFTER)
def weighted(data, epsilon):
    return np.dot([1.0, 2.0, 3.0], noisy_records(data, epsilon))


@broken(AFTER)
def not_below_the_raw(data, epsilon):
    return np.maximum(noisy_records(data, epsilon), data)


@broken(AFTER)
def where_the_raw_is_large(data, epsilon):
    return np.where(data > 0.5, noisy_records(data, epsilon), 0.0)


@broken(AFTER)
def cumsum_with_one_each(data, epsilon):
    return np.cumsum(data) + np.random.laplace(0, 1 / epsilon, size=len(data))


@broken(AFTER)
def weights_by_raw(data, epsilon):
    return np.average(noisy_records(data, epsilon), weights=data + 0.1)


@sound(AFTER)
def sorted_by_raw(data, epsilon):
    # Sorted inputs are as near to each other as the inputs.
    return noisy_records(data, epsilon)[np.argsort(data)]


# pandas.
PANDAS = "pandas"
PEOPLE = Records(3, columns={"sex": ("f", "m"), "age": (0.0, 1.0)})


@sound(PANDAS, AR, records=PEOPLE)
def sizes_of_known_groups(data: pd.DataFrame, epsilon):
    sizes = data["sex"].value_counts().reindex(["f", "m"], fill_value=0)
    return (sizes + np.random.laplace(0, 1 / epsilon, size=2)).to_dict()


@broken(PANDAS, (AR, RO), records=PEOPLE)
def sizes_of_groups_there(data: pd.DataFrame, epsilon):
    return {k: n + lap(2 / epsilon) for k, n in data.groupby("sex").size().items()}


@broken(PANDAS, records=PEOPLE)
def sizes_for_one_move(data: pd.DataFrame, epsilon):
    sizes = data["sex"].value_counts().reindex(["f", "m"], fill_value=0)
    return [n + lap(1 / epsilon) for n in sizes]


@sound(PANDAS, records=PEOPLE)
def a_column_of_noisy_numbers(data: pd.DataFrame, epsilon):
    return data.assign(age=data["age"] + np.random.laplace(0, 1 / epsilon, len(data)))["age"].tolist()


@broken(PANDAS, records=PEOPLE)
def sex_beside_noisy_age(data: pd.DataFrame, epsilon):
    data["age"] = data["age"] + np.random.laplace(0, 1 / epsilon, len(data))
    return data.to_dict("list")


@sound(PANDAS, AR, records=PEOPLE)
def clipped_column(data: pd.DataFrame, epsilon):
    return data["age"].clip(0, 0.5).sum() + lap(0.5 / epsilon)


@broken(PANDAS, AR, records=PEOPLE)
def mean_of_who_is_there(data: pd.DataFrame, epsilon):
    return data.loc[data["sex"] == "f", "age"].sum() / (1 + (data["sex"] == "f").sum()) + lap(0.1 / epsilon)


@sound(PANDAS, AR, records=PEOPLE)
def sum_and_size(data: pd.DataFrame, epsilon):
    women = data[data["sex"] == "f"]
    return pd.Series({"n": len(women) + lap(2 / epsilon), "sum": women["age"].sum() + lap(2 / epsilon)})
