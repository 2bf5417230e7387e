import pytest
from opwright_build.workflow.opened.status import UsageError
from opwright_build.workflow.selection.language import select_identities

KNOWN = ["a.b::F@1", "a.b::F@7", "a.b::G@1", "c.d::F@1"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("F", ["a.b::F@1", "a.b::F@7", "c.d::F@1"]),
        ("F@1", ["a.b::F@1", "c.d::F@1"]),
        ("a.b/F", ["a.b::F@1", "a.b::F@7"]),
        ("a.b::F@7", ["a.b::F@7"]),
        ("specs/c.d/F", ["c.d::F@1"]),
        ("specs/c.d/F/", ["c.d::F@1"]),
        ("G", ["a.b::G@1"]),
    ],
)
def test_a_name_means_every_version_that_fits(text: str, expected: list[str]) -> None:
    assert select_identities(text, KNOWN) == expected


@pytest.mark.parametrize("text", ["H", "f", "c.d/G", "F@2", "", "@1", "a.b/"])
def test_a_name_that_means_none_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        select_identities(text, KNOWN)
    assert [item.code for item in caught.value.diagnostics] == ["OW907"]


def test_close_names_are_offered() -> None:
    with pytest.raises(UsageError) as caught:
        select_identities("Swihs", ["a.b::Swish@1", "a.b::Swish@2"])
    assert caught.value.diagnostics[0].help == "did you mean Swish?"
