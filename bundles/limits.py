"""Every bound on what is read. A refusal names the limit and the value that was met."""

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on an archive and on the documents inside it.

    Attributes:
        archive_bytes: compressed size of the archive.
        expanded_bytes: size of all files together.
        ratio: expanded ÷ compressed bytes, judged once `ratio_floor_bytes` were expanded (a tar of
            a few tiny files is nearly all padding, and no bomb).
        files: entries of an archive, directories included.
        path_bytes: one path, UTF-8.
        file_bytes: one file.
        depth: nesting of a JSON or YAML document.
        string_bytes: one string or key, UTF-8.
        document_nodes: values in one JSON document; bounds the memory a parsed document takes, and
            the processor time to read it exactly (15 µs a value).
        yaml_nodes: values and keys in one YAML document, which costs ten times as much to read.
        bundle_nodes: values in all documents of a bundle together, YAML weighed accordingly.
        tools: tools in one snapshot.
        schema_bytes: one JSON Schema, canonical bytes.
        schema_depth: subschemas nested inside each other, references followed.
        schema_branches: members of one anyOf, oneOf or allOf.
    """

    archive_bytes: int = 32 * MIB
    expanded_bytes: int = 128 * MIB
    ratio: int = 100
    ratio_floor_bytes: int = MIB
    files: int = 2_000
    path_bytes: int = 512
    file_bytes: int = 8 * MIB
    depth: int = 64
    string_bytes: int = MIB
    document_nodes: int = 100_000
    yaml_nodes: int = 25_000
    bundle_nodes: int = 300_000
    tools: int = 500
    schema_bytes: int = 256 << 10
    schema_depth: int = 100
    schema_branches: int = 64


DEFAULT_LIMITS = Limits()
