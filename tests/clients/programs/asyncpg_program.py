"""asyncpg: the extended protocol alone, everything in binary, types looked up in the catalogue."""

import asyncio
import io
import ssl

import asyncpg
from steps import (
    BY_TEST,
    COUNTS,
    IS_VAULT,
    TOO_DEAR,
    WHERE,
    WIDE,
    check_counts,
    expect,
    step,
)


def connected(do):
    async def run():
        settings = {"tacit.epsilon": "0.05"} if IS_VAULT else {}
        context = ssl.create_default_context(cafile=WHERE["ca"]) if IS_VAULT else None
        connection = await asyncpg.connect(
            host=WHERE["host"],
            port=WHERE["port"],
            user=WHERE["name"],
            password=WHERE["password"],
            database=WHERE["database"],
            ssl=context,
            server_settings=settings,
        )
        try:
            return await do(connection)
        finally:
            await connection.close(timeout=10)

    return lambda: asyncio.run(asyncio.wait_for(run(), 120))


async def ask(connection):
    check_counts(await connection.fetch(COUNTS))


async def with_number(connection):
    check_counts(await connection.fetch(COUNTS + " HAVING COUNT(*) > $1", -10000))


async def with_text(connection):
    expect(len(await connection.fetch(BY_TEST + "$1", "hdl")) == 1)


async def types(connection):
    row = await connection.fetchrow(
        "SELECT array[1, 2]::int[], '{a}'::text[], 'x'::name, 1::int8, true"
    )
    expect(tuple(row) == ([1, 2], ["a"], "x", 1, True), row)


async def classes(connection):
    row = await connection.fetchrow(
        "SELECT relname, oid, relacl FROM pg_class WHERE relname = 'labs'"
    )
    expect(row["relname"] == "labs", row)


async def transactions(connection):
    async with connection.transaction():
        await connection.fetch("SELECT 1")
    async with connection.transaction(readonly=True, isolation="serializable"):
        check_counts([row async for row in connection.cursor(COUNTS)])


async def codecs(connection):
    await connection.set_type_codec("json", encoder=str, decoder=str, schema="pg_catalog")
    await connection.reload_schema_state()
    await connection.reset()


async def copy(connection):
    sink = io.BytesIO()
    await connection.copy_from_query(COUNTS, output=sink)
    expect(len(sink.getvalue().splitlines()) == (2 if IS_VAULT else 0), sink.getvalue())


async def prepared(connection):
    statement = await connection.prepare(COUNTS + " HAVING COUNT(*) > $1")
    expect([each.name for each in statement.get_attributes()] == ["test", "n"])
    for _ in range(3):
        check_counts(await statement.fetch(-10000))


async def introspected(connection):
    """The statement by which asyncpg looks up types that it does not know."""
    found, _ = await connection._introspect_types([1007, 2951], 10)
    expect({row["oid"] for row in found} >= {1007, 23}, found)


async def intervals(connection):
    await connection.execute("SET tacit.intervals = on")
    expect(all(row["n_low"] <= row["n"] <= row["n_high"] for row in await connection.fetch(COUNTS)))


async def limit(connection):
    await connection.execute("SET tacit.epsilon = 1000")
    try:
        await connection.fetch(TOO_DEAR.format(6))
    except asyncpg.PostgresError as error:
        expect(error.sqlstate == "53400", error)
    else:
        raise AssertionError("it was not refused")


async def cancel(connection):
    asking = asyncio.ensure_future(connection.fetch(WIDE.format(3)))
    await asyncio.sleep(0.1)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    expect(await connection.fetchval("SELECT 1") == 1)


async def dump(connection):
    try:
        await connection.fetch("SELECT * FROM labs")
    except asyncpg.InsufficientPrivilegeError:
        return
    raise AssertionError("rows left")


async def encrypted(connection):
    expect(connection._transport.get_extra_info("ssl_object") is not None)


step("connect with TLS", connected(encrypted), vault_only=True)
step("ask", connected(ask))
step("number as a parameter", connected(with_number))
step("text as a parameter", connected(with_text))
step("types", connected(types))
step("browse", connected(classes))
step("transactions and cursors", connected(transactions))
step("codecs and reset", connected(codecs))
step("copy", connected(copy))
step("prepared statement", connected(prepared))
step("introspection of types", connected(introspected))
step("intervals", connected(intervals), vault_only=True)
step("the limit is kept", connected(limit), vault_only=True)
step("cancel", connected(cancel), vault_only=True)
step("rows are refused", connected(dump), vault_only=True)
