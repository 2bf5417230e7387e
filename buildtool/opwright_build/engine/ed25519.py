"""Ed25519 signatures, of the package `cryptography`: the one place that needs it."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey


def public_key(seed: bytes) -> bytes:
    """The public key of a private one of 32 bytes."""
    return bytes(Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw())


def sign(seed: bytes, data: bytes) -> bytes:
    return bytes(Ed25519PrivateKey.from_private_bytes(seed).sign(data))


def verifies(public: bytes, signature: bytes, data: bytes) -> bool:
    """Whether the holder of the public key's private one has signed the data."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True
