// TypeORM: what its query runner looks up of tables, views and columns.
require('reflect-metadata');
const where = JSON.parse(process.env.TACIT_CLIENT);
const { DataSource } = require('typeorm');
async function main() {
  const source = new DataSource({ type: 'postgres', host: where.host, port: where.port, username: where.name,
    password: where.password, database: where.database, installExtensions: false, entities: [] });
  await source.initialize();
  const runner = source.createQueryRunner();
  for (const run of [() => runner.getDatabases(), () => runner.getSchemas(), () => runner.hasTable('labs'),
    () => runner.hasColumn('labs', 'test'), () => runner.getTables(['labs', 'patients']), () => runner.getTables(),
    () => runner.getViews(), () => runner.getCurrentDatabase(), () => runner.getCurrentSchema(), () => runner.hasSchema('public'),
    () => runner.getVersion && runner.getVersion()]) {
    try { await run(); } catch (error) { console.log('FAIL ' + error.message); }
  }
  await runner.release();
  await source.destroy();
}
main().then(() => process.exit(0));
