"""Differences of two runs by hand: verdicts, effects, audits and figures, each with why it may be."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from dpbandits.core.errors import BadInput
from dpbandits.integrity import compare

CONFIGURATION: dict[str, Any] = {
    "root_seed": 1,
    "folders": {"results": "a/results", "figures": "a/figures"},
    "papers": {"p": {"x": 1, "y": 2}, "q": {"z": 1}},
    "threads": 2,
    "confidence": 0.95,
}
CLAIM = {"paper": "p", "id": "c", "verdict": "holds", "effect": "e", "near_threshold": "", "runs": "20"}
AUDIT = {"algorithm": "g", "base": "", "epsilon": "1.0", "verdict": "consistent", "audited": "1", "witness": "w"}


def table(rows: list[dict[str, str]]) -> str:
    """Return rows as CSV."""
    return "\n".join([",".join(rows[0]), *(",".join(row.values()) for row in rows)]) + "\n"


def finished(root: Path, name: str, **changed: Any) -> Path:
    """Write a finished run; return its folder of results."""
    results, figures = root / name / "a" / "results", root / name / "a" / "figures" / "p"
    (results / "p" / "claims").mkdir(parents=True)
    figures.mkdir(parents=True)
    configuration = CONFIGURATION | changed.get("configuration", {})
    (results / "config.json").write_text(json.dumps({"configuration": configuration}), encoding="utf-8")
    claims = changed.get("claims", [CLAIM])
    (results / "claims.csv").write_text(table(claims), encoding="utf-8")
    if "audits" in changed:
        (results / "privacy.csv").write_text(table(changed["audits"]), encoding="utf-8")
        (results / "privacy.json").write_text(json.dumps({"versions": {"v": name}}), encoding="utf-8")
    seal = {"made_from": {"definition": 1, "sources": "m 1, n 2"}, "versions": {"numpy": "2"}, "commit": "k"}
    (results / "p" / "claims" / "c.json").write_text(json.dumps(seal | changed.get("seal", {})), encoding="utf-8")
    for figure, own in changed.get("figures", {"f": {}}).items():
        files = {"f.csv": "d" * 9, "f.png": "e" * 9}
        (figures / f"{figure}.json").write_text(json.dumps({"files": files} | seal | own), encoding="utf-8")
    return results


def found(root: Path, **changed: Any) -> list[tuple[str, ...]]:
    """Return the differences of a run from the plain one, without reasons."""
    one, other = finished(root, "one", audits=[AUDIT]), finished(root, "other", **{"audits": [AUDIT], **changed})
    return [each[:4] for each in compare.differences(one, other)]


def test_the_same(tmp_path: Path) -> None:
    """Also where folders, threads or pictures of another commit differ."""
    other = {"root_seed": 1, "threads": 9, "seeds_per_job": 3}
    pictures = {"f": {"commit": "other", "files": {"f.csv": "d" * 9, "f.png": "x"}}}
    assert found(tmp_path, configuration=other, figures=pictures) == []
    assert (
        compare.text([])
        == "the same: verdicts, effects, audits and figures"
        == compare.markdown([], "a", "b").strip()
    )


def test_what_differs(tmp_path: Path) -> None:
    """In the order of verdicts, effects, audits, figures."""
    claims = [{**CLAIM, "id": "d", "runs": "21"}, {**CLAIM, "verdict": "does not hold", "runs": "30"}]
    one = finished(
        tmp_path, "one", audits=[AUDIT], claims=[CLAIM, {**CLAIM, "id": "d"}], figures={"f": {}, "h": {}}
    )
    other = finished(
        tmp_path,
        "other",
        audits=[{**AUDIT, "base": "b"}, {**AUDIT, "witness": "other"}],
        claims=claims,
        figures={"f": {"commit": "o", "files": {"f.csv": "x" * 9, "f.png": "e" * 9}}, "i": {}},
    )
    shown = compare.differences(one, other)
    assert [each[:4] for each in shown] == [
        ("verdict", "p c", "holds, 20", "does not hold, 30"),
        ("effect", "p d", "20", "21"),
        ("audit", "g 1.0", "w", "other"),
        ("audit", "g b 1.0", "not there", "consistent"),
        ("figure", "p f (f.csv)", "dddddddd", "xxxxxxxx"),
        ("figure", "p h", "there", "not there"),
        ("figure", "p i", "not there", "there"),
    ]
    assert [each.reasons for each in shown[2:4]] == [("version: v one, other",)] * 2
    assert compare.text(shown).endswith("differ: 1 verdict, 1 effect, 2 audits, 3 figures")
    assert "verdict  p c\n         holds, 20\n" in compare.text(shown)
    assert "why: not told by the seals" in compare.text(shown)
    assert "| verdict | p c | holds, 20 | does not hold, 30 | not told" in compare.markdown(shown, "one", "other")


def test_pictures_of_one_commit_are_compared(tmp_path: Path) -> None:
    """And those of other versions, and with other files beside them."""
    files = {"f.csv": "d" * 9, "f.png": "x" * 9}
    assert found(tmp_path, figures={"f": {"files": files}}) == [("figure", "p f (f.png)", "eeeeeeee", "xxxxxxxx")]
    more = {"commit": "o", "files": files, "versions": {"numpy": "3"}}
    assert len(found(tmp_path / "b", figures={"f": more})) == 1
    gone = {"commit": "o", "files": {"f.csv": "d" * 9}, "made_from": {}}
    assert found(tmp_path / "c", figures={"f": gone}) == [("figure", "p f (f.png)", "eeeeeeee", "not there")]


def test_reasons(tmp_path: Path) -> None:
    """Seeds, configurations of this paper and of all, sources, definitions and versions; five sources at most."""
    changed = {"root_seed": 2, "confidence": 0.9, "papers": {"p": {"x": 1, "y": 3, "n": 0}, "q": {"z": 9}}}
    seal = {"made_from": {"definition": 2, "sources": "m 1, n 3, o 1"}, "versions": {"pandas": "1"}}
    one = finished(tmp_path, "one")
    other = finished(
        tmp_path, "other", configuration=changed, seal=seal, claims=[{**CLAIM, "effect": "f"}], figures={}
    )
    claim, figure = compare.differences(one, other)
    settings = ("seed: root seed 1, 2", "configuration: confidence, p.n, p.y")
    versions = "version: numpy 2, not there; pandas not there, 1"
    assert claim.reasons == (*settings, "source: n, o", "configuration", versions)
    assert claim[:4] == ("effect", "p c", "e", "f") and figure.reasons == settings
    texts = [
        ", ".join(f"m{i} {digest}" for i in range(count))
        for digest, count in (("1", 5), ("2", 5), ("1", 6), ("2", 6))
    ]
    five, six = (
        compare.reasons({"made_from": {"sources": texts[i]}}, {"made_from": {"sources": texts[i + 1]}})
        for i in (0, 2)
    )
    assert five == ["source: m0, m1, m2, m3, m4"] and six == ["source: m0, m1, m2, m3, m4 and 1 more"]


def test_what_is_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another folder or file, or a table that is too large."""
    one = finished(tmp_path, "one")
    (tmp_path / "no").write_text("x", encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "bare.zip", "w") as bare:
        bare.writestr("a", "b")
    for path, words in (("", "no config.json"), ("no", "no zip file"), ("bare.zip", "a zip file that is no crate")):
        with pytest.raises(BadInput, match=words):
            compare.differences(tmp_path / path, one)
    (one / "claims.csv").unlink()
    with pytest.raises(BadInput, match=r"no claims.csv"):
        compare.Run(one)
    two = finished(tmp_path, "two")
    size = len((two / "config.json").read_bytes())
    monkeypatch.setattr(compare, "LARGEST", size)
    assert compare.Run(two).configuration == CONFIGURATION
    monkeypatch.setattr(compare, "LARGEST", size - 1)
    with pytest.raises(ValueError, match="more than"):
        compare.Run(two)
