"""What holds of every run: the account of its rounds, at every horizon and in every environment."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from contract import EPSILON, Subject, Trial, check_account, published, same_bytes, simulated

from dpbandits.core import registry
from dpbandits.core.errors import BadInput
from dpbandits.core.recording import checkpoints


def test_runs_are_accounted_for(subject: Subject) -> None:
    """In every environment, with little privacy, much, and very much: see `contract.check_account`."""
    most = 1.0 if subject.declared.privacy is None else min(50.0, subject.declared.privacy.at_most)
    for (kind, trial), epsilon in itertools.product(subject.tried_in.all, (1e-3, EPSILON, most)):
        job = subject.job(trial.environment, 1500, epsilon=epsilon)
        runs = simulated(job, 3)
        place = registry.environment(job.environment["kind"])
        followed = place.experts(job.environment) or place.arms(job.environment)
        assert runs.rounds.tolist() == checkpoints(1500, 12).tolist()
        assert runs.regret.shape == (3, runs.rounds.size), kind
        assert runs.pulls.shape == (3, followed), kind
        assert (runs.regret.dtype, runs.pulls.dtype) == (np.float64, np.int64)
        check_account(subject, job, trial, runs)


def test_every_horizon_cuts(subject: Subject) -> None:
    """Consecutive horizons end in every position inside batches, epochs, phases and contexts; T = 1 included."""
    for horizon in (*range(1, 66), *range(80, 400, 23), 777, 2000, 5160):
        job = subject.job(subject.tried_in.ordinary.environment, horizon, 5)
        check_account(subject, job, subject.tried_in.ordinary, simulated(job, 2))


def test_fewer_rounds_than_arms(subject: Subject) -> None:
    trial = subject.tried_in.many
    for horizon in (1, 2, 17, 99, 100, 101):
        job = subject.job(trial.environment, horizon)
        check_account(subject, job, trial, simulated(job, 3))


def test_equal_means_cost_nothing(subject: Subject) -> None:
    """Not even the last bit: at horizons far apart, with noise of any size."""
    for trial in (subject.tried_in.alike, *subject.tried_in.ties):
        assert trial.gaps is not None
        for horizon, epsilon in ((4321, 0.13), (300, EPSILON), (300, 1e-100)):
            runs = simulated(subject.job(trial.environment, horizon, epsilon=epsilon), 2)
            assert runs.regret.size > 0
            assert (runs.regret == 0.0).all()


def test_astronomic_horizons(batched: Subject) -> None:
    """Who decides by batches plays 2^52 rounds, and counts them to the last one."""
    for horizon in (10**12, 10**15 + 1, 2**52):
        for trial in (batched.tried_in.ordinary, batched.tried_in.alike):
            # Where batches are as long as privacy demands, some thousand of them are enough.
            job = batched.job(trial.environment, horizon, epsilon=1000.0 / horizon)
            check_account(batched, job, trial, simulated(job, 2))


def test_tables_of_inputs(subject: Subject) -> None:
    """On what audits run it on: actions are kept and counted, all of them, and no run is paid another's rewards."""
    setting = registry.setting("algorithm", subject.name)
    tables = [
        (kind, place.fixed)
        for kind in registry.modules("environment")
        if registry.setting("environment", kind) == setting
        and (place := registry.environment(kind)).fixed is not None
    ]
    assert tables, f"the setting {setting} has no fixed table of inputs"
    for kind, fixed in tables:
        for rounds, arms in fixed.sizes:
            pairs = itertools.islice(fixed.neighbours(rounds, arms, np.random.default_rng(1)), 0, 60, 20)
            for pair, inputs in itertools.product(list(pairs), (0, 1)):
                environment = {"kind": kind, **pair[inputs]}
                job = subject.job(environment, rounds)
                runs = simulated(job, 5, kept=rounds)
                check_account(subject, job, Trial(environment), runs)
                assert runs.played.shape == (5, rounds)
                assert runs.played.min() >= 0, f"{subject} does not keep its actions"
                assert runs.played.max() < 3 * arms
                if not subject.tried_in.explores:
                    counted = [np.bincount(row % arms, minlength=arms).tolist() for row in runs.played]
                    assert counted == runs.pulls.tolist()
                # What a round pays is collected later, or never.
                assert same_bytes(simulated(job, 5), published(job, 5, threads=1)), (
                    f"runs of {subject} share rewards"
                )


def test_a_table_ends_with_its_last_row(subject: Subject) -> None:
    """No run goes on beyond its inputs, unless the table is declared to be repeated."""
    setting = registry.setting("algorithm", subject.name)
    for kind in registry.modules("environment"):
        place = registry.environment(kind)
        if place.fixed is None or registry.setting("environment", kind) != setting:
            continue
        rounds, arms = place.fixed.sizes[0]
        pair = next(place.fixed.neighbours(rounds, arms, np.random.default_rng(1)))
        job = subject.job({"kind": kind, **pair.one}, rounds + 1)
        if any("repeated" in words for words in place.parameters.values()):
            check_account(subject, job, Trial(job.environment), simulated(job, 2))
        else:
            with pytest.raises(BadInput, match=rf"^horizon: {rounds + 1} .* at most {rounds}, the rows"):
                simulated(job, 2)
