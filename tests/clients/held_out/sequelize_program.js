// Sequelize: its query interface.
const where = JSON.parse(process.env.TACIT_CLIENT);
const { Sequelize } = require('sequelize');
async function main() {
  const db = new Sequelize(where.database, where.name, where.password,
    { host: where.host, port: where.port, dialect: 'postgres', logging: false });
  await db.authenticate();
  const asked = db.getQueryInterface();
  for (const run of [() => asked.showAllTables(), () => asked.showAllSchemas(), () => asked.describeTable('labs'),
    () => asked.describeTable('visits'), () => asked.showIndex('labs'), () => asked.getForeignKeyReferencesForTable('labs'),
    () => asked.showConstraint('labs'), () => asked.tableExists('labs'), () => db.databaseVersion(), () => asked.getForeignKeysForTables(['labs'])]) {
    try { await run(); } catch (error) { console.log('FAIL ' + error.message); }
  }
  await db.close();
}
main().then(() => process.exit(0));
