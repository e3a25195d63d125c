"""A vault behind `tacit serve --pg` in a process of its own: with TLS, its own certificate, and an analyst's token.

It prints one line of JSON that says where it is, and runs until its standard input is closed.
"""

import datetime as dt
import ipaddress
import json
import os
import signal
import socket
import sys
import threading
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tacit.server import Identities, serve

POLICY = """\
[limit]
epsilon = 100
delta = 1e-6

[tables.patients]
source = "patients.csv"
unit = "patient"
contributions = 1
[tables.patients.columns]
age = { type = "integer", low = 18, high = 100 }
male = { type = "boolean" }

[tables.labs]
source = "labs.csv"
unit = "patient"
contributions = 4
[tables.labs.columns]
test = { type = "text", values = ["hdl", "sbp"] }
value = { type = "number", low = 0, high = 300 }
day = { type = "integer", low = 0, high = 30 }

[tables.events]
source = "events.csv"
unit = "patient"
contributions = 1
[tables.events.columns]
event = { type = "text", values = ["death", "discharge"] }

[tables.visits]
source = "visits.csv"
unit = "patient"
contributions = 1
[tables.visits.columns]
ward = { type = "text", values = ["A", "B"] }
cost = { type = "number", low = 0, high = 5000 }
on_day = { type = "date", low = 2025-01-01, high = 2025-12-31 }

[analysts.ana]
epsilon = 50
"""
TABLES = {
    "patients": ("patient,age,male", lambda n: f"{n},{18 + n % 80},{'true' if n % 2 else 'false'}"),
    "labs": (
        "patient,test,value,day",
        lambda n: f"{n},{'hdl' if n % 2 else 'sbp'},{50 + n % 90},{n % 30}",
    ),
    "events": ("patient,event", lambda n: f"{n},{'death' if n % 9 == 0 else 'discharge'}"),
    "visits": (
        "patient,ward,cost,on_day",
        lambda n: f"{n},{'AB'[n % 2]},{n % 900},2025-03-{1 + n % 28:02d}",
    ),
}


def make_vault(folder: Path) -> None:
    """Tables of five hundred patients, and the policy."""
    for name, (head, row) in TABLES.items():
        lines = [head, *(row(number) for number in range(500))]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    (folder / "tacit.toml").write_text(POLICY)


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate of this machine's loopback address, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(days=2))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName("localhost"), address]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, secret = folder / "server.crt", folder / "server.key"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    secret.chmod(0o600)
    return certificate, secret


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def main() -> None:
    """Serve until the standard input is closed."""
    folder = Path(sys.argv[1])
    make_vault(folder)
    certificate, secret = make_certificate(folder)
    people = Identities(folder / "identities.sqlite")
    people.add("ana", "analyst")
    token, port = people.new_token("ana", "tests"), free_port()
    people.close()
    where = {
        "host": "127.0.0.1",
        "port": port,
        "database": folder.name,
        "name": "ana",
        "password": token,
    }
    said = json.dumps({**where, "ca": str(certificate), "is_vault": True})

    def wait() -> None:
        sys.stdin.read()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()
    serve(
        folder,
        port=free_port(),
        pg=port,
        tls=(certificate, secret),
        ready=lambda _: print(said, flush=True),
    )


if __name__ == "__main__":
    main()
