"""The papers' claims as data: read, completed, checked before any work starts; and what their tests read.

A paper's claims are in the file that its configuration names. Without any there is no ledger.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, PositiveFloat

from dpbandits.claims import discrepancies
from dpbandits.claims.declarations import ClaimTest, Labels, Where, claim_test
from dpbandits.core import registry
from dpbandits.core.errors import BadInput, suggest, within
from dpbandits.core.fields import Options
from dpbandits.runs.config import Layer, check_names, conforming, placed
from dpbandits.runs.models import Config, Paper
from dpbandits.runs.safe_yaml import read
from dpbandits.runs.values import Model, Names, Text

# Keys of a test that are words for the ledger: they do not change what is found.
SAID = {"effect", "otherwise"}
TestData = Mapping[str, Any]
"""A test of a claim as JSON data: fields of `Test` that decide what is found, and the claim's scale."""

# Control that must not pass a test: uniform play, which learns nothing; or, for lower bounds, play without any
# regret.
Control = Literal["uniform", "perfect", "none"]

Scaled = Literal["horizon", "runs", "instances", "repetitions", "arms"]
ClaimId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Shown = Annotated[str, Field(pattern=r"^((figure|table)/[A-Za-z0-9][A-Za-z0-9._=-]*|privacy)$")]


class Test(Model):
    """One test of a claim, as a claims file has it: a sentence of the claim, and what decides it."""

    test: str = Field(description="A kind of test of `dpbandits list`.")
    effect: Text = Field(description="The quantity that it measures, in words, for the ledger.")
    otherwise: str = Field(
        "",
        description=(
            "What it means if nothing can be tested, for the ledger; if empty, the words of the kind of test."
        ),
    )
    control: Control = Field(
        "uniform",
        description=(
            "What is put in the place of the algorithm, in a test of aggregates or runs, and must not pass: "
            "`uniform` play, who learns nothing; of a lower bound `perfect` play, without regret; `none` if "
            "neither has to. A control that gets the word of the ledger makes it *untested*."
        ),
    )
    experiments: Names = Field([], description="Experiments whose aggregates, or runs, it reads.")
    computations: Names = Field([], description="Computations that it reads.")
    options: dict[str, Any] = Field(
        {},
        description=(
            "Options of this kind of test. Rows are chosen by conditions: from a column, or an expression of "
            "columns, to its value, a list of values, or a mapping with any of at_least, at_most, above, below, "
            "equals, not_equals (numbers or expressions), not (values), largest_of (columns), or_missing. "
            "Expressions have columns, numbers, `+ - * / ** ( )`, abs, sqrt, log, log2 and exp."
        ),
    )
    some: bool = Field(
        False, description="Whether it is claimed that some part holds, and not that every one does."
    )
    decides: Literal["both", "holds", "fails"] = Field(
        "both",
        description=(
            "Which way it can decide: `holds` for a claim about a limit, which what is measured at a finite "
            "horizon can support and not refute; `fails` for a search for counterexamples, which can refute and "
            "not prove."
        ),
    )
    complete: bool = Field(
        False,
        description=(
            "Whether the rows of an exact computation are all that is claimed. If not, what none of them "
            "contradicts is *not contradicted*, and not shown."
        ),
    )
    about: Literal["", "constant", "exponent", "order"] = Field(
        "",
        description=(
            "What the claim is about, which says the smallest effect of interest: log 2 of a `constant`, 0.1 of an "
            "`exponent`, none of an `order`. Half of the interval has to be smaller. If empty, as the kind says."
        ),
    )
    scale: dict[Scaled, PositiveFloat] = Field(
        {}, description="What deciding this test needs, if that is not the scale of its claim."
    )


