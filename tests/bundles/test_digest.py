"""The bundle digest: two pinned examples, and independence of how the files were packed."""

import hashlib
import io
import json
import tarfile
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.archive import read_archive, write_tar, write_tar_gz
from bundles.digest import bundle_digest, oci_manifest, parse_digest, raw_digest
from bundles.errors import Invalid
from tests.bundles.archives import tar_gz_of, tar_of, zip_of

MINIMAL = {
    "bundle.yaml": b"contract_bundle:\n  contract_id: minimal\n  contract_version: 1.0.0\n"
    b'  protocol: {mcp: "2026-07-28"}\n  producer: {agent_id: minimal-server}\n'
}
MIXED = {
    "schemas/b.json": b'{"type": "object"}\n',
    "bundle.yaml": b"contract_bundle: {schemas: schemas/}\n",
    "schemas/B.json.bin": bytes(range(256)),
    "na\u00efve.md": b"",
    "\U0001f600.yml": b"a: 1\n",
    "\ufb33.txt": b"after the emoji in UTF-16, before it in UTF-8",
}


def test_the_minimal_example_has_its_pinned_digest():
    assert bundle_digest(MINIMAL) == (
        "sha256:0203ab05196db84edc7c6b3ade43e3152d15d5637b2a09c922d016b12b4fcfbe"
    )


def test_the_mixed_example_has_its_pinned_digest():
    assert bundle_digest(MIXED) == (
        "sha256:fba2f2bab9c8fc041fa01fd409050bbe79ff8e71f2a49e1e73b3b9dda6121561"
    )


def test_the_manifest_is_written_out_as_the_format_says():
    content = MINIMAL["bundle.yaml"]
    assert oci_manifest(MINIMAL).decode() == (
        '{"artifactType":"application/vnd.bundlegate.contract-bundle.v1",'
        '"config":{"digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",'
        '"mediaType":"application/vnd.oci.empty.v1+json","size":2},'
        '"layers":[{"annotations":{"org.opencontainers.image.title":"bundle.yaml"},'
        f'"digest":"sha256:{hashlib.sha256(content).hexdigest()}",'
        f'"mediaType":"application/yaml","size":{len(content)}}}],'
        '"mediaType":"application/vnd.oci.image.manifest.v1+json","schemaVersion":2}'
    )


def test_layers_are_in_the_order_of_their_paths_utf_8_bytes():
    layers = json.loads(oci_manifest(MIXED))["layers"]
    titles = [layer["annotations"]["org.opencontainers.image.title"] for layer in layers]
    assert titles == sorted(MIXED, key=str.encode)
    assert titles.index("\ufb33.txt") < titles.index("\U0001f600.yml")
    assert [layer["mediaType"] for layer in layers] == [
        "application/yaml",
        "text/markdown",
        "application/octet-stream",
        "application/json",
        "text/plain",
        "application/yaml",
    ]


names = st.text(st.sampled_from("abcdef123é日"), min_size=1, max_size=6)
paths = st.lists(names, min_size=1, max_size=3).map("/".join)


content = st.binary(max_size=300).map(b"-".__add__)  # never the beginning of an archive


@st.composite
def file_sets(draw):
    """Files whose paths do not collide."""
    files = {}
    for path, written in draw(st.dictionaries(paths, content, max_size=6)).items():
        taken = [*files, path]
        if not any(a != b and a.startswith(b + "/") for a in taken for b in taken):
            files[path] = written
    return {"bundle.yaml": b"x", **files}


@settings(max_examples=60, deadline=None)
@given(file_sets(), st.randoms(use_true_random=False), st.integers(0, 2_000_000_000))
def test_the_digest_depends_on_the_files_alone(files, random, mtime):
    wanted = bundle_digest(files)
    order = list(files)
    random.shuffle(order)
    shuffled = {path: files[path] for path in order}
    packed = [
        tar_of(shuffled, mtime=mtime, owner="someone"),
        tar_of(shuffled, form=tarfile.GNU_FORMAT, prefix="./"),
        tar_gz_of(shuffled, mtime=mtime),
        zip_of(shuffled, when=(1980 + mtime % 100, 1 + mtime % 12, 1, 2, 3, 4)),
        zip_of(shuffled, method=zipfile.ZIP_STORED),
        write_tar(shuffled),
        write_tar_gz(shuffled),
    ]
    assert {bundle_digest(read_archive(io.BytesIO(one))) for one in packed} == {wanted}


@settings(max_examples=60, deadline=None)
@given(file_sets(), st.data())
def test_any_change_of_name_or_content_changes_the_digest(files, data):
    path = data.draw(st.sampled_from(sorted(files)))
    changed = dict(files)
    if data.draw(st.booleans()):
        changed[path] = files[path] + b"!"
    else:
        changed[path + "!"] = changed.pop(path)
    assert bundle_digest(changed) != bundle_digest(files)


def test_the_tar_written_is_the_same_bytes_every_time():
    assert write_tar(MIXED) == write_tar(dict(reversed(MIXED.items())))
    assert write_tar_gz(MIXED) == write_tar_gz(dict(reversed(MIXED.items())))


@pytest.mark.parametrize("text", ["latest", "", "sha256:", "sha256:" + "A" * 64, "md5:" + "0" * 32])
def test_what_is_no_digest_is_refused(text):
    with pytest.raises(Invalid) as refusal:
        parse_digest(text)
    assert refusal.value.reason_code == "DIGEST_MALFORMED"
    assert refusal.value.expected == "sha256:<64 lower-case hex digits>"


def test_a_digest_is_returned_as_it_is():
    assert parse_digest(raw_digest(b"")) == (
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )
