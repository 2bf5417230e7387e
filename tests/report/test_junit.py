import xml.etree.ElementTree as ElementTree

from opwright_build.report.junit import JUnitEntry, Verdict, junit_xml

ENTRIES = [
    JUnitEntry("a::A@1", "one", Verdict.PASSED),
    JUnitEntry("b::B@1", "one", Verdict.FAILED, 'got <1> & "2"\nwanted 3\x00\x1b[31m'),
    JUnitEntry("a::A@1", "two", Verdict.SKIPPED, "no-kernel"),
]


def test_every_entry_stands_in_its_suite_with_its_verdict() -> None:
    root = ElementTree.fromstring(junit_xml("all", ENTRIES))
    assert root.attrib == {"name": "all", "tests": "3", "failures": "1", "skipped": "1"}
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == ["a::A@1", "b::B@1"]
    assert suites["a::A@1"].attrib == {"name": "a::A@1", "tests": "2", "failures": "0", "skipped": "1"}
    assert [(case.get("name"), [child.tag for child in case]) for case in suites["a::A@1"]] == [
        ("one", []),
        ("two", ["skipped"]),
    ]
    failure = suites["b::B@1"][0][0]
    assert failure.tag == "failure"
    assert failure.get("message") == 'got <1> & "2"'
    assert failure.text == 'got <1> & "2"\nwanted 3��[31m'


def test_equal_runs_give_equal_bytes() -> None:
    assert junit_xml("all", ENTRIES) == junit_xml("all", list(ENTRIES))
