"""The pictures of the attack lab, one for each attack.

Run `python docs/pictures/attacks.py`; it writes attack-averaging.png and the others beside itself.
"""

from pathlib import Path

from tacit.audit import ATTACKS

__all__ = ["main"]


def main() -> None:
    """Every attack is run once and drawn, as PNG files beside this one."""
    for name, attack in ATTACKS.items():
        report = attack()
        print(report, end="\n\n")
        report.plot().savefig(Path(__file__).parent / f"attack-{name}.png", dpi=90)


if __name__ == "__main__":
    main()
