"""Ed25519 signatures, of the package `cryptography`: the one place that needs it."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key


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


def seed_of_pem(data: bytes) -> bytes | None:
    """The private key of 32 bytes that a PEM file holds, as `openssl genpkey -algorithm ed25519` writes it; None for
    other keys, those with a password among them."""
    try:
        key = load_pem_private_key(data, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    return bytes(key.private_bytes_raw()) if isinstance(key, Ed25519PrivateKey) else None
