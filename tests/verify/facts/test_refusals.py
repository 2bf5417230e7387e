"""Messages of a runtime as facts without its versions and places; real messages are tested in test_runtimes."""

import pytest
from opwright.eager.messages import MAX_REASON, one_line
from opwright_build.verify.case_model import Status
from opwright_build.verify.facts.refusals import classify, classify_unwritten

PREFIX = "[ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : "


@pytest.mark.parametrize(
    ("text", "status", "reason"),
    [
        (f"{PREFIX}Could not find an implementation for Erf(13) node with name 'x'", Status.NO_KERNEL, "Erf-13"),
        ("Could not find an implementation for com.x:Erf(1) node with name ''", Status.NO_KERNEL, "Erf-1"),
        (
            "FAIL : Failed to find kernel for Cast(23) (node:'' ep:'CPU'). Op with name ()",
            Status.NO_KERNEL,
            "Cast-23 with",
        ),
        (
            "[ONNXRuntimeError] : 1 : FAIL : /a/model.cc:256 ns::Model::Model(onnx::ModelProto&&) "
            "Unsupported model IR version: 14, max supported IR version: 13\n\n",
            Status.UNSUPPORTED,
            "IR version 14 is not accepted",
        ),
        (
            "Type Error: Type 'tensor(float4e2m1)' of input parameter (X) of operator (Shape) in node () is invalid.",
            Status.UNSUPPORTED,
            "type float4e2m1 is refused by Shape",
        ),
        (
            "Exception during loading: MLDataType for: seq(tensor(complex64)) is not currently registered or supported",
            Status.UNSUPPORTED,
            "type complex64 is not known",
        ),
        ("something new", Status.UNSUPPORTED, "something new"),
    ],
)
def test_a_refusal_names_what_is_refused(text: str, status: Status, reason: str) -> None:
    refusal = classify(RuntimeError(text))
    assert refusal.status is status
    assert reason in refusal.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            f"{PREFIX}Non-zero status code returned while running LSTM node. Name:'' Status Message: LSTM operator "
            "does not support double yet",
            "the kernel for LSTM does not run with type double",
        ),
        ("Unknown activation function 'Relu'.", "the activation Relu is not known"),
        (
            "GridSample interpolation only supports nearest, linear, and cubic modes.",
            "GridSample has no modes but nearest, linear and cubic",
        ),
    ],
)
def test_a_kernel_may_refuse_when_it_runs(text: str, reason: str) -> None:
    refusal = classify_unwritten(RuntimeError(text))
    assert refusal is not None
    assert (refusal.status, refusal.reason) == (Status.NO_KERNEL, reason)
    assert classify_unwritten(RuntimeError("MatMul: left operand cannot broadcast on dim 0")) is None


def test_places_in_the_runtimes_sources_are_left_out() -> None:
    failed = "Non-zero status code returned while running Div node. Name:'n7' Status Message: "
    assert one_line(RuntimeError(f"[ONNXRuntimeError] : 1 : FAIL : {failed}elements.cc:692 Compute By zero")) == (
        "Div: By zero"
    )
    text = "/src/core/reshape.h:91 ns::Helper::Helper(const Shape&, bool) Input shape:{2,3}"
    assert one_line(RuntimeError(text)) == "Input shape:{2,3}"


def test_a_reason_is_one_short_line() -> None:
    reason = one_line(ValueError("a\n  b\t" + "c" * 1000))
    assert reason.startswith("a b c")
    assert len(reason) == MAX_REASON
    assert one_line(KeyError()) == "KeyError"
