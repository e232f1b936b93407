"""Confirmation: what is frozen and draws a seed, two runs side by side, and parts that differ between seeds."""

from __future__ import annotations

import importlib.util
import json
import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import shipped

from dpbandits.claims import claim, confirmation

ROOT = Path(__file__).parents[2]
# By its file: that folder on the path would hide modules of others.
_spec = importlib.util.spec_from_file_location("confirm", ROOT / "tools" / "confirm.py")
assert _spec is not None and _spec.loader is not None
confirm = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(confirm)

CELL = {"algorithm": "a", "environment": "e", "epsilon": 0.1, "horizon": 10}


def ledger(verdict: str, near: str = "no", support: str = "measured") -> pd.DataFrame:
    """Return a ledger of two claims, one of which is proved."""
    rows = [("p", "one", "holds", "no", "proved"), ("p", "two", verdict, near, support)]
    return pd.DataFrame(rows, columns=["paper", "id", "verdict", "near_threshold", "support"]).assign(
        effect="ratio: 2"
    )


def findings(*estimates: float, spread: float = 0.1) -> pd.DataFrame:
    """Return the parts of a claim, each with its estimate."""
    rows = [
        {"paper": "p", "claim": "two", "test": 0, "part": f"e, {k}", "unit": "difference", **CELL, "p": 0.01}
        | {"estimate": value, "low": value - 1.96 * spread, "high": value + 1.96 * spread, "verdict": "holds"}
        for k, value in enumerate(estimates)
    ]
    return pd.DataFrame(rows)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder in which something small is frozen, with a log of one earlier seed."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "confirm.yaml").write_text("root_seed: 1\nfolders: {}\n", encoding="utf-8")
    (tmp_path / "config" / "seeds.csv").write_text("seed,drawn,why,result\n1,then,first,\n", encoding="utf-8")
    said = "p: {two: It was near its threshold.}\n"
    (tmp_path / "config" / "explained.yaml").write_text(said, encoding="utf-8")
    digests = {"decides": {"tests": "a"}, "says": {"words": "b"}}
    monkeypatch.setattr(confirm, "frozen", lambda _: digests)
    monkeypatch.setattr(confirm, "digests", digests, raising=False)
    return tmp_path


def run(folder: Path, name: str, verdicts: pd.DataFrame, parts: pd.DataFrame) -> Path:
    """Return a results folder with a ledger and findings."""
    (folder / name / "p").mkdir(parents=True)
    verdicts.to_csv(folder / name / "claims.csv", index=False)
    parts.to_csv(folder / name / "p" / "findings.csv", index=False)
    return folder / name


@pytest.mark.parametrize(
    ("other", "near", "status"), [("holds", "no", 0), ("does not hold", "yes", 0), ("does not hold", "no", 1)]
)
def test_both_verdicts_are_told(folder: Path, other: str, near: str, status: int) -> None:
    """A verdict that differs without being near its threshold is an error; the page and the log have both."""
    confirm.freeze("claims changed", folder / "config")
    one = run(folder, "one", ledger("holds"), findings(1.0))
    again = run(folder, "other", ledger(other, near), findings(1.01))
    page = folder / "confirmed.md"
    assert confirm.compare(one, again, page, folder / "config") == status
    near_count, same = int(near == "yes"), int(other == "holds")
    count = f"Decisions that samples make: 1, of which {same} the same; of {near_count} near a threshold, 0."
    assert count in page.read_text(encoding="utf-8")
    assert confirm.logged(folder / "config")[-1]["result"] == count
    assert ("It was near its threshold." in page.read_text(encoding="utf-8")) == (other != "holds")
    assert pd.read_csv(folder / "confirmed.csv")["verdict_other"].tolist() == ["holds", other]
    assert pd.read_csv(folder / "confirmed-parts.csv")["estimate_2"].tolist() == [1.01]
    assert (folder / "claims-confirm.csv").read_bytes() == (again / "claims.csv").read_bytes()
    assert "[claims-confirm.csv](claims-confirm.csv)" in page.read_text(encoding="utf-8")


def test_what_is_not_explained_is_an_error(folder: Path) -> None:
    """A verdict that differs needs a word, near its threshold or not."""
    (folder / "config" / "explained.yaml").write_text("", encoding="utf-8")
    confirm.freeze("claims changed", folder / "config")
    one = run(folder, "one", ledger("holds"), findings(1.0))
    again = run(folder, "other", ledger("not decided", "yes"), findings(1.0))
    assert confirm.compare(one, again, folder / "confirmed.md", folder / "config") == 1
    assert "not explained yet" in (folder / "confirmed.md").read_text(encoding="utf-8")


