"""The linker: functions of libraries into models, and out of them again. Needs onnx alone."""
