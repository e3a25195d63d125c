// node-postgres, its cursors, and knex.
const fs = require('fs');
const where = JSON.parse(process.env.TACIT_CLIENT);
const { Client, Pool } = require('pg');
const Cursor = require('pg-cursor');
const knex = require('knex');

const COUNTS = 'SELECT test, COUNT(*) AS n FROM labs GROUP BY test';
const vault = where.is_vault;
const config = {
  host: where.host, port: where.port, database: where.database, user: where.name, password: where.password,
  ...(vault ? { ssl: { ca: fs.readFileSync(where.ca), servername: 'localhost' }, options: '-c tacit.epsilon=0.05' } : {}),
};

async function step(name, run, vaultOnly = false) {
  if (vaultOnly && !vault) return;
  try {
    await run();
    console.log('ok   ' + name);
  } catch (error) {
    console.log('FAIL ' + name + ' | ' + String(error.message).replace(/\n/g, ' ').slice(0, 300));
  }
}
function expect(condition, why) {
  if (!condition) throw new Error('not so: ' + JSON.stringify(why));
}
function counted(rows) {
  expect(rows.length === (vault ? 2 : 0), rows);
}
async function refused(run, code) {
  try {
    await run();
  } catch (error) {
    expect(error.code === code, [error.code, error.message]);
    return;
  }
  throw new Error('it was not refused');
}
async function opened(run) {
  const client = new Client(config);
  await client.connect();
  try {
    await run(client);
  } finally {
    await client.end();
  }
}

async function main() {
  await step('connect', () => opened(async () => {}));
  await step('connect with TLS', () => opened(async (c) => expect(c.connection.stream.encrypted)), true);
  await step('ask', () => opened(async (c) => counted((await c.query(COUNTS)).rows)));
  await step('number as a parameter', () => opened(async (c) =>
    counted((await c.query(COUNTS + ' HAVING COUNT(*) > $1', [-10000])).rows)));
  await step('text as a parameter', () => opened(async (c) =>
    expect((await c.query('SELECT COUNT(*) AS n FROM labs WHERE test = $1', ['hdl'])).rows.length === 1)));
  await step('prepared by name', () => opened(async (c) => {
    for (let time = 0; time < 3; time++) counted((await c.query({ name: 'q', text: COUNTS })).rows);
  }));
  await step('rows as arrays', () => opened(async (c) => counted((await c.query({ text: COUNTS, rowMode: 'array' })).rows)));
  await step('cursor', () => opened(async (c) => {
    const cursor = c.query(new Cursor(COUNTS));
    const first = await cursor.read(1);
    counted([...first, ...(await cursor.read(100))]);
    await cursor.close();
  }));
  await step('browse', () => opened(async (c) => {
    const found = await c.query("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'");
    expect(found.rows.some((row) => row.table_name === 'labs'), found.rows);
  }));
  await step('pool', async () => {
    const pool = new Pool({ ...config, max: 2 });
    const all = await Promise.all([1, 2, 3].map(() => pool.query(COUNTS)));
    all.forEach((each) => counted(each.rows));
    await pool.end();
  });
  const db = knex({ client: 'pg', connection: config });
  await step('knex: ask', async () => counted((await db.raw(COUNTS)).rows));
  await step('knex: builder', async () => counted(await db('labs').select('test').count('* as n').groupBy('test')));
  await step('knex: text as a parameter', async () => expect((await db('labs').where('test', 'hdl').count('* as n')).length === 1));
  await step('knex: browse', async () => expect(await db.schema.hasTable('labs')));
  await step('knex: columnInfo', async () => expect('value' in (await db('labs').columnInfo())));
  await step('knex: transaction', () => db.transaction(async (trx) => counted((await trx.raw(COUNTS)).rows)));
  await step('knex: connect with TLS', () => db.transaction(async (trx) => {
    expect((await trx.client.acquireConnection()).connection.stream.encrypted);
  }), true);
  await step('knex: intervals', () => db.transaction(async (trx) => {
    await trx.raw('SET LOCAL tacit.intervals = on');
    const { rows } = await trx.raw(COUNTS);
    expect(rows.every((row) => Number(row.n_low) <= Number(row.n) && Number(row.n) <= Number(row.n_high)), rows);
  }), true);
  await step('knex: the limit is kept', () => refused(() => db.transaction(async (trx) => {
    await trx.raw('SET LOCAL tacit.epsilon = 1000');
    await trx.raw('SELECT test, COUNT(*) AS n FROM labs WHERE day < 17 GROUP BY test');
  }), '53400'), true);
  await step('knex: cancel', async () => { // by pg_cancel_backend, from another connection
    let done = false;
    for (let day = 4; day < 30 && !done; day += 8) {
      done = await db.raw(`SELECT test, COUNT(*) AS n FROM labs WHERE day <> ${day} GROUP BY test`)
        .timeout(20, { cancel: true }).then(() => false, (error) => error.name === 'KnexTimeoutError');
    }
    expect(done, 'none was cancelled');
    counted((await db.raw(COUNTS)).rows);
  }, true);
  await db.destroy();
  await step('notice', () => opened(async (c) => {
    const heard = [];
    c.on('notice', (notice) => heard.push(notice.message));
    await c.query(COUNTS);
    expect(heard.some((each) => each.includes('±')), heard);
  }), true);
  await step('intervals', () => opened(async (c) => {
    await c.query('SET tacit.intervals = on');
    const { rows } = await c.query(COUNTS);
    expect(rows.every((row) => row.n_low <= Number(row.n) && Number(row.n) <= row.n_high), rows);
  }), true);
  await step('the limit is kept', () => opened(async (c) => {
    await c.query('SET tacit.epsilon = 1000');
    await refused(() => c.query('SELECT test, COUNT(*) AS n FROM labs WHERE day < 12 GROUP BY test'), '53400');
  }), true);
  await step('rows are refused', () => opened((c) => refused(() => c.query('SELECT * FROM labs'), '42501')), true);
  await step('cancel', () => opened(async (c) => {
    let done = false; // on a busy machine a question may be over too soon
    for (let day = 6; day < 30 && !done; day += 8) {
      let over = false;
      const asked = c.query(`SELECT test, COUNT(*) AS n FROM labs WHERE day > ${day} GROUP BY test`)
        .then(() => false, (error) => error.code === '57014').finally(() => { over = true; });
      while (!over) {
        await new Promise((resolve) => setTimeout(resolve, 30));
        if (!over) await cancelled(c);
      }
      done = await asked;
    }
    expect(done, 'none was cancelled');
    expect((await c.query('SELECT 1 AS one')).rows[0].one === 1);
  }), true);
}

// node-postgres cancels without TLS; a vault takes the request as libpq sends it, within.
function cancelled(client) {
  const tls = require('tls'), net = require('net');
  return new Promise((resolve) => {
    const plain = net.connect(where.port, where.host, () => {
      plain.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
      plain.once('data', () => {
        const secure = tls.connect({ socket: plain, ca: fs.readFileSync(where.ca), servername: 'localhost' }, () => {
          const body = Buffer.alloc(16);
          body.writeInt32BE(16, 0);
          body.writeInt32BE(80877102, 4);
          body.writeInt32BE(client.processID, 8);
          body.writeInt32BE(client.secretKey, 12);
          secure.end(body);
        });
        secure.on('close', resolve);
        secure.on('error', resolve);
      });
    });
    plain.on('error', resolve);
  });
}

main().then(() => process.exit(0));
