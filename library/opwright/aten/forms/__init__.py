"""Forms: conversions of a call's arguments to what a function takes.

A spec names a form for a parameter (`implements: {arguments: {padding: {form: both_ends}}}`). `call_shape` says what a
form is given and how it refuses a value, `form_table` has all forms by their names. Each of the other modules holds the
forms of one subject.
"""
