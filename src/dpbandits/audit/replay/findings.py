"""Findings of a search so far: its coverage, the worst transcript, and ways in which the recorder is bypassed."""

from __future__ import annotations

import numpy as np

from dpbandits.audit.replay.case_replayer import CaseReplayer
from dpbandits.audit.replay.losses import Losses
from dpbandits.audit.replay.settings import ROUNDING
from dpbandits.audit.replay.witness import Coverage, Neighbour, ViolationFound, Witness
from dpbandits.audit.transcript import Fault, Transcript
from dpbandits.core import recorder as at
from dpbandits.core.gaussian import NORMAL

# Names of mechanisms, by the law that a release or an offer records.
RELEASES = {at.LAPLACE: "Laplace noise", NORMAL: "normal noise"}
SELECTIONS = {
    at.LAPLACE: "report-noisy-max with Laplace noise",
    at.GUMBEL: "report-noisy-max with Gumbel noise",
    at.EXPONENTIAL: "permute-and-flip",
}


class Findings:
    """Findings of a search for transcripts that contradict a claim.

    Parameters
    ----------
    epsilon
        The claimed budget.
    approximate
        Whether the claim is (epsilon, delta)-differential privacy.

    Attributes
    ----------
    coverage
        Extent of the search.
    worst
        The transcript with the largest loss.
    refused
        The first way in which the algorithm bypassed the recorder, in words.
    seen
        Whether anything was released through the recorder.
    noise_alone
        Whether every release was of the value 0.
    unrecorded
        Whether some run released nothing, while its decisions depend on inputs or are not recorded.
    hidden
        A decision that depends on inputs in a run that released nothing.
    """

    def __init__(self, epsilon: float, approximate: bool) -> None:
        self.epsilon, self.approximate = epsilon, approximate
        self.coverage = Coverage()
        self.worst: Witness | None = None
        self.refused = ""
        self.seen = self.unrecorded = False
        self.noise_alone = True
        self.hidden: Witness | None = None

    def add_run(self, base: Transcript) -> None:
        """Add the outputs and faults of a run on its original inputs."""
        released, offers = base.rows(at.RELEASED), base.rows(at.OFFERED)
        outputs = base.outputs.size
        self.coverage.outputs += outputs
        self.coverage.mechanisms |= {RELEASES[int(law)] for law in np.unique(base.events[released, 2])}
        self.coverage.mechanisms |= {SELECTIONS[int(law)] for law in np.unique(base.events[offers, 2])}
        self.seen = self.seen or outputs > 0
        self.noise_alone = self.noise_alone and released.size == outputs and not base.numbers[released, 0].any()
        for fault in base.faults:
            self.refuse(fault)

    def refuse(self, fault: Fault) -> None:
        """Refuse the algorithm for a fault, unless it is refused already."""
        if not self.refused:
            self.refused = fault.words + (f" (after round {fault.round})" if fault.round else "")

    def add_loss(
        self, replayer: CaseReplayer, base: Transcript, lost: Losses, loss: float, neighbour: Neighbour
    ) -> None:
        """Add the loss of a transcript on two neighbouring inputs.

        Raises
        ------
        ViolationFound
            If the loss is larger than the claim.
        """
        if self.worst is not None and loss <= self.worst.loss:
            return
        moved = np.flatnonzero(lost.most > 0.0)
        details = "; ".join(f"{base.describe(int(lost.rows[i]))} loses {abs(lost.loss[i]):.6g}" for i in moved[:4])
        violated = loss > self.epsilon * (1.0 + ROUNDING)
        violation = f"a transcript loses {loss:.6g}, more than {self.epsilon:g}" if violated else ""
        self.worst = Witness(loss, violation, details, replayer.case, neighbour)
        if violated:
            raise ViolationFound(self.worst)
