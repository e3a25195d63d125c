"""How a frozen value reads its fields from what people type."""

from tacit.privacy.protection import relation

__all__ = ["fill"]


def fill(value: object, **fields: object) -> None:
    """Set the fields of a frozen value, once, by its own `__init__`; its relation may be given by name."""
    for name, field in fields.items():
        object.__setattr__(value, name, relation(field) if name == "neighbours" else field)
