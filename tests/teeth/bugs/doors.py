"""Bugs planted where people and programs come in: signing in, requests, parameters, what all doors share."""

from tests.teeth.bug import Bug

SERVER = "src/tacit/server"
UNIT = "tests/unit/server"

BUGS = [
    Bug(
        name="strangers-lock-people-out",
        file=f"{SERVER}/people.py",
        before='"attempts to sign in by this name from this address", f"{address} {name}"',
        after='"attempts to sign in by this name from this address", name',
        killed_by=f"{UNIT}/test_people.py::test_a_stranger_keeps_nobody_out",
        note="five wrong passwords a minute would keep anybody out",
    ),
    Bug(
        name="many-strangers-lock-people-out",
        file=f"{SERVER}/people.py",
        before="if (name, address) not in self._known:",
        after="if name:",
        killed_by=f"{UNIT}/test_people.py::test_a_stranger_keeps_nobody_out",
        note="tries from many addresses would keep somebody out at their own desk",
    ),
    Bug(
        name="guesses-from-many-places-are-not-counted",
        file=f"{SERVER}/people.py",
        before="if (name, address) not in self._known:",
        after="if (name, address) in self._known:",
        killed_by=f"{UNIT}/test_people.py::test_a_stranger_keeps_nobody_out",
        note="a password could be guessed from many addresses together",
    ),
    Bug(
        name="wrong-names-are-logged",
        file=f"{SERVER}/people.py",
        before="about = name if self._identities.is_known(name) else None",
        after="about = name",
        killed_by=f"{UNIT}/test_people.py::test_refused_sign_ins_are_logged_with_name_and_address",
        note="a password that was typed as a name would be in the log",
    ),
    Bug(
        name="strangers-fill-the-log",
        file=f"{SERVER}/people.py",
        before='self._rates.take("notes of attempts from this address", address)\n',
        after="pass\n",
        killed_by=f"{UNIT}/test_people.py::test_refused_sign_ins_are_logged_with_name_and_address",
        note="every request of a stranger would write a line",
    ),
    Bug(
        name="long-lengths-are-read",
        file=f"{SERVER}/http/gate.py",
        before="len(length) > _DIGITS or int(length) > BODY",
        after="int(length) > BODY",
        killed_by=f"{UNIT}/http/test_gate.py::test_a_body_within_the_limit_passes_and_a_longer_one_does_not",
        note="a length of thousands of digits would end the request by a mistake",
    ),
    Bug(
        name="parameters-become-floats",
        file="src/tacit/curator/sent_parameters.py",
        before='return {"number": str(value)}',
        after="return float(value)",
        killed_by="tests/unit/curator/test_sent_parameters.py::test_values_are_the_same_after_the_journey",
        note="a question would be another one over the network",
    ),
    Bug(
        name="parameters-left-at-home",
        file="src/tacit/remote/vault.py",
        before='**({} if params is None else {"params": parameter_fields(params)}),',
        after='**({} if params is None else {"params": []}),',
        killed_by="tests/unit/remote/test_vault.py::test_parameters_are_bound_either_way",
        note="what was bound would not arrive",
    ),
]
