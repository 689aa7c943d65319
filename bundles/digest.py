"""Raw-byte digests, and the bundle digest: SHA-256 of a deterministic OCI image manifest.

The manifest names the bytes of every file and nothing else, so the digest does not depend on
archive format, order, times, owners or compression, and a bundle keeps it in any OCI registry.
"""

import hashlib
import re
from collections.abc import Mapping

from bundles.canonical import canonical_bytes
from bundles.errors import Invalid
from bundles.reasons import reason

DIGEST_MALFORMED = reason(
    "DIGEST_MALFORMED",
    "A digest is not of the form sha256:<64 lower-case hex digits>.",
    "Give the digest as printed by `bundlegate bundle digest` or your image tool; a tag or "
    "`latest` names no content.",
)

MANIFEST_MEDIA_TYPE = "application/vnd.oci.image.manifest.v1+json"
ARTIFACT_TYPE = "application/vnd.bundlegate.contract-bundle.v1"
TITLE = "org.opencontainers.image.title"

_EMPTY_CONFIG = {
    "mediaType": "application/vnd.oci.empty.v1+json",
    "digest": "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
    "size": 2,
}
# part of the digest's definition: a change here changes every bundle digest
_MEDIA_TYPES = {
    ".json": "application/json",
    ".md": "text/markdown",
    ".txt": "text/plain",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
_OTHER = "application/octet-stream"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def raw_digest(content: bytes) -> str:
    """The "sha256:<64 hex>" of the bytes as they are."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def is_digest(text: object) -> bool:
    """True for "sha256:<64 lower-case hex>"."""
    return isinstance(text, str) and _DIGEST.fullmatch(text) is not None


def parse_digest(text: str) -> str:
    """The digest, when it is one.

    Raises:
        Invalid: DIGEST_MALFORMED.
    """
    if is_digest(text):
        return text
    raise Invalid(
        DIGEST_MALFORMED,
        "this is no digest",
        seen=str(text)[:100],
        expected="sha256:<64 lower-case hex digits>",
    )


def media_type(path: str) -> str:
    """The media type a file has in the manifest, by its suffix."""
    dot = path.rfind(".", path.rfind("/") + 1)
    return _MEDIA_TYPES.get(path[dot:].lower(), _OTHER) if dot >= 0 else _OTHER


def oci_manifest(files: Mapping[str, bytes]) -> bytes:
    """The manifest of a bundle: one layer a file, sorted by path as UTF-8 bytes, RFC 8785."""
    layers = [
        {
            "mediaType": media_type(path),
            "digest": raw_digest(files[path]),
            "size": len(files[path]),
            "annotations": {TITLE: path},
        }
        for path in sorted(files, key=lambda path: path.encode("utf-8"))
    ]
    return canonical_bytes(
        {
            "schemaVersion": 2,
            "mediaType": MANIFEST_MEDIA_TYPE,
            "artifactType": ARTIFACT_TYPE,
            "config": _EMPTY_CONFIG,
            "layers": layers,
        }
    )


def bundle_digest(files: Mapping[str, bytes]) -> str:
    """The digest that identifies a bundle: SHA-256 of `oci_manifest`."""
    return raw_digest(oci_manifest(files))
