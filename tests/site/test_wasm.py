"""What the page *Try* is made of: Python that is translated, kernels that are compiled, and a page without them.

That the bytes are the native ones only a browser can say: `tests/system/browser/click_through.py` asks one.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dpbandits.core import registry
from dpbandits.core.algorithm import Tuning, Values
from dpbandits.settings.adversarial.algorithms import agarwal_singh
from dpbandits.settings.stochastic.algorithms import dp_imed_long_start
from dpbandits.site.build import tried
from dpbandits.site.pages import page
from dpbandits.site.wasm import emit, kernels
from dpbandits.site.wasm.translate import NotTranslated, Translator


def test_every_algorithm_is_translated() -> None:
    """One that is not is said to be missing on the page; today there is none."""
    settings = set()
    for name in registry.modules("algorithm"):
        translator = Translator()
        translator.function(registry.algorithm(name).simulate)
        assert translator.functions
        settings.add(registry.setting("algorithm", name))
    assert settings == set(kernels.ENVIRONMENTS)


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
    """With the reason, which the page tells."""
    translated = Translator.function
    monkeypatch.setattr(Translator, "function", lambda self, _: translated(self, with_a_loop))
    offer = kernels.Offer()
    offer.add("dp-imed")
    assert offer.algorithms == {}
    assert offer.refused["dp-imed"].startswith("its Python has the statement `for")
    offer.algorithms["exp3"] = {}
    offer.refuse("exp3", "an argument of type x")
    assert "exp3" not in offer.algorithms
    assert offer.refused["exp3"].endswith("an argument of type x")


def test_without_a_linker_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The site is complete but for it."""
    monkeypatch.setattr(emit, "linker", lambda: False)
    found = kernels.kernels()
    assert set(found) == {"missing"}
    shared = {"here": "try", "papers": [], "root_seed": 0, "version": "0"}
    text = page("try.html.jinja2", **shared, **tried({**found, "made_from": {}}))
    assert "the extra `site`" in text
    assert 'id="asked"' not in text


def test_text_of_the_kernels_cannot_end_their_script() -> None:
    """Whatever an algorithm calls itself."""
    content = {"algorithms": {"x": {"setting": "linear", "title": "</script>"}}, "refused": {}, "made_from": {}}
    assert "</" not in str(tried(content)["packed"])
    assert json.loads(tried(content)["packed"])["algorithms"]["x"]["title"] == "</script>"


# In a process of its own, as always: the kernels of this one are compiled for this processor.
ONE_KERNEL = """
import sys
from pathlib import Path
from dpbandits.core.compiled import KERNELS
from dpbandits.site.wasm import emit
from dpbandits.site.wasm.kernels import _examples
kernel = KERNELS["dpbandits.settings.stochastic.divergences", "kl"]
entry = emit.entry("kl", kernel, emit.types_of(_examples()["kl"]))
module, refused = emit.link([entry])
assert not refused, refused
assert entry.data() == {"slots": [[[0], "float", 0], [[1], "float", 0]], "result": "float"}
Path(sys.argv[1]).write_bytes(module)
"""


@pytest.mark.skipif(not emit.linker(), reason="the extra `site` is not installed")
def test_a_kernel_becomes_webassembly_that_needs_nothing(tmp_path: Path) -> None:
    """A valid file, of 64-bit memory, which imports nothing and exports the kernel."""
    made = tmp_path / "kl.wasm"
    subprocess.run([sys.executable, "-c", ONE_KERNEL, str(made)], env=os.environ | emit.GENERIC, check=True)
    sections = sections_of(made.read_bytes())
    assert 2 not in sections, "it imports something"
    for name in (b"kl", b"log", b"take", b"start_streams", b"sha256"):
        assert bytes([len(name)]) + name in sections[7]
    # Flags of the only memory: it has a largest size, and is addressed by 64 bits.
    assert sections[5][:2] == bytes([1, 5])


def sections_of(module: bytes) -> dict[int, bytes]:
    """Return the sections of a WebAssembly file, by number."""
    assert module[:8] == b"\0asm\1\0\0\0"
    found, at = {}, 8
    while at < len(module):
        number, at, size, shift = module[at], at + 1, 0, 0
        while True:
            byte = module[at]
            size, shift, at = size | (byte & 127) << shift, shift + 7, at + 1
            if byte < 128:
                break
        found[number] = module[at : at + size]
        at += size
    return found


def test_types_that_cannot_be_handed_over_are_refused() -> None:
    """Before anything is compiled."""
    import numba

    def first(given: Any) -> Any:
        return given[0]

    kernel = numba.njit(first)
    with pytest.raises(emit.NotCompiled, match="an argument of type"):
        emit.entry("first", kernel, (numba.typeof("text"),))
