from scripts import make_proofs


def test_the_proofs_that_the_browser_is_tested_with_are_fresh() -> None:
    assert make_proofs.FILE.read_text() == make_proofs.vectors()
