"""Programs of the kinds that a third stranger tried, written by somebody who had not read how replays decide.

Each decides in both settings of `programs`: a reward enters one sum, or a row all of them. Truth is by hand.
"""

from __future__ import annotations

from programs import Program, V, released

UNSEEN: dict[str, Program] = {
    "bar-then-measured": Program(
        """
    # A third of the budget each for the bar, the questions, and the sum that is let out.
    bar = conceal(state, recorder, 2.0, 3.0 * width / epsilon)
    for k in range(sums.size):
        if above(state, recorder, sums[k], 6.0 * width / epsilon, bar):
            noisy[k] = release(state, recorder, sums[k], (0.5 if fault == 1 else 3.0 * width) / epsilon)
            return k if noisy[k] > 2.0 else 0
    return 0
""",
        {"the whole budget and more for the sum": V},
    ),
    "bar-of-a-phase": Program(
        """
    bar = conceal(state, recorder, 1.0, (0.25 if fault == 1 else 2.0 * width) / epsilon)
    for k in range(sums.size):
        if above(state, recorder, sums[k], (0.25 if fault == 1 else 4.0 * width) / epsilon, bar):
            return k
    return sums.size - 1
""",
        {"an eighth of all noise": V},
    ),
    "bar-drawn-anew": Program(
        """
    # Two bars, each with half of the budget, one after the other.
    best, found = 0, 0
    bar = conceal(state, recorder, 1.0, 4.0 * width / epsilon)
    for k in range(sums.size):
        if found < 2 and above(state, recorder, sums[k], (0.2 if fault == 1 else 8.0 * width) / epsilon, bar):
            best, found = k, found + 1
            bar = conceal(state, recorder, 1.0, 4.0 * width / epsilon)
    return best
""",
        {"little noise on questions": V},
    ),
    "tree-of-four": Program(
        """
    # Levels 0 to 3, for 15 phases; by mistake nodes of the lowest level have no noise.
    if phase > 15:
        return 0
    level, rest = 0, phase
    while rest % 2 == 0:
        level, rest = level + 1, rest // 2
    for k in range(sums.size):
        node = sums[k]
        for i in range(level):
            node += memory[k, i]
            memory[k, i], memory[k, 32 + i] = 0.0, 0.0
        memory[k, level] = node
        if fault == 1 and level == 0:
            memory[k, 32] = node
        else:
            memory[k, 32 + level] = release(state, recorder, node, 4.0 * width / epsilon)
        noisy[k] = memory[k, 32] + memory[k, 33] + memory[k, 34] + memory[k, 35]
    return argmax(state, noisy)
""",
        {"no noise on leaves": "any"},
    ),
    "blocks": Program(
        """
    # Each sum, and each block of four sums, with half of the budget; by mistake with all of it each.
    share = 1.0 if fault == 1 else 2.0
    for k in range(sums.size):
        memory[k, 0] += sums[k]
        memory[k, 1] += release(state, recorder, sums[k], share * width / epsilon)
        if phase % 4 == 0:
            memory[k, 2] += release(state, recorder, memory[k, 0], share * width / epsilon)
            memory[k, 0], memory[k, 1] = 0.0, 0.0
        noisy[k] = memory[k, 1] + memory[k, 2]
    return argmax(state, noisy)
""",
        {"the whole budget for both": V},
    ),
    "second-largest": Program(
        """
    for k in range(sums.size):
        noisy[k] = release(state, recorder, sums[k], (0.6 if fault == 1 else width) / epsilon)
    best = argmax(state, noisy)
    noisy[best] = -1e9
    return argmax(state, noisy)
""",
        {"too little noise": V},
    ),
    "largest-then-largest": Program(
        """
    scale = (0.5 if fault == 1 else 4.0 * width) / epsilon
    first = chosen(state, recorder, sums, noisy, LAPLACE, scale)
    for k in range(sums.size):
        memory[k, 0] = sums[k]
    second = chosen(state, recorder, memory[:, 0], noisy, LAPLACE, scale)
    return first if phase % 2 == 0 else second
""",
        {"an eighth of the noise": V},
    ),
    "whole-told-twice": Program(
        """
    scale = (1.0 if fault == 1 else 2.0) * width / epsilon
    for k in range(sums.size):
        noisy[k] = release_whole(state, recorder, sums[k], scale, DISCRETE_LAPLACE)
        noisy[k] += release_whole(state, recorder, sums[k], scale, DISCRETE_LAPLACE)
    return argmax(state, noisy)
""",
        {"the whole budget for each": V},
    ),
    "whole-normal-told-twice": Program(
        """
    deviation = delta * (1.0 if fault == 1 else 1.5)
    for k in range(sums.size):
        noisy[k] = release_whole(state, recorder, sums[k], deviation, DISCRETE_NORMAL)
        noisy[k] += release_whole(state, recorder, sums[k], deviation, DISCRETE_NORMAL)
    return argmax(state, noisy)
""",
        {"the deviation for one": V},
        "approximate",
    ),
    "normal-told-twice": Program(
        """
    deviation = delta * (1.0 if fault == 1 else math.sqrt(2.0))
    for k in range(sums.size):
        noisy[k] = release_normal(state, recorder, sums[k], deviation)
        noisy[k] += release_normal(state, recorder, sums[k], deviation)
    return argmax(state, noisy)
""",
        {"the deviation for one": V},
        "approximate",
    ),
    "normal-windows": Program(
        """
    # The sum of this phase and the last: a reward is in two.
    deviation = delta * (1.0 if fault == 1 else math.sqrt(2.0))
    for k in range(sums.size):
        noisy[k] = release_normal(state, recorder, sums[k] + memory[k, 0], deviation)
        memory[k, 0] = sums[k]
    return argmax(state, noisy)
""",
        {"the deviation for one of two": V},
        "approximate",
    ),
    "response-votes": Program(
        """
    budget = (3.0 if fault == 1 else 1.0) * epsilon / width
    for k in range(sums.size):
        memory[k, 0] += respond(state, recorder, int(sums[k] > 0.5), 2, exp(budget) / (1.0 + exp(budget)))
        noisy[k] = memory[k, 0]
    return argmax(state, noisy)
""",
        {"three budgets": V},
    ),
    "response-twice": Program(
        """
    budget = (1.0 if fault == 1 else 0.5) * epsilon / width
    for k in range(sums.size):
        noisy[k] = respond(state, recorder, int(sums[k] > 0.5), 2, 1.0 / (1.0 + exp(-budget)))
        noisy[k] += respond(state, recorder, int(sums[k] > 0.5), 2, 1.0 / (1.0 + exp(-budget)))
    return argmax(state, noisy)
""",
        {"the whole budget for each": V},
    ),
    "response-of-three": Program(
        """
    budget = epsilon / width
    others = 0.5 if fault == 1 else 2.0
    for k in range(sums.size):
        noisy[k] = respond(state, recorder, int(min(sums[k], 2.0)), 3, exp(budget) / (exp(budget) + others))
    return argmax(state, noisy)
""",
        {"the truth too often": V},
    ),
    "noise-by-coin": Program(
        """
    # A coin that nobody sees says how much noise there is; both are enough.
    for k in range(sums.size):
        low = 0.2 if fault == 1 else width
        scale = low / epsilon if uniform(state) <= 0.5 else 2.0 * width / epsilon
        noisy[k] = release(state, recorder, sums[k], scale)
    return argmax(state, noisy)
""",
        {"one of them is not": "any"},
    ),
    "rolled": Program(
        """
    # A window of two phases, of numbers that were let out; by mistake the older one is taken off raw.
    for k in range(sums.size):
        out = release(state, recorder, sums[k], width / epsilon)
        noisy[k] = out + memory[k, 0] - (memory[k, 1] if fault == 1 else 0.0)
        memory[k, 0], memory[k, 1] = out, sums[k]
    return argmax(state, noisy)
""",
        {"a raw sum is taken off": V},
    ),
    "until-enough": Program(
        """
    # Sums are let out until what was let out is 8 in all; by mistake until the raw ones are.
    for k in range(sums.size):
        if memory[k, 0] < 8.0:
            noisy[k] = release(state, recorder, sums[k], width / epsilon)
            memory[k, 0] += sums[k] if fault == 1 else noisy[k]
    return argmax(state, noisy)
""",
        {"raw sums say when it ends": "any"},
    ),
    "again-if-close": Program(
        """
    # Half of the budget, and the other half if the first look says that it is close; by mistake if it is raw.
    for k in range(sums.size):
        noisy[k] = release(state, recorder, sums[k], 2.0 * width / epsilon)
    near = abs(sums[0] - sums[1]) < 1.0 if fault == 1 else abs(noisy[0] - noisy[1]) < 1.0
    if near:
        for k in range(sums.size):
            noisy[k] += release(state, recorder, sums[k], 2.0 * width / epsilon)
    return argmax(state, noisy)
""",
        {"raw sums say whether": "any"},
    ),
    "batch-and-total": Program(
        """
    # Each sum with half of the budget, and a total of three phases with the other half.
    for k in range(sums.size):
        memory[k, 0] += sums[k]
        noisy[k] = release(state, recorder, sums[k], 2.0 * width / epsilon)
        if phase % 3 == 0:
            noisy[k] = release(state, recorder, memory[k, 0], (0.8 if fault == 1 else 2.0 * width) / epsilon)
            memory[k, 0] = 0.0
    return argmax(state, noisy)
""",
        {"more than the budget for totals": V},
    ),
    "not-negative": Program(
        """
    for k in range(sums.size):
        out = release(state, recorder, sums[k], width / epsilon)
        noisy[k] = max(out, sums[k] - 1.0) if fault == 1 else max(out, 0.0)
    return argmax(state, noisy)
""",
        {"not far below the raw sum": V},
    ),
    "rounded": Program(
        """
    # Rounded to whole numbers; the first of equal ones is played, by mistake the one with the larger raw sum.
    for k in range(sums.size):
        noisy[k] = math.floor(release(state, recorder, sums[k], width / epsilon) + 0.5)
    best = 0
    for k in range(1, sums.size):
        raw = fault == 1 and noisy[k] == noisy[best] and sums[k] > sums[best]
        best = k if noisy[k] > noisy[best] or raw else best
    return best
""",
        {"raw sums between equal ones": V},
    ),
    "noise-on-noise": Program(
        """
    # A little noise on what was let out changes nothing; by mistake it is on the raw sum.
    for k in range(sums.size):
        out = release(state, recorder, sums[k], width / epsilon)
        noisy[k] = release(state, recorder, sums[k] if fault == 1 else out, 0.1)
    return argmax(state, noisy)
""",
        {"little noise on the raw sum": V},
    ),
    "dummies": Program(
        """
    # A coin that nobody sees adds a reward that nobody had; by mistake there is noise only if it does.
    for k in range(sums.size):
        dummy = uniform(state) <= 0.5
        if dummy or fault == 0:
            noisy[k] = release(state, recorder, sums[k] + (1.0 if dummy else 0.0), width / epsilon)
        else:
            noisy[k] = sums[k]
    return argmax(state, noisy)
""",
        {"no noise without a dummy": V},
    ),
    "gap-decides": Program(
        """
    choice = chosen(state, recorder, sums, noisy, LAPLACE, (0.4 if fault == 1 else 2.0 * width) / epsilon)
    gap = select_gap(recorder, noisy)
    return choice if gap > 0.5 else sums.size - 1
""",
        {"less noise": V},
    ),
    "differences": Program(
        """
    # What has changed since the last phase: a reward is in two of them.
    for k in range(sums.size):
        change = release(state, recorder, sums[k] - memory[k, 0], (1.0 if fault == 1 else 2.0) * width / epsilon)
        memory[k, 0] = sums[k]
        noisy[k] = change
    return argmax(state, noisy)
""",
        {"noise for one of two": V},
    ),
    "sum-and-difference": Program(
        """
    scale = (0.9 if fault == 1 else 2.0 * width) / epsilon
    a = release(state, recorder, sums[0] + sums[1], scale)
    b = release(state, recorder, sums[0] - sums[1], scale)
    return 0 if a + b > a - b else 1
""",
        {"noise for less than one of two": V},
    ),
    "highest": Program(
        """
    # The largest sum itself moves by 1.
    out = release(state, recorder, np.max(sums), (0.3 if fault == 1 else 1.0) / epsilon)
    return 0 if out > 2.0 else 1
""",
        {"a third of the noise": V},
    ),
    "clipped-first": Program(
        """
    # Sums are clipped to a half, so that half of the noise is enough; by mistake they are not.
    for k in range(sums.size):
        noisy[k] = release(state, recorder, sums[k] if fault == 1 else min(sums[k], 0.5), 0.5 * width / epsilon)
    return argmax(state, noisy)
""",
        {"sums are not clipped": V},
    ),
    "how-many": Program(
        """
    number = 0.0
    for k in range(sums.size):
        number += 1.0 if sums[k] > 1.5 else 0.0
    out = release_whole(state, recorder, number, (0.4 if fault == 1 else width) / epsilon, DISCRETE_LAPLACE)
    return 0 if out > 0.5 else 1
""",
        {"less noise": V},
    ),
    "index": Program(
        """
    # A mean of what was let out and a bonus, evaluated each phase; by mistake of the newest raw sum.
    for k in range(sums.size):
        out = release(state, recorder, sums[k], width / epsilon)
        memory[k, 0] += sums[k] if fault == 1 and phase > 4 else out
        noisy[k] = memory[k, 0] / phase + math.sqrt(2.0 * math.log(1.0 + phase) / phase)
    return argmax(state, noisy)
""",
        {"raw sums after the fourth phase": V},
    ),
    "leader-alone": Program(
        """
    # Only who led by what was let out is measured again; by mistake who leads by raw sums.
    lead = int(memory[0, 1])
    if fault == 1:
        for k in range(sums.size):
            lead = k if sums[k] > sums[lead] else lead
    out = release(state, recorder, sums[lead], width / epsilon)
    memory[0, 1] = float(lead if out > 1.5 else (lead + 1) % sums.size)
    return int(memory[0, 1])
""",
        {"raw sums say who leads": V},
    ),
    "means": Program(
        """
    # The mean of all phases so far: a reward is in each, by 1/phase. Enough is noise that grows with the phase.
    if phase > 20:
        return 0
    for k in range(sums.size):
        memory[k, 0] += sums[k]
        scale = (1.0 if fault == 1 else 2.0 * phase) * width / epsilon
        noisy[k] = release(state, recorder, memory[k, 0] / phase, scale)
    return argmax(state, noisy)
""",
        {"the noise of one sum": V},
    ),
    "released-alone": Program(
        released("release(state, recorder, sums[k] * 0.5, (0.3 if fault == 1 else 0.5) * width / epsilon)"),
        {"three fifths of the noise": V},
    ),
}
