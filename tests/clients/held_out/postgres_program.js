// postgres.js: it looks up the types of arrays when it connects.
const where = JSON.parse(process.env.TACIT_CLIENT);
const postgres = require('postgres');
async function main() {
  const sql = postgres({ host: where.host, port: where.port, database: where.database, username: where.name, password: where.password });
  await sql`select 1`;
  await sql`select ${[1, 2]}::int[] as a`;
  await sql`select relname from pg_class where relname = ${'labs'}`;
  await sql`select table_name, column_name from information_schema.columns where table_schema = any(${['public']})`;
  await sql`select 1`.describe();
  await sql.end();
}
main().then(() => process.exit(0));
