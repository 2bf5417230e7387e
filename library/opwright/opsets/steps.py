"""Steps from one version of an operator to the next, or back, where its record says that both compute the same.

`take_step_down` and `take_step_up` take one step of one node; `downlevel` (models) and `lang` (calls that were written
for another opset) bring nodes of their own kind.
"""

from __future__ import annotations

from opwright.opsets.signatures import Option, Signature
from opwright.opsets.version_rules import Form

OLDEST = 13  # the oldest opset of a consumer that models are rewritten for
OLDEST_ALONE = 7  # the oldest that they are brought to with the IR version that they have


def take_step_down(form: Form, newer: Signature, older: Signature) -> str:
    """Makes the form one of the version before; what it uses of the newer version where it cannot."""
    reason = _ruled(form, newer, down=True)
    return reason or _arity(form, older, "before") or _attributes(form, newer, older, "before")


def take_first_step_down(form: Form, newer: Signature) -> str:
    """Makes the form, of the first version of an operator, one of another operator; why it cannot be."""
    rule = newer.record.before
    return "there was no such operator before" if rule is None else rule(form)


def take_step_up(form: Form, older: Signature, newer: Signature, written: int) -> str:
    """Makes the form one of the version after; why it cannot be. `written`: the version that the node was made for."""
    form.drop("consumed_inputs")  # what version 1 of many operators allowed to be overwritten
    reason = _ruled(form, newer, down=False, written=written)
    return reason or _arity(form, newer, "since") or _attributes(form, older, newer, "since")


def _ruled(form: Form, newer: Signature, down: bool, written: int = 0) -> str:
    record, version = newer.record, newer.since_version
    if version not in record.reviewed:
        return record.changed.get(version, "what that version changed is not known to Opwright")
    step = record.steps.get(version)
    if step is None:
        return ""
    rule = step.down if down else step.up if written >= step.up_since else None
    return "" if rule is None else rule(form)


def _arity(form: Form, there: Signature, when: str) -> str:
    if not there.variadic:
        surplus = [index for index in range(len(there.inputs), form.inputs) if form.has_input(index)]
        if surplus:
            return f"it has {surplus[-1] + 1} inputs, of at most {len(there.inputs)} {when}"
        if form.inputs > len(there.inputs):
            form.drop_inputs(len(there.inputs))
    for index, formal in enumerate(there.inputs):
        if formal.option is Option.REQUIRED and not form.has_input(index):
            return f"the input {formal.name} is left out, and is required {when}"
    if form.outputs > there.max_outputs:
        return f"it has {form.outputs} outputs, of at most {there.max_outputs} {when}"
    return ""


def _attributes(form: Form, here: Signature, there: Signature, when: str) -> str:
    """Leaves out what says nothing there, and writes out defaults that are others there."""
    for name in form.given():
        mine, declared = here.attributes.get(name), there.attributes.get(name)
        if declared is not None:
            if mine is not None and mine.kind != declared.kind:
                return f"its attribute {name} is of another type {when}"
            continue
        if mine is None or mine.default is None or form.value(name) != mine.default:
            return f"its attribute {name} is set"
        form.drop(name)
    for name, declared in there.attributes.items():
        mine = here.attributes.get(name)
        if name in form.given():
            continue
        if declared.required:
            return f"its attribute {name} is not given, and is required {when}"
        if mine is not None and mine.default != declared.default:
            if mine.default is None:
                return f"its attribute {name} is left out, and has a default {when}"
            form.set_attribute(name, mine.default)
    return ""
