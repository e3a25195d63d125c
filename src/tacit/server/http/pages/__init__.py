"""The workbench: pages that the server renders, which work without scripts and are nicer with them.

Each page has a file of its own; `rendering` has what all of them share.
"""

from fastapi import APIRouter

from tacit.server.http.pages.ask import AskPage
from tacit.server.http.pages.budget import BudgetPage
from tacit.server.http.pages.history import HistoryPage
from tacit.server.http.pages.ledger import LedgerPage
from tacit.server.http.pages.operations import OperationsPage
from tacit.server.http.pages.people import PeoplePage
from tacit.server.http.pages.policy import PolicyPage
from tacit.server.http.pages.receipts import ReceiptPage
from tacit.server.http.pages.rendering import STATIC, Pages
from tacit.server.http.pages.sign_in import SignInPages
from tacit.server.http.pages.tables import TablePages
from tacit.server.http.pages.twins import JsonTwins

__all__ = ["STATIC", "Pages", "page_routes"]

_EVERY = (
    *(JsonTwins, SignInPages, AskPage, HistoryPage, ReceiptPage, BudgetPage, TablePages),
    *(PolicyPage, PeoplePage, LedgerPage, OperationsPage),
)


def page_routes(pages: Pages) -> APIRouter:
    """The routes of all pages; twins come first, since `/tables/labs.json` is also the name of a table's page."""
    routes = APIRouter(include_in_schema=False)
    for page in _EVERY:
        for method, path, answer in page(pages).routes():
            routes.add_api_route(path, answer, methods=[method])
    return routes
