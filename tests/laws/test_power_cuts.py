"""After a power cut, whatever the disk made of it, no acknowledged charge is missing, in the ledger or in what the
anchor remembers, and the ledger opens.
"""

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import pytest

from tacit.accounting import Charge, PureFilter
from tacit.errors import LedgerRefused
from tacit.ledger import Anchor, DurableLedger, Entry, Founding, fields_of, sqlite_ledger
from tests.laws.every_ledger import pure_loss
from tests.powercut import Disk, Write, images

LIMIT, MORE = PureFilter(1), PureFilter(2)
FOUNDING = Founding.of("person", LIMIT)
CHARGES = 60
QUICK = Path("/dev/shm")  # nothing has to survive here but what `images` says


class Careful(apsw.Connection):
    """A connection that moves its log into the file often, so that cuts hit that too."""

    def __init__(self, path: str, disk: Disk) -> None:
        super().__init__(path, vfs=disk.name)
        super().execute("PRAGMA wal_autocheckpoint = 20")


class Careless(Careful):
    """A connection that answers before the log is synced, whatever it is told."""

    def execute(self, statements: str, *values: Any, **options: Any) -> Any:
        return super().execute(
            statements.replace("synchronous = FULL", "synchronous = NORMAL"), *values, **options
        )


@dataclass
class Story:
    """What a ledger was asked to do on a disk, and when it acknowledged what: after how many events of the disk."""

    disk: Disk
    acknowledged: list[tuple[int, Entry]] = field(default_factory=list)
    connection: type[Careful] = Careful

    def opened(self, limit: PureFilter = LIMIT) -> DurableLedger:
        """The ledger on the disk that can be cut."""
        return opened(self.disk.root, limit, connect=lambda path: self.connection(path, self.disk))

    def charge(self, ledger: DurableLedger, number: int) -> Entry:
        """Charge, and note when it was acknowledged."""
        return self._noted(
            ledger.charge(b"question %d" % number, pure_loss(number + 1), topic=b"t" * (number % 3))
        )

    def settle(self, ledger: DurableLedger, entry: Entry) -> Entry:
        """Answer, and note when that was acknowledged."""
        return self._noted(ledger.settle(entry, entry.key * 40))

    def _noted(self, entry: Entry) -> Entry:
        self.acknowledged.append((len(self.disk.events), entry))
        return entry

    def lost(self, cut: int, adopting: str | None = None) -> list[Entry]:
        """What was acknowledged before the cut and is not there now; all else must agree with itself."""
        anchored = remembered(self.disk.root)
        ledger = opened(self.disk.root, MORE, adopting=adopting)
        try:
            found = {entry.number: entry for entry in ledger.entries()}
            assert ledger.total_spent() == Charge(
                sum(entry.charge.amount for entry in found.values())
            )
            assert {entry.hash for entry in found.values()} <= {
                entry.hash for _, entry in self.acknowledged
            }
            due = [entry for moment, entry in self.acknowledged if moment <= cut]
            missing = [entry for entry in due if not _holds(found.get(entry.number), entry)]
            if not missing:
                assert anchored >= _needed(ledger, due), "an older copy would not be noticed"
            ledger.charge(b"after the cut", pure_loss(1))
            return missing
        finally:
            ledger.close()


def _holds(found: Entry | None, due: Entry) -> bool:
    """Whether the entry is there, with its answer if it had one."""
    return found is not None and found.hash == due.hash and due.payload in (None, found.payload)


def _needed(ledger: DurableLedger, due: list[Entry]) -> int:
    """How many records an anchor has to remember that was written before all of this was acknowledged."""
    charged, answered = (
        {entry.hash for entry in due},
        {entry.number for entry in due if entry.is_answered},
    )
    wanted = [
        record.number
        for record in ledger.records()
        if record.hash in charged
        or (b'"answered"' in record.body and fields_of(record)["entry"] in answered)
    ]
    return wanted[-1] + 1 if wanted else 0


def remembered(root: Path) -> int:
    """How many records the anchor remembers."""
    head = Anchor(str(root / "vault" / "ledger.sqlite"), root / "anchors").read()
    return 0 if head is None else head.records


