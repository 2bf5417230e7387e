"""Commands on models, one a file: what it takes in `add_arguments`, and what it does in `run`. They need onnx alone. A
module is imported when its command runs."""

from opwright.commands.on_models import COMMANDS, command_parsers, main

__all__ = ["COMMANDS", "command_parsers", "main"]
