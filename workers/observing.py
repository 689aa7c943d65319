"""From a target to what was seen of it: resolves the address, measures, and lets the probes go."""

import asyncio
from hashlib import sha256

from bundles.plan import Plan
from bundles.transcript import Transcript
from service.admission.model import Target
from service.settings import Settings
from service.signing import load_signer
from workers.budget import Budget, Caps
from workers.launchers import Launchers
from workers.probes.observation import Progress
from workers.probes.observe import observe


class TargetObserver:
    """Implements `workers.runner.Observer` over the probes and the operator's configuration."""

    def __init__(self, launchers: Launchers, digest_key: bytes, call_timeout_s: float) -> None:
        self._launchers = launchers
        self._call_timeout_s = call_timeout_s
        self._digest_key = digest_key

    @classmethod
    def from_settings(cls, settings: Settings) -> "TargetObserver":
        """Read the launchers file and the egress rules.

        Raises:
            Invalid, Refused: the launchers file or an egress entry cannot be used.
        """
        # Nobody without the signing key can compute the digests of raw, unredacted bytes.
        secret = load_signer(settings.signing_key).sign(b"bundlegate: raw transcript digests")
        launchers = Launchers.read(settings.launchers, egress=settings.egress_allow)
        return cls(launchers, sha256(secret).digest(), settings.call_timeout_s)

    async def __call__(
        self,
        plan: Plan,
        target: Target,
        artifact_digest: str,
        seconds: float,
        progress: Progress,
    ) -> Transcript:
        """Observe a target for at most `seconds`.

        Raises:
            BundlegateError: no attempt can be made: no such launcher or credential, an address no
                probe may reach, or another build where the candidate should be.
        """
        # Off the loop: what is measured may be a large file.
        endpoint, binding = await asyncio.to_thread(
            self._launchers.resolve, target, artifact_digest, None, plan.authorization
        )
        transcript = await observe(
            plan,
            endpoint,
            Budget(Caps(run_s=seconds, call_s=self._call_timeout_s)),
            progress,
            target=target.name,
            artifact_digest=artifact_digest,
            binding=binding,
            digest_key=self._digest_key,
        )
        # Several processes were started meanwhile: all from the same file only if it still is.
        await asyncio.to_thread(self._launchers.resolve, target, artifact_digest)
        return transcript
