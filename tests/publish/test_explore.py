"""What the page *Try* is made of: Python that is translated, kernels that are compiled, and a page without them.

That the bytes are the native ones only a browser can say: `tests/system/browser/click_through.py` asks one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

import numba2wasm
from dpbandits.core import registry
from dpbandits.core.fields import Tuning, Values
from dpbandits.core.labels import LOOKS
from dpbandits.publish.explore import kernels
from dpbandits.publish.explore.translate import NotTranslated, Translator
from dpbandits.publish.html.build import kernel_script, try_page_names
from dpbandits.publish.html.pages import TEMPLATES, content_security_policy, page
from dpbandits.settings.adversarial.algorithms import agarwal_singh
from dpbandits.settings.stochastic.algorithms import dp_imed_long_start


def test_every_algorithm_is_translated() -> None:
    """None is missing on the page."""
    settings, missing = set(), set()
    for name in registry.modules("algorithm"):
        translator = Translator()
        settings.add(registry.setting("algorithm", name))
        try:
            translator.function(registry.algorithm(name).simulate)
        except NotTranslated:
            missing.add(name)
        else:
            assert translator.functions
    assert settings == set(kernels.ENVIRONMENTS)
    assert not missing


def test_what_is_translated_reads_as_it_did() -> None:
    """Arguments that have to be named come last; what is called is translated too; kernels are called by name."""
    translator = Translator()
    name = translator.function(dp_imed_long_start.simulate)
    (text,) = (found for found in translator.functions.values() if f"function {name}(" in found)
    assert "(runs, bandit, {epsilon, first, alpha})" in text
    assert "n0 = settings_stochastic_batches__long_start(first, epsilon, runs.horizon);" in text
    start = translator.functions["settings_stochastic_batches__long_start"]
    assert "return Math.ceil(Math.min((first / epsilon), Number(horizon)));" in start
    assert "own.cumulativePulls(n0, alpha, runs.horizon)" in text
    (call,) = translator.calls
    assert f'own.kernel("{call}", [runs, bandit, epsilon,' in text
    assert "settings_stochastic_batches__schedule" in translator.functions
    formulas = Translator()
    formulas.formula(agarwal_singh.ALGORITHM.parameters[0].default)  # type: ignore[arg-type]
    assert any("own.log((tuning.arms * tuning.horizon))" in text for text in formulas.functions.values())


def with_a_loop(tuning: Tuning, _: Values) -> float:
    """Return T, in a way that is not translated."""
    total = 0.0
    for _arm in range(tuning.arms):
        total += tuning.horizon / tuning.arms
    return total


def of_another_library(tuning: Tuning, _: Values) -> float:
    """Return 0, with a function that the page has not."""
    return math.sin(0.0 * tuning.horizon)


@pytest.mark.parametrize(("function", "what"), [(with_a_loop, "`for"), (of_another_library, "`math.sin`")])
def test_what_is_not_translated_is_said(function: Callable[..., Any], what: str) -> None:
    """And nothing of it is left behind."""
    translator = Translator()
    with pytest.raises(NotTranslated, match=what):
        translator.function(function)
    assert translator.functions == {}


def test_an_algorithm_that_cannot_be_had_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reason, which the page tells: its Python is not translated, or its kernel not compiled."""

    def not_compiled(*_: object) -> None:
        raise numba2wasm.NotCompiled("an argument of type x")

    monkeypatch.setattr(kernels, "compile_kernel", not_compiled)
    found = kernels.compile_group({"dp-imed": [], "imed": []})
    assert found["algorithms"] == found["kernels"] == {}
    assert found["refused"] == dict.fromkeys(
        ("dp-imed", "imed"), "its kernel cannot be compiled for browsers: an argument of type x"
    )
    translated = Translator.function
    monkeypatch.setattr(Translator, "function", lambda self, _: translated(self, with_a_loop))
    assert kernels.compile_group({"dp-imed": []})["refused"]["dp-imed"].startswith(
        "its Python has the statement `for"
    )


def test_without_a_linker_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The site is complete but for it."""
    monkeypatch.setattr(numba2wasm, "has_linker", lambda: False)
    found = kernels.link_groups([kernels.compile_in_child({"imed": []})])
    assert set(found) == {"missing"}
    shared = {"here": "try", "papers": [], "root_seed": 0, "version": "0", "released": "", "repository": ""}
    shared |= {"configfile": "", "command": lambda *_: "snakemake"}
    text = page("try.html.jinja2", **shared, **try_page_names({**found, "made_from": {}}))
    assert "the package ziglang" in text
    assert 'id="asked"' not in text


def test_kernels_come_in_a_script_beside_the_pages() -> None:
    """With the text of their worker; the page itself says of them what a reader chooses from."""
    content = {
        "algorithms": {"x": {"setting": "linear", "title": "DP-IMED"}, "y": {"setting": "linear", "title": "Y"}},
        "refused": {},
        "wasm": "AA==",
        "code": "",
        "made_from": {},
    }
    script = kernel_script(content)
    packed = json.loads(script.removeprefix("const KERNELS = ").removesuffix(";\n"))
    assert packed["wasm"] == "AA=="
    assert "onmessage" in packed["worker"]
    assert "made_from" not in packed
    assert try_page_names(content)["kernels"] == {
        "algorithms": content["algorithms"],
        "refused": {},
        "settings": {"linear": ["x", "y"]},
    }
    # A colour is the algorithm's, in figures too, wherever it stands on the page.
    colours = try_page_names(content)["drawn_in"]
    assert colours["x"] == LOOKS["DP-IMED"].colour
    assert set(colours) == {"x", "y"}


def test_no_page_allows_eval() -> None:
    """What runs kernels may compile them, and nothing else; what does not may not."""
    assert "'unsafe-eval'" not in content_security_policy("sort.js", compiles=True)
    assert "'wasm-unsafe-eval'" in content_security_policy("sort.js", compiles=True)
    assert "wasm" not in content_security_policy("sort.js")
    for file in TEMPLATES.glob("*.js"):
        assert "eval(" not in file.read_text(encoding="utf-8"), file.name


def test_a_conversion_is_offered_over_what_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A base whose kernel cannot be compiled is no choice on the page, and nothing is compared over it."""

    def offered(about: dict[str, object]) -> kernels.OfferedAlgorithm:
        return {"about": about, "functions": {}, "calls": []}

    natives = [{"parameters": {"base": base}} for base in ("exp3", "ftpl")]
    conversion = offered({"bases": ["exp3", "ftpl"], "references": natives})
    made: list[kernels.Group | kernels.NoKernels] = [
        {"algorithms": {"conversion": conversion}, "refused": {}, "kernels": {}},
        {"algorithms": {"exp3": offered({"bases": None})}, "refused": {"ftpl": "for a test"}, "kernels": {}},
    ]
    monkeypatch.setattr(numba2wasm, "link", lambda *_: b"")
    found = kernels.link_groups(made)
    assert "missing" not in found
    assert found["algorithms"] == {
        "conversion": {"bases": ["exp3"], "references": natives[:1]},
        "exp3": {"bases": None},
    }
    assert found["refused"] == {"ftpl": "for a test"}
