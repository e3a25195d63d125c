"""Draws the pictures of docs/how-to/survey-without-trust.md: run it in the folder of the pictures."""

from pathlib import Path
from tempfile import TemporaryDirectory

from tacit.local import (
    TEMPLATE,
    KaryResponse,
    collect_reports,
    plan_survey,
    read_questionnaire,
    write_reports,
)

HERE = Path(__file__).parent
TOWNS = ("Aarhus", "Bergen", "Cork", "Delft", "Espoo", "Fulda", "Ghent", "Hilo", "Ivrea", "Jena")
DISHES = ("soup", "salad", "pasta", "curry", "stew")


def answers(turn: int) -> dict[str, str]:
    """What one made-up person says."""
    return {
        "vegetarian": "yes" if turn % 10 < 3 else "no",
        "dish": DISHES[min(turn % 9, 4)],
        "spent": str(turn % 15),
        "town": TOWNS[min(turn % 23 // 2, 9)],
    }


def main() -> None:
    """Draw both."""
    plan_survey(KaryResponse.warner(1)).plot(HERE / "survey-plan.png")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "survey.toml"
        file.write_text(TEMPLATE)
        survey = read_questionnaire(file)
    collect_reports(survey, write_reports(survey, map(answers, range(10_000)))).plot(
        HERE / "survey-bars.png"
    )


if __name__ == "__main__":
    main()
