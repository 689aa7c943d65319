"""Published reason codes: written down, never dropped, never given another meaning."""

from dataclasses import replace

from bundlegate.lock import all_codes
from bundles.catalogue import checks_catalogue, reasons_catalogue
from bundles.check import registry
from bundles.lock import broken_promises, published, read_lock, write_lock


def test_every_code_of_the_product_is_in_the_lock_with_its_meaning():
    now = all_codes()
    assert broken_promises(published(), now) == ()
    assert now.keys() <= published().keys(), "run: python -m bundlegate.lock"


def test_dropping_a_code_or_changing_its_meaning_is_told():
    before = published()
    code = next(iter(before))
    without = {key: entry for key, entry in before.items() if key != code}
    changed = {**before, code: replace(before[code], meaning="something else")}
    reworded = {**before, code: replace(before[code], next_step="something better")}
    assert broken_promises(before, without) == (f"{code} has disappeared",)
    assert broken_promises(before, changed) == (f"{code} has changed its meaning",)
    assert broken_promises(before, reworded) == ()


def test_the_lock_reads_back_as_it_was_written():
    assert read_lock(write_lock(published())) == published()


def test_the_catalogue_names_every_check_and_every_code():
    checks = checks_catalogue()
    assert [entry["id"] for entry in checks] == list(registry())
    assert all(entry["title"] and entry["blocks"] and entry["spec"] for entry in checks)
    codes = {entry["code"]: entry for entry in reasons_catalogue()}
    assert all(codes[entry["reason_code"]]["check"] == entry["id"] for entry in checks)
    assert all(entry["meaning"] and entry["next_step"] for entry in codes.values())
