"""How a frozen value reads its fields from what people type."""

from tacit.privacy.protection import relation

__all__ = ["fill"]


def fill(value: object, **fields: object) -> None:
    """Nothing; but the fields of a frozen value are set, once, by its own `__init__`; its relation must be one."""
    for name, field in fields.items():
        if name == "neighbours":
            relation(field)
        object.__setattr__(value, name, field)
