"""`Sealed`: ciphertext of a private value, the only form in which it travels in a state."""

from pydantic import BaseModel, ConfigDict, Field


class Sealed(BaseModel):
    """Ciphertext of a private value: nonce, then AES-256-GCM output."""

    model_config = ConfigDict(frozen=True, ser_json_bytes="base64", val_json_bytes="base64")

    ct: bytes = Field(repr=False)
