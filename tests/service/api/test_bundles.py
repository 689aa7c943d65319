"""Submitting bundles and reading them back."""

import io
import tarfile
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import httpx2
import pytest

from bundles.archive import read_archive, write_tar, write_tar_gz
from bundles.digest import bundle_digest
from tests.fixtures.house import EVERY_SCOPE, House, Visitor, bundle_files, problem


def test_a_new_bundle_is_201_and_the_same_content_again_200(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    files = bundle_files()
    first = visitor.http.post("/v1/bundles", content=write_tar_gz(files))
    again = visitor.http.post("/v1/bundles", content=write_tar(files))
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["bundle"] == again.json()["bundle"]
    assert first.json()["bundle"]["digest"] == bundle_digest(files)
    assert first.json()["verdict"] == "PASS", first.json()["findings"]
    assert first.headers["location"] == f"/v1/bundles/{bundle_digest(files)}"


def test_a_hundred_identical_submissions_at_once_give_one_row(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    archive = write_tar_gz(bundle_files())

    def submit(_: int) -> httpx2.Response:
        return visitor.http.post("/v1/bundles", content=archive)

    with ThreadPoolExecutor(25) as pool:
        answers = list(pool.map(submit, range(100)))
    assert sorted(a.status_code for a in answers) == [200] * 99 + [201]
    assert len({a.json()["bundle"]["digest"] for a in answers}) == 1
    assert len(visitor.http.get("/v1/bundles").json()["items"]) == 1


def test_files_of_a_form_make_the_same_bundle_as_their_archive(visitor: Visitor) -> None:
    files = bundle_files()
    parts = {path: (path, content) for path, content in files.items()}
    answer = visitor.http.post("/v1/bundles", files=parts)
    assert answer.status_code == 201, answer.text
    assert answer.json()["bundle"]["digest"] == bundle_digest(files)


def test_a_form_with_the_same_path_twice_is_refused(visitor: Visitor) -> None:
    part = ("bundle.yaml", ("x", bundle_files()["bundle.yaml"]))
    problem(visitor.http.post("/v1/bundles", files=[part, part]), 422)


def test_a_form_with_a_field_that_is_no_file_is_refused(visitor: Visitor) -> None:
    answer = visitor.http.post(
        "/v1/bundles", files={"bundle.yaml": b"x"}, data={"comment": "hello"}
    )
    assert problem(answer, 400, "REQUEST_INVALID")["path"] == "body"


def test_a_form_cannot_leave_the_bundle(visitor: Visitor) -> None:
    files = {**bundle_files(), "../evil": b"x"}
    parts = {path: ("x", content) for path, content in files.items()}
    problem(visitor.http.post("/v1/bundles", files=parts), 422)


@pytest.mark.parametrize(
    "content",
    [b"", b"nonsense", b"PK\x03\x04 broken", b"\x1f\x8b broken", write_tar({"a.txt": b"x"})],
)
def test_what_is_no_bundle_is_422_and_stores_nothing(visitor: Visitor, content: bytes) -> None:
    problem(visitor.http.post("/v1/bundles", content=content), 422)
    assert visitor.http.get("/v1/bundles").json()["items"] == []


def test_an_archive_over_the_limit_is_413(visitor: Visitor) -> None:
    chunk = b"\0" * (1 << 20)
    answer = visitor.http.post("/v1/bundles", content=(chunk for _ in range(33)))
    problem(answer, 413)


def test_a_link_in_an_archive_is_refused_by_name(visitor: Visitor) -> None:
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w") as archive:
        link = tarfile.TarInfo("bundle.yaml")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    answer = visitor.http.post("/v1/bundles", content=sink.getvalue())
    assert problem(answer, 422, "ENTRY_LINK")["path"] == "bundle.yaml"


def test_the_same_version_with_other_content_is_409_with_what_differs(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    name = f"c-{uuid4().hex[:8]}"
    visitor.push(bundle_files(name))
    changed = bundle_files(name)
    changed["bundle.yaml"] += b"# changed\n"
    answer = visitor.http.post("/v1/bundles", content=write_tar(changed))
    assert "bundle.yaml" in str(problem(answer, 409, "CONTRACT_VERSION_TAKEN")["seen"])


def test_an_idempotency_key_gives_the_first_answer_and_refuses_other_content(
    visitor: Visitor,
) -> None:
    headers = {"Idempotency-Key": uuid4().hex}
    files = bundle_files()
    first = visitor.http.post("/v1/bundles", content=write_tar(files), headers=headers)
    again = visitor.http.post("/v1/bundles", content=write_tar(files), headers=headers)
    other = visitor.http.post("/v1/bundles", content=write_tar(bundle_files()), headers=headers)
    assert first.json()["bundle"] == again.json()["bundle"]
    problem(other, 409, "IDEMPOTENCY_KEY_REUSED")


@pytest.mark.parametrize("key", ["", "two words", "x" * 256])
def test_a_malformed_idempotency_key_is_refused(visitor: Visitor, key: str) -> None:
    answer = visitor.http.post(
        "/v1/bundles", content=write_tar(bundle_files()), headers={"Idempotency-Key": key}
    )
    problem(answer, 400)


def test_files_and_archive_come_back_byte_exact(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    files = bundle_files()
    digest = visitor.push(files)["bundle"]["digest"]
    one = visitor.http.get(f"/v1/bundles/{digest}/files/bundle.yaml")
    assert one.content == files["bundle.yaml"]
    assert one.headers["content-type"] == "application/octet-stream"
    assert one.headers["content-disposition"] == "attachment"
    packed = visitor.client.archive(digest)
    assert packed == visitor.client.archive(digest)
    assert read_archive(io.BytesIO(packed)) == files


def test_a_file_that_is_not_there_is_404(visitor: Visitor) -> None:
    digest = visitor.push(bundle_files())["bundle"]["digest"]
    for path in ("none.txt", "..%2Fbundle.yaml", "a%2F..%2Fbundle.yaml", "%00", "bundle.yaml%00"):
        problem(visitor.http.get(f"/v1/bundles/{digest}/files/{path}"), 404)


@pytest.mark.parametrize("part", ["", "/files/bundle.yaml", "/archive"])
def test_an_immutable_read_has_a_strong_etag(visitor: Visitor, part: str) -> None:
    digest = visitor.push(bundle_files())["bundle"]["digest"]
    url = f"/v1/bundles/{digest}{part}"
    tag = visitor.http.get(url).headers["etag"]
    assert tag.startswith('"')
    for sent in (tag, f'"other", {tag}', "*", f"W/{tag}"):
        same = visitor.http.get(url, headers={"If-None-Match": sent})
        assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    assert visitor.http.get(url, headers={"If-None-Match": '"other"'}).status_code == 200


def test_an_etag_is_no_way_around_the_namespace(house: House, visitor: Visitor) -> None:
    digest = visitor.push(bundle_files())["bundle"]["digest"]
    stranger = house.visitor(*EVERY_SCOPE)
    for part in ("", "/files/bundle.yaml", "/archive"):
        answer = stranger.http.get(f"/v1/bundles/{digest}{part}", headers={"If-None-Match": "*"})
        problem(answer, 404, "BUNDLE_UNKNOWN")


def test_pages_together_are_the_whole_list_once(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    pushed = [visitor.push(bundle_files())["bundle"]["digest"] for _ in range(5)]
    seen, cursor = [], None
    while True:
        params = {"limit": 2, **({"cursor": cursor} if cursor else {})}
        page = visitor.http.get("/v1/bundles", params=params).json()
        seen += [item["digest"] for item in page["items"]]
        assert len(page["items"]) <= 2
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == pushed[::-1]


def test_filters_narrow_the_list(visitor: Visitor) -> None:
    mine = visitor.push(bundle_files("contract-one"))["bundle"]
    visitor.push(bundle_files("contract-two"))
    for filters in ({"contract_id": "contract-one"}, {"digest": mine["digest"]}):
        items = visitor.http.get("/v1/bundles", params=filters).json()["items"]
        assert [item["digest"] for item in items] == [mine["digest"]]
    assert visitor.http.get("/v1/bundles?producer=nobody").json()["items"] == []