def test_what_decides_is_frozen_and_what_says_is_told(folder: Path) -> None:
    """A run of other tests is refused; of other sentences the page says which."""
    confirm.freeze("claims changed", folder / "config")
    one, again = (run(folder, name, ledger("holds"), findings(1.0)) for name in ("one", "other"))
    confirm.digests["says"]["words"] = "c"
    assert confirm.compare(one, again, folder / "confirmed.md", folder / "config") == 0
    assert "Said otherwise since it was frozen: words." in (folder / "confirmed.md").read_text(encoding="utf-8")
    confirm.digests["decides"]["tests"] = "d"
    with pytest.raises(SystemExit, match="changed since it was frozen: tests"):
        confirm.compare(one, again, folder / "confirmed.md", folder / "config")


def test_every_seed_is_logged_with_a_reason(folder: Path) -> None:
    """One that was never run says so; what does not decide draws none; a seed without a reason is refused."""
    where = folder / "config"
    with pytest.raises(SystemExit, match="--why"):
        confirm.freeze("", where)
    seeds = [confirm.freeze("claims changed", where)]
    confirm.digests["says"]["words"] = "a comma"
    seeds.append(confirm.freeze("", where))
    confirm.digests["decides"]["tests"] = "another"
    seeds.append(confirm.freeze("tests changed", where))
    assert seeds[0] == seeds[1] != seeds[2]
    rows = confirm.logged(where)
    assert [row["seed"] for row in rows] == ["1", str(seeds[0]), str(seeds[2])]
    assert [bool(row["result"]) for row in rows] == [True, True, False]
    assert f"root_seed: {seeds[2]}\n" in (where / "confirm.yaml").read_text(encoding="utf-8")


def test_a_person_can_send_the_stamp(folder: Path) -> None:
    """OpenSSL reads the request, which is of the digest of what is frozen."""
    confirm.freeze("claims changed", folder / "config")
    digest = confirm.digest((folder / "config" / "frozen.json").read_bytes())
    request = ["openssl", "ts", "-query", "-in", str(folder / "config" / "frozen.tsq"), "-text"]
    told = subprocess.run(request, check=True, capture_output=True, text=True).stdout
    shown = "".join(line[11:].split("   ")[0] for line in told.splitlines() if line.startswith("    00"))
    assert digest in shown.replace(" ", "").replace("-", "")


@pytest.fixture(scope="module")
def digests() -> dict[str, dict[str, str]]:
    """Return what is frozen of the repository."""
    found: dict[str, dict[str, str]] = confirm.frozen()
    return found


def test_all_that_a_verdict_imports_is_frozen(digests: dict[str, dict[str, str]]) -> None:
    """Tests of claims, computations, algorithms, settings, aggregation, streams; proofs, register and the count."""
    names = [
        *("claims.evaluate", "claims.judgement", "claims.kinds.trend", "core.verdicts", "core.streams"),
        *("runs.aggregate", "settings.stochastic.algorithms.dp_imed", "settings.linear.theory", "auditing.audit"),
        "papers.azize2025.computations.population",
    ]
    assert {f"code/dpbandits.{name}" for name in names} <= digests["decides"].keys()
    assert {"config", "config/asi2025", "tests/azize2025/claim-10x"} <= digests["decides"].keys()
    told = {
        "register/wu2025",
        "docs/proofs.md",
        "src/dpbandits/claims/counting.py",
        "sentences/azize2025/claim-10x",
    }
    assert told <= digests["says"].keys()
    assert not any("publish" in name or "figures" in name for name in digests["decides"])


def test_a_comma_draws_no_seed() -> None:
    """Words of a claim and of its tests are frozen apart; a threshold decides."""
    complete, claims = shipped.configuration(), shipped.claims()
    stated = claims["azize2025"].claims["thm3.1-lower"]

    def with_claim(changed: claim.Claim) -> dict[str, Any]:
        named = {**claims["azize2025"].claims, "thm3.1-lower": changed}
        papers = {**claims, "azize2025": claims["azize2025"].model_copy(update={"claims": named})}
        found: dict[str, Any] = confirm.configured(complete, papers)
        return found

    said = stated.model_copy(update={"statement": stated.statement + ",", "remark": "another"})
    test = stated.tests[0]
    worded = stated.model_copy(update={"tests": [test.model_copy(update={"effect": "another"}), *stated.tests[1:]]})
    other = stated.model_copy(
        update={"tests": [test.model_copy(update={"some": not test.some}), *stated.tests[1:]]}
    )
    assert with_claim(said) == with_claim(worded) == with_claim(stated) != with_claim(other)


def test_the_log_of_the_repository() -> None:
    """No seed twice, each with its reason, all but the last with a result; the last runs, and is what is frozen."""
    rows = confirm.logged(ROOT / "config")
    assert len({row["seed"] for row in rows}) == len(rows) >= 5
    assert all(row["why"] and row["drawn"] for row in rows)
    assert all(row["result"] for row in rows[:-1])
    assert f"root_seed: {rows[-1]['seed']}\n" in (ROOT / "config" / "confirm.yaml").read_text(encoding="utf-8")
    then = json.loads((ROOT / "config" / "frozen.json").read_text(encoding="utf-8"))
    if "decides" in then:
        assert str(confirm.fresh_seed(then["decides"])) == rows[-1]["seed"]


def test_a_confirmation_is_of_today_or_of_before(tmp_path: Path) -> None:
    """By the root seed and the frozen tests: as many claims as then are no confirmation."""
    claims = shipped.claims()
    code, now = {"code/a": "b", "config": "c"}, confirmation.tests(claims)

    def said(decides: dict[str, str], seed: int | None = None, result: str = "45 the same") -> bool:
        (tmp_path / "frozen.json").write_text(json.dumps({"decides": decides}), encoding="utf-8")
        drawn = f"{seed or confirm.fresh_seed(decides)},now,second,{result}"
        log = f"seed,drawn,why,result\n1,then,first,done\n{drawn}\n"
        (tmp_path / "seeds.csv").write_text(log, encoding="utf-8")
        return confirmation.of_today(claims, tmp_path)

    assert not confirmation.of_today(claims, tmp_path)
    assert said({**code, **now})
    # Not run yet; of a seed that nobody drew from this; of another test; of one claim more or less.
    assert not said({**code, **now}, result="")
    assert not said({**code, **now}, seed=1)
    first, *rest = now
    assert not said({**code, **now, first: "another"})
    assert not said({**code, **now, "tests/p/one-more": "another"})
    assert not said({**code, **{name: now[name] for name in rest}})


def test_only_what_samples_decide_is_counted() -> None:
    """A proof is the same twice, and what neither run decides confirms nothing."""
    for verdict, support, counts in (
        ("holds", "measured", 1),
        ("holds", "computed", 0),
        ("not decided", "measured", 0),
    ):
        both = confirm.compared(ledger(verdict, support=support), ledger(verdict, support=support))
        assert both["could_change"].sum() == counts
    assert confirm.compared(ledger("holds"), ledger("not decided"))["could_change"].sum() == 1


def test_parts_that_differ_stop_the_build(folder: Path) -> None:
    """Estimates six errors apart are found, in any two of five runs; those of another place are not compared."""
    drawn = [findings(1.0, 2.0) for _ in range(5)]
    drawn[3] = findings(1.0, 2.0 + 6.0 * math.sqrt(2.0) * 0.1)
    table = confirm.heterogeneity(
        [confirm.parts(run(folder, f"r{k}", ledger("holds"), x)) for k, x in enumerate(drawn)]
    )
    assert table["z"].abs().tolist() == pytest.approx([0.0, 6.0], abs=0.01)
    assert confirm.told(table, 5)[1]
    elsewhere = drawn[3].assign(environment="f")
    assert confirm.heterogeneity([drawn[0], elsewhere])["z"].isna().all()


def test_a_part_is_compared_with_itself_alone(folder: Path) -> None:
    """The second run reads one part less, at the front: the other one is compared, and what is left is counted."""
    both = confirm.parts(run(folder, "one", ledger("holds"), findings(1.0, 2.0)))
    table = confirm.heterogeneity([both, both.tail(1)])
    assert table["part"].tolist() == table["part_2"].tolist() == both["part"].tail(1).tolist()
    assert table["z"].tolist() == [0.0]
    assert "1 are read on one root seed alone" in confirm.told(table, 2)[0]
    # Words that tell what was measured differ; then the place counts.
    reworded = both.assign(part=[f"{part}, constant 2" for part in both["part"]], environment=["g", None])
    table = confirm.heterogeneity([both.assign(environment=["g", None]), reworded.tail(1)])
    assert table["part"].tolist() == both["part"].tail(1).tolist()
    # Several with the same words are numbered.
    alike = both.assign(part="x")
    assert confirm.heterogeneity([alike, alike])["z"].tolist() == [0.0, 0.0]


def test_equal_parts_seldom_stop_the_build() -> None:
    """Of normal estimates one set in a hundred does, whatever the number of parts: at most 12 of 300 sets."""
    rng = np.random.default_rng(3)
    for parts in (5, 1000):
        sets = np.abs(rng.standard_normal((300, parts))).max(axis=1)
        assert (sets > confirm.limit(parts)).sum() <= 12
    assert confirm.limit(5) == confirm.APART