def opened(root: Path, limit: PureFilter, **options: Any) -> DurableLedger:
    """The ledger of a folder, opened in the ordinary way."""
    return sqlite_ledger(
        root / "vault" / "ledger.sqlite", FOUNDING, limit, anchors=root / "anchors", **options
    )


# ---------------------------------------------------------------- what happens before the cut


def one_after_the_other(story: Story) -> None:
    ledger = story.opened()
    for number in range(CHARGES):
        story.charge(ledger, number)
    ledger.close()


def with_answers(story: Story) -> None:
    ledger = story.opened()
    for number in range(CHARGES // 2):
        story.settle(ledger, story.charge(ledger, number))
    ledger.refresh("visits")
    ledger.close()


def with_pauses(story: Story) -> None:
    """Every few charges the ledger is closed, and opened by the next process; once the limit is raised."""
    for start in range(0, CHARGES, 12):
        ledger = story.opened(LIMIT if start < CHARGES // 2 else MORE)
        for number in range(start, start + 12):
            story.charge(ledger, number)
        ledger.close()


def by_threads(story: Story) -> None:
    ledger = story.opened()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: story.charge(ledger, number), range(CHARGES)))
    ledger.close()


STORIES = [one_after_the_other, with_answers, with_pauses, by_threads]


@contextmanager
def told(tell: Callable[[Story], None], connection: type[Careful] = Careful) -> Iterator[Story]:
    """What happened when this was done, on a disk that is there until the block ends."""
    with TemporaryDirectory(dir=QUICK if QUICK.is_dir() else None) as folder:
        root = Path(folder).resolve()
        (root / "vault").mkdir()
        disk = Disk(f"{tell.__name__} {connection.__name__}", root)
        story = Story(disk, connection=connection)
        try:
            with disk.watched():
                tell(story)
            yield story
        finally:
            disk.close()


def at_random(story: Story, count: int) -> list[int]:
    """So many moments of a story."""
    random = Random(count)
    return [random.randrange(len(story.disk.events) + 1) for _ in range(count)]


def cuts(story: Story, moments: list[int]) -> Iterator[int]:
    """Cuts at these moments; at each, the folder is as the disk has it after the cut."""
    for cut, files in images(story.disk.events, moments, Random(len(moments))):
        for folder in ("vault", "anchors"):
            shutil.rmtree(story.disk.root / folder, ignore_errors=True)
            (story.disk.root / folder).mkdir()
        for name, data in files.items():
            (story.disk.root / name).write_bytes(data)
        yield cut


def survives(tell: Callable[[Story], None], count: int) -> None:
    """So many cuts at random moments of this, and nothing that was acknowledged is ever missing."""
    with told(tell) as story:
        for cut in cuts(story, at_random(story, count)):
            assert story.lost(cut) == []


@pytest.mark.parametrize("tell", STORIES)
def test_no_acknowledged_charge_is_lost_in_200_power_cuts(tell):
    survives(tell, 200)


@pytest.mark.soak
@pytest.mark.parametrize("tell", STORIES)
def test_no_acknowledged_charge_is_lost_in_5000_power_cuts(tell):
    survives(tell, 5_000)


def test_an_anchor_that_was_being_written_is_the_old_one_or_the_new_one():
    with told(one_after_the_other) as story:
        written = [
            n
            for n, event in enumerate(story.disk.events, 1)
            if isinstance(event, Write) and "anchor" in event.file
        ]
        assert len(written) > CHARGES
        for cut in cuts(story, written * 3):
            assert story.lost(cut) == []


def test_a_ledger_that_does_not_wait_for_the_disk_loses_charges_in_the_same_cuts():
    losses = refused = 0
    with told(one_after_the_other, Careless) as story:
        for cut in cuts(story, at_random(story, 100)):
            try:
                losses += bool(story.lost(cut))
            except LedgerRefused:  # its anchor was on the disk, and remembers more
                refused += 1
                losses += bool(story.lost(cut, adopting="the power was cut"))
    assert losses > 20
    assert refused > 0