class Claim(Model):
    """One claim of a paper, as a claims file has it, with the tests that decide it."""

    row: Text = Field(description="The row of the inventory that it belongs to.")
    place: Text = Field(description="Where it stands in the paper.")
    statement: Text = Field(description="What is claimed, in our words.")
    reading: Literal["paper", "ours", "asked"] = Field(
        "paper",
        description=(
            "Whose the statement is: `paper` for what its sentence says, `ours` for what we read into it or add "
            "to it, `asked` for what the paper asks and is answered here. They are counted apart."
        ),
    )
    shown: Shown = Field(
        description=(
            "What shows it, `figure/fig1` or `table/table1` of the paper, or `privacy`, the table of audits."
        ),
    )
    subject: Literal["", "privacy"] = Field(
        "", description="`privacy` for a statement on who keeps it; such false ones are counted by themselves."
    )
    boundary: str = Field(
        "", description="Of a sentence that is refuted: the boundary case in which alone it fails."
    )
    printed: str = Field(
        "",
        description=(
            "Of a sentence of a paper that has conditions here which the paper does not print, or says less: the "
            "paper's own words, a quotation, with ... where words or formulas are missing. Counted as restated."
        ),
    )
    printed_at: int = Field(
        0, ge=0, description="Of a quotation: the line of the paper's text on which it begins. None if 0."
    )
    restated: str = Field(
        "", description="Of a quotation: what the sentence here has that the quoted one has not, or the other way."
    )
    remark: str = Field(
        "", description="What a reader should know beside the verdict; no number that a run would change."
    )
    revised: str = Field(
        "",
        description="Of a test that was changed after results had been seen: what was changed, and why.",
    )
    scale: dict[Scaled, PositiveFloat] = Field(
        {},
        description=(
            "What deciding it needs: what the largest `horizon`, `runs`, `instances`, `repetitions` or `arms` of "
            "what its tests read has to reach. Below that it is not decided; above, it may not be either."
        ),
    )
    tests: list[Test] = Field(min_length=1, description="What decides it: a sentence of the claim each.")


class Statements(Model):
    """A paper's claims with the tests that decide them, marked where tests were revised after their results."""

    artefacts: dict[str, Shown] = Field(
        {}, description="Rows of the inventory that claim nothing: the figure, or the table, that shows each."
    )
    claims: dict[ClaimId, Claim] = Field(description="Claims by id.")
    story: list[ClaimId] = Field([], description="Claims that README and the site tell first, in this order.")

    @property
    def tests(self) -> list[Test]:
        """All tests of all claims."""
        return [test for claim in self.claims.values() for test in claim.tests]

    @property
    def rows(self) -> list[str]:
        """The rows, such as ``thm1``, of the paper's list of statements that claims or artefacts cover, sorted."""
        return sorted({*self.artefacts, *(claim.row for claim in self.claims.values())})


Claims = Mapping[str, Statements]


def load(config: Config) -> Claims:
    """Return the claims of the papers that have any, by the paper's id, checked against its configuration.

    Raises
    ------
    BadInput
        For the first fault, with file, key path, value, and what is allowed.
    """
    found = {}
    known = {name: {entry.id for entry in entries} for name, entries in discrepancies.load(config).items()}
    for name, paper in config.papers.items():
        if paper.claims is not None:
            content = read(Path(paper.claims))
            with placed([Layer(paper.claims, content)]):
                found[name] = conforming(Statements, content)
                _check_meaning(found[name], paper, known.get(name, set()))
    return found


def _check_meaning(stated: Statements, paper: Paper, discrepancies: Collection[str]) -> None:
    """Check what models cannot say: names that must exist in the paper's configuration."""
    exhibits: dict[str, Collection[str]] = {"figure": paper.figures, "table": paper.tables}

    def check_shown(shown: str) -> None:
        kind, _, name = shown.partition("/")
        if name and name not in exhibits[kind]:
            raise BadInput((), name, suggest(name, exhibits[kind]))

    for row, shown in stated.artefacts.items():
        with within("artefacts", row):
            check_shown(shown)
    for i, name in enumerate(stated.story):
        if name not in stated.claims:
            raise BadInput(("story", i), name, suggest(name, stated.claims))
    # A premise stands on its own tests: so none rests on itself.
    premises = [
        name
        for name, claim in stated.claims.items()
        if not any(test.options.get("premise") for test in claim.tests)
    ]
    for name, claim in stated.claims.items():
        with within("claims", name, "shown"):
            check_shown(claim.shown)
        with within("claims", name):
            _check_formulas(claim, ("place", "statement", "printed", "restated", "remark", "revised", "boundary"))
            if len({bool(claim.printed), bool(claim.printed_at), bool(claim.restated)}) > 1:
                raise BadInput(
                    "printed", claim.printed, "a quotation with its line, and what is restated; or neither"
                )
        for i, test in enumerate(claim.tests):
            with within("claims", name, "tests", i):
                with within("test"):
                    kind = claim_test(test.test)
                with within("options"):
                    options = kind.resolve(test.options)
                    _check_cited(options, "discrepancy", discrepancies)
                    _check_cited(options, "certificate", registry.modules("certificate"))
                    _check_cited(options, "premise", premises)
                    _check_labels(kind, options, test, paper)
                check_names(test, "experiments", paper.experiments)
                check_names(test, "computations", paper.computations)


