"""A fifth paper is added by adding files: planned, listed, judged, registered and shown, and nothing is edited."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from projects import COPIED, environment
from snakemakes import Snakemake

FILES = {
    "src/dpbandits/papers/toy2026/__init__.py": '''\
"""Nobody (2026), *Playing at Random*."""

TITLE = "Playing at Random"
AUTHORS = "Nobody"
YEAR = "2026"
''',
    "src/dpbandits/papers/toy2026/figures/toy_curve.py": '''\
"""Mean regret over time."""

import matplotlib.figure

from dpbandits.core.declarations import Figure


def draw(aggregates, _):
    """Draw a line for each algorithm."""
    figure = matplotlib.figure.Figure()
    axes = figure.subplots()
    for title, part in aggregates.groupby("title"):
        axes.plot(part["round"], part["mean"], label=title)
    axes.legend()
    return figure, aggregates[["title", "round", "mean"]]


FIGURE = Figure(title="Mean regret over time", draw=draw)
''',
    "src/dpbandits/settings/stochastic/algorithms/toy_random.py": '''\
"""Uniform play, for ever."""

import numpy as np

from dpbandits.core.algorithm import Algorithm
from dpbandits.settings.stochastic.algorithms.imed import ALGORITHM as IMED


ALGORITHM = Algorithm(
    title="Toy",
    source="toy2026, Algorithm 1",
    decides="rounds",
    privacy=None,
    simulate=IMED.simulate,
)
''',
    "config/toy2026/experiments.yaml": """\
published_runs: 2
runs: {batches: 4, rounds: 4}
environments:
  two: {kind: bernoulli, means: [0.9, 0.1]}
algorithms:
  toy-random: {}
  imed: {}
experiments:
  short: {environments: [two], algorithms: [toy-random, imed], epsilons: [], horizon: 100, checkpoints: 5}
figures:
  curve: {draw: toy-curve, experiments: [short], caption: A toy's curve.}
""",
    "config/toy2026/claims.yaml": """\
artefacts: {fig1: figure/curve}
claims:
  toy-claim:
    row: thm1
    place: Theorem 1
    statement: The toy's regret is small.
    shown: figure/curve
    tests:
      - test: inequality
        effect: largest mean regret
        experiments: [short]
        options: {what: mean regret, value: mean, at_most: "3"}
""",
    "config/toy2026/paper.yaml": """\
summary: A toy plays at random.
version: first printing
names:
  figures: {curve: The toy learns nothing}
  environments: {two: two arms}
headlines:
  - name: toy
    decided_by: toy-claim
    headings: {unrefuted: The toy keeps its promise}
    otherwise: The toy is open
    sentences:
      - {claim: toy-claim, of: largest mean regret, says: {unrefuted: "It loses {estimate} at most."}}
""",
    "src/dpbandits/papers/toy2026/article/__init__.py": '''"""The part of the article on the toy."""\n''',
    "src/dpbandits/papers/toy2026/article/templates/chapter.typ.jinja2": """\
== A chapter on toys

{{ claim("toy2026/toy-claim").says(of="largest mean regret", unrefuted="The toy loses {estimate}.") }}
""",
    "config/toy2026/discrepancies.yaml": """\
- id: toy2026-toy
  kind: false as stated
  place: Theorem 1
  printed: Regret is 0.
  why: It is not.
  stands: Nothing.
  done: It was measured.
  test: tests/system/test_new_paper.py::test_a_fifth_paper
""",
    "mine.yaml": "privacy: {epsilons: []}\n",
}
# Audits and certificates of all papers take long: the article's text is made from the ledger alone.
ARTICLE = """
import csv, pathlib
from dpbandits.publish.article import build, context

with open("results/claims.csv", encoding="utf-8", newline="") as file:
    claims = context.Claims(list(csv.DictReader(file)))
paper = {"title": "Playing at Random", "authors": "Nobody", "discrepancies": [], "know": [], "published_runs": 2}
config = {"papers": {"toy2026": paper | {"vocabulary": {}}}, "scales": {}, "kinds": [], "epsilons": [1]}
config |= {"level": 0.05, "confidence": 0.999, "version": "0", "root_seed": 0, "runs": 8, "cells": 2}
config["confirmed"] = None
results = pathlib.Path("results")
print(build.article_source(context.Facts(config, claims, [], {}, context.facts_of_papers({}), {}, [], results), {}))
"""


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """Return a copy of the repository with the newcomer's files, none of which was there before."""
    for part in COPIED:
        duplicate = shutil.copytree if (root / part).is_dir() else shutil.copy
        duplicate(root / part, tmp_path / part)
    for name, text in FILES.items():
        assert not (tmp_path / name).exists()
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(folder: Path, *command: str) -> str:
    """Run a command of this interpreter's environment in the copy, and return what it says."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
def test_a_fifth_paper(copy: Path) -> None:
    """Beside the four it is planned and listed; made alone, for speed, it is in ledger, register and site."""
    listed = run(copy, "dpbandits", "list")
    for entry in (
        r"toy2026 +Nobody +Playing at Random",
        r"toy-random +stochastic +none +toy2026",
        r"toy-curve +Mean",
    ):
        assert re.search(rf"^{entry}", listed, re.MULTILINE), entry
    planned = Snakemake(copy, ("-n", "--cores", "1", "--quiet", "host", "reason"), environment(copy)).end()
    for said in ("Simulating toy-random in two", "Drawing toy2026 curve", "Testing toy2026 toy-claim"):
        assert said in planned
    assert "Drawing azize2025 fig4" in planned
    for folder in (copy / "config").glob("*2*"):
        if folder.name != "toy2026":
            shutil.rmtree(folder)
    Snakemake(copy, ("--cores", "2", "--configfile", "mine.yaml", "--quiet", "all"), environment(copy)).end()
    with (copy / "results/claims.csv").open(encoding="utf-8", newline="") as file:
        (claim,) = csv.DictReader(file)
    assert (claim["paper"], claim["id"], claim["verdict"]) == ("toy2026", "toy-claim", "not contradicted")
    assert "Regret is 0." in (copy / "results/discrepancies.md").read_text(encoding="utf-8")
    index = (copy / "results/site/index.html").read_text(encoding="utf-8")
    page = (copy / "results/site/toy2026.html").read_text(encoding="utf-8")
    assert "Playing at Random" in index
    assert "The toy keeps its promise" in index
    assert re.search(r"It loses [\d.]+ at most\.", index)
    assert 'id="curve"' in page
    assert "The toy learns nothing" in page
    assert "A toy plays at random." in page
    (copy / "article.py").write_text(ARTICLE, encoding="utf-8")
    told = run(copy, "article")
    assert "== A chapter on toys" in told
    assert re.search(r"The toy loses [\d.]+\.", told)
    assert "toy-claim" in (copy / "results/site/claims.html").read_text(encoding="utf-8")
    assert "It was measured." in (copy / "results/site/discrepancies.html").read_text(encoding="utf-8")
    assert (copy / "figures/toy2026/curve.pdf").read_bytes().startswith(b"%PDF")
