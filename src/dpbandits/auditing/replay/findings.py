"""Findings of a search so far: its coverage, the worst transcript, and ways in which the recorder is bypassed."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from dpbandits.auditing.check import OWN, check
from dpbandits.auditing.explain import explain
from dpbandits.auditing.replay.case_replayer import CaseReplayer, Neighbour
from dpbandits.auditing.replay.losses import Losses
from dpbandits.auditing.replay.settings import ROUNDING, SETTINGS
from dpbandits.auditing.replay.witness import (
    ALONE,
    FAR_OUT,
    Claim,
    Coverage,
    Sides,
    ViolationFound,
    Witness,
    certificate,
)
from dpbandits.auditing.told import without_effect
from dpbandits.auditing.transcript import Fault, Transcript
from dpbandits.core import recorder as at
from dpbandits.core.gaussian import NORMAL
from dpbandits.core.mechanisms import DISCRETE_LAPLACE, DISCRETE_NORMAL, RESPONSE

# Names of mechanisms, by the law that a release or an offer records.
RELEASES = {
    at.LAPLACE: "Laplace noise",
    NORMAL: "normal noise",
    DISCRETE_LAPLACE: "discrete Laplace noise",
    DISCRETE_NORMAL: "discrete normal noise",
    RESPONSE: "randomised response",
    at.GAP: "the gap of a selection",
}
SELECTIONS = {
    at.LAPLACE: "report-noisy-max with Laplace noise",
    at.GUMBEL: "report-noisy-max with Gumbel noise",
    at.EXPONENTIAL: "permute-and-flip",
}


class Findings:
    """Findings so far of a search for transcripts that contradict a claim.

    Parameters
    ----------
    claim
        The claim that transcripts may contradict.

    Attributes
    ----------
    epsilon, approximate
        The claimed budget, and whether the claim has a delta above 0.
    coverage
        Extent of the search.
    worst
        Witness of the transcript with the largest loss; ``None`` before there is one.
    refused
        The first way in which the algorithm bypassed the recorder, in words; empty if none was seen.
    seen
        Whether anything was released through the recorder.
    noise_alone
        Whether every output was a release of the value 0.
    unrecorded
        Whether some run released nothing, while its decisions depend on inputs or are not recorded.
    hidden
        Witness of a decision that depends on inputs, in a run that released nothing.
    suspicious
        Witnesses of violations whose certificates the checker did not accept, each with the checker's reason.
    """

    def __init__(self, claim: Claim) -> None:
        """Start with nothing found."""
        self.claim, self.epsilon, self.approximate = claim, claim.epsilon, claim.delta > 0.0
        self.suspicious: list[tuple[Witness, str]] = []
        self.coverage = Coverage()
        self.worst: Witness | None = None
        self.refused = ""
        self.seen = self.unrecorded = False
        self.noise_alone = True
        self.hidden: Witness | None = None

    def add_run(self, base: Transcript) -> None:
        """Note the outputs, mechanisms and faults of a run on its original inputs."""
        released, offers = base.row_numbers(at.RELEASED), base.row_numbers(at.OFFERED)
        outputs = base.outputs.size
        self.coverage.outputs += outputs
        self.coverage.mechanisms |= {RELEASES[int(law)] for law in np.unique(base.events[released, at.HOW])}
        self.coverage.mechanisms |= {SELECTIONS[int(law)] for law in np.unique(base.events[offers, at.HOW])}
        self.coverage.mechanisms |= {"sparse vector"} if base.row_numbers(at.CONCEALED).size else set()
        self.seen = self.seen or outputs > 0
        self.noise_alone = (
            self.noise_alone and released.size == outputs and not base.numbers[released, at.VALUE].any()
        )
        for fault in base.faults:
            self.refuse(fault)

    def refuse(self, fault: Fault) -> None:
        """Note that the algorithm is refused for a fault; the first one stays."""
        if not self.refused:
            self.refused = fault.words + (f" (after round {fault.round})" if fault.round else "")

    @property
    def proved(self) -> bool:
        """Whether the worst transcript is a violation, whose certificate the checker has accepted."""
        return self.worst is not None and bool(self.worst.violation)

    @property
    def proved_infinite(self) -> bool:
        """Whether an infinite loss is proved: no search can find a larger one."""
        return self.proved and self.worst is not None and math.isinf(self.worst.loss)

    def stopped(self, enough: int) -> bool:
        """Tell whether to end the search: outputs bypass the recorder, or the checker rejects what is found.

        The first is so if nothing was released, and decisions depend on inputs or are not recorded. The second is
        so if ``enough`` cases were examined and at least four violations were not accepted.
        """
        unclear = len(self.suspicious) >= SETTINGS.rejected and self.coverage.cases >= enough
        return (self.unrecorded and not self.seen) or unclear

    def judge(self, found: ViolationFound) -> None:
        """Raise the violation ``found`` if the checker accepts its certificate, otherwise keep it as suspicious.

        A loss that the checker excuses, averaged over the program's coins (draws that are not noise), is dropped.
        So is a loss that is not larger than the largest of four or more that were rejected.

        Raises
        ------
        ViolationFound
            If the checker accepts the certificate.
        """
        made, rejected = found.witness.certificate, [witness.loss for witness, _ in self.suspicious]
        if len(rejected) >= SETTINGS.rejected and found.witness.loss <= max(rejected):
            # A check takes seconds, and as large a loss was not accepted several times.
            return
        ruling = None if made is None else check(made, OWN)
        if ruling is not None and ruling.accepted:
            assert made is not None
            why = explain(made)
            details = f"{found.witness.details}; {why}" if why else found.witness.details
            raise ViolationFound(dataclasses.replace(found.witness, details=details))
        if ruling is not None and ruling.excused:
            return
        words = "no two neighbours were found that show it" if ruling is None else ruling.words
        self.suspicious.append((found.witness, words))

    def add_loss(
        self,
        replayer: CaseReplayer,
        sides: Sides,
        base: Transcript,
        lost: Losses,
        neighbour: Neighbour,
    ) -> None:
        """Keep the transcript of a run as the worst so far if it loses more than the others.

        Of a loss beyond the claim, outputs that decide nothing are left out first.

        Parameters
        ----------
        replayer
            The replayer of the case.
        sides
            The two neighbouring inputs.
        base
            The run on the first input.
        lost
            The privacy losses of the run's outputs.
        neighbour
            The reward in which the inputs differ.

        Raises
        ------
        ViolationFound
            If the loss is larger than the claim, and than the worst so far.
        """
        loss, most = lost.total(self.claim.delta), self.epsilon * (1.0 + ROUNDING)
        if self.worst is not None and loss <= self.worst.loss:
            return
        made = certificate(replayer, sides, base, base.last_decision, self.claim)
        if loss > most:
            lost = lost.of(~np.isin(base.events[lost.rows, at.WHICH], list(without_effect(made))))
            loss = lost.total(self.claim.delta)
        moved = np.flatnonzero(lost.most > 0.0)
        details = "; ".join(f"{base.describe(int(lost.rows[i]))} loses {abs(lost.loss[i]):.6g}" for i in moved[:4])
        violated = loss > most
        # Normal noise is possible on both inputs: its loss is finite for each output, and has no bound over all.
        unbounded = math.isinf(loss) and not self.approximate and math.isfinite(lost.loss.sum())
        amount = "any amount by its normal noise" if unbounded else f"{loss:.6g}"
        violation = f"a transcript loses {amount}, more than {self.epsilon:g}" if violated else ""
        why = FAR_OUT if unbounded else ALONE
        witness = Witness(loss, violation, details, replayer.case, neighbour, made, why)
        if violated:
            raise ViolationFound(witness)
        if self.worst is None or loss > self.worst.loss:
            self.worst = witness
