"""The IR versions from which on a model can hold what the linker writes (docs/adr/0289)."""

INITIALIZERS_IR = 4  # that are no inputs
FUNCTIONS_IR = 8
DEFAULTS_IR = 9  # of the attributes of functions
METADATA_IR = 10  # metadata_props of functions and nodes, and overloads
