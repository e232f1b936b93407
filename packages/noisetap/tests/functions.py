"""Functions of data as people write them: sound ones and faulty ones, each with its relation and claim."""

import math
import random

import numpy as np
from numpy.random import laplace


def mean_of_bounded(data, epsilon):
    return np.clip(data, 0, 1).mean() + np.random.laplace(0, 1 / (len(data) * epsilon))


def total(data, epsilon):
    return sum(data) + laplace(0, 1 / epsilon)


def clipped_after(data, epsilon):
    return float(np.clip(np.sum(data) + np.random.laplace(0, 1 / epsilon), 0, 3))


def rounded(data, epsilon):
    return round(np.sum(data) + np.random.laplace(0, 1 / epsilon))


def noisy_max(data, epsilon):
    counts = [np.sum(data > t) + np.random.laplace(0, 2 / epsilon) for t in (0.2, 0.5, 0.8)]
    return int(np.argmax(counts))


def response(data: list, epsilon):
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    return [int(d > 0.5) if random.random() < p else 1 - int(d > 0.5) for d in data]


def by_hand(data, epsilon):
    u = np.random.uniform(-0.5, 0.5)
    return np.sum(data) - np.sign(u) * np.log(1 - 2 * abs(u)) / epsilon


def geometric(data, epsilon):
    p = 1 - math.exp(-epsilon)
    return int(np.sum(data > 0.5) + np.random.geometric(p) - np.random.geometric(p))


def sparse(data, epsilon):
    bar, said = 2 + np.random.laplace(0, 2 / epsilon), []
    for t in (0.2, 0.5, 0.8):
        said.append(np.sum(data > t) + np.random.laplace(0, 4 / epsilon) >= bar)
        if said[-1]:
            break
    return said


def half_noise(data):
    return sum(data) + np.random.laplace(0, 0.5)


def epsilon_for_scale(data, epsilon):
    return np.sum(data) + np.random.laplace(0, epsilon)


def raw_beside(data):
    return np.sum(data) + np.random.laplace(0, 1), max(data)


def shared_noise(data):
    noise = np.random.laplace(0, 1)
    return np.sum(data) + noise, np.sum(data**2) + noise


def fair_response(data: list):
    return [int(d > 0.5) if random.random() < 0.5 else int(random.random() < 0.5) for d in data]


def noisy_max_too_sure(data):
    return int(np.argmax([np.sum(data > t) + np.random.laplace(0, 0.5) for t in (0.2, 0.5, 0.8)]))


def location_for_scale(data):
    return np.sum(data) + np.random.laplace(2)


def stored(data):
    noise = np.zeros(2)
    noise[0] = np.random.laplace(0, 1)
    return np.sum(data) + noise[0]


def range_of_the_data(data, epsilon):
    return np.mean(data) + np.random.laplace(0, (np.max(data) - np.min(data)) / (len(data) * epsilon))


def scaled_back_by_its_own(data, epsilon):
    # A uniform number around a value, put back into a range whose low end the value has overwritten.
    low, high = 0.0, 1.0
    for value in data[:1]:
        low = value - 0.5
        told = np.random.uniform(low, low + 1 / epsilon)
    return (told + 1) / 2 * (high - low) + low


def fresh_noise_on_running_sums(data, epsilon):
    scale = math.log2(len(data) + 1) / epsilon
    return [np.sum(data[: n + 1]) + np.random.laplace(0, scale) for n in range(len(data))]


def natural_logarithm(data, epsilon):
    # The first record enters three nodes of a tree; log(8) is 2.08.
    scale = math.log(8) / epsilon
    return [np.sum(data[:n]) + np.random.laplace(0, scale) for n in (1, 2, 4)]


def counted_twice(data, epsilon):
    first = np.sum(data[:2]) + np.random.laplace(0, 1 / epsilon)
    return first, first + 2 * data[2] + np.random.laplace(0, 1 / epsilon)


def silent(data):
    return len(data) * 0


def rectangles(data):
    return np.sum(data) + np.random.beta(2, 2)


SOUND = [stored, mean_of_bounded, total, clipped_after, rounded, noisy_max, response, by_hand, geometric, sparse]
FAULTY = [
    half_noise,
    epsilon_for_scale,
    raw_beside,
    shared_noise,
    fair_response,
    noisy_max_too_sure,
    location_for_scale,
    range_of_the_data,
    scaled_back_by_its_own,
    fresh_noise_on_running_sums,
    natural_logarithm,
    counted_twice,
]
REFUSED = [silent, rectangles]
