"""The same bytes make the same reports, here and in the browser, today and later."""

import json

from tests.vectors.local_clients import FILE, written


def test_the_reports_of_given_bytes_have_not_changed():
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    assert json.loads(json.dumps(written())) == kept
    assert len(kept["vectors"]) > 300