def _check_cited(options: Options, key: str, known: Collection[str]) -> None:
    """Check that what an argument cites exists."""
    if options.get(key) and options[key] not in known:
        raise BadInput(key, options[key], suggest(options[key], list(known)))


def _check_formulas(stated: Model, keys: Sequence[str]) -> None:
    """Check that formulas in texts end, and that their braces do."""
    for key in keys:
        text: str = getattr(stated, key)
        parts = text.split("$")
        if len(parts) % 2 == 0:
            raise BadInput(key, text, "two $ around each formula")
        for formula in parts[1::2]:
            braces = formula.replace("\\{", "").replace("\\}", "")
            if braces.count("{") != braces.count("}"):
                raise BadInput(key, formula, "a formula whose braces are closed")


def _check_labels(kind: ClaimTest, options: Options, test: Test, paper: Paper) -> None:
    """Check that labels that a test of experiments chooses are in one: else it would find nothing, in silence.

    Parameters
    ----------
    kind, options
        The kind of test, and its options, complete.
    test, paper
        The test, and the configuration of its paper.
    """
    experiments = [paper.experiments[name] for name in test.experiments if name in paper.experiments]
    if not experiments or test.computations:
        return
    known = {
        "algorithm": sorted({label for experiment in experiments for label in experiment.algorithms}),
        "environment": sorted({label for experiment in experiments for label in experiment.environments}),
    }

    def check(key: str | int, name: object, column: str) -> None:
        if isinstance(name, str) and name and name not in known[column]:
            raise BadInput(key, name, suggest(name, known[column]))

    for key, option in kind.options.items():
        given = options[key]
        if isinstance(option, Labels):
            for i, name in enumerate(given) if isinstance(given, list) else ():
                with within(key):
                    check(i, name, "algorithm")
            check(key, given, "algorithm")
        if isinstance(option, Where):
            for column in given.keys() & known.keys():
                for name in given[column] if isinstance(given[column], list) else [given[column]]:
                    with within(key):
                        check(column, name, column)


class Reads(NamedTuple):
    """Names of the data that tests read.

    Attributes
    ----------
    aggregates, runs
        Names of the experiments that are read as aggregates, and of those that are read run by run.
    computations
        Names of the computations whose tables are read.
    audits
        Whether the table of audits is read.
    """

    aggregates: list[str]
    runs: list[str]
    computations: list[str]
    audits: bool


def reads(tests: Sequence[Test]) -> Reads:
    """Return the names of all data that some tests read, sorted."""

    def experiments(kind: str) -> list[str]:
        asked = (test for test in tests if claim_test(test.test).reads == kind)
        return sorted({name for test in asked for name in test.experiments})

    return Reads(
        aggregates=experiments("aggregates"),
        runs=experiments("runs"),
        computations=sorted({name for test in tests for name in test.computations}),
        audits=any(claim_test(test.test).reads == "audits" for test in tests),
    )


def definition(claim: Claim) -> list[TestData]:
    """Return the tests of a claim as JSON data, each with its scale and without ``effect`` and ``otherwise``.

    These two are words for the ledger. A claim is evaluated again if the data change, so new words alone cause no
    work.
    """
    return [
        {**test.model_dump(mode="json", exclude=SAID), "scale": test.scale or claim.scale} for test in claim.tests
    ]


def modules(tests: Sequence[Test]) -> list[str]:
    """Return the full names, such as ``dpbandits.claims.kinds.trend``, of the modules of some tests, sorted."""
    return sorted({registry.module("test", test.test) for test in tests})
