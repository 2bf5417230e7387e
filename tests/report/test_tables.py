from opwright_build.report.tables import counted, text_table


def test_columns_are_as_wide_as_they_need_to_be() -> None:
    assert text_table(["reason"], [["a\nb\x1b[2J"]]).splitlines()[2:] == ["a b\\x1b[2J"]
    assert text_table(["name", "n"], [["a", "1"], ["longer", "12"]], right=(1,)) == (
        "name     n\n------  --\na        1\nlonger  12"
    )


def test_counts_agree_with_their_nouns() -> None:
    assert counted(0, "file") == "0 files"
    assert counted(1, "file") == "1 file"
    assert counted(1234, "body", "bodies") == "1,234 bodies"
